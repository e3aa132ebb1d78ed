"""The mechanisms side by side, against section 11 of theory.md and the mechanisms themselves."""

import numpy as np
import pytest

from rrcore.budget import MECHANISMS, Plan, compare
from rrcore.errors import InputError
from rrcore.mechanisms import Safeguards
from rrcore.mechanisms.closed_form import ClosedForm
from rrcore.table.schema import Attribute, Schema


def plan(sizes, epsilon):
    attributes = (Attribute(f"q{i}", tuple(f"c{v}" for v in range(a))) for i, a in enumerate(sizes))
    return Plan(Schema(tuple(attributes)), tuple(epsilon), 1000)


def by_key(sizes, epsilon):
    return {option.key: option for option in compare(plan(sizes, epsilon), tuple(MECHANISMS))}


def test_order_titles_and_subset():
    options = compare(plan((3, 3), (1, 1)))
    assert [option.key for option in options] == list(MECHANISMS)
    three = plan((3, 3, 2), (1, 1, 1))
    others = [key for key in MECHANISMS if key not in ("independent", "preserving-2", "optimal")]
    assert [option.key for option in compare(three)] == ["independent", "preserving-2", "optimal", *others]
    assert [option.key for option in compare(three.with_(mechanism="preserving-2"))] == list(MECHANISMS)
    assert [option.key for option in compare(three.with_(mechanism="optimal"))] == ["independent", "optimal", *others]
    assert [option.title for option in options] == [recipe.title for recipe in MECHANISMS.values()]
    assert [option.key for option in compare(plan((3, 3), (1, 1)), ("optimal", "joint"))] == ["optimal", "joint"]


def test_mechanisms_are_those_of_the_plan():
    for key, option in by_key((3, 2, 4), (1.0, 1.1, 0.9)).items():
        again = plan((3, 2, 4), (1.0, 1.1, 0.9)).with_(mechanism=key).build()
        assert type(option.mechanism) is type(again)
        assert option.mechanism.epsilon_total == again.epsilon_total
        np.testing.assert_array_equal(option.mechanism.epsilon, again.epsilon)
        assert option.refusal == ""


def test_a_closed_form_that_costs_more_than_kronecker_is_refused():
    option = by_key((4,) * 21, (1.0,) * 21)["closed-form"]
    assert option.mechanism is None
    assert " 24." in option.refusal
    assert ClosedForm.from_epsilon((4,) * 21, (1.0,) * 21).epsilon_total == pytest.approx(24.2, abs=0.05)


def test_safeguards_and_questions_are_compared_where_the_plan_has_them():
    base = plan((5,) * 4, (1.0,) * 4)
    (safeguarded,) = compare(base.with_(safeguards=Safeguards(slacks=(1.0,) * 4)), ("constrained",))
    (design,) = compare(base.with_(budget=2.0, workload=[base.schema.names[:2]]), ("workload",))
    assert safeguarded.mechanism.epsilon_total == pytest.approx(2.3455375, abs=1e-6)  # section 11
    assert design.mechanism.epsilon_total == pytest.approx(2.0, abs=1e-6)
    with pytest.raises(InputError, match="workload"):
        compare(base, ("workload",))


def test_the_work_reports_its_part_of_the_whole_and_can_be_stopped():
    reported = []
    compare(plan((3, 2, 4), (1.0, 1.1, 0.9)), tuple(MECHANISMS), report=lambda fraction, text: reported.append((fraction, text)))
    fractions = [fraction for fraction, _ in reported]
    assert all(0 <= fraction <= 1 for fraction in fractions)
    assert fractions == sorted(fractions)
    assert {text.split(":")[0] for _, text in reported} >= {recipe.title for recipe in MECHANISMS.values()}

    class StopError(Exception):
        pass

    def stop(fraction, text):
        if fraction > 0.5:
            raise StopError

    with pytest.raises(StopError):
        compare(plan((3, 2, 4), (1.0, 1.1, 0.9)), report=stop)


def test_thirteen_attributes_are_no_limit():
    options = by_key((2,) * 13, (3.0,) * 13)
    assert all(option.mechanism is not None for option in options.values())
    assert options["optimal"].mechanism.is_optimal
    assert options["optimal"].mechanism.epsilon_total < 0.3 * 39
    assert options["preserving-2"].mechanism.min_pair_ratio() >= 1 - 1e-9
