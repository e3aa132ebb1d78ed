"""Maximum likelihood of designs: its certificate in exact fractions, a slow oracle of grid and EM, and the errors that follow from it."""

from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from rrcore.designs import DESIGNS, LATENT_DESIGNS, Measured, design_error, estimate_counts, from_sample
from rrcore.designs.estimate import formula_error
from rrcore.designs.likelihood import least_mean, likeliest, variance
from rrcore.estimate.sample import Sample
from tests.designs.catalogue import NUMBERS, channel, some_channel

FOUND_WRONG = [
    ("unrelated-twice", "3/5, 17/20", [[488, 25, 55, 32]]),
    ("unrelated-twice", "27/100, 33/50", [[566, 0, 3, 31]]),
    ("cheating-symmetric", "1/20, 13/50, 9/100, 1/10", [[1891, 3109], [1196, 3804]]),
    ("unrelated-twice", "3/5, 4/5", [[0, 0, 0, 7]]),
]
"""Counts at which Newton's steps with bounds stopped 13 and 571 nats below the maximum or broke off, and one more at a corner."""


def log_likelihood(matrices, counts, shares):
    expected, seen = np.einsum("c,gcy->gy", shares, matrices), counts > 0
    return float(counts[seen] @ np.log(expected[seen]))


def exact_gap(design, counts, shares):
    """An upper bound in nats on what any shares add to the log-likelihood of ``shares``, computed in fractions (Lindsay 1983)."""
    exact = [Fraction(share) for share in shares]
    total = sum(exact)
    slopes = [Fraction(0)] * len(exact)
    for rows, row in zip(design.rows, counts, strict=True):
        for y, people in enumerate(row):
            if people:
                expected = sum(share * one[y] for share, one in zip(exact, rows, strict=True)) / total
                slopes = [slope + int(people) * one[y] / expected for slope, one in zip(slopes, rows, strict=True)]
    return float(max(slopes) - int(counts.sum()))


def oracle(matrices, counts, steps=300):
    """The log-likelihood of the best of a grid over all shares, after ``steps`` of EM from there and from the centre."""
    size, columns = matrices.shape[1], np.concatenate(list(matrices), axis=1)
    places = np.array([np.bincount(one, minlength=size) for one in combinations_with_replacement(range(size), 12)]) / 12
    inside = 0.999 * places + 0.001 / size
    best = inside[np.argmax(np.log(np.maximum(inside @ columns, 1e-300)) @ counts.ravel())]
    shares = np.array([best, np.full(size, 1 / size)])
    for _ in range(steps):
        shares = shares * ((counts.ravel() / np.maximum(shares @ columns, 1e-300)) @ columns.T) / counts.sum()
    return max(log_likelihood(matrices, counts, one / one.sum()) for one in shares)


def some_counts(design, kind, rng):
    """Counts of a survey: of common classes, of rare ones, of groups of unlike sizes, or far from what the design can give."""
    groups = len(design.groups)
    sizes = 10 ** rng.integers(1, 6 if kind == "unlike groups" else 5, groups)
    shares = rng.dirichlet(np.full(len(design.classes), 0.1 if kind == "rare" else 1.0))
    chances = np.einsum("c,gcy->gy", shares, design.matrices)
    if kind == "contradicting":
        chances = design.matrices.any(axis=1) * rng.dirichlet(np.full(len(design.reports), 0.3), groups)
        chances += 1e-9 * design.matrices.any(axis=1)
    return np.array([rng.multinomial(n, row / row.sum()) for n, row in zip(sizes, chances, strict=True)])


@pytest.mark.parametrize(("key", "text", "counts"), FOUND_WRONG)
def test_the_maximum_is_found_where_steps_cut_at_the_bounds_stopped_before_it(key, text, counts):
    design, table = channel(key, text), np.array(counts)
    shares = likeliest(design.matrices, table.astype(float))
    assert log_likelihood(design.matrices, table, shares) >= oracle(design.matrices, table, 10_000) - 1e-7
    assert exact_gap(design, table, shares) < 1e-7


@pytest.mark.parametrize("kind", ["common", "rare", "unlike groups", "contradicting"])
def test_no_shares_are_likelier(kind):
    """Three surveys for each design and kind, 240 in all: no bound in exact fractions and no oracle is above by 1e-7 nats."""
    for key, number in product(NUMBERS, range(3)):
        rng = np.random.default_rng([len(kind), number, *key.encode()])
        design = some_channel(key, rng)
        counts = some_counts(design, kind, rng)
        shares = likeliest(design.matrices, counts.astype(float))
        assert shares.min() >= 0
        assert shares.sum() == pytest.approx(1, abs=1e-12)
        assert exact_gap(design, counts, shares) < 1e-7
        assert log_likelihood(design.matrices, counts, shares) >= oracle(design.matrices, counts) - 1e-7


def test_intervals_of_two_draws_cover_a_rare_trait():
    """400 surveys of 10,000, 2 % having the trait: both intervals cover at least 90 %. False alarm if they cover 95 %: 2e-5 each."""
    design, shares = LATENT_DESIGNS["unrelated-twice"].asked("3/5, 4/5", share=0.02)
    tables = np.random.default_rng(8).multinomial(10_000, np.array(shares) @ design.matrices[0], size=400)
    found = [estimate_counts(design, table).quantities[0] for table in tables]
    printed = [one.interval() for one in found]
    inside = [Measured(one.likeliest, one.likeliest_error).interval() for one in found]
    for intervals in (printed, inside):
        low, high = np.array(intervals).T
        assert ((low <= 0.02) & (high >= 0.02)).mean() >= 0.9


def test_where_least_squares_fail_em_goes_on(monkeypatch):
    def broken(*_):
        raise RuntimeError("Maximum number of iterations reached.")

    monkeypatch.setattr("scipy.optimize.nnls", broken)
    design, counts = channel("warner-groups"), np.array([[560.0, 240.0], [345.0, 455.0]])
    shares = likeliest(design.matrices, counts)
    assert exact_gap(design, counts, shares) < 1e-7


def test_what_is_not_certified_is_not_returned(monkeypatch):
    monkeypatch.setattr("rrcore.designs.likelihood._STEPS", 2)
    with pytest.raises(ArithmeticError, match="No certified maximum of the likelihood after 2 steps"):
        likeliest(channel("cheating").matrices, np.array([[560.0, 240.0], [245.0, 455.0]]))


@pytest.mark.parametrize("key", NUMBERS)
def test_the_variance_at_a_bound_is_its_limit_from_inside(key):
    """Wherever some classes are nobody's, so that some reports cannot occur; 1e-7 inside, n times a variance differs by about 1e-6."""
    design, rng = channel(key), np.random.default_rng(2)
    size, people = len(design.classes), np.full(len(design.groups), 1_000.0)
    for chosen in range(1, 2**size):
        at = rng.dirichlet(np.ones(size)) * [chosen >> c & 1 for c in range(size)]
        at /= at.sum()
        inside = (1 - 1e-7) * at + 1e-7 / size
        for quantity in design.quantities:
            (value, target), (_, near) = quantity.at(at), quantity.at(inside)
            if np.isfinite(value):
                limit = variance(design.matrices, people, inside, near)
                assert variance(design.matrices, people, at, target) * 1_000 == pytest.approx(limit * 1_000, abs=2e-6)


@pytest.mark.parametrize("people", [[100, 10_000], [10_000, 100]])
def test_the_larger_group_counts_for_more(people):
    """Where half of all have the trait, the formula is as precise as maximum likelihood, whatever the groups' sizes."""
    for numbers in ("3/4, 1/4", "3/4, 1/3", "9/10, 2/5"):
        design = channel("warner-groups", numbers)
        assert formula_error(design, (0.5, 0.5), people) == pytest.approx(design_error(design, (0.5, 0.5), people), rel=1e-9)


@pytest.mark.parametrize("apart", ["1e-3", "1e-6", "1e-9", "1e-12"])
def test_scores_hold_where_truths_are_hardly_told_apart(apart):
    """Against the closed formulas of Warner and of the lie detector."""
    close = Fraction(apart)
    warner = DESIGNS["warner"].channel(2, [Fraction(1, 2) + close])
    expected = [-(Fraction(1, 2) - close) / (2 * close), (Fraction(1, 2) + close) / (2 * close)]
    found = warner.scores(warner.quantities[0], warner.quantities[0].of, [1.0])
    assert found[0] == pytest.approx(np.array(expected, dtype=float), rel=1e-15 / float(close) + 1e-12)
    lies = LATENT_DESIGNS["lie-detector"].channel([Fraction(4, 5), Fraction(4, 5) - close])
    found = lies.scores(lies.quantities[0], lies.quantities[0].of, [0.5, 0.5])
    yes = found[:, 1] - found[:, 0]  # share = 1 + (yes2 - yes1) / (p2 - p1)
    assert yes * float(close) == pytest.approx([1, -1], rel=1e-15 / float(close) + 1e-12)


def test_equally_likely_shares_give_the_larger_error():
    """A census: what varies is the randomisation alone, at most as much as under any of the shares that give the same reports.

    Truths (.4, .2, .25, .15) give the same reports as those with t more of the first and last class and t less of the others, t to .2.
    """
    design, people = channel("unrelated-groups", "7/10, 3/10"), 1_000
    counts = np.round(np.array([0.4, 0.2, 0.25, 0.15]) @ design.matrices * people).astype(int)
    groups, reports = (np.repeat(codes.ravel(), counts.ravel()) for codes in np.indices(counts.shape))
    sample = Sample(np.ones(2 * people), populations=np.array([2.0 * people]))
    found = from_sample(design, design.quantities[0], reports, sample, groups)
    scores = design.scores(design.quantities[0], design.quantities[0].of, [0.5, 0.5])
    means = np.einsum("gcy,gy->gc", design.matrices, scores)
    within = np.einsum("gcy,gy->gc", design.matrices, scores**2) - means**2
    at = [np.array([0.4 + t, 0.2 - t, 0.25 - t, 0.15 + t]) for t in np.linspace(-0.15, 0.2, 36)]
    assert found.error**2 == pytest.approx(max(within.sum(axis=0) @ shares for shares in at) / people, rel=2e-3)


@pytest.mark.parametrize("key", NUMBERS)
def test_equally_likely_shares_are_one_where_the_rank_is_full(key):
    """20 surveys of each design: rounding leaves neither a mean that differs nor a programme without a solution."""
    rng = np.random.default_rng([4, *key.encode()])
    for _ in range(20):
        design = some_channel(key, rng)
        shares = likeliest(design.matrices, some_counts(design, "unlike groups", rng).astype(float))
        values = rng.random(len(shares))
        least = least_mean(design.matrices, shares, values)
        if key == "unrelated-groups":
            assert values.min() - 1e-9 <= least <= values @ shares + 1e-9
        else:
            assert least == pytest.approx(values @ shares, abs=1e-9)
