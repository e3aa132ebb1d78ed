"""Checks of Multi-Dimensional Randomized Response: its formulas, Example 1, Tables I and II and Figures 1 to 3."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations, product

import numpy as np

from rrcore.arrays import Floats
from rrcore.association import PairTables, cramers_v, estimate_as_released, measure_pairs
from rrcore.estimate import Release, clip_and_rescale, independent_shares
from rrcore.mechanisms import Kronecker, Mechanism
from rrcore.mechanisms.blocks import Blocks
from rrcore.papers.checks import Check, Run, at_least, at_most, flatness, highest_ratio, near, steepest
from rrcore.papers.comparison import find_clusters
from rrcore.papers.methods import Reader, adjust, adjusted, multiplied
from rrcore.papers.printed_formulas import published_absolute_error, published_relative_error
from rrcore.simulation import simulate
from rrcore.table import Dataset

COVERAGES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_KEPT = (0.1, 0.3, 0.5, 0.7)
_CELLS, _DEPENDENCES = (50, 100, 300), (0.1, 0.2, 0.3)
_SIZES, _PEOPLE = (9, 16, 7, 15, 6, 5, 2, 2), 32_561  # of Adult

# random sets of cells for each pair of attributes and release
_QUERIES = 20

_BEST = {0.1: (50, 0.3), 0.3: (50, 0.3), 0.5: (50, 0.1), 0.7: (100, 0.3)}
"""p -> T_v and T_d with the smallest error printed in Table I."""


def epsilon_at(kept: float, categories: int) -> float:
    """Return ε of an answer that is kept with probability p and drawn uniformly otherwise, ln(1 + p a / (1 - p)).

    Examples
    --------
    >>> round(epsilon_at(0.5, 2), 6)
    1.098612
    """
    return math.log1p(kept * categories / (1 - kept))


def epsilon_of(kept: float, sizes: Sequence[int]) -> Floats:
    """Return ε of attributes that are all kept with probability ``kept``."""
    return np.array([epsilon_at(kept, a) for a in sizes])


def figure_1(run: Run) -> Iterator[Check]:
    """Check the root of B by number of categories, from the relative error of n = a people with equal shares."""
    cells = (2, 5, 10, 20, 50, 100, 200, 500, 1000)
    root = [published_relative_error(np.full(a, 1 / a), a) / math.sqrt(1 - 1 / a) for a in cells]
    yield at_most("Figure 1", "root of B, largest ratio to the next number of categories", steepest(root[::-1]), 1)
    yield at_most("Figure 1", "root of B, 1,000 categories / 2 categories", flatness(root), 3)


def equation_5(run: Run) -> Iterator[Check]:
    """Check how often all categories are within the absolute error, for equal shares."""
    for people, a in product((1_000, 100_000), (2, 20, 1000)):
        error = published_absolute_error(np.full(a, 1 / a), people)
        shares = run.rng.multinomial(people, np.full(a, 1 / a), run.times(400)) / people
        inside = (np.abs(shares - 1 / a).max(axis=1) <= error).mean()
        # two points of tolerance for 400 samples
        yield at_least("Equation (5)", f"coverage, n = {people:,}, {a} categories", inside, 0.93, printed=0.95)


def section_3_3(run: Run) -> Iterator[Check]:
    """Check relative errors in the best case, equal shares, for the sizes and people of Adult."""
    widths = range(1, len(_SIZES) + 1)
    single = [max(published_relative_error(np.full(a, 1 / a), _PEOPLE) for a in _SIZES[:w]) for w in widths]
    joint = [published_relative_error(np.full(c, 1 / c), _PEOPLE) for c in (math.prod(_SIZES[:w]) for w in widths)]
    yield at_most(
        "Section 3.3", "relative error of RR-Independent / RR-Joint, 1 to 8 attributes", highest_ratio(single, joint), 1
    )
    yield at_most("Section 3.3", "RR-Joint, largest ratio to the next number of attributes", steepest(joint[::-1]), 1)
    yield at_least("Section 3.3", "relative error of RR-Joint, 8 attributes", joint[-1], 1)


def _covariance(table: Floats) -> float:
    rows, columns = (np.arange(size, dtype=float) for size in table.shape)
    return float(rows @ table @ columns - (rows @ table.sum(axis=1)) * (columns @ table.sum(axis=0)))


def proposition_1(run: Run) -> Iterator[Check]:
    """Check that randomization multiplies the covariance by p1 p2, exactly, for random tables of 3 x 4 answers."""
    for kept in _KEPT:
        channel = Kronecker.from_epsilon((3, 4), epsilon_of(kept, (3, 4))).channel((0, 1))
        tables = [run.rng.dirichlet(np.full(12, 0.5)).reshape(3, 4) for _ in range(20)]
        ratios = [_covariance(channel.push(table)) / _covariance(table) for table in tables]
        farthest = max(ratios, key=lambda ratio: abs(ratio - kept**2))
        yield near("Proposition 1", f"covariance after / before, p = {kept:g}", kept**2, farthest, absolute=1e-9)


def corollary_1(run: Run) -> Iterator[Check]:
    """Check that one p for all attributes keeps the order of covariances."""
    sizes, pairs = (2, 3, 4, 5), list(combinations(range(4), 2))
    mechanism, kept = Kronecker.from_epsilon(sizes, epsilon_of(0.3, sizes)), []
    for _ in range(run.times(30)):
        table = run.rng.dirichlet(np.full(math.prod(sizes), 0.1)).reshape(sizes)
        margins = [table.sum(axis=tuple({0, 1, 2, 3} - {*pair})) for pair in pairs]
        before = [abs(_covariance(margin)) for margin in margins]
        after = [abs(_covariance(mechanism.channel(pair).push(m))) for pair, m in zip(pairs, margins, strict=True)]
        kept += [(after[a] - after[b]) * (before[a] - before[b]) > 0 for a in range(6) for b in range(a)]
    yield near("Corollary 1", "comparisons of covariances in the same order", 1, np.mean(kept))


def example_1(run: Run) -> Iterator[Check]:
    """Check RR-Adjustment on ten records of two yes/no attributes."""
    codes = np.array([[0, 0]] * 4 + [[0, 1]] * 2 + [[1, 1]] * 4, dtype=np.int32)
    half = np.array([0.5, 0.5])
    found = adjust(codes, (2, 2), [(0,), (1,)], [half, half], most=2_000)
    ours = np.bincount(codes @ np.array([2, 1]), weights=found, minlength=4)
    independent = independent_shares([half, half], [[0], [1]]).ravel()
    rows = (("RR-Adjustment", ours, (0.5, 0, 0, 0.5)), ("RR-Independent", independent, (0.25,) * 4))
    for name, shares, printed in rows:
        for cell, there, value in zip(("1 1", "1 2", "2 1", "2 2"), printed, shares, strict=True):
            yield near("Example 1", f"{name}, cell {cell}", there, value, absolute=0.002)


def _released(release: Release[Mechanism]) -> Reader:
    """Return the shares of the released answers without inversion."""
    names = release.dataset.schema.names
    return lambda axes: np.asarray(release.counts([names[i] for i in axes]) / release.n, dtype=np.float64)


_READERS = {"released": _released, "multiplied": multiplied, "adjusted": adjusted}


def true_pairs(table: Dataset) -> dict[tuple[int, ...], Floats]:
    """Return the true shares of every pair of attributes."""
    names = table.schema.names
    return {(i, j): table.shares((names[i], names[j])) for i, j in combinations(range(table.k), 2)}


def _query_errors(truths: Mapping[tuple[int, ...], Floats], read: Reader, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return absolute and relative errors of random count queries on every pair, shape (pairs x queries, coverages).

    The cells of a larger coverage contain those of a smaller one, so that one order of the cells serves all coverages.
    """
    absolute, relative = [], []
    for axes, truth in truths.items():
        off = (clip_and_rescale(read(axes)) - truth).ravel()
        order = rng.random((_QUERIES, truth.size)).argsort(axis=1)
        last = [max(1, round(part * truth.size)) - 1 for part in COVERAGES]
        wrong, true = np.abs(off[order].cumsum(axis=1))[:, last], truth.ravel()[order].cumsum(axis=1)[:, last]
        absolute.append(wrong)
        relative.append(np.divide(wrong, true, out=np.full_like(wrong, np.nan), where=true > 1e-15))
    return np.concatenate(absolute), np.concatenate(relative)


def median_errors(
    run: Run, table: Dataset, mechanism: Mechanism, ways: Sequence[str], repeats: int
) -> dict[str, tuple[Floats, Floats]]:
    """Return median errors of count queries by coverage.

    The errors are absolute and relative, for each of the ``ways`` to estimate.
    """
    truths = true_pairs(table)
    errors: dict[str, list[tuple[Floats, Floats]]] = {way: [] for way in ways}
    for number in range(repeats):
        run.report(0.0, f"release {number + 1} of {repeats}")
        release = simulate(table, mechanism, rng=run.rng)
        for way in ways:
            errors[way].append(_query_errors(truths, _READERS[way](release), run.rng))
    found = {}
    for way, each in errors.items():
        absolute, relative = (np.concatenate(kind) for kind in zip(*each, strict=True))
        found[way] = np.median(absolute, axis=0), np.nanmedian(relative, axis=0)
    return found


def figure_2(run: Run) -> Iterator[Check]:
    """Check count queries under RR-Independent at p = 0.7, and on the released answers."""
    table = run.given
    mechanism = Kronecker.from_epsilon(table.schema.sizes, epsilon_of(0.7, table.schema.sizes))
    found = median_errors(run, table, mechanism, ("released", "multiplied"), run.times(4))
    for kind, what in enumerate(("absolute", "relative")):
        ratio = highest_ratio(found["multiplied"][kind], found["released"][kind])
        yield at_most("Figure 2", f"{what} error of RR-Independent / released answers", ratio, 0.8)
    absolute, relative = (errors.tolist() for errors in found["multiplied"])
    yield at_least("Figure 2", "absolute error at coverage 0.5 / at its peak", absolute[4] / max(absolute), 0.9)
    yield near("Figure 2", "absolute error at coverage 0.4 / 0.6", 1, absolute[3] / absolute[5], absolute=0.25)
    yield at_most("Figure 2", "relative error, largest ratio to the previous coverage", steepest(relative), 1.1)


def _errors_of_clusters(run: Run, copies: int, repeats: int) -> Floats:
    """Return the median relative error at a tenth of the cells by p, T_v and T_d. Equal clusters are measured once."""
    once = run.given
    table = Dataset(once.schema, np.tile(once.codes, (copies, 1)), once.title) if copies > 1 else once
    sizes, known = table.schema.sizes, {}
    partitions = [find_clusters(once, max_cells=most, min_dependence=least) for most, least in product(_CELLS, _DEPENDENCES)]
    for kept, parts in product(_KEPT, dict.fromkeys(partitions)):
        mechanism = Blocks.rr_clusters(sizes, epsilon_of(kept, sizes), parts)
        known[kept, parts] = median_errors(run, table, mechanism, ("multiplied",), repeats)["multiplied"][1][0]
    errors = [known[kept, parts] for kept, parts in product(_KEPT, partitions)]
    return np.array(errors).reshape(len(_KEPT), len(_CELLS), len(_DEPENDENCES))


# by p, T_v and T_d, as printed
_TABLE_1 = (
    (0.335, 0.357, 0.285, 0.404, 0.351, 0.426, 0.495, 0.501, 0.505),
    (0.335, 0.262, 0.199, 0.334, 0.310, 0.306, 0.426, 0.435, 0.445),
    (0.094, 0.107, 0.116, 0.148, 0.127, 0.119, 0.214, 0.236, 0.212),
    (0.069, 0.070, 0.070, 0.069, 0.075, 0.068, 0.074, 0.071, 0.079),
)
_TABLE_2 = (
    (0.189, 0.173, 0.183, 0.312, 0.310, 0.339, 0.459, 0.449, 0.462),
    (0.149, 0.171, 0.178, 0.202, 0.225, 0.217, 0.369, 0.376, 0.369),
    (0.080, 0.082, 0.083, 0.084, 0.075, 0.079, 0.123, 0.126, 0.127),
    (0.064, 0.064, 0.065, 0.066, 0.066, 0.065, 0.056, 0.057, 0.060),
)


def _cluster_checks(place: str, errors: Floats, printed: Sequence[Sequence[float]]) -> Iterator[Check]:
    numbers = chain.from_iterable(printed)
    for (kept, most, least), there, value in zip(product(_KEPT, _CELLS, _DEPENDENCES), numbers, errors.ravel(), strict=True):
        yield near(place, f"relative error, p = {kept:g}, T_v = {most}, T_d = {least:g}", there, value, relative=0.25)
    spread = float((errors.max(axis=2) / errors.min(axis=2)).max())
    yield at_most(place, "largest / smallest error between thresholds T_d", spread, 1.3)


def tables_1_and_2(run: Run) -> Iterator[Check]:
    """Check count queries over a tenth of the cells under RR-Clusters.

    The tables are Adult and six copies of it.
    """
    once, larger = _errors_of_clusters(run, 1, run.times(4)), _errors_of_clusters(run, 6, run.times(1))
    yield from _cluster_checks("Table I", once, _TABLE_1)
    yield at_most("Table I", "error at T_v = 50 / T_v = 300", (once[:, 0] / once[:, 2]).max(), 1)
    yield from _cluster_checks("Table II", larger, _TABLE_2)
    yield at_most("Table II", "error of six copies / one copy", (larger / once).max(), 1)


def figure_3(run: Run) -> Iterator[Check]:
    """Check relative errors by coverage, with the best thresholds of Table I."""
    table = run.given
    sizes = table.schema.sizes
    for kept, (most, least) in _BEST.items():
        epsilon = epsilon_of(kept, sizes)
        clusters = Blocks.rr_clusters(sizes, epsilon, find_clusters(table, max_cells=most, min_dependence=least))
        errors: dict[str, list[float]] = {}
        for name, mechanism in (("RR-Independent", Kronecker.from_epsilon(sizes, epsilon)), ("RR-Clusters", clusters)):
            found = median_errors(run, table, mechanism, ("multiplied", "adjusted"), run.times(3))
            errors |= {name: found["multiplied"][1].tolist(), f"{name} + Adjustment": found["adjusted"][1].tolist()}
        own = errors["RR-Independent"]
        if kept <= 0.3:
            ratio = own[0] / min(each[0] for each in errors.values())
            yield at_most("Figure 3", f"RR-Independent / best method at coverage 0.1, p = {kept:g}", ratio, 1.02)
            continue
        for name, other in (("RR-Clusters", "RR-Independent"), ("RR-Independent + Adjustment", "RR-Independent")):
            ratio = highest_ratio(errors[name][:2], errors[other][:2])
            yield at_most("Figure 3", f"{name} / {other} at coverage 0.1 and 0.2, p = {kept:g}", ratio, 1)
        ratio = highest_ratio(errors["RR-Clusters + Adjustment"][:2], errors["RR-Clusters"][:2])
        yield at_most("Figure 3", f"RR-Clusters + Adjustment / RR-Clusters at coverage 0.1 and 0.2, p = {kept:g}", ratio, 1)
        largest = max(each[-1] for each in errors.values())
        yield at_most("Figure 3", f"largest error at coverage 0.9, p = {kept:g}", largest, 0.05)


def section_4_1(run: Run) -> Iterator[Check]:
    """Check the rank correlation of Cramér's V in a release and in the true table.

    It is over all pairs.
    """
    table = run.given
    names, sizes = table.schema.names, table.schema.sizes
    truth = measure_pairs(PairTables.count(table.codes, sizes))
    for eps in (4.0, 2.0, 1.0):
        mechanism = Kronecker.from_epsilon(sizes, np.full(table.k, eps))
        expected = np.full((table.k, table.k), np.nan)
        for (i, j), shares in true_pairs(table).items():
            expected[i, j] = cramers_v(mechanism.channel((i, j)).push(shares))
        pairs = np.triu_indices(table.k, 1)
        ranks = [np.argsort(np.argsort(values[pairs])) for values in (expected, truth)]
        release = simulate(table, mechanism, rng=run.rng)
        released = PairTables.count(release.dataset.codes, sizes)
        rank, _ = estimate_as_released(names, released, mechanism).agreement(truth)
        yield at_least(
            "Section 4.1", f"rank correlation, infinite sample, ε {eps:g}", np.corrcoef(ranks[0], ranks[1])[0, 1], 0.95
        )
        yield at_least("Section 4.1", f"rank correlation, one release, ε {eps:g}", rank, 0.95)


CHECKS = (figure_1, equation_5, section_3_3, proposition_1, corollary_1, example_1)
ON_ADULT = (figure_2, tables_1_and_2, figure_3, section_4_1)
