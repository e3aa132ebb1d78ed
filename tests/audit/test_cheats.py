"""The zoo of broken mechanisms: each is caught, by the check that is named for it; what is honest is not."""

import numpy as np
import pytest
from scipy.stats import binom

from rrcore.audit import CHEATS, CHECKS, check_sampler
from rrcore.promise.sampler import randomise_codes
from tests.audit import zoo

FILE = zoo.planned("pair-safe", (4, 3, 4), (1.5, 1.0, 0.7))
RARE = 1e-5
"""False-alarm rate of a test that counts."""


def honest(file, rng):
    """The exact sampler with bytes of a generator, so that tests can be repeated."""
    return lambda codes: randomise_codes(file, codes, rng.bytes)


def checked(randomise, file, runs, seed, **options):
    found, coverage, learned = check_sampler(
        randomise, file, runs, rng=np.random.default_rng(seed), **({"starts": 40, "pairs": 12} | options)
    )
    return {check.key: check for check in found}, coverage, learned


def spoilt(key, file=FILE, seed=3):
    rng = np.random.default_rng(seed)
    return CHEATS[key].break_file(file, honest(file, rng), rng=rng)


@pytest.mark.slow
@pytest.mark.parametrize("key", CHEATS)
def test_every_broken_mechanism_is_caught(key):
    assert CHEATS[key].possible(FILE)
    found, _, _ = checked(spoilt(key), FILE, {"levels": 6_000, "reused": 40_000, "alike": 20_000}.get(key, 3_000), 1)
    assert found[CHEATS[key].check].caught, {name: check.p_value for name, check in found.items()}


def test_there_are_more_than_twenty_and_every_check_has_its_own():
    assert len(CHEATS) >= 20
    assert {cheat.check for cheat in CHEATS.values()} == set(CHECKS) - {"learned"}


def test_comonotone_lies_are_called_by_their_name():
    found, _, learned = checked(spoilt("comonotone"), FILE, 4000, 2)
    assert found["lies"].named
    assert found["lies"].sentence.startswith(
        "Comonotone lies: the answers of a record are false together. Whenever 'q0' is false,"
    )
    singles = [one for one in learned if one.axis is not None]
    assert not any(one.contradicted for one in singles)  # every level is right
    assert found["learned"].caught  # and yet what is learned from whole records goes beyond the claim
    assert "nats are given away; the file says" in found["learned"].sentence


def test_who_never_lies_is_not_called_comonotone():
    found, _, _ = checked(spoilt("never"), FILE, 3000, 2)
    assert found["lies"].caught
    assert not found["lies"].named


def test_the_secret_record_is_called_by_its_name():
    found, coverage, _ = checked(spoilt("secret record"), FILE, 3000, 4)
    assert coverage.complete
    assert coverage.sentence() == "Every one of the 48 possible records was tried, 400 times each."
    assert found["records"].named
    assert found["records"].sentence.startswith(
        "Secret record: (q0 = 2, q1 = 1, q2 = 2) is always released truthfully, in 400 of 400 releases, where "
    )


@pytest.mark.parametrize("given", [True, False])
def test_a_secret_record_of_a_large_domain_is_found_in_the_table_and_only_there(given):
    """About 10^7 records: those of the table are tried first; without it the audit says that it may have missed one."""
    file = zoo.planned("kronecker", (10,) * 7, [1.0] * 7)
    table = np.array([[5] * 7, [1] * 7, [2] * 7], dtype=np.int32)
    found, coverage, _ = checked(spoilt("secret record", file), file, 500, 5, table=table if given else None, pairs=3)
    assert found["records"].caught == given
    assert not coverage.complete
    assert (", among them 3 of the table, " in coverage.sentence()) == given
    assert "of 10,000,000 possible records were tried" in coverage.sentence()
    assert coverage.sentence().endswith(": a record that is treated specially may have been missed.")


def test_all_categories_occur_among_the_records_that_are_tried():
    seen = []

    def watched(codes):
        seen.append(codes)
        return codes

    file = zoo.planned("kronecker", (50, 2, 7), (1, 1, 1))
    checked(watched, file, 100, 0, pairs=3)
    every = np.concatenate(seen)
    assert [np.unique(every[:, i]).size for i in range(3)] == [50, 2, 7]


HONEST = ("optimal", "kronecker", "pairs only", "forced", "rarely true", "pram beside a coupling", "always lies somewhere")


@pytest.mark.slow
def test_honest_samplers_are_accused_no_more_often_than_stated():
    """14 audits at 90 % confidence; benchmarks/bench_audit.py makes 1,000."""
    alarms = 0
    for seed in range(14):
        file = zoo.FILES[HONEST[seed % len(HONEST)]]
        found, _, _ = checked(
            honest(file, np.random.default_rng(seed)), file, 800, 100 + seed, confidence=0.9, starts=20, pairs=6
        )
        alarms += any(check.caught for check in found.values())
    assert alarms <= binom.isf(RARE, 14, 0.1)


def test_only_files_with_enough_attributes_can_be_broken_in_every_way():
    assert {key for key, cheat in CHEATS.items() if cheat.possible(zoo.FILES["forced"])} == {"levels"}  # a matrix of its own
    alone = {key for key, cheat in CHEATS.items() if cheat.possible(zoo.planned("kronecker", (2,), (1.0,)))}
    assert "comonotone" not in alone
    assert "secret record" in alone
    assert "favourite" not in alone
