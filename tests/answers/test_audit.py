"""Collected answers without their truth: what cannot be is found, what can be is let through whatever is true."""

import numpy as np
import pytest
from scipy.stats import binom

from rrcore.answers import Answers, check_answers, read_answers
from rrcore.answers.audit import _most
from rrcore.audit import CHEATS
from rrcore.promise.sampler import randomise_codes
from rrcore.table.dataset import Dataset
from tests import oracles
from tests.audit import zoo

SIZES = (4, 3, 2)
FILE = zoo.planned("pair-safe", SIZES, (1.5, 1.0, 0.7))
RARE = 1e-5


def people(n, rng, file=FILE):
    """Answers that go together, the first categories most common."""
    true = np.column_stack([np.minimum(rng.geometric(0.55, n) - 1, size - 1) for size in file.sizes]).astype(np.int32)
    true[:, -1] = np.minimum(true[:, 0], file.sizes[-1] - 1)
    return true


def found(codes, file=FILE, seed=0, **options):
    audit = check_answers(Answers(Dataset(file.schema, codes), file), rng=np.random.default_rng(seed), **options)
    return audit, {check.key for check in audit.checks if check.caught}


def honest(true, rng, file=FILE):
    return randomise_codes(file, true, rng.bytes)


def test_honest_answers_pass():
    rng = np.random.default_rng(1)
    audit, caught = found(honest(people(4000, rng), rng))
    assert caught == set()
    assert audit.headline() == "Nothing found: 4,000 released records can come from the mechanism file and some true answers."
    assert audit.marginals == 7
    assert "Without the true answers only what no true answers could explain is found" in audit.unseen()


def test_true_answers_that_were_never_randomised_are_found():
    audit, caught = found(people(4000, np.random.default_rng(2)))
    assert "shares" in caught
    assert audit.headline().startswith("These answers were not randomised as the file says: ")
    assert "whatever is true, the file gives at most" in audit.headline()


@pytest.mark.parametrize("key", ["never", "comonotone"])
def test_broken_mechanisms_that_give_impossible_shares(key):
    rng = np.random.default_rng(3)
    run = CHEATS[key].break_file(FILE, lambda codes: honest(codes, rng), rng=rng)
    assert "shares" in found(run(people(6000, rng)))[1]


@pytest.mark.parametrize("what", ["a block twice", "every record twice", "a constant run"])
def test_copies_are_found(what):
    rng = np.random.default_rng(4)
    out = honest(people(3000, rng), rng)
    if what == "a block twice":
        out = np.tile(out, (2, 1))
    elif what == "every record twice":
        out = np.repeat(out, 2, axis=0)
    else:
        out[500:560] = out[500]
    audit, caught = found(out)
    assert caught == {"order"}
    words = {
        "a block twice": "Records 3,000 apart",
        "every record twice": "Records 1 apart",
        "a constant run": "records in a row",
    }
    assert words[what] in audit.headline()


def test_a_sorted_table_is_no_copy():
    """Equal true answers one after the other are no reason for suspicion."""
    rng = np.random.default_rng(5)
    true = people(4000, rng)
    assert found(honest(true[np.lexsort(true.T)], rng))[1] == set()


def test_the_order_of_sorted_releases_says_nothing():
    rng = np.random.default_rng(11)
    out = honest(people(4000, rng), rng)
    audit, caught = found(out[np.lexsort(out.T)])
    assert caught == set()
    assert audit.checks[-1].sentence.startswith(
        "The records are sorted or grouped by what was released, so their order says nothing: "
    )


def test_values_that_the_file_does_not_have():
    lines = Dataset(FILE.schema, honest(people(200, np.random.default_rng(6)), np.random.default_rng(7))).to_csv().splitlines()
    content = "\n".join([*lines, "9,0,0", ",0,0"]).encode()
    audit = check_answers(read_answers([(content, "answers.csv")], FILE), rng=np.random.default_rng(0))
    assert audit.checks[0].caught
    assert audit.checks[0].sentence == (
        "1 row has an answer to 'q0' that is not one of its categories (record 201 of answers.csv), which the file never releases."
    )


@pytest.mark.parametrize("name", ["optimal", "pram beside a coupling", "forced"])
def test_the_most_that_any_true_record_gives_an_event(name):
    file, rng = zoo.FILES[name], np.random.default_rng(8)
    matrix = oracles.exact_matrix(file.groups)
    for _ in range(5):
        event = rng.choice(len(matrix), rng.integers(1, len(matrix)), replace=False)
        wanted = matrix[:, event].sum(axis=1).max()
        assert _most(event, file.marginal_channel(range(len(file.sizes)))) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.slow
def test_honest_answers_are_accused_no_more_often_than_stated_whatever_is_true():
    """20 surveys at 90 % confidence, a third of them with one true record for everybody, where most is at stake."""
    alarms = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        true = np.zeros((400, 3), dtype=np.int32) if seed % 3 == 0 else people(400, rng)
        alarms += bool(found(honest(true, rng), seed=seed, confidence=0.9)[1])
    assert alarms <= binom.isf(RARE, 20, 0.1)


def test_too_few_answers_are_let_through():
    assert found(people(15, np.random.default_rng(9)))[1] == set()
