"""Dependence behind a release: exact releases give the truth back, real ones come near it, and intervals hold it."""

from itertools import combinations

import numpy as np
import pytest

from rrcore.association import PairTables, cramers_v, debiased_dependence, measure_pairs
from rrcore.association.latent_classes import latent_class_pairs
from rrcore.budget import build
from rrcore.channel.channels import SubsetChannel
from rrcore.mechanisms import Kronecker
from rrcore.mechanisms.base import Tabulated
from rrcore.table.demo import load_demo

SIZES, LEVELS = (3, 4, 2, 5), (1.0, 1.5, 0.8, 2.0)
MECHANISMS = ("independent", "preserving-2", "joint")
UPPER = np.triu_indices(8, 1)


class Classes:
    """A population of two classes, within which answers are independent: joint shares from the definition, cell by cell."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.weights = np.array([0.4, 0.6])
        self.within = [rng.dirichlet(np.full(a, 1.5), size=2) for a in SIZES]

    def draw(self, n, rng):
        """Codes of n people."""
        member = (rng.random(n) >= self.weights[0]).astype(int)
        ends = [np.cumsum(shares, axis=1)[:, :-1] for shares in self.within]
        return np.stack([(rng.random((n, 1)) > end[member]).sum(axis=1) for end in ends], axis=1).astype(np.int32)

    def pair(self, i, j):
        return sum(w * np.outer(self.within[i][c], self.within[j][c]) for c, w in enumerate(self.weights))

    def tables(self, n, mechanism=None):
        """The pairs, true or as expected from a release."""
        pairs = {(i, j): self.pair(i, j) for i, j in combinations(range(4), 2)}
        if mechanism is not None:
            pairs = {(i, j): mechanism.channel([i, j]).push(table) for (i, j), table in pairs.items()}
        return PairTables.assemble(SIZES, pairs, n)


def likelihood(released, expected):
    """Composite log-likelihood per person: a sum over pairs and cells."""
    total = 0.0
    for i, j in released.pairs():
        seen = released.table(i, j) > 0
        total += float((released.table(i, j)[seen] * np.log(expected[i, j][seen])).sum())
    return total


def sent(mechanism, tables):
    return {(i, j): mechanism.channel([i, j]).push(tables.table(i, j)) for i, j in tables.pairs()}


# the pooled pattern


@pytest.mark.parametrize("name", MECHANISMS)
def test_pattern_is_nearly_as_likely_as_the_truth(name):
    people, mechanism = load_demo("titanic"), build(name, (4, 2, 2, 2), (1.5,) * 4)
    sizes = people.schema.sizes
    released = PairTables.count(mechanism.sample(people.codes, rng=np.random.default_rng(2)), sizes)
    single = [
        np.maximum(mechanism.channel([i]).invert(released.margin(i)), 1e-3) for i in range(4)
    ]  # below 0 by noise is possible
    single = [shares / shares.sum() for shares in single]
    found = latent_class_pairs(released, mechanism, np.concatenate(single))
    apart = PairTables.assemble(sizes, {(i, j): np.outer(single[i], single[j]) for i, j in released.pairs()}, people.n)
    truth = PairTables.count(people.codes, sizes)
    reached, flat, true = (likelihood(released, sent(mechanism, tables)) for tables in (found, apart, truth))
    assert reached > flat + 1e-3
    assert reached > true - 1e-4


# exact releases


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seed"), list(zip(MECHANISMS, [5, 6, 7], strict=True)))
def test_an_exact_release_of_many_people_gives_the_truth(name, seed):
    """V to 0.001; intervals narrower than 0.01 that hold the truth, to the 0.0001 where EM stops."""
    people, mechanism = Classes(seed), build(name, SIZES, LEVELS)
    truth = people.tables(10**9)
    found = debiased_dependence(people.tables(10**9, mechanism), mechanism)
    v = measure_pairs(truth)
    upper = np.triu_indices(4, 1)
    np.testing.assert_allclose(found.v[upper], v[upper], rtol=0, atol=1e-3)
    assert (found.low <= v + 1e-4)[upper].all()
    assert (v <= found.high + 1e-4)[upper].all()
    assert (found.high - found.low)[upper].max() < 0.01
    for matrix in (found.v, found.low, found.high):
        assert np.isnan(matrix.diagonal()).all()
        np.testing.assert_array_equal(matrix, matrix.T)


@pytest.mark.parametrize("name", MECHANISMS)
def test_dependence_that_no_few_classes_explain_is_found_too(name):
    """Two attributes of twelve equal answers each, full correspondence: more classes would be needed than there are."""
    sizes = (12, 12, 3)
    mechanism = build(name, sizes, (2.0, 2.0, 1.0))
    pairs = {(0, 1): np.eye(12) / 12, (0, 2): np.full((12, 3), 1 / 36), (1, 2): np.full((12, 3), 1 / 36)}
    released = PairTables.assemble(sizes, {p: mechanism.channel(p).push(t) for p, t in pairs.items()}, 10**8)
    found = debiased_dependence(released, mechanism)
    assert found.v[0, 1] == pytest.approx(1, abs=0.01)
    assert found.v[0, 2] < 0.01
    assert found.v[1, 2] < 0.01


def test_a_negative_retention_loses_nothing():
    """An answer changes with probability 9/10: the retention is -0.8, and what is released says as much as with 1/10."""
    table = np.array([[0.35, 0.15], [0.1, 0.4]])
    mechanism = Tabulated((2, 2), SubsetChannel((2, 2), np.multiply.outer([0.1, 0.9], [0.8, 0.2])))
    assert mechanism.retentions[0] == pytest.approx(-0.8)
    found = debiased_dependence(PairTables.assemble((2, 2), {(0, 1): mechanism.channel([0, 1]).push(table)}, 10**9), mechanism)
    assert found.v[0, 1] == pytest.approx(cramers_v(table), abs=1e-3)


def test_one_attribute_has_no_dependence_to_find():
    released = PairTables.count(np.zeros((5, 1), dtype=np.int32), (3,))
    found = debiased_dependence(released, Kronecker.from_epsilon((3,), [1.0]))
    for matrix in (found.v, found.low, found.high):
        assert np.isnan(matrix).tolist() == [[True]]


# where there is little or nothing to see


@pytest.mark.filterwarnings("error")
def test_erased_pairs_are_left_blank():
    """theory.md section 5: a = (2, 2, 2), eps = 0.5 each, the optimum has mu_ij = 0."""
    mechanism = build("optimal", (2, 2, 2), (0.5,) * 3)
    assert np.abs(mechanism.pair_factors[np.triu_indices(3, 1)]).max() < 1e-9
    codes = np.random.default_rng(4).integers(0, 2, (2000, 1)).repeat(3, axis=1).astype(np.int32)
    found = debiased_dependence(PairTables.count(mechanism.sample(codes, rng=np.random.default_rng(5)), (2, 2, 2)), mechanism)
    for matrix in (found.v, found.low, found.high):
        assert np.isnan(matrix).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("level", [0.5, 3.0, 20.0])
@pytest.mark.parametrize("n", [1, 200])
def test_a_constant_released_attribute_has_no_information(level, n):
    codes = np.random.default_rng(6).integers(0, 3, (n, 3)).astype(np.int32)
    codes[:, 1] = 2
    found = debiased_dependence(PairTables.count(codes, (3, 3, 3)), Kronecker.from_epsilon((3, 3, 3), [level] * 3))
    assert (found.v[0, 1], found.low[0, 1], found.high[0, 1]) == (0, 0, 1)


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
def test_any_small_release_gives_numbers_in_range_in_their_order():
    """40 random releases of 1 to 1,000 people with rare answers, at levels of 0.01 to 20."""
    rng, seen = np.random.default_rng(7), 0
    for _ in range(40):
        sizes = tuple(int(a) for a in rng.integers(2, 6, rng.integers(2, 5)))
        level, n = float(rng.choice([0.01, 0.3, 1, 3, 20])), int(rng.choice([1, 2, 3, 10, 100, 1000]))
        mechanism = build(str(rng.choice(MECHANISMS)), sizes, level * rng.uniform(0.7, 1.3, len(sizes)))
        codes = np.stack([rng.choice(a, size=n, p=rng.dirichlet(np.full(a, 0.3))) for a in sizes], axis=1).astype(np.int32)
        found = debiased_dependence(PairTables.count(mechanism.sample(codes, rng=rng), sizes), mechanism)
        for i, j in combinations(range(len(sizes)), 2):
            if np.isnan(found.v[i, j]):
                continue
            seen += 1
            assert 0 <= found.low[i, j] <= found.v[i, j] <= found.high[i, j] <= 1 + 1e-12
    assert seen > 57


# order and confidence


@pytest.mark.parametrize("name", ["independent", "preserving-2"])
def test_permuting_the_attributes_permutes_the_result(name):
    """To 0.02 in V: the start of EM depends on the order, its end hardly."""
    people, order = load_demo("titanic"), [2, 0, 3, 1]
    sizes, epsilon = people.schema.sizes, np.array([1.5, 1.2, 1.0, 1.4])
    mechanism = build(name, sizes, epsilon)
    codes = mechanism.sample(people.codes, rng=np.random.default_rng(8))
    found = debiased_dependence(PairTables.count(codes, sizes), mechanism)
    turned_sizes = [sizes[i] for i in order]
    turned = debiased_dependence(PairTables.count(codes[:, order], turned_sizes), build(name, turned_sizes, epsilon[order]))
    for matrix, other in ((found.v, turned.v), (found.low, turned.low), (found.high, turned.high)):
        np.testing.assert_allclose(other, matrix[np.ix_(order, order)], rtol=0, atol=0.02)
    assert np.ptp(found.v[np.triu_indices(4, 1)]) > 0.1


def test_more_confidence_makes_wider_intervals():
    people = load_demo("haireye")
    mechanism = Kronecker.from_epsilon(people.schema.sizes, [1.5] * 3)
    released = PairTables.count(mechanism.sample(people.codes, rng=np.random.default_rng(9)), people.schema.sizes)
    half, most, nearly = (debiased_dependence(released, mechanism, confidence=c) for c in (0.5, 0.95, 0.999))
    upper = np.triu_indices(3, 1)
    np.testing.assert_array_equal(half.v, nearly.v)
    assert (half.high < most.high)[upper].all()
    assert (most.high < nearly.high)[upper].all()
    assert (nearly.low <= most.low)[upper].all()
    assert (most.low <= half.low)[upper].all()
    assert (nearly.low < half.low)[upper].any()


@pytest.mark.slow
@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.long
def test_intervals_hold_the_truth_of_many_populations(name):
    """12 populations of 20,000, six pairs each: of 72 intervals at 95% fewer than 60 would hold with probability 0.0001."""
    mechanism, rng, upper = build(name, SIZES, LEVELS), np.random.default_rng(10), np.triu_indices(4, 1)
    held, widths = [], []
    for seed in range(12):
        codes = Classes(seed).draw(20_000, rng)
        truth = measure_pairs(PairTables.count(codes, SIZES))
        found = debiased_dependence(PairTables.count(mechanism.sample(codes, rng=rng), SIZES), mechanism)
        held.append(((found.low <= truth) & (truth <= found.high))[upper])
        widths.append((found.high - found.low)[upper])
    assert np.sum(held) >= 60
    assert np.mean(widths) < 0.2


@pytest.mark.slow
def test_a_table_without_dependence_shows_hardly_any():
    """The census with every column shuffled, level 1, two releases: what is found beyond the truth is below 0.02."""
    people = load_demo("census")
    rng, sizes = np.random.default_rng(0), people.schema.sizes
    codes = np.stack([rng.permutation(column) for column in people.codes.T], axis=1)
    truth, mechanism = measure_pairs(PairTables.count(codes, sizes))[UPPER], Kronecker.from_epsilon(sizes, [1.0] * 8)
    apart = []
    for seed in range(2):
        released = PairTables.count(mechanism.sample(codes, rng=np.random.default_rng(seed)), sizes)
        apart.append(debiased_dependence(released, mechanism).v[UPPER] - truth)
    assert abs(np.median(apart)) < 0.02
    assert abs(np.mean(apart)) < 0.02
