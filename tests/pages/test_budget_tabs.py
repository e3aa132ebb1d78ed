"""Budget, tabs What-if, Saved plans and Choosing ε."""

import json
import math

import pytest

from pages.shared.saved_plans import Pins
from rrcore.budget import Pinned, Plan, PrivacyLoss, accuracy, protection
from rrcore.designs.deployments import published
from rrcore.limits import MAX_PINNED
from rrcore.table import load_demo
from rrcore.wording import amount_text, eps_text

TITANIC = load_demo("titanic")


def tab(session, name):
    return session.go("budget", name)


def saved(session, *names):
    """Saved plans with these names."""
    pinned = Pinned()
    for i, name in enumerate(names):
        pinned = pinned.pin(Plan(TITANIC, 0.5 + i, mechanism="independent"), name)
    return tab(session.given(**{"pages.shared.saved_plans.Pins": Pins(pinned)}), "Saved plans")


def names(session):
    return [pin.name for pin in session.pins.pinned.pins]


@pytest.mark.parametrize("name", ["What-if", "Choosing ε"])
def test_a_tab_without_a_table_offers_one(open_session, name):
    session = open_session("/budget", table="").given(budget_tab=name).run()
    assert session.errors == []
    assert session.title == "Budget"


def test_what_if_multiplies_epsilon_and_keeps_the_plan(session):
    tab(session, "What-if").set("number_input", "Times asked", 3).set("number_input", "Sample size", 500)
    work = session.at.session_state["work"]
    plan = work.plan()
    mechanism = plan.build()
    privacy, people = (frame.value.reset_index() for frame in session.at.table)
    assert privacy.iloc[:3, 2].tolist() == [eps_text(each) for each in vars(PrivacyLoss.of(mechanism, 3)).values()]
    assert privacy.iloc[4].tolist()[1:] == [PrivacyLoss.of(mechanism, rounds).protection for rounds in (1, 3)]
    i, j = plan.schema.axes(work.draft.marginal)
    found = accuracy(plan.with_(n=500), mechanism)
    assert people.iloc[1, 1] == f"±{amount_text(100 * found.margins[i, j], 2)} points"
    assert people.iloc[1, 3] == found.verdict
    assert plan.n == TITANIC.n


def test_saved_plans_have_privacy_accuracy_and_verdicts(session):
    saved(session, "small", "large")
    (frame,) = session.at.dataframe
    plan = session.pins.pinned.pins[0].plan
    privacy, found = PrivacyLoss.of(plan.build()), accuracy(plan, plan.build())
    row = frame.value.iloc[0].tolist()
    assert row[0] == "small"
    assert row[3:6] == [eps_text(privacy.alone), eps_text(privacy.informed), eps_text(privacy.total)]
    assert row[6] == f"±{amount_text(100 * found.margins[0, 1], 2)}"
    assert row[7:] == [privacy.protection, found.verdict]
    assert len(session.figures["plans"].traces) == 2
    session.at.session_state["work"].change(rows_per_person=3)
    assert session.run().at.dataframe[0].value.iloc[0, 7] == protection(3 * privacy.total) != privacy.protection


def test_a_plan_is_renamed_removed_and_opened(session):
    saved(session, "small", "large").set("text_input", "Name", "tiny").click("Rename")
    assert names(session) == ["tiny", "large"]
    session.set("text_input", "Name", "large").click("Rename")
    assert len(session.errors) == 1
    assert names(session) == ["tiny", "large"]
    session.set("selectbox", "Saved plan", "tiny").click("Remove")
    assert names(session) == ["large"]
    session.click("Open")
    assert set(session.at.session_state["work"].draft.epsilon.values()) == {1.5}


def test_plans_go_to_a_file_and_come_back(session):
    content = saved(session, "small", "large").download("pinned-plans.json")
    assert Pinned.from_json(content) == session.pins.pinned
    upload = session.at.file_uploader(key="plans_upload")
    upload.set_value(("plans.json", content.encode(), "application/json"))
    assert names(session.run()) == ["small", "large", "small 2", "large 2"]
    broken = json.dumps({"format": "rr-workbench plan"}).encode()
    session.at.file_uploader(key="plans_upload").set_value(("plans.json", broken, "application/json"))
    assert len(session.run().errors) == 1
    assert len(names(session)) == 4 <= MAX_PINNED


def test_without_saved_plans_the_tab_shows_how_to_save_one(session):
    assert len(tab(session, "Saved plans").at.info) == 1


def test_published_epsilons_are_ticks_with_this_plans(session):
    tab(session, "Choosing ε")
    mechanism = session.at.session_state["work"].plan().build()
    figure = session.figures["published_epsilon"].spec
    assert sum(len(trace["x"]) for trace in figure["data"]) == sum(math.isfinite(each.epsilon) for each in published())
    assert [line["x0"] for line in figure["layout"]["shapes"]] == pytest.approx([max(mechanism.epsilon), mechanism.epsilon_total])
    assert len(session.at.dataframe[0].value) == len(published())
