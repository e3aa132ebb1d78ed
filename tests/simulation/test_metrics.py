"""Error measures, against loops and numbers worked out by hand."""

from math import sqrt

import numpy as np
import pytest

from rrcore.simulation.metrics import (
    METRICS,
    coverage,
    half_l1,
    hellinger,
    largest_absolute_error,
)

SLOW = {
    "largest absolute cell error": lambda t, e: max(abs(u - v) for u, v in zip(t, e, strict=True)),
    "half L1 (total variation)": lambda t, e: sum(abs(u - v) for u, v in zip(t, e, strict=True)) / 2,
    "mean absolute error": lambda t, e: sum(abs(u - v) for u, v in zip(t, e, strict=True)) / len(t),
    "mean squared error": lambda t, e: sum((u - v) ** 2 for u, v in zip(t, e, strict=True)) / len(t),
    "Hellinger distance": lambda t, e: sqrt(max(0.0, 1 - sum(sqrt(u * v) for u, v in zip(t, e, strict=True)))),
}


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
