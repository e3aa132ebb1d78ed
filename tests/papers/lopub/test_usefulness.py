"""What a synthetic table is good for: distances by hand, classifiers against what they must reach."""

import math
from itertools import combinations

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.papers.lopub import (
    Filters,
    accuracies,
    half_l1_by_width,
    simulate_collection,
    split,
)
from rrcore.table import load_demo
from rrcore.table.dataset import Dataset
from tests.papers.lopub.handmade import schema_of


def table_of(rows, sizes):
    return Dataset(schema_of(*sizes), np.asarray(rows, dtype=np.int32))


def rng_of(seed=0):
    return np.random.default_rng(seed)


def random_tables(sizes, n=60):
    return [table_of(np.stack([rng_of(seed).permutation(n) % a for a in sizes], axis=1), sizes) for seed in (1, 2)]


def slow_half_l1(true, other, axes):
    found = {}
    for table, sign in ((true, 1), (other, -1)):
        for row in table.codes[:, list(axes)].tolist():
            found[tuple(row)] = found.get(tuple(row), 0) + sign / table.n
    return sum(map(abs, found.values())) / 2


def test_half_l1_of_all_sets():
    true, other = random_tables((2, 3, 4, 2))
    true = table_of(true.codes[:37], (2, 3, 4, 2))
    found = half_l1_by_width(true, other, (1, 2, 3, 4), rng=rng_of())
    for w in (1, 2, 3, 4):
        assert found[w] == pytest.approx(np.mean([slow_half_l1(true, other, axes) for axes in combinations(range(4), w)]))


def test_a_split_loses_and_doubles_nobody():
    true = table_of(np.arange(100)[:, None], (100,))
    train, test = split(true, held_out=0.3, rng=rng_of())
    assert (train.n, test.n) == (70, 30)
    assert sorted([*train.codes[:, 0], *test.codes[:, 0]]) == list(range(100))
    assert test.codes[:, 0].tolist() != list(range(30))
    again, other = split(true, rng=rng_of())[1], split(true, rng=rng_of(1))[1]
    np.testing.assert_array_equal(again.codes, test.codes)
    assert (other.codes != test.codes).any()


def test_a_table_too_small_to_split_is_refused():
    split(table_of(np.zeros((20, 1)), (2,)), rng=rng_of())
    with pytest.raises(InputError, match="19 rows"):
        split(table_of(np.zeros((19, 1)), (2,)), rng=rng_of())


NOISE = 0.1


def survey(n, seed=0):
    """The answer to predict is a rule of three others, wrong with probability 0.1: nobody can be right more often than 90%.

    Shares of the answers are 0.64 and 0.36 by the rule, so a guess of the most frequent one is right for 0.612.
    """
    rng = rng_of(seed)
    others = np.stack([rng.integers(0, 5, n), rng.integers(0, 5, n), rng.integers(0, 3, n)], axis=1)
    answer = (others[:, :2] >= 1).all(axis=1)
    return table_of(np.column_stack([others, answer ^ (rng.random(n) < NOISE)]), (5, 5, 3, 2))


MAJORITY = 0.64 * (1 - NOISE) + 0.36 * NOISE


@pytest.mark.parametrize("kind", [pytest.param("forest", marks=pytest.mark.long), "svm"])
def test_a_faithful_table_is_as_good_as_the_truth(kind):
    """Trained on other people of the same kind: 0.9 within 5 sigma of 6,000 tested people and 0.01 of learning."""
    train, test = survey(3_000), survey(6_000, 1)
    slack = 5 * math.sqrt(0.09 / 6_000) + 0.01
    both = accuracies(kind, "A3", train=train, synthetic=survey(3_000, 2), test=test, rng=rng_of())
    assert abs(both[0] - both[1]) < 0.015
    for found in both:
        assert abs(found - (1 - NOISE)) < slack


@pytest.mark.parametrize("kind", [pytest.param("forest", marks=pytest.mark.long), "svm"])
def test_a_table_of_independent_answers_is_as_good_as_guessing(kind):
    """Every column shuffled on its own keeps all marginals; what is learned from it is worth the majority at most, and a bit of noise."""
    train, test = survey(3_000), survey(6_000, 1)
    shuffled = table_of(np.column_stack([rng_of(i).permutation(train.codes[:, i]) for i in range(4)]), (5, 5, 3, 2))
    synthetic, true = accuracies(kind, "A3", train=train, synthetic=shuffled, test=test, rng=rng_of())
    assert half_l1_by_width(train, shuffled, (1,), rng=rng_of()) == {1: 0.0}
    assert synthetic < MAJORITY + 0.04
    assert synthetic < true - 0.15


def test_a_collection_of_the_truth_finds_the_true_graph():
    demo = load_demo("titanic")
    found = simulate_collection("truth", demo, 4.0, filters=Filters(4, (128,) * 4), rng=rng_of())
    assert found.train.n + found.test.n == demo.n
    assert found.graph(0.2).edges == found.true_graph(0.2).edges
    made = found.synthesize(0.2, 300, rng=rng_of(1))
    assert made.n == 300
    assert made.schema == demo.schema


@pytest.mark.long
def test_records_of_the_model_are_closer_than_cliques():
    """The same mechanism with inverted cliques and with shrinkage of all attributes."""
    demo, off = load_demo("census"), {}
    for key in ("preserving-2", "shrinkage"):
        found = simulate_collection(key, demo, 2.0, filters=Filters(4, (128,) * demo.k), rng=rng_of())
        made = found.synthesize(0.4, found.train.n, rng=rng_of(1))
        off[key] = half_l1_by_width(found.train, made, (2, 3), rng=rng_of(2))
    assert all(off["shrinkage"][w] < off["preserving-2"][w] for w in (2, 3))
