"""Lasso_JD, Lasso+EM_JD and Lasso on pairs of bits: Example 9, and what each of them can and cannot find."""

import inspect
from itertools import product

import numpy as np
import pytest
from scipy.optimize import nnls

from rrcore.dependence import cramers_v
from rrcore.errors import InputError
from rrcore.estimate import half_l1
from rrcore.research.lopub import METHODS, em_joint, flip_probability, lasso, simulate_reports, uniform_protocol
from rrcore.research.lopub.lasso import candidate_matrix, lasso_em_joint, lasso_joint, pair_lasso_joint
from tests.research.lopub.handmade import alumni, filter_of, reports_of, schema_of

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


def test_candidates_of_three_attributes_in_the_order_of_a_table():
    reports = reports_from(np.zeros((1, 3)), (2, 3, 2))
    found = candidate_matrix(reports, (2, 0, 1))
    patterns = [reports.protocol.filters[axis].patterns for axis in (2, 0, 1)]
    slow = [np.concatenate([p[c] for p, c in zip(patterns, cell, strict=True)]) for cell in product(range(2), range(2), range(3))]
    np.testing.assert_array_equal(found, slow)


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
    """The response of Algorithm 2 does not know the joint distribution: pairing the answers anew leaves it as it was."""
    reports, _ = twins(2_000)
    other = np.random.default_rng(1).permutation(reports.n)
    shuffled = type(reports)(reports.protocol, (reports.packed[0], reports.packed[1][other]))
    np.testing.assert_array_equal(lasso_joint(shuffled, (0, 1)).shares, lasso_joint(reports, (0, 1)).shares)
    assert half_l1(pair_lasso_joint(shuffled, (0, 1)).proper, pair_lasso_joint(reports, (0, 1)).proper) > 0.2


@pytest.mark.parametrize("method", [pair_lasso_joint, em_joint])
def test_pairs_of_bits_and_em_find_both(method):
    reports, truth = twins()
    found = method(reports, (0, 1)).proper
    assert max(margin_errors(found, truth)) < 0.03
    assert cramers_v(found) > 0.93
    assert half_l1(found, truth) < 0.05


@pytest.mark.parametrize("method", [lasso_em_joint, pair_lasso_joint, em_joint])
def test_independent_columns_stay_independent(method):
    rng = np.random.default_rng(2)
    codes = np.stack([rng.choice(3, 20_000, p=p) for p in ((0.5, 0.3, 0.2), (0.2, 0.2, 0.6))], axis=1)
    found = method(reports_from(codes, (3, 3)), (0, 1)).proper
    assert cramers_v(found) < 0.06
    assert half_l1(found, np.outer((0.5, 0.3, 0.2), (0.2, 0.2, 0.6))) < 0.04


def test_pairs_of_bits_find_every_pair_of_three_attributes():
    rng = np.random.default_rng(3)
    first = rng.choice(3, 40_000, p=(0.5, 0.3, 0.2))
    codes = np.stack([first, (first + (rng.random(40_000) < 0.2)) % 3, rng.choice(2, 40_000, p=(0.7, 0.3))], axis=1)
    found = pair_lasso_joint(reports_from(codes, (3, 3, 2)), (0, 1, 2)).proper
    truth = np.zeros((3, 3, 2))
    np.add.at(truth, tuple(codes.T), 1 / 40_000)
    for axis in range(3):
        assert half_l1(found.sum(axis=axis), truth.sum(axis=axis)) < 0.05


def test_hardly_flipped_pairs_of_bits_are_solved():
    """With next to no noise the response is the truth: the estimate is that of plain non-negative least squares."""
    rng = np.random.default_rng(4)
    codes = np.stack(np.unravel_index(rng.integers(0, 12, 5_000), (3, 4)), axis=1)
    reports = reports_from(codes, (3, 4), flip=1e-9, length=32)
    patterns = [each.patterns.astype(float) for each in reports.protocol.filters]
    together = np.einsum("nb,nc->bc", *(patterns[axis][codes[:, axis]] for axis in (0, 1))) / 5_000
    rows = np.einsum("ib,jc->bcij", *patterns).reshape(together.size, -1)
    solved = nnls(rows, together.ravel())[0].reshape(3, 4)
    np.testing.assert_allclose(pair_lasso_joint(reports, (0, 1)).shares, solved, atol=1e-5)


def test_one_attribute_by_least_squares():
    """Without flips and with one attribute, the bits identify the shares."""
    codes = np.repeat(np.arange(4), (400, 300, 200, 100))[:, None]
    reports = reports_from(codes, (4,), flip=1e-9)
    for method in (lasso_joint, pair_lasso_joint):
        np.testing.assert_allclose(method(reports, (0,)).shares, [0.4, 0.3, 0.2, 0.1], atol=1e-5)


def test_pairs_of_one_attribute_are_single_bits():
    reports, _ = twins(2_000)
    np.testing.assert_array_equal(pair_lasso_joint(reports, (1,)).shares, lasso_joint(reports, (1,)).shares)


def test_lasso_is_never_negative_and_counts_its_candidates():
    for method in (lasso_joint, pair_lasso_joint):
        found = method(twins(2_000)[0], (0, 1))
        assert found.shares.shape == (4, 4)
        assert found.shares.min() >= 0
        assert found.candidates == np.count_nonzero(found.shares)
        assert found.iterations == 0
        assert found.proper.sum() == pytest.approx(1, abs=1e-12)


def test_em_after_lasso_stays_on_its_candidates():
    reports, truth = twins()
    first, both = lasso_joint(reports, (0, 1)), lasso_em_joint(reports, (0, 1))
    assert 0 < first.candidates < 16
    assert (both.shares[first.shares == 0] == 0).all()
    assert both.candidates <= first.candidates
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
    assert found.candidates == 0
    np.testing.assert_array_equal(found.proper, np.full((2, 2), 0.25))
    assert lasso_em_joint(silent, (0, 1)).shares.sum() == pytest.approx(1)


@pytest.mark.parametrize("method", [lasso_joint, pair_lasso_joint, lasso_em_joint])
def test_too_many_combinations_are_refused(method, monkeypatch):
    reports, _ = twins(200)
    monkeypatch.setattr(lasso, "MAX_LASSO_CELLS", 16)
    method(reports, (0, 1))
    monkeypatch.setattr(lasso, "MAX_LASSO_CELLS", 15)
    with pytest.raises(InputError, match="Lasso has 16 combinations, at most 15"):
        method(reports, (0, 1))
    method(reports, (0,))


def test_a_descent_that_does_not_end_is_told(monkeypatch):
    reports, _ = twins(2_000)
    assert lasso_joint(reports, (0, 1)).converged
    monkeypatch.setattr(lasso, "_MOST", 1)
    assert not lasso_joint(reports, (0, 1)).converged


def test_all_methods_are_called_in_one_way():
    reports, truth = twins(4_000)
    for name, method in METHODS.values():
        told = []
        found = method(reports, (0, 1), report=lambda part, text, told=told: told.append((part, text)))
        assert found.shares.shape == truth.shape, name
        assert told, name
        assert all(0 <= part <= 1 and text for part, text in told), name
        assert "report" in inspect.signature(method).parameters
