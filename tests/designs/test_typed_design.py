"""Designs already in the field against their textbook estimators."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rrcore.designs import DESIGNS, rational_probability, read_design
from rrcore.designs.catalogue import k_ary
from rrcore.errors import InputError
from rrcore.estimate import invert_counts
from rrcore.promise.certificate import certify
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.schema import Attribute, Schema

N, YES = 2000, 731


def read_yes(key, text):
    """Estimated share of yes and its squared standard error from 731 of 2,000 reported yes."""
    weights = read_design("q", key, 2, text)
    file = MechanismFile(Schema((Attribute("q", ("no", "yes")),)), (((0,), weights),))
    estimate = invert_counts(np.array([N - YES, YES]), file.channel([0]))
    return estimate.shares[1], estimate.std_error(population=True)[1] ** 2, weights


@pytest.mark.parametrize(
    ("key", "text", "share", "slope", "level"),
    [
        ("warner", "3/4", lambda y: (y - 0.25) / 0.5, 0.5, Fraction(3)),  # Warner 1965, eq. 2
        ("forced", "2/3, 1/6, 1/6", lambda y: (y - 1 / 6) / (2 / 3), 2 / 3, Fraction(5)),  # Boruch 1971
        ("forced", "0.5, 30%, 0.2", lambda y: (y - 0.3) / 0.5, 0.5, Fraction(7, 2)),
        ("unrelated", "2/3, 1/4", lambda y: (y - 1 / 12) / (2 / 3), 2 / 3, Fraction(9)),  # Greenberg et al. 1969
        ("k-ary", "3/5", lambda y: (y - 0.4) / 0.2, 0.2, Fraction(3, 2)),
        ("matrix", "9/10, 1/10; 1/5, 4/5", lambda y: (y - 0.1) / 0.7, 0.7, Fraction(8)),
    ],
)
def test_estimate_error_and_level_are_those_of_the_textbook(key, text, share, slope, level):
    found, variance, weights = read_yes(key, text)
    y = YES / N
    assert found == pytest.approx(share(y), abs=1e-12)
    y = y - slope * min(share(y), 0)  # of an estimate below 0 the error is that of a share of 0
    assert variance == pytest.approx(y * (1 - y) / N / slope**2, rel=1e-9)
    assert certify([((0,), weights)]).epsilon == (level,)


@given(st.integers(2, 9), st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=60))
def test_k_ary_is_its_matrix(size, truth):
    if truth == Fraction(1, size):
        with pytest.raises(InputError, match="nothing can be estimated"):
            k_ary(size, truth)
        return
    weights = k_ary(size, truth)
    odds = truth * (size - 1) / (1 - truth)
    assert certify([((0,), weights)]).epsilon == (max(odds, 1 / odds),)


@pytest.mark.parametrize(
    ("text", "value"), [("2/3", Fraction(2, 3)), ("0.75", Fraction(3, 4)), (" 12.5% ", Fraction(1, 8)), ("1", 1), ("0", 0)]
)
def test_probabilities_are_read_exactly(text, value):
    assert rational_probability(text) == value


@pytest.mark.parametrize("text", ["", "x", "1/0", "-1", "3/2", "101%", "1e-3", "nan", "1/2/3", "½", "9" * 40])
def test_what_is_no_probability_is_refused(text):
    with pytest.raises(InputError, match=r"^'.*(is not a probability|divides by 0|is above 1).*\.$"):
        rational_probability(text)


@pytest.mark.parametrize(
    ("key", "size", "text", "message"),
    [
        ("warner", 2, "1/2", "nothing can be estimated"),
        ("warner", 3, "3/4", "is for two"),
        ("warner", 2, "3/4, 1/4", "Expected 1"),
        ("forced", 2, "2/3, 1/6, 1/5", "sum to 31/30"),
        ("forced", 2, "0, 1/2, 1/2", "is singular"),
        ("unrelated", 2, "0, 1/4", "is singular"),
        ("matrix", 2, "1/2, 1/2; 1/2, 1/2", "is singular"),
        ("matrix", 2, "1/2, 1/3; 1/2, 1/2", "Row 1 of the matrix sums to 5/6"),
        ("matrix", 3, "1, 0; 0, 1", "2 rows of 2 entries. Enter 3 rows"),
        ("matrix", 2, "0.333333333333333, 0.666666666666666; 0, 1", "Row 1"),
        ("nothing", 2, "1", "There is no design 'nothing'"),
        ("k-ary", 3, "", "is not a probability"),
    ],
)
def test_bad_designs_get_one_sentence(key, size, text, message):
    with pytest.raises(InputError, match=message) as refused:
        read_design("smokes", key, size, text)
    assert "'smokes'" in str(refused.value)
    assert str(refused.value).endswith(".")


def test_every_example_on_the_page_works():
    assert all(read_design("q", key, 2, design.example).whole > 1 for key, design in DESIGNS.items())


def test_a_matrix_with_zeros_has_no_bound_and_says_so():
    weights = read_design("q", "matrix", 2, "1, 0; 1/5, 4/5")
    assert certify([((0,), weights)]).epsilon == (None,)
