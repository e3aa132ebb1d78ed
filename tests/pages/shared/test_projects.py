"""Saved projects: saved on any page, opened in a fresh session whatever is in play, without any answer in them."""

import datetime as dt
import json
from pathlib import Path

import pytest

from pages.compare import settings
from pages.shared import choices
from pages.shared.choices import KINDS
from rrcore.budget import Project
from rrcore.mechanisms import Safeguards

SURVEY = b"person,smokes,age\n" + b"".join(b"p%d,%s,%d\n" % (n, (b"no", b"yes")[n % 3 == 0], 18 + n % 40) for n in range(120))


def work(session):
    return session.at.session_state["work"]


def saved(session):
    return session.download("project.json")


def parts(session):
    """What is in play, but for what is only computed from it."""
    project = Project.from_json(saved(session))
    return project.origin, project.schema, project.wishes, project.pins


@pytest.fixture
def uploaded(session):
    """A survey, with a changed plan of its own and a pin."""
    session.upload(SURVEY)
    session.edit({1: {"kind": "ordinal"}}).go("budget").edit({0: {"eps": 1.25}}).set("number_input", "People", 900)
    return session.choose("optimal").click("Pin plan").go("data")


@pytest.mark.slow
def test_a_demo_opens_again_in_a_fresh_session(session, open_session):
    session.go("budget").edit({0: {"eps": 1.0}}).set("multiselect", "Attributes of the plan", ["Class", "Survived"]).click(
        "Pin plan"
    )
    session.go("perturb").set("number_input", "Seed", 7).set("number_input", "What if the number of people were", 500)
    fresh = open_session()
    fresh.open_project(saved(session))
    assert fresh.title == "Budget"
    assert parts(fresh) == parts(session)
    assert work(fresh).plan() == work(session).plan()
    assert fresh.levels == [1.0, 2.0]
    assert fresh.go("perturb").download("simulated-release.csv") == session.download("simulated-release.csv")


@pytest.mark.slow
def test_an_upload_is_asked_for_by_name_and_taken_up_again(uploaded, open_session):
    project, plan = saved(uploaded), work(uploaded).plan()
    fresh = open_session()
    fresh.open_project(project)
    assert fresh.title == "Data"
    assert "about the file 'survey', whose answers are kept nowhere" in fresh.text
    assert "a table with the columns smokes, age" in fresh.text
    assert work(fresh).plan() == plan
    assert work(fresh).dataset is None
    assert Project.from_json(saved(fresh)) == Project.from_json(project)
    assert "upload it again on the Data page" in fresh.go("perturb").text
    fresh.go("data").upload(SURVEY, "the same under another name.csv")
    assert work(fresh).plan() == plan
    assert work(fresh).dataset.schema == work(uploaded).dataset.schema
    assert fresh.row("smokes")["kind"] == "ordinal"
    assert [pin.plan for pin in fresh.pins.pinned.pins] == [plan]


@pytest.mark.slow
def test_columns_that_were_renamed_are_found_by_their_names_in_the_file(session, open_session):
    session.upload(SURVEY).edit({1: {"name": "smoker"}})
    plan = work(session).plan()
    assert plan.schema.names == ("smoker", "age")
    fresh = open_session()
    fresh.open_project(saved(session))
    assert "a table with the columns smokes, age" in fresh.text
    fresh.upload(SURVEY)
    assert work(fresh).plan() == plan
    assert saved(fresh) == saved(session.run())


@pytest.mark.slow
def test_another_file_than_the_one_awaited_is_read_anew(uploaded, open_session):
    fresh = open_session()
    fresh.open_project(saved(uploaded))
    fresh.upload(b"other,answer\n" + b"a,yes\nb,no\n" * 50)
    assert work(fresh).awaited is None
    assert work(fresh).wishes.chosen == ("other", "answer")
    fresh.click("Undo")
    assert work(fresh).awaited is not None
    assert work(fresh).wishes.chosen == ("smokes", "age")


@pytest.mark.slow
def test_opened_where_its_file_is_in_play_a_project_goes_on_with_it(uploaded):
    project, plan = saved(uploaded), work(uploaded).plan()
    uploaded.go("budget").edit({0: {"eps": 3.0}}).open_project(project)
    assert uploaded.title == "Budget"
    assert work(uploaded).plan() == plan
    assert work(uploaded).dataset is not None


@pytest.mark.slow
@pytest.mark.parametrize("before", ["demo", "upload"])
def test_what_was_in_play_is_got_back(session, open_session, before):
    if before == "upload":
        session.upload(SURVEY)
    project, plan, table = saved(open_session().click("demo_haireye")), work(session).plan(), work(session).table
    session.open_project(project)
    assert work(session).title == "Hair and eye colour"
    session.click("Undo")
    assert (work(session).plan(), work(session).table) == (plan, table)
    assert session.go("data").widget("radio", "Where the table comes from").value == before
    assert work(session).plan() == plan


@pytest.mark.slow
def test_a_declared_plan_opens_with_answers_that_hold_commas(session, open_session):
    session.go("data").set("radio", "Where the table comes from", "declare")
    session.declare('smokes: no, "yes, often", never', "health: poor < fair < good").set(
        "number_input", "People expected to answer", 777
    )
    assert work(session).schema.attributes[0].categories == ("no", "yes, often", "never")
    work(session).wish(wording={"smokes": "Do you smoke?"})
    fresh = open_session()
    fresh.open_project(saved(session.run()))
    assert fresh.title == "Budget"
    assert work(fresh).schema == work(session).schema
    fresh.go("data").run()
    assert work(fresh).schema == work(session).schema
    assert (work(fresh).wishes.respondents, work(fresh).wishes.wording) == (777, {"smokes": "Do you smoke?"})


@pytest.mark.slow
def test_an_invented_table_is_made_again(session, open_session):
    session.go("data").set("radio", "Where the table comes from", "synthetic").set("number_input", "People", 5000)
    fresh = open_session()
    fresh.open_project(saved(session))
    assert (work(fresh).dataset.codes == work(session).dataset.codes).all()
    fresh.go("data").run()
    assert (work(fresh).dataset.codes == work(session).dataset.codes).all()


@pytest.mark.slow
def test_safeguards_questions_and_choices_of_pages_are_kept(session, open_session):
    session.given(documents_front=True).go("collect").set("text_input", "Made by", "the office")
    session.set("date_input", "Date", dt.date(2026, 5, 1))
    own = work(session)
    own.wish(floor=0.5, slacks={"Sex": 1.0}, mechanism="safeguarded")
    session.run()
    fresh = open_session()
    fresh.open_project(saved(session))
    assert work(fresh).plan().safeguards == Safeguards(0.5, (), (float("inf"), 1.0, float("inf"), float("inf")))
    assert fresh.go("collect").widget("text_input", "Made by").value == "the office"
    assert fresh.given(documents_front=True).run().widget("date_input", "Date").value == dt.date(2026, 5, 1)


def test_what_was_typed_for_a_comparison_is_kept(session, open_session):
    session.given(compare_varied="people").go("compare").set("text_input", "Values, separated by commas", "100, 900")
    fresh = open_session()
    fresh.open_project(saved(session))
    assert fresh.go("compare").widget("text_input", "Values, separated by commas").value == "100, 900"


def test_a_project_holds_no_answers(session):
    session.upload(
        b"smokes,note,free\n" + b"".join(b"%s,n%d,secret-%d\n" % ((b"no", b"yes")[n % 2], n % 4, n) for n in range(200))
    )
    written = saved(session)
    assert "secret-" not in written
    origin = json.loads(written)["table"]
    assert origin["columns"] == ["smokes", "note", "free"]
    assert not origin["rules"]["free"]["use"]


@pytest.mark.parametrize(
    ("content", "fragment"),
    [
        (b"name,age\nx,1\n", "is not JSON"),
        (b'{"format": "rr-workbench plan"}', "format: expected"),
        (b'{"format": "rr-workbench project", "version": 9}', "version: expected 1, got 9"),
    ],
)
def test_a_bad_file_gives_one_sentence_and_changes_nothing(session, content, fragment):
    plan = work(session).plan()
    session.open_project(content)
    (error,) = session.errors
    assert fragment in error
    assert error.endswith("Nothing was changed.")
    assert session.title == "Plans"
    assert work(session).plan() == plan


def test_a_project_whose_table_lacks_its_attributes_changes_nothing(session):
    document = json.loads(saved(session))
    document["table"]["rules"]["Sex"] = {"use": False}
    plan = work(session).plan()
    session.open_project(json.dumps(document))
    (error,) = session.errors
    assert "no attribute 'Sex'" in error
    assert work(session).plan() == plan


@pytest.mark.slow
def test_choices_that_no_page_could_have_made_do_no_harm(session):
    document = json.loads(saved(session))
    wrong = {int: 10**9, float: -1e300, str: "nonsense", bool: True, tuple: ["nonsense"], dt.date: "2026-02-30"}
    document["choices"] = {key: wrong[kind] for key, kind in KINDS.items()} | {"made_by": 5, "unknown": "x"}
    session.open_project(json.dumps(document))
    said = {
        "A device that is handed on cannot memoise one person's answers",
        "No scheme is chosen",
        "Line 1, 'nonsense', has no name and colon before its answers",
    }  # of Collect, and of comparisons
    for page in ("budget", "collect", "compare", "synthesize", "keyvalue", "dependence", "release"):
        assert {error.partition(":")[0] for error in session.go(page).errors} <= said


def test_the_choices_that_are_kept_are_those_of_widgets():
    code = "".join(path.read_text("utf-8") for path in Path(choices.__file__).parents[1].rglob("*.py") if path.stem != "choices")
    chosen = {f"{page}_{what}" for page in ("perturb", "read") for what in ("first", "at_once")}
    made = chosen | {"sought_table", "sought_declared"} | {f"compare_values_{varied}" for varied in settings._VALUES}
    assert [key for key in KINDS if f'"{key}"' not in code and key not in made] == []
