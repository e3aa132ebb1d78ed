"""The default estimator: evidence without bias, a choice that the tables ask for, and no choice without evidence."""

import math
from pathlib import Path

import numpy as np
import pytest

import rrcore as rr
from benchmarks.bench_estimators import measure, tables
from rrcore.budget import build
from rrcore.estimate import Release
from rrcore.estimate.shrinkage import DEFAULT, ESTIMATORS, Chooser, _Part
from rrcore.table.scanning import count


def dataset(codes, sizes):
    attributes = (rr.Attribute(f"a{i}", tuple(map(str, range(size)))) for i, size in enumerate(sizes))
    return rr.Dataset(rr.Schema(tuple(attributes)), codes)


def released(table, epsilon, seed=0, mechanism="independent"):
    built = build(mechanism, table.schema.sizes, [epsilon] * table.k)
    return rr.simulate(table, built, rng=np.random.default_rng(seed))


def copies(n, k=5, size=4, seed=0):
    column = np.random.default_rng(seed).choice(size, n, p=np.arange(size, 0, -1) / math.comb(size + 1, 2))
    return dataset(np.stack([column] * k, axis=1), (size,) * k)


def half_l1(one, other):
    return np.abs(one - other).sum() / 2


def test_copied_columns_are_not_left_to_shrinkage():
    table = copies(2_000)
    release = released(table, 2.0)
    found = release.estimate(["a0", "a1"]).closest()
    assert found.name == found.choice.name != DEFAULT
    gain, error = found.choice.gains[found.name]
    assert gain > 2 * error > 0
    truth = table.shares(["a0", "a1"])
    assert half_l1(found.shares, truth) < 0.9 * half_l1(release.shrinkage.shares((0, 1)), truth)


@pytest.mark.parametrize("gain", [(1.0, -1.0, 0.0), (-1.0, 1.0, 0.0)])
def test_what_is_better_for_one_aim_only_is_not_chosen(monkeypatch, gain):
    monkeypatch.setattr(_Part, "gain", lambda *_: np.array(gain))
    assert released(copies(200), 2.0).estimate(["a0", "a1"]).closest().choice.name == DEFAULT


def test_dependent_attributes_are_left_to_shrinkage():
    found = released(rr.load_demo("titanic"), 1.0).estimate(["Class", "Survived"]).closest()
    assert (found.name, found.choice.sets) == (DEFAULT, 6)
    assert set(found.choice.gains) == set(ESTIMATORS) - {DEFAULT}


def test_the_evidence_has_no_bias():
    """Over 300 surveys the mean gain of independence is within four standard errors of the difference of squared errors (6 in 100,000 by
    chance), for the population. The part that is fitted is one of five."""
    rng, gains = np.random.default_rng(1), []
    shares = np.array([[0.3, 0.1], [0.2, 0.4]])
    product = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    for seed in range(300):
        cells = rng.choice(4, 500, p=shares.ravel())
        release = released(dataset(np.stack([cells // 2, cells % 2], axis=1), (2, 2)), 1.0, seed)
        gains.append(_Part(release, 0, {}).gain(["a0", "a1"], np.full((2, 2), 0.25), product)[0])
    true = ((shares - 0.25) ** 2).sum() - ((shares - product) ** 2).sum()
    assert abs(np.mean(gains) - true) < 4 * np.std(gains) / math.sqrt(len(gains))


def test_without_randomization_the_people_asked_are_known():
    """At epsilon 12 all noise comes from who was asked. The second comparison then knows the shares of those the estimates are fitted to."""
    table = copies(400, 2)
    release = released(table, 12.0)
    part = _Part(release, 0, {})
    names, uniform = ["a0", "a1"], np.full((4, 4), 1 / 16)
    gain = part.gain(names, uniform, part.released(names))[1]
    assert gain == pytest.approx(((part.released(names) - uniform) ** 2).sum(), rel=1e-3)


def test_counts_of_the_whole_table_are_split_and_others_are_not():
    table = copies(2_000, 4, 3)
    release = released(table, 2.0)
    names = table.schema.names
    joint, pairs = (Release(count(release.dataset, sets), release.mechanism) for sets in ([names], [names[:2]]))
    parts = joint.parted([names[2], names[0]], 5)
    assert parts.shape == (5, 3, 3)
    np.testing.assert_array_equal(parts.sum(axis=0), release.counts([names[2], names[0]]))
    assert joint.estimate(names[:2]).closest().choice.gains
    assert pairs.parted(names[:2], 5) is None


def test_parts_are_the_same_for_all_marginals():
    release = released(rr.load_demo("titanic"), 1.0)
    pair = release.parted(["Class", "Sex"], 5)
    np.testing.assert_array_equal(pair.sum(axis=2), release.parted(["Class"], 5))
    np.testing.assert_array_equal(pair.sum(axis=0), release.counts(["Class", "Sex"]))


def test_few_people_are_not_split_to_nothing():
    for n in (1, 2, 6):
        assert released(copies(n), 1.0).estimate(["a0", "a1"]).closest().shares.sum() == pytest.approx(1)


def test_the_choice_depends_on_the_answers_only():
    first, second = (Chooser(release, release.shrinkage) for release in (released(copies(500, 4), 1.0) for _ in range(2)))
    first.choice(3)
    assert first.choice(2) == second.choice(2)


def test_the_disagreement_is_that_of_the_estimates_shown():
    release = released(copies(2_000, 4, 3), 2.0)
    triple, pair = (release.estimate(names).closest() for names in (["a0", "a1", "a2"], ["a0", "a1"]))
    assert triple.disagreement >= np.abs(triple.shares.sum(axis=2) - pair.shares).max() - 1e-12


@pytest.mark.long
@pytest.mark.parametrize(
    "kind",
    [
        "copies",
        pytest.param("correlated rare", marks=pytest.mark.xfail(reason="known miss: 1.044, since evidence from pairs is weak")),
        "independent",
        "titanic",
    ],
)
def test_the_default_is_never_much_worse_than_the_best(kind):
    """A slice of ``benchmarks/bench_estimators.py``: 2,000 people at epsilon 2, six releases with fixed seeds, so no failure by chance."""
    table = tables(Path())[kind](np.random.default_rng(3))
    for row in measure(table, 2.0, 2_000, 6).values():
        assert row["chosen"] <= 1.02 * row["shrinkage"]
