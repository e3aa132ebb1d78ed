"""Multi-Dimensional Randomized Response: what needs no table. Figure 1, section 3.3, Proposition 1, Corollary 1 and Example 1."""

import math
from itertools import combinations

import numpy as np

from rrcore.arrays import Floats
from rrcore.estimate.adjustment import adjust
from rrcore.estimate.independent import independent_shares
from rrcore.estimate.published import published_absolute_error, published_relative_error
from rrcore.mechanisms import Kronecker
from rrcore.research.papers.bibliography import MULTIDIMENSIONAL
from rrcore.research.papers.checks import below, flat, near, number, rises
from rrcore.research.papers.entry import Axis, Curves, PaperCheck, PaperEntry, Series, Setting, series
from rrcore.wording import percent

ADULT_PEOPLE, ADULT_SIZES = 32_561, (9, 16, 7, 15, 6, 5, 2, 2)
KEPT = (0.1, 0.3, 0.5, 0.7)
"""Probabilities p of the paper: an answer is kept with p, otherwise replaced by one drawn uniformly."""

_CELLS = (2, 5, 10, 20, 50, 100, 200, 500, 1000)


def level_of(kept: float, categories: int) -> float:
    """The level, in nats, of an answer that is kept with probability ``kept`` and drawn uniformly otherwise: ln(1 + p a / (1 - p)).

    Examples
    --------
    >>> round(level_of(0.5, 2), 6)
    1.098612
    """
    return math.log1p(kept * categories / (1 - kept))


def _figure_1(setting: Setting) -> list[Series]:
    """Root of B: the relative error (6) of n = a people in a cells of equal share, up to its factor (1 - 1/a)."""
    root = [published_relative_error(np.full(a, 1 / a), a) / math.sqrt(1 - 1 / a) for a in _CELLS]
    return series(_CELLS, {"root of B": root})


def _equation_5(setting: Setting) -> list[Series]:
    samples = setting.repeats(400, 10_000)
    inside: dict[str, list[float]] = {}
    for people in setting.steps((1_000, 10_000, 100_000), "{:,} people"):
        inside[f"{people:,} people"] = found = []
        for a in _CELLS:
            error = published_absolute_error(np.full(a, 1 / a), people)
            shares = setting.rng.multinomial(people, np.full(a, 1 / a), samples) / people
            found.append(float((np.abs(shares - 1 / a).max(axis=1) <= error).mean()))
    return series(_CELLS, inside)


def _covers(measured: Curves, published: Curves) -> tuple[bool, str]:
    """Two points of tolerance: with 400 samples the standard error is 1.1 points."""
    least = min((y, -float(x), one.name) for one in measured.series for x, y in zip(one.x, one.y, strict=True))
    return least[0] >= 0.93, f"in the least favourable case, {-least[1]:g} categories and {least[2]}, in {percent(least[0])}"


def _section_33(setting: Setting) -> list[Series]:
    widths = range(1, len(ADULT_SIZES) + 1)
    single = [max(published_relative_error(np.full(a, 1 / a), ADULT_PEOPLE) for a in ADULT_SIZES[:w]) for w in widths]
    joint = [published_relative_error(np.full(c, 1 / c), ADULT_PEOPLE) for c in (math.prod(ADULT_SIZES[:w]) for w in widths)]
    return series(widths, {"RR-Independent": single, "RR-Joint": joint})


def _unusable(measured: Curves, published: Curves) -> tuple[bool, str]:
    one = measured.get("RR-Joint")
    return one.y[-1] > 1, f"the relative error of RR-Joint is {number(one.y[-1])} for all {one.x[-1]} attributes"


def _covariance(table: Floats) -> float:
    rows, columns = (np.arange(size, dtype=float) for size in table.shape)
    mean = rows @ table @ columns
    return float(mean - (rows @ table.sum(axis=1)) * (columns @ table.sum(axis=0)))


def _proposition_1(setting: Setting) -> list[Series]:
    """Exact: random joint tables of 3 x 4 answers pushed through the channel."""
    ratios: dict[float, list[float]] = {kept: [] for kept in KEPT}
    for _ in range(20):
        table = setting.rng.dirichlet(np.full(12, 0.5)).reshape(3, 4)
        for kept in KEPT:
            channel = Kronecker.from_levels((3, 4), [level_of(kept, 3), level_of(kept, 4)]).marginal_channel((0, 1))
            ratios[kept].append(_covariance(channel.push(table)) / _covariance(table))
    means, low, high = (tuple(float(fold(values)) for values in ratios.values()) for fold in (np.mean, min, max))
    return [Series("covariance after / before", KEPT, means, low=low, high=high)]


def _corollary_1(setting: Setting) -> list[Series]:
    """Exact: random tables of four attributes; share of pairs of pairs whose order of |covariance| survives."""
    kept_order: dict[str, list[float]] = {"one p for all": [], "p from 0.1 to 0.7": []}
    sizes, tables = (3, 4, 2, 5), 20
    for _ in range(tables):
        table = setting.rng.dirichlet(np.full(math.prod(sizes), 0.1)).reshape(sizes)
        pairs = list(combinations(range(4), 2))
        margins = [table.sum(axis=tuple({0, 1, 2, 3} - {*pair})) for pair in pairs]
        before = [abs(_covariance(margin)) for margin in margins]
        for name, keeps in (("one p for all", (0.3,) * 4), ("p from 0.1 to 0.7", KEPT)):
            mechanism = Kronecker.from_levels(sizes, [level_of(kept, a) for kept, a in zip(keeps, sizes, strict=True)])
            released = [mechanism.marginal_channel(pair).push(margin) for pair, margin in zip(pairs, margins, strict=True)]
            after = [abs(_covariance(margin)) for margin in released]
            same = [(after[a] - after[b]) * (before[a] - before[b]) > 0 for a in range(6) for b in range(a)]
            kept_order[name].append(float(np.mean(same)))
    return series(kept_order, {"order kept": [np.mean(values) for values in kept_order.values()]})


_CELL_NAMES = ("first, first", "first, second", "second, first", "second, second")
_EXAMPLE = "Example 1, as stated; the fractions are recovered from its words"


def _example_1(setting: Setting) -> list[Series]:
    codes = np.array([[0, 0]] * 4 + [[0, 1]] * 2 + [[1, 1]] * 4, dtype=np.int32)
    half = np.array([0.5, 0.5])
    found = adjust(codes, (2, 2), [(0,), (1,)], [half, half], most=setting.repeats(2_000, 20_000))
    table = np.bincount(codes @ np.array([2, 1]), weights=found.weights, minlength=4)
    product = independent_shares([half, half], [[0], [1]]).ravel()
    return series(_CELL_NAMES, {"RR-Adjustment": table, "RR-Independent": product})


ENTRIES: tuple[PaperEntry, ...] = (
    PaperEntry(
        *MULTIDIMENSIONAL.at(
            "figure-1",
            "Figure 1",
            "The root of B, to which errors of frequencies are proportional, by the number of categories; confidence 95 %",
        ),
        "The absolute error grows with B, which in turn grows with the number of categories; the impact of its root is limited.",
        axes=(Axis("categories", log=True), Axis("root of B")),
        measure=_figure_1,
        checks=(
            rises("B grows with the number of categories", "root of B"),
            flat("The impact of its root is limited: below threefold up to 1,000 categories", "root of B", factor=3),
        ),
    ),
    PaperEntry(
        *MULTIDIMENSIONAL.at(
            "equation-5",
            "Definition 1, equation (5)",
            "Share of samples in which every category is within the absolute error, equal shares",
        ),
        "The absolute error holds for all categories together with the confidence that is asked for, here 95 %.",
        axes=(Axis("categories", log=True), Axis("samples with every category within the error", "share")),
        measure=_equation_5,
        checks=(PaperCheck("All categories are within the error in 95 % of samples", _covers),),
    ),
    PaperEntry(
        *MULTIDIMENSIONAL.at(
            "section-3-3",
            "Section 3.3",
            "Relative error of frequencies in the best case, equal shares, for the sizes and people of Adult",
        ),
        "The relative error of RR-Joint grows as the square root of the number of categories, which is exponential in the number of "
        "attributes, so its accuracy is poor already for a small number of attributes.",
        axes=(Axis("attributes"), Axis("relative error, equation (6)", log=True)),
        measure=_section_33,
        checks=(
            below("RR-Independent has the smaller relative error", "RR-Independent", "RR-Joint"),
            rises("The error of RR-Joint grows with the number of attributes", "RR-Joint"),
            PaperCheck("RR-Joint on all attributes is not acceptable", _unusable),
        ),
    ),
    PaperEntry(
        *MULTIDIMENSIONAL.at(
            "proposition-1",
            "Proposition 1",
            "Covariance of two randomized attributes as a part of their true covariance, both kept with probability p",
        ),
        "If two attributes are kept with probabilities p1 and p2, and drawn uniformly otherwise, the covariance is multiplied by p1 p2.",
        axes=(Axis("probability p of keeping an answer"), Axis("covariance after / before")),
        published=(
            Series(
                "covariance after / before",
                KEPT,
                tuple(round(kept * kept, 2) for kept in KEPT),
                source="Proposition 1 with p1 = p2 = p; its formula is recovered from the proof",
            ),
        ),
        measure=_proposition_1,
        checks=(near("The covariance is multiplied by p1 p2", absolute=1e-9),),
    ),
    PaperEntry(
        *MULTIDIMENSIONAL.at(
            "corollary-1",
            "Corollary 1",
            "Share of comparisons between pairs of attributes in which the stronger covariance stays the stronger one",
        ),
        "Randomization with one p for all attributes does not alter the relative strength of covariances. Nothing is said where p differs.",
        axes=(Axis("probabilities of keeping an answer"), Axis("order kept", "share of comparisons")),
        published=(Series("order kept", ("one p for all",), (1.0,), source="Corollary 1, as stated"),),
        measure=_corollary_1,
        checks=(near("With one p the order of covariances is never altered", absolute=1e-12),),
        bars=True,
    ),
    PaperEntry(
        *MULTIDIMENSIONAL.at("example-1", "Example 1", "RR-Adjustment on ten records of two yes/no attributes"),
        "The weights converge to a joint distribution with the estimated marginals that is closer to the released one than the product.",
        axes=(Axis("answers"), Axis("share")),
        published=(
            Series("RR-Adjustment", _CELL_NAMES, (0.5, 0.0, 0.0, 0.5), source=_EXAMPLE),
            Series("RR-Independent", _CELL_NAMES, (0.25, 0.25, 0.25, 0.25), source=_EXAMPLE),
        ),
        measure=_example_1,
        checks=(near("Both distributions are the printed ones", absolute=2e-3),),
        bars=True,
    ),
)
