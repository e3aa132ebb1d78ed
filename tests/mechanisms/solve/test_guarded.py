"""Levels and floors by the interior-point method: against whole programmes, at two precisions, and the same on a busy machine."""

import ast
import multiprocessing
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import rrcore as rr
from rrcore.channel.levels import retention_from_level
from rrcore.errors import InputError
from rrcore.mechanisms.least import GAPS, safe
from rrcore.mechanisms.solve.countgrid import CountGrid
from rrcore.mechanisms.solve.floored import FlooredRows
from rrcore.mechanisms.solve.guarded import solve_guarded
from rrcore.mechanisms.solve.interactions import Interactions
from rrcore.mechanisms.solve.interior import Interior
from rrcore.progress import quiet
from tests import oracles

TWELVE = (6, 6, 4, 6, 9, 3, 8, 2, 4, 9, 8, 2), (1.74, 0.93, 1.92, 0.98, 1.89, 1.25, 0.71, 1.56, 1.45, 1.46, 1.09, 0.68)
SIXTEEN = (
    (5, 9, 2, 2, 9, 9, 4, 3, 4, 2, 9, 7, 6, 3, 5, 3),
    (0.55, 1.56, 1.06, 0.64, 1.49, 1.9, 0.81, 1.45, 0.95, 1.61, 1.58, 0.83, 1.74, 1.49, 1.52, 1.73),
)


def least_ratio(mechanism, sizes, levels, width):
    """Least mu_T / prod r_i over all T of 2 to ``width`` attributes; 1e-15 is the rounding of sums over lie sets."""
    factors, kronecker = mechanism.marginal_channel(range(len(sizes))).factors, np.ones(())
    for r in retention_from_level(levels, sizes):
        kronecker = np.multiply.outer(kronecker, [1.0, r])
    order = np.indices((2,) * len(sizes)).sum(axis=0)
    return float(((factors + 1e-15) / kronecker)[(order >= 2) & (order <= width)].min())


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_every_width_is_the_whole_programme(k):
    """From the least levels to ones where a total is above 20, few and many categories; dense programmes over all lie sets."""
    rng = np.random.default_rng(900 + k)
    for low, high in ((0.05, 0.5), (0.5, 2.0), (3.0, 6.0)):
        sizes, levels = tuple(int(a) for a in rng.integers(2, 40, k)), rng.uniform(low, high, k)
        for width in range(2, k + 1):
            floors = [(axes, 1.0) for w in range(2, width + 1) for axes in combinations(range(k), w)]
            mechanism, expected = safe(sizes, levels, width=width), oracles.guarded_optimum(sizes, levels, floors)
            assert mechanism.total_level == pytest.approx(expected, abs=2e-6)
            assert mechanism.is_optimal
            assert least_ratio(mechanism, sizes, levels, width) >= 1 - 1e-9
            np.testing.assert_allclose(mechanism.levels, levels, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("sizes", "levels", "width", "total"),
    [((8, 171, 5, 6, 9, 7, 259, 5), (5.65,) * 8, 3, 24.788), (*TWELVE, 4, 7.264), (*SIXTEEN, 3, 7.707)],
    ids=["259 categories", "twelve", "sixteen"],
)
def test_totals_that_were_too_high_or_depended_on_the_clock(sizes, levels, width, total):
    """25.87 was found for the first, and 8.855 for the second where the machine was busy."""
    mechanism = safe(sizes, np.array(levels), width=width)
    assert mechanism.total_level == pytest.approx(total, abs=1e-3)
    assert mechanism.is_optimal
    assert least_ratio(mechanism, sizes, levels, width) >= 1 - 1e-9


@pytest.mark.parametrize("width", [2, 3, 6])
def test_the_first_precision_is_a_mechanism_that_keeps_all_it_promises(width):
    sizes, levels = (part[:9] for part in TWELVE)
    first, full = (safe(sizes, np.array(levels), width=width, closeness=closeness) for closeness in ("first", "full"))
    assert full.gap <= GAPS["full"] < GAPS["first"]
    assert full.total_level - 1e-9 <= first.total_level <= full.total_level + GAPS["first"]
    assert full.gap <= first.gap <= GAPS["first"]
    for mechanism in (first, full):
        assert mechanism.lower_bound <= full.total_level
        np.testing.assert_allclose(mechanism.levels, levels, rtol=0, atol=1e-9)
        assert least_ratio(mechanism, sizes, levels, width) >= 1 - 1e-9


def test_more_floors_than_are_rows_at_once(monkeypatch):
    """Rows are added where they are missed; wide sets of attributes that are never rows are lifted at the end, and the gap says so."""
    sizes, levels = (part[:8] for part in TWELVE)
    grid = CountGrid(sizes, levels)
    whole = np.ptp(solve_guarded(Interactions(grid, 8, 1.0), gap=1e-7, report=quiet)[0])
    monkeypatch.setattr("rrcore.mechanisms.solve.guarded._AT_ONCE", 60)
    monkeypatch.setattr("rrcore.mechanisms.solve.guarded._ADDED", 60)
    rows = []
    monkeypatch.setattr("rrcore.mechanisms.solve.guarded.FlooredRows", lambda *each: rows.append(FlooredRows(*each)) or rows[-1])
    gains, bound = solve_guarded(Interactions(grid, 8, 1.0), gap=1e-3, report=quiet)
    assert [each.active.size for each in rows][:2] == [60, 120]
    assert whole - 1e-6 <= np.ptp(gains) <= bound + 1e-3 <= whole + 2e-3
    monkeypatch.setattr("rrcore.mechanisms.solve.interactions._MOST_PRODUCTS", 1 << 12)
    narrow = Interactions(grid, 8, 1.0)
    assert narrow.together < 8
    gains, bound = solve_guarded(narrow, gap=1e-3, report=quiet)
    assert bound <= whole <= np.ptp(gains)
    assert (narrow.factors(np.exp(gains.reshape(grid.log_uniform.shape) + grid.log_uniform)) >= narrow.target)[
        narrow.wanted
    ].all()


@pytest.mark.parametrize(
    ("sizes", "levels"),
    [
        ((18, 37, 28, 9, 31, 2, 33, 21), (0.3709, 0.4954, 0.337, 0.0914, 0.3014, 0.2238, 0.1332, 0.4186)),
        ((21, 12, 37, 26, 22, 28, 33, 18, 29), (0.16, 0.5, 0.19, 0.2, 0.28, 0.1, 0.12, 0.41, 0.27)),
    ],
    ids=["eight", "nine"],
)
def test_few_vectors_at_their_bounds_do_not_hold_up_all_steps(sizes, levels, monkeypatch):
    """All interactions are kept: two hundred steps did not bring the first to a millionth of a nat."""
    step, steps = Interior.step, []
    monkeypatch.setattr(Interior, "step", lambda at: steps.append(at) or step(at))
    width = len(sizes)
    mechanism = safe(sizes, np.array(levels), width=width)
    assert mechanism.is_optimal
    assert len(steps) < 60
    assert least_ratio(mechanism, sizes, levels, width) >= 1 - 1e-9


def test_work_is_bounded_and_what_is_left_stands_in_the_gap(monkeypatch):
    """Some steps are enough for a mechanism, not for the least: it, or a cheaper one of another route, is given out with its gap."""
    sizes, levels = (part[:9] for part in TWELVE)
    whole = safe(sizes, np.array(levels), width=9)
    step, steps = Interior.step, []
    monkeypatch.setattr(Interior, "step", lambda at: steps.append(at) or step(at))
    monkeypatch.setattr("rrcore.mechanisms.solve.guarded._WORK", 15 * 511.0**3)
    short = safe(sizes, np.array(levels), width=9)
    assert len(steps) == 15
    assert 0.01 < short.gap < np.inf
    assert short.lower_bound <= whole.lower_bound + 1e-9 < short.total_level <= sum(levels) + 1e-9
    assert least_ratio(short, sizes, levels, 9) >= 1 - 1e-9
    np.testing.assert_allclose(short.levels, levels, rtol=0, atol=1e-9)


def test_floors_that_nothing_keeps_are_refused():
    grid = CountGrid((2, 2), (1.0, 1.0))
    with pytest.raises(InputError, match=r"^The optimum could not be solved"):
        solve_guarded(Interactions(grid, 2, 9.0), gap=1e-6, report=quiet)


def _spin(stop):
    while not stop.is_set():
        sum(range(10_000))


def test_a_plan_is_the_same_on_a_busy_machine():
    """The plan and the mechanism's file, byte for byte, alone and beside other work that keeps every processor busy."""
    sizes, levels = (part[:10] for part in TWELVE)
    schema = rr.Schema(tuple(rr.Attribute(f"q{i}", tuple(map(str, range(a)))) for i, a in enumerate(sizes)))
    plan = rr.Plan.for_levels(schema, levels, mechanism="4-safe", respondents=1000)
    fork = multiprocessing.get_context("fork")
    stop, found = fork.Event(), []
    for busy in (0, 2 * (multiprocessing.cpu_count() or 1)):
        others = [fork.Process(target=_spin, args=(stop,), daemon=True) for _ in range(busy)]
        try:
            for other in others:
                other.start()
            built = plan.build()
            found.append((plan.to_json(built), rr.MechanismFile(schema, rr.integer_groups(built)).sha256))
        finally:
            stop.set()
            for other in others:
                other.join()
    assert found[0] == found[1]


@pytest.mark.parametrize("room", ["mechanisms", "budget"])
def test_no_calculation_looks_at_a_clock(room):
    """Neither module of clocks is imported; a solver's own limit would be an option called time_limit."""
    files = sorted((Path(rr.__file__).parent / room).rglob("*.py"))
    assert files
    for file in files:
        text = file.read_text(encoding="utf-8")
        names = {
            name.split(".")[0]
            for node in ast.walk(ast.parse(text))
            for name in (
                [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else [a.name for a in getattr(node, "names", []) if isinstance(node, ast.Import)]
            )
        }
        assert not names & {"time", "timeit", "datetime"}, file
        assert "time_limit" not in text, file
