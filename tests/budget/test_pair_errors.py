"""What a marginal gains over Kronecker, against variances from the inverse of the dense channel."""

from itertools import combinations
from math import inf, isnan, prod

import numpy as np
import pytest

from rrcore.budget import respondents_factors
from rrcore.channel.channels import SubsetChannel
from rrcore.limits import MIN_FACTOR
from rrcore.mechanisms import Joint, Kronecker, Optimal
from rrcore.mechanisms.base import Tabulated
from rrcore.mechanisms.workload import Designed, closure
from tests import oracles

SIZES, TOTAL = (3, 2, 4), 3.0
PAIRS = list(combinations(range(3), 2))
EVERY = closure([range(3)])


def split_equally(sizes, total):
    return Kronecker.from_epsilon(sizes, np.full(len(sizes), total / len(sizes)))


def two_with_factors(first, second, both):
    """A mechanism over two attributes of two categories with these mu."""
    table = np.array(
        [[1 + first + second + both, 1 + first - second - both], [1 - first + second - both, 1 - first - second + both]]
    )
    return Tabulated((2, 2), SubsetChannel((2, 2), table / 4))


def mean_variance(mechanism, axes):
    """Of the shares of a marginal whose cells are all alike, for one respondent, from the inverse of its matrix."""
    sizes = [mechanism.sizes[i] for i in axes]
    matrix = oracles.marginalise(oracles.dense_mechanism(mechanism), mechanism.sizes, axes)
    uniform = np.full(sizes, 1 / prod(sizes))
    return float(oracles.dense_variance(uniform, matrix, 1, population=False).mean())


@pytest.mark.parametrize("workload", [PAIRS, EVERY, [(0, 2)]])
def test_people_are_the_ratio_of_the_mean_variances(workload):
    design, kronecker = Designed.for_questions(SIZES, TOTAL, workload), split_equally(SIZES, TOTAL)
    for axes, factor in zip(EVERY, respondents_factors(design, kronecker, EVERY), strict=True):
        assert factor == pytest.approx(mean_variance(kronecker, axes) / mean_variance(design, axes), rel=1e-9)
        assert design.gains(axes) == pytest.approx(design.factor(axes) / kronecker.factor(axes), rel=1e-9)


def test_kronecker_gains_nothing_over_itself():
    kronecker = Kronecker.from_epsilon(SIZES, [0.5, 1.0, 1.5])
    assert respondents_factors(kronecker, kronecker, EVERY) == pytest.approx([1] * len(EVERY), rel=1e-12)


def test_a_single_attribute_needs_as_many_people_as_one_over_r_squared_less_one_says():
    """One attribute of two categories: the variance is (1/r^2 - 1) / 4n."""
    mechanism, kronecker = Joint.from_epsilon((2, 2), [1.0, 1.0]), Kronecker.from_epsilon((2, 2), [0.4, 0.4])
    (gain,) = respondents_factors(mechanism, kronecker, [(0,)])
    own, other = np.tanh(0.5), np.tanh(0.2)  # r = (e^eps - 1) / (e^eps + 1)
    assert gain == pytest.approx((other**-2 - 1) / (own**-2 - 1), rel=1e-9)


def test_the_optimum_erases_pairs_and_only_pairs():
    """theory.md section 5: a = (2,2,2), eps = .5 each has mu_ij = 0."""
    optimal, kronecker = Optimal.from_epsilon((2, 2, 2), [0.5] * 3), Kronecker.from_epsilon((2, 2, 2), [0.5] * 3)
    pair, single = respondents_factors(optimal, kronecker, [(0, 1), (0,)])
    assert isnan(pair)
    assert single == pytest.approx(1, rel=1e-8)


def test_a_marginal_is_lost_with_any_of_its_parts():
    kronecker = Kronecker.from_epsilon((2, 2), [1.0, 1.0])
    pair, lost, other = respondents_factors(two_with_factors(0.0, 0.3, 0.3), kronecker, [(0, 1), (0,), (1,)])
    assert [isnan(factor) for factor in (pair, lost, other)] == [True, True, False]


@pytest.mark.parametrize(("both", "identifiable"), [(1.01, True), (0.99, False), (-1.01, True), (-0.99, False)])
def test_a_factor_counts_as_erased_below_the_limit_of_either_sign(both, identifiable):
    mechanism = two_with_factors(0.3, 0.3, both * MIN_FACTOR)
    (gain,) = respondents_factors(mechanism, Kronecker.from_epsilon((2, 2), [1.0, 1.0]), [(0, 1)])
    assert isnan(gain) != identifiable


def test_a_negative_factor_is_worth_as_many_people_as_a_positive_one():
    kronecker = Kronecker.from_epsilon((2, 2), [1.0, 1.0])
    positive, negative = (respondents_factors(two_with_factors(0.3, 0.3, mu), kronecker, [(0, 1)])[0] for mu in (0.3, -0.3))
    assert negative == pytest.approx(positive, rel=1e-12)


def test_what_only_kronecker_erases_is_worth_infinitely_many_people():
    faint = Kronecker.from_epsilon((2, 2), [1e-3, 1e-3])  # mu_12 = 2.5e-7
    kept, lost = two_with_factors(0.3, 0.3, 0.2), two_with_factors(0.3, 0.3, 0.0)
    assert respondents_factors(kept, faint, [(0, 1)])[0] == inf
    assert isnan(respondents_factors(lost, faint, [(0, 1)])[0])


def test_a_gain_of_three_is_about_nine_times_as_many_people_where_much_is_lost():
    weak, strong = (Kronecker.from_epsilon((2,), [level]) for level in (0.01, 0.03))
    (gain,) = respondents_factors(strong, weak, [(0,)])
    assert gain == pytest.approx(9, rel=1e-3)
