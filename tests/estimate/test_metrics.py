"""Error measures, against loops and numbers worked out by hand."""

from math import sqrt

import numpy as np
import pytest

from rrcore.estimate import METRICS, coverage, half_l1, largest_absolute_error, mean_absolute_error, mean_squared_error
from rrcore.estimate.metrics import errors_within, hellinger

TRUTH = np.array([[0.5, 0.25], [0.25, 0.0]])
ESTIMATE = np.array([[0.36, 0.25], [0.25, 0.14]])

SLOW = {
    "largest absolute cell error": lambda t, e: max(abs(u - v) for u, v in zip(t, e, strict=True)),
    "half L1 (total variation)": lambda t, e: sum(abs(u - v) for u, v in zip(t, e, strict=True)) / 2,
    "mean absolute error": lambda t, e: sum(abs(u - v) for u, v in zip(t, e, strict=True)) / len(t),
    "mean squared error": lambda t, e: sum((u - v) ** 2 for u, v in zip(t, e, strict=True)) / len(t),
    "Hellinger distance": lambda t, e: sqrt(max(0.0, 1 - sum(sqrt(u * v) for u, v in zip(t, e, strict=True)))),
}


def test_by_hand():
    assert largest_absolute_error(TRUTH, ESTIMATE) == pytest.approx(0.14, abs=1e-15)
    assert half_l1(TRUTH, ESTIMATE) == pytest.approx(0.14, abs=1e-15)
    assert mean_absolute_error(TRUTH, ESTIMATE) == pytest.approx(0.07, abs=1e-15)
    assert mean_squared_error(TRUTH, ESTIMATE) == pytest.approx(0.0098, abs=1e-15)
    assert hellinger(TRUTH, ESTIMATE) == pytest.approx(sqrt(1 - (sqrt(0.18) + 0.5)), abs=1e-12)


def test_the_table_of_names_is_complete():
    assert METRICS.keys() == SLOW.keys()


@pytest.mark.parametrize("name", SLOW)
def test_against_loops(name):
    rng = np.random.default_rng(6)
    for _ in range(20):
        truth, estimate = rng.dirichlet(np.ones(12), size=2)
        found = METRICS[name](truth.reshape(3, 4), estimate.reshape(3, 4))
        assert found == pytest.approx(SLOW[name](truth, estimate), abs=1e-12)
        assert isinstance(found, float)
        assert METRICS[name](truth, truth) == 0


def test_opposite_distributions_are_as_far_apart_as_can_be():
    truth, estimate = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    assert half_l1(truth, estimate) == 1
    assert hellinger(truth, estimate) == pytest.approx(1, abs=1e-15)


def test_the_two_meanings_of_avd_differ():
    truth, estimate = np.full(4, 0.25), np.array([0.35, 0.35, 0.15, 0.15])
    assert largest_absolute_error(truth, estimate) == pytest.approx(0.1)
    assert half_l1(truth, estimate) == pytest.approx(0.2)


def test_hellinger_needs_probabilities():
    assert np.isnan(hellinger(np.array([0.5, 0.5]), np.array([1.1, -0.1])))


def test_coverage_counts_both_ends():
    truth = np.array([0.1, 0.2, 0.3, 0.4])
    low = np.array([0.1, 0.21, 0.0, 0.0])
    high = np.array([0.2, 0.3, 0.3, 0.39])
    assert coverage(truth, low, high) == 0.5
    assert coverage(truth, truth, truth) == 1


def test_errors_within_groups_are_those_of_each_group_s_own_shares():
    """Against loops over cells; a group that nobody is in does not count, one that is estimated at nothing has no shares."""
    truth = np.random.default_rng(3).dirichlet(np.ones(12)).reshape(2, 3, 2)
    estimate = truth + 0.02 * np.random.default_rng(4).standard_normal(truth.shape)
    truth[:, 1], estimate[:, 1] = 0, 0.01
    misses = []
    for b in (0, 2):
        for a, c in np.ndindex(2, 2):
            misses.append(abs(truth[a, b, c] / truth[:, b].sum() - estimate[a, b, c] / estimate[:, b].sum()))
    largest, mean = errors_within(truth, estimate, [1]).values()
    assert (largest, mean) == (pytest.approx(max(misses)), pytest.approx(np.mean(misses)))
    estimate[:, 2] = [[-0.1, 0.05], [0.02, 0.01]]
    assert np.isnan(list(errors_within(truth, estimate, [1]).values())).all()
