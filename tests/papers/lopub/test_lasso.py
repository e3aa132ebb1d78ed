"""Lasso_JD, Lasso+EM_JD: Example 9, and what each of them can and cannot find."""

import numpy as np
import pytest

from rrcore.association import cramers_v
from rrcore.errors import InputError
from rrcore.papers.lopub import em_joint, flip_probability, joint, simulate_reports, uniform_protocol
from rrcore.papers.lopub.joint import candidate_matrix, lasso_em_joint, lasso_joint
from rrcore.simulation.metrics import half_l1
from tests.papers.lopub.handmade import alumni, filter_of, reports_of, schema_of

EXAMPLE_9 = ["010101", "010110", "011100", "100101", "100110", "101100"]


def reports_from(codes, sizes, *, flip=0.3, length=16, seed=0, hashes=2):
    protocol = uniform_protocol(schema_of(*sizes), hashes=hashes, flip=flip, lengths=[length] * len(sizes), key="lasso")
    return simulate_reports(np.asarray(codes, dtype=np.int32), protocol, rng=np.random.default_rng(seed))


def twins(n=20_000, shares=(0.4, 0.3, 0.2, 0.1)):
    """Two attributes that always give the same answer, and their joint distribution."""
    one = np.repeat(np.arange(4), np.round(n * np.array(shares)).astype(int))
    return reports_from(np.stack([one, one], axis=1), (4, 4)), np.diag(shares)


def test_example_9():
    found = candidate_matrix(alumni(), (0, 1))
    np.testing.assert_array_equal(found, [[int(bit) for bit in row] for row in EXAMPLE_9])


def margin_errors(found, truth):
    return [half_l1(found.sum(axis=axis), truth.sum(axis=axis)) for axis in (0, 1)]


def test_lasso_on_single_bits_finds_marginals_and_no_dependence():
    """Two columns that are always equal: marginals within 0.03, but V = 1 comes out below 0.5, and half L1 is above 0.5."""
    reports, truth = twins()
    found = lasso_joint(reports, (0, 1)).proper
    assert max(margin_errors(found, truth)) < 0.03
    assert cramers_v(truth) == pytest.approx(1)
    assert cramers_v(found) < 0.5
    assert half_l1(found, truth) > 0.5


def test_single_bits_are_the_same_with_and_without_dependence():
    """The response of Algorithm 2 does not know the joint distribution: pairing the answers again leaves it as it was."""
    reports, _ = twins(2_000)
    other = np.random.default_rng(1).permutation(reports.n)
    shuffled = type(reports)(reports.protocol, (reports.packed[0], reports.packed[1][other]))
    np.testing.assert_array_equal(lasso_joint(shuffled, (0, 1)).shares, lasso_joint(reports, (0, 1)).shares)


def test_em_finds_both():
    reports, truth = twins()
    found = em_joint(reports, (0, 1)).proper
    assert max(margin_errors(found, truth)) < 0.03
    assert cramers_v(found) > 0.93
    assert half_l1(found, truth) < 0.05


@pytest.mark.parametrize("method", [lasso_em_joint, em_joint])
def test_independent_columns_stay_independent(method):
    rng = np.random.default_rng(2)
    codes = np.stack([rng.choice(3, 20_000, p=p) for p in ((0.5, 0.3, 0.2), (0.2, 0.2, 0.6))], axis=1)
    found = method(reports_from(codes, (3, 3)), (0, 1)).proper
    assert cramers_v(found) < 0.06
    assert half_l1(found, np.outer((0.5, 0.3, 0.2), (0.2, 0.2, 0.6))) < 0.04


def test_em_after_lasso_stays_on_its_candidates():
    reports, truth = twins()
    first, both = lasso_joint(reports, (0, 1)), lasso_em_joint(reports, (0, 1))
    assert 0 < np.count_nonzero(first.shares) < 16
    assert (both.shares[first.shares == 0] == 0).all()
    assert both.log_likelihoods[-1] > both.log_likelihoods[0]
    np.testing.assert_array_equal(both.shares, em_joint(reports, (0, 1), start=first.proper).shares)
    kept = np.where(first.shares > 0, truth, 0)
    assert half_l1(both.shares, truth) < 1 - kept.sum() + 0.05


def test_em_after_lasso_bears_reports_that_no_candidate_explains():
    """Levels so high that a combination which Lasso left out is certain: what is left takes the report, no division by 0."""
    rng = np.random.default_rng(0)
    one = rng.integers(0, 4, 2_000)
    codes = np.stack([one, one, rng.integers(0, 3, 2_000)], axis=1)
    found = lasso_em_joint(reports_from(codes, (4, 4, 3), flip=flip_probability(2, 1_500)), (0, 1, 2))
    assert np.isfinite(found.log_likelihoods).all()
    assert found.shares.sum() == pytest.approx(1)


def test_nothing_left_by_lasso_is_uniform():
    """Reports of zeros only estimate every bit below 0, so no combination is left, and EM starts anywhere."""
    silent = reports_of(
        (filter_of("Gender", ("01", "10"), 1), filter_of("Education", ("0101", "0110"))), (["00"] * 5, ["0000"] * 5)
    )
    found = lasso_joint(silent, (0, 1))
    assert not found.shares.any()
    np.testing.assert_array_equal(found.proper, np.full((2, 2), 0.25))
    assert lasso_em_joint(silent, (0, 1)).shares.sum() == pytest.approx(1)


@pytest.mark.parametrize("method", [lasso_joint, lasso_em_joint])
def test_too_many_combinations_are_refused(method, monkeypatch):
    reports, _ = twins(200)
    monkeypatch.setattr(joint, "MAX_LASSO_CELLS", 16)
    method(reports, (0, 1))
    monkeypatch.setattr(joint, "MAX_LASSO_CELLS", 15)
    with pytest.raises(InputError, match=r"16 combinations.* 15"):
        method(reports, (0, 1))
    method(reports, (0,))
