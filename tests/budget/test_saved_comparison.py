"""Saved plans and repeated rounds, against the mechanism's own numbers and brute force."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from rrcore.budget import (
    Pin,
    Plan,
    PrivacyLoss,
    SavedPlan,
    accuracy,
    compare,
    pinned_attributes,
    protection,
    undominated,
)
from rrcore.errors import InputError
from rrcore.limits import MAX_ROUNDS
from rrcore.plots import LIGHT, saved_plans_figure
from rrcore.table.schema import Attribute, Schema

A, B, C = Attribute("a", ("0", "1")), Attribute("b", ("0", "1")), Attribute("c", ("x", "y", "z"))
SCHEMA = Schema((A, B, C))


def saved(mechanism, pair=("a", "c"), epsilon=(1.0, 1.5, 0.5)):
    plan = Plan(SCHEMA, epsilon, 1000, mechanism)
    return SavedPlan(Pin(mechanism, plan), compare(plan, (mechanism,))[0], pair)


@pytest.mark.parametrize("rounds", [1, 2, 7])
def test_fresh_randomness_multiplies_epsilon(rounds):
    mechanism = saved("preserving-2").option.mechanism
    found = PrivacyLoss.of(mechanism, rounds)
    assert found.alone == pytest.approx(rounds * max(mechanism.epsilon))
    assert found.informed == pytest.approx(rounds * max(mechanism.epsilon_informed))
    assert found.total == pytest.approx(rounds * mechanism.epsilon_total)
    assert found.protection == protection(rounds * mechanism.epsilon_total)


@pytest.mark.parametrize("rounds", [0, MAX_ROUNDS + 1])
def test_rounds_have_limits(rounds):
    with pytest.raises(InputError):
        PrivacyLoss.of(saved("independent").option.mechanism, rounds)


def test_the_margin_is_that_of_the_pair():
    plan = saved("preserving-2")
    expected = accuracy(plan.pin.plan, plan.option.mechanism).margins
    assert plan.margin == expected[0, 2]
    assert saved("preserving-2", ("c",)).margin == expected[2, 2]
    assert math.isinf(saved("optimal", ()).margin)
    lost = SavedPlan(plan.pin, SimpleNamespace(mechanism=None), ("a", "c"))
    assert lost.privacy is None
    assert math.isinf(lost.margin)


def test_common_attributes_have_the_same_name_and_categories():
    other = Attribute("c", ("x", "y"))
    pins = [
        Pin("0", Plan(SCHEMA, (1.0,) * 3, 10)),
        Pin("1", Plan(Schema((other, B, A)), (1.0,) * 3, 10)),
        Pin("2", Plan(Schema((Attribute("b", ("0", "1"), "ordinal"), A)), (1.0,) * 2, 10)),
    ]
    assert pinned_attributes(pins[:1]) == (A, B, C)
    assert pinned_attributes(pins) == (A, B)
    assert pinned_attributes([]) == ()


def test_a_plan_is_undominated_if_no_other_is_better_in_both():
    rng = np.random.default_rng(5)
    for _ in range(50):
        points = [(float(total), float(margin)) for total, margin in rng.integers(1, 6, (8, 2))]
        plans = [
            SimpleNamespace(pin=SimpleNamespace(name=i), privacy=SimpleNamespace(total=total), margin=margin)
            for i, (total, margin) in enumerate(points)
        ]
        for i, one in enumerate(points):
            beaten = any(other[0] <= one[0] and other[1] <= one[1] and other != one for other in points)
            assert (i in undominated(plans)) != beaten


def test_the_figure_draws_epsilon_and_margin_of_plans_with_both():
    plans = [saved("preserving-2"), saved("independent"), saved("optimal", ())]
    figure = saved_plans_figure(plans, LIGHT, bold=["independent"])
    assert [(trace.x[0], trace.y[0]) for trace in figure.data] == [(plan.privacy.total, 100 * plan.margin) for plan in plans[:2]]
    assert figure.data[1].text[0].startswith("<b>")
