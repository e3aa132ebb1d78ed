"""Correlations of true answers: against the correction of Fox and Tracy, and the likelihood's maximum found by another program."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import t

import rrcore as rr
from rrcore.errors import InputError
from rrcore.estimate.models import correlations
from rrcore.estimate.models.correlation import Correlation
from rrcore.estimate.sample import Sample

_spec = importlib.util.spec_from_file_location("surveys", Path(__file__).with_name("surveys.py"))
surveys = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(surveys)


@pytest.fixture(scope="module")
def survey():
    rng = np.random.default_rng(2)
    number = rng.normal(size=3_000)
    a = surveys.drawn(rng, 0.9 * number - 0.4)
    b = surveys.drawn(rng, 1.2 * a - 0.7)
    return surveys.released(rng, {"a": surveys.YES, "b": surveys.YES}, [a, b]), number


def strength(release, name):
    """How far a report of yes is likelier from those who mean it, and how often it comes from the others."""
    matrix = release.channel([name]).push(np.eye(2))
    return matrix[1, 1] - matrix[1, 0], matrix[1, 0]


def test_it_is_the_correction_of_fox_and_tracy(survey):
    release, number = survey
    said = release.dataset.codes.astype(float)
    found = {one.names: one for one in correlations(release, ["a", "b", "number"], covariates={"number": number})}
    deviation = []
    for axis, name in enumerate("ab"):
        slope, base = strength(release, name)
        share = (said[:, axis].mean() - base) / slope
        deviation.append(slope * np.sqrt(share * (1 - share)))
    covariance = np.cov(np.column_stack([said, number]).T, ddof=0)
    np.testing.assert_allclose(found["a", "b"].value, covariance[0, 1] / (deviation[0] * deviation[1]), atol=1e-9)
    np.testing.assert_allclose(found["a", "number"].value, covariance[0, 2] / (deviation[0] * number.std()), atol=1e-9)
    assert found["a", "b"].naive == pytest.approx(np.corrcoef(said.T)[0, 1], abs=1e-9)
    low, high = found["a", "b"].interval()
    assert -1 < low < found["a", "b"].value < high < 1
    assert found["a", "b"].p_value < 0.01


def test_it_is_that_of_the_highest_likelihood_with_its_error(survey):
    """Four shares are as many as four reports tell, so the maximum is inside, and its curvature gives the same error."""
    release, _ = survey
    (found,) = correlations(release, ["a", "b"])
    matrix = release.channel(["a", "b"]).push(np.eye(4).reshape(2, 2, 4)).reshape(4, 4)
    counts = np.bincount(release.dataset.codes @ [2, 1], minlength=4)

    def shares(theta):
        raised = np.exp(np.append(0, theta))
        return raised / raised.sum()

    def value(theta):
        return -counts @ np.log(matrix @ shares(theta))

    def correlation(theta):
        _, b, a, both = shares(theta)
        x, y = a + both, b + both
        return (both - x * y) / np.sqrt(x * (1 - x) * y * (1 - y))

    best = minimize(value, np.zeros(3), method="BFGS", options={"gtol": 1e-4}).x
    assert found.value == pytest.approx(correlation(best), abs=1e-3)
    steps = np.eye(3) * 1e-3
    hessian = [
        [(value(best + s + t) - value(best + s - t) - value(best - s + t) + value(best - s - t)) / 4e-6 for s in steps]
        for t in steps
    ]
    slope = [(correlation(best + s) - correlation(best - s)) / 2e-3 for s in steps]
    assert found.standard_error == pytest.approx(np.sqrt(slope @ np.linalg.inv(hessian) @ slope), rel=2e-3)


def test_attributes_that_lie_together_and_weights():
    rng = np.random.default_rng(7)
    a = surveys.drawn(rng, np.zeros(4_000))
    b = surveys.drawn(rng, 1.5 * a - 0.7)
    release = surveys.released(rng, {"a": surveys.YES, "b": surveys.YES}, [a, b], rr.build("pair-safe", (2, 2), [1.5, 1.5]))
    (found,) = correlations(release, ["a", "b"])
    assert abs(found.value - np.corrcoef(a, b)[0, 1]) < 4 * found.standard_error
    twice = rr.Release(
        rr.Dataset(release.schema, np.repeat(release.dataset.codes, 2, axis=0)),
        release.mechanism,
        sample=Sample(np.ones(8_000), clusters=np.repeat(np.arange(4_000), 2)),
    )
    (double,) = correlations(twice, ["a", "b"])
    assert (double.value, double.standard_error) == pytest.approx((found.value, found.standard_error), rel=1e-9)
    few = rr.Release(release.dataset, release.mechanism, sample=Sample(np.ones(4_000), clusters=np.arange(4_000) % 4))
    (found,) = correlations(few, ["a", "b"])
    assert found.p_value == pytest.approx(2 * t.sf(found.value / found.standard_error, 3))
    low, high = np.arctanh(found.interval())
    reach = t.ppf(0.975, 3) * found.standard_error / (1 - found.value**2)
    assert (low, high) == pytest.approx((np.arctanh(found.value) - reach, np.arctanh(found.value) + reach))


def test_what_does_not_correlate_is_said(survey):
    release, number = survey
    columns = {"place": np.array(["x", "y", "z"])[np.arange(3_000) % 3], "number": number}
    for names, said in ((["a", "c"], "There is no 'c'"), (["a"], "is of two"), (["a", "place"], "holds texts such as 'x'")):
        with pytest.raises(InputError, match=said):
            correlations(release, names, covariates=columns)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_perfect_correlation_is_none_by_chance(survey, sign):
    """Two columns that say the same: the error is 0, exactly where their mean is a number of few digits, else by rounding."""
    for numbers in ([0.0, 1.0], [1.0, 2.0, 7.0]):
        column = np.resize(numbers, 3_000)
        (found,) = correlations(survey[0], ["x", "y"], covariates={"x": column, "y": sign * column})
        assert (found.value, found.standard_error) == (pytest.approx(sign), pytest.approx(0, abs=1e-12))
        assert found.p_value == 0
        assert found.interval() == pytest.approx((sign, sign))


def test_without_an_error_and_without_a_correlation_nothing_speaks_against_there_being_none():
    assert Correlation(("x", "y"), 0.0, 0.0, 0.0, 10).p_value == 1
