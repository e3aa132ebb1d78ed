"""Levels and their probabilities, against 50-digit decimal arithmetic."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from rrcore.channel.levels import check_levels, level_from_lie, lie_from_level, retention_from_level
from rrcore.errors import InputError
from rrcore.limits import MAX_LEVEL, MIN_LEVEL

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
    assert float(lie_from_level(level, size)) == pytest.approx(lie, rel=1e-14)
    assert float(retention_from_level(level, size)) == pytest.approx(r, rel=1e-14)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("size", SIZES)
def test_level_from_lie_undoes_lie_probability(level, size):
    rounding = 2**-53 * size  # of the lie probability itself: d eps / d lie = 1 / (lie (1 - lie)), about a near eps = 0
    assert float(level_from_lie(exact(level, size)[0], size)) == pytest.approx(level, abs=2e-14 + rounding)


def test_textbook_numbers():
    assert float(lie_from_level(np.log(3), 2)) == pytest.approx(0.25, abs=1e-15)
    assert float(retention_from_level(np.log(3), 2)) == pytest.approx(0.5, abs=1e-15)
    assert float(level_from_lie(0.4, 3)) == pytest.approx(np.log(3), abs=1e-15)
    assert float(level_from_lie(0.0, 3)) == np.inf


def test_shapes_broadcast():
    levels = np.array([[0.5], [2.0]])
    for function in (lie_from_level, retention_from_level):
        out = function(levels, [2, 3, 4])
        assert out.shape == (2, 3)
        assert out[1, 2] == function(2.0, 4)


def test_check_levels_accepts_numbers_texts_and_both_limits():
    out = check_levels(["1.5", 2, np.float32(0.5), MIN_LEVEL, MAX_LEVEL], list("abcde"))
    np.testing.assert_array_equal(out, [1.5, 2.0, 0.5, MIN_LEVEL, MAX_LEVEL])
    assert out.dtype == np.float64


NAN, INF = float("nan"), float("inf")
BAD = [0, -1, "-0.5", NAN, INF, -INF, "strong", "", None, np.nextafter(MIN_LEVEL, 0), np.nextafter(MAX_LEVEL, 99), 1e300, 10**400]


@pytest.mark.parametrize("level", BAD)
def test_check_levels_names_the_attribute(level):
    with pytest.raises(InputError, match=r"^Level of 'sex' is .* 0\.001 .* 30 "):
        check_levels([1.0, level], ["age", "sex"])


@pytest.mark.parametrize("levels", [[], [1.0], [1.0, 1.0, 1.0]])
def test_check_levels_counts(levels):
    with pytest.raises(InputError, match=rf"^There are {len(levels)} levels for 2 attributes: give one level for each"):
        check_levels(levels, ["age", "sex"])
