"""What a file says about lies, against the dense matrix of exact integers."""

import numpy as np
import pytest

from rrcore.audit.expected import Expected
from tests import oracles
from tests.audit import zoo


def dense(file):
    """Every record, and the probability of every release of it."""
    return np.array(oracles.cells(file.sizes), dtype=np.int32), np.array(oracles.exact_matrix(file.groups), dtype=float)


@pytest.mark.parametrize("name", zoo.FILES)
def test_truth_lies_and_meetings_of_every_record(name):
    file = zoo.FILES[name]
    expected = Expected(file)
    space, matrix = dense(file)
    np.testing.assert_allclose(expected.truth(space), np.diag(matrix), atol=1e-12)
    np.testing.assert_allclose(expected.same(space), (matrix**2).sum(axis=1), atol=1e-12)
    false = np.array([[matrix[x] @ (space[:, i] != space[x, i]) for i in range(expected.k)] for x in range(len(space))])
    np.testing.assert_allclose(expected.false(space), false, atol=1e-12)
    for i in range(expected.k):
        found = expected.becomes(i, space[0, i], space[:, i])
        wanted = [matrix[0] @ (space[:, i] == y) for y in space[:, i]]
        np.testing.assert_allclose(found, wanted, atol=1e-12)


@pytest.mark.parametrize("name", [name for name in zoo.FILES if "pram" not in name and name != "forced"])
def test_lie_sets_are_those_of_the_matrix(name):
    file = zoo.FILES[name]
    expected = Expected(file)
    space, matrix = dense(file)
    sets = {}
    for y, share in zip(space, matrix[0], strict=True):
        sets[tuple((y != space[0]).astype(int))] = sets.get(tuple((y != space[0]).astype(int)), 0) + share
    wanted = np.zeros((2,) * expected.k)
    for lies, share in sets.items():
        wanted[lies] = share
    np.testing.assert_allclose(expected.lie_sets(range(expected.k)), wanted, atol=1e-12)
    turned = list(range(expected.k))[::-1]
    np.testing.assert_allclose(expected.lie_sets(turned), wanted.transpose(turned), atol=1e-12)
    numbers = np.indices(wanted.shape).sum(axis=0).ravel()
    np.testing.assert_allclose(expected.number, np.bincount(numbers, weights=wanted.ravel()), atol=1e-12)


@pytest.mark.parametrize("name", ["optimal", "pram beside a coupling", "forced", "rarely true"])
def test_marks_have_the_same_distribution_whatever_is_true(name):
    """Their exact means over all outputs; for matrices over a fine grid of the random numbers that cut their rows."""
    file = zoo.FILES[name]
    expected = Expected(file)
    space, matrix = dense(file)
    grid = 400

    class Even:
        """Stands for a generator: every output meets the middle of each of ``grid`` equal steps once."""

        def random(self, n):
            return np.tile((np.arange(grid) + 0.5) / grid, n // grid)

    for x in (0, len(space) // 2, len(space) - 1):
        true = np.tile(space[x], (len(space) * grid, 1))
        out = np.repeat(space, grid, axis=0)
        marks = expected.marks(true, out, rng=Even())
        weights = np.repeat(matrix[x], grid) / grid
        assert not marks.impossible[weights > 0].any()
        for i in range(expected.k):
            lie = float(expected.lie_sets([i])[1])
            shares = np.array([1 - lie, *lie * expected.kinds(i)])
            np.testing.assert_allclose(np.bincount(marks.kinds[:, i], weights=weights, minlength=shares.size), shares, atol=5e-3)


def test_equal_shifts_are_as_frequent_as_said():
    """Two records of everything that can be true, moved in the same way: 5 standard errors, a false alarm in two million."""
    file = zoo.FILES["optimal"]
    expected = Expected(file)
    rng = np.random.default_rng(1)
    space, matrix = dense(file)
    outs = [space[rng.choice(len(space), 40_000, p=matrix[x])] for x in (3, 17)]
    one, other = (
        expected.marks(np.tile(space[x], (40_000, 1)), out, rng=rng).shifts for x, out in zip((3, 17), outs, strict=True)
    )
    p = expected.same_shift
    assert abs((one == other).mean() - p) < 5 * np.sqrt(p * (1 - p) / 40_000)


def test_many_attributes_need_no_list_of_all_lie_sets():
    file = zoo.planned("kronecker", (2,) * 30, [1.0] * 30)
    expected = Expected(file)
    lie = float(expected.lie_sets([7])[1])
    assert expected.number.sum() == pytest.approx(1)
    assert expected.number @ np.arange(31) == pytest.approx(30 * lie)
    np.testing.assert_allclose(expected.lie_sets([3, 20]), np.multiply.outer([1 - lie, lie], [1 - lie, lie]), atol=1e-12)
