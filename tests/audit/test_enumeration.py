"""The matrix written out: closed forms, the dense oracle, and claims that are one unit off on either side."""

from dataclasses import replace
from fractions import Fraction
from math import exp, log

import numpy as np
import pytest

from rrcore.audit import enumerate_file, enumerate_mechanism, enumeration
from rrcore.errors import InputError
from rrcore.mechanisms import build
from rrcore.mechanisms.listed import Listed
from rrcore.promise.weights import LieWeights, MatrixWeights
from tests import oracles
from tests.audit import zoo

MECHANISMS = [build(key, (3, 2, 4), (1.0, 0.4, 2.0)) for key in ("kronecker", "optimal", "joint", "pair-safe")] + [zoo.PAIRS_ONLY]


@pytest.mark.parametrize("name", zoo.FILES)
def test_every_certificate_is_what_the_matrix_says(name):
    found = enumerate_file(zoo.FILES[name])
    assert found.agrees
    assert found.found == zoo.FILES[name].certificate
    assert found.sentences()[0].endswith("every row sums to 1, and levels, leakages and total are as claimed.")


@pytest.mark.parametrize(
    ("weights", "levels", "leakage", "total"),
    [
        (zoo.FORCED, [5], [5], 5),  # (2/3 + 1/6) / (1/6)
        (MatrixWeights(((9, 1), (4, 6))), [6], [6], 6),  # 6 / 1 in the second column, 9 / 4 in the first
        (LieWeights((2,), 0, (("0", 3), ("1", 1))), [3], [3], 3),
        (LieWeights((2, 2), 1, (("00", 1),)), [3, 3], [5, 5], 5),  # outputs 5/8 and 1/8; answers 6/8 and 2/8
        # outputs 1/8, and 1/8 + 1/8 where just the second answer is false; answers: 5/8 to 3/8, and 3/8 (each false one) to 1/4
        (LieWeights((2, 3), 6, (("01", 2),)), [Fraction(5, 3), Fraction(3, 2)], [2, 2], 2),
    ],
)
def test_closed_forms(weights, levels, leakage, total):
    found = enumerate_file(zoo.grouped(weights)).found
    assert list(found.levels) == levels
    assert list(found.leakage) == leakage
    assert found.total == total


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: type(mechanism).__name__)
def test_planned_mechanisms_against_the_dense_oracle(mechanism):
    matrix = oracles.dense_mechanism(mechanism)
    found = enumerate_mechanism(mechanism)
    assert found.agrees
    assert log(found.found.total) == pytest.approx(oracles.total_of(matrix), abs=1e-12)
    np.testing.assert_allclose([log(r) for r in found.found.leakage], oracles.leakage_of(matrix, mechanism.sizes), atol=1e-12)
    alone = [oracles.total_of(oracles.marginalise(matrix, mechanism.sizes, [i])) for i in range(mechanism.k)]
    np.testing.assert_allclose([log(r) for r in found.found.levels], alone, atol=1e-12)


def off_by_one(ratio, step):
    return Fraction(ratio.numerator + step, ratio.denominator)


@pytest.mark.parametrize("step", [-1, 1])
@pytest.mark.parametrize("field", ["levels", "leakage", "total"])
@pytest.mark.parametrize("name", ["optimal", "forced", "pram beside a coupling"])
def test_a_claim_one_unit_off_is_found(name, field, step):
    right = zoo.FILES[name].certificate
    old = getattr(right, field)
    wrong = off_by_one(old, step) if field == "total" else (off_by_one(old[0], step), *old[1:])
    found = enumerate_file(zoo.FILES[name], replace(right, **{field: wrong}))
    assert not found.agrees
    (difference,) = found.differences
    assert difference.worse == (step < 0)
    what = {"levels": "The level of 'q0'", "leakage": "The leakage of 'q0'", "total": "The total of the whole record"}[field]
    assert difference.sentence.startswith(f"{what} is ")
    assert f", {'more' if step < 0 else 'less'} than the claimed " in difference.sentence
    assert found.sentences() == (difference.sentence,)


def test_what_rules_answers_out_has_no_bound():
    file = zoo.grouped(MatrixWeights(((1, 1), (0, 2))), zoo.FORCED)
    found = enumerate_file(file)
    assert (found.found.levels, found.found.total) == ((None, Fraction(5)), None)
    assert found.agrees
    (difference,) = enumerate_file(file, replace(file.certificate, total=Fraction(10**9))).differences
    assert (difference.found, difference.worse) == ("unbounded", True)


@pytest.mark.parametrize(("shift", "worse"), [(-1e-6, True), (1e-6, False)])
def test_a_planned_mechanism_that_misstates_its_total_is_found(shift, worse):
    honest = ((2, 2), 0.5, np.zeros((1, 2), dtype=bool), np.array([0.5]))
    assert enumerate_mechanism(Listed(*honest)).agrees
    (difference,) = enumerate_mechanism(type("Misstated", (Listed,), {"total_level": log(5) + shift})(*honest)).differences
    assert (difference.what, difference.worse) == ("the total of the whole record", worse)
    assert exp(float(difference.found)) == pytest.approx(5, abs=1e-8)


def test_rows_that_do_not_sum_to_one_are_told(monkeypatch):
    monkeypatch.setattr(enumeration, "_denominator", lambda weights: weights.whole + 1)
    found = enumerate_file(zoo.FILES["forced"])
    assert not found.agrees
    assert found.sentences() == ("The probabilities of the outputs do not sum to 1 for some true record.",)


def test_the_limit(monkeypatch):
    monkeypatch.setattr(enumeration, "MAX_ENUMERATED", 24**2)
    assert enumerate_file(zoo.FILES["kronecker"]).records == 24
    monkeypatch.setattr(enumeration, "MAX_ENUMERATED", 24**2 - 1)
    for check, one in ((enumerate_file, zoo.FILES["kronecker"]), (enumerate_mechanism, MECHANISMS[0])):
        with pytest.raises(InputError, match=r"^There are 24 possible records, and the matrix over at most 23 is written out: "):
            check(one)
