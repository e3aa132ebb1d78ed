"""Castell on invented pairs (appendix D): one release (Figure 9), errors by dependence, level, people and categories (Figure 10)."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from rrcore.budget.project import Invention
from rrcore.estimate import mean_absolute_error
from rrcore.mechanisms import Kronecker
from rrcore.research.papers.bibliography import CASTELL
from rrcore.research.papers.castell_errors import BOTH, JOINT, MAE, PRODUCT, medians, outcomes
from rrcore.research.papers.checks import below, falls, flat, power, rises, straight
from rrcore.research.papers.entry import Axis, PaperEntry, Series, Setting, series
from rrcore.schemes.invented import make_table
from rrcore.schemes.perturbation import perturb
from rrcore.schemes.readers import inverted, multiplied
from rrcore.schemes.summary import summarise
from rrcore.table.dataset import Dataset

_PEOPLE, _CATEGORIES, _V, _EPS = 10_000, 10, 0.5, 1.0  # where they are not varied
_DIAGONAL, _SUM = "diagonal", "sum of the diagonal"
_SOURCE = "As Figure 9: 10 categories, V = 0.5, level 1; 10,000 people, the most of Figure 10 (c)."


def one_release(setting: Setting) -> list[Series]:
    """The diagonal of the true, released and estimated tables of 1,000 people, and the mean absolute errors of 20 (fast) or 500 releases."""
    table = _table(people=1_000)
    truth = table.shares(table.schema.names)
    mechanism = Kronecker.from_levels(table.schema.sizes, (_EPS, _EPS))
    errors: dict[str, list[float]] = {}
    for _ in range(setting.repeats(20, 500)):
        release = perturb(table, mechanism, rng=setting.rng)
        tables = {
            "perturbed": release.counts(table.schema.names) / release.n,
            PRODUCT: multiplied(release)((0, 1)),
            JOINT: inverted(release)((0, 1)),
        }
        for name, found in tables.items():
            errors.setdefault(name, []).append(mean_absolute_error(truth, found))
    seen = {"real data": truth} | tables
    return [
        *series(range(1, _CATEGORIES + 1), {name: np.diag(found) for name, found in seen.items()}, _DIAGONAL),
        *series(["sum"], {name: [np.trace(found)] for name, found in seen.items()}, _SUM),
        *series([1_000], {name: [np.mean(every)] for name, every in errors.items()}, MAE),
    ]


def varied(setting: Setting, *, what: str, places: Sequence[float]) -> list[Series]:
    """Mean absolute errors of both schemes where Cramér's V ("v"), the level ("eps"), "people" or "categories" is varied."""
    points = {}
    for place in places:
        given: dict[str, Any] = {"v": _V, "categories": _CATEGORIES, "eps": _EPS, "people": None} | {what: place}
        table, repeats = _table(v=given["v"], categories=given["categories"]), setting.repeats(10, 200)
        seen = outcomes(setting, table, BOTH, eps=given["eps"], repeats=repeats, people=given["people"])
        points[float(place)] = summarise(seen, MAE)
    return [medians(points, key) for key in BOTH]


def _table(*, v: float = _V, categories: int = _CATEGORIES, people: int = _PEOPLE) -> Dataset:
    return make_table(Invention(people=people, attributes=2, categories=categories, cramers_v=v))


_Y = Axis("mean absolute error", log=True)

ENTRIES = (
    PaperEntry(
        *CASTELL.at("figure-9", "Figure 9", "A pair of 10 categories with V = 0.5: real, perturbed and estimated"),
        claim="For 1,000 people at level 1 RR-Ind fails to estimate the strong diagonal; RR-Ind-Joint estimates the joint probabilities more "
        "accurately.",
        axes=(Axis("category; people"), Axis("share; error")),
        measure=one_release,
        checks=(
            below("RR-Independent puts at most half as much on the diagonal", PRODUCT, "real data", factor=0.5, panels=(_SUM,)),
            below("RR-Ind-Joint has the smaller mean absolute error", JOINT, PRODUCT, panels=(MAE,)),
        ),
    ),
    PaperEntry(
        *CASTELL.at("figure-10a", "Figure 10 (a)", "Errors by Cramér's V"),
        claim=f"The MAE of RR-Independent is proportional to V, 0 at V = 0; that of RR-Ind-Joint does not depend on V. {_SOURCE}",
        axes=(Axis("Cramér's V"), Axis("mean absolute error")),
        measure=partial(varied, what="v", places=(0.0, 0.2, 0.4, 0.6, 0.8, 1.0)),
        checks=(
            straight("RR-Independent is proportional to V, near 0 at V = 0", PRODUCT, least=0.99, through_zero=True),
            flat("RR-Ind-Joint changes by less than a third", JOINT, factor=1.33),
        ),
    ),
    PaperEntry(
        *CASTELL.at("figure-10b", "Figure 10 (b)", "Errors by level"),
        claim=f"The MAE of RR-Ind-Joint decreases as the level increases, that of RR-Independent is constant. {_SOURCE}",
        axes=(Axis("level", "nats"), _Y),
        measure=partial(varied, what="eps", places=(0.1, 0.3, 0.5, 1.0, 1.5, 2.0)),
        checks=(
            falls("RR-Ind-Joint falls with the level", JOINT),
            flat("RR-Independent changes by less than half between levels 0.1 and 2", PRODUCT, factor=1.5),
        ),
    ),
    PaperEntry(
        *CASTELL.at("figure-10c", "Figure 10 (c)", "Errors by number of people"),
        claim=f"The MAE of RR-Ind-Joint decreases according to 1/n when n > 1,000. {_SOURCE}",
        axes=(Axis("people", log=True), _Y),
        measure=partial(varied, what="people", places=(10, 100, 1_000, 3_000, 10_000)),
        checks=(
            falls("RR-Ind-Joint falls with the number of people", JOINT),
            power("from 1,000 people on RR-Ind-Joint falls as 1/n", JOINT, -1.0, within=0.15, start=1_000),
        ),
    ),
    PaperEntry(
        *CASTELL.at("figure-10d", "Figure 10 (d)", "Errors by number of categories"),
        claim="The MAE of RR-Ind-Joint increases with the number of categories d; that of RR-Independent is reduced, linear in 1/sqrt(d) "
        f"as Theorem 4 states. {_SOURCE}",
        axes=(Axis("categories", log=True), _Y),
        measure=partial(varied, what="categories", places=(2, 4, 7, 10, 15, 20)),
        checks=(
            rises("RR-Ind-Joint rises with the number of categories", JOINT),
            falls("RR-Independent falls with the number of categories", PRODUCT),
            power("RR-Independent falls as 1/sqrt(d)", PRODUCT, -0.5, within=0.15),
        ),
    ),
)
"""Figures 9 and 10."""
