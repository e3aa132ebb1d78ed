"""The chi-square example of Privacy-Optimized RR, section V-B: tables of allele by disease status for k SNPs, released at a given total.

Each SNP is one attribute of four categories, the cells A, B, C, D of its 2 x 2 table. Only its own level decides what becomes
of its table, so the comparison is about the levels that a mechanism affords at equal record-level budgets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from rrcore.arrays import Floats, Integers
from rrcore.budget import levels_for_total
from rrcore.errors import InputError
from rrcore.estimate.projections import clip_and_rescale
from rrcore.mechanisms import MECHANISMS, Kronecker, Mechanism, Optimal
from rrcore.mechanisms.published import Published
from rrcore.progress import Report, part, quiet
from rrcore.wording import total_text

Builder = Callable[[Sequence[int], ArrayLike], Mechanism]

CELLS = 4
"""Categories of a SNP: two alleles by two states of the disease."""

EXAMPLE_PEERS = ("kronecker", "published", "pair-safe", "optimal")
"""Mechanisms of the example."""

BUILDERS: Mapping[str, Builder] = MappingProxyType(
    {"kronecker": Kronecker.from_levels, "published": Published.from_levels, "optimal": Optimal.from_levels}
)
"""The peers of the example; the optimum is limited to MAX_OPTIMAL_ATTRIBUTES SNPs."""

PUBLISHED_DIFFERENCES: Mapping[int, tuple[float, float]] = MappingProxyType(
    {
        10: (18.35706657, 56.27162423),
        20: (17.78540755, 62.23359041),
        30: (21.32040032, 62.4992264),
        40: (19.41185744, 59.14818917),
        50: (23.75890504, 65.13521322),
        60: (22.77557163, 64.91683838),
        70: (18.92138263, 63.13426372),
        80: (16.72297185, 61.85133464),
        90: (19.47710744, 65.51420658),
        100: (21.78893975, 65.72320964),
    }
)
"""k -> average difference of the heuristic and of Kronecker, as printed in Example.ipynb of github.com/ay0408/Optimized-RR, the
code the authors name, over 5 runs. The text itself gives a figure and the words "almost less than half".

That code releases the last SNP's people for every SNP (its array g is refilled for each SNP before any is released), so the
heuristic's figures are mostly the spread among true tables; ``last_snp_errors`` does the same.
"""


@dataclass(frozen=True, eq=False)
class ChiSquareErrors:
    """How far the chi-square statistics after release are from the true ones, averaged over the SNPs.

    Parameters
    ----------
    mechanism : Mechanism, with its achieved levels and total
    raw : ndarray of shape (runs,)
        Mean over SNPs of |statistic of the released table - true statistic|, which is what the paper reports.
    debiased : ndarray of shape (runs,)
        Mean over SNPs of that difference for the estimated table: each released share becomes (share - 1/4)/r_i + 1/4, negative
        ones become 0 and the rest are divided by their sum.
    negative : float in [0, 1], share of the estimated tables that had a negative cell
    """

    mechanism: Mechanism
    raw: Floats
    debiased: Floats
    negative: float

    @property
    def means(self) -> tuple[float, float]:
        """Of the released and of the estimated tables, over the runs."""
        return float(self.raw.mean()), float(self.debiased.mean())


def chi_square(tables: ArrayLike) -> Floats:
    """Pearson's statistic of 2 x 2 tables, 0 where a row or a column is empty.

    Parameters
    ----------
    tables : ndarray of shape (..., 4), counts A, B, C, D in the order of the paper
    """
    a, b, c, d = np.moveaxis(np.asarray(tables, dtype=np.float64), -1, 0)
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    whole = (a + b + c + d) * (a * d - b * c) ** 2
    return np.divide(whole, margins, out=np.zeros_like(margins), where=margins > 0)


def published_peers(k: int, *, rng: np.random.Generator) -> tuple[Published, Kronecker]:
    """The two mechanisms of the authors' own run: the heuristic at levels drawn from 3 to 5, and Kronecker at its total.

    The levels of Kronecker have the ratios of those that the heuristic achieved, not of those drawn.

    Parameters
    ----------
    k : int >= 2, number of SNPs
    """
    sizes = (CELLS,) * k
    heuristic = Published.from_levels(sizes, rng.uniform(3, 5, k))
    achieved = heuristic.levels
    return heuristic, Kronecker.from_levels(sizes, achieved * (heuristic.total_level / float(achieved.sum())))


def chi_square_errors(
    mechanisms: Sequence[Mechanism],
    *,
    rng: np.random.Generator,
    people: int = 1000,
    runs: int = 10,
    report: Report = quiet,
) -> tuple[ChiSquareErrors, ...]:
    """Release random tables by every mechanism and compare the chi-square statistics; the tables of a run are the same for all.

    Tables are drawn as in the paper: A = Binomial(2N, 1/3), B = Binomial(2N - A, 1/3), C = Binomial(2N - A - B, 2/5), D the rest.

    Parameters
    ----------
    mechanisms : mechanisms over the same k attributes of 4 categories
    people : N; each has two alleles, so a table counts 2N
    runs : tables of k SNPs drawn

    Raises
    ------
    InputError
        If a mechanism has another number of attributes than the first, or attributes that are not of 4 categories.
    """
    k = mechanisms[0].k
    for mechanism in mechanisms:
        if mechanism.sizes != (CELLS,) * k:
            raise InputError(
                f"A mechanism has categories {mechanism.sizes}: every SNP has {CELLS} and the number of SNPs must be {k}."
            )
    errors = np.empty((len(mechanisms), 2, runs))
    negative = np.zeros(len(mechanisms))
    for run in range(runs):
        tables = _draw_tables(k, 2 * people, rng)
        codes = np.column_stack([np.repeat(np.arange(CELLS, dtype=np.int32), table) for table in tables])
        true = chi_square(tables)
        for number, mechanism in enumerate(mechanisms):
            report((run + number / len(mechanisms)) / runs, f"run {run + 1} of {runs}, mechanism {number + 1}")
            released = mechanism.perturb(codes, rng=rng)
            shares = np.array([np.bincount(column, minlength=CELLS) for column in released.T]) / (2 * people)
            estimated = (shares - 1 / CELLS) / mechanism.retentions[:, None] + 1 / CELLS
            negative[number] += float((estimated < 0).any(axis=1).mean()) / runs
            proper = np.array([clip_and_rescale(table) for table in estimated])
            for kind, table in enumerate((shares, proper)):
                errors[number, kind, run] = np.abs(chi_square(2 * people * table) - true).mean()
    return tuple(
        ChiSquareErrors(mechanism, raw, debiased, float(share))
        for mechanism, (raw, debiased), share in zip(mechanisms, errors, negative, strict=True)
    )


def chi_square_example(k: int, total: float, *, rng: np.random.Generator, report: Report = quiet) -> dict[str, ChiSquareErrors]:
    """``chi_square_errors`` of those of ``EXAMPLE_PEERS`` that have levels for k SNPs at this total."""
    made = {}
    for done, key in enumerate(EXAMPLE_PEERS):
        report(done / (2 * len(EXAMPLE_PEERS)), f"{MECHANISMS[key].title} at a total of {total_text(total)}")
        with suppress(InputError):
            made[key] = levels_for_total((CELLS,) * k, total, [1.0] * k, mechanism=key).mechanism
    errors = chi_square_errors(list(made.values()), rng=rng, report=part(report, 1, 2))
    return dict(zip(made, errors, strict=True))


def last_snp_errors(mechanisms: Sequence[Mechanism], *, rng: np.random.Generator, people: int = 1000) -> Floats:
    """Mean difference of the statistic where the people of the last SNP are released for every SNP: one run of the authors' code.

    Returns
    -------
    ndarray of shape (mechanisms,)
    """
    k = mechanisms[0].k
    tables = _draw_tables(k, 2 * people, rng)
    true, last = chi_square(tables), np.repeat(np.arange(CELLS, dtype=np.int32), tables[-1])
    found = []
    for mechanism in mechanisms:
        released = mechanism.perturb(np.tile(last[:, None], k), rng=rng)
        found.append(np.abs(chi_square([np.bincount(column, minlength=CELLS) for column in released.T]) - true).mean())
    return np.array(found)


def _draw_tables(k: int, alleles: int, rng: np.random.Generator) -> Integers:
    """Counts A, B, C, D of k SNPs, shape (k, 4)."""
    a = rng.binomial(alleles, 1 / 3, k)
    b = rng.binomial(alleles - a, 1 / 3)
    c = rng.binomial(alleles - a - b, 2 / 5)
    return np.column_stack([a, b, c, alleles - a - b - c])
