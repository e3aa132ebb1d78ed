"""A control item is declared on Data, goes along with plan, project and mechanism file, and is taken back."""

from rrcore.budget import Plan
from rrcore.table import Control

BORN = Control("born", "yes")


def control(session):
    return session.at.session_state["work"].schema.control


def declared(session):
    session.given(control=True).go("data").set("radio", "Where the table comes from", "declare").declare(
        "smokes: no, yes", "born: no, yes"
    )
    session.set("selectbox", "Known for everybody", "born")
    return session.click("control_declare")


def test_it_goes_along_with_plan_and_project(session):
    declared(session)
    assert control(session) == BORN
    assert "Control item: 'born' is 'yes' for everybody." in session.text
    session.go("budget")
    assert Plan.from_json(session.download("plan.json")).schema.control == BORN
    project = session.download("project.json")
    session.go("data").set("selectbox", "Known for everybody", "No control item")
    assert control(session) is None
    session.open_project(project)
    assert control(session) == BORN


def test_it_stays_when_another_question_is_typed_and_goes_with_its_own(session):
    declared(session).declare("smokes: no, yes", "born: no, yes", "drinks: no, yes")
    assert control(session) == BORN
    session.declare("smokes: no, yes", "drinks: no, yes")
    assert control(session) is None


def test_people_of_the_table_who_answered_otherwise_are_counted(session):
    session.given(control=True).go("data")
    session.set("selectbox", "Known for everybody", "Survived")
    session.click("control_declare")
    assert control(session) == Control("Survived", "Yes")
    assert "In this table 1,490 people of 2,201 gave another answer." in session.text
