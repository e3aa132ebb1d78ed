"""Undo, on every page: the last change of table, attributes, levels, mechanism or pins is taken back, whichever page made it."""

from copy import copy
from dataclasses import fields, replace

import pytest

from pages.shared.history import History, Moment
from rrcore.budget import Origin, Project, Wishes
from rrcore.table import TextTable

SURVEY = b"smokes,age\n" + b"yes,young\nno,old\nno,young\n" * 40


def work(session):
    return session.at.session_state["work"]


def history(session) -> History:
    return session.at.session_state["pages.shared.history.History"]


def past(session):
    return len(history(session).past)


def toasts(session):
    return [toast.value for toast in session.at.toast]


@pytest.mark.slow
def test_at_first_there_is_nothing_to_take_back(session):
    for page in ("start", "data", "budget", "perturb"):
        session.go(page)
        assert past(session) == 0
    assert toasts(session.click("Undo")) == ["There is nothing to take back"]
    assert toasts(session.run()) == []


CHANGES = {
    "levels": (lambda s: s.edit({0: {"eps": 1.0}}), "the levels"),
    "scale": (lambda s: s.set("slider", "Scale all levels", 0.5), "the levels"),
    "attributes": (lambda s: s.set("multiselect", "Attributes of the plan", ["Age", "Class"]), "the attributes"),
    "mechanism": (lambda s: s.choose("kronecker"), "the mechanism"),
    "people": (lambda s: s.set("number_input", "People", 900), "the number of people"),
    "pins": (lambda s: s.click("Pin plan"), "the pinned plans"),
    "entry": (lambda s: s.set("radio", "I give", "total"), "the way into the plan"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("change", "said"), CHANGES.values(), ids=CHANGES)
def test_a_change_is_named_and_taken_back_on_another_page(session, change, said):
    session.go("budget")
    plan, pinned = work(session).plan(), session.pins.pinned
    change(session)
    assert (work(session).plan(), session.pins.pinned, work(session).wishes.entry) != (plan, pinned, "levels")
    assert past(session) == 1
    (told,) = toasts(session.go("start").click("Undo"))
    assert told.startswith(f"As before: {said}")
    assert (work(session).plan(), session.pins.pinned, work(session).wishes.entry) == (plan, pinned, "levels")
    assert past(session) == 0
    session.go("budget")
    assert session.levels == [2.0] * 4
    assert session.widget("slider", "Scale all levels").value == 1.0
    assert past(session) == 0


@pytest.mark.slow
def test_one_after_the_other(session):
    session.go("budget").edit({0: {"eps": 1.0}}).edit({1: {"eps": 0.5}}).click("Pin plan")
    session.click("Undo")
    assert session.pins.pinned.pins == ()
    assert session.click("Undo").levels == [1.0, 2.0, 2.0, 2.0]
    assert session.click("Undo").levels == [2.0] * 4
    assert past(session) == 0


@pytest.mark.slow
def test_the_table_before_is_got_back_with_its_plan(session):
    session.go("budget").edit({0: {"eps": 1.0}}).upload(SURVEY)
    assert work(session).title == "survey"
    session.click("Undo")
    assert (work(session).title, work(session).plan().levels) == ("Titanic", (1.0, 2.0, 2.0, 2.0))
    assert session.widget("radio", "Where the table comes from").value == "demo"
    session.run()
    assert work(session).title == "Titanic"


def test_a_column_left_out_is_got_back(session):
    table = work(session).table
    session.go("data").edit({1: {"in play": False}})
    assert work(session).wishes.chosen == ("Class", "Age", "Survived")
    session.click("Undo")
    assert session.table["in play"].tolist() == [True] * 4
    assert set(work(session).wishes.chosen) == {"Class", "Sex", "Age", "Survived"}
    assert work(session).table is table


def test_declared_questions_are_got_back_while_they_are_edited(session):
    session.go("data").set("radio", "Where the table comes from", "declare").declare("smokes: never, always")
    assert work(session).schema.attributes[0].categories == ("never", "always")
    session.click("Undo")
    assert work(session).schema.attributes[0].categories == ("no", "yes")
    session.run()
    assert work(session).schema.attributes[0].categories == ("no", "yes")


@pytest.mark.slow
def test_levels_that_follow_from_a_total_are_no_change_of_their_own(session):
    session.go("budget").set("radio", "I give", "total").set("number_input", "Total for the whole record (nats)", 3.0)
    session.run().run()
    assert past(session) == 2
    session.click("Undo").run()
    assert work(session).wishes.total == 4.0
    session.click("Undo").run()
    assert work(session).wishes.entry == "levels"
    assert past(session) == 0


@pytest.mark.slow
def test_what_is_only_looked_at_is_no_change(session):
    session.go("perturb").set("multiselect", "Joint distribution of", ["Age"]).set("number_input", "Seed", 9)
    assert past(session) == 0
    session.go("budget").choose("kronecker").click("Undo")
    assert (work(session).wishes.marginal, work(session).wishes.seed) == (("Age",), 9)


def test_it_is_bounded_and_keeps_few_tables(session):
    own = work(session)
    project = taken_without_session(own)
    column = own.table.columns[0]
    kept, tables = History(), [TextTable((replace(column, codes=column.codes.copy()),)) for _ in range(20)]
    for number in range(200):
        wishes = replace(project.wishes, respondents=number + 1)
        kept.keep(Moment(replace(project, wishes=wishes), tables[number // 10]))
    assert len(kept.past) <= 50
    assert len({moment.held for moment in kept.past}) == 4


def taken_without_session(own):
    return Project(Origin("demo", own.title, "titanic"), own.schema, own.wishes)


def test_a_wish_is_taken_back_unless_it_is_only_looked_at(session):
    project = taken_without_session(work(session))
    for each in fields(Wishes):
        other = copy(project)
        object.__setattr__(other, "wishes", copy(project.wishes))
        object.__setattr__(other.wishes, each.name, "something else")
        changed = Moment(other, None).changes(Moment(project, None))
        assert bool(changed) == (each.name not in ("marginal", "seed", "people", "questions")), (
            each.name
        )  # no questions are asked
