"""Published surveys that are not simple random samples: the examples of the R package RRTCS, their data typed as counts.

Rueda, Cobo and Arcos, RRTCS: Randomized Response Techniques for Complex Surveys, CRAN, data sets ForcedResponseDataSt and HorvitzDataStCl.
"""

import numpy as np
import pytest

from rrcore.channel import MatrixChannel
from rrcore.estimate import Sample
from tests.estimate.sample.drawing import FORCED, estimate, functional_error

INFERTILITY = (
    (1, 86.4299977, 8, 1), (1, 79.0200003, 8, 1), (1, 34.2000001, 6, 0), (1, 18.4199998, 19, 5), (2, 56.0700009, 8, 1),
    (3, 78.5700008, 6, 2), (3, 66.2099986, 8, 2), (3, 63.749998, 8, 1), (3, 57.2799986, 8, 4), (3, 52.0000006, 8, 1),
    (3, 34.43, 8, 2), (4, 67.9599998, 7, 1), (4, 48.0499989, 7, 2), (4, 30.0000003, 8, 2), (4, 22.0000002, 8, 2),
    (5, 74.5699977, 8, 2), (5, 70.4200011, 6, 2), (5, 67.6700007, 5, 2), (5, 55.7499992, 8, 3), (5, 52.5000001, 8, 2),
    (5, 48.78, 7, 0), (5, 47.2500004, 8, 0), (5, 29.93, 8, 1), (6, 45.249999, 8, 1), (7, 208.830001, 2, 1),
    (7, 87.659997, 10, 5), (7, 56.8599998, 8, 1), (7, 32.9099999, 8, 2), (7, 25.5599998, 9, 4), (7, 22.3200002, 8, 1),
    (8, 73.789999, 8, 4), (8, 36.8599998, 8, 1), (9, 148.569999, 4, 0), (9, 67.6400018, 8, 3), (9, 65.0000016, 8, 2),
    (9, 57.1700015, 8, 0), (9, 33.8400005, 10, 7), (9, 26.6900001, 16, 2), (10, 108.499998, 8, 3), (10, 79.1700007, 4, 2),
    (11, 71.1700006, 8, 2), (11, 27.7699999, 11, 0), (12, 38.7900002, 8, 2), (13, 86.1300032, 8, 3), (13, 81.0799986, 8, 2),
    (13, 67.0800002, 8, 1), (13, 65.6300014, 8, 4), (14, 125.999999, 5, 1), (14, 71.9999994, 8, 2), (14, 61.6699989, 8, 2),
    (15, 62.5700002, 8, 1), (15, 53.0999992, 7, 3), (16, 88.3299995, 3, 0), (17, 37.4999995, 10, 7), (19, 59.1700011, 8, 4),
    (20, 59.7899996, 8, 1),
)  # fmt: skip
"""Forced response, p1 = p2 = 0.2, 442 women in 19 strata: stratum, 1 / inclusion probability, women asked, of them with a released yes."""

INFIDELITY = {
    0: {2: (10, 7), 4: (20, 6), 17: (10, 2), 21: (15, 5), 24: (15, 6), 32: (10, 7), 33: (15, 7), 35: (10, 4), 36: (15, 3), 37: (20, 8),
        38: (10, 4), 41: (10, 3), 42: (15, 8), 43: (20, 11)},
    1: {55: (20, 10), 57: (15, 10), 58: (20, 5), 59: (10, 3), 60: (15, 6), 69: (15, 6), 77: (10, 5), 82: (20, 8), 87: (15, 9),
        89: (10, 5), 97: (20, 12)},
}  # fmt: skip
"""Unrelated question, p = 0.6, alpha = 0.5, 14 groups of 50 and 11 groups of 50: group -> students asked, of them with a released yes."""


def infertility():
    rows = np.array(INFERTILITY)
    n, yes = rows[:, 2].astype(int), rows[:, 3].astype(int)
    reported = np.concatenate([np.repeat([1, 0], [y, k - y]) for k, y in zip(n, yes, strict=True)])
    return reported, Sample(np.repeat(rows[:, 1], n), strata=np.repeat(np.unique(rows[:, 0], return_inverse=True)[1], n))


def test_forced_response_with_strata():
    """10.45% weighted, 9.28% unweighted; the variance is the one of RRTCS's JackknifeVariance over residuals, without its factor 1 - f."""
    reported, sample = infertility()
    found, plain = estimate(reported, sample), estimate(reported, Sample.simple(442))
    assert (sample.n, np.count_nonzero(reported)) == (442, 113)
    assert found.shares[1] == pytest.approx(0.1045054778, abs=1e-9)
    assert plain.shares[1] == pytest.approx(0.0927601810, abs=1e-9)
    assert functional_error(np.array([0.0, 1.0]), found, True) ** 2 == pytest.approx(0.001500352475, rel=1e-8)
    low, high = found.interval(population=True)
    error = np.sqrt(0.001500352475)
    assert high[1] - low[1] == pytest.approx(2 * 1.966 * error, rel=0.01)
    assert (low[1], high[1]) == pytest.approx((0.0317, 0.1835), abs=0.002)  # it is not symmetric
    assert found.spread.freedom == 442 - 19
    assert found.design_effect == pytest.approx(1.24, abs=0.02)


def test_unrelated_question_with_strata_and_clusters():
    """RRTCS divides by N = 1500 (39.39%); over the people that the weights stand for, 1469, it is 40.22%.

    Its jackknife over residuals with its factor 1 - f has the variance 0.001699381; what a finite population leaves of the randomization is
    added here, the sum of f w^2 times the mean r (r - 1) of RRTCS.
    """
    reported, weights, strata, clusters = [], [], [], []
    for stratum, groups in INFIDELITY.items():
        for group, (n, yes) in groups.items():
            reported += [1] * yes + [0] * (n - yes)
            weights += [1 / (0.28, 0.22)[stratum]] * n
            strata += [stratum] * n
            clusters += [group] * n
    channel = MatrixChannel(np.array([[0.8, 0.2], [0.2, 0.8]]))  # 0.6 the question itself, 0.4 x 0.5 yes to the other one
    reported, weights = np.array(reported), np.array(weights)
    sample = Sample(weights, strata=np.array(strata), clusters=np.array(clusters), populations=np.array([50.0, 50.0]))
    found = estimate(reported, sample, channel)
    assert sample.n == 365
    assert found.shares[1] == pytest.approx(0.4022099448, abs=1e-9)
    assert found.shares[1] * weights.sum() / 1500 == pytest.approx(0.3939393939, abs=1e-9)
    assert estimate(reported, Sample.simple(365), channel).shares[1] == pytest.approx(0.397260274, abs=1e-9)
    r = (reported - 0.2) / 0.6
    left = ((1 / weights) * (weights / weights.sum()) ** 2 * r * (r - 1)).sum()
    expected = 0.001699381098 + left
    assert functional_error(np.array([0.0, 1.0]), found, True) ** 2 == pytest.approx(expected, rel=1e-7)
    assert found.spread.freedom == 23
    low, high = found.interval(population=True)
    assert high[1] - low[1] == pytest.approx(2 * 2.068658 * np.sqrt(expected), rel=0.02)  # Student's t
    assert channel.matrix.tolist() == FORCED.matrix.tolist()


@pytest.mark.parametrize(("question", "yes", "alpha"), [
    ("copied", 328, 1 / 12), ("fought", 180, 1 / 10), ("bullied", 280, 20 / 30), ("bullying", 81, 1 / 10), ("drug", 164, 10 / 30),
    ("sex", 53, 1 / 12),
])  # fmt: skip
def test_six_questions_of_a_finite_population(question, yes, alpha):
    """RRTCS's vignette: 710 of 10,777 students, p = 0.5. Its variance, (sum of r (r - 1) / pi + varest) / N^2, is the decomposition here."""
    n, people, p = 710, 10_777, 0.5
    channel = MatrixChannel(np.array([[1 - (1 - p) * alpha, (1 - p) * alpha], [(1 - p) * (1 - alpha), p + (1 - p) * alpha]]))
    reported = np.repeat([1, 0], [yes, n - yes])
    found = estimate(reported, Sample(np.ones(n), populations=np.array([float(people)])), channel)
    r = (reported - (1 - p) * alpha) / p
    f = n / people
    expected = (1 - f) * r.var(ddof=1) / n + (r * (r - 1)).sum() / n / people
    assert found.shares[1] == pytest.approx(r.mean(), abs=1e-12)
    assert functional_error(np.array([0.0, 1.0]), found, True) ** 2 == pytest.approx(expected, rel=1e-9)
