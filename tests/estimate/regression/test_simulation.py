"""Whether estimates are right on average and intervals cover as often as they say, for each kind of model."""

import importlib.util
from pathlib import Path
from time import process_time

import numpy as np
import pytest
from scipy.stats import binom, norm

from rrcore.estimate.regression import fit
from rrcore.mechanisms import build

_spec = importlib.util.spec_from_file_location("surveys", Path(__file__).with_name("surveys.py"))
surveys = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(surveys)

FALSE_ALARM = 1e-4  # of each test, were everything right
LONG = 1e-3  # of each of the ten long tests, whose seeds are fixed


def repeat(kind, seed, repeats, n):
    """Errors, and errors in units of their standard error, of every coefficient: shape (repeats, E, K) each."""
    rng = np.random.default_rng(seed)
    errors, scaled = [], []
    for _ in range(repeats):
        found, truth = surveys.KINDS[kind](rng, n)
        errors.append(found.coefficients - truth)
        scaled.append(errors[-1] / errors_of(found))
    return np.array(errors), np.array(scaled)


def errors_of(found):
    return np.array([*found.bse.values()]).reshape(found.coefficients.shape)


def check(kind, seed, repeats, n, within, alarm=FALSE_ALARM):
    errors, scaled = repeat(kind, seed, repeats, n)
    covered = (np.abs(scaled) < norm.ppf(0.975)).mean(axis=0)
    bias = errors.mean(axis=0) / (errors.std(axis=0) / np.sqrt(repeats))
    print(f"{kind}: coverage {covered.round(3).tolist()}, bias in its error {bias.round(1).tolist()}")
    each = alarm / covered.size / 2
    low, high = (binom.ppf(each, repeats, within[0]) / repeats, binom.isf(each, repeats, within[1]) / repeats)
    assert (covered >= low).all()
    assert (covered <= high).all()
    return errors, bias, scaled


@pytest.mark.slow
@pytest.mark.parametrize("kind", surveys.KINDS)
def test_intervals_cover_and_estimates_are_right(kind):
    """A small version of the sweep below: errors of a fifth of a standard error, or coverage of 85 %, are found."""
    errors, bias, _ = check(kind, 3, 30, 1_500, (0.95, 0.95))
    assert np.abs(bias).max() < norm.isf(FALSE_ALARM / errors[0].size / 2)


@pytest.fixture
def quick(monkeypatch):
    """Numbers come in halves, so that many people are alike and a fit counts them together."""
    people = surveys.people

    def halves(rng, n):
        number, flag = people(rng, n)
        return np.round(2 * number) / 2, flag

    monkeypatch.setattr(surveys, "people", halves)


@pytest.mark.long
@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("kind", surveys.KINDS)
def test_coverage_is_between_93_and_97_per_cent(kind):
    """Of 500 surveys of 4,000 people each; bias is below a tenth of a standard error, as the finite sample leaves some."""
    errors, bias, scaled = check(kind, 11, 500, 4_000, (0.93, 0.97), LONG)
    # The spread in units of what it is said to be, known to 0.032: it finds intervals that are a quarter too wide.
    assert np.abs(scaled.std(axis=0) - 1).max() < 0.2
    assert np.abs(bias).max() < norm.isf(LONG / errors[0].size / 2) + 0.1 * np.sqrt(500)


@pytest.mark.slow
def test_errors_agree_with_the_bootstrap():
    """100 surveys drawn from the answers of one, by how often each is drawn: their spread has an error of 7 %, so 28 % is four of them."""
    rng = np.random.default_rng(17)
    age = rng.integers(0, 4, 1_200)
    true = surveys.drawn(rng, -1.0 + 0.5 * age)
    release = surveys.released(rng, {"y": surveys.YES}, [true])
    found = fit("y ~ age", release, covariates={"age": age})
    again = []
    for _ in range(100):
        drawn = np.bincount(rng.integers(0, 1_200, 1_200), minlength=1_200)
        again.append(fit("y ~ age", release, covariates={"age": age}, weights=drawn).coefficients[0])
    np.testing.assert_allclose(np.std(again, axis=0), errors_of(found)[0], rtol=0.28)


@pytest.mark.slow
def test_three_randomised_attributes_of_20_000_people_take_less_than_2_seconds():
    """Processor time of outcome and two predictors under pair-safe with six covariates, and that the naive fit is biased."""
    rng = np.random.default_rng(19)
    n = 20_000
    x = rng.normal(size=(n, 6))
    first = surveys.drawn(rng, x[:, 0] - 0.4)
    second = surveys.drawn(rng, 0.5 * x[:, 1] + 0.7 * first - 0.2)
    truth = np.array([-0.3, 0.8, -0.6, 0.4, -0.3, 0.2, 0.3, -0.2, 0.1])
    y = surveys.drawn(rng, np.column_stack([np.ones(n), first, second, x]) @ truth)
    mechanism = build("pair-safe", (2, 2, 2), [2.0, 2.0, 2.0])
    release = surveys.released(rng, {"a": surveys.YES, "b": surveys.YES, "y": surveys.YES}, [first, second, y], mechanism)
    covariates = {f"x{i}": column for i, column in enumerate(x.T)}
    start = process_time()
    formula = f"y ~ {' + '.join(['a', 'b', *covariates])}"
    found = fit(formula, release, covariates=covariates)
    assert process_time() - start < 2
    assert np.abs((found.coefficients[0] - truth) / errors_of(found)[0]).max() < norm.isf(FALSE_ALARM / 18)
    naive = fit(formula, release, covariates=covariates, naive=True)
    assert np.abs((naive.coefficients[0] - truth) / errors_of(naive)[0]).max() > 6
