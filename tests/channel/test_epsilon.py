"""Levels and their probabilities, against 50-digit decimal arithmetic."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from rrcore.channel.epsilon import check_epsilon, epsilon_from_lie, lie_from_epsilon, retention_from_epsilon
from rrcore.errors import InputError
from rrcore.limits import MAX_EPSILON, MIN_EPSILON

LEVELS = [1e-6, 1e-3, 0.01, 0.5, 1.0, 4.0, 12.0, 20.0, 30.0]
SIZES = [2, 3, 7, 1000]


def exact(level, size):
    """(1 - p, r) with 50 digits."""
    with localcontext() as context:
        context.prec = 50
        power = Decimal(level).exp()
        whole = power + size - 1
        return tuple(float(value) for value in ((size - 1) / whole, (power - 1) / whole))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("size", SIZES)
def test_probabilities_keep_their_digits(level, size):
    lie, r = exact(level, size)
    assert float(lie_from_epsilon(level, size)) == pytest.approx(lie, rel=1e-14)
    assert float(retention_from_epsilon(level, size)) == pytest.approx(r, rel=1e-14)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("size", SIZES)
def test_level_from_lie_undoes_lie_probability(level, size):
    rounding = 2**-53 * size  # of the lie probability itself: d eps / d lie = 1 / (lie (1 - lie)), about a near eps = 0
    assert float(epsilon_from_lie(exact(level, size)[0], size)) == pytest.approx(level, abs=2e-14 + rounding)


def test_textbook_numbers():
    assert float(lie_from_epsilon(np.log(3), 2)) == pytest.approx(0.25, abs=1e-15)
    assert float(retention_from_epsilon(np.log(3), 2)) == pytest.approx(0.5, abs=1e-15)
    assert float(epsilon_from_lie(0.4, 3)) == pytest.approx(np.log(3), abs=1e-15)
    assert float(epsilon_from_lie(0.0, 3)) == np.inf


def test_shapes_broadcast():
    epsilon = np.array([[0.5], [2.0]])
    for function in (lie_from_epsilon, retention_from_epsilon):
        out = function(epsilon, [2, 3, 4])
        assert out.shape == (2, 3)
        assert out[1, 2] == function(2.0, 4)


def test_check_levels_accepts_numbers_texts_and_both_limits():
    out = check_epsilon(["1.5", 2, np.float32(0.5), MIN_EPSILON, MAX_EPSILON], list("abcde"))
    np.testing.assert_array_equal(out, [1.5, 2.0, 0.5, MIN_EPSILON, MAX_EPSILON])
    assert out.dtype == np.float64


NAN, INF = float("nan"), float("inf")
BAD = [
    0,
    -1,
    "-0.5",
    NAN,
    INF,
    -INF,
    "strong",
    "",
    None,
    np.nextafter(MIN_EPSILON, 0),
    np.nextafter(MAX_EPSILON, 99),
    1e300,
    10**400,
]


@pytest.mark.parametrize("level", BAD)
def test_check_levels_names_the_attribute(level):
    with pytest.raises(InputError, match=r"^The epsilon of 'sex' is .* 0\.001 .* 30 "):
        check_epsilon([1.0, level], ["age", "sex"])


@pytest.mark.parametrize("epsilon", [[], [1.0], [1.0, 1.0, 1.0]])
def test_check_levels_counts(epsilon):
    with pytest.raises(InputError, match=rf"^Expected 2 values of epsilon .*, got {len(epsilon)}"):
        check_epsilon(epsilon, ["age", "sex"])
