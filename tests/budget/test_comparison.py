"""The mechanisms side by side, against section 11 of theory.md and the mechanisms themselves."""

from math import isnan

import numpy as np
import pytest

from rrcore.budget import Plan, compare
from rrcore.mechanisms import MECHANISMS, ClosedForm, Joint, Optimal
from rrcore.schema import Attribute, Schema


def plan(sizes, levels):
    attributes = (Attribute(f"q{i}", tuple(f"c{v}" for v in range(a))) for i, a in enumerate(sizes))
    return Plan(Schema(tuple(attributes)), tuple(levels), 1000)


def by_key(sizes, levels):
    return {option.key: option for option in compare(plan(sizes, levels))}


def test_order_titles_and_subset():
    options = compare(plan((3, 3), (1, 1)))
    assert [option.key for option in options] == list(MECHANISMS)
    assert [option.title for option in options] == ["Kronecker", "RR-Joint", "Closed form", "Optimum"]
    assert [option.key for option in compare(plan((3, 3), (1, 1)), ("optimal", "joint"))] == ["optimal", "joint"]


def test_savings_of_section_11():
    """a = 5,5,5,5 at 1,2,3,4: 10 against 6.6633231; unequal levels are beyond the closed form, and RR-Joint falls short."""
    options = by_key((5,) * 4, (1, 2, 3, 4))
    assert {option.kronecker.total_level for option in options.values()} == {10.0}
    assert options["kronecker"].saving == pytest.approx(0, abs=1e-12)
    assert options["optimal"].saving == pytest.approx(1 - 0.66633231, abs=1e-7)
    assert options["closed-form"].mechanism is None
    assert options["closed-form"].refusal.startswith("The closed form does not exist for these levels")
    assert isnan(options["closed-form"].saving)
    assert options["closed-form"].lost_pairs == 0
    assert options["joint"].shortfall == pytest.approx(3, abs=1e-9)  # all held to level 1
    assert options["kronecker"].shortfall == 0
    assert options["optimal"].shortfall <= 1e-10


def test_shortfall_of_rr_joint_with_unequal_sizes():
    options = by_key((2, 10), (1, 1))
    expected = 1 - Joint.from_levels((2, 10), [1.0, 1.0]).levels.min()
    assert options["joint"].shortfall == pytest.approx(expected, abs=1e-12)
    assert options["joint"].shortfall > 0.5


def test_mechanisms_are_those_of_the_plan():
    for key, option in by_key((3, 2, 4), (1.0, 1.1, 0.9)).items():
        assert isinstance(option.mechanism, MECHANISMS[key])
        assert option.refusal == ""
        assert option.saving == pytest.approx(1 - option.mechanism.total_level / 3.0, abs=1e-12)


def test_negative_saving_of_a_closed_form_used_without_its_test():
    option = by_key((4,) * 21, (1.0,) * 21)["closed-form"]
    assert option.saving == pytest.approx(1 - 24.2 / 21, abs=0.003)
    assert not option.mechanism.is_optimal


def test_lost_pairs_of_the_optimum():
    options = by_key((2, 2, 2), (0.5,) * 3)
    assert options["optimal"].lost_pairs == 3
    assert options["kronecker"].lost_pairs == 0
    assert by_key((5,), (1.0,))["optimal"].lost_pairs == 0


@pytest.mark.parametrize(
    ("sizes", "levels", "closed"),
    [((3, 3, 3), (3.0, 3.0, 3.0), True), ((4, 6, 4), (0.1271,) * 3, False), ((2, 9), (1.0, 4.0), True)],
)
def test_what_is_certified_optimal(sizes, levels, closed):
    options = by_key(sizes, levels)
    assert options["optimal"].mechanism.is_optimal
    assert not options["kronecker"].mechanism.is_optimal
    assert not options["joint"].mechanism.is_optimal
    assert options["closed-form"].mechanism.is_optimal is closed
    best = Optimal.from_levels(sizes, levels).total_level
    agrees = abs(ClosedForm.from_levels(sizes, levels).total_level - best) < 1e-9
    assert agrees is closed


def test_thirteen_attributes_refuse_the_optimum_only():
    options = by_key((2,) * 13, (3.0,) * 13)
    assert options["optimal"].mechanism is None
    assert options["optimal"].refusal.startswith("The optimum is solved exactly for at most 12 attributes and there are 13:")
    assert options["optimal"].mechanism is None
    assert all(options[key].mechanism is not None for key in ("kronecker", "joint", "closed-form"))


@pytest.mark.parametrize("key", MECHANISMS)
def test_the_optimum_is_the_cheapest_with_the_full_levels(key):
    rng = np.random.default_rng(30)
    for _ in range(10):
        sizes, levels = rng.integers(2, 6, 4), rng.uniform(0.5, 3, 4)
        options = by_key(tuple(int(a) for a in sizes), levels)
        option = options[key]
        if option.mechanism is not None and option.shortfall < 1e-9:
            assert option.mechanism.total_level >= options["optimal"].mechanism.total_level - 1e-9
        assert option.shortfall >= 0


def test_weak_and_smallest_pairs_of_the_optimum_of_unequal_levels():
    """theory.md section 5: a = 5, eps = (1,2,3,4) has negative factors; the weakest pair is found by absolute value."""
    schema = Schema(tuple(Attribute(name, tuple("abcde")) for name in "wxyz"))
    option = compare(Plan(schema, (1.0, 2.0, 3.0, 4.0), 100), ("optimal",))[0]
    upper = np.triu_indices(4, 1)
    ratios, factors = option.mechanism.pair_ratios(), option.mechanism.pair_factors()
    i, j, ratio = option.weakest_pair
    assert ratio == pytest.approx(ratios[i, j])
    assert abs(ratios[i, j]) == np.abs(ratios[upper]).min()
    assert abs(option.smallest_pair_factor) == np.abs(factors[upper]).min()
    assert option.weak_pairs == (np.abs(ratios[upper]) < 0.5).sum() > 0
    assert option.lost_pairs == 0


def test_a_single_attribute_has_no_pairs():
    schema = Schema((Attribute("w", ("a", "b")),))
    for option in compare(Plan(schema, (1.0,), 100)):
        assert (option.weakest_pair, option.smallest_pair_factor, option.weak_pairs, option.lost_pairs) == (None, None, 0, 0)


def test_pairs_are_compared_with_kronecker_at_the_levels_asked():
    """RR-Joint lowers all levels to the most protected one, so what its pairs keep is little beside the Kronecker shown."""
    schema = Schema(tuple(Attribute(name, tuple("abcd")) for name in "xyz"))
    joint = {option.key: option for option in compare(Plan(schema, (4.0, 4.0, 0.3), 100))}["joint"]
    i, j, ratio = joint.weakest_pair
    assert (i, j) == (0, 1)
    r = (np.exp([4.0, 0.3]) - 1) / (np.exp([4.0, 0.3]) + 3)  # theory.md section 3; mu_ij of RR-Joint is rho = min r_i
    assert ratio == pytest.approx(r[1] / r[0] ** 2)
    assert joint.weak_pairs >= 1
    assert joint.saving_text == "below the levels asked"
