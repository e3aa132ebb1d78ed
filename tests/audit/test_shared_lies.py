"""Lies that a few records take from others: evidence against brute force, false alarms, and the share that is said to be seen."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from rrcore.audit import CHEATS
from rrcore.audit.expected import Expected
from rrcore.audit.shared_lies import LAGS, check_shared, equal_apart, evidence, least
from rrcore.audit.trials import try_records
from rrcore.promise.sampler import randomise_codes
from tests.audit import zoo

FILE = zoo.planned("pair-safe", (4, 3, 4), (1.5, 1.0, 0.7))
LARGE = zoo.planned("kronecker", (10,) * 7, [1.0] * 7)
ALPHA = 0.0005 / 9
"""Part of the false alarms that this check has of those of an audit."""
RARE = 1e-5
"""False-alarm rate of a test that counts."""


def checked(file, runs, seed, key="", alpha=ALPHA):
    rng, expected = np.random.default_rng(seed), Expected(file)
    run = sampler = lambda codes: randomise_codes(file, codes, rng.bytes)
    if key:
        run = CHEATS[key].break_file(file, sampler, rng=rng)
    ends = [(0,) * expected.k, tuple(size - 1 for size in expected.sizes)]
    return check_shared(try_records(run, expected, ends, runs, rng=rng), expected, alpha=alpha)


def test_equal_entries_are_counted_at_every_distance():
    """More of them than are compared at a time."""
    values = np.random.default_rng(0).choice(5, 40_000, p=[0.5, 0.3, 0.1, 0.1, 0.0])
    found = equal_apart(values, 5, 90)
    assert found.shape == (90, 5)
    for lag in (1, 2, 50, 90):
        both = values[lag:][values[lag:] == values[:-lag]]
        assert found[lag - 1].tolist() == np.bincount(both, minlength=5).tolist()


@pytest.mark.parametrize("lag", [1, 2])
def test_by_the_file_evidence_is_one_on_average(lag):
    """Over every stream of six lie sets, each with its probability: so 1 over it is a p-value, although pairs share records."""
    shares, total = np.array([0.7, 0.2, 0.1]), 0.0
    for stream in product(range(3), repeat=6):
        sets = np.array(stream)
        equal = np.bincount(sets[lag:][sets[lag:] == sets[:-lag]], minlength=3)
        total += shares[sets].prod() * np.exp(evidence(np.array([6 - lag]), equal[None], shares)[0])
    assert total == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(("key", "runs"), [("reused", 40_000), ("alike", 20_000)])
def test_lies_that_a_few_records_take_from_others_are_caught(key, runs):
    check = checked(FILE, runs, 3, key)
    assert check.caught
    words = (
        "Records 50 apart have equal lie sets" if key == "reused" else "Records with the same true answers, 1 apart have equal"
    )
    assert check.sentence.startswith(words)


def test_neighbours_alike_share_lies_where_hardly_any_two_records_are_alike():
    """10^7 possible records: those released again and again are neighbours of themselves often enough."""
    assert checked(LARGE, 20_000, 1, "alike").caught


@pytest.mark.parametrize(
    "key", ["levels", "one category", "data-dependent", "secret record", "comonotone", "parts only", "first of a call"]
)
def test_what_is_wrong_for_a_record_alone_is_another_checks_matter(key):
    assert not checked(FILE, 20_000, 4, key).caught


@pytest.mark.slow
def test_honest_samplers_are_accused_no_more_often_than_stated():
    """100 checks at 95 % confidence."""
    files = [FILE, LARGE, *zoo.FILES.values()]
    alarms = sum(checked(files[seed % len(files)], 1_000, 100 + seed, alpha=0.05).caught for seed in range(100))
    assert alarms <= binom.isf(RARE, 100, 0.05)


def test_the_share_that_is_said_to_be_seen_is_seen():
    """Of 30 streams with so many lies taken, 25 or more are caught (fewer by chance once in 10^5, at 98 %), with a third of it at most 5."""
    rng, shares, n = np.random.default_rng(5), Expected(FILE).lie_sets(range(3)).ravel(), 20_000
    share = least(shares, n, ALPHA)
    assert 0.01 < share < 0.04
    for taken, fewest, most in ((share, 25, 30), (share / 3, 0, 5)):
        caught = 0
        for _ in range(30):
            sets = rng.choice(shares.size, n + 1, p=shares)
            again = 1 + np.flatnonzero(rng.random(n) < taken)
            sets[again] = sets[again - 1]
            caught += evidence(np.array([n]), equal_apart(sets, shares.size, 1), shares)[0] >= -np.log(ALPHA)
        assert fewest <= caught <= most


def test_what_was_not_seen_is_said():
    check = checked(FILE, 20_000, 0)
    assert not check.caught
    assert check.unseen.startswith("Lies that fewer than about 2.")
    assert f"up to {LAGS} records before, or fewer than about 1" in check.unseen
    assert check.unseen.endswith(": 22,000 releases cannot tell.")
    assert "fewer than about 100.0 %" in checked(LARGE, 100, 0).unseen
