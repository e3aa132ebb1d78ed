"""The closed form of theory.md section 3: where it is the optimum, where it is not, where it does not exist; and RR-Joint by its one line."""

from math import exp, log

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.limits import MAX_EPSILON, MAX_PLANNED_CATEGORIES
from rrcore.mechanisms import Joint, Optimal
from rrcore.mechanisms.closed_form import ClosedForm
from tests import oracles


def joint(sizes, rho):
    """RR-Joint that keeps the record with probability ``rho``."""
    return Joint.at_most_one(sizes, 1 - rho, np.zeros(len(sizes)))


def random_instances(count, seed):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        k = int(rng.integers(2, 9))
        sizes = tuple(int(a) for a in rng.integers(2, 7, k))
        r = 1 - rng.uniform(0.02, 3.2) / k * (1 + rng.uniform(0, 1 / k) * rng.uniform(-1, 1, k))
        r = np.clip(r, 0.01, 0.98)
        yield sizes, np.log1p(r / (1 - r) * np.array(sizes))  # the level at which attribute i survives with r_i


@pytest.mark.slow
def test_equals_the_optimum_exactly_where_it_says_so():
    """60 instances: to 1e-9 where flagged, strictly above it where not, refused exactly where the formulas have no solution."""
    flagged, many_lies, short = 0, 0, 0
    for sizes, epsilon in random_instances(60, seed=13):
        expected = oracles.closed_form_total(sizes, epsilon)
        if expected is None:
            with pytest.raises(InputError, match=r"^The closed form does not exist"):
                ClosedForm.from_epsilon(sizes, epsilon)
            continue
        closed = ClosedForm.from_epsilon(sizes, epsilon)
        optimum = Optimal.from_epsilon(sizes, epsilon).epsilon_total
        assert closed.epsilon_total == pytest.approx(expected, abs=1e-9)
        assert (closed.epsilon <= epsilon + 1e-11).all()
        assert optimum <= closed.epsilon_total + 1e-9
        if closed.is_optimal:
            flagged += 1
            many_lies += sum(oracles.lie_rates(sizes, epsilon)) > 1
            assert closed.epsilon_total == pytest.approx(optimum, abs=1e-9), (sizes, epsilon)
        else:
            short += 1
            assert closed.epsilon_total > optimum + 1e-9, (sizes, epsilon)
    assert flagged >= 25
    assert many_lies >= 4
    assert short >= 4


@pytest.mark.parametrize("k", [3, 4, 5, 6])
def test_ties_at_the_right_end(k):
    """Equal attributes bind together: optimal iff E - 1 <= half the sum of their lies, that is E <= 2."""
    both = set()
    for size in (2, 5):
        for level in (0.02, 0.3, 1.0, 1.7, 2.5, 4.0):
            expected_lies = k * oracles.lie_rates([size], [level])[0]
            closed = ClosedForm.from_epsilon((size,) * k, [level] * k)
            optimum = Optimal.from_epsilon((size,) * k, [level] * k).epsilon_total
            assert closed.is_optimal == (expected_lies <= 2), (size, level)
            assert (closed.epsilon_total <= optimum + 1e-9) == (expected_lies <= 2), (size, level)
            both.add((expected_lies > 1, bool(closed.is_optimal)))
    assert {(False, True), (True, True)} <= both
    assert k == 3 or (True, False) in both


@pytest.mark.parametrize(
    ("sizes", "epsilon", "closed", "optimum"),
    [  # theory.md section 3, four decimals printed
        ((4, 6, 4), (0.1271,) * 3, 0.3555, 0.2238),
        ((6, 5, 3, 3, 3), (2.2309, 1.5484, 1.7508, 1.7523, 1.4718), 5.3269, 5.1414),
    ],
)
def test_counterexamples_are_flagged(sizes, epsilon, closed, optimum):
    mechanism = ClosedForm.from_epsilon(sizes, epsilon)
    assert not mechanism.is_optimal
    assert mechanism.epsilon_total == pytest.approx(closed, abs=1e-4)
    assert Optimal.from_epsilon(sizes, epsilon).epsilon_total == pytest.approx(optimum, abs=1e-4)


def test_21_attributes_of_4_categories_cost_more_than_kronecker():
    mechanism = ClosedForm.from_epsilon((4,) * 21, [1.0] * 21)
    assert not mechanism.is_optimal
    assert mechanism.epsilon_total == pytest.approx(24.2, abs=0.05)
    assert mechanism.epsilon_total == pytest.approx(oracles.closed_form_total((4,) * 21, [1.0] * 21), abs=1e-9)
    assert mechanism.epsilon_total > 21
    assert mechanism.lower_bound is None
    assert mechanism.gap is None


def test_its_own_total_is_the_lower_bound_where_it_is_the_optimum():
    mechanism = ClosedForm.from_epsilon((3, 3, 3), [3.0] * 3)
    assert (
        mechanism.lower_bound == mechanism.epsilon_total == pytest.approx(oracles.guarded_optimum((3,) * 3, [3.0] * 3), abs=1e-6)
    )
    assert (mechanism.gap, mechanism.is_optimal) == (0.0, True)


@pytest.mark.parametrize(("sizes", "level"), [((2, 10_000), 30.0), ((10_000,) * 40, 30.0), ((2,) * 40, 30.0), ((10_000,), 0.001)])
def test_limits_of_levels_and_categories(sizes, level):
    """All r_i nearly 1 or a single attribute: ln(1 + M y_0), worked out with ln M and the left end T = 1 / (1 - r_max)."""
    mechanism = ClosedForm.from_epsilon(sizes, [level] * len(sizes))
    loss = [a / (np.exp(level) + a - 1) for a in sizes]
    single = sum((a - 1) / a * (share / min(loss) - 1) for a, share in zip(sizes, loss, strict=True))
    y0 = 1 / min(loss) - 1 - single
    assert mechanism.epsilon_total == pytest.approx(np.logaddexp(0, np.log(sizes).sum() + np.log(y0)), rel=1e-8)
    np.testing.assert_allclose(mechanism.epsilon, level, rtol=1e-9)
    assert np.isfinite(mechanism.epsilon_informed).all()


@pytest.mark.slow
def test_two_attributes_are_always_covered():
    rng = np.random.default_rng(14)
    for _ in range(25):
        sizes = tuple(int(a) for a in rng.integers(2, 12, 2))
        epsilon = rng.uniform(0.02, 6, 2)
        mechanism = ClosedForm.from_epsilon(sizes, epsilon)
        assert mechanism.is_optimal
        assert mechanism.epsilon_total == pytest.approx(Optimal.from_epsilon(sizes, epsilon).epsilon_total, abs=1e-9)


@pytest.mark.parametrize("rho", [0.05, 0.3, 0.8, 0.999])
def test_equal_retentions_give_rr_joint(rho):
    sizes = (2, 3, 7, 4)
    epsilon = [log(1 + a * rho / (1 - rho)) for a in sizes]
    closed = ClosedForm.from_epsilon(sizes, epsilon)
    whole = joint(sizes, rho)
    if sum(oracles.lie_rates(sizes, epsilon)) <= 1:
        assert closed.is_optimal
        assert closed.epsilon_total == pytest.approx(whole.epsilon_total, abs=1e-9)
        expected = whole.channel(range(4)).probabilities
        np.testing.assert_allclose(closed.channel(range(4)).probabilities, expected, rtol=0, atol=1e-12)
    else:  # above one lie on average the right end costs less than RR-Joint
        assert closed.epsilon_total <= whole.epsilon_total + 1e-12


@pytest.mark.parametrize(
    ("sizes", "epsilon"),
    [((3, 3, 3), (1.0, 1.0, 9.0)), ((2, 2, 2, 2), (0.1, 3.0, 3.0, 0.1)), ((5, 2, 3), (0.3, 2.5, 1.0))],
)
def test_levels_too_far_apart_are_refused(sizes, epsilon):
    assert oracles.closed_form_total(sizes, epsilon) is None
    with pytest.raises(InputError, match=r"^The closed form does not exist"):
        ClosedForm.from_epsilon(sizes, epsilon)


def test_thousand_attributes_need_no_product_of_the_domain():
    """M = 5^1000 is beyond a double; the total is ln(1 + M y_0), worked out here with ln M."""
    k, a, lie = 1000, 5, 0.5 / 1000  # half a lie on average
    level = log((1 - lie) / lie * (a - 1))
    mechanism = ClosedForm.from_epsilon((a,) * k, [level] * k)
    turns = 1 / (lie * a / (a - 1))  # left end: y_i = 0, y_0 = T - 1
    assert mechanism.is_optimal
    assert mechanism.epsilon_total == pytest.approx(k * log(a) + log(turns - 1), abs=1e-8)
    assert (mechanism.epsilon <= level + 1e-11).all()
    assert np.isfinite(mechanism.epsilon_informed).all()
    codes = np.zeros((2000, k), dtype=np.int32)
    released = mechanism.sample(codes, rng=np.random.default_rng(15))
    # lies come with whole records: 2000 records, rate lie each, so about 2000 * lie * a / (a - 1) = 1.25 uniform records
    uniform = int((released.mean(axis=1) > 0).sum())
    assert uniform <= 12  # Poisson(1.25) exceeds 12 with chance 3e-9
    pairs = mechanism.pair_ratios()
    assert pairs.shape == (k, k)
    assert mechanism.min_pair_ratio() == pytest.approx(1 / (1 - lie * a / (a - 1)), abs=1e-9)


def test_many_unequal_attributes():
    rng = np.random.default_rng(16)
    sizes = tuple(int(a) for a in rng.integers(2, 6, 200))
    r = 1 - 2e-3 * (1 + 5e-4 * rng.uniform(-1, 1, 200))
    epsilon = np.log1p(r / (1 - r) * np.array(sizes))
    mechanism = ClosedForm.from_epsilon(sizes, epsilon)
    turns, y0, _ = oracles.closed_form_solution(sizes, epsilon)
    assert mechanism.is_optimal
    assert 1 / mechanism.uniform == pytest.approx(turns, rel=1e-9)
    assert mechanism.epsilon_total == pytest.approx(np.log(sizes).sum() + log(y0), abs=1e-6)
    assert (mechanism.epsilon <= epsilon + 1e-11).all()


SIZES = (3, 2, 4)


def test_keeping_nothing_reveals_nothing():
    mechanism = joint(SIZES, 0.0)
    assert mechanism.epsilon_total == 0
    np.testing.assert_allclose(mechanism.epsilon, 0, rtol=0, atol=1e-15)


def test_from_levels_meets_the_strictest_attribute_and_exceeds_none():
    epsilon = np.array([1.0, 0.4, 2.0])
    mechanism = Joint.from_epsilon(SIZES, epsilon)
    assert (mechanism.epsilon <= epsilon).all()
    r = [(exp(e) - 1) / (exp(e) + a - 1) for a, e in zip(SIZES, epsilon, strict=True)]
    strictest = int(np.argmin(r))
    assert mechanism.epsilon[strictest] == pytest.approx(epsilon[strictest], abs=1e-11)
    assert mechanism.probabilities[-1] == pytest.approx(min(r), abs=1e-14)


def test_from_levels_never_exceeds_in_many_instances():
    rng = np.random.default_rng(17)
    for _ in range(100):
        k = int(rng.integers(1, 30))
        sizes = tuple(int(a) for a in rng.integers(2, rng.choice([1000, MAX_PLANNED_CATEGORIES + 1]), k))
        epsilon = 10 ** rng.uniform(-4, np.log10(MAX_EPSILON), k)
        assert (Joint.from_epsilon(sizes, epsilon).epsilon - epsilon).max() <= 1e-11


@pytest.mark.parametrize("total", [1e-4, 0.5, 4.0, 20.0])
def test_from_total_costs_that_total(total):
    mechanism = Joint.from_total(SIZES, total)
    assert mechanism.epsilon_total == pytest.approx(total, rel=1e-9)
    if total < 10:
        assert oracles.total_of(oracles.dense_mechanism(mechanism)) == pytest.approx(total, rel=1e-9)


@pytest.mark.parametrize("total", [1600.0, 1609.0, 1620.0])
def test_from_total_with_a_domain_beyond_a_double(total):
    """M = 5^1000 = e^1609.4: at these totals a fair share of the records is kept."""
    mechanism = Joint.from_total((5,) * 1000, total)
    assert mechanism.epsilon_total == pytest.approx(total, abs=1e-9)
    odds = exp(total - 1000 * log(5))  # rho / (1 - rho), up to e^-total
    np.testing.assert_allclose(mechanism.epsilon, log(1 + 5 * odds), rtol=1e-9)


@pytest.mark.parametrize("total", [1.0, 50.0, 400.0])
def test_from_total_too_small_to_keep_any_record_costs_no_more(total):
    """rho = e^(total - 1609.4) is below the smallest double: nothing is kept, and no warning is raised."""
    mechanism = Joint.from_total((5,) * 1000, total)
    assert 0 <= mechanism.epsilon_total <= total
    np.testing.assert_allclose(mechanism.epsilon, 0, rtol=0, atol=1e-12)


def test_whole_records_are_kept_or_randomized():
    """4 x 50 categories: a record that lies anywhere is a uniform draw, so nearly all of its answers differ."""
    mechanism = joint((50,) * 4, 0.6)
    codes = np.random.default_rng(18).integers(0, 50, (50_000, 4)).astype(np.int32)
    released = mechanism.sample(codes, rng=np.random.default_rng(19))
    lies = (released != codes).sum(axis=1)
    kept = float((lies == 0).mean())
    assert abs(kept - 0.6) < 5.1 * np.sqrt(0.6 * 0.4 / 50_000)  # false alarm 4e-7
    randomized = lies[lies > 0]
    deviation = abs(float((randomized != 4).mean()) - (1 - 0.98**4))  # false alarm 4e-7, sets of 0 lies have weight 1.6e-7
    assert deviation < 5.1 * np.sqrt(0.98**4 * (1 - 0.98**4) / randomized.size)
