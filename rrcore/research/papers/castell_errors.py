"""Errors of the schemes of Castell on simulated releases of a table: medians over releases, by whatever is varied."""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from rrcore.arrays import Floats
from rrcore.estimate import METRICS
from rrcore.mechanisms import Joint
from rrcore.research.lopub import Filters, Source, make_source
from rrcore.research.papers.entry import Series, Setting
from rrcore.schemes.perturbation import perturb
from rrcore.schemes.study import Outcome, Study
from rrcore.schemes.summary import Summary, summarise
from rrcore.table.dataset import Dataset

LARGEST, HALF_L1, MAE = "largest absolute cell error", "half L1 (total variation)", "mean absolute error"

JOINT, PRODUCT = "RR-Ind-Joint", "RR-Independent"
BOTH = ("rr-ind-joint", "rr-independent")

NAMES: Mapping[str, str] = {
    BOTH[0]: JOINT,
    BOTH[1]: PRODUCT,
    "hybrid-published": "hybrid",
    "truncated": "truncated",
}
"""Key of ``SCHEMES`` -> what the paper calls it."""


def outcomes(
    setting: Setting,
    table: Dataset,
    schemes: Sequence[str],
    *,
    eps: float,
    ways: Sequence[int] = (2,),
    repeats: int,
    sets: int | None = None,
    people: int | None = None,
) -> list[Outcome]:
    """Every scheme on every set of attributes of every release, all attributes at level ``eps`` (nats).

    Parameters
    ----------
    sets : most sets of attributes of one size; all if left out
    people : how many are drawn from the table for a release; the people of the table if left out
    """
    seed = int(setting.rng.integers(2**31))
    study = Study(tuple(schemes), tuple(ways), repeats=repeats, seed=seed, spend="levels", sets=sets, people=people)
    levels = np.full(table.k, float(eps))
    return [one for release in study.run(table, levels, report=setting.report) for one in release]


def medians(points: Mapping[float, Sequence[Summary]], key: str, panel: str = "", name: str = "") -> Series:
    """The medians of one scheme at the places of ``points``, with the band that holds 80 % of the releases."""
    found = [next(one for one in summaries if one.scheme == key) for summaries in points.values()]
    return Series(
        name or NAMES[key],
        tuple(points),
        tuple(one.median for one in found),
        panel,
        low=tuple(one.low for one in found),
        high=tuple(one.high for one in found),
    )


def by_ways(found: Sequence[Outcome], key: str, metric: str, panel: str = "") -> Series:
    """The medians of one scheme by the number of attributes."""
    summaries = [one for one in summarise(found, metric) if one.scheme == key]
    return medians({one.ways: [one] for one in summaries}, key, panel)


def joint_error(setting: Setting, table: Dataset, w: int, *, eps: float, sets: int, metric: str) -> float:
    """Mean error of RR-Joint on sets of ``w`` attributes, each released on its own with the level w * ``eps`` for the whole of it."""
    errors = []
    for axes in chosen_sets(setting, table, w, sets):
        names = [table.schema.names[i] for i in axes]
        part = table.select(names)
        release = perturb(part, Joint.from_total(part.schema.sizes, w * eps), rng=setting.rng)
        errors.append(METRICS[metric](part.shares(names), release.estimate(names).shares))
    return float(np.mean(errors))


def filters_of(table: Dataset, *, bits: int, hashes: int) -> Filters:
    """A Bloom filter of as many bits and hash functions for every attribute."""
    return Filters(hashes, (bits,) * table.k)


def lopub_error(
    setting: Setting, table: Dataset, source: Source, w: int, *, sets: int, most_cells: int, metrics: Sequence[str]
) -> list[float]:
    """Mean errors of one LoPub estimator on sets of ``w`` attributes with at most ``most_cells`` combinations; NaN without such a set."""
    errors = []
    for axes in chosen_sets(setting, table, w, sets, most_cells):
        truth, found = shares(table, axes), source.joint(axes, report=lambda _, text: setting.report(0.5, text))
        errors.append([METRICS[metric](truth, found) for metric in metrics])
    return np.mean(errors, axis=0).tolist() if errors else [math.nan] * len(metrics)


def lasso_source(setting: Setting, table: Dataset, eps: float) -> Source:
    """LoPub's Lasso_JD with Castell's filters: 64 bits, 5 hash functions (section IV-B)."""
    return make_source("lasso", table, eps, filters=filters_of(table, bits=64, hashes=5), rng=setting.rng)


def chosen_sets(setting: Setting, table: Dataset, w: int, sets: int, most_cells: int = 2**20) -> list[tuple[int, ...]]:
    """At most ``sets`` sets of ``w`` attributes, drawn from those with at most ``most_cells`` combinations."""
    sizes = table.schema.sizes
    every = [axes for axes in combinations(range(table.k), w) if math.prod(sizes[i] for i in axes) <= most_cells]
    return [every[i] for i in sorted(setting.rng.permutation(len(every))[:sets].tolist())]


def shares(table: Dataset, axes: Sequence[int]) -> Floats:
    """True shares of the attributes at ``axes``."""
    return table.shares([table.schema.names[i] for i in axes])
