"""Designs already in the field: Warner, forced response, unrelated question, k-ary randomized response, and any PRAM matrix.

Probabilities are exact: "2/3" stays two thirds, as a die makes it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rrcore.collect.weights import LieWeights, MatrixWeights, Weights
from rrcore.errors import InputError
from rrcore.limits import MAX_WEIGHT_BITS

_WRITTEN = re.compile(r"\d{1,15}(\.\d{1,15})?(/\d{1,15}(\.\d{1,15})?)?\s?%?")


def probability(text: str) -> Fraction:
    """A probability as people write it: "2/3", "0.75", "75 %". Raises InputError for anything else."""
    words = text.strip()
    if not _WRITTEN.fullmatch(words):
        raise InputError(f"'{words[:40]}' is not a probability: write it like 2/3, 0.75 or 75 %.")
    top, _, bottom = words.rstrip("% ").partition("/")
    if bottom and Fraction(bottom) == 0:
        raise InputError(f"'{words[:40]}' divides by 0: write a probability like 2/3 or 0.75.")
    value = Fraction(top) / Fraction(bottom or "1") / (100 if words.endswith("%") else 1)
    if value > 1:
        raise InputError(f"'{words[:40]}' is above 1: a probability is a number from 0 to 1.")
    return value


def k_ary(size: int, truth: Fraction) -> LieWeights:
    """The true answer with probability ``truth``, else one of the other ``size - 1`` categories (Kairouz et al. 2016)."""
    if truth == Fraction(1, size):
        raise InputError(
            f"The truth is told with probability {truth}, as often as any other answer is given: nothing can be estimated then."
        )
    told, false = _integers([truth, 1 - truth])
    return LieWeights((size,), 0, tuple((name, weight) for name, weight in (("0", told), ("1", false)) if weight))


def warner(truth: Fraction) -> LieWeights:
    """Warner (1965): with probability ``truth`` the statement is about having the trait, else about not having it."""
    return k_ary(2, truth)


def forced_response(truth: Fraction, yes: Fraction, no: Fraction) -> MatrixWeights:
    """Answer truthfully with probability ``truth``; say yes or no whatever is true with probabilities ``yes`` and ``no``.

    The first category is "no", the second one "yes".
    """
    if truth + yes + no != 1:
        raise InputError(f"The probabilities {truth}, {yes} and {no} sum to {truth + yes + no}: make them sum to 1.")
    return matrix([[truth + no, yes], [no, truth + yes]])


def unrelated_question(sensitive: Fraction, prevalence: Fraction) -> MatrixWeights:
    """With probability ``sensitive`` the sensitive question is answered, else an unrelated one to which a share ``prevalence`` answers yes.

    The first category is "no", the second one "yes" (Greenberg et al. 1969, known prevalence).
    """
    other = 1 - sensitive
    return forced_response(sensitive, other * prevalence, other * (1 - prevalence))


def matrix(rows: Sequence[Sequence[Fraction]]) -> MatrixWeights:
    """Any stochastic matrix: row x, column y is the probability that the true answer x is reported as y (PRAM).

    Raises
    ------
    InputError
        If a row does not sum to 1, or the matrix cannot be undone.
    """
    for number, row in enumerate(rows, 1):
        if sum(row) != 1:
            raise InputError(
                f"Row {number} of the matrix sums to {_shown(sum(row, Fraction(0)))}: every row must sum to 1 exactly, so use fractions."
            )
    whole = _integers([entry for row in rows for entry in row])
    width = len(rows[0])
    return MatrixWeights(tuple(tuple(whole[i : i + width]) for i in range(0, len(whole), width)))


@dataclass(frozen=True)
class Design:
    """One design: its name on a page, what its parameters are, an example, and how weights are made of them.

    ``make(size, numbers)`` takes the number of categories and the parameters.
    """

    title: str
    parameters: str
    example: str
    count: int | None
    make: Callable[[int, list[Fraction]], Weights]
    binary: bool = True


DESIGNS: dict[str, Design] = {
    "warner": Design("Warner", "probability of the direct statement", "3/4", 1, lambda _, p: warner(p[0])),
    "forced": Design(
        "Forced response", "truthful answer, forced yes, forced no", "2/3, 1/6, 1/6", 3, lambda _, p: forced_response(*p)
    ),
    "unrelated": Design(
        "Unrelated question",
        "sensitive question, share of yes answers to the unrelated one",
        "2/3, 1/4",
        2,
        lambda _, p: unrelated_question(*p),
    ),
    "k-ary": Design("k-ary randomized response", "probability of the true answer", "3/5", 1, lambda a, p: k_ary(a, p[0]), False),
    "matrix": Design(
        "Any matrix (PRAM)",
        "row by row, rows separated by semicolons",
        "9/10, 1/10; 1/5, 4/5",
        None,
        lambda a, p: matrix([p[i : i + a] for i in range(0, len(p), a)]),
        False,
    ),
}
"""Key on pages and on the command line -> design."""


def read_design(name: str, key: str, size: int, text: str) -> Weights:
    """The weights of a design typed by a person.

    Parameters
    ----------
    name : the attribute's name, for messages
    key : a key of ``DESIGNS``
    size : number of categories
    text : the parameters, separated by commas; the rows of a matrix by semicolons

    Raises
    ------
    InputError
        Naming the attribute.
    """
    if key not in DESIGNS:
        raise InputError(f"There is no design '{key}' (asked for '{name}'): choose among {', '.join(DESIGNS)}.")
    design = DESIGNS[key]
    if design.binary and size != 2:
        raise InputError(
            f"'{name}' has {size} categories: {design.title} is for two, so choose k-ary randomized response or a matrix."
        )
    try:
        rows = [[probability(part) for part in row.split(",")] for row in text.strip().rstrip(";").split(";")]
        numbers = [number for row in rows for number in row]
        if design.count is None:
            if len(rows) != size or any(len(row) != size for row in rows):
                shape = " and ".join(sorted({str(len(row)) for row in rows}))
                raise InputError(f"The matrix has {len(rows)} rows of {shape} entries: give {size} rows of {size}.")
        elif len(numbers) != design.count:
            raise InputError(
                f"{len(numbers)} numbers are given: expected {design.count} ({design.parameters}), for example {design.example}."
            )
        return design.make(size, numbers)
    except InputError as error:
        raise InputError(f"Design of '{name}': {error}") from None


def _integers(shares: Sequence[Fraction]) -> list[int]:
    """The smallest integers in the ratio of ``shares``."""
    common = math.lcm(*(share.denominator for share in shares))
    if common.bit_length() > MAX_WEIGHT_BITS:
        raise InputError("The probabilities have no common denominator of reasonable size: write them with fewer digits.")
    return [int(share * common) for share in shares]


def _shown(value: Fraction) -> str:
    return str(value) if len(str(value)) < 20 else f"{float(value):.6g}"
