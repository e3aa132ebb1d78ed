"""Standard designs that a mechanism file can hold.

Each person answers one question, and all people use the same design.
"""

import math
from fractions import Fraction

from rrcore.designs.design import Design, Numbers, checked, integers, matrix_design, rational_number, shown
from rrcore.errors import InputError, check_number
from rrcore.limits import MAX_MATRIX_CATEGORIES
from rrcore.promise.weights import LieWeights, MatrixWeights


def k_ary(size: int, truth: Fraction) -> LieWeights:
    """Return k-ary randomized response.

    The report is the true answer with probability ``truth``, else one of the other ``size - 1`` categories (Kairouz et al.
    2016).
    """
    if truth == Fraction(1, size):
        raise InputError(
            f"The true answer has probability {truth}, like every other answer, so nothing can be estimated. "
            "Choose another probability."
        )
    true, false = integers([truth, 1 - truth])
    return LieWeights((size,), 0, tuple((name, weight) for name, weight in (("0", true), ("1", false)) if weight))


def warner(truth: Fraction) -> LieWeights:
    """Return the design of Warner (1965).

    With probability ``truth``, the statement is about having the trait, otherwise about not having it.
    """
    return k_ary(2, truth)


def mangat_singh(direct: Fraction, statement: Fraction) -> LieWeights:
    """Return the design of Mangat and Singh (1990).

    Respondents answer truthfully with probability ``direct``. Otherwise, they use Warner's two statements with probability
    ``statement``.
    """
    checked([direct, statement], "probabilities of Mangat and Singh")
    return warner(direct + (1 - direct) * statement)


def _square(size: int, numbers: Numbers) -> MatrixWeights:
    return matrix_design([numbers[i : i + len(numbers) // size] for i in range(0, len(numbers), max(len(numbers) // size, 1))])


def one_sided(yes: Fraction) -> MatrixWeights:
    """Return the one-sided design.

    People with the trait report yes. Others report yes with probability ``yes``.

    Examples
    --------
    >>> one_sided(Fraction(1, 4)).rows
    ((3, 1), (0, 4))
    """
    if yes == 1:
        raise InputError(
            "With these probabilities, every recorded answer is yes, so nothing can be estimated. Choose other probabilities."
        )
    return matrix_design([[1 - yes, yes], [Fraction(0), Fraction(1)]])


def forced_response(truth: Fraction, yes: Fraction, no: Fraction) -> MatrixWeights:
    """Return the forced response design.

    Respondents answer truthfully with probability ``truth``. Regardless of the truth, they say yes with probability ``yes`` and
    no with probability ``no``.

    The first category is "no", and the second one is "yes".
    """
    if truth + yes + no != 1:
        raise InputError(f"The probabilities {truth}, {yes} and {no} sum to {truth + yes + no}. They must sum to 1.")
    return matrix_design([[truth + no, yes], [no, truth + yes]])


def unrelated_question(sensitive: Fraction, prevalence: Fraction) -> MatrixWeights:
    """Return the unrelated question design with known prevalence.

    Respondents answer the sensitive question with probability ``sensitive``. Otherwise, they answer an unrelated question, to
    which a share ``prevalence`` says yes.

    The first category is "no", and the second one is "yes" (Greenberg et al. 1969).
    """
    other = 1 - sensitive
    return forced_response(sensitive, other * prevalence, other * (1 - prevalence))


def kuk(yes: Fraction, no: Fraction, cards: Fraction) -> MatrixWeights:
    """Return the design of Kuk (1990).

    Respondents report the number of red cards among ``cards`` draws. A card is red with probability ``yes`` for people with the
    trait, and ``no`` for others.

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
    """Return the design of Christofides (2003).

    People without the trait report the number on their card. People with the trait report m + 1 minus that number.

    Examples
    --------
    >>> christofides([Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]).rows
    ((3, 2, 1), (1, 2, 3))
    """
    if sum(cards) != 1:
        raise InputError(f"The proportions of the cards sum to {shown(sum(cards, Fraction(0)))}. They must sum to 1.")
    return matrix_design([cards, cards[::-1]])


DESIGNS: dict[str, Design] = {
    # Warner (1965), Randomized response, JASA 60, 63-69
    "warner": Design(
        title="Warner",
        parameters="probability of the direct statement",
        example="3/4",
        count=1,
        make=lambda _, p: warner(p[0]),
    ),
    # Boruch (1971), Assuring confidentiality of responses in social research, American Sociologist 6, 308-311
    "forced": Design(
        title="Forced response",
        parameters="truthful answer, forced yes, forced no",
        example="2/3, 1/6, 1/6",
        count=3,
        make=lambda _, p: forced_response(*p),
    ),
    # Horvitz, Shah and Simmons (1967); Greenberg, Abul-Ela, Simmons and Horvitz (1969), The unrelated question randomized
    # response model, JASA 64, 520-539
    "unrelated": Design(
        title="Unrelated question",
        parameters="sensitive question, share of yes answers to the unrelated one",
        example="2/3, 1/4",
        count=2,
        make=lambda _, p: unrelated_question(*p),
    ),
    # Yu, Tian and Tang (2008), Two new models for survey sampling with sensitive characteristic, Metrika 67, 251-263
    "crosswise": Design(
        title="Crosswise",
        parameters="share of people to whom the harmless statement applies",
        example="1/4",
        count=1,
        make=lambda _, p: warner(p[0]),
    ),
    # Blair, Imai and Zhou (2015), Design and analysis of the randomized response technique, JASA 110, 1304-1319, after Kuk (1990)
    "disguised": Design(
        title="Disguised response",
        parameters="share of yes cards in the stack for people with the trait",
        example="4/5",
        count=1,
        make=lambda _, p: warner(p[0]),
    ),
    # Mangat and Singh (1990), An alternative randomized response procedure, Biometrika 77, 439-442
    "mangat-singh": Design(
        title="Mangat and Singh",
        parameters="probability of the truth at once, probability of the direct statement otherwise",
        example="1/2, 7/10",
        count=2,
        make=lambda _, p: mangat_singh(*p),
    ),
    # Yu, Tian and Tang (2008), Two new models for survey sampling with sensitive characteristic, Metrika 67, 251-263
    "triangular": Design(
        title="Triangular",
        parameters="share of people to whom the harmless statement applies",
        example="1/4",
        count=1,
        make=lambda _, p: one_sided(p[0]),
        reports=lambda _: ("circle", "triangle"),
    ),
    # Mangat (1994), An improved randomized response strategy, Journal of the Royal Statistical Society B 56, 93-95
    "mangat": Design(
        title="Mangat",
        parameters="probability that people without the trait are asked for the direct statement",
        example="3/4",
        count=1,
        make=lambda _, p: one_sided(1 - p[0]),
    ),
    # Devore (1977), A note on the randomized response technique, Communications in Statistics: Theory and Methods 6, 1525-1529
    "devore": Design(
        title="Devore",
        parameters="probability of the sensitive question",
        example="7/10",
        count=1,
        make=lambda _, p: one_sided(1 - p[0]),
    ),
    # Kuk (1990), Asking sensitive questions indirectly, Biometrika 77, 436-438
    "kuk": Design(
        title="Kuk",
        parameters="share of red cards in the box for people with the trait, in the other box, number of draws",
        example="3/5, 1/5, 2",
        count=3,
        make=lambda _, p: kuk(*p),
        read=rational_number,
        reports=lambda p: tuple(f"{i} red" for i in range(int(p[2]) + 1)),
    ),
    # Christofides (2003), A generalized randomized response technique, Metrika 57, 195-200
    "christofides": Design(
        title="Christofides",
        parameters="shares of the cards numbered 1 to m",
        example="1/2, 3/10, 1/5",
        count=None,
        make=lambda _, p: christofides(p),
        reports=lambda p: tuple(str(place) for place in range(1, len(p) + 1)),
    ),
    # Kairouz, Bonawitz and Ramage (2016), Discrete distribution estimation under local privacy, ICML
    "k-ary": Design(
        title="k-ary randomized response",
        parameters="probability of the true answer",
        example="3/5",
        count=1,
        make=lambda size, p: k_ary(size, p[0]),
        binary=False,
    ),
    # Gouweleeuw, Kooiman, Willenborg and de Wolf (1998), Post randomization for statistical disclosure control, Journal of
    # Official Statistics 14, 463-478
    "matrix": Design(
        title="Any matrix (PRAM)",
        parameters="row by row, rows separated by semicolons",
        example="9/10, 1/10; 1/5, 4/5",
        count=None,
        make=_square,
        binary=False,
    ),
}
"""Key on pages and on the command line -> design that asks each person one question, all people alike."""
