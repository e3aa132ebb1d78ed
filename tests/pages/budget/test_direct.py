"""Budget: whether to randomise at all, first on the page, and the split sample that goes on to Collect."""

from __future__ import annotations

from typing import Any

import pytest

from rrcore.estimate import DENIAL_RATES, BreakEven, SplitSample
from rrcore.mechanisms import build
from tests.pages.budget.test_wanted import plan_of


@pytest.fixture
def declared(session: Any) -> Any:
    session.declaring()
    session.declare("cheated: no, yes", "age: young, middle, old").go("budget")
    return session


def expected(session: Any, axis: int, cell: int, share: float) -> BreakEven:
    plan = plan_of(session)
    mechanism = build(plan.mechanism, plan.schema.sizes, plan.levels)
    return BreakEven.of(mechanism.marginal_channel((axis,)), cell, people=plan.respondents, share=share)


def opened(session: Any) -> Any:
    return session.set("toggle", "Compare", True)


def test_the_page_begins_with_the_break_even_denial(declared: Any) -> None:
    found = expected(declared, 0, 1, 0.1)
    assert f"Asked directly, more than {found.denial_text} must deny before this pays." in declared.text.split("\n")
    assert found.sentence not in declared.text


def test_any_answer_of_any_attribute_is_compared(declared: Any) -> None:
    opened(declared)
    assert expected(declared, 0, 1, 0.1).sentence in declared.text
    declared.set("selectbox", "Attribute", 1)
    (share,) = [each for each in declared.at.number_input if each.key == "direct_share"]
    share.set_value(30.0)
    declared.run()
    assert expected(declared, 1, 2, 0.3).sentence in declared.text


def test_published_rates_stand_with_their_sources(declared: Any) -> None:
    opened(declared)
    (table,) = [each.value for each in declared.at.dataframe if "Denied of 100" in each.value.columns]
    assert table["Denied of 100"].tolist() == [round(100 * each.rate) for each in DENIAL_RATES]
    assert table["Source"].tolist() == [each.source for each in DENIAL_RATES]


def test_the_split_goes_on_to_the_form(declared: Any) -> None:
    next(each for each in declared.at.number_input if each.label == "People").set_value(50_000)
    opened(declared.run())
    split = SplitSample.fewest_directly(expected(declared, 0, 1, 0.1), 0.05)
    assert split.text in declared.text
    declared.click(f"Ask {split.of_100} of 100 directly")
    declared.go("collect")
    assert declared.at.session_state["form_directly"] == split.of_100
    assert "nothing protects them" in "\n".join(declared.warnings)
