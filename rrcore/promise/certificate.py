"""What integer weights promise, in exact arithmetic: levels, leakage and total as rational numbers (theory.md sections 1, 5 and 8).

Nothing here knows how the weights were found, and nothing is a floating-point number.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np

from rrcore.documents import Fields
from rrcore.promise.weights import CountWeights, LieWeights, MatrixWeights, Weights
from rrcore.wording.short import Short, some

Ratio = Fraction | None
"""The most by which odds can move, e^level, at least 1; None where there is no bound."""

_DECIMALS = Decimal("1e-9")
_PRECISE = Context(prec=80)


def certified_nats(ratio: Ratio) -> str:
    """ln ``ratio`` with nine decimals, rounded up; "unbounded" for None."""
    if ratio is None:
        return "unbounded"
    if ratio == 1:
        return "0.000000000"
    value = _PRECISE.ln(_PRECISE.divide(Decimal(ratio.numerator), Decimal(ratio.denominator)))
    above = _PRECISE.add(value, Decimal("1e-60"))  # above every rounding of the two operations
    return f"{above.quantize(_DECIMALS, rounding=ROUND_CEILING, context=_PRECISE):f}"


class Amount(Fields, frozen=True):
    """How far odds can move: the factor as a fraction, and its logarithm, rounded up. Both can be "unbounded"."""

    ratio: str
    nats: str


class AttributeClaim(Fields, frozen=True):
    """What the answer to one attribute reveals at most."""

    attribute: str
    level: Amount
    leakage: Amount


class Claim(Fields, frozen=True):
    """What a mechanism file claims: for each attribute, and for the whole record."""

    attributes: tuple[AttributeClaim, ...]
    total: Amount


@dataclass(frozen=True)
class Certificate(Short):
    """Exact privacy of a mechanism, one entry per attribute.

    Parameters
    ----------
    levels : the most by which seeing one released answer can move the odds about that answer
    leakage : the same for someone who sees the whole released record and knows the other true answers
    total : the most by which the whole released record can move the odds between any two people's answers

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> file = nigeria().mechanism  # a die: 1 says no, 6 says yes, else the truth
    >>> file.certificate.levels
    (Fraction(5, 1),)
    >>> print(file.certificate.text(file.schema.names).splitlines()[2])
    whole record: 1.609437913 nats, odds 5/1
    """

    levels: tuple[Ratio, ...]
    leakage: tuple[Ratio, ...]
    total: Ratio

    def _summary(self) -> str:
        return f"whole record {certified_nats(self.total)} nats, attributes {some([certified_nats(level) for level in self.levels])} nats"

    def text(self, names: Sequence[str]) -> str:
        """The certificate as text, one line per attribute of ``names``."""
        width = max(len("attribute"), *(len(name) for name in names))
        lines = [f"{'attribute':{width}}  {'level (nats)':>14}  {'leakage (nats)':>14}  level as odds"]
        for name, level, leakage in zip(names, self.levels, self.leakage, strict=True):
            lines.append(f"{name:{width}}  {certified_nats(level):>14}  {certified_nats(leakage):>14}  {_written(level)}")
        lines.append(f"whole record: {certified_nats(self.total)} nats, odds {_written(self.total)}")
        lines.append("Computed from the integer weights in exact arithmetic; logarithms are rounded up.")
        return "\n".join(lines)

    def to_dict(self, names: Sequence[str]) -> dict[str, object]:
        """Return the claim as plain values."""
        found: dict[str, object] = msgspec.to_builtins(self.claim(names))
        return found

    def claim(self, names: Sequence[str]) -> Claim:
        """Return what a mechanism file claims; ratios as "numerator/denominator"."""
        entries = zip(names, self.levels, self.leakage, strict=True)
        own = tuple(AttributeClaim(name, _entry(level), _entry(leakage)) for name, level, leakage in entries)
        return Claim(own, _entry(self.total))


def certify(groups: Sequence[tuple[Sequence[int], Weights]]) -> Certificate:
    """The certificate of groups of attributes that are randomised independently of each other.

    Parameters
    ----------
    groups : (positions, weights) each; every attribute 0..k-1 is in one group
    """
    found: dict[int, tuple[Ratio, Ratio]] = {}
    total: Ratio = Fraction(1)
    for positions, weights in groups:
        levels, leakage, own = _LEVELS[type(weights)](weights)
        found |= dict(zip(positions, zip(levels, leakage, strict=True), strict=True))
        total = None if total is None or own is None else total * own
    order = sorted(found)
    return Certificate(tuple(found[i][0] for i in order), tuple(found[i][1] for i in order), total)


def _of_lies(weights: LieWeights) -> tuple[list[Ratio], list[Ratio], Ratio]:
    """Levels, leakage and total of one group; a weight is shared by the (a-1)... outputs of its lie set, the uniform one by all M."""
    sizes, m = weights.sizes, len(weights.sizes)
    lies = {int(name, 2): weight for name, weight in weights.lies}
    bit = [1 << (m - 1 - i) for i in range(m)]
    levels = []
    for i, size in enumerate(sizes):
        false = sum(weight for lie, weight in lies.items() if lie & bit[i])
        true = weights.whole - weights.uniform - false
        levels.append(_swing((size - 1) * (size * true + weights.uniform), size * false + (size - 1) * weights.uniform))
    # the probability of one output with each lie set, times one number that makes all of them integers
    cells, others = math.prod(sizes), math.prod(size - 1 for size in sizes)
    floor = weights.uniform * others
    output = {}
    for lie, weight in lies.items():
        shared = math.prod(size - 1 for i, size in enumerate(sizes) if lie & bit[i])
        output[lie] = weight * cells * (others // shared) + floor
    leakage = [_largest(((one, output.get(lie ^ bit[i], floor)) for lie, one in output.items())) for i in range(m)]
    least = min(output.values(), default=floor) if len(output) == 1 << m else floor
    return levels, leakage, _swing(max(output.values(), default=floor), least)


def _of_counts(weights: CountWeights) -> tuple[list[Ratio], list[Ratio], Ratio]:
    """The weights are those of single records; a record with one more false answer is the neighbour in the grid of counts. Records that
    are never given say nothing."""
    grid = np.array(weights.records, dtype=object).reshape(weights.shape)
    levels, leakage = [], []
    for t, (start, end) in enumerate(weights.runs):
        others, false = weights.sizes[start] - 1, weights.false[t]
        truth = (end - start) * weights.whole - false
        rows = np.moveaxis(grid, t, 0)
        levels += [_swing(others * truth, false)] * (end - start)
        neighbours = zip(rows[:-1].ravel().tolist(), rows[1:].ravel().tolist(), strict=True)
        leakage += [_largest(pair for pair in neighbours if any(pair))] * (end - start)
    return levels, leakage, _swing(max(weights.records), min(weights.records))


def _of_matrix(weights: MatrixWeights) -> tuple[list[Ratio], list[Ratio], Ratio]:
    """The level of one attribute: in every column the largest entry over the smallest; an answer nobody ever gives says nothing."""
    columns = [column for column in zip(*weights.rows, strict=True) if any(column)]
    level = _largest((max(column), min(column)) for column in columns)
    return [level], [level], level


_LEVELS: dict[type, Callable[[Any], tuple[list[Ratio], list[Ratio], Ratio]]] = {
    LieWeights: _of_lies,
    CountWeights: _of_counts,
    MatrixWeights: _of_matrix,
}
"""Kind of weights -> levels, leakage and total of one group."""


def _largest(pairs: Iterable[tuple[int, int]]) -> Ratio:
    """The largest of the swings between the two numbers of each pair; 1 for no pairs."""
    high, low = 1, 1
    for one, other in pairs:
        top, bottom = max(one, other), min(one, other)
        if bottom == 0:
            return None
        if top * low > high * bottom:
            high, low = top, bottom
    return Fraction(high, low)


def _swing(one: int, other: int) -> Ratio:
    return _largest([(one, other)])


def _written(ratio: Ratio) -> str:
    if ratio is None:
        return "without bound"
    text = _fraction(ratio)
    return text if len(text) <= 60 else "in the mechanism file"


def _entry(ratio: Ratio) -> Amount:
    return Amount("unbounded" if ratio is None else _fraction(ratio), certified_nats(ratio))


def _fraction(ratio: Fraction) -> str:
    """All digits; Python itself writes integers of at most 4,300."""
    return f"{Decimal(ratio.numerator):f}/{Decimal(ratio.denominator):f}"
