"""Whether estimates are right on average and intervals cover as often as they say, for each kind of model."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom, norm

from rrcore.estimate.models import fit

_spec = importlib.util.spec_from_file_location("surveys", Path(__file__).with_name("surveys.py"))
surveys = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(surveys)

FALSE_ALARM = 1e-4  # of each test, were everything right


def repeat(kind, seed, repeats, n):
    """Errors, and errors in units of their standard error, of every coefficient: shape (repeats, E, K) each; then the naive ones."""
    rng = np.random.default_rng(seed)
    errors, scaled, naive = [], [], []
    for _ in range(repeats):
        found, truth = surveys.KINDS[kind](rng, n)
        errors.append(found.coefficients - truth)
        scaled.append(errors[-1] / found.standard_errors)
        naive.append((found.naive.coefficients - truth) / found.naive.standard_errors)
    return np.array(errors), np.array(scaled), np.array(naive)


def check(kind, seed, repeats, n, within):
    errors, scaled, naive = repeat(kind, seed, repeats, n)
    covered = (np.abs(scaled) < norm.ppf(0.975)).mean(axis=0)
    bias = errors.mean(axis=0) / (errors.std(axis=0) / np.sqrt(repeats))
    print(f"{kind}: coverage {covered.round(3).tolist()}, bias in its error {bias.round(1).tolist()}, "
          f"naive coverage {(np.abs(naive) < 1.96).mean(axis=0).round(2).tolist()}")  # fmt: skip
    each = FALSE_ALARM / covered.size / 2
    low, high = (binom.ppf(each, repeats, within[0]) / repeats, binom.isf(each, repeats, within[1]) / repeats)
    assert (covered >= low).all()
    assert (covered <= high).all()
    return errors, bias


@pytest.mark.slow
@pytest.mark.parametrize("kind", surveys.KINDS)
def test_intervals_cover_and_estimates_are_right(kind):
    """A small version of the sweep below: errors of a fifth of a standard error, or coverage of 85 %, are found."""
    errors, bias = check(kind, 3, 40, 1_500, (0.95, 0.95))
    assert np.abs(bias).max() < norm.isf(FALSE_ALARM / errors[0].size / 2)


@pytest.mark.long
@pytest.mark.parametrize("kind", surveys.KINDS)
def test_coverage_is_between_93_and_97_per_cent(kind):
    """Of 1,000 surveys of 4,000 people each; bias is below a tenth of a standard error, as the finite sample leaves some."""
    errors, bias = check(kind, 11, 1_000, 4_000, (0.93, 0.97))
    assert np.abs(bias).max() < norm.isf(FALSE_ALARM / errors[0].size / 2) + 0.1 * np.sqrt(1_000)


@pytest.mark.slow
def test_the_naive_fit_is_biased_and_does_not_cover():
    _, scaled, naive = repeat("both", 5, 12, 4_000)
    assert (np.abs(naive[:, 0, 1:3]) < 1.96).mean() < 0.6 < (np.abs(scaled[:, 0, 1:3]) < 1.96).mean()


def size_of_test(seed, repeats, n):
    """How often the likelihood-ratio test at 5 % finds an effect that is not there."""
    rng = np.random.default_rng(seed)
    return np.mean([surveys.outcome(rng, n, effect=0.0)[0].test("number").p_value < 0.05 for _ in range(repeats)])


@pytest.mark.slow
def test_likelihood_ratio_tests_have_their_size():
    """Of 60 tests at 5 % the number that finds something has the binomial law."""
    assert size_of_test(7, 60, 1_500) <= binom.isf(FALSE_ALARM, 60, 0.05) / 60


@pytest.mark.long
def test_the_size_of_tests_is_between_4_and_6_per_cent():
    size = size_of_test(13, 5_000, 2_000)
    print(f"size of the likelihood-ratio test: {size:.4f}")
    assert binom.ppf(FALSE_ALARM / 2, 5_000, 0.04) / 5_000 <= size <= binom.isf(FALSE_ALARM / 2, 5_000, 0.06) / 5_000


@pytest.mark.slow
def test_errors_agree_with_the_bootstrap():
    """150 surveys drawn from the answers of one, by how often each is drawn: their spread has an error of 6 %, so 24 % is four of them."""
    rng = np.random.default_rng(17)
    age = rng.integers(0, 4, 1_200)
    true = surveys.drawn(rng, -1.0 + 0.5 * age)
    release = surveys.released(rng, {"y": surveys.YES}, [true])
    found = fit(release, "y", ["age"], covariates={"age": age})
    again = []
    for _ in range(150):
        drawn = np.bincount(rng.integers(0, 1_200, 1_200), minlength=1_200)
        again.append(fit(release, "y", ["age"], covariates={"age": age}, weights=drawn).coefficients[0])
    np.testing.assert_allclose(np.std(again, axis=0), found.standard_errors[0], rtol=0.24)
