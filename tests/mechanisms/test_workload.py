"""Designs for questions, against section 13 of theory.md, a plain linear programme and the dense channel."""

from itertools import combinations
from math import expm1, prod

import numpy as np
import pytest
from scipy.optimize import linprog

from rrcore.budget import build, epsilon_for_total
from rrcore.errors import InputError
from rrcore.limits import MAX_PROGRAMME_ATTRIBUTES, MAX_TOTAL, MIN_EPSILON
from rrcore.mechanisms import Kronecker, Mechanism
from rrcore.mechanisms.workload import Designed, closure
from tests import oracles

SPARE = 1e-3
"""What a design may give up of the least gain for the sake of the rest."""

THREES, MIXED = (3,) * 8, (9, 16, 7, 15, 6, 5, 2, 2)
SINGLES, PAIRS = [(i,) for i in range(8)], list(combinations(range(8), 2))

TABLE = [
    (THREES, 1, (8.0, 8.0), (2.4, 2.4), 2.39, 22.2),
    (THREES, 4, (4.8, 4.8), (2.2, 2.2), 2.25, 7.0),
    (MIXED, 4, (6.6, 9.5), (2.1, 3.1), 2.73, 7.9),
    (MIXED, 8, (3.3, 9.1), (1.7, 3.0), 2.10, 4.5),
    (MIXED, 16, (1.6, 6.2), (1.3, 2.5), 1.31, 1.7),
]
"""Section 13: sizes, total, pairwise-preserving gains of pairs and singles (least, largest), least gain of singles + pairs, of pairs only."""

INSTANCES = {
    "one": ((4,), 1.2, [(0,)]),
    "two": ((2, 5), 1.6, [(0, 1)]),
    "equal": ((3, 3, 3), 3.0, closure([(0, 1), (1, 2), (0, 2)])),
    "mixed": ((3, 2, 4), 2.5, [(0,), (1, 2), (0, 1, 2)]),
    "strong": ((2, 3, 2, 3), 0.2, closure([(0, 1), (2, 3)])),
    "weak": ((2, 3, 2), 12.0, closure([(0, 1, 2)])),
    "one of many": ((4, 3, 2, 5), 3.0, [(1, 3)]),
}
every_instance = pytest.mark.parametrize(("sizes", "total", "workload"), INSTANCES.values(), ids=INSTANCES)


def split_equally(sizes, total, axes):
    """Kronecker's mu_T at eps_i = total / k."""
    return prod(expm1(total / len(sizes)) / (expm1(total / len(sizes)) + sizes[i]) for i in axes)


def plain_gamma(sizes, total, workload, weights):
    """The programme of section 13 as it stands there, in psi, s and gamma."""
    sets = oracles.lie_sets(len(sizes))
    uniform = np.array([oracles.outputs_with(s, sizes) for s in sets]) / prod(sizes)
    rows = [
        [-prod(-1 / (sizes[i] - 1) if s[i] else 1 for i in axes) / (weight * split_equally(sizes, total, axes)) for s in sets]
        for axes, weight in zip(workload, weights, strict=True)
    ]
    count, n = len(rows), len(sets)
    result = linprog(
        np.r_[np.zeros(n + 1), -1.0],
        A_ub=np.block(
            [
                [np.array(rows), np.zeros((count, 1)), np.ones((count, 1))],
                [np.eye(n), -expm1(total) * uniform[:, None], np.zeros((n, 1))],
            ]
        ),
        b_ub=np.zeros(count + n),
        A_eq=np.r_[np.ones(n + 1), 0.0][None],
        b_eq=[1.0],
        bounds=(0, None),
    )
    return result.x[-1]


def random_instance(rng):
    k = int(rng.integers(1, 6))
    sizes = tuple(int(a) for a in rng.integers(2, 9, k))
    total = float(rng.uniform(0.3, 8))
    listed = {tuple(sorted(rng.choice(k, int(rng.integers(1, k + 1)), replace=False).tolist())) for _ in range(4)}
    return sizes, total, sorted(listed), rng.choice([1.0, 0.7, 0.25], len(listed))


def test_closure_lists_every_part_once_and_nothing_else():
    assert closure([(2, 0)]) == ((0,), (2,), (0, 2))
    assert closure([(1, 2), (2, 3), (2,)]) == ((1,), (2,), (3,), (1, 2), (2, 3))
    assert len(closure([range(5)])) == 2**5 - 1
    assert closure([]) == ()


@pytest.mark.parametrize(("sizes", "total", "pairs", "singles", "both", "only"), TABLE)
def test_table_of_section_13(sizes, total, pairs, singles, both, only):
    for workload, expected in ((SINGLES + PAIRS, both), (PAIRS, only)):
        design = Designed.for_questions(sizes, total, workload)
        assert design.gamma_bound == pytest.approx(expected, rel=0.01, abs=0.05 if expected < 2 and workload is PAIRS else 0)
        assert (1 - 1.001 * SPARE) * design.gamma_bound <= design.gamma <= (1 + 1e-9) * design.gamma_bound


@pytest.mark.long
@pytest.mark.parametrize(("sizes", "total", "pairs", "singles", "both", "only"), TABLE)
def test_pair_safe_column_of_section_13(sizes, total, pairs, singles, both, only):
    """Levels alike and as high as the total allows; the printed figures are rounded to one decimal."""
    epsilon = epsilon_for_total(sizes, total, np.ones(8), mechanism="preserving-2").epsilon
    mechanism, kronecker = build("preserving-2", sizes, epsilon), Kronecker.from_epsilon(sizes, np.full(8, total / 8))
    upper = np.triu_indices(8, 1)
    gains = (mechanism.pair_factors / kronecker.pair_factors)[upper]
    assert (gains.min(), gains.max()) == pytest.approx(pairs, abs=0.055)
    gains = mechanism.retentions / kronecker.retentions
    assert (gains.min(), gains.max()) == pytest.approx(singles, abs=0.055)


@pytest.mark.slow
def test_least_gain_is_that_of_the_plain_programme():
    rng = np.random.default_rng(3)
    for _ in range(15):
        sizes, total, workload, weights = random_instance(rng)
        design, best = (
            Designed.for_questions(sizes, total, workload, weights=weights),
            plain_gamma(sizes, total, workload, weights),
        )
        assert design.gamma_bound == pytest.approx(best, rel=3e-6), (sizes, total, workload, weights)
        assert design.gamma >= best * (1 - 1.001 * SPARE) - 1e-9, (sizes, total, workload, weights)


@every_instance
def test_total_is_spent_and_not_exceeded_by_any_pair_of_cells(sizes, total, workload):
    design = Designed.for_questions(sizes, total, workload)
    found = oracles.total_of(oracles.dense_mechanism(design))
    assert design.epsilon_total <= total
    assert found <= total + 1e-10  # the oracle's own rounding
    assert found > total - 1e-6


@pytest.mark.slow
@pytest.mark.long
def test_no_total_is_exceeded_even_by_rounding():
    rng = np.random.default_rng(5)
    for _ in range(75):
        sizes, total, workload, _ = random_instance(rng)
        total *= float(rng.choice([0.05, 1, 5])) if len(sizes) > 1 else 1
        assert Designed.for_questions(sizes, total, workload).epsilon_total <= total, (sizes, total, workload)


@every_instance
def test_gains_are_those_of_the_dense_channel(sizes, total, workload):
    design = Designed.for_questions(sizes, total, workload)
    factors = oracles.factors_of_dense(oracles.dense_mechanism(design), sizes)
    least = np.inf
    for members in oracles.lie_sets(len(sizes))[1:]:
        axes = tuple(int(i) for i in np.flatnonzero(members))
        gain = factors[members] / split_equally(sizes, total, axes)
        assert design.gains(axes) == pytest.approx(gain, rel=1e-9, abs=1e-9)
        assert design.gains(axes[::-1]) == pytest.approx(design.gains(axes), rel=1e-14)
        least = min(least, gain) if axes in workload else least
    assert design.gamma == pytest.approx(least, rel=1e-9)


@every_instance
def test_never_worse_than_kronecker(sizes, total, workload):
    assert Designed.for_questions(sizes, total, workload).gamma >= 1 - 1e-9


def test_no_other_mechanism_of_that_total_beats_the_bound():
    """Any phi in [0, 1] is a mechanism: the extreme ones, at random and by weighted numbers of lies; least gain of singles + pairs."""
    sizes, total = (4, 3, 2, 5), 3.0
    workload = closure(combinations(range(4), 2))
    design = Designed.for_questions(sizes, total, workload)
    sets = np.array(oracles.lie_sets(4))
    uniform = np.array([oracles.outputs_with(s, sizes) for s in sets]) / prod(sizes)
    v = [np.prod([np.where(sets[:, i], -1 / (sizes[i] - 1), 1.0) for i in axes], axis=0) for axes in workload]
    gains = np.array([row / split_equally(sizes, total, axes) for row, axes in zip(v, workload, strict=True)])
    rng = np.random.default_rng(6)
    best = 0.0
    for _ in range(3000):
        phi = sets @ rng.uniform(0.2, 1, 4) < rng.uniform(0.2, 3) if rng.random() < 0.7 else rng.random(16) < 0.5
        q = uniform * (1 + expm1(total) * phi)
        best = max(best, float((gains @ q).min() / q.sum()))
    assert best <= design.gamma_bound
    assert best > 0.8 * design.gamma  # so the trials come near


def test_weights_ask_for_more_of_some():
    sizes, total, workload = (5, 4, 3), 3.0, [(0,), (1,), (2,), (0, 1)]
    plain = Designed.for_questions(sizes, total, workload)
    half = Designed.for_questions(sizes, total, workload, weights=[0.5] * 4)
    assert half.gamma == pytest.approx(2 * plain.gamma, rel=1e-6)
    design = Designed.for_questions(sizes, total, workload, weights=[1.5, 1, 1, 1])
    assert design.gains((0,)) >= 1.5 * design.gamma
    assert design.gains((0,)) > 1.1 * plain.gains((0,))
    assert design.gamma == min(design.gains((0,)) / 1.5, *(design.gains(axes) for axes in workload[1:]))


def test_a_repeated_marginal_counts_with_its_largest_weight():
    once = Designed.for_questions((5, 4, 3), 3.0, [(0, 1), (2,)], weights=[1.5, 1])
    twice = Designed.for_questions((5, 4, 3), 3.0, [(1, 0), (2,), (0, 1)], weights=[1.5, 1, 0.5])
    assert twice.workload == ((0, 1), (2,), (0, 1))
    assert twice.gamma_bound == pytest.approx(once.gamma_bound, rel=1e-9)
    assert twice.gamma == pytest.approx(once.gamma, rel=1e-9)


def test_attributes_that_may_be_swapped_are_treated_alike():
    for workload in (SINGLES + PAIRS, PAIRS):
        design = Designed.for_questions(THREES, 4.0, workload)
        np.testing.assert_allclose(design.epsilon, design.epsilon[0], rtol=1e-12)
        pairs = design.pair_factors[np.triu_indices(8, 1)]
        np.testing.assert_allclose(pairs, pairs[0], rtol=1e-12)
    design = Designed.for_questions((2, 4, 4, 4), 4.0, [(0, 1), (0, 2), (3,)])
    assert design.gains((0, 1)) == pytest.approx(design.gains((0, 2)), rel=1e-12)
    assert design.gains((0, 3)) != pytest.approx(design.gains((0, 1)), rel=1e-3)


def test_order_of_the_attributes_does_not_matter():
    sizes, order = (5, 2, 3, 4, 3), [3, 0, 4, 2, 1]
    workload = closure([(0, 1), (2, 3), (1, 4)])
    first = Designed.for_questions(sizes, 4.0, workload)
    shuffled = [tuple(order.index(i) for i in axes) for axes in workload]
    second = Designed.for_questions([sizes[i] for i in order], 4.0, shuffled)
    np.testing.assert_allclose(second.pair_factors, first.pair_factors[np.ix_(order, order)], rtol=0, atol=1e-7)
    np.testing.assert_allclose(second.epsilon, first.epsilon[order], rtol=0, atol=1e-7)


def test_what_was_not_listed_is_kept_where_it_costs_next_to_nothing():
    """Five questions at 16 nats: a plain solution of the programme has pairs of -1.9 times Kronecker's, the best choice 1.31."""
    design = Designed.for_questions(MIXED, 16.0, [(0, 1), (0,), (1,), (2,), (6, 7)])
    assert min(design.gains(axes) for axes in SINGLES + PAIRS) > 1.3
    assert design.gamma > 1.722


def test_the_listed_ones_gain_more_than_the_least_where_that_costs_next_to_nothing():
    """Singles and pairs at 16 nats: the least gain is 1.31, yet some single gains more than twice and some pair more than five times."""
    design = Designed.for_questions(MIXED, 16.0, SINGLES + PAIRS)
    assert max(design.gains(axes) for axes in SINGLES) > 2
    assert max(design.gains(axes) for axes in PAIRS) > 5


def test_pairs_only_may_make_single_attributes_useless():
    """Section 13, and no wish of ours: eight attributes of three at 1 nat keep them negatively, and worse than Kronecker."""
    design = Designed.for_questions(THREES, 1.0, PAIRS)
    assert -0.75 < design.gains((0,)) < -0.65


def test_what_survives_inverted_is_not_raised_to_where_it_is_worth_less():
    """Three pairs at 1 nat keep every single attribute inverted and better than Kronecker; raised towards 0, a quarter is left of two."""
    design = Designed.for_questions((4, 4, 3), 1.0, list(combinations(range(3), 2)))
    assert max(design.gains((i,)) for i in range(3)) < -1.1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "total", "workload"),
    [
        (MIXED, 8 * MIN_EPSILON, SINGLES + PAIRS),
        (MIXED, MAX_TOTAL, SINGLES + PAIRS),
        (MIXED, 0.5, closure([(2, 3, 4), (0, 1, 2, 3, 4), (4, 5, 6, 7)])),
        (MIXED, 4.0, closure([range(6)])),
        ((1000, 2, 700), 1.0, closure([range(3)])),
        ((9, 3, 3, 16, 19, 6, 16, 19), 1.436, closure([(4, 2, 5, 6)])),
        ((2,), MIN_EPSILON, [(0,)]),
        ((2, 3), MAX_TOTAL, [(0,)]),
    ],
)
def test_extremes_are_certified(sizes, total, workload):
    """Totals from the least to the largest, interactions that Kronecker keeps to a part in 10^9, thousands of categories."""
    design = Designed.for_questions(sizes, total, workload)
    assert design.epsilon_total <= total
    assert 1 - 1e-9 <= design.gamma <= design.gamma_bound * (1 + 1e-6)
    assert design.gamma >= design.gamma_bound * (1 - 1.01 * SPARE)


def test_twelve_attributes():
    k = MAX_PROGRAMME_ATTRIBUTES
    pairs = list(combinations(range(k), 2))
    design = Designed.for_questions((2, 3, 4, 5) * 3, 6.0, closure(pairs))
    assert design.k == k == 12
    assert design.gamma >= design.gamma_bound * (1 - 1.001 * SPARE)
    assert design.gamma == pytest.approx(min(design.gains(axes) for axes in closure(pairs)), rel=1e-12)
    assert design.gamma > 2.5


def test_it_is_a_mechanism_like_the_others():
    design = Designed.for_questions((3, 4), 2.0, closure([(0, 1)]))
    assert isinstance(design, Mechanism)
    assert not design.is_optimal
    np.testing.assert_allclose(design.reference.epsilon, [1.0, 1.0])
    codes = np.zeros((20_000, 2), dtype=np.int32)
    released = design.sample(codes, rng=np.random.default_rng(9))
    changed = (released != 0).mean(axis=0)
    error = np.sqrt(design.lies * (1 - design.lies) / 20_000)
    assert (np.abs(changed - design.lies) < 5 * error).all()  # a false alarm once in a million


def test_progress_is_reported_and_may_stop_the_work():
    steps = []
    Designed.for_questions(MIXED, 4.0, PAIRS, report=lambda fraction, text: steps.append((fraction, text)))
    fractions = [fraction for fraction, _ in steps]
    assert fractions == sorted(fractions)
    assert 0 <= fractions[0] < 0.1 < 0.6 < fractions[-1] <= 1
    assert all(text for _, text in steps)

    def stop(fraction, text):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Designed.for_questions(MIXED, 4.0, PAIRS, report=stop)


@pytest.mark.parametrize(
    ("sizes", "total", "workload", "weights", "message"),
    [
        (
            (2,) * 13,
            4.0,
            [(0,)],
            None,
            r"1 to 12 attributes, got 13",
        ),
        ((), 4.0, [(0,)], None, r"1 to 12 attributes, got 0"),
        ((2, 3), 0.0019, [(0,)], None, r"^The total ε is 0\.0019 for 2 attributes. .* from 0\.002 "),
        ((2, 3), MAX_TOTAL + 0.01, [(0,)], None, rf"{MAX_TOTAL:g}\.01 for 2"),
        ((2, 3), float("nan"), [(0,)], None, r"^The total ε is nan for 2 attributes"),
        pytest.param(
            MIXED,
            0.02,
            closure([range(8)]),
            None,
            r"^No design was found .* Raise the total, or list fewer or smaller marginals\.$",
            marks=pytest.mark.long,
        ),
    ],
)
def test_bad_input_is_refused_in_one_sentence(sizes, total, workload, weights, message):
    with pytest.raises(InputError, match=message):
        Designed.for_questions(sizes, total, workload, weights=weights)
