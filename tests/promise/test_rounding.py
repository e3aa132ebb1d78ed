"""Plans written in integers: nothing promised grows, and what is read back is the same channel."""

from itertools import combinations

import numpy as np
import pytest

from rrcore.budget import MECHANISMS, Questions, build
from rrcore.channel.channels import SubsetChannel
from rrcore.errors import InputError
from rrcore.limits import MAX_GROWTH
from rrcore.mechanisms import Kronecker, Safeguards
from rrcore.mechanisms.base import Tabulated
from rrcore.mechanisms.blocks import Blocks
from rrcore.mechanisms.conditioned import Conditioned
from rrcore.mechanisms.optimal import optimum_by_counts
from rrcore.mechanisms.safeguards import safeguarded
from rrcore.mechanisms.thinned import Thinned
from rrcore.promise.certificate import certified_nats, certify
from rrcore.promise.rounding import integer_groups, mechanism_of_integers
from tests.promise.designs_zoo import file_of

CASES = {
    "halves": ((2, 2, 2), (0.5, 0.5, 0.5)),
    "unequal": ((5, 5, 5, 5), (1.0, 2.0, 3.0, 4.0)),
    "adult": ((9, 16, 7, 15, 6, 5, 2, 2), (2.0,) * 8),
    "strong": ((3, 4), (0.001, 0.002)),
    "weak": ((2, 3), (12.0, 14.0)),
    "one": ((4,), (1.2,)),
    "largest": ((2,), (30.0,)),
    "fourteen": ((3,) * 14, (1.0,) * 14),
}


def grown(mechanism, groups):
    """By how much levels and total grew, in nats; what is printed is rounded up by at most 1e-9."""
    found = certify(groups)
    epsilon = [float(certified_nats(ratio)) - abs(level) for ratio, level in zip(found.epsilon, mechanism.epsilon, strict=True)]
    epsilon_informed = [
        float(certified_nats(ratio)) - leak
        for ratio, leak in zip(found.epsilon_informed, mechanism.epsilon_informed, strict=True)
    ]
    return max(*epsilon, *epsilon_informed, float(certified_nats(found.epsilon_total)) - mechanism.epsilon_total)


def check(mechanism):
    groups = integer_groups(mechanism)
    assert grown(mechanism, groups) <= 1e-8 < MAX_GROWTH
    file = file_of(groups)
    assert (file.epsilon <= np.abs(mechanism.epsilon) * (1 + 1e-13) + 1e-14).all()
    assert mechanism_of_integers(file) is not None
    axes = range(mechanism.k)
    for chosen in [*combinations(axes, 1), *list(combinations(axes, 2))[:8], tuple(axes)[:3]]:
        np.testing.assert_allclose(
            file.channel(chosen).probabilities,
            mechanism.channel(chosen).probabilities,
            rtol=1e-8,
            atol=1e-12,
        )
    np.testing.assert_allclose(mechanism_of_integers(file).lies, mechanism.lies, rtol=1e-8)
    np.testing.assert_allclose(mechanism_of_integers(file).pair_factors, mechanism.pair_factors, atol=1e-8)
    return groups


NO_CLOSED_FORM = ("unequal", "adult")
"""There the closed form does not exist or costs more than Kronecker."""


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", MECHANISMS)
def test_no_level_and_no_total_grows(name, case):
    if name == "closed-form" and case in NO_CLOSED_FORM:
        with pytest.raises(InputError, match="closed form"):
            build(name, *CASES[case])
    else:
        check(build(name, *CASES[case]))


@pytest.mark.parametrize("name", ["independent", "joint"])
def test_forty_attributes(name):
    groups = check(build(name, (4,) * 40, (0.7,) * 40))
    assert len(groups) == (40 if name == "independent" else 1)


OTHERS = {
    "safeguards": lambda: safeguarded((3, 4, 2), np.array([1.0, 2.0, 1.5]), Safeguards(1.0, (), (0.5, 0.5, 0.5))),
    "two pairs": lambda: Questions(4.0, ((0, 1), (1, 2))).build((3, 4, 2)),
    "safe for triples": lambda: build("preserving-3", (16, 7, 15, 6, 5, 2), [1.0] * 6),
    "safe for everything": lambda: build("preserving-4", (5, 5, 5, 5), [1.0, 2.0, 3.0, 4.0]),
    "clusters": lambda: Blocks.rr_clusters((3, 2, 4, 2), [1.0, 1.0, 2.0, 0.5], [(0, 2), (1, 3)]),
    "blocks": lambda: Blocks.from_epsilon((3,) * 13, [1.0] * 13),
    "counted": lambda: optimum_by_counts((3,) * 9, [1.2] * 9),
    "thinned": lambda: Thinned.safe((3,) * 6, [1.0] * 6, optimum_by_counts),
    "no leakage beyond the levels": lambda: safeguarded(
        (3, 4, 2), np.array([1.0, 2.0, 1.5]), Safeguards(None, (), (0.0, 0.0, 0.0))
    ),
    "a pair kept": lambda: safeguarded((3, 4, 2), np.array([1.0, 2.0, 1.5]), Safeguards(1.0, ((0, 1),), (0.5, np.inf, 0.5))),
    "one triple, strong": lambda: Questions(0.1, ((0, 1, 2),)).build((3, 3, 3, 3)),
    "two pairs, weak": lambda: Questions(30.0, ((0, 1), (2, 3))).build((2, 2, 5, 3)),
    "twelve counted": lambda: optimum_by_counts((3,) * 12, [0.4] * 12),
    "conditioned": lambda: Conditioned.from_epsilon((2, 5, 3, 4, 2, 3, 5, 4), np.linspace(0.8, 2.5, 8)),
    "tabulated": lambda: Tabulated((2, 2), SubsetChannel((2, 2), np.array([[0.1, 0.2], [0.3, 0.4]]))),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_everything_else_a_plan_can_be_carried_out_by(name):
    check(OTHERS[name]())


def test_what_cannot_be_written_is_refused_in_one_sentence():
    never = Tabulated((2, 2), SubsetChannel((2, 2), np.array([[0.5, 0.3], [0.2, 0.0]])))
    many = Blocks.rr_clusters((4,) * 40, [10.0] * 40, [range(40)])
    beyond_floats = Blocks.rr_clusters((4,) * 40, [30.0] * 40, [range(40)])
    assert beyond_floats.parts[0].uniform == 0
    reversed_levels = Kronecker.from_epsilon((2, 3), [-1.0, 0.5])
    for mechanism in (never, many, beyond_floats, reversed_levels, build("optimal", (4,) * 21, np.linspace(0.5, 2.5, 21))):
        with pytest.raises(InputError, match=r"^[^\n]*\.$"):
            integer_groups(mechanism)


def test_a_large_total_for_questions_is_designed_without_a_division_by_0():
    """Above 40 nats an estimate has no error left in double precision."""
    assert Questions(50.0, ((0, 1), (1, 2))).build((3, 4, 2)).epsilon_total == pytest.approx(50, abs=1e-6)


@pytest.mark.slow
def test_eighteen_unlike_attributes_are_written_or_refused_in_little_memory():
    """The joint distribution of all lies is made of two halves: all at once it took 23 GB."""
    rng = np.random.default_rng(0)
    sizes, epsilon = tuple(int(a) for a in rng.integers(2, 6, 18)), rng.uniform(0.5, 2, 18)
    with pytest.raises(InputError, match="208,675"):
        integer_groups(Conditioned.from_epsilon(sizes, epsilon))
