"""The designs that one mechanism file holds: each person is asked one question, all people alike."""

import math
from fractions import Fraction

from rrcore.designs.design import Design, Numbers, checked, matrix_design
from rrcore.designs.rational import Row, integers, rational_number, shown
from rrcore.errors import InputError, check_number
from rrcore.limits import MAX_MATRIX_CATEGORIES
from rrcore.promise.weights import LieWeights, MatrixWeights


def k_ary(size: int, truth: Fraction) -> LieWeights:
    """The true answer with probability ``truth``, else one of the other ``size - 1`` categories (Kairouz et al. 2016)."""
    if truth == Fraction(1, size):
        raise InputError(
            f"The truth is told with probability {truth}, as often as any other answer is given: nothing can be estimated then."
        )
    true, false = integers([truth, 1 - truth])
    return LieWeights((size,), 0, tuple((name, weight) for name, weight in (("0", true), ("1", false)) if weight))


def warner(truth: Fraction) -> LieWeights:
    """Warner (1965): with probability ``truth`` the statement is about having the trait, else about not having it."""
    return k_ary(2, truth)


def mangat_singh(direct: Fraction, statement: Fraction) -> LieWeights:
    """Mangat and Singh (1990): with probability ``direct`` the truth, else Warner's two statements with probability ``statement``."""
    checked([direct, statement], "numbers of Mangat and Singh")
    return warner(direct + (1 - direct) * statement)


def _square(size: int, numbers: Numbers) -> MatrixWeights:
    return matrix_design([numbers[i : i + len(numbers) // size] for i in range(0, len(numbers), max(len(numbers) // size, 1))])


def one_sided(yes: Fraction) -> MatrixWeights:
    """People with the trait report yes; the others report yes with probability ``yes``.

    Examples
    --------
    >>> one_sided(Fraction(1, 4)).rows
    ((3, 1), (0, 4))
    """
    if yes == 1:
        raise InputError("Everybody reports yes with these probabilities: nothing can be estimated then.")
    return matrix_design([[1 - yes, yes], [Fraction(0), Fraction(1)]])


def forced_response(truth: Fraction, yes: Fraction, no: Fraction) -> MatrixWeights:
    """Answer truthfully with probability ``truth``; say yes or no whatever is true with probabilities ``yes`` and ``no``.

    The first category is "no", the second one "yes".
    """
    if truth + yes + no != 1:
        raise InputError(f"The probabilities {truth}, {yes} and {no} sum to {truth + yes + no}: make them sum to 1.")
    return matrix_design([[truth + no, yes], [no, truth + yes]])


def unrelated_question(sensitive: Fraction, prevalence: Fraction) -> MatrixWeights:
    """With probability ``sensitive`` the sensitive question is answered, else an unrelated one to which a share ``prevalence`` answers yes.

    The first category is "no", the second one "yes" (Greenberg et al. 1969, known prevalence).
    """
    other = 1 - sensitive
    return forced_response(sensitive, other * prevalence, other * (1 - prevalence))


def kuk(yes: Fraction, no: Fraction, cards: Fraction) -> MatrixWeights:
    """Kuk (1990): the number of red cards among ``cards`` draws, each red with probability ``yes`` for people with the trait, else ``no``.

    Examples
    --------
    >>> kuk(Fraction(3, 4), Fraction(1, 4), Fraction(2)).rows
    ((9, 6, 1), (1, 6, 9))
    """
    checked([yes, no], "shares of red cards")
    check_number("The number of draws", cards, 1, MAX_MATRIX_CATEGORIES - 1, whole=True)
    k = int(cards)
    return matrix_design([[math.comb(k, i) * red**i * (1 - red) ** (k - i) for i in range(k + 1)] for red in (no, yes)])


def christofides(cards: Numbers) -> MatrixWeights:
    """Christofides (2003): people without the trait report the card's number, those with it m + 1 less that number.

    Examples
    --------
    >>> christofides([Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]).rows
    ((3, 2, 1), (1, 2, 3))
    """
    if sum(cards) != 1:
        raise InputError(f"The shares of the cards sum to {shown(sum(cards, Fraction(0)))}: make them sum to 1.")
    return matrix_design([cards, cards[::-1]])


def _kuk_scores(numbers: Numbers) -> Row:
    """(i / k - p2) / (p1 - p2) for i red cards: Kuk (1990)."""
    yes, no, draws = numbers
    return tuple((Fraction(i) / draws - no) / (yes - no) for i in range(int(draws) + 1))


def _christofides_scores(cards: Numbers) -> Row | None:
    """(z - mu) / (m + 1 - 2 mu) for the number z: Christofides (2003); None where mu is in the middle, so that no mean can tell."""
    mean = sum((place * share for place, share in enumerate(cards, 1)), Fraction(0))
    apart = len(cards) + 1 - 2 * mean
    return tuple((place - mean) / apart for place in range(1, len(cards) + 1)) if apart else None


_NO_BOUND = (
    "More precise than Warner's design, but a report of no is certainly true: no bound holds, and a person who has the trait and "
)

DESIGNS: dict[str, Design] = {
    "warner": Design(
        title="Warner",
        parameters="probability of the direct statement",
        example="3/4",
        count=1,
        make=lambda _, p: warner(p[0]),
        source="Warner (1965), Randomized response, JASA 60, 63-69",
        formula="share = (true - 1 + p) / (2p - 1)",
        story="A spinner, seen by the person only, points to 'I have the trait' or to 'I do not have it'; the person says "
        "whether that is true.",
        costs="The simplest design, and no other design for yes or no is more precise at the same level.",
    ),
    "forced": Design(
        title="Forced response",
        parameters="truthful answer, forced yes, forced no",
        example="2/3, 1/6, 1/6",
        count=3,
        make=lambda _, p: forced_response(*p),
        source="Boruch (1971), Assuring confidentiality of responses in social research, American Sociologist 6, 308-311",
        formula="share = (yes - forced yes) / truthful",
        story="The person throws a die unseen: 1 means say no, 6 means say yes, anything else means answer truthfully.",
        costs="Easy to explain and precise; some people refuse to say a forced yes, which makes the share come out too low.",
    ),
    "unrelated": Design(
        title="Unrelated question",
        parameters="sensitive question, share of yes answers to the unrelated one",
        example="2/3, 1/4",
        count=2,
        make=lambda _, p: unrelated_question(*p),
        source="Horvitz, Shah and Simmons (1967); Greenberg, Abul-Ela, Simmons and Horvitz (1969), The unrelated question "
        "randomized response model, JASA 64, 520-539",
        formula="share = (yes - (1 - p) u) / p",
        story="A card, seen by the person only, asks the sensitive question or a harmless one, such as 'Were you born in "
        "July?', and the person answers yes or no.",
        costs="The level holds against people who do not know the harmless answer; whoever knows it can rule out more.",
    ),
    "crosswise": Design(
        title="Crosswise",
        parameters="share of people to whom the harmless statement applies",
        example="1/4",
        count=1,
        make=lambda _, p: warner(p[0]),
        source="Yu, Tian and Tang (2008), Two new models for survey sampling with sensitive characteristic, Metrika 67, 251-263",
        formula="share = (same - 1 + p) / (2p - 1), 'same' being the share whose answers to both are alike",
        story="People get the sensitive and a harmless statement, such as 'my mother was born between January and March', and "
        "say only whether the same answer fits both ('yes') or not ('no').",
        costs="No device and no answer that is safe to give; whoever knows the harmless answer of a person knows the sensitive "
        "one too.",
    ),
    "disguised": Design(
        title="Disguised response",
        parameters="share of yes cards in the stack for people with the trait",
        example="4/5",
        count=1,
        make=lambda _, p: warner(p[0]),
        source="Blair, Imai and Zhou (2015), Design and analysis of the randomized response technique, JASA 110, 1304-1319, "
        "after Kuk (1990)",
        formula="share = (yes - 1 + p) / (2p - 1)",
        story="A card is drawn from each of two stacks; the person reads out the one from the left stack if the true answer is "
        "yes, the one from the right stack if it is no.",
        costs="The channel of Warner's design; people never say a word about themselves, only what is on a card.",
    ),
    "mangat-singh": Design(
        title="Mangat and Singh",
        parameters="probability of the truth at once, probability of the direct statement otherwise",
        example="1/2, 7/10",
        count=2,
        make=lambda _, p: mangat_singh(*p),
        source="Mangat and Singh (1990), An alternative randomized response procedure, Biometrika 77, 439-442",
        formula="share = (yes - (1 - t)(1 - p)) / (2p - 1 + 2t(1 - p))",
        story="A first card says 'tell the truth' or 'use the second box'; the second box is Warner's: 'I have the trait' or 'I "
        "do not have it'.",
        costs="The channel of Warner's design with p = t + (1 - t)p: two devices where one would do.",
    ),
    "triangular": Design(
        title="Triangular",
        parameters="share of people to whom the harmless statement applies",
        example="1/4",
        count=1,
        make=lambda _, p: one_sided(p[0]),
        reports=lambda _: ("circle", "triangle"),
        source="Yu, Tian and Tang (2008), Two new models for survey sampling with sensitive characteristic, Metrika 67, 251-263",
        formula="share = (triangle - p) / (1 - p)",
        story="People get the sensitive and a harmless statement, such as 'my mother was born between January and March', and "
        "mark the circle if neither applies, else the triangle.",
        costs=f"{_NO_BOUND}marks the circle has lied.",
    ),
    "mangat": Design(
        title="Mangat",
        parameters="probability that people without the trait are asked for the direct statement",
        example="3/4",
        count=1,
        make=lambda _, p: one_sided(1 - p[0]),
        source="Mangat (1994), An improved randomized response strategy, Journal of the Royal Statistical Society B 56, 93-95",
        formula="share = (yes - 1 + p) / p",
        story="People with the trait say yes; all others use Warner's device, which says 'I have the trait' or 'I do not have "
        "it', and say whether that is true.",
        costs=f"{_NO_BOUND}says no has lied.",
    ),
    "devore": Design(
        title="Devore",
        parameters="probability of the sensitive question",
        example="7/10",
        count=1,
        make=lambda _, p: one_sided(1 - p[0]),
        source="Devore (1977), A note on the randomized response technique, Communications in Statistics: Theory and Methods 6, "
        "1525-1529",
        formula="share = (yes - 1 + p) / p",
        story="A card asks the sensitive question or one to which everybody says yes, such as 'Are you alive?'.",
        costs=f"{_NO_BOUND}says no has lied.",
    ),
    "kuk": Design(
        title="Kuk",
        parameters="share of red cards in the box for people with the trait, in the other box, number of draws",
        example="3/5, 1/5, 2",
        count=3,
        make=lambda _, p: kuk(*p),
        read=rational_number,
        reports=lambda p: tuple(f"{i} red" for i in range(int(p[2]) + 1)),
        scores=_kuk_scores,
        source="Kuk (1990), Asking sensitive questions indirectly, Biometrika 77, 436-438",
        formula="share = (mean of red / k - p2) / (p1 - p2)",
        story="Behind a screen the person draws k cards, putting each back, from one box if the answer is yes and from another "
        "one if it is no, and says how many were red.",
        costs="Many draws make it precise and give away much: the level grows with every draw.",
    ),
    "christofides": Design(
        title="Christofides",
        parameters="shares of the cards numbered 1 to m",
        example="1/2, 3/10, 1/5",
        count=None,
        make=lambda _, p: christofides(p),
        reports=lambda p: tuple(str(place) for place in range(1, len(p) + 1)),
        scores=_christofides_scores,
        source="Christofides (2003), A generalized randomized response technique, Metrika 57, 195-200",
        formula="share = (mean report - mu) / (m + 1 - 2 mu), mu being the cards' mean number",
        story="The person draws a card numbered 1 to m and reports its number if the answer is no, m + 1 less that number if it "
        "is yes.",
        costs="Reports are numbers, so no answer sounds like an admission; Warner's design with more than two cards.",
    ),
    "k-ary": Design(
        title="k-ary randomized response",
        parameters="probability of the true answer",
        example="3/5",
        count=1,
        make=lambda size, p: k_ary(size, p[0]),
        binary=False,
        source="Kairouz, Bonawitz and Ramage (2016), Discrete distribution estimation under local privacy, ICML",
        formula="share = (reported - f) / (p - f), f = (1 - p) / (k - 1)",
        story="The true answer is given with a known probability, else one of the other answers, each equally likely.",
        costs="For questions with several answers; the more answers there are, the more precision it costs at the same level.",
    ),
    "matrix": Design(
        title="Any matrix (PRAM)",
        parameters="row by row, rows separated by semicolons",
        example="9/10, 1/10; 1/5, 4/5",
        count=None,
        make=_square,
        binary=False,
        source="Gouweleeuw, Kooiman, Willenborg and de Wolf (1998), Post randomisation for statistical disclosure control, "
        "Journal of Official Statistics 14, 463-478",
        formula="shares = inverse of the transposed matrix times reported shares",
        story="Each true answer is reported as any other with the probability that stands in its row.",
        costs="For a design that has no name here: rows are true answers, columns are reports.",
    ),
}
"""Key on pages and on the command line -> design that asks each person one question, all people alike."""
