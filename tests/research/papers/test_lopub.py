"""What is measured about LoPub against counts and dependence written out here, on tables small enough for tests."""

import math
from itertools import combinations

import numpy as np
import pytest

from rrcore.research.papers import find, run
from rrcore.research.papers.entry import Setting
from rrcore.research.papers.lopub_joint import estimates, sample
from tests.tables import chain


@pytest.fixture(scope="module")
def table():
    return chain((2, 4, 3, 2), 6_000, 0.6, 6)


def setting(table, seed=0):
    return Setting(np.random.default_rng(seed), fast=True, adult=table)


def test_level_of_four_hash_functions():
    result = run(find("lopub-level"))
    assert result.measured[0].y[0] == pytest.approx(8 * math.log(3))
    assert result.verdict == "agree"


def test_pairs_after_pruning_are_those_of_rounding():
    result = run(find("lopub-table-7-pairs"))
    for one, d in zip(result.measured, (15, 24, 16), strict=True):
        assert one.y == tuple(math.comb(math.floor(d * (1 - phi) + 0.5), 2) for phi in one.x)
    assert result.verdict == "differ"


def test_dependencies_are_counted_by_their_information(table):
    """A pair is dependent where its mutual information reaches min(a - 1, b - 1) phi^2 / 2, line 10 of Algorithm 4."""
    found = {one.name: one for one in find("lopub-table-7").measure(setting(table))}
    sizes, pairs = table.schema.sizes, list(combinations(range(4), 2))
    dependent = dict.fromkeys((0.1, 0.2, 0.3, 0.4, 0.5), 0)
    for i, j in pairs:
        shares = np.zeros((sizes[i], sizes[j]))
        np.add.at(shares, (table.codes[:, i], table.codes[:, j]), 1 / table.n)
        expected = np.outer(shares.sum(axis=1), shares.sum(axis=0))
        information = (shares[shares > 0] * np.log(shares[shares > 0] / expected[shares > 0])).sum()
        for phi in dependent:
            dependent[phi] += information >= min(sizes[i] - 1, sizes[j] - 1) * phi**2 / 2
    assert found["dependent pairs"].y == pytest.approx(tuple(count / len(pairs) for count in dependent.values()))
    assert found["reduction ratio"].y == pytest.approx(
        tuple(1 - math.comb(math.floor(4 * (1 - phi) + 0.5), 2) / 6 for phi in dependent)
    )


def test_a_tenth_of_the_people_is_taken(table):
    part = sample(setting(table))
    assert (part.n, part.schema) == (600, table.schema)
    assert sample(setting(table), 0.02).n == 120


@pytest.mark.slow
def test_errors_and_seconds_of_every_method_over_f(table):
    """At f = 0.1 almost every bit is true, so EM finds the table; at f = 0.9 it is off by more."""
    rows = estimates(setting(table), (2,))
    errors = {(name, flip): error for name, _, flip, _, error in rows}
    assert len(rows) == 9
    assert errors["EM_JD", 0.1] < 0.01 < errors["EM_JD", 0.9]
    assert errors["Lasso_JD", 0.1] > 10 * errors["EM_JD", 0.1]  # it finds marginals, not dependence
    assert all(seconds > 0 for *_, seconds, _ in rows)


@pytest.mark.slow
def test_true_dependencies_are_found_where_hardly_a_bit_is_flipped(table):
    found = {(one.name, one.panel): one for one in find("lopub-figure-20").measure(setting(table))}
    assert found["EM_JD", "identified correctly"].at(0.1) == 1
    for name in ("EM_JD", "Lasso_JD", "Lasso+EM_JD"):
        parts = [found[name, panel].y for panel in ("identified correctly", "false positive", "lost")]
        np.testing.assert_allclose(np.sum(parts, axis=0), 1)


@pytest.mark.slow
def test_classifiers_are_measured_on_attributes_of_two_categories(table):
    found = {one.name: one for one in find("lopub-figure-23").measure(setting(table))}
    assert found["random guess"].y == (0.5, 0.5, 0.5)
    assert min(found["trained on true rows"].y) > 0.6
    assert found["EM_JD"].at(0.1) > 0.6


def test_tables_that_are_not_at_hand_say_so():
    for name in ("lopub-retail", "lopub-tpce", "castell-figure-5-others"):
        result = run(find(name))
        assert result.verdict == "cannot be run"
        assert result.sentence.endswith(".")
