"""The matrix written out: closed forms, the dense oracle, and claims that are one unit off on either side."""

from dataclasses import replace
from fractions import Fraction

import pytest

from rrcore.auditing import enumeration
from rrcore.auditing.enumeration import enumerate_file
from rrcore.errors import InputError
from rrcore.promise.weights import LieWeights, MatrixWeights
from tests.auditing import zoo


@pytest.mark.parametrize("name", zoo.FILES)
def test_every_certificate_is_what_the_matrix_says(name):
    found = enumerate_file(zoo.FILES[name])
    assert found.agrees
    assert found.found == zoo.FILES[name].certificate


@pytest.mark.parametrize(
    ("weights", "epsilon", "epsilon_informed", "total"),
    [
        (zoo.FORCED, [5], [5], 5),  # (2/3 + 1/6) / (1/6)
        (MatrixWeights(((9, 1), (4, 6))), [6], [6], 6),  # 6 / 1 in the second column, 9 / 4 in the first
        (LieWeights((2,), 0, (("0", 3), ("1", 1))), [3], [3], 3),
        (LieWeights((2, 2), 1, (("00", 1),)), [3, 3], [5, 5], 5),  # outputs 5/8 and 1/8; answers 6/8 and 2/8
        # outputs 1/8, and 1/8 + 1/8 where just the second answer is false; answers: 5/8 to 3/8, and 3/8 (each false one) to 1/4
        (LieWeights((2, 3), 6, (("01", 2),)), [Fraction(5, 3), Fraction(3, 2)], [2, 2], 2),
    ],
)
def test_closed_forms(weights, epsilon, epsilon_informed, total):
    found = enumerate_file(zoo.grouped(weights)).found
    assert list(found.epsilon) == epsilon
    assert list(found.epsilon_informed) == epsilon_informed
    assert found.epsilon_total == total


def off_by_one(ratio, step):
    return Fraction(ratio.numerator + step, ratio.denominator)


@pytest.mark.parametrize("step", [-1, 1])
@pytest.mark.parametrize("field", ["epsilon", "epsilon_informed", "epsilon_total"])
@pytest.mark.parametrize("name", ["optimal", "forced", "pram and a coupling"])
def test_a_claim_one_unit_off_is_found(name, field, step):
    right = zoo.FILES[name].certificate
    old = getattr(right, field)
    wrong = off_by_one(old, step) if field == "epsilon_total" else (off_by_one(old[0], step), *old[1:])
    found = enumerate_file(zoo.FILES[name], replace(right, **{field: wrong}))
    assert not found.agrees
    (difference,) = found.differences
    assert difference.worse == (step < 0)
    assert found.sentences() == (difference.sentence,)


def test_what_rules_answers_out_has_no_bound():
    file = zoo.grouped(MatrixWeights(((1, 1), (0, 2))), zoo.FORCED)
    found = enumerate_file(file)
    assert (found.found.epsilon, found.found.epsilon_total) == ((None, Fraction(5)), None)
    assert found.agrees
    (difference,) = enumerate_file(file, replace(file.certificate, epsilon_total=Fraction(10**9))).differences
    assert (difference.found, difference.worse) == ("unbounded", True)


def test_rows_that_do_not_sum_to_one_are_found(monkeypatch):
    monkeypatch.setattr(enumeration, "_denominator", lambda weights: weights.whole + 1)
    found = enumerate_file(zoo.FILES["forced"])
    assert not found.agrees
    assert len(found.sentences()) == 1


def test_the_limit(monkeypatch):
    monkeypatch.setattr(enumeration, "MAX_ENUMERATED", 24**2)
    assert enumerate_file(zoo.FILES["independent"]).records == 24
    monkeypatch.setattr(enumeration, "MAX_ENUMERATED", 24**2 - 1)
    with pytest.raises(InputError, match="records are possible"):
        enumerate_file(zoo.FILES["independent"])
