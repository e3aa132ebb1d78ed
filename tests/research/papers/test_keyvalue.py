"""What is measured about the key-value protocols against formulas written out here."""

import math

import numpy as np
import pytest

from rrcore.research.keyvalue import ConditionalQuestion, make_protocol
from rrcore.research.papers import find, run
from rrcore.research.papers.entry import Setting
from rrcore.research.papers.keyvalue_conditional import ioh_errors
from rrcore.research.papers.keyvalue_errors import NAMES, Keys, errors


def setting(seed=0):
    return Setting(np.random.default_rng(seed))


def curves(entry, seed=0):
    return {(one.name, one.panel): one for one in find(entry).measure(setting(seed))}


@pytest.mark.parametrize("eps", [0.5, 2.0])
def test_errors_of_kvue_are_those_of_a_binomial_count(eps):
    """Frequency 0.3 of 10 keys, 100,000 users: the mean absolute error is sqrt(2 / pi) standard errors."""
    keys, n = Keys(np.full(10, 0.3), np.full(10, 0.4)), 10_000
    found = errors(keys, make_protocol("kvue", eps), users=10 * n, repeats=300, rng=np.random.default_rng(3))
    p, q = math.exp(eps) / (math.exp(eps) + 2), 1 / (math.exp(eps) + 2)
    seen = 0.3 * (p + q) + 0.7 * 2 * q
    spread = math.sqrt(seen * (1 - seen) / n) / (p - q)
    assert found.frequency.mean() == pytest.approx(math.sqrt(2 / math.pi) * spread, rel=0.06)
    up, down = (0.3 * share * (p - q) + q for share in (0.7, 0.3))
    slope = np.array([1 - 0.4, -1 - 0.4]) / (p - q) / 0.3  # of (N_1 - N_-1) / (N_1 + N_-1)
    variance = (slope**2 @ [up, down] - (slope @ [up, down]) ** 2) / n
    assert found.mean.mean() == pytest.approx(math.sqrt(2 / math.pi * variance), rel=0.08)


def test_users_pick_one_key_each():
    keys = Keys(np.array([0.2, 0.9]), np.array([-0.5, 1.0]))
    counted = keys.states(1_000_000, np.random.default_rng(1))
    assert counted.sum() == 1_000_000
    expected = np.array([[0.2 * 0.75, 0.8, 0.2 * 0.25], [0.0, 0.1, 0.9]]) * 500_000
    assert (np.abs(counted - expected) <= 5 * np.sqrt(expected)).all()


@pytest.mark.parametrize(("d", "eps"), [(2, 1.0), (4, 4.0)])
def test_conditional_errors_of_ioh_are_those_of_independent_bits(d, eps):
    """Every summed bit has variance p (1 - p) n / (2p - 1)^2; a cell of a pair sums 3^(d - 2) of them. Median error 0.674 of that."""
    p = 1 / (1 + math.exp(-eps / 2))
    cell = p * (1 - p) / (2 * p - 1) ** 2 / 1_000_000 * 3 ** (d - 2)
    states = np.array([0.72, 0.2, 0.08])
    pair = np.outer(states, states)
    group, have, _ = ConditionalQuestion(0, {1: True}).masks
    below = (group * pair).sum()
    weights = (have - (have * pair).sum() / below * group) / below
    found = np.mean([ioh_errors(setting(seed), d, 1_000_000, eps)[0] for seed in range(8)])
    assert found == pytest.approx(0.6745 * math.sqrt(cell * (weights**2).sum()), rel=0.2)


def test_level_bits_and_bias():
    eps = 1.0
    keep = 1 / (1 + math.exp(-eps / 2))
    level = math.log(keep * keep / ((1 - keep) / 2))  # +1 reported by one who has it and by one who invents it
    assert curves("keyvalue-section-2c")["PrivKV", ""].at(eps) == pytest.approx(level)
    assert [outcome.holds for outcome in run(find("keyvalue-section-2c")).outcomes] == [True, False]
    assert curves("keyvalue-table-4")["F2M", ""].at(100) == pytest.approx(math.log2(100) + 2)
    assert curves("keyvalue-table-4")["KVOH", ""].at(100) == pytest.approx(math.log2(100) + 3)
    mean = curves("keyvalue-section-6a-bias")["PrivKV", "mean"].at(1.0)
    assert mean == pytest.approx(0.5 * 0.4 * keep / (0.4 * keep + 0.6 * (1 - keep)))
    assert [outcome.holds for outcome in run(find("keyvalue-section-6a-bias")).outcomes] == [True, False]


def test_privkvm_rounds_use_the_mean_of_the_round_before():
    """With very many users the last of ten rounds is what ``expected`` says, where one round is far from it."""
    keys = Keys(np.array([0.4, 0.4]), np.array([0.5, -0.5]))
    protocol = make_protocol("privkvm", 5.0)
    rng = np.random.default_rng(2)
    found = protocol.estimate(protocol.collect(lambda: keys.states(4_000_000, rng), rng=rng))
    np.testing.assert_allclose(found.mean, [protocol.expected(0.4, m)[1] for m in (0.5, -0.5)], atol=0.03)
    np.testing.assert_allclose(found.frequency, 0.4, atol=0.01)
    assert found.mean[0] > make_protocol("privkv", 5.0).expected(0.4, 0.5)[1]


def test_privkv_draws_the_mean_towards_0_on_both_sides():
    found = [
        np.median(
            errors(
                Keys(np.full(10, 0.6), np.full(10, mean)),
                make_protocol("privkv", 1.0),
                users=100_000,
                repeats=20,
                rng=np.random.default_rng(2),
            ).mean
        )
        for mean in (-0.8, 0.0, 0.8)
    ]
    assert found[0] == pytest.approx(found[2], rel=0.15)
    assert found[1] < found[0] / 3


@pytest.mark.slow
def test_figure_4_by_kind_of_key():
    result = run(find("keyvalue-figure-4"))
    assert result.verdict == "agree"
    assert {one.name for one in result.measured} == set(NAMES.values())
    assert all(low <= y <= high for one in result.measured for low, y, high in zip(one.low, one.y, one.high, strict=True))


@pytest.mark.slow
def test_figure_5_reacts_to_the_default_value():
    """At a default of 0.2, the mean of all keys, F2M is best: the error at -1 is above it by the exact variance's ratio."""
    result = run(find("keyvalue-figure-5"))
    one = next(one for one in result.measured if one.panel == "mean, epsilon = 1")
    assert one.at(-1.0) > one.at(0.0)
    assert result.verdict == "differ"
