"""Estimates of every design against the formulas of their papers, as R's RRreg 0.7.5 has them, and against a second optimiser."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize

from rrcore.designs import DESIGNS, LATENT_DESIGNS, Multiplier, amount_error, design_error, design_facts, estimate_counts
from rrcore.designs.estimate import formula_error
from rrcore.designs.likelihood import likeliest
from rrcore.errors import InputError
from tests.designs.catalogue import NUMBERS, channel

RRREG = [
    ("warner", "3/4", [1269, 731], [(0.231, 0.0215418552070819)]),
    ("crosswise", "1/4", [400, 600], [(0.3, 0.0309993703316851)]),
    ("triangular", "1/4", [600, 400], [(0.2, 0.0206662468877901)]),
    ("mangat", "3/4", [600, 400], [(0.2, 0.0206662468877901)]),
    ("unrelated", "2/3, 1/4", [700, 300], [(0.325, 0.021747941810042)]),
    ("kuk", "3/5, 1/5, 2", [5200, 3600, 1200], [(0.25, 0.00866049761895)]),
    ("forced", "2/3, 1/6, 1/6", [700, 300], [(0.2, 0.021747941810042)]),
    (
        "unrelated-groups",
        "7/10, 3/10",
        [[480, 320], [410, 290]],
        [(0.389285714285714, 0.0333941296669818), (0.425, 0.0351010982112577)],
    ),
    ("lie-detector", "4/5, 2/5", [[500, 300], [280, 420]], [(0.4375, 0.0630814482811246), (0.6, 0.0423534678502473)]),
    (
        "cheating",
        "1/4, 3/4",
        [[560, 240], [245, 455]],
        [(0.125, 0.0259370476874044), (0.7, 0.048509524244134), (0.175, 0.0282489516842033)],
    ),
    (
        "cheating-symmetric",
        "1/8, 1/8, 1/2, 1/8",
        [[560, 240], [310, 390]],
        [(0.244897959183673, 0.0257198977026365), (0.685714285714286, None), (0.0693877551020407, 0.0467700670278203)],
    ),
]
"""Design, its numbers, counts of no and yes by group, and what the functions RRuni.* of RRreg make of them (Heck and Moshagen 2018)."""


@pytest.mark.parametrize(("key", "text", "counts", "expected"), RRREG, ids=[row[0] for row in RRREG])
def test_estimates_and_errors_are_those_of_rrreg(key, text, counts, expected):
    found = estimate_counts(channel(key, text), counts)
    for one, (value, error) in zip(found.quantities, expected, strict=True):
        assert one.value == pytest.approx(value, abs=1e-9)
        if error is not None:  # RRreg has the variance of Kuk's formula, with kn - 1 for n - 1
            assert one.error == pytest.approx(error, rel=1e-4 if key == "kuk" else 1e-9)
        if key != "kuk":  # inside the bounds, and with as many reports as unknowns, the likelihood has its maximum there
            assert one.likeliest == pytest.approx(value, abs=1e-7)
            assert one.likeliest_error == pytest.approx(one.error, rel=3e-3)
    assert (found.fit is None) == (key != "kuk")


def test_a_matrix_is_read_as_rrreg_reads_one():
    text = "4/5, 1/10, 1/10; 1/5, 7/10, 1/10; 1/20, 3/20, 4/5"
    found = estimate_counts(DESIGNS["matrix"].channel(3, DESIGNS["matrix"].numbers(text)), [300, 450, 250])
    assert [one.value for one in found.quantities] == pytest.approx([0.22023809523810, 0.56547619047619, 0.21428571428571])


@pytest.mark.parametrize("key", NUMBERS)
def test_scores_and_likelihood_find_the_shares_behind_exact_counts(key):
    """Counts that are just as expected give every quantity back, by either estimator, and nothing contradicts the design."""
    design, rng = channel(key), np.random.default_rng(5)
    shares = rng.dirichlet(np.full(len(design.classes), 4.0))
    counts = np.einsum("c,gcy->gy", shares, design.matrices) * 10**9
    found = estimate_counts(design, np.round(counts))
    for one, quantity in zip(found.quantities, design.quantities, strict=True):
        truth = np.array(quantity.of, dtype=float) @ shares
        if quantity.per is not None:
            truth /= np.array(quantity.per, dtype=float) @ shares
        assert one.value == pytest.approx(truth, abs=1e-6)
        assert one.likeliest == pytest.approx(truth, abs=1e-6)
    assert found.fit is None or found.fit.p > 0.99


@pytest.mark.parametrize("key", NUMBERS)
def test_likelihood_has_no_higher_point(key):
    """Counts at random, often far from the design, against scipy's constrained optimiser on the same concave function."""
    design, rng = channel(key), np.random.default_rng(11)
    columns = np.concatenate(list(design.matrices), axis=1)
    for _ in range(3):
        possible = design.matrices.any(axis=1)
        counts = rng.multinomial(300, possible / possible.sum(axis=1, keepdims=True)).astype(float)
        numbers = counts.ravel() / counts.sum()

        def loss(p, numbers=numbers):
            return -float(numbers @ np.log(np.maximum(p @ columns, 1e-300)))

        start = np.full(len(columns), 1 / len(columns))
        best = minimize(
            loss, start, bounds=[(0, 1)] * len(start), constraints={"type": "eq", "fun": lambda p: p.sum() - 1}, method="SLSQP"
        )
        found = likeliest(design.matrices, counts)
        assert found.min() >= 0
        assert found.sum() == pytest.approx(1)
        assert loss(found) <= best.fun + 1e-9


def test_same_probabilities_in_both_groups_tell_nothing_and_say_so():
    for key in ("unrelated-groups", "lie-detector", "cheating"):
        with pytest.raises(
            InputError, match=r"cannot be estimated: people who differ in it report in the same way\. Give the groups"
        ):
            channel(key, "2/3, 2/3")
    with pytest.raises(InputError, match="cannot be estimated"):
        channel("cheating-symmetric", "1/8, 1/8, 1/8, 1/8")
    with pytest.raises(InputError, match="leave no truthful answer"):
        channel("cheating-symmetric", "1/2, 1/2, 1/8, 1/8")
    assert channel("warner-groups", "3/4, 3/4").free == 1  # one group's answers suffice


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([600, 400], "expected 2 rows of 2 counts, of the reports no, yes"),
        ([[600, 400], [1, 0]], "fewer than 2 people"),
        ([[600.5, 400], [100, 100]], "not a whole number"),
        ([[-1, 400], [100, 100]], "not a whole number"),
    ],
)
def test_bad_counts_get_one_sentence(counts, message):
    with pytest.raises(InputError, match=message):
        estimate_counts(channel("cheating"), counts)


def test_a_report_that_the_design_never_gives_is_refused():
    with pytest.raises(InputError, match=r"3 people reported 'yes, no'.*never gives"):
        estimate_counts(channel("mangat-singh-singh-twice", "1, 1/2"), [50, 20, 3, 20])


def test_a_ratio_over_nobody_is_no_number():
    found = estimate_counts(channel("lie-detector", "4/5, 2/5"), [[800, 200], [400, 600]])
    assert found.quantities[0].value == pytest.approx(0, abs=1e-12)
    assert np.isnan(found.quantities[1].likeliest) or found.quantities[0].likeliest > 0
    assert found.to_dict()["quantities"][0]["value"] == pytest.approx(0, abs=1e-12)


def test_groups_that_contradict_each_other_are_noticed():
    agree = estimate_counts(channel("warner-groups", "3/4, 1/4"), [[600, 400], [400, 600]])
    differ = estimate_counts(channel("warner-groups", "3/4, 1/4"), [[600, 400], [600, 400]])
    assert agree.fit.p > 0.99
    assert differ.fit.p < 1e-12
    assert agree.quantities[0].value == pytest.approx(0.3)


@pytest.mark.parametrize("key", LATENT_DESIGNS)
def test_expected_errors_are_the_formulas_at_the_expected_counts(key):
    design = channel(key)
    shares = np.full(len(design.classes), 1 / len(design.classes))
    people = np.full(len(design.groups), 4_000_000.0)
    counts = np.round(np.einsum("c,gcy->gy", shares, design.matrices) * people[:, None])
    found = estimate_counts(design, counts)
    assert [one.likeliest_error for one in found.quantities] == pytest.approx(design_error(design, shares, people), rel=1e-4)
    papers = [one.error / least for one, least in zip(found.quantities, design_error(design, shares, people), strict=True)]
    assert min(papers) > 0.999  # nothing beats maximum likelihood; the paper's own formula is as good where there is only one
    assert key == "mangat-singh-singh-twice" or max(papers) < 1.02


def test_what_is_expected_is_the_error_of_the_estimate_that_is_told():
    """Where reports outnumber classes the paper's formula is less precise than maximum likelihood: 2.3 against 1.4 points."""
    facts = design_facts(LATENT_DESIGNS["mangat-singh-singh-twice"], "3/5, 4/5")
    n = 4_000_000
    counts = np.einsum("c,gcy->gy", [0.4, 0.4, 0.2], facts.channel.matrices) * n
    told = estimate_counts(facts.channel, np.round(counts)).quantities[0]
    assert facts.errors[0] == pytest.approx(told.error * math.sqrt(n / 1_000), rel=1e-5)
    assert facts.least[0] == pytest.approx(told.likeliest_error * math.sqrt(n / 1_000), rel=1e-4)
    assert facts.errors[0] == pytest.approx(0.022627, abs=1e-6)
    assert facts.least[0] == pytest.approx(0.014065, abs=1e-6)


@pytest.mark.parametrize(
    ("shares", "people", "says"),
    [
        ((0.8,), [1000.0], "The shares of the 2 classes are"),
        ((0.8, float("nan")), [1000.0], "The shares of the 2 classes are"),
        ((0.8, 0.8), [1000.0], "The shares of the 2 classes are"),
        ((1.2, -0.2), [1000.0], "The shares of the 2 classes are"),
        ((0.8, 0.2), [0.0], "The people are"),
        ((0.8, 0.2), [1000.0, 1000.0], "The people are"),
        ((0.8, 0.2), [float("nan")], "The people are"),
    ],
)
def test_errors_of_no_shares_or_people_are_refused(shares, people, says):
    warner = DESIGNS["warner"].channel(2, [Fraction(3, 4)])
    for error in (design_error, formula_error):
        with pytest.raises(InputError, match=f"^{says}"):
            error(warner, shares, people)


@pytest.mark.parametrize(
    "wrong", [{"people": 0}, {"people": -1}, {"people": float("nan")}, {"share": -1.0}, {"share": float("nan")}]
)
def test_facts_of_nobody_are_refused(wrong):
    with pytest.raises(InputError, match=r"^The (number of people|expected share) is "):
        design_facts(DESIGNS["warner"], "3/4", **wrong)


@pytest.mark.parametrize("wrong", [{"people": 0}, {"mean": float("nan")}, {"deviation": -1.0}])
def test_errors_of_amounts_that_are_none_are_refused(wrong):
    cards = Multiplier.of_cards(((Fraction(1, 2), Fraction(1, 2)), (Fraction(3, 2), Fraction(1, 2))))
    with pytest.raises(InputError, match=r"^The (number of people|mean) is "):
        amount_error(cards, **{"mean": 1000.0, "deviation": 500.0, "people": 1000, **wrong})
