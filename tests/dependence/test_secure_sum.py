"""The secure sum: right, uniform in every message, and blind to everything but the sum."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from rrcore.dependence import run_secure_sum, secure_sum_messages
from rrcore.dependence.secure_sum import Transcript, secure_sum
from rrcore.errors import InputError
from rrcore.limits import MAX_TRANSCRIPT_PARTIES


@given(st.integers(2, 12), st.integers(1, 4), st.integers(0, 10**6), st.one_of(st.none(), st.integers(1, 6)))
@settings(max_examples=60)
def test_sums_are_exact(parties, cells, seed, neighbours):
    rng = np.random.default_rng(seed)
    inputs = rng.integers(0, 50, (parties, cells))
    found = secure_sum(inputs, rng=rng, neighbours=neighbours)
    np.testing.assert_array_equal(found.sums, inputs.sum(axis=0))
    assert found.messages == secure_sum_messages(parties, cells, neighbours)
    assert found.bits == found.messages * (found.modulus - 1).bit_length()
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
    found = secure_sum(np.ones((parties, 2), dtype=int), rng=rng, neighbours=neighbours)
    assert rng.drawn == found.messages - 2 * parties


def test_many_parties_on_a_ring():
    inputs = (np.random.default_rng(0).integers(0, 30, 20_000)[:, None] == np.arange(30)).astype(np.int64)
    found = secure_sum(inputs, rng=np.random.default_rng(1), neighbours=4)
    np.testing.assert_array_equal(found.sums, inputs.sum(axis=0))


def test_a_single_share_and_a_single_broadcast_are_uniform():
    """Chi-square over 11 values in 20,000 runs each; false alarm 1e-6 a test. The input is always 1, so leaking it would show."""
    rng, modulus = np.random.default_rng(2), 11
    inputs = np.ones((3, 20_000), dtype=np.int64)
    transcript = run_secure_sum(inputs, rng=rng, modulus=modulus)
    for drawn in (transcript.shares[0, 1], transcript.shares[2, 2], transcript.broadcasts[0], transcript.broadcasts[2]):
        counts = np.bincount(drawn, minlength=modulus)
        assert ((counts - 20_000 / modulus) ** 2 / (20_000 / modulus)).sum() < chi2.isf(1e-6, modulus - 1)
    assert (transcript.shares.sum(axis=1) % modulus == 0).all()


def retold(transcript, honest, inputs):
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
def test_colluders_see_the_same_whoever_has_what_among_the_others(parties, seed, data):
    rng = np.random.default_rng(seed)
    colluders = data.draw(st.sets(st.integers(0, parties - 1), min_size=1, max_size=parties - 2))
    honest = [i for i in range(parties) if i not in colluders]
    inputs = rng.integers(0, 2, (parties, 3))
    other = inputs.copy()
    other[honest] = rng.permuted(inputs[honest], axis=0)
    transcript = run_secure_sum(inputs, rng=rng)
    again = retold(transcript, honest, other)
    assert (again.shares.sum(axis=1) % again.modulus == 0).all()
    np.testing.assert_array_equal(again.inputs, other)
    before, after = transcript.view(colluders), again.view(colluders)
    for name in ("inputs", "sent", "received", "broadcasts", "others_sum"):
        np.testing.assert_array_equal(getattr(before, name), getattr(after, name))
    np.testing.assert_array_equal(before.others_sum, inputs[honest].sum(axis=0))


def views(inputs, colluders, modulus=3):
    """How often each view of the colluders arises over all shares that three parties can draw for one number each."""
    seen = Counter()
    for drawn in product(range(modulus), repeat=6):
        shares = np.array(drawn).reshape(3, 2)
        shares = np.column_stack([shares, -shares.sum(axis=1) % modulus])[:, :, None]
        view = Transcript(np.array(inputs)[:, None], shares, modulus).view(colluders)
        seen[tuple(np.concatenate([view.sent.ravel(), view.received.ravel(), view.broadcasts.ravel()]).tolist())] += 1
    return seen


def test_one_party_sees_all_it_sees_exactly_as_often_whoever_has_what_and_nothing_alike_for_another_sum():
    """Every one of the 3^6 equally likely draws of shares, modulo 3: equal distributions for equal sums, disjoint ones otherwise."""
    mine, yours, neither = (views([0, *others], [0]) for others in [(0, 1), (1, 0), (0, 0)])
    assert mine == yours
    assert not mine.keys() & neither.keys()
    assert not views([0, 0, 1], [0, 1]).keys() & views([0, 1, 0], [0, 1]).keys()


def test_all_but_one_learn_the_one():
    transcript = run_secure_sum(np.array([[0], [1], [1]]), rng=np.random.default_rng(3))
    view = transcript.view([0, 2])
    assert view.reveals_a_party
    assert view.others_sum.tolist() == [1]
    assert not transcript.view([0]).reveals_a_party


def test_nobody_and_everybody_colluding():
    transcript = run_secure_sum(np.array([[2], [1], [1]]), rng=np.random.default_rng(6))
    assert transcript.view([]).others_sum.tolist() == [4]
    everybody = transcript.view([2, 0, 1, 1])
    assert (everybody.colluders, everybody.others_sum.tolist(), everybody.reveals_a_party) == ((0, 1, 2), [0], False)


def test_neighbours_beyond_the_ring_are_everybody():
    inputs = np.array([[1], [2], [3]])
    everybody, beyond = (secure_sum(inputs, rng=np.random.default_rng(7), neighbours=some) for some in (None, 10**12))
    assert (everybody.messages, everybody.sums.tolist()) == (beyond.messages, beyond.sums.tolist()) == (9, [6])


def test_progress_is_told_within_a_cell_and_can_stop_the_work():
    """Everybody with everybody is slow among many parties, so that waiting for whole cells would be too long."""
    told = []
    secure_sum(np.ones((350, 2), dtype=int), rng=np.random.default_rng(8), report=lambda fraction, text: told.append(fraction))
    assert len(told) > 4
    assert told == sorted(told)
    assert told[-1] == 1

    def stop(fraction, text):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        secure_sum(np.ones((350, 2), dtype=int), rng=np.random.default_rng(8), report=stop)


def test_a_sum_above_the_largest_modulus_is_refused():
    with pytest.raises(InputError, match="could reach 1,099,511,627,776"):
        secure_sum(np.array([[2**39], [1]]), rng=np.random.default_rng(0))


def test_transcripts_are_for_small_groups():
    with pytest.raises(InputError, match=f"at most {MAX_TRANSCRIPT_PARTIES}"):
        run_secure_sum(np.zeros((MAX_TRANSCRIPT_PARTIES + 1, 1), dtype=int), rng=np.random.default_rng(0))
