"""Reports: how often bits are flipped, what comes out again, and Examples 1 and 8 of the paper."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from rrcore.errors import InputError
from rrcore.papers.lopub import level, simulate_reports, uniform_protocol
from rrcore.papers.lopub import reports as module
from rrcore.papers.lopub.reports import BloomFilter, ReportProtocol, Reports
from tests.papers.lopub.handmade import alumni, schema_of

FALSE_ALARM = 1e-6


def small_protocol(flip=0.5, lengths=(13, 8, 5)):
    return uniform_protocol(schema_of(4, 3, 2), hashes=2, flip=flip, lengths=lengths, key="k")


def codes_of(n, sizes, seed=0):
    rng = np.random.default_rng(seed)
    return np.stack([rng.integers(0, a, n) for a in sizes], axis=1).astype(np.int32)


def test_cost_of_a_protocol():
    made = small_protocol()
    assert made.bits == 13 + 8 + 5
    assert made.epsilon_total == pytest.approx(3 * level(2, 0.5), rel=1e-12)


def test_one_length_an_attribute_is_needed():
    with pytest.raises(ValueError, match="zip"):
        uniform_protocol(schema_of(4, 3, 2), hashes=2, flip=0.5, lengths=(13, 8))


@pytest.mark.parametrize("flip", [0.1, 0.5, 0.9])
def test_every_bit_is_flipped_with_probability_half_of_f(flip):
    """z-test of each of the 26 bits, of those that are set and of those that are not, 3 f in all: false alarm 1e-6 together."""
    n, made = 60_000, small_protocol(flip)
    codes = codes_of(n, (4, 3, 2))
    sent = simulate_reports(codes, made, rng=np.random.default_rng(1))
    scores = []
    for axis, each in enumerate(made.filters):
        true = each.patterns[codes[:, axis]]
        flipped = sent.bits(axis) != true
        for value in (False, True):
            people = (true == value).sum(axis=0)
            wrong = (flipped & (true == value)).sum(axis=0)
            live = people > 0
            scores += list((wrong - people * flip / 2)[live] / np.sqrt(people * flip / 2 * (1 - flip / 2))[live])
    assert len(scores) > 26
    assert np.abs(scores).max() < norm.isf(FALSE_ALARM / 2 / 3 / len(scores))


def test_bits_are_flipped_independently():
    """Correlation of any two flips of one report, within and between attributes, is noise: 325 z-tests, false alarm 1e-6 in all."""
    n, made = 60_000, small_protocol()
    codes = codes_of(n, (4, 3, 2))
    sent = simulate_reports(codes, made, rng=np.random.default_rng(2))
    flips = np.hstack([sent.bits(axis) != each.patterns[codes[:, axis]] for axis, each in enumerate(made.filters)])
    noise = np.corrcoef(flips.T)[np.triu_indices(26, 1)] * math.sqrt(n)
    assert len(noise) == 325
    assert np.abs(noise).max() < norm.isf(FALSE_ALARM / 2 / len(noise))


@pytest.mark.parametrize("length", [1, 7, 8, 9, 31])
def test_packed_bits_come_out_as_they_went_in(length):
    truth = np.random.default_rng(length).integers(0, 2, (50, length)).astype(bool)
    each = BloomFilter(schema_of(2).attributes[0], length, 1)
    made = Reports(ReportProtocol((each,), 0.5), (np.packbits(truth, axis=1),))
    assert made.n == 50
    assert made.packed[0].shape == (50, math.ceil(length / 8))
    np.testing.assert_array_equal(made.bits(0), truth)


@pytest.mark.slow
def test_reports_made_in_pieces_keep_everybody_in_place():
    """A filter so long that a piece holds 1,024 people."""
    codes = codes_of(2_500, (3,))
    made = uniform_protocol(schema_of(3), hashes=4, flip=1e-12, lengths=(4_096,))
    sent = simulate_reports(codes, made, rng=np.random.default_rng(6))
    np.testing.assert_array_equal(sent.bits(0), made.filters[0].patterns[codes[:, 0]])


def test_example_8():
    shares = alumni().bit_shares
    np.testing.assert_array_equal(shares[0] * 4, [2, -2])
    np.testing.assert_array_equal(shares[1] * 4, [0, 6, 4, 0])


def test_bit_shares_are_right_on_average():
    """z-test of 26 means over 400 collections from the same 300 people; their variance is exactly f/2 (1 - f/2) / n / (1 - f)^2."""
    n, runs, flip, made = 300, 400, 0.6, small_protocol(0.6)
    codes = codes_of(n, (4, 3, 2))
    rng = np.random.default_rng(7)
    sums = [np.zeros(each.length) for each in made.filters]
    for _ in range(runs):
        for total, shares in zip(sums, simulate_reports(codes, made, rng=rng).bit_shares, strict=True):
            total += shares
    error = math.sqrt(flip / 2 * (1 - flip / 2) / n / runs) / (1 - flip)
    for axis, each in enumerate(made.filters):
        truth = each.patterns[codes[:, axis]].mean(axis=0)
        assert np.abs(sums[axis] / runs - truth).max() < norm.isf(FALSE_ALARM / 2 / 26) * error


def test_agreement_is_the_number_of_equal_bits():
    sent = simulate_reports(codes_of(200, (4, 3, 2)), small_protocol(), rng=np.random.default_rng(8))
    for axis, each in enumerate(sent.protocol.filters):
        found = sent.agreement(axis)
        assert found.shape == (200, each.attribute.size)
        for row, report in zip(found, sent.bits(axis), strict=True):
            slow = [sum(int(a == b) for a, b in zip(report, pattern, strict=True)) for pattern in each.patterns]
            assert {int(a) - b for a, b in zip(row, slow, strict=True)} == {int(report.sum()) - each.length}


def test_too_many_bits_are_refused(monkeypatch):
    monkeypatch.setattr(module, "MAX_REPORT_BITS", 26 * 100)
    simulate_reports(codes_of(100, (4, 3, 2)), small_protocol(), rng=np.random.default_rng(0))
    with pytest.raises(InputError, match=r"2,626 bits.* 2,600"):
        simulate_reports(codes_of(101, (4, 3, 2)), small_protocol(), rng=np.random.default_rng(0))
