"""The secure sum: right, uniform in every message, and blind to everything but the sum."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from rrcore.association import run_secure_sum, secure_sum_messages
from rrcore.association.secure_sum import Transcript, secure_sum
from rrcore.errors import InputError


@given(st.integers(2, 12), st.integers(1, 4), st.integers(0, 10**6), st.one_of(st.none(), st.integers(1, 6)))
@settings(max_examples=60)
def test_sums_are_exact(parties, cells, seed, neighbours):
    rng = np.random.default_rng(seed)
    inputs = rng.integers(0, 50, (parties, cells))
    found = secure_sum(inputs, rng=rng, neighbours=neighbours)
    np.testing.assert_array_equal(found, inputs.sum(axis=0))
    np.testing.assert_array_equal(run_secure_sum(inputs, rng=rng).total, inputs.sum(axis=0))


def test_messages_are_those_of_the_paper():
    """Everybody gives a share to everybody else and broadcasts once, for every combination: m (m - 1) + m."""
    assert secure_sum_messages(5, 3) == 3 * (5 * 4 + 5)
    assert secure_sum_messages(1000, 1, 4) == 1000 * 9
    assert secure_sum_messages(4, 1, 10) == secure_sum_messages(4, 1)


class Counting:
    """A source of random numbers that counts how many were asked for."""

    def __init__(self):
        self.rng, self.drawn = np.random.default_rng(0), 0

    def integers(self, low, high, size):
        self.drawn += size
        return self.rng.integers(low, high, size)


@pytest.mark.parametrize("parties", [2, 3, 6, 7, 20])
@pytest.mark.parametrize("neighbours", [None, 1, 2, 3, 50])
def test_as_many_shares_are_drawn_as_are_counted(parties, neighbours):
    rng = Counting()
    secure_sum(np.ones((parties, 2), dtype=int), rng=rng, neighbours=neighbours)
    assert rng.drawn == secure_sum_messages(parties, 2, neighbours) - 2 * parties


def test_a_single_share_and_a_single_broadcast_are_uniform():
    """Chi-square over 11 values in 20,000 runs each; false alarm 1e-6 a test. The input is always 1, so leaking it would show."""
    rng, modulus = np.random.default_rng(2), 11
    inputs = np.ones((3, 20_000), dtype=np.int64)
    transcript = run_secure_sum(inputs, rng=rng, modulus=modulus)
    for drawn in (transcript.shares[0, 1], transcript.shares[2, 2], transcript.broadcasts[0], transcript.broadcasts[2]):
        counts = np.bincount(drawn, minlength=modulus)
        assert ((counts - 20_000 / modulus) ** 2 / (20_000 / modulus)).sum() < chi2.isf(1e-6, modulus - 1)
    assert (transcript.shares.sum(axis=1) % modulus == 0).all()


def view(transcript, colluders):
    """Everything that these parties see together: their own numbers, shares they gave and got, and what everybody broadcast."""
    who, shares = sorted(colluders), transcript.shares
    parts = (transcript.inputs[who], shares[who], shares[:, who], transcript.broadcasts)
    return np.concatenate([part.ravel() for part in parts])


def replayed(transcript, honest, inputs):
    """Another run with other ``inputs`` of the ``honest`` parties in which all others see exactly the same.

    It differs from the run by fixed amounts in shares that are uniform, so it is exactly as likely. That there is one for all inputs of
    the same sum proves that their view tells the colluders nothing but the sum.
    """
    change, shares, hub = inputs - transcript.inputs, transcript.shares.copy(), honest[0]
    for party in honest[1:]:
        # what ``party`` gets must fall by its change, so that its broadcast stays; it comes from the hub, which keeps the difference
        shares[hub, party] -= change[party]
        shares[hub, hub] += change[party]
    return Transcript(inputs, shares % transcript.modulus, transcript.modulus)


@given(st.integers(3, 7), st.integers(0, 10**6), st.data())
@settings(max_examples=60)
def test_colluders_see_the_same_for_all_inputs_of_a_sum(parties, seed, data):
    rng = np.random.default_rng(seed)
    colluders = data.draw(st.sets(st.integers(0, parties - 1), min_size=1, max_size=parties - 2))
    honest = [i for i in range(parties) if i not in colluders]
    inputs = rng.integers(0, 2, (parties, 3))
    other = inputs.copy()
    other[honest] = rng.permuted(inputs[honest], axis=0)
    transcript = run_secure_sum(inputs, rng=rng)
    again = replayed(transcript, honest, other)
    assert (again.shares.sum(axis=1) % again.modulus == 0).all()
    np.testing.assert_array_equal(again.inputs, other)
    np.testing.assert_array_equal(view(transcript, colluders), view(again, colluders))


def views(inputs, colluders, modulus=3):
    """How often each view of the colluders arises over all shares that three parties can draw for one number each."""
    seen = Counter()
    for drawn in product(range(modulus), repeat=6):
        shares = np.array(drawn).reshape(3, 2)
        shares = np.column_stack([shares, -shares.sum(axis=1) % modulus])[:, :, None]
        seen[tuple(view(Transcript(np.array(inputs)[:, None], shares, modulus), colluders).tolist())] += 1
    return seen


def test_views_of_one_party_depend_on_the_sum_only():
    """Every one of the 3^6 equally likely draws of shares, modulo 3: equal distributions for equal sums, disjoint ones otherwise."""
    mine, yours, neither = (views([0, *others], [0]) for others in [(0, 1), (1, 0), (0, 0)])
    assert mine == yours
    assert not mine.keys() & neither.keys()
    assert not views([0, 0, 1], [0, 1]).keys() & views([0, 1, 0], [0, 1]).keys()


def test_a_sum_above_the_largest_modulus_is_refused():
    with pytest.raises(InputError, match="could reach 1,099,511,627,776"):
        secure_sum(np.array([[2**39], [1]]), rng=np.random.default_rng(0))
