"""The mechanisms side by side, against section 11 of theory.md and the mechanisms themselves."""

from dataclasses import replace
from math import isnan

import numpy as np
import pytest

from rrcore.budget import Plan, Questions, compare
from rrcore.errors import InputError
from rrcore.estimate import expected_error, weakest_interactions
from rrcore.mechanisms import MECHANISMS, Joint, Optimal, Safeguards
from rrcore.mechanisms.closed_form import ClosedForm
from rrcore.table.schema import Attribute, Schema


def plan(sizes, levels):
    attributes = (Attribute(f"q{i}", tuple(f"c{v}" for v in range(a))) for i, a in enumerate(sizes))
    return Plan(Schema(tuple(attributes)), tuple(levels), 1000)


def by_key(sizes, levels):
    return {option.key: option for option in compare(plan(sizes, levels), tuple(MECHANISMS))}


def test_order_titles_and_subset():
    options = compare(plan((3, 3), (1, 1)))
    assert [option.key for option in options] == list(MECHANISMS)
    three = plan((3, 3, 2), (1, 1, 1))
    beside = ["closed-form", "joint", "published"]
    assert [option.key for option in compare(three)] == ["kronecker", "pair-safe", "optimal", *beside]
    assert [option.key for option in compare(three.with_mechanism("pair-safe"))] == list(MECHANISMS)
    assert [option.key for option in compare(three.with_mechanism("optimal"))] == ["kronecker", "optimal", *beside]
    assert [option.title for option in options] == [
        "Kronecker",
        "Pair-safe",
        "Optimum",
        "Closed form",
        "RR-Joint",
        "Published heuristic",
    ]
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
    assert options["pair-safe"].saving == pytest.approx(1 - 0.73176086, abs=1e-7)
    assert options["pair-safe"].shortfall <= 1e-10
    assert options["pair-safe"].weakest_pair[2] >= 1 - 1e-9
    assert options["pair-safe"].weak_pairs == options["pair-safe"].lost_pairs == 0


def test_shortfall_of_rr_joint_with_unequal_sizes():
    options = by_key((2, 10), (1, 1))
    expected = 1 - Joint.from_levels((2, 10), [1.0, 1.0]).levels.min()
    assert options["joint"].shortfall == pytest.approx(expected, abs=1e-12)
    assert options["joint"].shortfall > 0.5


def test_mechanisms_are_those_of_the_plan():
    for key, option in by_key((3, 2, 4), (1.0, 1.1, 0.9)).items():
        again = plan((3, 2, 4), (1.0, 1.1, 0.9)).with_mechanism(key).build()
        assert type(option.mechanism) is type(again)
        assert option.mechanism.total_level == again.total_level
        np.testing.assert_array_equal(option.mechanism.levels, again.levels)
        assert option.refusal == ""
        assert option.saving == pytest.approx(1 - option.mechanism.total_level / 3.0, abs=1e-12)


def test_a_closed_form_that_costs_more_than_kronecker_is_refused():
    option = by_key((4,) * 21, (1.0,) * 21)["closed-form"]
    assert option.mechanism is None
    assert option.refusal.startswith("The closed form would cost 24.")
    assert ClosedForm.from_levels((4,) * 21, (1.0,) * 21).total_level == pytest.approx(24.2, abs=0.05)


@pytest.mark.slow
def test_negative_saving_of_rr_joint():
    """Equal r_i and many lies: RR-Joint meets every level and costs ln(1 + M rho / (1 - rho)), more than Kronecker."""
    option = by_key((4,) * 12, (1.0,) * 12)["joint"]
    rho = (np.e - 1) / (np.e + 3)
    expected = np.log1p(4**12 * rho / (1 - rho))
    assert option.meets_levels
    assert option.saving == pytest.approx(1 - expected / 12, abs=1e-9)
    assert option.saving < -0.2
    assert option.saving_text.endswith("% more")


def test_violations_of_the_published_heuristic():
    """theory.md section 4: it may exceed the levels asked; nothing else does."""
    sizes, levels = (5, 2, 3), (0.3, 2.5, 1.0)
    options = by_key(sizes, levels)
    assert options["published"].violations == (2,)
    assert options["published"].mechanism.levels[2] > 2.5
    assert options["published"].saving_text == "exceeds the levels asked"
    assert all(option.violations == () for key, option in options.items() if key != "published")


def test_safeguards_and_questions_are_compared_where_the_plan_has_them():
    base = plan((5,) * 4, (1.0,) * 4)
    guarded = replace(base, safeguards=Safeguards(slacks=(1.0,) * 4), questions=Questions(2.0, ((0, 1),)))
    safeguarded, design = compare(guarded, ("safeguarded", "design"))
    assert safeguarded.mechanism.total_level == pytest.approx(2.3455375, abs=1e-6)  # section 11
    assert safeguarded.meets_levels
    assert design.mechanism.total_level == pytest.approx(2.0, abs=1e-6)
    assert (design.shortfall, design.violations) == (0.0, ())
    with pytest.raises(InputError, match=r"^A plan designed for joint distributions needs them"):
        compare(base, ("design",))


def test_the_work_reports_its_part_of_the_whole_and_can_be_stopped():
    told = []
    compare(plan((3, 2, 4), (1.0, 1.1, 0.9)), tuple(MECHANISMS), report=lambda fraction, text: told.append((fraction, text)))
    fractions = [fraction for fraction, _ in told]
    assert all(0 <= fraction <= 1 for fraction in fractions)
    assert fractions == sorted(fractions)
    assert {text.split(":")[0] for _, text in told} >= {recipe.title for recipe in MECHANISMS.values()}

    class StopError(Exception):
        pass

    def stop(fraction, text):
        if fraction > 0.5:
            raise StopError

    with pytest.raises(StopError):
        compare(plan((3, 2, 4), (1.0, 1.1, 0.9)), report=stop)


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


def test_thirteen_attributes_are_no_limit():
    options = by_key((2,) * 13, (3.0,) * 13)
    assert all(option.mechanism is not None for option in options.values())
    assert options["optimal"].mechanism.is_optimal
    assert options["optimal"].saving > 0.7
    assert options["pair-safe"].mechanism.min_pair_ratio() >= 1 - 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("key", MECHANISMS)
def test_the_optimum_is_the_cheapest_with_the_full_levels(key):
    rng = np.random.default_rng(30)
    for _ in range(10):
        sizes, levels = rng.integers(2, 6, 4), rng.uniform(0.5, 3, 4)
        options = by_key(tuple(int(a) for a in sizes), levels)
        option = options[key]
        if option.mechanism is not None and option.shortfall < 1e-9 and not option.violations:
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


def test_what_a_page_says_of_an_option():
    """The optimum of section 11 keeps every level, so what it saves it leaks; the published heuristic exceeds levels."""
    options = by_key((4, 2, 2, 2), (2.0,) * 4)
    best = options["optimal"]
    assert max(best.mechanism.leakage) > 2
    assert best.slack == pytest.approx(max(best.mechanism.leakage - best.mechanism.levels))
    assert best.excess <= 1e-9
    assert options["kronecker"].slack == pytest.approx(0, abs=1e-9)
    exceeding = by_key((5, 2, 3), (0.3, 2.5, 1.0))["published"]
    assert exceeding.excess == pytest.approx(exceeding.mechanism.levels[2] - 1.0)
    assert exceeding.excess > 1.5
    missing = replace(best, mechanism=None)
    assert all(isnan(value) for value in (missing.slack, missing.excess, missing.error((0, 1), 100)))


@pytest.mark.parametrize("population", [False, True])
def test_errors_and_people_beside_kronecker(population):
    options = by_key((4, 2, 2, 2), (2.0,) * 4)
    kronecker, safe = options["kronecker"], options["pair-safe"]
    error = kronecker.error((0, 2), 500, population=population)
    assert error == expected_error(kronecker.mechanism.marginal_channel((0, 2)), 500, population=population)
    assert kronecker.respondents_factor((0, 2), 500, population=population) == pytest.approx(1)
    factor = safe.respondents_factor((0, 2), 500, population=population)
    assert safe.error((0, 2), round(500 * factor * 1000), population=population) == pytest.approx(
        kronecker.error((0, 2), 500_000, population=population), rel=1e-3
    )


def test_a_lost_pair_has_no_error():
    lost = next(option for option in compare(plan((2, 2, 2), (0.5, 0.5, 0.5)), ("optimal",)) if option.lost_pairs)
    assert isnan(lost.error((0, 1), 1000)) or isnan(lost.error((0, 2), 1000)) or isnan(lost.error((1, 2), 1000))
    assert not isnan(lost.error((0,), 1000))


@pytest.mark.parametrize("sizes", [(3, 3, 3), (5, 4, 4, 4, 3, 4), (2, 2, 2, 2)])
def test_pairs_that_survive_alike_have_one_name_on_all_lists(sizes):
    plan = Plan(
        Schema(tuple(Attribute(f"q{i}", tuple(map(str, range(size)))) for i, size in enumerate(sizes))), (2.0,) * len(sizes), 600
    )
    (option,) = compare(plan, ["pair-safe"])
    assert option.weakest_pair[:2] == weakest_interactions(option.mechanism, 2)[0][0]
