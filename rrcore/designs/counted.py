"""Designs with more reports than answers: Kuk's numbers of red cards, Christofides' numbered cards."""

from __future__ import annotations

import math
from fractions import Fraction

from rrcore.designs.design import Design, Numbers, checked, matrix
from rrcore.designs.rational import Row
from rrcore.designs.written import number, shown
from rrcore.errors import InputError
from rrcore.limits import MAX_MATRIX_CATEGORIES
from rrcore.promise.weights import MatrixWeights


def kuk(yes: Fraction, no: Fraction, cards: Fraction) -> MatrixWeights:
    """Kuk (1990): the number of red cards among ``cards`` draws, each red with probability ``yes`` for people with the trait, else ``no``.

    Examples
    --------
    >>> kuk(Fraction(3, 4), Fraction(1, 4), Fraction(2)).rows
    ((9, 6, 1), (1, 6, 9))
    """
    checked([yes, no], "shares of red cards")
    if cards.denominator != 1 or not 1 <= cards < MAX_MATRIX_CATEGORIES:
        raise InputError(f"The number of draws is {shown(cards)}: give a whole number from 1 to {MAX_MATRIX_CATEGORIES - 1}.")
    return matrix([_binomial(int(cards), red) for red in (no, yes)])


def christofides(cards: Numbers) -> MatrixWeights:
    """Christofides (2003): people without the trait report the card's number, those with it m + 1 less that number.

    Examples
    --------
    >>> christofides([Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]).rows
    ((3, 2, 1), (1, 2, 3))
    """
    if sum(cards) != 1:
        raise InputError(f"The shares of the cards sum to {shown(sum(cards, Fraction(0)))}: make them sum to 1.")
    return matrix([cards, cards[::-1]])


def _binomial(draws: int, red: Fraction) -> list[Fraction]:
    return [math.comb(draws, i) * red**i * (1 - red) ** (draws - i) for i in range(draws + 1)]


def _kuk_scores(numbers: Numbers) -> Row:
    """(i / k - p2) / (p1 - p2) for i red cards: Kuk (1990)."""
    yes, no, draws = numbers
    return tuple((Fraction(i) / draws - no) / (yes - no) for i in range(int(draws) + 1))


def _christofides_scores(cards: Numbers) -> Row | None:
    """(z - mu) / (m + 1 - 2 mu) for the number z: Christofides (2003); None where mu is in the middle, so that no mean can tell."""
    mean = sum((place * share for place, share in enumerate(cards, 1)), Fraction(0))
    apart = len(cards) + 1 - 2 * mean
    return tuple((place - mean) / apart for place in range(1, len(cards) + 1)) if apart else None


COUNTED = {
    "kuk": Design(
        title="Kuk",
        parameters="share of red cards in the box for people with the trait, in the other box, number of draws",
        example="3/5, 1/5, 2",
        count=3,
        make=lambda _, p: kuk(*p),
        read=number,
        reports=lambda p: tuple(f"{i} red" for i in range(int(p[2]) + 1)),
        scores=_kuk_scores,
        source="Kuk (1990), Asking sensitive questions indirectly, Biometrika 77, 436-438",
        formula="share = (mean of red / k - p2) / (p1 - p2)",
        story="Behind a screen the person draws k cards, putting each back, from one box if the answer is yes and from "
        "another one if it is no, "
        "and says how many were red.",
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
        story="The person draws a card numbered 1 to m and reports its number if the answer is no, m + 1 less that number if "
        "it is yes.",
        costs="Reports are numbers, so no answer sounds like an admission; Warner's design with more than two cards.",
    ),
}
