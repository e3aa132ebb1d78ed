"""The frequency test and the attack: correct samplers pass as often as stated, and broken ones are caught."""

from itertools import product
from math import exp, log

import numpy as np
import pytest
from scipy.stats import binom

from rrcore.auditing import audit
from rrcore.auditing.attack import best_guess
from rrcore.auditing.frequencies import Runs, _change_sets, answer_matrix, change_rates, check_frequencies, often
from rrcore.errors import InputError
from rrcore.promise.sampler import randomize_codes
from rrcore.promise.weights import MatrixWeights
from tests import oracles
from tests.auditing import zoo

RARE = 1e-6
FILE = zoo.planned("independent", (3, 2, 4), (1.0, 0.7, 1.5))


def correct(file, rng):
    return lambda codes: randomize_codes(file, codes, rng.bytes)


def results(sampler, file=FILE, runs=20_000, alpha=RARE, seed=0):
    found = Runs.of(sampler, file, runs, rng=np.random.default_rng(seed))
    return {check.title for check in check_frequencies(found, alpha=alpha) if check.caught}, best_guess(found, alpha=alpha)


@pytest.mark.parametrize("name", zoo.FILES)
def test_expected_frequencies_are_those_of_the_whole_matrix(name):
    """Every true record and every randomized one, written out in exact fractions."""
    file = zoo.FILES[name]
    matrix, sizes, k = oracles.exact_matrix(file.groups).astype(float), file.sizes, len(file.sizes)
    records = np.array(oracles.cells(sizes))
    for i in range(k):
        single = np.array([[matrix[:, records[:, i] == y][x].sum(axis=1).mean() for y in range(sizes[i])] for x in
                           (records[:, i] == x for x in range(sizes[i]))])  # fmt: skip
        np.testing.assert_allclose(answer_matrix(file, i), single, atol=1e-12)
        np.testing.assert_allclose(change_rates(file, i), 1 - single.diagonal(), atol=1e-12)
    same = records[:, None] == records[None]
    for squared in (False, True):
        found = _change_sets(file, range(k), squared=squared)
        for lies in product((0, 1), repeat=k):
            inside = (same == (np.array(lies) == 0)).all(axis=2)
            chance = np.where(inside, matrix, 0).sum(axis=1)
            assert found[lies] == pytest.approx((chance ** (1 + squared)).mean(), abs=1e-12)


@pytest.mark.parametrize("name", zoo.FILES)
def test_correct_samplers_pass(name):
    file = zoo.FILES[name]
    caught, attacks = results(correct(file, np.random.default_rng(1)), file)
    assert caught == set()
    assert not any(each.contradicted for each in attacks)
    assert all(each.shown > 0 for each in attacks)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("name", ["optimal", "pram and a coupling", "forced"])
def test_false_alarms_are_no_more_often_than_stated(name):
    """200 audits that may each raise a false alarm with probability 0.2, by the test and by the attack."""
    file, alarms = zoo.FILES[name], np.zeros(2, dtype=int)
    for seed in range(200):
        caught, attacks = results(correct(file, np.random.default_rng(seed)), file, runs=500, alpha=0.2, seed=seed)
        alarms += bool(caught), any(each.contradicted for each in attacks)
    assert (alarms <= binom.isf(RARE, 200, 0.2)).all(), alarms


@pytest.mark.parametrize("factor", [1.0, 1.2])
def test_epsilon_above_the_claim_is_contradicted_and_the_claim_itself_is_not(factor):
    """Both sides of the bound: another mechanism than the file's, with the same and with 1.2 times its epsilons."""
    other = zoo.planned("independent", FILE.sizes, tuple(factor * eps for eps in (1.0, 0.7, 1.5)))
    caught, attacks = results(correct(other, np.random.default_rng(2)), runs=200_000)
    assert [each.contradicted for each in attacks] == [factor > 1] * 3
    assert bool(caught) == (factor > 1)
    assert all(0.9 < each.shown / (factor * eps) <= 1 for each, eps in zip(attacks, (1.0, 0.7, 1.5), strict=True))


def test_less_epsilon_than_claimed_does_not_follow_the_file_but_keeps_its_claim():
    other = zoo.planned("independent", FILE.sizes, (0.8, 0.5, 1.2))
    caught, attacks = results(correct(other, np.random.default_rng(3)))
    assert "Single answers" in caught
    assert not any(each.contradicted for each in attacks)


def broken(what):
    """The sampler of ``FILE``, broken in one way."""
    rng = np.random.default_rng(5)
    honest = correct(FILE, rng)

    def run(true):
        out = honest(true)
        lies = out != true
        if what == "true":
            return true
        if what == "one category":
            return np.where((true[:, :1] == 0) & (np.arange(3) == 0), true, out)
        if what == "next category":
            return np.where(lies, (true + 1) % np.array(FILE.sizes), out)
        if what == "comonotone":
            u = rng.random(len(true))
            rates = np.array([change_rates(FILE, i)[0] for i in range(3)])
            return np.where(u[:, None] < rates, (true + 1) % np.array(FILE.sizes), true)
        if what == "by another answer":
            spared = (true[:, 1] == 0) & (rng.random(len(true)) < 0.3)
            return np.where(spared[:, None] & (np.arange(3) == 0), true, out)
        if what == "same seed":
            return correct(FILE, np.random.default_rng(0))(true)
        if what == "shared by neighbors":
            lies[1::2] = lies[: len(lies) - len(lies) % 2 : 2][: len(lies[1::2])]
            return np.where(
                lies, (true + 1 + rng.integers(np.array(FILE.sizes) - 1, size=true.shape)) % np.array(FILE.sizes), true
            )
        raise AssertionError(what)

    return lambda true: run(true).astype(np.int32)


@pytest.mark.parametrize(
    ("what", "by"),
    [
        ("true", "Single answers"),
        ("one category", "Single answers"),
        ("next category", "Single answers"),
        ("comonotone", "Combinations of changed answers"),
        ("by another answer", "Pairs of attributes"),
        ("same seed", "Independence of records and runs"),
        ("shared by neighbors", "Independence of records and runs"),
    ],
)
def test_broken_samplers_are_caught(what, by):
    caught, attacks = results(broken(what))
    assert by in caught
    assert any(each.contradicted for each in attacks) == (what in ("true", "one category", "comonotone", "by another answer"))


def test_an_answer_that_can_never_be_is_caught_at_once():
    file = zoo.grouped(MatrixWeights(((2, 0), (1, 1))))
    honest = correct(file, np.random.default_rng(4))

    found = Runs.of(honest, file, 1000, rng=np.random.default_rng(0))
    assert not any(check.caught for check in check_frequencies(found, alpha=RARE))
    found.true[0], found.randomized[0] = 0, 1
    assert check_frequencies(found, alpha=RARE)[0].p_value == 0


def test_p_values_are_those_of_the_binomial_distribution():
    hits, n, p = np.arange(21), 20, 0.3
    weights = binom.pmf(hits, n, p)
    wanted = [min(1, 2 * min(weights[: h + 1].sum(), weights[h:].sum())) for h in hits]
    np.testing.assert_allclose(often(hits, n, p), wanted, atol=1e-12)
    assert often(0, 10, 0.0) == 1
    assert often(1, 10, 0.0) == 0


def test_many_attributes():
    """Blocks of attributes where records are too many, in one group and in many."""
    for key, k in (("independent", 25), ("joint", 25)):
        file = zoo.planned(key, (2,) * k, (1.0,) * k)
        caught, attacks = results(correct(file, np.random.default_rng(6)), file, runs=3000)
        assert caught == set()
        assert len(attacks) == k


def test_an_audit():
    """True answers would pass with a probability below 1e-300."""
    found = audit(zoo.FILES["optimal"], 5000)
    assert found.enumeration.agrees
    assert len(found.checks) == 4
    assert str(found).splitlines()[0] == found.headline()
    wide = audit(zoo.planned("independent", (12, 12, 12), (1, 1, 1)), 200)
    assert wide.enumeration is None
    assert wide.not_enumerated in str(wide)
    assert not audit(FILE, 5000, sampler=broken("true")).sound


@pytest.mark.parametrize(
    ("sampler", "runs"),
    [
        (lambda codes: codes[:-1], 200),
        (lambda codes: codes + 1, 200),
        (lambda codes: codes * 0.5, 200),
        (lambda codes: codes, 99),
        (lambda codes: codes, 10**8),
    ],
)
def test_what_is_no_sampler_and_no_number_of_runs_is_refused(sampler, runs):
    with pytest.raises(InputError):
        Runs.of(sampler, FILE, runs, rng=np.random.default_rng(0))


def test_the_attack_shows_the_epsilon_of_the_rate_at_which_it_is_right():
    """By hand: guesses among 3 answers that are right 3 times in 4 show epsilon ln 6 at most."""
    file = zoo.planned("independent", (3,), (log(6),))
    (attack,) = results(correct(file, np.random.default_rng(7)), file, runs=400_000)[1]
    assert attack.claim == pytest.approx(log(6), abs=1e-6)
    assert attack.right / attack.bets == pytest.approx(6 / 8, abs=0.005)
    assert 5.7 < exp(attack.shown) < 6
