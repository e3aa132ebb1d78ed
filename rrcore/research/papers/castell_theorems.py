"""Castell: its theorems, the thresholds of Table III and the worked example of appendix B, each beside what is true of the schemes.

Everything here is exact or is drawn from small tables: no data are needed.
"""

import math

import numpy as np

from rrcore.arrays import Floats
from rrcore.channel.factors import invert_each_axis
from rrcore.channel.levels import retention_from_level
from rrcore.dependence import cramers_v
from rrcore.estimate import (
    independent_shares,
    largest_absolute_error,
    mean_squared_error,
    published_independent_bound,
    published_independent_mse,
    published_joint_bound,
    published_thresholds,
    published_truncation,
)
from rrcore.mechanisms import Kronecker
from rrcore.research.papers.bibliography import CASTELL
from rrcore.research.papers.castell_errors import JOINT, PRODUCT
from rrcore.research.papers.checks import near, power, under_printed
from rrcore.research.papers.entry import Axis, PaperEntry, Series, Setting, series

RECORDS, CATEGORIES = 32_561, 16  # of Table III: Adult, education
_THRESHOLDS = ("people", "level", "attributes")

_X, _Y = np.array([[4, 0], [2, 4]]) / 10, np.array([[3, 1], [3, 3]]) / 10  # appendix B: true and released shares
_LEVEL = math.log(3)
_MSE, _LARGEST = "mean squared error of RR-Independent", "largest absolute error"
_STRENGTHS, _PEOPLE = (0.0, 0.25, 0.5, 0.75, 1.0), 10_000
_SIZES, _INVERTED = (2, 3, 5, 10, 20), (2, 5, 16)
_LEVELS, _CROWDS = (0.5, 1.0, _LEVEL, 2.0, 4.0), (100, 1_000, 10_000, 100_000, 1_000_000)
_LIMIT, _CROWD = "endless answers", "10,000 people at level 1"


def thresholds(setting: Setting) -> list[Series]:
    """The formulas of appendix C for two attributes of 16 categories and 32,561 people at a level of 4 for both together."""
    found = published_thresholds(CATEGORIES, 2, n=RECORDS, eps=4.0)
    return [
        Series("threshold", (name,), (value,), name)
        for name, value in zip(_THRESHOLDS, (found.n, found.eps, found.w), strict=True)
    ]


def product_mse(truth: Floats, released: Floats, r: float) -> float:
    """Mean squared error of RR-Independent from the released shares of two attributes with retention ``r``."""
    ours = [invert_each_axis(released.sum(axis=1 - i), np.array([r])) for i in range(2)]
    return mean_squared_error(truth, independent_shares(ours, [(0,), (1,)]))


def theorem_4(setting: Setting) -> list[Series]:
    """RR-Independent on pairs of 5 and of 10 categories with Zipf-like shares: from endless answers, and from 10,000 people at level 1."""
    found: dict[tuple[str, str], list[float]] = {}
    for d in (5, 10):
        channel = Kronecker.from_levels((d, d), (1.0, 1.0)).marginal_channel((0, 1))
        r, exact, sampled = float(retention_from_level(1.0, d)), [], []
        for v in _STRENGTHS:
            truth = zipf_pair(d, v)
            seen = channel.push(truth)
            exact.append(round(product_mse(truth, seen, r), 15))  # at V = 0 it is 0
            draws = setting.rng.multinomial(_PEOPLE, seen.ravel(), setting.repeats(20, 500)) / _PEOPLE
            sampled.append(float(np.mean([product_mse(truth, draw.reshape(d, d), r) for draw in draws])))
        found |= {(_MSE, f"{d} categories, {_LIMIT}"): exact, (_MSE, f"{d} categories, {_CROWD}"): sampled}
    return series(_STRENGTHS, found)


def zipf_pair(categories: int, v: float) -> Floats:
    """Shares of a pair with Castell's marginals (appendix D, in proportion to 1/a for a = 2, 3, ...) and exactly this Cramér's V."""
    shares = 1 / np.arange(2, categories + 2)
    shares /= shares.sum()
    return np.asarray((1 - v) * np.multiply.outer(shares, shares) + v * np.diag(shares))


def theorem_5(setting: Setting) -> list[Series]:
    """The largest error of RR-Independent from endless answers to two uniform attributes that determine each other."""
    pairs = [np.eye(d) / d for d in _SIZES]
    blind = [largest_absolute_error(pair, np.multiply.outer(pair.sum(axis=1), pair.sum(axis=0))) for pair in pairs]
    return series(_SIZES, {_LARGEST: blind})


def inverse_entries(setting: Setting) -> list[Series]:
    """The largest entry of the inverse of a randomization matrix, for levels 0.5 to 4 and 2, 5 and 16 categories."""
    found = {}
    for d in _INVERTED:
        matrices = [r * np.eye(d) + (1 - r) / d for r in (float(retention_from_level(level, d)) for level in _LEVELS)]
        found["largest entry", f"{d} categories"] = [np.linalg.inv(matrix).max() for matrix in matrices]
    return series(_LEVELS, found)


def theorem_6(setting: Setting) -> list[Series]:
    """Largest errors of RR-Ind-Joint on two yes/no answers at ln 3 each, uniform and independent: the median over releases."""
    truth, r = np.full((2, 2), 0.25), retention_from_level(np.full(2, _LEVEL), np.full(2, 2))
    errors = []
    for n in _CROWDS:
        draws = setting.rng.multinomial(n, truth.ravel(), setting.repeats(200, 5_000)) / n
        errors.append(
            float(np.median([largest_absolute_error(truth, invert_each_axis(draw.reshape(2, 2), r)) for draw in draws]))
        )
    return series(_CROWDS, {_LARGEST: errors})


def example(setting: Setting) -> list[Series]:
    """Every number of the worked example of appendix B, computed from its true and its released table."""
    r = retention_from_level(np.full(2, _LEVEL), np.full(2, 2))
    singles = [invert_each_axis(_Y.sum(axis=1 - i), r[:1]) for i in range(2)]
    product, joint = independent_shares(singles, [(0,), (1,)]), invert_each_axis(_Y, r)
    cut = published_truncation(_Y, Kronecker.from_levels((2, 2), (_LEVEL, _LEVEL)).marginal_channel((0, 1)))
    named = {PRODUCT: product, JOINT: joint, "truncated": cut}
    errors = {name: (mean_squared_error(_X, shares), largest_absolute_error(_X, shares)) for name, shares in named.items()}
    return [
        *series(_CELLS, {name: shares.ravel() for name, shares in named.items()}, "estimate"),
        *series(("MSE", "AVD"), errors, "error"),
        *series(("true", "released"), {"Cramér's V": (cramers_v(_X), cramers_v(_Y))}, "dependence"),
    ]


_CELLS = ("a1 b1", "a1 b2", "a2 b1", "a2 b2")
_B, _IV = "appendix B, as printed", "Theorem 4: V^2 / d"


ENTRIES = (
    PaperEntry(
        *CASTELL.at("table-3", "Table III", "Thresholds for choosing between RR-Ind-Joint and RR-Independent"),
        claim="For Adult (n = 32,561, d = 16) RR-Ind-Joint is chosen above 121,000 people, above a level of 0.473 and below "
        "1.374 attributes.",
        axes=(Axis("threshold"), Axis("value", "people, nats, attributes")),
        published=tuple(
            Series("threshold", (name,), (printed,), name, "Table III, as printed")
            for name, printed in zip(_THRESHOLDS, (121_000.0, 0.473, 1.374), strict=True)
        ),
        measure=thresholds,
        checks=(
            near(
                "the formulas of appendix C give the printed thresholds to 1 % (for 2 attributes at a level of 4 in all)",
                relative=0.01,
            ),
        ),
        bars=True,
    ),
    PaperEntry(
        *CASTELL.at("theorem-4", "Theorem 4", "Mean squared error of RR-Independent against V^2 / d"),
        claim="Let A and B be two attributes with Cramér's V and the same number of values d: the MSE of RR-Ind is less than V^2 / d.",
        axes=(Axis("Cramér's V"), Axis("mean squared error", log=True)),
        published=tuple(
            Series(_MSE, _STRENGTHS, tuple(published_independent_mse(v, d) for v in _STRENGTHS), f"{d} categories, {kind}", _IV)
            for d in (5, 10)
            for kind in (_LIMIT, _CROWD)
        ),
        measure=theorem_4,
        checks=tuple(
            under_printed(
                f"the error from {kind} is at most V^2 / d", (_MSE,), panels=[f"{d} categories, {kind}" for d in (5, 10)]
            )
            for kind in (_LIMIT, _CROWD)
        ),
    ),
    PaperEntry(
        *CASTELL.at("theorem-5", "Theorem 5", "Largest error of RR-Independent with uniform marginals"),
        claim="Where marginals are uniform, the error of RR-Independent is less than max(d^-w, 1/d - d^-w).",
        axes=(Axis("categories", log=True), Axis("largest absolute error", log=True)),
        published=(Series(_LARGEST, _SIZES, tuple(published_independent_bound((d, d)) for d in _SIZES), source="eq. (26)"),),
        measure=theorem_5,
        checks=(under_printed("two attributes that determine each other stay within the bound", (_LARGEST,)),),
    ),
    PaperEntry(
        *CASTELL.at("lemma-2", "Lemma 2", "Largest entry of the inverse of a randomization matrix"),
        claim="An element of the inverse of P is at most 1/p.",
        axes=(Axis("level", "nats"), Axis("entry")),
        published=tuple(
            Series(
                "largest entry",
                _LEVELS,
                tuple((math.exp(level) + d - 1) / math.exp(level) for level in _LEVELS),
                f"{d} categories",
                "Lemma 2: 1/p",
            )
            for d in _INVERTED
        ),
        measure=inverse_entries,
        checks=(under_printed("the largest entry is at most 1/p", ("largest entry",)),),
    ),
    PaperEntry(
        *CASTELL.at("theorem-6", "Theorem 6", "Largest error of RR-Ind-Joint against its upper bound"),
        claim="The error of RR-Ind-Joint does not exceed (1 + (d - 1) / e^(eps/w))^w d^w / n, so it falls as 1/n.",
        axes=(Axis("people", log=True), Axis("largest absolute error", log=True)),
        published=(
            Series(
                _LARGEST, _CROWDS, tuple(published_joint_bound((2, 2), (_LEVEL, _LEVEL), n) for n in _CROWDS), source="eq. (27)"
            ),
        ),
        measure=theorem_6,
        checks=(
            under_printed("the median largest error is at most the bound", (_LARGEST,)),
            power("the error falls as 1/n", _LARGEST, -1.0, within=0.15),
        ),
    ),
    PaperEntry(
        *CASTELL.at("appendix-b", "Appendix B", "The worked example of ten people and two yes/no attributes"),
        claim="From the released table at level ln 3, RR-Independent, RR-Ind-Joint and the truncated scheme give the printed "
        "estimates and errors.",
        axes=(Axis("cell or measure"), Axis("share, error or V")),
        published=(
            Series(PRODUCT, _CELLS, (0.21, 0.09, 0.49, 0.21), "estimate", _B),
            Series(JOINT, _CELLS, (0.45, -0.15, 0.25, 0.45), "estimate", _B),
            Series("truncated", _CELLS, (0.3, 0.0, 0.25, 0.3), "estimate", _B),
            Series(PRODUCT, ("MSE", "AVD"), (0.041, 0.29), "error", _B),
            Series(JOINT, ("MSE", "AVD"), (0.0075, 0.15), "error", _B),
            Series("truncated", ("MSE", "AVD"), (0.15, 0.1), "error", _B),
            Series("Cramér's V", ("true", "released"), (0.66, 0.25), "dependence", _B),
        ),
        measure=example,
        checks=(near("every printed number is right to 0.01", absolute=0.01),),
        bars=True,
    ),
)
"""Statements and small tables that need no data."""
