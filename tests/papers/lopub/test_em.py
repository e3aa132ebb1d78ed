"""EM_JD against plain loops over reports, combinations and bits, and against the truth."""

import math
from fractions import Fraction

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.papers.lopub import em_joint, flip_probability, simulate_reports, uniform_protocol
from rrcore.papers.lopub import joint as module
from rrcore.papers.lopub.reports import ReportProtocol, Reports
from tests.papers.lopub.handmade import EDUCATION, alumni, bits_of, likelihood, plain_em, schema_of

SIZES = (3, 2, 4)


def collected(n, sizes=SIZES, flip=0.4, seed=0, table=None):
    """Reports of n people drawn from ``table``, random if left out."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(math.prod(sizes))) if table is None else np.ravel(table)
    codes = np.stack(np.unravel_index(rng.choice(len(shares), n, p=shares), sizes), axis=1).astype(np.int32)
    protocol = uniform_protocol(schema_of(*sizes), hashes=2, flip=flip, lengths=[8] * len(sizes), key="em")
    return simulate_reports(codes, protocol, rng=rng), shares.reshape(sizes), codes


def taken(reports, rows):
    return Reports(reports.protocol, tuple(packed[rows] for packed in reports.packed))


def test_example_3():
    """0111 given 0101 at f = 1/2: three bits agree, so agreement and its constant give (3/4)^3 / 4."""
    reports = alumni()
    half, ones = Fraction(1, 4), int(reports.bits(1)[0].sum())
    agreeing = int(reports.agreement(1)[0, 0]) + 4 - ones
    assert (1 - half) ** agreeing * half ** (4 - agreeing) == Fraction(27, 256)
    assert likelihood(bits_of(["0111"])[0], bits_of(EDUCATION)[0], Fraction(1, 2)) == Fraction(27, 256)


@pytest.mark.parametrize("axes", [(0,), (2, 0), (1, 2), (0, 1, 2)])
@pytest.mark.parametrize("flip", [0.2, 0.7])
def test_the_plain_loops(axes, flip):
    reports, _, _ = collected(60, flip=flip)
    found = em_joint(reports, axes, tolerance=1e-4, most=60)
    shares, curve = plain_em(reports, axes, tolerance=1e-4, most=60)
    np.testing.assert_allclose(found.shares, shares, atol=1e-8, rtol=0)
    assert found.iterations == len(curve) - 1 > 3
    np.testing.assert_allclose(np.diff(found.log_likelihoods), np.diff(curve), atol=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_the_likelihood_never_falls(seed):
    found = em_joint(collected(400, seed=seed)[0], (0, 1, 2))
    assert len(found.log_likelihoods) > 10
    assert np.diff(found.log_likelihoods).min() > -1e-12
    assert found.log_likelihoods[-1] > found.log_likelihoods[0] + 1e-3


def test_the_end_is_the_maximum():
    """First-order conditions of the maximum: the mean of (likelihood / fit) is 1 where a share is above 0, at most 1 elsewhere."""
    reports, _, _ = collected(300)
    found = em_joint(reports, (0, 1), tolerance=1e-12, most=200_000)
    assert found.converged
    filters = reports.protocol.filters
    tables = [np.array([[likelihood(r, p, 0.4) for p in filters[axis].patterns] for r in reports.bits(axis)]) for axis in (0, 1)]
    given = np.einsum("na,nb->nab", *tables)
    slope = (given / (given * found.shares).sum(axis=(1, 2))[:, None, None]).mean(axis=0)
    assert np.abs(slope - 1)[found.shares > 1e-3].max() < 1e-6
    assert slope.max() < 1 + 1e-3


def test_equal_reports_count_as_often_as_they_occur():
    """Everybody three times, in another order, changes nothing; somebody twice does."""
    reports, _, _ = collected(80)
    once = em_joint(reports, (0, 1, 2), tolerance=1e-5)
    order = np.random.default_rng(0).permutation(np.repeat(np.arange(80), 3))
    thrice = em_joint(taken(reports, order), (0, 1, 2), tolerance=1e-5)
    np.testing.assert_allclose(thrice.shares, once.shares, atol=1e-10)
    assert thrice.iterations == once.iterations
    other = em_joint(taken(reports, np.append(np.arange(80), 0)), (0, 1, 2), tolerance=1e-5)
    assert np.abs(other.shares - once.shares).max() > 1e-6


def test_what_starts_at_0_stays_at_0():
    reports, _, _ = collected(400)
    start = np.random.default_rng(1).random(SIZES)
    start[0, 1, :] = start[2, 0, 3] = 0
    found = em_joint(reports, (0, 1, 2), start=start, tolerance=1e-4)
    shares, _ = plain_em(taken(reports, np.arange(30)), (0, 1, 2), start=start, tolerance=1e-4)
    few = em_joint(taken(reports, np.arange(30)), (0, 1, 2), start=start, tolerance=1e-4)
    np.testing.assert_allclose(few.shares, shares, atol=1e-8, rtol=0)
    assert (found.shares[start == 0] == 0).all()
    assert found.shares.sum() == pytest.approx(1, abs=1e-12)


def test_categories_that_share_a_bit_string_share_their_people():
    """Equal columns of likelihoods: EM from a uniform start keeps the shares of collided categories equal."""
    reports = alumni()
    vars(reports.protocol.filters[1])["patterns"] = bits_of(("0101", "0110", "0110")).astype(bool)
    found = em_joint(reports, (1,)).shares
    assert found[1] == pytest.approx(found[2], rel=1e-12)
    assert found[0] != pytest.approx(found[1], rel=1e-3)


def test_strong_levels_do_not_underflow():
    """eps = 30 an attribute, 3 attributes: likelihoods range over exp(90), and the truth comes out."""
    reports, _, codes = collected(300, flip=flip_probability(2, 30.0))
    found = em_joint(reports, (0, 1, 2))
    counted = np.zeros(SIZES)
    np.add.at(counted, tuple(codes.T), 1 / 300)
    np.testing.assert_allclose(found.shares, counted, atol=1e-3)


def test_what_does_not_fit_is_refused(monkeypatch):
    reports, _, _ = collected(50)
    entries = module.em_entries(50, SIZES)
    assert entries == 50 * (6 + 4 + 3 + 2 + 4)
    monkeypatch.setattr(module, "MAX_EM_ENTRIES", entries)
    em_joint(reports, (0, 1, 2), most=1)
    monkeypatch.setattr(module, "MAX_EM_ENTRIES", entries - 1)
    with pytest.raises(InputError, match="950 entries, but at most 949"):
        em_joint(reports, (0, 1, 2))
    em_joint(reports, (0, 1), most=1)


def test_a_protocol_of_one_bit():
    """m = 1: every category has the same string, so nothing is learned and the start is the answer."""
    protocol = uniform_protocol(schema_of(3, 2), hashes=1, flip=0.5, lengths=(1, 1))
    assert isinstance(protocol, ReportProtocol)
    reports = Reports(protocol, tuple(np.packbits(np.ones((9, 1), dtype=bool), axis=1) for _ in range(2)))
    np.testing.assert_allclose(em_joint(reports, (0, 1)).shares, np.full((3, 2), 1 / 6), atol=1e-12)
