"""From a total to levels: it is spent and not exceeded, the ratios are exact, and what cannot be spent, or protects little, is said."""

import math

import numpy as np
import pytest

from rrcore.budget import check_total_weights, levels_for_total, total_warning
from rrcore.budget.total import untouched_share
from rrcore.errors import InputError
from rrcore.limits import MAX_LEVEL, MIN_LEVEL
from rrcore.mechanisms import MECHANISMS, Joint, Kronecker, build
from tests import oracles
from tests.oracles import dense_mechanism


def spent(name, sizes, levels):
    return build(name, sizes, levels).total_level


def check(name, sizes, total, weights):
    """Levels for the total: exact ratios, and a total spent to 1e-6 nats and never exceeded."""
    levels = levels_for_total(sizes, total, weights, mechanism=name).levels
    assert levels.shape == (len(sizes),)
    np.testing.assert_allclose(levels / levels[0], np.divide(weights, weights[0]), rtol=1e-12)
    assert (levels >= MIN_LEVEL * (1 - 1e-12)).all()
    assert (levels <= MAX_LEVEL * (1 + 1e-12)).all()
    cost = spent(name, sizes, np.clip(levels, MIN_LEVEL, MAX_LEVEL))
    assert total - 1e-6 <= cost <= total, (name, sizes, total, weights)
    return levels


CASES = [(name, total, k) for name in MECHANISMS for total in (0.7, 12.0) for k in (1, 2, 4, 7)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "total", "k"),
    [case for case in CASES if case not in [("joint", 0.7, 7), ("published", 0.7, 7)]],  # see the next test
)
def test_the_total_is_spent_and_never_exceeded(name, total, k):
    """Equal attributes, then uneven ones; the closed form may be refused where many lies make it dearer than Kronecker."""
    rng = np.random.default_rng(260 + k)
    uneven = (tuple(int(a) for a in rng.integers(2, 7, k)), rng.uniform(0.7, 1.5, k))
    for sizes, weights in (((3,) * k, [1.0] * k), uneven):
        if name == "closed-form" and k > 2 and total < 12:
            sizes, weights = sizes[:2], weights[:2]
        if name == "closed-form" and k > 2 and len(set(weights)) > 1:
            continue
        check(name, sizes, total, weights)


@pytest.mark.parametrize("name", ["joint", "published"])
def test_some_totals_are_too_small_for_whole_records(name):
    """7 attributes of 3 categories at MIN_LEVEL: rho / (1 - rho) = .001 / 3, so RR-Joint costs ln(1 + 3^7 rho / (1 - rho)) = .548."""
    least = spent(name, (3,) * 7, [MIN_LEVEL] * 7)
    assert name == "published" or least == pytest.approx(np.log1p(3**7 * np.expm1(MIN_LEVEL) / 3), abs=1e-9)
    assert least > 0.3
    check(name, (3,) * 7, least + 0.05, [1.0] * 7)
    with pytest.raises(
        InputError, match=r"^A total of 0\.\d\d nats is too small: with these weights even the least levels cost 0\."
    ):
        levels_for_total((3,) * 7, least - 0.05, [1.0] * 7, mechanism=name)


@pytest.mark.slow
@pytest.mark.parametrize("total", [2.5, 6.0])
def test_more_than_twelve_attributes(total):
    rng = np.random.default_rng(270)
    sizes, weights = tuple(int(a) for a in rng.integers(2, 4, 13)), rng.choice([1.0, 2.0], 13)
    check("optimal", sizes, total, weights)


def test_kronecker_spends_the_sum():
    np.testing.assert_allclose(levels_for_total((2, 5, 9), 6.0, [1, 2, 3]).levels, [1, 2, 3], rtol=1e-9)
    assert levels_for_total((2, 5, 9), 6.0, [1, 2, 3]).levels.sum() <= 6.0


@pytest.mark.parametrize(
    ("sizes", "levels", "total"),
    [
        ((2, 2, 2), (0.5,) * 3, 1.0716926),
        ((5,) * 4, (1.0, 2.0, 3.0, 4.0), 6.6633231),
        ((16, 7, 15, 6, 5, 2), (1.0,) * 6, 2.7422059),
    ],
)
def test_section_11_backwards(sizes, levels, total):
    """theory.md section 11 gives the total of these levels; the total, printed to 7 digits, gives them back."""
    found = levels_for_total(sizes, total, levels, mechanism="optimal").levels
    np.testing.assert_allclose(found, levels, rtol=1e-5)


def test_the_optimum_against_bisection_on_the_slow_programme():
    sizes, weights, total = (3, 2, 4), np.array([1.0, 0.5, 2.0]), 2.0
    low, high = 0.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if oracles.guarded_optimum(sizes, middle * weights) <= total else (low, middle)
    np.testing.assert_allclose(levels_for_total(sizes, total, weights, mechanism="optimal").levels, low * weights, rtol=1e-5)


def test_the_same_total_buys_more_with_a_better_mechanism():
    sizes, weights = (5,) * 4, [1.0, 2.0, 3.0, 4.0]
    level = {
        name: levels_for_total(sizes, 7.0, weights, mechanism=name).levels[0] for name in ("kronecker", "pair-safe", "optimal")
    }
    assert level["kronecker"] == pytest.approx(0.7, abs=1e-9)
    assert level["kronecker"] + 0.2 < level["pair-safe"] < level["optimal"] - 0.05


@pytest.mark.parametrize("name", ["kronecker", "optimal", "pair-safe", "joint"])
def test_only_ratios_of_weights_matter(name):
    first = levels_for_total((3, 4, 2), 2.0, [1, 2, 3], mechanism=name).levels
    np.testing.assert_allclose(levels_for_total((3, 4, 2), 2.0, [1e-6, 2e-6, 3e-6], mechanism=name).levels, first, rtol=1e-7)
    np.testing.assert_allclose(levels_for_total((3, 4, 2), 2.0, [1e6, 2e6, 3e6], mechanism=name).levels, first, rtol=1e-7)


def test_a_builder_and_reports():
    told, built = [], []

    def builder(sizes, levels):
        built.append(levels)
        return Kronecker.from_levels(sizes, levels)

    levels = levels_for_total((2, 3), 1.5, [2, 1], mechanism=builder, report=lambda fraction, text: told.append(fraction)).levels
    np.testing.assert_allclose(levels, [1.0, 0.5], rtol=1e-9)
    assert len(built) == len(told)
    assert all(0 <= fraction <= 1 for fraction in told)
    assert all((tried >= MIN_LEVEL).all() and (tried <= MAX_LEVEL).all() for tried in built)

    class StopError(Exception):
        pass

    def stop(fraction, text):
        raise StopError

    with pytest.raises(StopError):
        levels_for_total((2, 3), 1.5, [2, 1], report=stop)


@pytest.mark.parametrize("name", ["kronecker", "optimal", "pair-safe"])
def test_a_total_too_small_is_refused_with_the_least_cost(name):
    """Two attributes at 1 : 10: the least levels are .001 and .01, so nothing below about .011 can be spent by Kronecker."""
    least = spent(name, (2, 3), [MIN_LEVEL, 10 * MIN_LEVEL])
    with pytest.raises(
        InputError,
        match=r"^A total of 0\.01 nats is too small: with these weights even the least levels cost 0\.0[12]\. "
        r"Give a larger total or more even weights\.$",
    ):
        levels_for_total((2, 3), 0.9 * least, [1, 10], mechanism=name)
    check(name, (2, 3), 1.1 * least, [1, 10])


@pytest.mark.parametrize("name", ["kronecker", "optimal", "pair-safe", "joint"])
def test_a_total_too_large_is_refused_with_the_largest_cost(name):
    most = spent(name, (2, 3), [MAX_LEVEL, MAX_LEVEL / 2])
    with pytest.raises(
        InputError,
        match=r"^A total of \d+\.\d\d nats is more than these attributes can use: at the highest level of 30 they cost "
        rf"{np.ceil(most * 100 - 1e-6) / 100:.2f}\. Give a smaller total or more even weights\.$",
    ):
        levels_for_total((2, 3), 1.01 * most, [2, 1], mechanism=name)
    check(name, (2, 3), 0.99 * most, [2, 1])


def test_weights_that_no_level_fits():
    with pytest.raises(InputError, match=r"^The weights differ too much"):
        levels_for_total((2, 3), 4.0, [1, 30_001])
    levels = levels_for_total((2, 3), 20.0, [1, 10_000]).levels
    np.testing.assert_allclose(levels[1] / levels[0], 10_000, rtol=1e-12)


NAMES = ["age", "sex"]


def test_weights_typed_by_a_person():
    np.testing.assert_array_equal(check_total_weights(["1.5", 2], NAMES), [1.5, 2.0])
    np.testing.assert_array_equal(check_total_weights(np.array([1e-9, 1e9]), NAMES), [1e-9, 1e9])


@pytest.mark.parametrize("weight", [0, -1, "0", "much", "", None, float("nan"), float("inf"), "1,5", [1], 10**400])
def test_bad_weights_are_named(weight):
    given = np.empty(2, dtype=object)
    given[:] = [1.0, weight]
    with pytest.raises(InputError, match=r"^The weight of 'sex' is '.{0,40}': give a positive number, for example 1\.$"):
        check_total_weights(given, NAMES)


@pytest.mark.parametrize("weights", [[], [1.0], [1.0, 2.0, 3.0]])
def test_weights_are_counted(weights):
    with pytest.raises(
        InputError, match=rf"^There are {len(weights)} weights for 2 attributes: give one weight for each attribute\.$"
    ):
        check_total_weights(weights, NAMES)


ADULT = (9, 16, 7, 15, 6, 5, 2, 2)


@pytest.mark.parametrize("sizes", [(2, 2), (3, 2, 4), (5,)])
@pytest.mark.parametrize("total", [0.1, 1.0, 2.5, 6.0])
def test_the_share_is_the_diagonal_of_rr_joints_channel(sizes, total):
    diagonal = np.diag(dense_mechanism(Joint.from_total(sizes, total)))
    np.testing.assert_allclose(diagonal, untouched_share(sizes, total), rtol=1e-12)


@pytest.mark.parametrize("name", ["kronecker", "pair-safe", "optimal"])
def test_no_mechanism_of_the_same_total_leaves_more_records_untouched(name):
    mechanism = build(name, (3, 2, 4), (1.0, 1.5, 0.8))
    kept = np.diag(dense_mechanism(mechanism)).max()
    assert kept <= untouched_share(mechanism.sizes, mechanism.total_level) + 1e-12


def test_adult_at_16_nats_keeps_83_percent_and_ln_m_more_than_half():
    assert untouched_share(ADULT, 16.0) == pytest.approx(math.exp(16) / (math.exp(16) + math.prod(ADULT) - 1), rel=1e-12)
    assert round(untouched_share(ADULT, 16.0), 2) == 0.83
    log_records = math.log(math.prod(ADULT))
    assert 0.5 < untouched_share(ADULT, log_records) < 0.5001
    assert untouched_share(ADULT, 0.0) == pytest.approx(1 / math.prod(ADULT))


def test_very_many_records_and_very_large_totals_do_not_overflow():
    assert untouched_share([10] * 1000, 5.0) == pytest.approx(0, abs=1e-300)
    assert untouched_share([10] * 1000, 1e5) == 1.0
    assert "the 10^1000 possible records" in total_warning([10] * 1000, 1e5)


def test_the_warning_starts_at_ln_m_and_names_total_records_and_share():
    assert total_warning(ADULT, 14.41) == ""
    assert total_warning((2, 2), math.log(4))
    assert total_warning(ADULT, 16.0) == (
        "A total of 16.00 nats is not below 14.41, the logarithm of the 1,814,400 possible records, so that it protects little: RR-Joint "
        "would leave 83.0 % of records untouched."
    )
