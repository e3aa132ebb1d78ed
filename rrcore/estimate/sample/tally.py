"""Released shares of a marginal by a sample, and how they vary: by linearisation or by replicate weights (theory.md section 22)."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Codes, Floats, Integers
from rrcore.errors import InputError
from rrcore.estimate.sample.sample import Sample
from rrcore.estimate.sample.spread import Spread
from rrcore.limits import MAX_FACTOR_NUMBERS, MAX_MATRIX_CELLS
from rrcore.table.cells import cell_numbers, check_cells

_NOTHING = 1e-15  # what rounding leaves of a factor


@dataclass(frozen=True, eq=False)
class Tally:
    """Released records of a marginal, counted: all that an estimate needs of them.

    Parameters
    ----------
    released : ndarray of shape ``report_sizes``, weighted shares of the released records, summing to 1
    n : number of records
    spread : Spread
    """

    released: Floats
    n: int
    spread: Spread


def tally(codes: Codes, sizes: Sequence[int], sample: Sample) -> Tally:
    """Count the released records of a marginal by their weights.

    Linearisation: the share of cell u is a ratio whose error is the sum over people of w_i (1[u_i = u] - x_i' b_u), with b_u the weighted
    regression of that indicator on the calibrated columns, which for the constant alone is the share itself (Sarndal, Swensson and Wretman
    1992, sections 5.6 and 6.6). Totals of it by cluster vary around those of their stratum. From a finite population a part f of that is
    certain; the randomisation of the people is not, so f times its own variance stays (two phases, there section 9.3).

    Parameters
    ----------
    codes : ndarray of shape (n, w), released codes of the marginal
    sizes : numbers of reports of its w attributes
    sample : Sample of the same n records; where they stand for several people each, of these people
    """
    check_cells(sizes)
    if len(codes) != sample.n:
        raise InputError(f"There are {len(codes):,} records and {sample.n:,} weights: give one weight for each record.")
    if not sample.weights.any():
        raise InputError("The weights of these people are all 0: at least one record has to count.")
    sample = sample.apart
    cells, m, shape = cell_numbers(codes, sizes), math.prod(sizes), tuple(sizes)
    w = sample.shares
    released, people = _counts(cells, w, m), _counts(cells, sample.squared_shares, m)
    fixed = _counts(cells, sample.fractions[sample.stratum_codes] * sample.squared_shares, m)
    diagonal: Floats
    parts: Iterator[tuple[Floats, float]]
    if sample.replicates is not None:
        diagonal, parts = np.zeros(m), iter([(sample.replicates.deviations(cells, m, released), 1.0)])
    elif sample.whole is None or sample.rows is None:
        line = _Linearised(sample, cells, m)
        diagonal, parts = line.diagonal, line.parts()
    else:
        diagonal, parts = _of_part(sample.whole, sample.rows, cells, released)
    factors, signs = _gather(parts, m)
    spread = Spread(
        (diagonal + fixed).reshape(shape),
        factors.reshape(*shape, -1),
        signs,
        fixed.reshape(shape),
        people.reshape(shape),
        sample.freedom,
    )
    return Tally(released.reshape(shape), sample.people, spread)


def _counts(cells: Integers, weights: Floats, m: int) -> Floats:
    return np.asarray(np.bincount(cells, weights=weights, minlength=m), dtype=np.float64)


def _of_part(whole: Sample, rows: Integers, cells: Integers, released: Floats) -> tuple[Floats, Iterator[tuple[Floats, float]]]:
    """The diagonal and the factors of shares within a part of the sample.

    Who is outside has a cell of their own in the whole; the shares within are ratios of what is left, linearised once more.
    """
    m = released.size
    every = np.full(whole.n, m)
    every[rows] = cells
    line, inside = _Linearised(whole, every, m + 1), float(whole.shares[rows].sum())
    diagonal = line.diagonal[:m] / inside**2
    total = float(diagonal.sum())

    def parts() -> Iterator[tuple[Floats, float]]:
        if total > 0:
            yield ((diagonal - total * released) / math.sqrt(total))[:, None], 1.0
            yield (diagonal / math.sqrt(total))[:, None], -1.0
        for factor, sign in line.parts():
            own = factor[:m]
            yield (own - np.multiply.outer(released, own.sum(axis=0))) / inside, sign

    return diagonal, parts()


class _Linearised:
    """What people, clusters and strata add to the variance of the released shares of m cells."""

    def __init__(self, sample: Sample, cells: Integers, m: int) -> None:
        self.cells, self.m, self.w, self.x = cells, m, sample.shares, sample.auxiliary
        drawn, strata = sample.drawn, sample.stratum_codes
        several = drawn > 1
        alone = 0.0 if sample.lonely == "certain" else 1.0  # one person in all is refused by whoever reads an error
        self.scale = (1 - sample.fractions) * np.where(several, drawn / np.maximum(drawn - 1, 1), alone)
        self.centred = np.where(several, self.scale / np.maximum(drawn, 1), 0.0)
        moment = (self.x * self.w[:, None]).T @ self.x
        self.slope = np.linalg.lstsq(moment, self._by(cells, m, self.x * self.w[:, None]).T, rcond=None)[0].T
        units = np.bincount(
            sample.units, None if sample.clusters is None else sample.times
        )  # without clusters all are on their own
        self.single = units[sample.units] == 1
        self.own = self.scale[strata] * sample.squared_shares * self.single
        self.diagonal = _counts(cells, self.own, m)
        self.units, self.unit_strata, self.strata = sample.units, sample.unit_strata, strata
        self.large = np.flatnonzero(units > 1)

    def parts(self) -> Iterator[tuple[Floats, float]]:
        """Factors of shape (m, .) with their sign."""
        yield from self._people()
        rank = np.full(self.unit_strata.size, -1)
        rank[self.large] = np.arange(self.large.size)
        yield from self._groups(rank[self.units], self.scale[self.unit_strata[self.large]], 1.0)
        if self.x.shape[1] > 1 or self.centred.size > 1 or self.large.size:
            yield from self._groups(self.strata, self.centred, -1.0)

    def _people(self) -> Iterator[tuple[Floats, float]]:
        """Those who are a cluster of their own: sum of own (e_u - slope x)(e_u - slope x)', less its diagonal, the square completed."""
        weighted = self.x * self.own[:, None]
        values, vectors = np.linalg.eigh(weighted.T @ self.x)
        kept = values > 1e-12 * max(float(values.max()), np.finfo(np.float64).tiny)
        values, vectors = values[kept], vectors[:, kept]
        cross = self._by(self.cells, self.m, weighted) @ vectors
        yield (self.slope @ vectors - cross / values) * np.sqrt(values), 1.0
        yield cross / np.sqrt(values), -1.0

    def _groups(self, group: Integers, scale: Floats, sign: float) -> Iterator[tuple[Floats, float]]:
        """Totals by group, of everybody whose group is not -1, less what calibration explains; of many groups, as few factors as cells."""
        if not scale.size:
            return
        cells, groups, w, x = self.cells, group, self.w, self.x
        if not (inside := group >= 0).all():
            cells, groups, w, x = cells[inside], groups[inside], w[inside], x[inside]
        known = self._by(groups, scale.size, x * w[:, None])
        if scale.size <= self.m or self.m > MAX_MATRIX_CELLS:
            _check_size(self.m, scale.size)
            yield (self._dense(cells, groups, w, scale.size) - self.slope @ known.T) * np.sqrt(scale), sign
            return
        if self.m * scale.size <= len(w):  # in no more room than the records take
            totals = self._dense(cells, groups, w, scale.size)
            scaled = totals * scale
            square = scaled @ totals.T
        else:
            from scipy.sparse import csr_array

            few = csr_array((w, (cells, groups)), shape=(self.m, scale.size))
            scaled = few * scale[None, :]
            square = (scaled @ few.T).toarray()
        cross = (scaled @ known) @ self.slope.T
        explained = self.slope @ ((known * scale[:, None]).T @ known) @ self.slope.T
        yield from _factors(square - cross - cross.T + explained, sign)

    def _dense(self, cells: Integers, groups: Integers, w: Floats, size: int) -> Floats:
        """Totals of the weights ``w`` by cell and group, shape (m, size)."""
        return _counts(cells * size + groups, w, self.m * size).reshape(self.m, size)

    @staticmethod
    def _by(codes: Integers, size: int, values: Floats) -> Floats:
        """Sums of the columns of ``values`` by code, shape (size, p)."""
        return np.stack([np.bincount(codes, weights=column, minlength=size) for column in values.T], axis=1)


def _gather(parts: Iterable[tuple[Floats, float]], m: int) -> tuple[Floats, Floats]:
    """All factors side by side, those that nothing is in left out; as few as there are cells where they are more."""
    kept: list[Floats] = []
    signs: list[Floats] = []
    for part, sign in parts:
        live = np.abs(part).max(axis=0) > _NOTHING
        kept.append(part[:, live])
        signs.append(np.full(int(live.sum()), sign))
    factors, signed = np.concatenate(kept, axis=1), np.concatenate(signs)
    _check_size(m, signed.size)
    if signed.size <= m or m > MAX_MATRIX_CELLS:
        return factors, signed
    few = list(_factors((factors * signed) @ factors.T, 1.0))
    return np.concatenate([part for part, _ in few], axis=1), np.concatenate([np.full(part.shape[1], sign) for part, sign in few])


def _factors(matrix: Floats, sign: float) -> Iterator[tuple[Floats, float]]:
    """A symmetric matrix as signed squares of at most as many factors as it has rows."""
    values, vectors = np.linalg.eigh(matrix)
    for way in (1.0, -1.0):
        live = way * values > _NOTHING * np.abs(values).max()
        yield vectors[:, live] * np.sqrt(np.abs(values[live])), way * sign


def _check_size(m: int, factors: int) -> None:
    if m * factors > MAX_FACTOR_NUMBERS:
        raise InputError(
            f"The joint distribution has {m:,} combinations and the sample {factors:,} clusters, strata or replicates: choose fewer "
            "attributes, or merge categories."
        )
