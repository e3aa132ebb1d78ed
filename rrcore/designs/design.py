"""Define a design: its name, parameters, and exact probabilities."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rrcore.errors import InputError
from rrcore.limits import MAX_WEIGHT_BITS
from rrcore.promise.weights import MatrixWeights, Weights

Numbers = list[Fraction]

_WRITTEN = re.compile(r"\d{1,15}(\.\d{1,15})?(/\d{1,15}(\.\d{1,15})?)?\s?%?")


def rational_number(text: str, *, what: str = "a number", example: str = "2/3, 0.75 or 75%") -> Fraction:
    """Return a nonnegative number in a string such as "2/3", "0.75" or "75%".

    Raises InputError for anything else.

    Examples
    --------
    >>> rational_number("12.5%")
    Fraction(1, 8)
    """
    words = text.strip()
    if not _WRITTEN.fullmatch(words):
        raise InputError(f"'{words[:40]}' is not {what}. Write it like {example}.")
    top, _, bottom = words.rstrip("% ").partition("/")
    if bottom and Fraction(bottom) == 0:
        raise InputError(f"'{words[:40]}' divides by 0. Write {what} like 2/3 or 0.75.")
    return Fraction(top) / Fraction(bottom or "1") / (100 if words.endswith("%") else 1)


def rational_probability(text: str) -> Fraction:
    """Return a probability in a string such as "2/3", "0.75" or "75%".

    Raises InputError for anything else.
    """
    value = rational_number(text, what="a probability")
    if value > 1:
        raise InputError(f"'{text.strip()[:40]}' is above 1. Enter a probability from 0 to 1.")
    return value


def integers(shares: Sequence[Fraction]) -> list[int]:
    """Return the smallest integers in the ratio of ``shares``.

    Raises InputError if the common denominator is too large.
    """
    if min(shares) < 0:
        raise InputError(f"A probability is {shown(min(shares))}. Choose numbers that make no probability negative.")
    common = math.lcm(*(share.denominator for share in shares))
    if common.bit_length() > MAX_WEIGHT_BITS:
        raise InputError("The common denominator of the probabilities is too large. Write them with fewer digits.")
    return [int(share * common) for share in shares]


def shown(value: Fraction) -> str:
    """Return a fraction for a message, in exact form if that is short."""
    return str(value) if len(str(value)) < 20 else f"{float(value):.6g}"


@dataclass(frozen=True, kw_only=True)
class Design:
    """A design in which each person gives one randomized answer to one question.

    All people use the same design, which a mechanism file can hold.

    Parameters
    ----------
    title : str, name of the design on pages
    parameters : str, description of the numbers, in order
    example : str, example of the numbers as a person types them
    count : int or None, how many numbers there are; None if that can vary
    read : function that reads one number
    make : ``make(size, numbers)`` takes the number of categories and the parameters and returns the weights of a mechanism file
    binary : bool, whether the design is only for two categories
    reports : function that returns the names of the reports for the numbers; None if the reports are the categories
    """

    title: str
    parameters: str
    example: str
    count: int | None
    read: Callable[[str], Fraction] = rational_probability
    make: Callable[[int, Numbers], Weights]
    binary: bool = True
    reports: Callable[[Numbers], tuple[str, ...]] | None = None

    def rows(self, text: str) -> list[Numbers]:
        """Read rows of numbers, separated by semicolons.

        The numbers of a row are separated by commas. Raises InputError for other strings.
        """
        found = [[self.read(part) for part in row.split(",")] for row in text.strip().rstrip(";").split(";")]
        numbers = sum(len(row) for row in found)
        if self.count is not None and numbers != self.count:
            raise InputError(f"Expected {self.count} ({self.parameters}), got {numbers}. Write, for example, {self.example}.")
        return found

    def numbers(self, text: str, size: int = 2) -> Numbers:
        """Return the numbers for a question with ``size`` answers as one list.

        Raises InputError for other strings.
        """
        rows = self.rows(text)
        if self.binary and size != 2:
            raise InputError(
                f"{self.title} is for two answers. For {size} answers, choose k-ary randomized response or a matrix."
            )
        if len(rows) > 1 and (len(rows) != size or len({len(row) for row in rows}) > 1):
            shape = " and ".join(sorted({str(len(row)) for row in rows}))
            raise InputError(f"The matrix has {len(rows)} rows of {shape} entries. Enter {size} rows of equal length.")
        return [value for row in rows for value in row]

    def reported(self, categories: tuple[str, ...], width: int, numbers: Numbers) -> tuple[str, ...]:
        """Return the names of the ``width`` reports.

        The names are those of the design, or the categories if there are as many.
        """
        if self.reports:
            return self.reports(numbers)
        return categories if width == len(categories) else tuple(f"report {y + 1}" for y in range(width))


def matrix_design(rows: Sequence[Sequence[Fraction]]) -> MatrixWeights:
    """Return a design with any stochastic matrix (PRAM).

    The entry in row x, column y is the probability that the true answer x is reported as y.

    Raises
    ------
    InputError
        If a row does not sum to 1, or the randomization cannot be inverted.
    """
    for place, row in enumerate(rows, 1):
        if sum(row) != 1:
            raise InputError(f"Row {place} of the matrix sums to {shown(sum(row, Fraction(0)))}. Use fractions that sum to 1.")
    whole = integers([entry for row in rows for entry in row])
    width = len(rows[0])
    return MatrixWeights(tuple(tuple(whole[i : i + width]) for i in range(0, len(whole), width)))


def checked(numbers: Numbers, names: str) -> Numbers:
    """Return the numbers if all are probabilities.

    Otherwise, raises InputError, which calls them ``names``.
    """
    if any(not 0 <= value <= 1 for value in numbers):
        raise InputError(f"Expected {names} from 0 to 1, got {', '.join(shown(value) for value in numbers)}.")
    return numbers
