"""Checks of Castell: its theorems, appendices, Tables II to VI and Figures 3 to 11."""

from __future__ import annotations

import math
import time
import tracemalloc
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from rrcore.arrays import Floats
from rrcore.association import cramers_v
from rrcore.budget.project import Invention
from rrcore.channel import invert_each_axis
from rrcore.channel.epsilon import retention_from_epsilon
from rrcore.estimate import independent_shares
from rrcore.mechanisms import Joint, Kronecker
from rrcore.papers.checks import Check, Run, at_least, at_most, flatness, highest_ratio, is_adult, near, slope, steepest, within
from rrcore.papers.comparison import Outcome, Study, summarise
from rrcore.papers.lopub import Filters, make_source
from rrcore.papers.printed_formulas import (
    published_independent_bound,
    published_independent_mse,
    published_joint_bound,
    published_naive_inversion,
    published_reduced_inversion,
    published_thresholds,
    published_truncation,
)
from rrcore.simulation import make_table, simulate
from rrcore.simulation.metrics import largest_absolute_error, mean_squared_error
from rrcore.table.dataset import Dataset

_LARGEST, _MAE, _MSE = "largest absolute cell error", "mean absolute error", "mean squared error"
_JOINT, _PRODUCT = "rr-ind-joint", "rr-independent"
_NAMES = {_JOINT: "RR-Ind-Joint", _PRODUCT: "RR-Independent", "hybrid-published": "hybrid", "truncated": "truncated"}
_WAYS = (2, 3, 4, 5, 6)
_INVERSIONS = {"naive": published_naive_inversion, "reduced": published_reduced_inversion, "castell": invert_each_axis}


def outcomes(
    run: Run, table: Dataset, eps: float, *, schemes: Sequence[str] = (_JOINT, _PRODUCT), repeats: int, **options: Any
) -> list[Outcome]:
    """Return the errors of methods with ``eps`` for each attribute.

    ``options`` are those of ``Study``. By default, the errors are those of pairs.
    """
    study = Study(
        tuple(schemes), repeats=repeats, seed=int(run.rng.integers(2**31)), spend="epsilon", **({"ways": (2,)} | options)
    )
    return [one for release in study.run(table, np.full(table.k, float(eps)), report=run.report) for one in release]


def medians(found: Sequence[Outcome], metric: str) -> dict[str, list[float]]:
    """Return the median errors of each method by number of attributes."""
    errors: dict[str, list[float]] = {}
    for one in summarise(found, metric):
        errors.setdefault(one.scheme, []).append(one.median)
    return errors


def table_3(run: Run) -> Iterator[Check]:
    """Check the thresholds for two attributes of education with a total ε of 4."""
    found = published_thresholds(16, 2, n=32_561, eps=4.0)
    for what, printed, value in zip(("sample size", "ε", "attribute"), (121_000, 0.473, 1.374), found, strict=True):
        yield near("Table III", f"{what} threshold", printed, value, relative=0.01)


def zipf_pair(categories: int, v: float) -> Floats:
    """Return shares of a pair with Castell's marginals and exactly this Cramér's V.

    See appendix D.
    """
    shares = 1 / np.arange(2, categories + 2)
    shares /= shares.sum()
    return np.asarray((1 - v) * np.multiply.outer(shares, shares) + v * np.diag(shares))


def product_mse(truth: Floats, released: Floats, r: float) -> float:
    """Return the mean squared error of RR-Independent on two attributes with retention ``r``."""
    ours = [invert_each_axis(released.sum(axis=1 - i), np.array([r])) for i in range(2)]
    return mean_squared_error(truth, independent_shares(ours, [(0,), (1,)]))


def theorem_4(run: Run) -> Iterator[Check]:
    """Check the bound V^2 / d for pairs with Zipf-like shares."""
    for d in (5, 10):
        channel, r = Kronecker.from_epsilon((d, d), (1.0, 1.0)).channel((0, 1)), float(retention_from_epsilon(1.0, d))
        for v in (0.0, 0.5, 1.0):
            truth, bound = zipf_pair(d, v), published_independent_mse(v, d)
            seen = channel.push(truth)
            what = f"MSE of RR-Independent, {d} categories, V = {v:g}"
            yield at_most("Theorem 4", f"{what}, infinite sample", product_mse(truth, seen, r), bound, printed=bound)
            draws = run.rng.multinomial(10_000, seen.ravel(), run.times(50)) / 10_000
            sampled = float(np.mean([product_mse(truth, draw.reshape(d, d), r) for draw in draws]))
            yield at_most("Theorem 4", f"{what}, n = 10,000 at ε 1", sampled, bound, printed=bound)


def theorem_5(run: Run) -> Iterator[Check]:
    """Check the bound for two uniform attributes that determine each other."""
    for d in (2, 3, 5, 10, 20):
        bound = published_independent_bound((d, d))
        error = largest_absolute_error(np.eye(d) / d, np.full((d, d), d**-2.0))
        yield at_most("Theorem 5", f"largest error of RR-Independent, {d} categories", error, bound, printed=bound)


def lemma_2(run: Run) -> Iterator[Check]:
    """Check the bound 1/p of the entries of the inverse."""
    for d in (2, 5, 16):
        for eps in (0.5, 1.0, 2.0, 4.0):
            r = float(retention_from_epsilon(eps, d))
            largest, bound = np.linalg.inv(r * np.eye(d) + (1 - r) / d).max(), 1 / (r + (1 - r) / d)
            what = f"largest entry of the inverse, {d} categories, ε {eps:g}"
            yield at_most("Lemma 2", what, largest, bound, printed=bound)


def theorem_6(run: Run) -> Iterator[Check]:
    """Check the bound for two independent yes/no answers, each with ε = ln 3."""
    truth, eps = np.full((2, 2), 0.25), [math.log(3)] * 2
    sizes, errors = (100, 1_000, 10_000, 100_000, 1_000_000), []
    r = retention_from_epsilon(np.array(eps), np.full(2, 2))
    for n in sizes:
        draws = run.rng.multinomial(n, truth.ravel(), run.times(500)) / n
        found = [largest_absolute_error(truth, invert_each_axis(draw.reshape(2, 2), r)) for draw in draws]
        errors.append(float(np.median(found)))
        bound = published_joint_bound((2, 2), eps, n)
        yield at_most("Theorem 6", f"median largest error of RR-Ind-Joint, n = {n:,}", errors[-1], bound, printed=bound)
    yield near("Theorem 6", "exponent of n", -1.0, slope(sizes, errors), absolute=0.15)


def appendix_b(run: Run) -> Iterator[Check]:
    """Check every number of the worked example with ε = ln 3."""
    truth, released = np.array([[4, 0], [2, 4]]) / 10, np.array([[3, 1], [3, 3]]) / 10
    eps = (math.log(3), math.log(3))
    r = retention_from_epsilon(np.array(eps), np.full(2, 2))
    singles = [invert_each_axis(released.sum(axis=1 - i), r[:1]) for i in range(2)]
    cut = published_truncation(released, Kronecker.from_epsilon((2, 2), eps).channel((0, 1)))
    rows: tuple[tuple[str, Floats, tuple[float, ...]], ...] = (
        ("RR-Independent", independent_shares(singles, [(0,), (1,)]), (0.21, 0.09, 0.49, 0.21, 0.041, 0.29)),
        ("RR-Ind-Joint", invert_each_axis(released, r), (0.45, -0.15, 0.25, 0.45, 0.0075, 0.15)),
        ("truncated", cut, (0.3, 0.0, 0.25, 0.3, 0.15, 0.1)),
    )
    whats = ("a1 b1", "a1 b2", "a2 b1", "a2 b2", "MSE", "largest error")
    for name, shares, printed in rows:
        errors = mean_squared_error(truth, shares), largest_absolute_error(truth, shares)
        for what, there, value in zip(whats, printed, (*shares.ravel(), *errors), strict=True):
            yield near("Appendix B", f"{name}, {what}", there, value, absolute=0.01)
    for what, there, table in (("true", 0.66, truth), ("released", 0.25, released)):
        yield near("Appendix B", f"Cramér's V of the {what} table", there, cramers_v(table), absolute=0.01)


def table_2_and_figure_8(run: Run) -> Iterator[Check]:
    """Check the bytes and CPU seconds of inverting w attributes.

    Each attribute has three categories, and p = 0.5.

    Table II states d^2w or d^w numbers. For small tables, the interpreter dominates the measurement, so Table II starts with 4
    attributes.
    """
    seconds: dict[str, list[float]] = {name: [] for name in _INVERSIONS}
    for w in _WAYS:
        table, retentions = run.rng.dirichlet(np.ones(3**w)).reshape((3,) * w), np.full(w, 0.25)
        for name, invert in _INVERSIONS.items():
            taken = []
            for _ in range(run.times(5)):
                began = time.process_time()
                invert(table, retentions)
                taken.append(time.process_time() - began)
            seconds[name].append(float(np.median(taken)))
            tracemalloc.start()
            invert(table, retentions)
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            if w >= 4:
                printed = 8 * 3 ** (w if name == "castell" else 2 * w)
                yield within("Table II", f"bytes, {name}, {w} attributes", printed, peak, 8)
    naive, reduced, castell = seconds.values()
    yield at_least("Figure 8", "time of naive, 6 attributes / 2 attributes", naive[-1] / naive[0], 10)
    yield at_most("Figure 8", "time of reduced / naive, 4 to 6 attributes", highest_ratio(reduced[2:], naive[2:]), 1)
    yield at_most("Figure 8", "time of castell / reduced, 4 to 6 attributes", highest_ratio(castell[2:], reduced[2:]), 1)
    yield at_most("Figure 8", "seconds of castell, 6 attributes", castell[-1], 0.007, printed=0.007)


def _invented(v: float = 0.5, categories: int = 10, people: int = 10_000) -> Dataset:
    return make_table(Invention(people=people, attributes=2, categories=categories, cramers_v=v))


def figure_9(run: Run) -> Iterator[Check]:
    """Check a pair of 10 categories with V = 0.5 for 1,000 people at ε = 1.

    The diagonal is that of an infinite sample.
    """
    table = _invented(people=1_000)
    truth = table.shares(table.schema.names)
    blind = np.multiply.outer(truth.sum(axis=1), truth.sum(axis=0))
    errors = medians(outcomes(run, table, 1.0, repeats=run.times(20)), _MAE)
    yield at_most("Figure 9", "RR-Independent / truth, sum of the diagonal", np.trace(blind) / np.trace(truth), 0.5)
    yield at_most("Figure 9", "MAE of RR-Ind-Joint / RR-Independent", errors[_JOINT][0] / errors[_PRODUCT][0], 1)


def figure_10(run: Run) -> Iterator[Check]:
    """Check errors on invented pairs by V, ε, sample size and categories.

    One of these varies at a time.
    """

    def errors(eps: float = 1.0, people: int | None = None, **made: Any) -> tuple[float, float]:
        found = medians(outcomes(run, _invented(**made), eps, repeats=run.times(10), people=people), _MAE)
        return found[_JOINT][0], found[_PRODUCT][0]

    strengths, levels, people, categories = (
        (0.0, 0.2, 0.4, 0.6, 0.8, 1.0),
        (0.1, 0.3, 0.5, 1.0, 1.5, 2.0),
        (10, 100, 1_000, 3_000, 10_000),
        (2, 4, 7, 10, 15, 20),
    )
    joint, product = zip(*(errors(v=v) for v in strengths), strict=True)
    line = np.polyfit(strengths, product, 1)[1] / max(product)
    yield at_least("Figure 10 (a)", "correlation of RR-Independent with V", np.corrcoef(strengths, product)[0, 1], 0.99)
    yield near("Figure 10 (a)", "RR-Independent at V = 0 / at V = 1, fitted line", 0, line, absolute=0.1)
    yield at_most("Figure 10 (a)", "largest / smallest error of RR-Ind-Joint", flatness(joint), 1.33)
    joint, product = zip(*(errors(eps=eps) for eps in levels), strict=True)
    yield at_most("Figure 10 (b)", "RR-Ind-Joint, largest ratio to the previous ε", steepest(joint), 1)
    yield at_most("Figure 10 (b)", "largest / smallest error of RR-Independent", flatness(product), 1.5)
    joint, _ = zip(*(errors(people=n) for n in people), strict=True)
    yield at_most("Figure 10 (c)", "RR-Ind-Joint, largest ratio to the previous n", steepest(joint), 1)
    yield near("Figure 10 (c)", "exponent of n from 1,000 on, RR-Ind-Joint", -1, slope(people[2:], joint[2:]), absolute=0.15)
    joint, product = zip(*(errors(categories=d) for d in categories), strict=True)
    yield at_most("Figure 10 (d)", "RR-Ind-Joint, largest ratio to the next d", steepest(joint[::-1]), 1)
    yield near("Figure 10 (d)", "exponent of d, RR-Independent", -0.5, slope(categories, product), absolute=0.15)


def table_4(run: Run) -> Iterator[Check]:
    """Check the size of UCI Adult."""
    table = run.given
    counted = (table.n, table.k, math.prod(table.schema.sizes))
    for what, printed, value in zip(("records", "attributes", "combinations"), (32_561, 8, 1_814_400), counted, strict=True):
        yield near("Table IV", what, printed, value)


def table_5(run: Run) -> Iterator[Check]:
    """Check three pairs of Adult at ε 1."""
    rows = (
        (("sex", "income"), 0.216, 1.88e-3, 7.07e-10),
        (("sex", "race"), 0.118, 1.10e-4, 2.26e-9),
        (("education", "occupation"), 0.187, 2.15e-5, 6.28e-7),
    )
    for pair, v, product, joint in rows:
        table, name = run.given.select(pair), " x ".join(pair)
        seen = outcomes(run, table, 1.0, repeats=run.times(20))
        mae, mse = medians(seen, _MAE), medians(seen, _MSE)
        yield near("Table V", f"Cramér's V, {name}", v, cramers_v(table.shares(pair)), absolute=0.005)
        yield within("Table V", f"MAE of RR-Independent, {name}", product, mae[_PRODUCT][0], 2)
        yield within("Table V", f"MAE of RR-Ind-Joint, {name}", joint, mae[_JOINT][0], 2)
        yield within("Table V", f"MSE of RR-Independent (printed as MAE), {name}", product, mse[_PRODUCT][0], 2)


def _some_sets(run: Run, table: Dataset, w: int, sets: int, most_cells: float = math.inf) -> list[tuple[int, ...]]:
    """Draw sets of ``w`` attributes with at most ``most_cells`` combinations."""
    sizes = table.schema.sizes
    every = [axes for axes in combinations(range(table.k), w) if math.prod(sizes[i] for i in axes) <= most_cells]
    return [every[i] for i in sorted(run.rng.permutation(len(every))[:sets].tolist())]


def table_6(run: Run) -> Iterator[Check]:
    """Check Table VI and Figure 3: largest cell errors of six schemes.

    They are for Adult at ε = 4.
    """
    table = run.given
    names, sizes = table.schema.names, table.schema.sizes
    found = medians(outcomes(run, table, 4.0, schemes=tuple(_NAMES), ways=_WAYS, repeats=run.times(1), sets=20), _LARGEST)
    errors = {_NAMES[key]: values for key, values in found.items()} | {"RR-Joint": [], "LoPub": []}
    for w in (2, 3):
        each = []
        for axes in _some_sets(run, table, w, run.times(8)):
            part = table.select([names[i] for i in axes])
            release = simulate(part, Joint.from_total(part.schema.sizes, 4.0 * w), rng=run.rng)
            each.append(largest_absolute_error(part.shares(part.schema.names), release.estimate(part.schema.names).shares))
        errors["RR-Joint"].append(float(np.mean(each)))
    # section IV-B: Lasso with 64 bits and 5 hash functions, up to 1,500 combinations
    lasso = make_source("lasso", table, 4.0, filters=Filters(5, (64,) * len(sizes)), rng=run.rng)
    for w in _WAYS[:4]:
        sets = _some_sets(run, table, w, run.times(2), 1_500)
        each = [largest_absolute_error(table.shares([names[i] for i in axes]), lasso.joint(axes)) for axes in sets]
        errors["LoPub"].append(float(np.mean(each)))
    rows = {
        "RR-Ind-Joint": (0.0004, 0.0023, 0.0129, 0.0635, 0.3384),
        "RR-Independent": (0.0588, 0.0669, 0.0395, 0.0405, 0.0215),
        "hybrid": (0.0004, 0.0023, 0.0129, 0.0405, 0.0215),
        "truncated": (0.0004, 0.0019, 0.0068, 0.0182, 0.0223),
        "RR-Joint": (0.0001, 0.0004),
        "LoPub": (0.1262, 0.2832, 0.3560, 0.3891),
    }
    for name, printed in rows.items():
        for w, there, value in zip(_WAYS, printed, errors[name], strict=False):
            yield within("Table VI", f"{name}, {w} attributes", there, value, 2)
    joint, product = errors["RR-Ind-Joint"], errors["RR-Independent"]
    yield at_least("Figure 3", "smallest error of RR-Ind-Joint, 2 to 4 attributes", min(joint[:3]), 1e-4)
    yield at_most("Figure 3", "largest error of RR-Ind-Joint, 2 to 4 attributes", max(joint[:3]), 2e-2)
    yield at_most("Figure 3", "RR-Ind-Joint / RR-Independent, 2 to 4 attributes", highest_ratio(joint[:3], product[:3]), 0.5)
    yield at_most("Figure 3", "RR-Ind-Joint / LoPub, 2 and 3 attributes", highest_ratio(joint[:2], errors["LoPub"][:2]), 0.5)
    yield at_most("Figure 3", "RR-Joint / RR-Ind-Joint, 2 and 3 attributes", highest_ratio(errors["RR-Joint"], joint[:2]), 1)


def figure_4(run: Run) -> Iterator[Check]:
    """Check the line through errors of RR-Ind-Joint on Adult at ε = 4.

    The errors are plotted against the number of combinations (eq. 28).
    """
    table = run.given
    points: dict[int, list[float]] = {}
    for one in outcomes(run, table, 4.0, schemes=(_JOINT,), ways=_WAYS[:4], repeats=run.times(1), sets=20):
        points.setdefault(math.prod(table.schema.sizes[i] for i in one.axes), []).append(one.errors[_LARGEST])
    means = {cells: float(np.mean(errors)) for cells, errors in sorted(points.items()) if cells <= 16_800}
    gradient, intercept = np.polyfit(list(means), list(means.values()), 1)
    correlation = np.corrcoef(list(means), list(means.values()))[0, 1]
    yield at_least("Figure 4", "correlation of the error with the combinations", correlation, 0.8)
    for cells in (100, 1_000, 5_000, 16_800):
        printed = 2.944e-3 + 4.953e-6 * cells
        yield within("Figure 4", f"fitted line at {cells:,} combinations", printed, intercept + gradient * cells, 2)


def figure_5(run: Run) -> Iterator[Check]:
    """Check errors by number of attributes on any table.

    The paper prints the crossover for Adult.
    """
    table, growth, crossing = run.given, [], {}
    ways = tuple(w for w in _WAYS if w <= table.k)
    for eps in (1.0, 2.0, 4.0):
        errors = medians(outcomes(run, table, eps, ways=ways, repeats=run.times(1), sets=20), _LARGEST)
        joint, product = errors[_JOINT], errors[_PRODUCT]
        growth.append(1 / steepest(joint[::-1]) if len(ways) > 1 else math.inf)
        crossing[eps] = sum(1 for end in range(1, len(ways) + 1) if highest_ratio(joint[:end], product[:end]) <= 1)
    place = f"Figure 5, {table.title}"
    yield at_least(place, "growth of RR-Ind-Joint per attribute, the least, at the best of ε 1, 2 and 4", max(growth), 1.5)
    for eps, count in crossing.items():
        widest = ways[count - 1] if count else 1
        what = f"attributes up to which RR-Ind-Joint is better, ε {eps:g}"
        yield near(place, what, 4, widest) if is_adult(table) else at_least(place, what, widest, 2)


def figure_6(run: Run) -> Iterator[Check]:
    """Check errors on all pairs of any table by sample size.

    The samples are drawn with replacement.
    """
    table, people, place = run.given, (100, 300, 1_000, 3_000, 10_000, 30_000), f"Figure 6, {run.given.title}"
    for eps in (1.0, 4.0):
        found = [medians(outcomes(run, table, eps, repeats=run.times(3), people=n), _LARGEST) for n in people]
        joint, product = ([each[key][0] for each in found] for key in (_JOINT, _PRODUCT))
        yield near(place, f"exponent of n, RR-Ind-Joint at ε {eps:g}", -1, slope(people, joint), absolute=0.15)
        better = highest_ratio(joint[2:], product[2:])
        yield at_most(place, f"RR-Ind-Joint / RR-Independent for n above 500 at ε {eps:g}", better, 1)


def figure_7(run: Run) -> Iterator[Check]:
    """Check errors on all pairs of any table by ε."""
    table, place = run.given, f"Figure 7, {run.given.title}"
    found = [medians(outcomes(run, table, eps, repeats=run.times(3)), _LARGEST) for eps in (0.5, 1.0, 2.0, 4.0, 8.0)]
    joint, product = ([each[key][0] for each in found] for key in (_JOINT, _PRODUCT))
    yield at_most(place, "RR-Ind-Joint, largest ratio to the previous ε", steepest(joint), 1)
    yield at_most(place, "largest / smallest error of RR-Independent", flatness(product), 1.5)
    yield at_most(place, "RR-Ind-Joint / RR-Independent from ε 1 on", highest_ratio(joint[1:], product[1:]), 1)
    yield at_least(place, "RR-Ind-Joint / RR-Independent at ε 0.5", joint[0] / product[0], 1)


def figure_11(run: Run) -> Iterator[Check]:
    """Check one pair of any table at ε = 4.

    The pair is age and sex if the table has them, otherwise its first two attributes.
    """
    table = run.table or run.given
    pair = ("age", "sex") if {"age", "sex"} <= set(table.schema.names) else table.schema.names[:2]
    errors = medians(outcomes(run, table.select(pair), 4.0, repeats=run.times(10)), _LARGEST)
    place = f"Figure 11, {' by '.join(pair)}"
    yield at_most(place, "largest cell error of RR-Ind-Joint", errors[_JOINT][0], 0.02)
    yield at_most(place, "RR-Ind-Joint / RR-Independent", errors[_JOINT][0] / errors[_PRODUCT][0], 1)


CHECKS = (table_3, theorem_4, theorem_5, lemma_2, theorem_6, appendix_b, table_2_and_figure_8, figure_9, figure_10)
ON_ADULT = (table_4, table_5, table_6, figure_4)
ON_TABLE = (figure_5, figure_6, figure_7, figure_11)
