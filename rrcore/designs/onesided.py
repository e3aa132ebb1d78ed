"""Designs that protect one answer only: triangular, Mangat, Devore. Who has the trait always reports yes, so a no is always true."""

from __future__ import annotations

from fractions import Fraction

from rrcore.designs.design import Design, matrix
from rrcore.errors import InputError
from rrcore.promise.weights import MatrixWeights

_COSTS = (
    "More precise than Warner's design, but a report of no is certainly true: no bound holds, and a person who has the trait and "
)


def one_sided(yes: Fraction) -> MatrixWeights:
    """People with the trait report yes; the others report yes with probability ``yes``.

    Examples
    --------
    >>> one_sided(Fraction(1, 4)).rows
    ((3, 1), (0, 4))
    """
    if yes == 1:
        raise InputError("Everybody reports yes with these probabilities: nothing can be estimated then.")
    return matrix([[1 - yes, yes], [Fraction(0), Fraction(1)]])


ONE_SIDED = {
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
        "mark the circle "
        "if neither applies, else the triangle.",
        costs=f"{_COSTS}marks the circle has lied.",
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
        "it', and say "
        "whether that is true.",
        costs=f"{_COSTS}says no has lied.",
    ),
    "devore": Design(
        title="Devore",
        parameters="probability of the sensitive question",
        example="7/10",
        count=1,
        make=lambda _, p: one_sided(1 - p[0]),
        source="Devore (1977), A note on the randomized response technique, Communications in Statistics: Theory and Methods "
        "6, 1525-1529",
        formula="share = (yes - 1 + p) / p",
        story="A card asks the sensitive question or one to which everybody says yes, such as 'Are you alive?'.",
        costs=f"{_COSTS}says no has lied.",
    ),
}
