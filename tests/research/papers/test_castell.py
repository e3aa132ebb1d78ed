"""What is measured about Castell against inverse matrices, exact variances and formulas written out here."""

import math
from pathlib import Path

import numpy as np
import pytest

from rrcore.budget import Invention
from rrcore.research.papers import find, read_adult, run
from rrcore.research.papers.castell_errors import LARGEST, MAE, joint_error, outcomes
from rrcore.research.papers.castell_theorems import zipf_pair
from rrcore.research.papers.entry import Setting
from rrcore.schemes.invented import make_table
from rrcore.schemes.summary import summarise
from rrcore.table.opening import read_text_table
from tests.tables import chain

ADULT = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "adult.csv"


def setting(seed=0, adult=None):
    return Setting(np.random.default_rng(seed), fast=True, adult=adult)


def measured(name, panel="", *, entry, adult=None):
    found = find(entry).measure(setting(adult=adult))
    return next(one for one in found if (one.name, one.panel) == (name, panel))


def matrix(level, d):
    p = math.exp(level) / (math.exp(level) + d - 1)
    return np.full((d, d), (1 - p) / (d - 1)) + (p - (1 - p) / (d - 1)) * np.eye(d)


@pytest.fixture(scope="module")
def table():
    return chain((4, 3, 2), 3_000, 0.5, 5)


def exact_errors(table, axes, level):
    """Standard error of every cell of RR-Ind-Joint, by the Kronecker product of inverses."""
    sizes = [table.schema.sizes[i] for i in axes]
    forward = np.ones((1, 1))
    for d in sizes:
        forward = np.kron(forward, matrix(level, d))
    truth = table.shares([table.schema.names[i] for i in axes]).ravel()
    inverse = np.linalg.inv(forward.T)
    return np.sqrt((inverse**2 @ (forward.T @ truth) - truth) / table.n)


def test_errors_of_pairs_are_those_of_exact_variances(table):
    """Mean absolute errors of 200 releases: the standard error of their mean is below 3 % of it, and 4 of them are allowed."""
    found = outcomes(setting(), table.select(["A", "B"]), ("rr-ind-joint",), eps=1.0, repeats=200)
    mean = np.mean([one.errors[MAE] for one in found])
    assert mean == pytest.approx(math.sqrt(2 / math.pi) * exact_errors(table, (0, 1), 1.0).mean(), rel=0.12)
    assert summarise(found, LARGEST)[0].releases == 200


def test_rr_joint_spends_the_levels_of_a_set_together(table):
    """Two yes/no-like attributes: the released pair is kept with e^2eps / (e^2eps + M - 1), and the error is its standard error."""
    one = table.select(["B", "C"])
    errors = [joint_error(setting(seed), one, 2, eps=1.5, sets=5, metric=MAE) for seed in range(200)]
    forward, truth = matrix(3.0, 6), one.shares(["B", "C"]).ravel()
    sd = np.sqrt((np.linalg.inv(forward.T) ** 2 @ (forward.T @ truth) - truth) / one.n)
    assert np.mean(errors) == pytest.approx(math.sqrt(2 / math.pi) * sd.mean(), rel=0.2)


def test_thresholds_are_the_formulas_of_appendix_c():
    d, n, w, eps = 16, 32_561, 2, 4.0
    room = 1 / d - 1 / d**w
    assert measured("threshold", "people", entry="castell-table-3").y[0] == pytest.approx(
        (1 + (d - 1) / math.exp(eps / w)) ** w * d**w / room
    )
    printed = w * math.log((d - 1) / (room ** (1 / w) * n ** (1 / w) / d - 1))
    assert measured("threshold", "level", entry="castell-table-3").y[0] == pytest.approx(printed)
    assert measured("threshold", "attributes", entry="castell-table-3").y[0] == pytest.approx(math.log(n / d) / math.log(d**2))


@pytest.mark.parametrize(("d", "v"), [(5, 0.25), (10, 1.0)])
def test_theorem_4_from_endless_answers_is_what_independence_misses(d, v):
    p = 1 / np.arange(2, d + 2)
    p /= p.sum()
    missed = v**2 * ((np.diag(p) - np.outer(p, p)) ** 2).sum() / d**2
    series = measured("mean squared error of RR-Independent", f"{d} categories, endless answers", entry="castell-theorem-4")
    assert series.at(v) == pytest.approx(missed, rel=1e-9)
    chi = ((zipf_pair(d, v) - np.outer(p, p)) ** 2 / np.outer(p, p)).sum()
    assert chi / (d - 1) == pytest.approx(v**2, rel=1e-9)


def test_theorem_6_is_missed_by_the_standard_error_alone():
    """The largest of four errors is between one and three standard errors of a cell at every number of people."""
    inverse = np.linalg.inv(np.kron(matrix(math.log(3), 2), matrix(math.log(3), 2)))
    spread = math.sqrt((inverse[0] ** 2 * 0.25).sum() - 1 / 16)
    series = measured("largest absolute error", entry="castell-theorem-6")
    for n, error in zip(series.x, series.y, strict=True):
        assert spread / math.sqrt(n) < error < 3 * spread / math.sqrt(n)
    assert run(find("castell-theorem-6")).verdict == "differ"


def test_lemma_2_by_the_paper_s_own_example():
    series = measured("largest entry", "2 categories", entry="castell-lemma-2")
    assert series.at(math.log(3)) == pytest.approx(1.5)  # printed in appendix B; 1/p is 4/3
    assert [outcome.holds for outcome in run(find("castell-lemma-2")).outcomes] == [False]


def test_appendix_b_is_right_but_for_one_error():
    result = run(find("castell-appendix-b"))
    by_name = {(one.name, one.panel): one for one in result.measured}
    assert by_name["truncated", "error"].y == pytest.approx((0.0225 / 4, 0.1))
    assert by_name["RR-Ind-Joint", "estimate"].y == pytest.approx((0.45, -0.15, 0.25, 0.45))
    missed = [
        (one.name, place)
        for one in result.entry.published
        for place, printed in zip(one.x, one.y, strict=True)
        if abs(by_name[one.name, one.panel].at(place) - printed) > 0.01
    ]
    assert missed == [("truncated", "MSE")]


def test_theorem_5_is_met_exactly_by_two_attributes_that_determine_each_other():
    assert run(find("castell-theorem-5")).verdict == "agree"
    assert measured("largest absolute error", entry="castell-theorem-5").at(10) == pytest.approx(0.1 - 0.01)


@pytest.mark.slow
def test_a_close_look_at_one_release():
    """1,000 people, 10 categories, level 1: the mean absolute error of inversion is that of its exact variance, of 20 releases."""
    result = run(find("castell-figure-9"))
    curves = {(one.name, one.panel): one for one in result.measured}
    truth = curves["real data", "diagonal"]
    assert math.fsum(truth.y) == pytest.approx(curves["real data", "sum of the diagonal"].y[0])
    table = make_table(Invention(people=1_000, attributes=2, categories=10))
    expected = math.sqrt(2 / math.pi) * exact_errors(table, (0, 1), 1.0).mean()
    assert curves["RR-Ind-Joint", MAE].y[0] == pytest.approx(expected, rel=0.1)
    assert result.verdict == "differ"


@pytest.mark.slow
def test_bytes_and_seconds_are_measured_for_every_method():
    bytes_of = {one.name: one for one in find("castell-table-2").measure(setting())}
    assert bytes_of["castell"].at(6) < bytes_of["reduced"].at(6) / 50
    assert bytes_of["naive"].at(6) >= 8 * 729**2
    assert {one.name for one in find("castell-figure-8").measure(setting())} == {"naive", "reduced", "castell"}


@pytest.mark.slow
def test_figures_on_any_table(table):
    """The functions take whatever table is handed in; here three attributes of 3,000 people."""
    for name in ("castell-table-4", "castell-figure-6", "castell-figure-7"):
        result = run(find(name), adult=table)
        assert result.verdict in ("agree", "differ")
        assert all(math.isfinite(y) for one in result.measured for y in one.y)
    assert run(find("castell-table-4"), adult=table).verdict == "differ"
    assert run(find("castell-figure-7")).verdict == "cannot be run"


@pytest.mark.slow
@pytest.mark.skipif(not ADULT.exists(), reason=f"UCI Adult is not part of this repository: save its table as {ADULT}")
def test_errors_that_table_5_calls_absolute_are_squared():
    adult = read_adult(read_text_table(ADULT.read_bytes(), "adult.csv"))
    assert run(find("castell-table-4"), adult=adult).verdict == "agree"
    outcomes = run(find("castell-table-5"), adult=adult).outcomes
    assert [outcome.holds for outcome in outcomes] == [True, False, False, True]
