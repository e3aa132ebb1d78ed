"""The exact optimum at its edges."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import binom

from rrcore.budget import build
from rrcore.errors import InputError
from rrcore.limits import MAX_EPSILON, MAX_OPTIMAL_ATTRIBUTES, MAX_PROGRAMME_ATTRIBUTES, MIN_EPSILON
from rrcore.mechanisms import Joint, Kronecker, Optimal
from rrcore.mechanisms.solve.linear_program import Floor
from tests import oracles


@pytest.mark.parametrize("size", [2, 7, 1000])
@pytest.mark.parametrize("level", [0.01, 1.0, 20.0])
def test_one_attribute_is_kronecker(size, level):
    optimal, kronecker = Optimal.from_epsilon((size,), [level]), Kronecker.from_epsilon((size,), [level])
    margin = 1e-10 + 2e-12 * size  # lies are 1e-12 more frequent than asked; d eps / d ln lie = 1 / p, at most a
    assert optimal.epsilon_total == pytest.approx(level, abs=margin)
    assert optimal.epsilon_total <= level + 1e-11
    found = optimal.channel([0]).probabilities
    np.testing.assert_allclose(found, kronecker.channel([0]).probabilities, rtol=margin)
    assert optimal.min_pair_ratio() is None


@pytest.mark.slow
def test_limit_on_attributes_on_both_sides():
    assert (MAX_PROGRAMME_ATTRIBUTES, MAX_OPTIMAL_ATTRIBUTES) == (12, 20)
    assert Optimal.from_epsilon((2,) * 12, [1.0] * 12).k == 12
    assert Optimal.from_epsilon((2,) * 20, [1.0] * 20).k == 20
    with pytest.raises(InputError, match="at most 20 attributes, got 21"):
        Optimal.from_epsilon((2,) * 21, [1.0] * 21)


@pytest.mark.slow
@pytest.mark.long
def test_limit_on_attributes_with_caps_on_both_sides():
    assert Optimal.from_epsilon((2,) * 12, [1.0] * 12, caps=[2.0] * 12).is_optimal
    with pytest.raises(InputError, match=r"12 attributes, got 13"):
        Optimal.from_epsilon((2,) * 13, [1.0] * 13, caps=[2.0] * 13)


@pytest.mark.slow
@pytest.mark.parametrize("k", [13, 20])
@pytest.mark.long
def test_floors_on_some_sets_are_kept_up_to_20_attributes(k):
    """A floor on one pair and one triple: kept, at no less than the optimum and no more than with all pairs and triples of them."""
    sizes, epsilon = (3,) * k, np.linspace(0.5, 1.5, k)
    mechanism = Optimal.from_epsilon(sizes, epsilon, floors=[Floor((0, 3), 1.0), Floor((1, 2, 5), 0.8)])
    r = mechanism.retentions
    assert mechanism.factor((0, 3)) >= r[0] * r[3] * (1 - 1e-9)
    assert mechanism.factor((1, 2, 5)) >= 0.8 * r[1] * r[2] * r[5] * (1 - 1e-9)
    assert mechanism.gap <= 1e-6
    assert mechanism.epsilon_total >= Optimal.from_epsilon(sizes, epsilon).epsilon_total - 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("k", [13, 15, 20])
def test_beyond_one_programme_the_band_gives_the_optimum(k):
    """Identical attributes: q depends on the number of lies only, so (P) has k + 1 columns and a plain solver finds it."""
    size, level = 3, 0.4
    mechanism = Optimal.from_epsilon((size,) * k, [level] * k)
    lie = oracles.lie_rates([size], [level])[0]
    number = np.arange(k + 1)
    uniform = binom.pmf(number, k, 1 - 1 / size)
    row = np.r_[uniform * (lie * k - number), -k * (1 - lie - 1 / size)] / k
    result = linprog(-np.eye(k + 2)[-1], A_eq=row[None], b_eq=[0], bounds=[(0, 1)] * (k + 1) + [(0, None)], method="highs")
    assert mechanism.epsilon_total == pytest.approx(np.log1p(1 / result.x[-1]), abs=1e-6)
    assert mechanism.gap <= 1e-6
    np.testing.assert_allclose(mechanism.epsilon, level, rtol=0, atol=1e-9)
    assert (mechanism.epsilon <= level).all()


@pytest.mark.slow
@pytest.mark.parametrize("k", [13, 14])
def test_band_and_whole_programme_agree(k):
    """An attribute that costs nothing to speak of (level MIN_EPSILON) hardly moves the optimum of the other twelve."""
    rng = np.random.default_rng(k)
    sizes, epsilon = tuple(int(a) for a in rng.integers(2, 5, 12)), rng.uniform(0.3, 2, 12)
    twelve = Optimal.from_epsilon(sizes, epsilon).epsilon_total
    more = Optimal.from_epsilon(sizes + (2,) * (k - 12), np.r_[epsilon, [MIN_EPSILON] * (k - 12)])
    assert twelve - 1e-9 <= more.epsilon_total <= twelve + MIN_EPSILON * (k - 12) + 1e-9
    assert more.gap <= 1e-6


@pytest.mark.parametrize("k", [2, 3, 6, 12])
@pytest.mark.parametrize("level", [0.01, 20.0])
def test_extreme_levels(k, level):
    sizes, epsilon = (3,) * k, np.full(k, level)
    mechanism = Optimal.from_epsilon(sizes, epsilon)
    assert (mechanism.epsilon <= epsilon + 1e-11).all()
    np.testing.assert_allclose(mechanism.epsilon, epsilon, rtol=0, atol=1e-10)
    assert -1e-9 <= mechanism.gap <= 1e-6
    if level == 20.0:  # equal r_i and hardly a lie: RR-Joint is the optimum (section 3)
        assert mechanism.epsilon_total == pytest.approx(Joint.from_epsilon(sizes, epsilon).epsilon_total, abs=1e-6)
    else:  # below RR-Joint and Kronecker
        assert mechanism.epsilon_total <= min(Joint.from_epsilon(sizes, epsilon).epsilon_total, k * level) + 1e-12


@pytest.mark.parametrize(
    ("sizes", "epsilon"),
    [
        ((2, 5, 3), (0.01, 20.0, 0.01)),
        ((2, 5, 3), (20.0, 0.01, 20.0)),
        ((4, 2, 3, 1000), (0.01, 20.0, 1.0, 5.0)),
        ((1000, 1000, 1000), (0.01, 0.01, 0.01)),
        ((1000, 2, 1000), (20.0, 20.0, 20.0)),
    ],
)
def test_extreme_mixtures_are_certified(sizes, epsilon):
    mechanism = Optimal.from_epsilon(sizes, epsilon)
    assert (mechanism.epsilon <= np.array(epsilon) + 1e-11).all()
    np.testing.assert_allclose(mechanism.epsilon, epsilon, rtol=0, atol=1e-10 + 2e-12 * max(sizes))
    bound = oracles.dual_value(sizes, epsilon, np.eye(len(sizes))[int(np.argmax(epsilon))])
    assert bound - 1e-9 <= mechanism.epsilon_total <= sum(epsilon) + 1e-9
    assert -1e-9 <= mechanism.gap <= 1e-6


@pytest.mark.slow
def test_no_level_is_exceeded_even_by_rounding():
    """Lies are made 1e-12 more frequent than asked for, which is above every rounding error here."""
    rng = np.random.default_rng(37)
    for _ in range(50):
        k = int(rng.integers(1, 9))
        sizes = tuple(int(a) for a in rng.integers(2, 20, k))
        epsilon = 10 ** rng.uniform(-2, 1.2, k)
        assert (Optimal.from_epsilon(sizes, epsilon).epsilon <= epsilon).all()


def test_order_of_the_attributes_does_not_matter_where_the_optimum_is_not_unique():
    """a = 5 each, eps = 1, 2, 3, 4: several mechanisms cost 6.6633231 and keep different pairs; one is always chosen."""
    epsilon = np.array([1.0, 2.0, 3.0, 4.0])
    first = Optimal.from_epsilon((5,) * 4, epsilon)
    for order in ([3, 2, 1, 0], [2, 0, 3, 1]):
        other = Optimal.from_epsilon((5,) * 4, epsilon[order])
        np.testing.assert_allclose(other.epsilon_informed, first.epsilon_informed[order], rtol=0, atol=1e-9)
        np.testing.assert_allclose(other.pair_factors, first.pair_factors[np.ix_(order, order)], rtol=0, atol=1e-9)


def test_of_mechanisms_of_the_same_total_the_one_with_the_best_pairs_is_chosen():
    """Eleven attributes, levels of .3 to 6: a plain solution of (P) has a pair of -8.3 times Kronecker's, this one none below 0.4."""
    rng = np.random.default_rng(0)
    rng.integers(3, 13)
    sizes, epsilon = rng.integers(2, 8, 11), rng.uniform(0.3, 6, 11)
    mechanism = Optimal.from_epsilon(tuple(sizes), epsilon)
    ratios = mechanism.pair_ratios()[np.triu_indices(11, 1)]
    assert mechanism.epsilon_total == pytest.approx(mechanism.lower_bound, abs=1e-9)
    assert ratios.min() > 0.4
    assert ratios.sum() > 74


def test_the_price_of_the_optimum_is_paid_in_pairs():
    """theory.md section 5: a = (2,2,2), eps = .5 each has mu_ij = 0; a = 5, eps = (1,2,3,4) has a negative one."""
    erased = Optimal.from_epsilon((2, 2, 2), [0.5] * 3)
    np.testing.assert_allclose(erased.pair_factors[np.triu_indices(3, 1)], 0, rtol=0, atol=1e-9)
    negative = Optimal.from_epsilon((5,) * 4, [1.0, 2.0, 3.0, 4.0])
    assert negative.channel(range(4)).factors.min() < -1e-3


@pytest.mark.parametrize(
    ("sizes", "epsilon"),
    [
        ((73, 66), (0.038, 1e-6)),
        ((706, 14), (9.5e-5, 1.4e-5)),
        ((89, 922), (1.9e-5, 1.4)),
        ((179, 10, 6), (2.4, 1.1e-6, 1.4e-6)),
        ((4, 2, 6, 6, 114, 285), (5e-6, 2.9e-6, 0.00029, 0.18, 0.002, 0.38)),
        (
            (15, 8, 7, 12, 4, 6, 6, 15, 17),
            (1.15e-5, 0.1335083, 0.0001238, 0.0004203, 2.1e-6, 0.0246103, 0.002268, 0.000137, 0.0003942),
        ),
        ((3, 239, 54, 2, 93, 332), (6.5e-6, 1.4, 0.0013, 8.2e-6, 0.093, 0.0021)),
        ((4, 3), (28.107, 0.193)),
        ((3, 5), (15.3369, 27.4595)),
        ((3, 3, 3, 3, 3), (30.0,) * 5),
    ],
)
def test_every_permitted_level_is_met_and_never_costs_more_than_kronecker(sizes, epsilon):
    """Levels from MIN_EPSILON to MAX_EPSILON are permitted: an optimum exists there, is met and certified, by whatever method."""
    epsilon = np.clip(epsilon, MIN_EPSILON, MAX_EPSILON)
    mechanism = build("optimal", sizes, epsilon)
    assert (mechanism.epsilon <= epsilon + 1e-11).all()
    np.testing.assert_allclose(mechanism.epsilon, epsilon, rtol=1e-6)
    assert mechanism.epsilon_total <= epsilon.sum() + 1e-9
    assert mechanism.gap <= 1e-6
    if epsilon.max() <= 20:
        assert Optimal.from_epsilon(sizes, epsilon).epsilon_total == pytest.approx(mechanism.epsilon_total, abs=1e-6)
