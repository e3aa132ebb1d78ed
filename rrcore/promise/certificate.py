"""Compute every epsilon of integer weights as an exact rational number.

The theory is in theory.md sections 1, 5 and 8. The computation does not depend on how the weights were found, and uses no
floating-point numbers.
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
from rrcore.wording import MOST_ROWS, html_table, legible, written_total_text
from rrcore.wording.short import Short, some

Ratio = Fraction | None
"""The largest factor e^epsilon by which odds can shift, at least 1. None if there is no bound."""

_DECIMALS = Decimal("1e-9")
_PRECISE = Context(prec=80)


def certified_nats(ratio: Ratio) -> str:
    """Return ln ``ratio`` with nine decimals, rounded up; "unbounded" for None."""
    if ratio is None:
        return "unbounded"
    if ratio == 1:
        return "0.000000000"
    value = _PRECISE.ln(_PRECISE.divide(Decimal(ratio.numerator), Decimal(ratio.denominator)))
    above = _PRECISE.add(value, Decimal("1e-60"))  # above every rounding of the two operations
    return f"{above.quantize(_DECIMALS, rounding=ROUND_CEILING, context=_PRECISE):f}"


class Amount(Fields, frozen=True):
    """A factor by which odds can shift, and its logarithm, rounded up.

    Both can be "unbounded".
    """

    ratio: str
    nats: str


class AttributeClaim(Fields, frozen=True):
    """The maximum that the answer to one attribute reveals."""

    attribute: str
    epsilon: Amount
    epsilon_informed: Amount


class Claim(Fields, frozen=True):
    """Claims of a mechanism file for each attribute and for the whole record."""

    attributes: tuple[AttributeClaim, ...]
    epsilon_total: Amount


@dataclass(frozen=True)
class Certificate(Short):
    """Exact privacy of a mechanism, as factors by which odds can shift.

    The factors are fractions, or None if there is no bound.

    Parameters
    ----------
    epsilon : tuple of Fraction or None
        For each attribute, the largest factor by which its randomized answer can shift the odds between any two true answers.
    epsilon_informed : tuple of Fraction or None
        The same for an attacker who sees the whole randomized record and knows the other true answers.
    epsilon_total : Fraction or None
        The largest factor by which the randomized record can shift the odds between any two true records.

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> file = nigeria().mechanism  # a die: 1 says no, 6 says yes, else the truth
    >>> file.certificate.epsilon
    (Fraction(5, 1),)
    >>> file.certificate.text(file.schema.names, exact=True).splitlines()[2].split()
    ['whole', 'record', '1.609437913', '5/1']
    """

    epsilon: tuple[Ratio, ...]
    epsilon_informed: tuple[Ratio, ...]
    epsilon_total: Ratio

    def _summary(self) -> str:
        epsilon = some([certified_nats(ratio) for ratio in self.epsilon])
        return f"epsilon of the record {certified_nats(self.epsilon_total)}, of attributes {epsilon}"

    def _repr_html_(self, names: Sequence[str] = (), title: str = "") -> str:
        """Return every epsilon, for a notebook."""
        called = list(names) or [f"attribute {i}" for i in range(1, len(self.epsilon) + 1)]
        rows = [[name, *map(certified_nats, ratios)] for name, *ratios in self._entries(called)][:MOST_ROWS]
        heads = ("attribute", "epsilon", "informed attacker")
        note = f"Whole record: ε = {certified_nats(self.epsilon_total)}"
        return html_table(heads, rows, numbers=2, title=title, more=len(called) - len(rows), note=note)

    def text(self, names: Sequence[str], *, exact: bool = False) -> str:
        """Return the certificate as a table with one line per attribute.

        Parameters
        ----------
        names : sequence of str
            Names of the attributes.
        exact : bool
            If True, show epsilon with nine decimals, and the factors by which odds can shift as fractions.

        Returns
        -------
        str
            One line per attribute, and one for the whole record.
        """
        shown = certified_nats if exact else lambda ratio: written_total_text(certified_nats(ratio))
        rows = [("attribute", "ε", "ε, other answers known", "factor of the odds")]
        written = [" ".join(legible(name).split()) for name in names]  # a name with a line break could pass for another line
        rows += [(name, shown(own), shown(informed), _written(own)) for name, own, informed in self._entries(written)]
        rows.append(("whole record", shown(self.epsilon_total), "", _written(self.epsilon_total)))
        width = max(len(row[0]) for row in rows)
        lines = [f"{row[0]:{width}}  {row[1]:>11}  {row[2]:>22}  {row[3] if exact else ''}".rstrip() for row in rows]
        return "\n".join([*lines, "Computed in exact integer arithmetic and rounded up."])

    def _entries(self, names: Sequence[str]) -> Iterable[tuple[str, Ratio, Ratio]]:
        return zip(names, self.epsilon, self.epsilon_informed, strict=True)

    def to_dict(self, names: Sequence[str]) -> dict[str, object]:
        """Return the claim as plain values.

        Parameters
        ----------
        names : sequence of str
            Names of the attributes.

        Returns
        -------
        dict
            The fields of the claim in a mechanism file.
        """
        found: dict[str, object] = msgspec.to_builtins(self.claim(names))
        return found

    def claim(self, names: Sequence[str]) -> Claim:
        """Return what a mechanism file claims.

        Parameters
        ----------
        names : sequence of str
            Names of the attributes.

        Returns
        -------
        Claim
            Ratios as "numerator/denominator", and their logarithms.
        """
        claims = tuple(AttributeClaim(name, _entry(own), _entry(informed)) for name, own, informed in self._entries(names))
        return Claim(claims, _entry(self.epsilon_total))


def certify(groups: Sequence[tuple[Sequence[int], Weights]]) -> Certificate:
    """Return the certificate of independently randomized groups of attributes.

    Parameters
    ----------
    groups : sequence of (positions, weights)
        Every attribute 0..k-1 is in exactly one group.
    """
    found: dict[int, tuple[Ratio, Ratio]] = {}
    total: Ratio = Fraction(1)
    for positions, weights in groups:
        epsilon, epsilon_informed, own = _EPSILONS[type(weights)](weights)
        found |= dict(zip(positions, zip(epsilon, epsilon_informed, strict=True), strict=True))
        total = None if total is None or own is None else total * own
    order = sorted(found)
    return Certificate(tuple(found[i][0] for i in order), tuple(found[i][1] for i in order), total)


def _of_lies(weights: LieWeights) -> tuple[list[Ratio], list[Ratio], Ratio]:
    """Return the ratios of one group. The (a - 1)... outputs of a set of changes share its weight, and all M outputs the uniform one."""
    sizes, m = weights.sizes, len(weights.sizes)
    lies = {int(name, 2): weight for name, weight in weights.lies}
    bit = [1 << (m - 1 - i) for i in range(m)]
    epsilon = []
    for i, size in enumerate(sizes):
        false = sum(weight for lie, weight in lies.items() if lie & bit[i])
        true = weights.whole - weights.uniform - false
        epsilon.append(_swing((size - 1) * (size * true + weights.uniform), size * false + (size - 1) * weights.uniform))
    # The probability of one output with each set of changes, times one number that makes all of them integers.
    cells, others = math.prod(sizes), math.prod(size - 1 for size in sizes)
    floor = weights.uniform * others
    output = {}
    for lie, weight in lies.items():
        shared = math.prod(size - 1 for i, size in enumerate(sizes) if lie & bit[i])
        output[lie] = weight * cells * (others // shared) + floor
    epsilon_informed = [_largest(((one, output.get(lie ^ bit[i], floor)) for lie, one in output.items())) for i in range(m)]
    least = min(output.values(), default=floor) if len(output) == 1 << m else floor
    return epsilon, epsilon_informed, _swing(max(output.values(), default=floor), least)


def _of_counts(weights: CountWeights) -> tuple[list[Ratio], list[Ratio], Ratio]:
    """Return the ratios of one group. The weights are those of single records.

    A record with one more change is the neighbor in the grid of counts. Records that never occur reveal nothing.
    """
    grid = np.array(weights.records, dtype=object).reshape(weights.shape)
    epsilon, epsilon_informed = [], []
    for t, (start, end) in enumerate(weights.runs):
        others, false = weights.sizes[start] - 1, weights.false[t]
        truth = (end - start) * weights.whole - false
        rows = np.moveaxis(grid, t, 0)
        epsilon += [_swing(others * truth, false)] * (end - start)
        neighbours = zip(rows[:-1].ravel().tolist(), rows[1:].ravel().tolist(), strict=True)
        epsilon_informed += [_largest(pair for pair in neighbours if any(pair))] * (end - start)
    return epsilon, epsilon_informed, _swing(max(weights.records), min(weights.records))


def _of_matrix(weights: MatrixWeights) -> tuple[list[Ratio], list[Ratio], Ratio]:
    """Return the ratios of one attribute: in every column the largest entry over the smallest. Answers that never occur reveal nothing."""
    columns = [column for column in zip(*weights.rows, strict=True) if any(column)]
    epsilon = _largest((max(column), min(column)) for column in columns)
    return [epsilon], [epsilon], epsilon


_EPSILONS: dict[type, Callable[[Any], tuple[list[Ratio], list[Ratio], Ratio]]] = {
    LieWeights: _of_lies,
    CountWeights: _of_counts,
    MatrixWeights: _of_matrix,
}
"""Kind of weights -> ratios for each attribute, for each with an informed attacker, and for the record."""


def _largest(pairs: Iterable[tuple[int, int]]) -> Ratio:
    """Return the largest ratio of the two numbers of each pair; 1 for no pairs."""
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
    """Return all digits. Python itself writes integers of at most 4,300."""
    return f"{Decimal(ratio.numerator):f}/{Decimal(ratio.denominator):f}"
