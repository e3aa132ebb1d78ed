"""Integer weights: what they are, and what is refused."""

from fractions import Fraction

import pytest

from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_SETS, MAX_MATRIX_CATEGORIES, MAX_WEIGHT_BITS, MIN_FACTOR
from rrcore.promise.weights import LieWeights, MatrixWeights

TOP = 1 << MAX_WEIGHT_BITS


def test_the_whole_and_the_lie_sets():
    weights = LieWeights((2, 3, 4), 5, (("000", 20), ("011", 3), ("110", 9)))
    assert weights.whole == 37
    assert weights.lying.tolist() == [[False, False, False], [False, True, True], [True, True, False]]
    assert MatrixWeights(((5, 1), (2, 4))).whole == 6
    assert MatrixWeights(((5, 1), (2, 4))).sizes == (2,)


def test_a_group_without_lie_sets_is_a_uniform_record():
    assert LieWeights((2, 3), 1, ()).lying.shape == (0, 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LieWeights((2,), 0, ()), "All weights are 0"),
        (lambda: LieWeights((2,), -1, (("0", 5),)), "weight below 1"),
        (lambda: LieWeights((2,), 1, (("0", 0),)), "weight below 1"),
        (lambda: LieWeights((2,), 1, (("1", 5), ("0", 5))), "increasing order"),
        (lambda: LieWeights((2,), 1, (("0", 5), ("0", 5))), "increasing order"),
        (lambda: LieWeights((2,), 1, (("00", 5),)), "1 characters"),
        (lambda: LieWeights((2,), 1, (("\u0661", 5),)), "1 characters"),
        (lambda: LieWeights((2,), 1, (("0", TOP),)), f"{MAX_WEIGHT_BITS + 1} bits"),
        (lambda: LieWeights((2,) * 17, 1, tuple((f"{s:017b}", 1) for s in range(MAX_FILE_SETS + 1))), "65,537"),
        (lambda: MatrixWeights(()), "got 0"),
        (lambda: MatrixWeights(((1,),)), "got 1"),
        (lambda: MatrixWeights(((1, 0), (0,))), "row 2"),
        (lambda: MatrixWeights(((1, 0), (2, -1))), "row 2"),
        (lambda: MatrixWeights(((1, 0), (1, 1))), "row 2"),
        (lambda: MatrixWeights(((0, 0), (0, 0))), "All weights are 0"),
        (lambda: MatrixWeights(((1, 1), (1, 1))), "singular"),
        (lambda: MatrixWeights(((TOP, 0), (0, TOP))), f"{MAX_WEIGHT_BITS + 1} bits"),
    ],
)
def test_what_is_refused(make, message):
    with pytest.raises(InputError, match=rf"{message}[^\n]*\.$"):
        make()


def test_the_limits_themselves_are_allowed():
    assert LieWeights((2,), 1, (("0", TOP - 2),)).whole == TOP - 1
    size = MAX_MATRIX_CATEGORIES
    assert len(MatrixWeights(tuple(tuple(int(x == y) for y in range(size)) for x in range(size))).rows) == size
    with pytest.raises(InputError, match="got 101"):
        MatrixWeights(((1,) * (size + 1),) * (size + 1))


@pytest.mark.parametrize(("contrast", "allowed"), [(MIN_FACTOR * 1.01, True), (MIN_FACTOR * 0.99, False)])
def test_a_matrix_is_refused_just_below_the_least_contrast(contrast, allowed):
    """The rows (1/2 +- c/2, 1/2 -+ c/2) have the singular values 1 and c."""
    more = int(Fraction(contrast) * 10**12)
    rows = ((10**12 + more, 10**12 - more), (10**12 - more, 10**12 + more))
    if allowed:
        assert MatrixWeights(rows).whole == 2 * 10**12
    else:
        with pytest.raises(InputError, match="singular"):
            MatrixWeights(rows)
