"""Designs in which people answer a statement or its opposite: Warner, crosswise, disguised response, Mangat and Singh, and k-ary ones."""

from __future__ import annotations

from fractions import Fraction

from rrcore.designs.design import Design, Numbers, matrix
from rrcore.designs.written import integers
from rrcore.errors import InputError
from rrcore.promise.weights import LieWeights, MatrixWeights


def k_ary(size: int, truth: Fraction) -> LieWeights:
    """The true answer with probability ``truth``, else one of the other ``size - 1`` categories (Kairouz et al. 2016)."""
    if truth == Fraction(1, size):
        raise InputError(
            f"The truth is told with probability {truth}, as often as any other answer is given: nothing can be estimated then."
        )
    told, false = integers([truth, 1 - truth])
    return LieWeights((size,), 0, tuple((name, weight) for name, weight in (("0", told), ("1", false)) if weight))


def warner(truth: Fraction) -> LieWeights:
    """Warner (1965): with probability ``truth`` the statement is about having the trait, else about not having it."""
    return k_ary(2, truth)


def mangat_singh(direct: Fraction, statement: Fraction) -> LieWeights:
    """Mangat and Singh (1990): with probability ``direct`` the truth, else Warner's two statements with probability ``statement``."""
    return warner(direct + (1 - direct) * statement)


def _square(size: int, numbers: Numbers) -> MatrixWeights:
    return matrix([numbers[i : i + len(numbers) // size] for i in range(0, len(numbers), max(len(numbers) // size, 1))])


MIRRORED = {
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
    "crosswise": Design(
        title="Crosswise",
        parameters="share of people to whom the harmless statement applies",
        example="1/4",
        count=1,
        make=lambda _, p: warner(p[0]),
        source="Yu, Tian and Tang (2008), Two new models for survey sampling with sensitive characteristic, Metrika 67, 251-263",
        formula="share = (same - 1 + p) / (2p - 1), 'same' being the share whose answers to both are alike",
        story="People get the sensitive and a harmless statement, such as 'my mother was born between January and March', and "
        "say only "
        "whether the same answer fits both ('yes') or not ('no').",
        costs="No device and no answer that is safe to give; whoever knows the harmless answer of a person knows the "
        "sensitive one too.",
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
        story="A card is drawn from each of two stacks; the person reads out the one from the left stack if the true answer "
        "is yes, the one "
        "from the right stack if it is no.",
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
        story="A first card says 'tell the truth' or 'use the second box'; the second box is Warner's: 'I have the trait' or "
        "'I do not have it'.",
        costs="The channel of Warner's design with p = t + (1 - t)p: two devices where one would do.",
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
