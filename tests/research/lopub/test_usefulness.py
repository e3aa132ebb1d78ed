"""What a synthetic table is good for: distances by hand, classifiers against what they must reach."""

import math
from itertools import combinations

import numpy as np
import pytest

from rrcore.dependence import cramers_v
from rrcore.errors import InputError
from rrcore.research.lopub import (
    CLASSIFIERS,
    Filters,
    Standing,
    accuracies,
    closest,
    half_l1_by_width,
    simulate_collection,
    split,
    usefulness,
    v_difference,
)
from rrcore.table import load_demo
from rrcore.table.dataset import Dataset
from tests.research.lopub.handmade import schema_of


def table_of(rows, sizes):
    return Dataset(schema_of(*sizes), np.asarray(rows, dtype=np.int32))


def rng_of(seed=0):
    return np.random.default_rng(seed)


def test_half_l1_by_hand():
    """Four true and two synthetic records of two yes-no answers; shares 1/4 each against 1/2, 0, 0, 1/2."""
    true = table_of([[0, 0], [0, 1], [1, 0], [1, 1]], (2, 2))
    other = table_of([[0, 0], [1, 1]], (2, 2))
    assert half_l1_by_width(true, other, (1, 2), rng=rng_of()) == {1: 0.0, 2: 0.5}
    skewed = table_of([[0, 0], [0, 0], [0, 1], [0, 1]], (2, 2))
    assert half_l1_by_width(true, skewed, (1, 2), rng=rng_of()) == {1: 0.25, 2: 0.5}
    assert half_l1_by_width(true, true, (1, 2), rng=rng_of()) == {1: 0.0, 2: 0.0}


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


def test_half_l1_never_falls_with_the_number_of_attributes():
    true, other = random_tables((2, 3, 4, 2, 3))
    found = half_l1_by_width(true, table_of(other.codes[:40], (2, 3, 4, 2, 3)), (1, 2, 3, 4, 5), rng=rng_of())
    assert list(found.values()) == sorted(found.values())


def test_half_l1_of_some_sets(monkeypatch):
    """Of 10 pairs 4 different ones are drawn, others with another seed; widths of which no set fits are left out."""
    true, other = random_tables((2, 3, 4, 2, 3))
    every, seen = list(combinations(true.schema.names, 2)), []
    monkeypatch.setattr(usefulness, "_MOST_SETS", 4)
    monkeypatch.setattr(Dataset, "shares", lambda self, names: tuple(names))
    monkeypatch.setattr(usefulness, "half_l1", lambda true, synthetic: seen.append(true) or every.index(synthetic))
    for seed in range(8):
        start = len(seen)
        found = half_l1_by_width(true, other, (2,), rng=rng_of(seed))
        drawn = set(seen[start:])
        assert len(drawn) == 4
        assert found == {2: sum(map(every.index, drawn)) / 4}
    assert set(seen) == set(every)


def test_half_l1_of_sets_that_fit(monkeypatch):
    true, other = random_tables((2, 3, 4, 2, 3))
    monkeypatch.setattr(usefulness, "MAX_CELLS", 12)
    found = half_l1_by_width(true, table_of(other.codes[:40], (2, 3, 4, 2, 3)), (2, 3, 4, 6), rng=rng_of())
    assert set(found) == {2, 3}
    fits = [(0, 1, 3), (0, 3, 4)]
    assert found[3] == pytest.approx(
        np.mean([slow_half_l1(true, table_of(other.codes[:40], (2, 3, 4, 2, 3)), axes) for axes in fits])
    )


def test_v_of_a_table_does_not_differ_from_itself():
    true, _ = random_tables((2, 3, 4))
    found = v_difference(true, true)
    assert found.shape == (3, 3)
    assert (found[~np.eye(3, dtype=bool)] == 0).all()
    assert np.isnan(np.diag(found)).all()


def test_v_difference_is_synthetic_minus_true():
    equal, apart = table_of([[0, 0], [1, 1]], (2, 2)), table_of([[0, 0], [0, 1], [1, 0], [1, 1]], (2, 2))
    assert v_difference(true=equal, synthetic=apart)[0, 1] == pytest.approx(-1)
    assert v_difference(true=apart, synthetic=equal)[0, 1] == pytest.approx(1)
    true, other = random_tables((2, 3, 4))
    other = table_of(other.codes[:25], (2, 3, 4))
    found = v_difference(true, other)
    for i, j in combinations(range(3), 2):
        counts = []
        for table in (other, true):
            each = np.zeros((true.schema.sizes[i], true.schema.sizes[j]))
            np.add.at(each, (table.codes[:, i], table.codes[:, j]), 1 / table.n)
            counts.append(cramers_v(each))
        assert found[i, j] == found[j, i] == pytest.approx(counts[0] - counts[1], abs=1e-12)


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
    with pytest.raises(InputError, match="The table has 19 rows: at least 20 are needed to train and to test"):
        split(table_of(np.zeros((19, 1)), (2,)), rng=rng_of())
    with pytest.raises(InputError, match="The table has 1 row: at least"):
        split(table_of(np.zeros((1, 1)), (2,)), rng=rng_of())


NOISE = 0.1


def survey(n, seed=0):
    """The answer to predict is a rule of three others, wrong with probability 0.1: nobody can be right more often than 90 %.

    Shares of the answers are 0.64 and 0.36 by the rule, so a guess of the most frequent one is right for 0.612.
    """
    rng = rng_of(seed)
    others = np.stack([rng.integers(0, 5, n), rng.integers(0, 5, n), rng.integers(0, 3, n)], axis=1)
    answer = (others[:, :2] >= 1).all(axis=1)
    return table_of(np.column_stack([others, answer ^ (rng.random(n) < NOISE)]), (5, 5, 3, 2))


MAJORITY = 0.64 * (1 - NOISE) + 0.36 * NOISE


@pytest.mark.slow
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_a_faithful_table_is_as_good_as_the_truth(kind):
    """Trained on other people of the same kind: 0.9 within 5 sigma of 6,000 tested people and 0.01 of learning."""
    train, test = survey(3_000), survey(6_000, 1)
    slack = 5 * math.sqrt(0.09 / 6_000) + 0.01
    other = accuracies(kind, "A3", train=train, synthetic=survey(3_000, 2), test=test, rng=rng_of())
    assert abs(other.synthetic - other.true) < 0.015
    for found in (other.true, other.synthetic):
        assert abs(found - (1 - NOISE)) < slack
    assert other.majority < 0.7


@pytest.mark.slow
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_a_table_of_independent_answers_is_as_good_as_guessing(kind):
    """Every column shuffled on its own keeps all marginals; what is learned from it is worth the majority at most, and a bit of noise."""
    train, test = survey(3_000), survey(6_000, 1)
    shuffled = table_of(np.column_stack([rng_of(i).permutation(train.codes[:, i]) for i in range(4)]), (5, 5, 3, 2))
    found = accuracies(kind, "A3", train=train, synthetic=shuffled, test=test, rng=rng_of())
    assert half_l1_by_width(train, shuffled, (1,), rng=rng_of()) == {1: 0.0}
    assert found.synthetic < found.majority + 0.04
    assert found.synthetic < found.true - 0.15
    assert abs(found.majority - MAJORITY) < 5 * math.sqrt(MAJORITY * (1 - MAJORITY) / 6_000)


@pytest.mark.slow
def test_majority_by_hand():
    """The most frequent answer of the training rows (2), counted among the tested rows, also where another one is more frequent there."""
    train = table_of([[0, 2]] * 3 + [[1, 0]] * 2 + [[1, 1]], (2, 3))
    test = table_of([[0, 0]] * 5 + [[0, 2]] * 2 + [[1, 1]], (2, 3))
    synthetic = table_of([[0, 0], [1, 1]] * 5, (2, 3))
    found = accuracies("forest", "A1", train=train, synthetic=synthetic, test=test, rng=rng_of())
    assert found.majority == 2 / 8


@pytest.mark.slow
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_a_synthetic_table_with_one_answer_guesses_it(kind):
    train, test = survey(300), survey(400, 1)
    alike = table_of(np.column_stack([train.codes[:, :3], np.ones(300, dtype=int)]), (5, 5, 3, 2))
    found = accuracies(kind, "A3", train=train, synthetic=alike, test=test, rng=rng_of())
    assert found.synthetic == test.codes[:, 3].mean()
    assert found.true > found.synthetic


@pytest.mark.slow
def test_the_target_may_be_any_attribute():
    """The second column copies the first, whatever is predicted from what, with answers unknown to the synthetic table."""
    rows = np.stack([np.arange(200) % 4, np.arange(200) % 4], axis=1)
    true = table_of(rows, (4, 4))
    few = table_of(rows[rows[:, 0] < 2], (4, 4))
    for target in ("A0", "A1"):
        found = accuracies("forest", target, train=true, synthetic=few, test=true, rng=rng_of())
        assert (found.true, found.synthetic, found.majority) == (1.0, 0.5, 0.25)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_accuracy():
    train, test = survey(300), survey(200, 1)
    one, same = (accuracies("forest", "A3", train=train, synthetic=train, test=test, rng=rng_of(5)) for _ in range(2))
    assert one == same
    assert abs(one.synthetic - one.true) < 0.05


def test_what_cannot_be_predicted_is_refused():
    alone, train = table_of(np.arange(30)[:, None] % 2, (2,)), survey(50)
    with pytest.raises(InputError, match="There is only one attribute: a classifier needs at least one other"):
        accuracies("forest", "A0", train=alone, synthetic=alone, test=alone, rng=rng_of())
    with pytest.raises(InputError, match="There is no attribute 'income': choose among A0, A1, A2, A3"):
        accuracies("svm", "income", train=train, synthetic=train, test=train, rng=rng_of())
    with pytest.raises(InputError, match="There is no classifier 'tree': choose among forest, svm"):
        accuracies("tree", "A3", train=train, synthetic=train, test=train, rng=rng_of())


def test_the_closest_source_and_its_lead():
    standings = [Standing(key, 1.0, 1.0, {2: error}) for key, error in (("em", 0.3), ("lasso", 0.1), ("pair-safe", float("nan")))]
    best, lead = closest(standings, 2)
    assert (best.key, lead) == ("lasso", pytest.approx(3))
    assert closest(standings[:1], 2) == (standings[0], np.inf)


def test_a_simulated_collection_of_the_truth_finds_the_true_graph_and_prunes_it():
    demo = load_demo("titanic")
    found = simulate_collection("truth", demo, 4.0, filters=Filters(4, (128,) * 4), rng=np.random.default_rng(0))
    assert found.train.n + found.test.n == demo.n
    assert found.graph(0.2).edges == found.true_graph(0.2).edges
    pruning = found.pruning(0.6)
    kept = found.graph(0.6, prune=True)
    assert pruning.pairs == 6
    assert set(kept.edges) | set(pruning.lost) == set(found.graph(0.6).edges)
    assert pruning.saved == 1 - pruning.seen / 6
    made = found.synthesize(0.2, 300, prune=False, repeat=False, rng=np.random.default_rng(1))
    assert made.dataset.n == 300
    assert made.dataset.schema == demo.schema


@pytest.mark.long
def test_records_of_the_model_are_closer_than_those_pieced_together_from_the_same_answers():
    """Pair-safe, its cliques inverted, against the same mechanism with all pairs read at once, at an equal total."""
    demo, off = load_demo("census"), {}
    for key in ("pair-safe", "shrinkage"):
        filters = Filters(4, (128,) * demo.k)
        found = simulate_collection(key, demo, 1.0, spend="total", filters=filters, rng=np.random.default_rng(0))
        made = found.synthesize(0.4, found.train.n, prune=False, repeat=False, rng=np.random.default_rng(1))
        off[key] = half_l1_by_width(found.train, made.dataset, (2, 3), rng=np.random.default_rng(2))
        assert found.source.total == pytest.approx(demo.k, abs=1e-6)
        assert (made.model is None) == (key == "pair-safe")
    assert all(off["shrinkage"][w] < off["pair-safe"][w] for w in (2, 3))
