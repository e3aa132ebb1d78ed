"""What pinned plans buy, and which of them no other one beats."""

import itertools
import math

import numpy as np
import pytest

from rrcore.budget import Bargain, Option, Pin, Plan, bargain, common_attributes, compare, unbeaten
from rrcore.errors import InputError
from rrcore.mechanisms import Kronecker
from rrcore.schemes.simulation import perturb
from rrcore.table.dataset import Dataset
from rrcore.table.schema import Attribute, Schema

A, B, C = Attribute("a", ("0", "1")), Attribute("b", ("0", "1")), Attribute("c", ("x", "y", "z"))
SCHEMA = Schema((A, B, C))


def entry(mechanism, levels=(1.0, 1.5, 0.5), schema=SCHEMA, people=1000):
    plan = Plan(schema, levels, people, mechanism)
    return Pin(mechanism, plan), compare(plan, (mechanism,))[0]


def at(total, error):
    """A bargain with that total and error."""
    kronecker = Kronecker.from_levels((2,), (total,))
    return Bargain(
        Pin(f"{total} {error}", Plan(Schema((A,)), (total,), 10)), Option("kronecker", "", kronecker, kronecker), error
    )


def test_the_expected_error_is_that_of_repeated_releases():
    """Root-mean-square error over 400 releases of 600 people with uniform answers; a relative deviation of 10 % is 5 standard errors."""
    pin, option = entry("kronecker", people=600)
    found = bargain(pin, option, ("c", "a"))
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
    finite, population = (bargain(pin, option, ("a",), population=whether).error for whether in (False, True))
    assert population**2 - finite**2 == pytest.approx(0.25 / 1000)


def test_what_is_erased_has_no_error():
    """theory.md section 5: three binary attributes at .5 each lose every pair under the optimum."""
    schema = Schema((A, B, Attribute("d", ("0", "1"))))
    pin, option = entry("optimal", (0.5, 0.5, 0.5), schema)
    assert math.isnan(bargain(pin, option, ("a", "b")).error)
    assert math.isfinite(bargain(pin, option, ("a",)).error)
    assert math.isnan(bargain(pin, option).error)


def test_an_attribute_that_is_not_in_the_plan_is_refused():
    pin, option = entry("kronecker")
    with pytest.raises(InputError, match="no attribute 'q'"):
        bargain(pin, option, ("q",))


def test_a_plan_without_a_mechanism_has_no_total():
    pin, option = entry("kronecker")
    refused = bargain(pin, Option("kronecker", "", None, option.kronecker, "No."), ("a",))
    assert (refused.total, math.isnan(refused.error)) == (math.inf, True)


def test_common_attributes_have_the_same_name_and_categories():
    other = Attribute("c", ("x", "y"))
    plans = [
        Plan(SCHEMA, (1.0,) * 3, 10),
        Plan(Schema((other, B, A)), (1.0,) * 3, 10),
        Plan(Schema((Attribute("b", ("0", "1"), "ordinal"), A)), (1.0,) * 2, 10),
    ]
    pins = [Pin(str(i), plan) for i, plan in enumerate(plans)]
    assert common_attributes(pins[:1]) == (A, B, C)
    assert common_attributes(pins[:2]) == (A, B)
    assert common_attributes(pins) == (A, B)
    assert common_attributes([*pins, Pin("q", Plan(Schema((other,)), (1.0,), 10))]) == ()
    assert common_attributes([]) == ()


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
    assert [(one.total, one.error) for one in unbeaten([at(*plan) for plan in plans])] == best


def test_every_beaten_plan_is_beaten_by_an_unbeaten_one():
    rng = np.random.default_rng(5)
    for _ in range(50):
        plans = [at(float(total), float(error)) for total, error in rng.integers(1, 6, (8, 2))]
        best = unbeaten(plans)
        for one, other in itertools.product(best, plans):
            assert not (
                other.total <= one.total and other.error <= one.error and (other.total, other.error) != (one.total, one.error)
            )
        for one in plans:
            assert any(other.total <= one.total and other.error <= one.error for other in best)
