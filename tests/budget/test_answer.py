"""Budget in one sentence, against the numbers of the mechanisms themselves."""

import pytest

from rrcore.budget import Plan, bargain_sentence, compare
from rrcore.estimate import expected_error, margin
from rrcore.table import load_demo
from rrcore.wording import odds_text, points

TITANIC = load_demo("titanic")


def sentence(plan, **how):
    (option,) = compare(plan, [plan.mechanism])
    return option, bargain_sentence(option, plan.respondents, **how)


@pytest.mark.parametrize("population", [False, True])
def test_the_numbers_are_those_of_the_mechanism(population):
    option, said = sentence(Plan.for_levels(TITANIC, (0.5, 1.0, 2.0, 3.0)), population=population)
    mechanism = option.mechanism
    pairs = [(i, j) for i in range(4) for j in range(i)]
    errors = [expected_error(mechanism.marginal_channel(axes), 2201, population=population) for axes in pairs]
    worst = int(mechanism.leakage.argmax())
    assert said == (
        f"The whole record shifts anyone's odds by at most × {odds_text(mechanism.total_level)} under 3-safe instead of × 666 under "
        f"Kronecker; one answer stays at × {odds_text((0.5, 1.0, 2.0, 3.0)[worst])}, or × {odds_text(mechanism.leakage[worst])} for someone "
        f"who knows the others; pairs are expected within {points(float(margin(max(errors))))}."
    )


def test_kronecker_has_nothing_to_compare_with():
    _, said = sentence(Plan.for_levels(TITANIC, 1.0, mechanism="kronecker"))
    assert said.startswith(
        "The whole record shifts anyone's odds by at most × 54.6 under Kronecker; one answer stays at × 2.72, even for"
    )


def test_lost_pairs_are_said():
    _, said = sentence(Plan.for_levels(TITANIC.select(["Sex", "Age", "Survived"]), 0.5, mechanism="optimal"))
    assert said.endswith("; 3 pairs cannot be read at all.")


def test_one_attribute_has_shares():
    assert "; its shares are expected within " in sentence(Plan.for_levels(TITANIC.select(["Sex"]), 1.0))[1]


def test_what_saves_by_missing_the_levels_is_not_compared():
    _, said = sentence(Plan.for_levels(TITANIC, (0.5, 1.0, 2.0, 3.0), mechanism="joint"))
    assert "instead of" not in said


@pytest.mark.slow
def test_a_design_says_what_its_total_buys():
    _, said = sentence(Plan.for_questions(TITANIC, 3.0, [["Sex", "Survived"]]))
    assert said.startswith("The whole record shifts anyone's odds by at most × 20.1 under the design for your questions; ")
    assert said.endswith(" under Kronecker at the same total.")
