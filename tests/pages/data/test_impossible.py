"""What cannot occur is ticked or declared on Data, goes along with plan and project, is taken back, and is 0 in estimates."""

import pytest

from rrcore.budget import Plan, Project
from rrcore.table import Impossible, load_demo

CREW = Impossible(("Class", "Age"), (("Crew", "Child"),))
PROPOSED = "Class 'Crew' with Age 'Child': nobody, where 44 would be expected"


def rules(session):
    return session.at.session_state["work"].schema.impossible


@pytest.fixture
def opened(session):
    """Titanic on Data, with the section open."""
    return session.given(impossible=True).go("data")


def propose(session):
    return session.finish("impossible")


def declare(session, one, mine, other, theirs):
    session.set("selectbox", "Nobody with", one).set("selectbox", "has", other)
    work = session.at.session_state
    work[f"impossible_of_{one}_0"], work[f"impossible_of_{other}_1"] = mine, theirs
    return session.run().click("impossible_declare")


def test_a_proposal_is_no_rule_until_it_is_ticked(opened):
    propose(opened)
    assert rules(opened) == ()
    assert "Whether a combination cannot occur is known from elsewhere" in opened.text
    opened.set("checkbox", PROPOSED, True)
    assert rules(opened) == (CREW,)
    propose(opened)
    assert not opened.has("checkbox", PROPOSED)
    work = opened.at.session_state["work"]
    assert work.dataset.schema == work.schema
    assert work.plan().schema.impossible == (CREW,)


def test_what_is_declared_goes_along_and_is_0_in_estimates(opened):
    declare(opened, "Class", ["Crew"], "Age", ["Child"])
    assert rules(opened) == (CREW,)
    opened.go("budget")
    assert Plan.from_json(opened.download("plan.json")).schema.impossible == (CREW,)
    opened.at.session_state["work"].choose_marginal(("Class", "Age"))
    opened.go("perturb")
    assert "1 of 8 combinations cannot occur, as was declared: it is 0 here." in opened.text


def test_what_somebody_has_is_not_declared(opened):
    declare(opened, "Class", ["Crew"], "Age", ["Child", "Adult"])
    (error,) = opened.errors
    assert "leave that category out. Nothing was changed." in error
    declare(opened, "Class", ["1st"], "Age", ["Child"])
    (error,) = opened.errors
    assert error == (
        "6 people have a combination that was declared impossible: Class '1st' with Age 'Child' (6). Take the combination out of the "
        "rules, or correct the table. Nothing was changed."
    )
    assert rules(opened) == ()


def test_it_is_taken_back_by_its_list_and_by_undo(opened):
    declare(opened, "Class", ["Crew"], "Age", ["Child"])
    opened.click("Undo")
    assert rules(opened) == ()
    declare(opened, "Class", ["Crew"], "Age", ["Child"])
    (kept,) = [box for box in opened.at.multiselect if box.label == "Declared"]
    opened.at.session_state[kept.key] = []
    opened.run()
    assert rules(opened) == ()
    opened.click("Undo")
    assert rules(opened) == (CREW,)


def test_it_stays_where_columns_change_and_follows_a_name(opened):
    declare(opened, "Class", ["Crew"], "Age", ["Child"])
    opened.edit({1: {"in play": False}})
    assert rules(opened) == (CREW,)
    opened.edit({0: {"name": "Cabin"}})
    assert rules(opened) == (CREW.renamed("Class", "Cabin"),)


def test_a_project_brings_it_back(opened):
    declare(opened, "Class", ["Crew"], "Age", ["Child"])
    saved = opened.go("budget").download("project.json")
    assert Project.from_json(saved).schema.impossible == (CREW,)
    opened.go("data").set("radio", "Demo table", "berkeley")
    assert rules(opened) == ()
    opened.open_project(saved)
    assert rules(opened) == (CREW,)
    assert opened.at.session_state["work"].dataset.schema.impossible == (CREW,)


def test_questions_without_a_table_can_have_it_and_invented_answers_keep_to_it(session):
    session.declaring().given(impossible=True).run()
    declare(session, "smokes", ["yes"], "region", ["north", "west"])
    (rule,) = rules(session)
    assert rule == Impossible(("smokes", "region"), (("yes", "north"), ("yes", "west")))
    session.declare("smokes: no, yes", "region: north, south, east")
    assert rules(session) == (Impossible(("smokes", "region"), (("yes", "north"),)),)
    session.go("budget").click("Try it on invented answers")
    work = session.at.session_state["work"]
    assert work.schema.impossible == rules(session) != ()
    assert not work.schema.impossible_rows(work.dataset.codes).any()


def test_a_plan_brings_its_own(session):
    work = session.at.session_state["work"]
    schema = load_demo("titanic").declaring([CREW]).schema
    work.adopt_plan(Plan.for_levels(schema, 1.0, respondents=100))
    assert work.schema.impossible == work.dataset.schema.impossible == (CREW,)
    work.adopt_plan(Plan.for_levels(load_demo("titanic").schema, 1.0, respondents=100))
    assert work.schema.impossible == ()
