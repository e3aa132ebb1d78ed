"""Collected answers without their truth: what cannot be is found, what can be is let through whatever is true."""

import numpy as np
import pytest
from scipy.stats import binom

from rrcore.answers import Answers, read_answers
from rrcore.auditing import check_answers
from rrcore.auditing.answers import _most
from rrcore.promise.sampler import randomize_codes
from rrcore.table.dataset import Dataset
from tests import oracles
from tests.auditing import zoo

SIZES = (4, 3, 2)
FILE = zoo.planned("preserving-2", SIZES, (1.5, 1.0, 0.7))
RARE = 1e-5


def people(n, rng, file=FILE):
    """Answers that go together, the first categories most common."""
    true = np.column_stack([np.minimum(rng.geometric(0.55, n) - 1, size - 1) for size in file.sizes]).astype(np.int32)
    true[:, -1] = np.minimum(true[:, 0], file.sizes[-1] - 1)
    return true


def found(codes, file=FILE, seed=0, **options):
    audit = check_answers(Answers.of(Dataset(file.schema, codes), file), rng=np.random.default_rng(seed), **options)
    return audit, {check.title for check in audit.checks if check.caught}


def honest(true, rng, file=FILE):
    return randomize_codes(file, true, rng.bytes)


def test_honest_answers_pass():
    rng = np.random.default_rng(1)
    audit, caught = found(honest(people(4000, rng), rng))
    assert caught == set()
    assert audit.sound
    assert (audit.n, audit.shares.tests) == (4000, 7)


def test_true_answers_that_were_never_randomized_are_found():
    audit, caught = found(people(4000, np.random.default_rng(2)))
    assert caught == {"Shares"}
    assert audit.shares.sentence in audit.headline()


@pytest.mark.parametrize("part", [0.25, 1.0])
def test_more_epsilon_than_the_file_says_is_found_if_the_shares_are_impossible(part):
    """Records of one kind, of which a ``part`` is not randomized."""
    rng = np.random.default_rng(3)
    true = np.zeros((6000, 3), dtype=np.int32)
    out = np.where(rng.random((6000, 1)) < part, true, honest(true, rng))
    assert found(out)[1] == {"Shares"}


def test_values_that_the_file_does_not_have():
    lines = Dataset(FILE.schema, honest(people(200, np.random.default_rng(6)), np.random.default_rng(7))).to_csv().splitlines()
    content = "\n".join([*lines, "9,0,0", ",0,0"]).encode()
    audit = check_answers(read_answers([(content, "answers.csv")], FILE), rng=np.random.default_rng(0))
    assert audit.checks[0].caught
    assert (audit.values.p_value, audit.shares.caught) == (0, False)


@pytest.mark.parametrize("name", ["optimal", "pram and a coupling", "forced"])
def test_the_most_that_any_true_record_gives_an_event(name):
    file, rng = zoo.FILES[name], np.random.default_rng(8)
    matrix = oracles.exact_matrix(file.groups)
    for _ in range(5):
        event = rng.choice(len(matrix), rng.integers(1, len(matrix)), replace=False)
        wanted = matrix[:, event].sum(axis=1).max()
        assert _most(event, file.channel(range(len(file.sizes)))) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.slow
def test_honest_answers_are_accused_no_more_often_than_stated_whatever_is_true():
    """20 surveys at 90% confidence, a third of them with one true record for everybody, where most is at stake."""
    alarms = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        true = np.zeros((400, 3), dtype=np.int32) if seed % 3 == 0 else people(400, rng)
        alarms += bool(found(honest(true, rng), seed=seed, confidence=0.9)[1])
    assert alarms <= binom.isf(RARE, 20, 0.1)


def test_too_few_answers_are_let_through():
    assert found(people(15, np.random.default_rng(9)))[1] == set()
