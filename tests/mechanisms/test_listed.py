"""A list of sets of changes against the same distribution over all of them."""

import numpy as np
import pytest
from scipy.stats import chi2

from rrcore.arrays import cell_numbers
from rrcore.channel.channels import SubsetChannel
from rrcore.mechanisms.base import Listed, Tabulated

SIZES = (2, 3, 4)
LYING = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 1], [1, 1, 1]], dtype=bool)
CHANCES = np.array([0.4, 0.1, 0.15, 0.05])
UNIFORM = 0.3


@pytest.fixture
def pair():
    q = UNIFORM * SubsetChannel.product(SIZES, 1 - 1 / np.array(SIZES)).probabilities
    for row, chance in zip(LYING.astype(int), CHANCES, strict=True):
        q[tuple(row)] += chance
    table = Tabulated(SIZES, SubsetChannel(SIZES, q))
    return Listed(SIZES, UNIFORM, LYING, CHANCES), table


def test_it_is_the_same_mechanism(pair):
    listed, table = pair
    np.testing.assert_allclose(listed.lies, table.lies, rtol=1e-14)
    np.testing.assert_allclose(listed.epsilon, table.epsilon, rtol=1e-12)
    np.testing.assert_allclose(listed.epsilon_informed, table.epsilon_informed, rtol=1e-12)
    assert listed.epsilon_total == pytest.approx(table.epsilon_total, rel=1e-12)
    np.testing.assert_allclose(listed.pair_factors, table.pair_factors, atol=1e-14)
    for axes in [(0,), (2, 0), (0, 1, 2), (1, 2)]:
        np.testing.assert_allclose(listed.channel(axes).probabilities, table.channel(axes).probabilities, atol=1e-15)


def test_simulated_lies_have_its_probabilities(pair):
    """Chi-square over all eight sets of changes, 200,000 records; false alarm 1e-6."""
    listed, table = pair
    n = 200_000
    released = listed.sample(np.zeros((n, 3), dtype=np.int32), rng=np.random.default_rng(0))
    counts = np.bincount(cell_numbers((released > 0).astype(np.int32), (2, 2, 2)), minlength=8)
    expected = n * table.subsets.probabilities.ravel()
    assert ((counts - expected) ** 2 / expected).sum() < chi2.isf(1e-6, 7)


def test_uniform_records_only():
    nothing = Listed((2, 2), 1.0, np.zeros((0, 2), dtype=bool), np.zeros(0))
    assert nothing.epsilon_total == nothing.epsilon_informed.max() == 0
    np.testing.assert_allclose(nothing.retentions, 0, atol=1e-15)
    assert nothing.sample(np.zeros((50, 2), dtype=np.int32), rng=np.random.default_rng(1)).max() == 1


def test_more_attributes_than_can_be_tabulated():
    """RR-Joint over forty attributes is a list of one set of changes: every answer and every set of answers is kept with probability rho."""
    sizes, rho = (4,) * 40, 0.2
    listed = Listed(sizes, 1 - rho, np.zeros((1, 40), dtype=bool), np.array([rho]))
    np.testing.assert_allclose(listed.epsilon, np.log1p(4 * rho / (1 - rho)), rtol=1e-10)
    np.testing.assert_allclose(listed.pair_factors[np.triu_indices(40, 1)], rho, atol=1e-13)
    np.testing.assert_allclose(listed.channel((39, 0, 7)).factors.ravel()[1:], rho, atol=1e-14)
    assert listed.epsilon_total == pytest.approx(40 * np.log(4) + np.log(rho / (1 - rho)), abs=1e-12)
    np.testing.assert_allclose(listed.epsilon_informed, listed.epsilon_total, rtol=1e-14)


@pytest.mark.parametrize("k", [3, 9, 70])
def test_leakage_against_every_listed_neighbour(k):
    """Sets of changes of any number of attributes, looked up one by one in a dictionary."""
    rng = np.random.default_rng(k)
    lying = np.unique(rng.random((40, k)) < 0.5, axis=0)[: 2 ** (k - 1)]
    near = lying.copy()
    near[:, k - 1] ^= True
    lying = np.unique(np.vstack([lying, near[::3]]), axis=0)
    chances = rng.dirichlet(np.ones(len(lying))) * 0.9
    sizes = tuple(int(a) for a in rng.integers(2, 5, k))
    listed = Listed(sizes, 0.1, lying, chances)
    floor = np.log(0.1) - np.log(sizes).sum()
    known = {}
    for row, chance in zip(lying, chances, strict=True):
        known[tuple(row)] = np.logaddexp(np.log(chance) - np.log(np.array(sizes) - 1) @ row, floor)
    for i in range(k):
        steps = []
        for row, own in known.items():
            other = (*row[:i], not row[i], *row[i + 1 :])
            steps.append(abs(own - known.get(other, floor)))
        assert listed.epsilon_informed[i] == pytest.approx(max(steps), abs=1e-11)
    outputs = [*known.values(), *([floor] if len(known) < 2**k else [])]
    assert listed.epsilon_total == pytest.approx(max(outputs) - min(outputs), abs=1e-11)


def test_without_uniform_records_what_is_not_listed_never_comes():
    certain = Listed((2, 3), 0.0, np.array([[0, 0], [1, 0]], dtype=bool), np.array([0.7, 0.3]))
    assert certain.log_floor == -np.inf
    assert certain.epsilon_total == np.inf


@pytest.mark.parametrize("k", [6, 80])
def test_a_listed_lie_set_is_found_among_all(k):
    rng = np.random.default_rng(0)
    lying = np.unique(rng.random((40, k)) < 0.5, axis=0)
    mechanism = Listed((2,) * k, 0.2, lying, np.full(len(lying), 0.8 / len(lying)))
    np.testing.assert_allclose(mechanism._found(lying @ mechanism._keys)[1], mechanism.log_outputs, rtol=0)
    asked = rng.random((200, k)) < 0.5
    known = {tuple(row) for row in lying.tolist()}
    other = np.array([tuple(row) not in known for row in asked.tolist()])
    assert other.any()
    assert (mechanism._found(asked @ mechanism._keys)[1][other] == mechanism.log_floor).all()
