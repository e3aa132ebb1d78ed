"""The lines of privacy against accuracy."""

import numpy as np
import pytest

import rrcore as rr
from rrcore.budget import CurvePoint, Plan, equal_terms, trace_curves

PLAN = Plan(rr.load_demo("titanic"), [1.0, 0.5, 0.5, 2.0])


@pytest.fixture(scope="module")
def points():
    return list(trace_curves(PLAN, ["independent", "preserving-2"]))


def test_more_epsilon_means_smaller_margins_and_more_success(points):
    for key in ("independent", "preserving-2"):
        own = [point for point in points if point.key == key]
        assert len(own) == 12
        assert (np.diff([point.epsilon_total for point in own]) > 0).all()
        assert (np.diff([point.margins[1, 3] for point in own]) < 0).all()
        assert (np.diff([point.success[3] for point in own]) > 0).all()


def test_success_equals_that_of_guessing_what_was_randomized():
    """Of two answers, the recorded one is right with probability e^ε / (1 + e^ε), whatever else is known of others."""
    point = CurvePoint.of(PLAN, PLAN.build())
    assert point.success[1] == pytest.approx(1 / (1 + np.exp(-0.5)))


def test_equal_terms_agree_with_the_mechanisms(points):
    own = next(point for point in points if point.key == "preserving-2" and point.epsilon_total > 2)
    found = equal_terms(points, (1, 3), own.epsilon_total, own.margins[1, 3])
    assert found["preserving-2"] == pytest.approx((own.margins[1, 3], own.epsilon_total))
    margin, total = found["independent"]
    assert margin > own.margins[1, 3]
    assert total > own.epsilon_total
    scaled = PLAN.with_(mechanism="independent").scaled(total / sum(PLAN.epsilon))
    assert CurvePoint.of(scaled, scaled.build()).margins[1, 3] == pytest.approx(own.margins[1, 3], rel=0.1)


def test_outside_of_the_lines_nothing_is_known(points):
    assert np.isnan(equal_terms(points, (1, 3), 1e6, 1e-9)["independent"]).all()
