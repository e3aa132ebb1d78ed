"""The least certified total and the pairwise-preserving mechanism, for any number of attributes."""

import time
from functools import partial
from itertools import combinations

import numpy as np
import pytest

from rrcore.channel.epsilon import retention_from_epsilon
from rrcore.errors import InputError
from rrcore.mechanisms import Kronecker, Optimal
from rrcore.mechanisms.blocks import Blocks
from rrcore.mechanisms.closed_form import ClosedForm
from rrcore.mechanisms.conditioned import Conditioned
from rrcore.mechanisms.lowest_total import least_total, safe
from rrcore.mechanisms.optimal import optimum_by_counts
from rrcore.mechanisms.thinned import Thinned
from tests import oracles

pair_safe = partial(safe, width=2)


def random_instance(rng, k, top=3.0):
    return tuple(int(a) for a in rng.integers(2, 6, k)), rng.uniform(0.3, top, k)


def check(mechanism, epsilon):
    """Exact levels, never above Kronecker, a bound below the total."""
    np.testing.assert_allclose(mechanism.epsilon, epsilon, rtol=0, atol=1e-9)
    assert (mechanism.epsilon <= np.add(epsilon, 1e-11)).all()
    assert mechanism.epsilon_total <= np.sum(epsilon) + 1e-9
    assert (mechanism.epsilon_informed <= mechanism.epsilon_total + 1e-9).all()
    assert mechanism.lower_bound is None or mechanism.lower_bound <= mechanism.epsilon_total + 1e-9


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_least_total_is_the_slow_optimum(k):
    rng = np.random.default_rng(160 + k)
    for _ in range(10):
        sizes, epsilon = random_instance(rng, k, 2.0)
        mechanism = least_total(sizes, epsilon)
        check(mechanism, epsilon)
        assert mechanism.epsilon_total == pytest.approx(oracles.guarded_optimum(sizes, epsilon), abs=1e-6)
        assert mechanism.is_optimal


@pytest.mark.slow
@pytest.mark.parametrize("k", [12, 13, 20])
@pytest.mark.long
def test_up_to_20_attributes_the_total_meets_its_bound(k):
    """The bound is (D) for some lambda, so it holds if it is one; here one found from the total's own side agrees to 1e-6."""
    sizes, epsilon = random_instance(np.random.default_rng(170 + k), k)
    mechanism = least_total(sizes, epsilon)
    check(mechanism, epsilon)
    assert mechanism.gap <= 1e-6
    if k < 20:
        assert mechanism.epsilon_total <= Optimal.from_epsilon(sizes, epsilon).epsilon_total + 1e-9
    if k == 12:
        assert mechanism.lower_bound == pytest.approx(
            oracles.dual_value(sizes, epsilon, oracles.dual_direction(sizes, epsilon)), abs=1e-5
        )


@pytest.mark.slow
@pytest.mark.parametrize("k", [21, 40])
def test_beyond_20_attributes_the_total_is_far_below_kronecker(k):
    sizes, epsilon = random_instance(np.random.default_rng(180 + k), k)
    mechanism = least_total(sizes, epsilon)
    check(mechanism, epsilon)
    assert mechanism.epsilon_total < 0.8 * epsilon.sum()
    blocks = sum(Optimal.from_epsilon(sizes[at : at + 10], epsilon[at : at + 10]).epsilon_total for at in range(0, k, 10))
    assert mechanism.epsilon_total <= blocks + 1e-9
    if mechanism.lower_bound is not None:
        half = sum(Optimal.from_epsilon(sizes[at : at + 10], epsilon[at : at + 10]).epsilon_total for at in (0, 10)) / 2
        assert mechanism.lower_bound >= half  # fewer attributes never cost more, so some block alone is a bound


@pytest.mark.parametrize("k", [30, 100, 1000])
def test_where_the_closed_form_is_the_optimum_it_is_used_for_any_number_of_attributes(k):
    rng = np.random.default_rng(190)
    sizes = tuple(int(a) for a in rng.integers(2, 6, k))
    epsilon = np.log1p((k / 0.3 - 1) * np.array(sizes))  # r_i = 1 - .3 / k for all: RR-Joint, .3 lies on average at most
    mechanism = least_total(sizes, epsilon)
    assert isinstance(mechanism, ClosedForm)
    check(mechanism, epsilon)
    assert mechanism.epsilon_total == pytest.approx(np.log(sizes).sum() + np.log(k / 0.3 - 1), abs=1e-9)
    assert mechanism.is_optimal


@pytest.mark.parametrize("k", [2, 3, 4])
def test_pair_safe_is_the_slow_programme_with_floors_on_all_pairs(k):
    rng = np.random.default_rng(200 + k)
    for floor in (0.5, 1.0, 1.02):
        floors = [(pair, floor) for pair in combinations(range(k), 2)]
        for _ in range(5):
            sizes, epsilon = random_instance(rng, k, 2.0)
            expected = oracles.guarded_optimum(sizes, epsilon, floors)
            if expected is None or expected > 8:
                continue
            mechanism = pair_safe(sizes, epsilon, floor=floor)
            np.testing.assert_allclose(mechanism.epsilon, epsilon, rtol=0, atol=1e-9)
            if expected <= epsilon.sum():
                assert mechanism.epsilon_total == pytest.approx(expected, abs=1e-6)
            assert mechanism.min_pair_ratio() >= floor - 1e-8


TOTALS = [
    ((2, 2, 2), 0.5, (1.071693, 1.143943, 1.206612)),
    ((5, 5, 5, 5), 1, (2.237478, 2.577976, 2.944836, 3.660365)),
    ((5, 5, 5, 5), (1, 2, 3, 4), (6.663323, 7.317609, 7.387628, 7.387628)),
    ((16, 7, 15, 6, 5, 2), 1, (2.742206, 2.813053, 3.619552, 4.298558, 4.760635, 5.211487)),
    ((9, 16, 7, 15, 6, 5, 2, 2), 0.5, (1.403359, 1.607870, 1.994131, 2.344645, 2.690142, 3.041486, 3.265353, 3.555678)),
    ((9, 16, 7, 15, 6, 5, 2, 2), 1, (3.196116, 3.240507, 3.963974, 4.710238, 5.082465, 5.756552, 6.319290, 6.473025)),
    ((9, 16, 7, 15, 6, 5, 2, 2), 2, (6.927539, 7.816285, 8.174432, 8.930668, 9.829053, 10.710881, 11.246889, 11.262135)),
    ((2,) * 10, 1, (3.866043, 3.866043, 3.866043, 4.343249, 4.664096, 5.193548, 5.339288, 5.348061, 5.354624, 5.359697)),
    ((5,) * 8, 3, (12.027327, 12.027327, 12.027327, 12.887156, 13.375525, 13.602187, 13.735706, 13.823998)),
]
"""theory.md section 14: sizes, levels, and the totals of w = 1, 2, ..., printed to six decimals; the sixth takes longest by far."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "epsilon", "totals"),
    [pytest.param(*case, marks=pytest.mark.long if number in (4, 5, 6) else ()) for number, case in enumerate(TOTALS)],
    ids=range(len(TOTALS)),
)
def test_totals_of_section_14(sizes, epsilon, totals):
    eps = np.broadcast_to(np.asarray(epsilon, dtype=np.float64), len(sizes))
    for width, total in enumerate(totals, 1):
        mechanism = safe(sizes, eps, width=width)
        assert mechanism.epsilon_total == pytest.approx(total, abs=1e-6)
        assert mechanism.is_optimal


BOUNDS = [
    (
        (8, 2, 3, 3, 3, 8, 8, 6, 2, 2, 4, 5, 6),
        (0.74, 1.6, 0.67, 1.09, 1.28, 1.15, 1.38, 1.61, 1.93, 0.93, 1.47, 1.54, 0.94),
        (5.92206, 6.06332),
    ),
    (
        (5, 9, 2, 2, 9, 9, 4, 3, 4, 2, 9, 7, 6, 3, 5, 3),
        (0.55, 1.56, 1.06, 0.64, 1.49, 1.9, 0.81, 1.45, 0.95, 1.61, 1.58, 0.83, 1.74, 1.49, 1.52, 1.73),
        (7.23444, 7.32377),
    ),
    (
        (8, 9, 5, 9, 8, 4, 9, 5, 2, 6, 8, 7, 5, 9, 5, 5, 3, 3),
        (0.94, 1.81, 0.91, 1.34, 1.1, 1.42, 0.79, 0.77, 1.62, 1.63, 1.35, 1.88, 0.81, 1.78, 0.75, 1.95, 1.44, 1.41),
        (7.75989, 7.85348),
    ),
]
"""theory.md section 14: unlike attributes, with the optimum and a lower bound on the pairwise-preserving mechanism."""


@pytest.mark.slow
@pytest.mark.parametrize(("sizes", "epsilon", "printed"), BOUNDS, ids=["13", "16", "18"])
@pytest.mark.long
def test_pair_safe_of_unlike_attributes_is_solved(sizes, epsilon, printed):
    optimum, bound = printed
    mechanism = pair_safe(sizes, epsilon)
    check(mechanism, epsilon)
    assert isinstance(mechanism, Optimal)
    assert mechanism.gap <= 1e-6
    assert bound - 1e-5 <= mechanism.epsilon_total <= bound + 1e-3  # thinning gave 8.82 and 11.02 for the first two
    assert mechanism.min_pair_ratio() >= 1 - 1e-9
    assert mechanism.lower_bound >= optimum


@pytest.mark.slow
def test_widths_over_counts_of_many_attributes_of_few_kinds():
    """Forty attributes of two kinds; representatives of every kind of set, from channels on those attributes."""
    sizes, epsilon = (2,) * 25 + (4,) * 15, np.repeat([0.7, 1.2], [25, 15])
    before = least_total(sizes, epsilon).epsilon_total
    for width in (2, 3, 4):
        mechanism = safe(sizes, epsilon, width=width)
        check(mechanism, epsilon)
        assert mechanism.gap <= 1e-6
        assert mechanism.epsilon_total >= before - 1e-7
        before = mechanism.epsilon_total
        r = retention_from_epsilon(epsilon, sizes)
        for first in range(width + 1):
            axes = [*range(first), *range(25, 25 + width - first)]
            assert mechanism.factor(axes) >= r[axes].prod() * (1 - 1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("k", [13, pytest.param(22, marks=pytest.mark.long)])
def test_at_high_levels_pair_safe_is_not_kronecker(k):
    """Cases where the pairwise-preserving mechanism was once Kronecker without a word: levels of about 4, an optimum far below their sum."""
    rng = np.random.default_rng(250)
    sizes, epsilon = tuple(int(a) for a in rng.integers(2, 6, k)), rng.uniform(3.0, 5.0, k)
    least, mechanism = least_total(sizes, epsilon), pair_safe(sizes, epsilon)
    check(mechanism, epsilon)
    assert mechanism.min_pair_ratio() >= 1 - 1e-9
    assert mechanism.epsilon_total < 0.6 * epsilon.sum()
    assert mechanism.epsilon_total <= least.epsilon_total + 2
    assert mechanism.lower_bound >= least.lower_bound - 1e-9


def test_where_every_route_refuses_kronecker_is_left(monkeypatch):
    """A floor above 1 is refused then."""
    import rrcore.mechanisms.lowest_total as least

    def refuse(*args, **options):
        raise InputError("This cannot be solved: choose Kronecker.")

    routes, refusing = least._routes, [(refuse, 0.0), (refuse, 0.0)]
    monkeypatch.setattr(least, "_routes", lambda k, width, *rest: routes(k, 1, 1.0) if width == 1 else iter(refusing))
    mechanism = safe((3, 3, 3), [1.0, 1.0, 1.0], width=2)
    assert isinstance(mechanism, Kronecker)
    assert mechanism.lower_bound == pytest.approx(least_total((3, 3, 3), [1.0, 1.0, 1.0]).epsilon_total, abs=1e-6)
    with pytest.raises(InputError, match="Kronecker"):
        safe((3, 3, 3), [1.0, 1.0, 1.0], width=2, floor=1.1)


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 4, 8, 11, 13, *(pytest.param(k, marks=pytest.mark.long) for k in (15, 21, 30))])
def test_pair_safe_keeps_every_pair(k):
    """mu_ij >= r_i r_j for all pairs, from channels of two attributes and the levels asked, at no more than Kronecker's total."""
    rng = np.random.default_rng(210 + k)
    sizes, epsilon = random_instance(rng, k, 4.0 if k <= 12 else 2.0)
    mechanism = pair_safe(sizes, epsilon)
    check(mechanism, epsilon)
    r = [(np.exp(e) - 1) / (np.exp(e) + a - 1) for a, e in zip(sizes, epsilon, strict=True)]
    assert mechanism.min_pair_ratio() >= 1 - 1e-9
    pairs = list(combinations(range(k), 2))
    for i, j in [pairs[n] for n in rng.permutation(len(pairs))[:40]]:
        q = mechanism.channel((i, j)).probabilities
        kept = q[0, 0] - q[0, 1] / (sizes[j] - 1) - q[1, 0] / (sizes[i] - 1) + q[1, 1] / ((sizes[i] - 1) * (sizes[j] - 1))
        assert kept >= r[i] * r[j] * (1 - 1e-8)


def test_pair_safe_with_a_floor_that_cannot_be_kept():
    assert pair_safe((2, 2), (1.0, 1.0), floor=4.68).min_pair_ratio() >= 4.68 - 1e-6
    with pytest.raises(InputError, match=r"^An accuracy floor of 4\.69 is impossible"):
        pair_safe((2, 2), (1.0, 1.0), floor=4.69)  # 1 / tanh(1/2)^2 = 4.683


@pytest.mark.slow
@pytest.mark.parametrize(
    ("builder", "k"),
    [
        *(
            (least_total, 1),
            (least_total, 10),
            (pair_safe, 14),
            (pair_safe, 24),
            (optimum_by_counts, 3),
            (Optimal.from_epsilon, 14),
        ),
        *((Conditioned.from_epsilon, 30), (partial(Thinned.safe, build=least_total), 5), (Blocks.from_epsilon, 12)),
    ],
)
def test_building_reports_and_can_be_stopped(builder, k):
    sizes, epsilon = random_instance(np.random.default_rng(193), k)
    reported = []
    builder(sizes, epsilon, report=lambda fraction, text: reported.append((fraction, text)))
    assert reported
    assert all(0 <= fraction <= 1 and text for fraction, text in reported)

    class StopError(Exception):
        pass

    def stop(fraction, text):
        if fraction >= reported[len(reported) // 2][0]:
            raise StopError

    with pytest.raises(StopError):
        builder(sizes, epsilon, report=stop)


@pytest.mark.slow
def test_a_thousand_unlike_attributes_take_seconds():
    """Blocks of ten would be solved for many minutes; what remains is certified all the same."""
    rng = np.random.default_rng(0)
    sizes, epsilon = rng.integers(2, 300, 1000), rng.uniform(0.01, 8, 1000)
    with pytest.raises(InputError, match=r"at most 100 .*got 1,000"):
        Blocks.from_epsilon(sizes, epsilon)
    start = time.process_time()
    found = least_total(sizes.tolist(), epsilon)
    assert time.process_time() - start < 20  # 1 s alone on a core
    assert found.epsilon_total < 0.5 * epsilon.sum()
