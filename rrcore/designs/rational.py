"""Numbers kept exact, as a die makes them: probabilities as people write them, and ranks, which rounding would not decide."""

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from numbers import Rational

from rrcore.errors import InputError
from rrcore.limits import MAX_WEIGHT_BITS

Row = tuple[Fraction, ...]

_WRITTEN = re.compile(r"\d{1,15}(\.\d{1,15})?(/\d{1,15}(\.\d{1,15})?)?\s?%?")


def rational_number(text: str, *, what: str = "a number", example: str = "2/3, 0.75 or 75 %") -> Fraction:
    """A number that is not negative, as people write it: "2/3", "0.75", "75 %". Raises InputError for anything else.

    Examples
    --------
    >>> rational_number("12.5 %")
    Fraction(1, 8)
    """
    words = text.strip()
    if not _WRITTEN.fullmatch(words):
        raise InputError(f"'{words[:40]}' is not {what}: write it like {example}.")
    top, _, bottom = words.rstrip("% ").partition("/")
    if bottom and Fraction(bottom) == 0:
        raise InputError(f"'{words[:40]}' divides by 0: write {what} like 2/3 or 0.75.")
    return Fraction(top) / Fraction(bottom or "1") / (100 if words.endswith("%") else 1)


def rational_probability(text: str) -> Fraction:
    """A probability as people write it: "2/3", "0.75", "75 %". Raises InputError for anything else."""
    value = rational_number(text, what="a probability")
    if value > 1:
        raise InputError(f"'{text.strip()[:40]}' is above 1: a probability is a number from 0 to 1.")
    return value


def integers(shares: Sequence[Fraction]) -> list[int]:
    """The smallest integers in the ratio of ``shares``, which have a common denominator of reasonable size."""
    for share in shares:
        if not isinstance(share, Rational) or share < 0:
            raise InputError(f"A probability is {str(share)[:40]}: give a fraction of at least 0, for example Fraction(2, 3).")
    common = math.lcm(*(share.denominator for share in shares))
    if common.bit_length() > MAX_WEIGHT_BITS:
        raise InputError("The probabilities have no common denominator of reasonable size: write them with fewer digits.")
    return [int(share * common) for share in shares]


def shown(value: Fraction) -> str:
    """A fraction as it stands in a message: exact while it is short."""
    return str(value) if len(str(value)) < 20 else f"{float(value):.6g}"


def rank(rows: Sequence[Sequence[Fraction]]) -> int:
    """The rank of a matrix of fractions.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> rank([(half, half), (half, half)])
    1
    """
    table, found = [list(row) for row in rows], 0
    for column in range(len(table[0])):
        chosen = next((row for row in range(found, len(table)) if table[row][column]), None)
        if chosen is None:
            continue
        table[found], table[chosen] = table[chosen], table[found]
        top = table[found]
        for row in range(found + 1, len(table)):
            factor = table[row][column] / top[column]
            if factor:
                table[row] = [entry - factor * above for entry, above in zip(table[row], top, strict=True)]
        found += 1
        if found == len(table):
            break
    return found
