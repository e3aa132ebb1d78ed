"""A mechanism file as the estimators see it, against the channel that is written out."""

from itertools import permutations
from time import perf_counter

import numpy as np
import pytest

from rrcore.channel import MatrixChannel
from rrcore.channel.channels import ProductChannel, SubsetChannel
from rrcore.limits import MAX_FILE_SETS
from rrcore.promise.certificate import certified_nats
from rrcore.promise.rounding import mechanism_of_integers
from rrcore.promise.weights import LieWeights, MatrixWeights
from tests import oracles
from tests.promise.designs_zoo import ZOO, file_of


@pytest.mark.slow
@pytest.mark.parametrize("name", ZOO)
def test_marginals_in_any_order(name):
    file, k = file_of(ZOO[name]), len(oracles.sizes_of(ZOO[name]))
    for axes in (*permutations(range(k), min(k, 2)), (k - 1,), (*range(1, k), 0)):
        found = file.channel(axes)
        assert found.sizes == tuple(oracles.sizes_of(ZOO[name])[i] for i in axes)
        assert found.report_sizes == tuple(oracles.report_sizes_of(ZOO[name])[i] for i in axes)
        matrix = oracles.marginalise(oracles.exact_matrix(ZOO[name]), file.sizes, axes, file.reports.sizes)
        for cell in range(len(matrix)):
            point = np.zeros(len(matrix))
            point[cell] = 1.0
            np.testing.assert_allclose(found.push(point.reshape(found.sizes)).ravel(), matrix[cell], atol=1e-14)


@pytest.mark.parametrize("name", ZOO)
def test_it_is_symmetric_where_no_attribute_has_a_matrix(name):
    file = file_of(ZOO[name])
    matrices = [places[0] for places, weights in ZOO[name] if isinstance(weights, MatrixWeights)]
    assert (mechanism_of_integers(file) is None) == bool(matrices)
    for i, size in enumerate(oracles.sizes_of(ZOO[name])):
        found = file.channel([i])
        assert isinstance(found, MatrixChannel if i in matrices else SubsetChannel)
        assert found.sizes == (size,)
    whole = file.channel(range(len(file.sizes)))
    assert isinstance(whole, ProductChannel) == (bool(matrices) and len(ZOO[name]) > 1)


@pytest.mark.parametrize("name", ["coupled", "backwards", "all-listed", "planned", "joint", "unbounded"])
def test_promises_are_those_of_the_certificate(name):
    file = file_of(ZOO[name])
    mechanism, certificate = mechanism_of_integers(file), file.certificate
    promised = np.array(
        [
            np.inf if ratio is None else float(certified_nats(ratio))
            for ratio in (*certificate.epsilon_informed, certificate.epsilon_total)
        ]
    )
    found = np.array([*mechanism.epsilon_informed, mechanism.epsilon_total])
    np.testing.assert_allclose(found, promised, rtol=0, atol=1.1e-9)  # nats are rounded up to nine decimals
    assert (found <= promised + 1e-13).all()
    finite = [float(certified_nats(ratio)) for ratio in certificate.epsilon if ratio is not None]
    np.testing.assert_allclose(np.abs(mechanism.epsilon)[np.isfinite(mechanism.epsilon)], finite, atol=1.1e-9)


def test_weights_beyond_double_precision():
    """Whole numbers of 160 bits, which no double holds, become the shares nearest to the exact ones."""
    weights = LieWeights((2,), (1 << 157) + 1, (("0", (3 << 157) - 1),))
    found = file_of((((0,), weights),)).channel([0])
    np.testing.assert_array_equal(found.probabilities, [0.875, 0.125])


@pytest.mark.slow
def test_as_many_lie_sets_as_a_file_may_have():
    """Seconds, where adding up the weights again for every set of changes would take many minutes."""
    lies = tuple((f"{s:016b}", 1 + s) for s in range(MAX_FILE_SETS))
    start = perf_counter()
    found = file_of(((tuple(range(16)), LieWeights((2,) * 16, 1, lies)),)).channel([0])
    assert perf_counter() - start < 30
    halves = np.array([sum(range(1, 2**15 + 1)), sum(range(2**15 + 1, 2**16 + 1))]) + 0.5
    np.testing.assert_allclose(found.probabilities, halves / halves.sum(), rtol=1e-12)
