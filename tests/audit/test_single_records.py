"""Records that are sent alone: truth in every such call is caught for sure, where that can be told at all; what is honest is not."""

import sys
from fractions import Fraction
from math import log
from shlex import join

import numpy as np
import pytest
from scipy.stats import binom

from rrcore.audit import CHEATS, COMMAND_STARTS, STARTS, command_sampler
from rrcore.audit.expected import Expected
from rrcore.audit.single_records import check_alone, plan_calls
from rrcore.audit.trials import try_records
from rrcore.designs import k_ary
from rrcore.promise.sampler import randomise_codes
from tests.audit import zoo

FILE = zoo.planned("pair-safe", (4, 3, 4), (1.5, 1.0, 0.7))
MOSTLY_TRUE = zoo.grouped(k_ary(2, Fraction(7, 8)))
NEARLY_ALL_TRUE = zoo.grouped(k_ary(2, Fraction(99, 100)))
ALPHA = 0.0005 / 9
"""Part of the false alarms that this check has of those of an audit."""
RARE = 1e-5
"""False-alarm rate of a test that counts."""


def checked(file, seed, spoil=lambda true, out: out, *, starts=COMMAND_STARTS, runs=2_000, alpha=ALPHA):
    rng, expected, sizes = np.random.default_rng(seed), Expected(file), []

    def run(true):
        sizes.append(len(true))
        return spoil(true, randomise_codes(file, true, rng.bytes))

    trials = try_records(run, expected, [(0,) * expected.k], runs, rng=rng)
    return check_alone(run, trials, expected, starts, alpha=alpha, rng=rng), sizes[1:]


@pytest.mark.parametrize("few", [1, 2, 3])
@pytest.mark.parametrize("name", ["several", "one", "matrix"])
def test_truth_for_few_records_is_caught_for_sure(few, name):
    """Also by as few calls as a program is started for; 6 audits each."""
    file = {"several": FILE, "one": MOSTLY_TRUE, "matrix": zoo.FILES["pram beside a coupling"]}[name]
    for seed in range(6):
        check, sizes = checked(file, seed, lambda true, out: true if len(true) == few else out)
        assert check.caught
        words = f"sent {('alone', 'two at a time', 'three at a time')[few - 1]}, "
        assert words in check.sentence
        assert sizes.count(1) == plan_calls(Expected(file), COMMAND_STARTS, ALPHA) <= 5 * COMMAND_STARTS
        assert sizes.count(2) == sizes.count(1) // 2
        assert sizes.count(3) == sizes.count(1) // 3


def test_the_number_of_calls_grows_with_how_often_truth_is_told():
    calls = [
        plan_calls(Expected(zoo.grouped(k_ary(2, Fraction(*p)))), COMMAND_STARTS, ALPHA)
        for p in ((2, 3), (3, 4), (7, 8), (99, 100))
    ]
    assert calls == [37, 53, 113, 120]
    assert plan_calls(Expected(FILE), COMMAND_STARTS, ALPHA) == 12
    assert plan_calls(Expected(FILE), STARTS, ALPHA) == 67


def test_other_faults_of_single_calls_are_caught():
    def as_before(true, out):  # whoever is sent alone is lied to in the same way
        return (true + 1) % np.array(FILE.sizes, dtype=np.int32) if len(true) == 1 else out

    check, _ = checked(FILE, 0, as_before)
    assert check.caught


@pytest.mark.parametrize("key", ["never", "levels", "secret record", "one category", "comonotone"])
def test_what_is_wrong_for_tables_as_well_is_another_checks_matter(key):
    rng = np.random.default_rng(2)
    cheat = CHEATS[key].break_file(FILE, lambda codes: randomise_codes(FILE, codes, rng.bytes), rng=rng)
    check, _ = checked(FILE, 1, lambda true, out: cheat(true), starts=STARTS)
    assert not check.caught


@pytest.mark.slow
def test_honest_samplers_are_accused_no_more_often_than_stated():
    """60 checks at 95 % confidence; ``benchmarks/bench_audit.py`` makes 1,000 audits."""
    files = [FILE, MOSTLY_TRUE, NEARLY_ALL_TRUE, *zoo.FILES.values()]
    alarms = sum(checked(files[seed % len(files)], seed, runs=300, alpha=0.05)[0].caught for seed in range(60))
    assert alarms <= binom.isf(RARE, 60, 0.05)


def test_the_share_of_truth_that_is_said_to_be_seen_is_seen():
    """It is 38 % of 67 calls: of 30 audits 24 or more catch it (fewer by chance once in 10^5, at 97 %)."""
    rng, share = np.random.default_rng(8), 0.38

    def spoil(true, out):
        return true if len(true) == 1 and rng.random() < share else out

    found = [checked(FILE, seed, spoil, starts=STARTS)[0] for seed in range(30)]
    assert found[0].unseen == (
        "A record that is released as it is in fewer than about 38.0 % of the times it is sent alone: 67 such calls cannot tell."
    )
    assert sum(check.caught for check in found) >= 24


def test_where_truth_cannot_be_told_that_is_said():
    """A level of ln 99: 120 calls in a row are truthful by the file three times in ten."""
    assert 0.29 < 0.99**120 < 0.31
    check, _ = checked(NEARLY_ALL_TRUE, 0, lambda true, out: true if len(true) == 1 else out)
    assert not check.caught
    assert check.unseen == "A record that is released as it is whenever it is sent alone: 120 such calls cannot tell."


@pytest.mark.slow
def test_a_program_that_tells_the_truth_about_one_record_is_caught():
    """As an audit starts it; a false alarm cannot be, since it does lie."""
    code = (
        "import csv, random, sys; r = list(csv.reader(sys.stdin)); out = csv.writer(sys.stdout); out.writerow(r[0]);"
        "out.writerows([random.choice('01') if random.random() < .5 and len(r) > 2 else a] for a, in r[1:])"
    )
    file = zoo.planned("kronecker", (2,), (log(3),))
    run, expected, rng = (
        command_sampler(join([sys.executable, "-IS", "-c", code]), file.schema),
        Expected(file),
        np.random.default_rng(0),
    )
    trials = try_records(run, expected, [(0,)], 2_000, rng=rng)
    check = check_alone(run, trials, expected, COMMAND_STARTS, alpha=ALPHA, rng=rng)
    assert check.caught
    assert check.sentence.startswith("Of 53 records sent alone, ")
