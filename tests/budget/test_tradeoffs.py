"""What plans cost and buy, which of them no other one beats, and one in a sentence, against the numbers of the mechanisms themselves."""

import itertools
import math

import numpy as np
import pytest

from rrcore.budget import (
    Option,
    Pin,
    Plan,
    Tradeoff,
    compare,
    efficient_tradeoffs,
    pinned_attributes,
    tradeoff,
    tradeoff_sentence,
)
from rrcore.errors import InputError
from rrcore.estimate import expected_error, margin
from rrcore.mechanisms import Kronecker
from rrcore.schemes.perturbation import perturb
from rrcore.table import load_demo
from rrcore.table.dataset import Dataset
from rrcore.table.schema import Attribute, Schema
from rrcore.wording import odds_text, points

A, B, C = Attribute("a", ("0", "1")), Attribute("b", ("0", "1")), Attribute("c", ("x", "y", "z"))
SCHEMA = Schema((A, B, C))


def entry(mechanism, levels=(1.0, 1.5, 0.5), schema=SCHEMA, people=1000):
    plan = Plan(schema, levels, people, mechanism)
    return Pin(mechanism, plan), compare(plan, (mechanism,))[0]


def at(total, error):
    """A bargain with that total and error."""
    kronecker = Kronecker.from_levels((2,), (total,))
    return Tradeoff(
        Pin(f"{total} {error}", Plan(Schema((A,)), (total,), 10)), Option("kronecker", "", kronecker, kronecker), error
    )


def test_the_expected_error_is_that_of_repeated_releases():
    """Root-mean-square error over 400 releases of 600 people with uniform answers; a relative deviation of 10 % is 5 standard errors."""
    pin, option = entry("kronecker", people=600)
    found = tradeoff(pin, option, ("c", "a"))
    rng = np.random.default_rng(3)
    codes = np.stack([np.tile(np.arange(a), 600 // a) for a in SCHEMA.sizes], axis=1).astype(np.int32)
    for column in codes.T:
        rng.shuffle(column)
    dataset = Dataset(SCHEMA, codes)
    truth = np.zeros((3, 2))
    np.add.at(truth, (codes[:, 2], codes[:, 0]), 1 / 600)
    errors = [perturb(dataset, option.mechanism, rng=rng).estimate(["c", "a"]).shares - truth for _ in range(400)]
    assert found.error == pytest.approx(math.sqrt(np.mean(np.square(errors))), rel=0.1)


def test_the_population_adds_the_chance_of_who_was_asked():
    pin, option = entry("kronecker")
    finite, population = (tradeoff(pin, option, ("a",), population=whether).error for whether in (False, True))
    assert population**2 - finite**2 == pytest.approx(0.25 / 1000)


def test_what_is_erased_has_no_error():
    """theory.md section 5: three binary attributes at .5 each lose every pair under the optimum."""
    schema = Schema((A, B, Attribute("d", ("0", "1"))))
    pin, option = entry("optimal", (0.5, 0.5, 0.5), schema)
    assert math.isnan(tradeoff(pin, option, ("a", "b")).error)
    assert math.isfinite(tradeoff(pin, option, ("a",)).error)
    assert math.isnan(tradeoff(pin, option).error)


def test_an_attribute_that_is_not_in_the_plan_is_refused():
    pin, option = entry("kronecker")
    with pytest.raises(InputError, match="no attribute 'q'"):
        tradeoff(pin, option, ("q",))


def test_a_plan_without_a_mechanism_has_no_total():
    pin, option = entry("kronecker")
    refused = tradeoff(pin, Option("kronecker", "", None, option.kronecker, "No."), ("a",))
    assert (refused.total, math.isnan(refused.error)) == (math.inf, True)


def test_common_attributes_have_the_same_name_and_categories():
    other = Attribute("c", ("x", "y"))
    plans = [
        Plan(SCHEMA, (1.0,) * 3, 10),
        Plan(Schema((other, B, A)), (1.0,) * 3, 10),
        Plan(Schema((Attribute("b", ("0", "1"), "ordinal"), A)), (1.0,) * 2, 10),
    ]
    pins = [Pin(str(i), plan) for i, plan in enumerate(plans)]
    assert pinned_attributes(pins[:1]) == (A, B, C)
    assert pinned_attributes(pins[:2]) == (A, B)
    assert pinned_attributes(pins) == (A, B)
    assert pinned_attributes([*pins, Pin("q", Plan(Schema((other,)), (1.0,), 10))]) == ()
    assert pinned_attributes([]) == ()


@pytest.mark.parametrize(
    ("plans", "best"),
    [
        ([], []),
        ([(1, 1)], [(1, 1)]),
        ([(1, 2), (2, 1)], [(1, 2), (2, 1)]),
        ([(1, 2), (2, 2)], [(1, 2)]),
        ([(1, 2), (1, 1)], [(1, 1)]),
        ([(2, 2), (1, 1), (3, 0.5)], [(1, 1), (3, 0.5)]),
        ([(1, 1), (1, 1)], [(1, 1), (1, 1)]),
        ([(1, 1), (1 + 1e-9, 1)], [(1, 1), (1 + 1e-9, 1)]),
        ([(1, math.nan), (2, 1)], [(2, 1)]),
    ],
)
def test_the_unbeaten(plans, best):
    assert [(one.total, one.error) for one in efficient_tradeoffs([at(*plan) for plan in plans])] == best


def test_every_beaten_plan_is_beaten_by_an_unbeaten_one():
    rng = np.random.default_rng(5)
    for _ in range(50):
        plans = [at(float(total), float(error)) for total, error in rng.integers(1, 6, (8, 2))]
        best = efficient_tradeoffs(plans)
        for one, other in itertools.product(best, plans):
            assert not (
                other.total <= one.total and other.error <= one.error and (other.total, other.error) != (one.total, one.error)
            )
        for one in plans:
            assert any(other.total <= one.total and other.error <= one.error for other in best)


TITANIC = load_demo("titanic")


def sentence(plan, **how):
    (option,) = compare(plan, [plan.mechanism])
    return option, tradeoff_sentence(option, plan.respondents, **how)


@pytest.mark.parametrize("population", [False, True])
def test_the_numbers_are_those_of_the_mechanism(population):
    option, said = sentence(Plan.for_levels(TITANIC, (0.5, 1.0, 2.0, 3.0)), population=population)
    mechanism = option.mechanism
    pairs = [(i, j) for i in range(4) for j in range(i)]
    errors = [expected_error(mechanism.marginal_channel(axes), 2201, population=population) for axes in pairs]
    worst = int(mechanism.leakage.argmax())
    assert said == (
        f"The whole record shifts anyone's odds by at most × {odds_text(mechanism.total_level)} under Pair-safe instead of × 666 under "
        f"Kronecker; one answer stays at × {odds_text((0.5, 1.0, 2.0, 3.0)[worst])}, or × {odds_text(mechanism.leakage[worst])} for someone "
        f"who knows the others; pairs are within {points(float(margin(max(errors))))} if all answers are equally common."
    )


def test_kronecker_has_nothing_to_compare_with():
    _, said = sentence(Plan.for_levels(TITANIC, 1.0, mechanism="kronecker"))
    assert said.startswith(
        "The whole record shifts anyone's odds by at most × 54.6 under Kronecker; one answer stays at × 2.72, even for"
    )


def test_lost_pairs_are_said():
    _, said = sentence(Plan.for_levels(TITANIC.select(["Sex", "Age", "Survived"]), 0.5, mechanism="optimal"))
    assert said.endswith("; 3 pairs cannot be read at all.")


def test_pairs_that_no_number_says_anything_about_are_said_not_to_be_read():
    _, said = sentence(Plan.for_levels(TITANIC, 0.01))
    assert said.endswith("; pairs cannot be read at these levels.")


def test_one_attribute_has_shares():
    assert "; its shares are within " in sentence(Plan.for_levels(TITANIC.select(["Sex"]), 1.0))[1]


def test_what_saves_by_missing_the_levels_is_not_compared():
    _, said = sentence(Plan.for_levels(TITANIC, (0.5, 1.0, 2.0, 3.0), mechanism="joint"))
    assert "instead of" not in said


@pytest.mark.slow
def test_a_design_says_what_its_total_buys():
    _, said = sentence(Plan.for_questions(TITANIC, 3.0, [["Sex", "Survived"]]))
    assert said.startswith(
        "The whole record shifts anyone's odds by at most × 20.1 under the design for the joint distributions wanted; "
    )
    assert said.endswith(" under Kronecker at the same total.")


def test_of_a_single_attribute_nobody_knows_the_others():
    plan = Plan.for_levels(load_demo("titanic").select(["Sex"]), 2.0)
    text = tradeoff_sentence(compare(plan, ["kronecker"])[0], plan.respondents)
    assert "one answer stays at × 7.39; " in text
    assert "the others" not in text
