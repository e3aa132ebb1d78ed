"""The examples of the R package RRTCS (Cobo, Rueda and Arcos 2015) with their weights: estimates, variances and intervals.

Data are the package's, as counts by inclusion probability and report; numbers are what its functions give for the examples in its manual
and in its vignette on the Horvitz survey.
"""

from pathlib import Path

import numpy as np
import pytest

from rrcore.designs import AMOUNT_DESIGNS, estimate_amounts, estimate_counts, from_sample
from rrcore.estimate.sample import Sample
from tests.designs.catalogue import channel


def deville(values, chances):
    """Deville's estimate (1993) of the variance of a Horvitz-Thompson total."""
    part = (1 - chances) / (1 - chances).sum()
    centred = values / chances - (part * values / chances).sum()
    return ((1 - chances) * centred**2).sum() / (1 - (part**2).sum())


def weighted(values, noise, chances, size):
    """Horvitz-Thompson mean and its variance: of the sample, and of the randomisation."""
    return (values / chances).sum() / size, ((noise / chances).sum() + deville(values, chances)) / size**2


def read(design, rows, size):
    """The same from rows of an inclusion probability and counts of reports, each report being worth its score."""
    share = design.quantities[0]
    scores = design.scores(share, share.of, (1.0,))[0]
    matrix, target = design.matrices[0], np.array(share.of, dtype=float)
    spread = matrix @ scores**2 - target**2  # variance of a score, by class
    noise = spread[0] + (spread[1] - spread[0]) * scores if len(target) == 2 else scores * (scores - 1)
    chances = np.repeat([row[0] for row in rows], [sum(row[1:]) for row in rows])
    reports = np.concatenate([np.repeat(np.arange(len(scores)), row[1:]) for row in rows])
    return weighted(scores[reports], noise[reports], chances, size)


ST = """0.004788584 1 1; 0.006730834 4 0; 0.007936508 4 1; 0.009216590 5 3; 0.011321182 3 0; 0.011407712 5 5; 0.011570057 7 1;
0.011610356 5 3; 0.012333498 6 2; 0.012631047 2 2; 0.012655024 7 1; 0.012727504 4 2; 0.013410219 6 2; 0.013551972 4 4; 0.013888889 6 2;
0.014050864 6 2; 0.014200511 4 2; 0.014714538 6 1; 0.014777597 3 2; 0.014784151 5 3; 0.014907573 7 1; 0.015103459 6 2; 0.015236934 4 4;
0.015384615 6 2; 0.015686275 7 1; 0.015982100 7 1; 0.016215340 6 2; 0.016725205 7 1; 0.016900456 4 4; 0.017458101 4 4; 0.017491691 8 0;
0.017587056 7 1; 0.017834849 7 1; 0.017937220 5 3; 0.018832392 4 3; 0.019047619 6 2; 0.019230769 7 1; 0.020500205 7 0; 0.020811655 5 2;
0.021164021 8 0; 0.022099448 7 1; 0.025779840 6 2; 0.026666667 3 7; 0.027129680 7 1; 0.029044438 6 2; 0.029239766 6 0; 0.029550827 3 7;
0.030385901 6 2; 0.033333333 6 2; 0.033411293 7 1; 0.036010083 11 0; 0.037467216 14 2; 0.039123631 5 4; 0.044802867 7 1; 0.045454545 6 2;
0.054288817 14 5"""
INFERTILITY = [(float(a), int(b), int(c)) for a, b, c in (row.split() for row in ST.split(";"))]
"""ForcedResponseDataSt: women asked about treatment for infertility; probability of being asked, no, yes."""

YEARS = (98 / 328, 53 / 177, 43 / 142, 46 / 155)  # students asked by academic year: strata of DevoreData and MangatSinghData
N = 802
KUK = (0, 4, 8, 32, 28, 37, 28, 21, 7, 5, 4, 0, 3, 4, 4, 2, 6, 2, 2, 2, 1, 0, 0, 0, 0, 0)
CLUSTERS = [
    (0.229426433915212, 38, 0, 2, 6),
    (0.379052369077307, 50, 7, 10, 9),
    (0.134663341645885, 19, 1, 2, 5),
    (0.194513715710723, 27, 1, 1, 10),
]
"""HorvitzUBData: probability, then answers to both draws no-no, no-yes, yes-no, yes-yes."""

EXAMPLES = {
    "ForcedResponseData": ("forced", "3/5, 1/5, 1/5", [(0.1, 492, 508)], 10_000, 0.513333333333, 66990.99099099 / 1e8),
    "ForcedResponseDataSt": ("forced", "3/5, 1/5, 1/5", INFERTILITY, 24_877.4203, 0.1045054778, 0.00151625944),
    "KukData, k = 25": ("kuk", "3/5, 1/5, 25", [(200 / N, *KUK)], N, 0.1335, 0.000654185111969),
    "ChristofidesData": ("christofides", "1/10, 1/5, 3/10, 1/5, 1/5", [(150 / N, 21, 27, 49, 34, 19)], N, 0.45, 0.0623855908328),
    "DevoreData": (
        "devore",
        "7/10",
        list(zip(YEARS, (7, 5, 4, 6), (91, 48, 39, 40), strict=True)),
        N,
        0.868982226102515,
        0.000568559675943,
    ),
    "MangatSinghData": (
        "mangat-singh",
        "11/20, 7/10",
        list(zip(YEARS, (21, 33, 32, 34), (77, 20, 11, 12), strict=True)),
        N,
        0.50045622681057,
        0.00165011455734,
    ),
    "WarnerData": ("warner", "7/10", [(125 / N, 65, 60)], N, 0.45, 0.012256355080),
    "HorvitzUBData": ("unrelated-twice", "3/5, 7/10", CLUSTERS, N, 0.12131691408007, 0.0075890896206266),
    "MangatSinghSinghUBData": (
        "mangat-singh-singh-twice",
        "3/5, 4/5",
        [(500 / N, 113, 11, 35, 341)],
        N,
        0.656,
        0.000538569727985,
    ),
}
"""Data set of RRTCS: design, its parameters, rows, population, estimated share, its variance."""


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_with_their_weights(name):
    key, text, rows, size, share, variance = EXAMPLES[name]
    found, spread = read(channel(key, text), rows, size)
    assert found == pytest.approx(share, abs=2e-8)
    assert spread == pytest.approx(variance, rel=2e-7)


def test_weights_matter_where_strata_differ():
    """Forced response with strata: 10.45 % weighted, 9.28 % unweighted."""
    design = channel("forced", "3/5, 1/5, 1/5")
    size = sum((no + yes) / chance for chance, no, yes in INFERTILITY)
    assert f"{read(design, INFERTILITY, size)[0]:.2%}" == "10.45%"
    counts = np.array(INFERTILITY)[:, 1:].sum(axis=0)
    assert f"{estimate_counts(design, counts).quantities[0].value:.2%}" == "9.28%"
    chances = np.repeat([row[0] for row in INFERTILITY], [no + yes for _, no, yes in INFERTILITY])
    reports = np.concatenate([np.repeat([0, 1], row[1:]) for row in INFERTILITY])
    found = from_sample(design, design.quantities[0], reports, Sample(1 / chances))
    assert found.value == pytest.approx(0.1045054778, abs=1e-8)
    assert found.error**2 == pytest.approx(
        0.00151625944, rel=0.03
    )  # RRTCS's variance, with what its people are of their population


HORVITZ = {
    "copied in an exam": ("1/12", 382, 328, 0.8406103286385, 0.0013897158914),
    "fought with a teacher": ("1/10", 530, 180, 0.40704225352113, 0.00104519582676),
    "been bullied": ("20/30", 430, 280, 0.12206572769953, 0.00133741481944),
    "bullied someone": ("1/10", 629, 81, 0.128169014084507, 0.000559785788238),
    "drugs on the campus": ("10/30", 546, 164, 0.128638497652582, 0.000991657986638),
    "sex on the premises": ("1/12", 657, 53, 0.065962441314554, 0.000383953986768),
}
"""HorvitzDataRealSurvey: 710 of 10,777 students, a coin: share of yes to the unrelated question, no, yes, estimate, variance."""


@pytest.mark.parametrize("question", HORVITZ)
def test_six_questions_of_the_horvitz_survey(question):
    prevalence, no, yes, share, variance = HORVITZ[question]
    design = channel("unrelated", f"1/2, {prevalence}")
    found, spread = read(design, [(710 / 10_777, no, yes)], 10_777)
    assert found == pytest.approx(share, abs=1e-12)
    assert spread == pytest.approx(variance, rel=1e-11)
    alone = estimate_counts(design, [no, yes]).quantities[0]
    assert alone.value == pytest.approx(share, abs=1e-12)
    assert alone.error**2 == pytest.approx(variance, rel=0.06)  # less the finite population's correction


def two_points(n, total, squares):
    """n values with a given sum and sum of squares: all that means and variances use."""
    deviation = np.sqrt(squares / n - (total / n) ** 2)
    low = n // 2
    high = n - low
    return total / n + deviation * np.concatenate([np.full(low, np.sqrt(high / low)), np.full(high, -np.sqrt(low / high))])


def rrtcs(reports, multiplier, chances, size):
    """Mean and variance as RRTCS has them: the variance of the random number at the squared report, for the squared amount."""
    values = reports / float(multiplier.factor)
    return weighted(values, values**2 * float(multiplier.spread - 1), chances, size)


def test_eichhorn_and_hayre_on_household_income():
    """EichhornHayreData: 150 families in two strata, multiplied by F(20, 20), mean 10/9; sums and sums of squares by stratum."""
    multiplier = AMOUNT_DESIGNS["eichhorn-hayre"].multiplier("1.111111, 0.5414886")
    strata = [
        (0.099644128113879, 56, 2284862.83768351, 119659867426.797),
        (0.100213219616205, 94, 4057073.61254418, 215313669475.258),
    ]
    reports = np.concatenate([two_points(*row[1:]) for row in strata])
    chances = np.repeat([row[0] for row in strata], [row[1] for row in strata])
    found = estimate_amounts(reports, multiplier, weights=1 / chances)
    assert found.value == pytest.approx(38048.7914236707, rel=1e-9)
    assert rrtcs(reports, multiplier, chances, 1500) == pytest.approx((38048.7914236707, 2465910.5639176), rel=1e-8)


def test_bar_lev_on_income_of_companies():
    """BarLevData: 370 of 2,396 companies, true with probability 0.6, else multiplied by an exponential number of mean 1; six digits."""
    lines = (Path(__file__).parent / "bar_lev.csv").read_text().splitlines()[1:]
    reports, chances = np.array([line.split(",")[1:] for line in lines], dtype=float).T
    multiplier = AMOUNT_DESIGNS["bar-lev"].multiplier("3/5, 1, 1")
    found = estimate_amounts(reports, multiplier, weights=1 / chances, population=2396)
    assert found.value * 2396 == pytest.approx(1019372.164332, rel=1e-6)
    assert found.value == pytest.approx(425.447480940, rel=1e-6)
    assert rrtcs(reports, multiplier, chances, 1) == pytest.approx((1019372.164332, 3313677571.339649), rel=1e-5)
