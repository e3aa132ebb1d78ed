"""From a total to levels: it is spent and not exceeded, the ratios are exact, and what cannot be spent, or protects little, is said."""

import numpy as np
import pytest

from rrcore.budget import MECHANISMS, build, check_total_weights, epsilon_for_total
from rrcore.errors import InputError
from rrcore.limits import MAX_EPSILON, MIN_EPSILON
from rrcore.mechanisms import Kronecker


def spent(name, sizes, epsilon):
    return build(name, sizes, epsilon).epsilon_total


def check(name, sizes, total, weights):
    """Levels for the total: exact ratios, and a total spent to 1e-6 nats and never exceeded."""
    epsilon = epsilon_for_total(sizes, total, weights, mechanism=name).epsilon
    assert epsilon.shape == (len(sizes),)
    np.testing.assert_allclose(epsilon / epsilon[0], np.divide(weights, weights[0]), rtol=1e-12)
    assert (epsilon >= MIN_EPSILON * (1 - 1e-12)).all()
    assert (epsilon <= MAX_EPSILON * (1 + 1e-12)).all()
    cost = spent(name, sizes, np.clip(epsilon, MIN_EPSILON, MAX_EPSILON))
    assert total - 1e-6 <= cost <= total, (name, sizes, total, weights)
    return epsilon


CASES = [(name, total, k) for name in MECHANISMS for total in (0.7, 12.0) for k in (1, 3, 7)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "total", "k"),
    [case for case in CASES if case not in [("joint", 0.7, 7), ("heuristic", 0.7, 7)]],  # see the next test
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


@pytest.mark.parametrize("name", ["joint", "heuristic"])
def test_some_totals_are_too_small_for_whole_records(name):
    """7 attributes of 3 categories at MIN_EPSILON: rho / (1 - rho) = .001 / 3, so RR-Joint costs ln(1 + 3^7 rho / (1 - rho)) = .548."""
    least = spent(name, (3,) * 7, [MIN_EPSILON] * 7)
    assert name == "heuristic" or least == pytest.approx(np.log1p(3**7 * np.expm1(MIN_EPSILON) / 3), abs=1e-9)
    assert least > 0.3
    check(name, (3,) * 7, least + 0.05, [1.0] * 7)
    with pytest.raises(InputError, match=r"^A total ε of 0\.\d\d is too small"):
        epsilon_for_total((3,) * 7, least - 0.05, [1.0] * 7, mechanism=name)


@pytest.mark.slow
@pytest.mark.parametrize("total", [2.5, 6.0])
def test_more_than_twelve_attributes(total):
    rng = np.random.default_rng(270)
    sizes, weights = tuple(int(a) for a in rng.integers(2, 4, 13)), rng.choice([1.0, 2.0], 13)
    check("optimal", sizes, total, weights)


def test_kronecker_spends_the_sum():
    np.testing.assert_allclose(epsilon_for_total((2, 5, 9), 6.0, [1, 2, 3]).epsilon, [1, 2, 3], rtol=1e-9)
    assert epsilon_for_total((2, 5, 9), 6.0, [1, 2, 3]).epsilon.sum() <= 6.0


@pytest.mark.parametrize(
    ("sizes", "epsilon", "total"),
    [
        ((2, 2, 2), (0.5,) * 3, 1.0716926),
        ((5,) * 4, (1.0, 2.0, 3.0, 4.0), 6.6633231),
        ((16, 7, 15, 6, 5, 2), (1.0,) * 6, 2.7422059),
    ],
)
def test_section_11_backwards(sizes, epsilon, total):
    """theory.md section 11 gives the total of these levels; the total, printed to 7 digits, gives them back."""
    found = epsilon_for_total(sizes, total, epsilon, mechanism="optimal").epsilon
    np.testing.assert_allclose(found, epsilon, rtol=1e-5)


@pytest.mark.parametrize("name", ["independent", "optimal", "preserving-2", "joint"])
def test_only_ratios_of_weights_matter(name):
    first = epsilon_for_total((3, 4, 2), 2.0, [1, 2, 3], mechanism=name).epsilon
    np.testing.assert_allclose(epsilon_for_total((3, 4, 2), 2.0, [1e-6, 2e-6, 3e-6], mechanism=name).epsilon, first, rtol=1e-7)
    np.testing.assert_allclose(epsilon_for_total((3, 4, 2), 2.0, [1e6, 2e6, 3e6], mechanism=name).epsilon, first, rtol=1e-7)


def test_a_builder_and_reports():
    fractions, built = [], []

    def builder(sizes, epsilon):
        built.append(epsilon)
        return Kronecker.from_epsilon(sizes, epsilon)

    epsilon = epsilon_for_total(
        (2, 3), 1.5, [2, 1], mechanism=builder, report=lambda fraction, text: fractions.append(fraction)
    ).epsilon
    np.testing.assert_allclose(epsilon, [1.0, 0.5], rtol=1e-9)
    assert len(built) == len(fractions)
    assert all(0 <= fraction <= 1 for fraction in fractions)
    assert all((tried >= MIN_EPSILON).all() and (tried <= MAX_EPSILON).all() for tried in built)

    class StopError(Exception):
        pass

    def stop(fraction, text):
        raise StopError

    with pytest.raises(StopError):
        epsilon_for_total((2, 3), 1.5, [2, 1], report=stop)


@pytest.mark.parametrize("name", ["independent", "optimal", "preserving-2"])
def test_a_total_too_small_is_refused_with_the_least_cost(name):
    """Two attributes at 1 : 10: the least levels are .001 and .01, so nothing below about .011 can be spent by Kronecker."""
    least = spent(name, (2, 3), [MIN_EPSILON, 10 * MIN_EPSILON])
    with pytest.raises(
        InputError,
        match=r"ε of 0\.01 .* 0\.0[12]\b",
    ):
        epsilon_for_total((2, 3), 0.9 * least, [1, 10], mechanism=name)
    check(name, (2, 3), 1.1 * least, [1, 10])


@pytest.mark.parametrize("name", ["independent", "optimal", "preserving-2", "joint"])
def test_a_total_too_large_is_refused_with_the_largest_cost(name):
    most = spent(name, (2, 3), [MAX_EPSILON, MAX_EPSILON / 2])
    with pytest.raises(
        InputError,
        match=rf"ε of \d+\.\d\d .* {np.ceil(most * 100 - 1e-6) / 100:.2f}\b",
    ):
        epsilon_for_total((2, 3), 1.01 * most, [2, 1], mechanism=name)
    check(name, (2, 3), 0.99 * most, [2, 1])


def test_weights_that_no_level_fits():
    with pytest.raises(InputError, match=r"^The weights differ too much"):
        epsilon_for_total((2, 3), 4.0, [1, 30_001])
    epsilon = epsilon_for_total((2, 3), 20.0, [1, 10_000]).epsilon
    np.testing.assert_allclose(epsilon[1] / epsilon[0], 10_000, rtol=1e-12)


NAMES = ["age", "sex"]


def test_weights_typed_by_a_person():
    np.testing.assert_array_equal(check_total_weights(["1.5", 2], NAMES), [1.5, 2.0])
    np.testing.assert_array_equal(check_total_weights(np.array([1e-9, 1e9]), NAMES), [1e-9, 1e9])


@pytest.mark.parametrize("weight", [0, -1, "0", "much", "", None, float("nan"), float("inf"), "1,5", [1], 10**400])
def test_bad_weights_are_named(weight):
    given = np.empty(2, dtype=object)
    given[:] = [1.0, weight]
    with pytest.raises(InputError, match=r"weight .*'sex' .*'.{0,40}'"):
        check_total_weights(given, NAMES)


@pytest.mark.parametrize("weights", [[], [1.0], [1.0, 2.0, 3.0]])
def test_weights_are_counted(weights):
    with pytest.raises(InputError, match=rf"^Expected 2 weights .*, got {len(weights)}\.$"):
        check_total_weights(weights, NAMES)
