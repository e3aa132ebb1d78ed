"""Weights of released records: fitting of tables that are never built, and what no weights can reach."""

import numpy as np
import pytest

from rrcore.papers.methods import adjust


def fitted(table, rows, columns, rounds=20_000):
    """Iterative proportional fitting of a dense table, the textbook way."""
    for _ in range(rounds):
        table = table * (rows / np.maximum(table.sum(axis=1), 1e-300))[:, None]
        table = table * (columns / np.maximum(table.sum(axis=0), 1e-300))[None, :]
    return table


def as_codes(counts):
    cells = np.stack(np.unravel_index(np.arange(counts.size), counts.shape), axis=1)
    return np.repeat(cells, counts.ravel(), axis=0).astype(np.int32)


@pytest.mark.parametrize("seed", range(4))
def test_adjustment_is_iterative_proportional_fitting(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 20, (4, 3))
    rows, columns = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(3))
    codes = as_codes(counts)
    found = adjust(codes, (4, 3), [(0,), (1,)], [rows, columns])
    table = np.zeros((4, 3))
    np.add.at(table, tuple(codes.T), found)
    np.testing.assert_allclose(table, fitted(counts / counts.sum(), rows, columns, 500), rtol=0, atol=1e-9)
    np.testing.assert_allclose(table.sum(axis=1), rows, rtol=0, atol=1e-9)


def test_adjustment_over_clusters_is_fitting_of_their_tables():
    rng = np.random.default_rng(9)
    counts = rng.integers(1, 9, (2, 3, 2))
    pair, single = rng.dirichlet(np.ones(4)).reshape(2, 2), rng.dirichlet(np.ones(3))
    codes = as_codes(counts)
    found = adjust(codes, (2, 3, 2), [(2, 0), (1,)], [pair, single])
    dense = fitted(counts.transpose(2, 0, 1).reshape(4, 3) / counts.sum(), pair.ravel(), single, 500)
    table = np.zeros((2, 3, 2))
    np.add.at(table, tuple(codes.T), found)
    np.testing.assert_allclose(table.transpose(2, 0, 1).reshape(4, 3), dense, rtol=0, atol=1e-9)


def test_an_answer_that_nobody_released_cannot_get_weight():
    codes = np.array([[0, 0], [0, 1], [1, 0]], dtype=np.int32)
    found = adjust(codes, (3, 2), [(0,), (1,)], [np.array([0.4, 0.4, 0.2]), np.array([0.5, 0.5])])
    assert found.sum() == pytest.approx(1)
