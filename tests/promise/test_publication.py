"""What published counts give away, against the definitions: the chance of every count, in fractions where people are few."""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest
from scipy.stats import binom

import rrcore as rr
from rrcore.promise import MechanismGroups
from rrcore.promise.publication import Shuffled, published

HALF = Fraction(1, 2)


def by_definition(total, people, eps, share):
    """delta of the dominating pair: C clones, A of them for one record, and one report more, for it or against it."""
    odds = Fraction(math.exp(total))
    truth, cost = odds / (odds + 1), Fraction(math.exp(eps))
    found = Fraction(0)
    for clones in range(people):
        many = math.comb(people - 1, clones) * share**clones * (1 - share) ** (people - 1 - clones)
        half = [math.comb(clones, a) * HALF**clones for a in range(clones + 1)]
        for a in range(clones + 2):
            lower, upper = half[a] if a <= clones else 0, half[a - 1] if a else 0
            one, other = truth * upper + (1 - truth) * lower, (1 - truth) * upper + truth * lower
            found += many * max(one - cost * other, Fraction(0))
    return found


@pytest.mark.parametrize(("total", "people"), [(0.01, 12), (1.0, 2), (1.0, 25), (3.0, 25), (8.0, 9), (0.4, 1)])
def test_delta_is_that_of_the_two_laws_rounded_up(total, people):
    reports = Shuffled.of(total, people)
    share = 2 / (Fraction(math.exp(total)) + 1)
    for part in (0.05, 0.3, 0.7, 0.99):
        exact = by_definition(total, people, part * total, share)
        slack = exact / 1_000 + Fraction(2e-6 * math.expm1(part * total))
        assert exact <= Fraction(reports.delta(part * total)) <= exact + slack
    assert reports.delta(total) == 0


PRINTED = {
    (200, 1.0): 0.45, (200, 2.0): 1.59, (1_000, 1.0): 0.19, (1_000, 2.0): 0.56, (10_000, 1.0): 0.06, (10_000, 2.0): 0.16,
    (10_000, 4.49): 0.85, (100_000, 1.0): 0.02, (100_000, 2.0): 0.05, (100_000, 4.49): 0.23,
}  # fmt: skip
"""People and total -> eps at delta = 1e-6 by the authors' program, which rounds up in coarser steps."""


@pytest.mark.parametrize(("people", "total"), PRINTED)
def test_with_clones_as_rare_as_in_2021_it_is_what_the_authors_compute(people, total):
    found = Shuffled.of(total, people, share=math.exp(-total)).eps(1e-6)
    assert 0.94 * PRINTED[people, total] - 0.005 <= found <= PRINTED[people, total] + 0.005
    assert Shuffled.of(total, people).eps(1e-6) < 0.9 * found


def test_the_example_of_the_authors_lies_between_their_two_bounds():
    assert 0.16753 < Shuffled.of(4.0, 100_000, share=math.exp(-4)).eps(1e-6) < 0.17280


@pytest.mark.parametrize(
    ("total", "people"), [(4.49, 200), (4.49, 1_000), (1.0, 1), (math.inf, 10**6), (61.0, 10**6), (0.0, 10**6)]
)
def test_where_nothing_less_than_the_total_can_be_promised_nothing_is_said(total, people):
    assert published(total, people) is None


def shares_of_yes(total, people, others, truth):
    """Law of the number of "yes" by yes-or-no randomized response, of so many other people with a true yes and one person's truth."""
    p = math.exp(total) / (math.exp(total) + 1)
    law = np.ones(1)
    for n, chance in ((others, p), (people - 1 - others, 1 - p), (1, p if truth else 1 - p)):
        law = np.convolve(law, binom.pmf(np.arange(n + 1), n, chance))
    return law


def hockey_stick(one, other, eps):
    return np.maximum(one - math.exp(eps) * other, 0).sum()


@pytest.mark.parametrize("total", [0.1, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("people", [2, 20, 200, 2_000])
def test_counts_of_two_answers_never_give_away_more(total, people):
    reports = Shuffled.of(total, people)
    for others in {0, people // 3, people - 1}:
        no, yes = (shares_of_yes(total, people, others, truth) for truth in (False, True))
        for part in (0.0, 0.01, 0.1, 0.5, 0.9):
            bound = reports.delta(part * total) + 1e-15
            assert max(hockey_stick(no, yes, part * total), hockey_stick(yes, no, part * total)) <= bound


@pytest.mark.parametrize(("total", "people"), [(0.1, 200), (1.0, 200), (1.0, 20_000), (2.0, 20_000), (4.0, 20_000)])
def test_counts_of_two_answers_can_give_away_nearly_as_much(total, people):
    """All others alike, eps of the exact laws at the delta of the bound: no bound for every mechanism could be much lower."""
    delta = 1e-6
    no, yes = (shares_of_yes(total, people, 0, truth) for truth in (False, True))
    low, high = 0.0, total
    for _ in range(40):
        middle = (low + high) / 2
        reached = max(hockey_stick(no, yes, middle), hockey_stick(yes, no, middle)) <= delta
        low, high = (low, middle) if reached else (middle, high)
    assert 0.5 < high / Shuffled.of(total, people).eps(delta) <= 1


@pytest.mark.parametrize(("total", "people"), [(0.1, 200), (1.0, 200), (1.0, 5_000), (2.0, 5_000), (4.0, 20_000)])
@pytest.mark.parametrize("chance", [1e-2, 1e-6])
def test_odds_move_further_than_said_as_rarely_as_said(total, people, chance):
    shift = Shuffled.of(total, people).shift(chance)
    for others in (0, people // 2, people - 1):
        no, yes = (shares_of_yes(total, people, others, truth) for truth in (False, True))
        far = (no > math.exp(shift) * yes) | (yes > math.exp(shift) * no)
        assert max(no[far].sum(), yes[far].sum()) <= chance
    assert shift < total


def test_eps_alone_would_promise_too_much():
    """(eps, delta) is no bound on how often odds move further than eps: here 55 times in a million."""
    eps = Shuffled.of(1.0, 20_000).eps(1e-6)
    no, yes = (shares_of_yes(1.0, 20_000, 0, truth) for truth in (False, True))
    assert hockey_stick(no, yes, eps) < 1e-6
    assert no[no > math.exp(eps) * yes].sum() + no[yes > math.exp(eps) * no].sum() == pytest.approx(55e-6, rel=0.02)


def counts_of(rows, inputs):
    """Law of the counts of outputs of people with these true answers, each given as a row of chances."""
    law = Counter({(0,) * rows.shape[1]: 1.0})
    for x in inputs:
        new = Counter()
        for counts, chance in law.items():
            for y, one in enumerate(rows[x]):
                new[(*counts[:y], counts[y] + 1, *counts[y + 1 :])] += chance * one
        law = new
    return law


def private(rng, inputs, outputs, total):
    """Chances of outputs that differ by up to e^total between inputs, and reach it somewhere."""
    rows = rng.choice([1, 1, math.exp(total)], (inputs, outputs)) * rng.dirichlet(np.ones(outputs))
    rows /= rows.sum(axis=1, keepdims=True)
    return rows, float(np.log(rows.max(axis=0) / rows.min(axis=0)).max())


@pytest.mark.parametrize("seed", range(20))
def test_no_mechanism_gives_away_more(seed):
    """Also where two records are told apart by some outputs only, for which the lemma of the paper was withdrawn."""
    rng = np.random.default_rng(seed)
    rows, total = private(rng, 3, int(rng.integers(2, 5)), float(rng.choice([0.5, 1.5, 3.0])))
    if total == 0:
        rows, total = private(rng, 3, 4, 2.0)
    people = int(rng.integers(2, 6))
    reports = Shuffled.of(total, people)
    for others in combinations_with_replacement(range(3), people - 1):
        laws = [counts_of(rows, (x, *others)) for x in range(3)]
        for one in laws:
            for other in laws:
                for part in (0.0, 0.1, 0.3, 0.6, 0.9):
                    exact = sum(max(chance - math.exp(part * total) * other[counts], 0) for counts, chance in one.items())
                    assert exact <= reports.delta(part * total) + 1e-14


@pytest.mark.parametrize("key", ["kronecker", "optimal", "pair-safe"])
def test_no_mechanism_of_the_library_gives_away_more(key):
    mechanism = rr.build(key, (2, 3), [1.0, 2.0])
    rows = np.array([mechanism.marginal_channel((0, 1)).push(record.reshape(2, 3)).ravel() for record in np.eye(6)])
    reports = Shuffled.of(mechanism.total_level, 4)
    for others in combinations_with_replacement(range(0, 6, 2), 3):
        laws = [counts_of(rows, (x, *others)) for x in range(6)]
        for one in laws:
            for other in laws:
                exact = sum(max(chance - math.exp(0.5) * other[counts], 0) for counts, chance in one.items())
                assert exact <= reports.delta(0.5) + 1e-14


@pytest.mark.parametrize("people", [1, 200, 10_000, 10**6, 10**8, 10**10])
@pytest.mark.parametrize("total", [0.01, 1.0, 4.0, 10.0, 60.0])
def test_more_people_and_smaller_totals_give_away_less(people, total):
    found = published(total, people)
    if found is not None:
        assert 0 < found.eps <= found.shift < found.total == total
        assert found.delta < 1 / people
        more, less = published(total, min(4 * people, 10**8)), published(total / 2, people)
        assert more is None or people >= 10**8 or more.shift < found.shift
        assert less is None or (less.shift < found.shift and less.eps <= found.eps)


def test_its_sentence_says_who_is_not_covered_and_its_numbers_are_rounded_up():
    found = published(2.0, 2_201)
    expected = (
        "reports of 2,201 people", "at most 1.42 times", "all but one of 1,000,000 such surveys", "receiver's operator", "stays 7.39 times",
        "second publication adds",
    )  # fmt: skip
    assert not [text for text in expected if text not in found.sentence()]
    written = found.to_dict()
    assert written.keys() == {"people", "eps", "delta", "shift", "sentence"}
    assert found.eps <= written["eps"] < found.eps + 2e-9
    assert found.shift <= written["shift"] < found.shift + 2e-9


def test_of_groups_with_files_of_their_own_nothing_is_said():
    """A report hides among those of its group only, and how many they are a set of files does not say."""
    schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")),))
    die, deck = (rr.MechanismFile(schema, rr.integer_groups(rr.build("kronecker", (2,), [eps]))) for eps in (2.0, 1.0))
    assert die.published(10_000).shift > deck.published(10_000).shift
    assert MechanismGroups({"die": die, "deck": deck}).published(10_000) is None
