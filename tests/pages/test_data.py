"""Data: demos, uploads, refusals that keep the former table, columns, questions without data, and invented tables."""

import gzip
import io
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pytest

import rrcore as rr
from pages.shared.uploads import UploadReading
from rrcore.budget import Plan, build
from rrcore.mark import simulation_mark
from rrcore.promise import integer_groups, release_table
from rrcore.table import Attribute, Dataset, Schema, load_demo
from rrcore.writing import simulated_table
from tests.hostile.cases import CASES

ROWS = [("sex", "smokes"), *[("f" if i % 3 else "m", "yes" if i % 4 else "no") for i in range(60)]]
QUALTRICS = (
    b"StartDate,EndDate,Q1,Q2\nStart Date,End Date,How old?,Sex\n"
    b'"{""ImportId"":""startDate""}","{""ImportId"":""endDate""}","{""ImportId"":""QID1""}","{""ImportId"":""QID2""}"\n'
) + b"".join(
    b"2024-01-0%d,2024-01-0%d,%s,%s\n" % (1 + i % 9, 1 + i % 9, (b"young", b"old")[i % 2], b"fm"[i % 2 : i % 2 + 1])
    for i in range(60)
)
COUNTS = b"sex,smokes,Freq\nf,no,3\nf,yes,4\nm,no,5\nm,yes,6\n"
SCHEMA = Schema((Attribute("smokes", ("no", "yes")), Attribute("area", ("north", "south", "west"))))
TRUE = Dataset(SCHEMA, np.random.default_rng(1).integers(0, (2, 3), (300, 2)), "people")
MECHANISM = build("independent", SCHEMA.sizes, [1.0, 1.0])


def text(delimiter=",", rows=ROWS):
    return "".join(delimiter.join(map(str, row)) + "\n" for row in rows).encode()


def workbook():
    book = openpyxl.Workbook()
    book.active.append(["About this survey"])
    sheet = book.create_sheet("Answers")
    for row in [("Survey of 2024",), (), *ROWS, ("Total", 60)]:
        sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def parquet():
    out = io.BytesIO()
    pd.DataFrame(ROWS[1:], columns=ROWS[0]).to_parquet(out)
    return out.getvalue()


def work(session):
    return session.at.session_state["work"]


def counts(session, name):
    """People in each category, as the table of columns shows them."""
    return dict(zip(session.categories, session.row(name)["distribution"], strict=True))


# Sources


def test_data_opens_without_a_table_and_with_questions(open_session):
    session = open_session("/data", table="")
    assert work(session).schema is None
    assert not session.has("button", "Set the budget")
    session.set("selectbox", "Demo table", "berkeley").click("Set the budget")
    assert session.title == "Budget"
    declared = open_session("/data", table="").declaring().go("data", "Table")
    assert declared.errors == []
    assert len(declared.at.info) == 1


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("survey.csv.gz", gzip.compress(text(), mtime=0)),
        ("survey.parquet", parquet()),
    ],
)
def test_a_file_of_each_format_is_read(session, name, data):
    session.upload(data, name)
    assert session.errors == []
    assert session.table["name"].tolist() == ["sex", "smokes"]
    assert session.table["distribution"].map(list).tolist() == [[40, 20], [15, 45]]
    (rows,) = [frame.value for frame in session.at.dataframe if list(frame.value.columns) == ["sex", "smokes"]]
    assert len(rows) == 6


def test_two_actions_lead_from_a_file_to_the_budget(session):
    session.upload(text()).click("Set the budget")
    assert session.title == "Budget"
    assert work(session).draft.chosen == ("sex", "smokes")


def test_a_doubtful_file_on_start_leads_to_data(open_session):
    session = open_session("/", table="").run()
    (door,) = [each for each in session.at.file_uploader if each.key == "door_upload"]
    door.set_value(("mine.csv", COUNTS, "text/csv"))
    assert session.run().title == "Data"
    assert session.has("button", "Use this table")


def test_an_invented_table_is_made_on_demand(session):
    session.go("data").set("number_input", "Attributes", 2)
    assert work(session).source == "demo"
    session.set("slider", "Association of neighboring attributes (Cramér's V)", 0.8).click("Make table")
    assert session.errors == []
    assert work(session).source == "synthetic"
    assert session.table["name"].tolist() == ["A", "B"]
    assert work(session).dataset.n == 10_000
    session.set("number_input", "Sample size", 4).click("Make table")
    assert len(session.errors) == 1
    assert work(session).dataset.n == 10_000


def test_the_unit_of_protection_is_part_of_the_plan(session):
    session.go("data").set("number_input", "Rows per person, at most", 3)
    assert work(session).draft.rows_per_person == 3
    assert work(session).draft.epsilon_of_person(2.0) == 6.0
    session.go("budget").go("data")
    assert session.click("undo").errors == []
    assert work(session).draft.rows_per_person == 1


# Refusals


@pytest.mark.parametrize(
    "data",
    [b"", b",".join(b"c%d" % i for i in range(5_000)) + b"\n1\n"],
    ids=["empty", "5,000 columns"],
)
def test_a_bad_file_gives_one_message_and_keeps_the_former_table(session, data):
    session.upload(data)
    (error,) = session.errors
    assert 20 < len(error) < 300
    assert error.endswith(".")
    assert work(session).title == "Titanic"
    assert tuple(session.table["name"]) == load_demo("titanic").schema.names


@pytest.mark.parametrize(("kind", "page"), [("released", "data"), ("archive", "start"), ("simulated", "budget")])
def test_randomized_answers_are_refused_with_a_link_to_analyze(open_session, kind, page):
    release = release_table(rr.MechanismFile(SCHEMA, integer_groups(MECHANISM)), TRUE).to_zip()
    with zipfile.ZipFile(io.BytesIO(release)) as opened:
        released = opened.read("released.csv")
    simulated = simulated_table(rr.simulate(TRUE, MECHANISM, rng=np.random.default_rng(7)).dataset, 7)
    content = {"archive": release, "released": released, "simulated": simulated}[kind]
    assert kind != "simulated" or simulation_mark(7).encode() in content
    session = open_session("/" if page == "start" else f"/{page}", table="").run()
    uploader = next(each for each in session.at.file_uploader if each.key != "project_file")
    uploader.set_value(("answers.csv", content, "application/octet-stream"))
    session.run()
    assert len(session.errors) == 1
    assert "analyze" in session.links
    assert work(session).schema is None


def test_one_hostile_file_after_another_ends_as_stated(session):
    """One of each way in which a file ends; the library reads them all in tests/hostile."""
    for name in ("utf-16", "the same, left out", "no row that fits", "a zero byte", "cells far apart", "lists", "turned around"):
        case, former = CASES[name], work(session.go("data")).title
        session.upload(case.make(), f"{name}.")
        if session.has("button", "Use this table") and not session.widget("button", "Use this table").disabled:
            session.click("Use this table")
        shown = session.text + "".join(session.errors + session.warnings)
        assert case.refused in shown, name
        assert bool(case.refused) == (work(session).title == former), name


def test_a_file_above_the_limit_is_refused(session, monkeypatch):
    monkeypatch.setattr("rrcore.table.opening.MAX_FILE_BYTES", 2**20)
    session.upload(b"a,b\n" + b"x,y\n" * 300_000)
    assert len(session.errors) == 1


def test_another_sheet_forgets_what_was_chosen_about_rows():
    reading = UploadReading(given={"start": 3, "missing_codes": ("-9",)})
    reading.give("sheet", "Answers")
    assert (reading.given, reading.changed) == ({"missing_codes": ("-9",), "sheet": "Answers"}, True)


# Questions about a file


def test_a_workbook_with_two_sheets_a_title_and_a_total(session):
    session.upload(workbook(), "book.xlsx")
    assert session.widget("selectbox", "Sheet").value == "Answers"
    assert session.widget("number_input", "Table starts in row").value == 3
    assert session.widget("number_input", "Rows of totals at the end").value == 1
    assert work(session).title == "Titanic"
    session.click("Use this table")
    assert session.errors == []
    assert work(session).dataset.n == 60
    session.click("Change how the file is read").set("number_input", "Rows of totals at the end", 0).click("Use this table")
    assert work(session).dataset.n == 61
    session.click("Change how the file is read").click("Keep 'book'")
    assert work(session).dataset.n == 61


def test_an_export_is_known_and_can_be_read_as_a_plain_table(session):
    session.upload(QUALTRICS, "q.csv")
    assert session.table["question"].tolist()[2:] == ["How old?", "Sex"]
    assert work(session).dataset.n == 60
    session.click("Change how the file is read").set("number_input", "Rows to skip below the names", 0).click("Use this table")
    assert work(session).dataset.n == 62


def test_counts_are_proposed_and_can_be_declined(session):
    session.upload(COUNTS)
    assert session.widget("selectbox", "This column holds counts").value == "Freq"
    session.click("Use this table")
    assert (work(session).dataset.n, session.table["name"].tolist()) == (18, ["sex", "smokes"])
    session.click("Change how the file is read").set("selectbox", "This column holds counts", "").click("Use this table")
    assert (work(session).dataset.n, session.table["name"].tolist()) == (4, ["sex", "smokes", "Freq"])


def test_a_kind_says_that_a_column_holds_counts_or_weights(session):
    rows = [("sex", "smokes", "times", "weight"), *[("fm"[i % 2], "yn"[i % 3 > 0], 1 + i % 2, 1 + i % 4) for i in range(60)]]
    session.upload(text(rows=rows)).edit({2: {"kind": "counts"}})
    assert session.widget("selectbox", "This column holds counts").value == "times"
    session.set("selectbox", "This column holds counts", "").set("selectbox", "This column holds weights", "weight")
    session.click("Use this table")
    assert session.errors == []
    assert "weight" not in session.table["name"].tolist()


def test_rows_that_do_not_fit_are_left_out_on_demand(session):
    rows = "".join(f"{'fm'[i % 2]},{('yes', 'no')[i % 3 > 0]}\n" for i in range(60))
    session.upload(f"sex,smokes\nSales, retail,yes\nf\n{rows}m,no,1\n".encode())
    assert work(session).title == "Titanic"
    session.click("Use this table")
    assert work(session).dataset.n == 60


def test_a_text_in_two_encodings_is_asked_about(session):
    session.upload(b"name,smokes\n" + ("Zo\u00eb,yes\n".encode() + "J\u00fcrgen,no\n".encode("cp1252")) * 20, "people.csv")
    session.set("selectbox", "Encoding", "mixed").click("Use this table")
    assert session.row("name")["distribution"] == [20, 20]


def test_advice_is_followed_at_one_press(session):
    rows = [("kind", "amount"), *((["x", "y", "?"][i % 3], 17 * i) for i in range(200))]
    session.upload(text(rows=rows))
    assert session.table["include"].tolist() == [True, False]
    session.click("Count as missing").click("Use in intervals")
    assert session.errors == []
    assert session.table["categories"].tolist() == [3, 4]
    assert work(session).draft.chosen == ("kind", "amount")


def test_names_read_from_a_file_are_asked_about(session):
    session.upload(text(), settled=False).click("seen_columns")
    assert work(session).unsettled([work(session).schema]) == {}


# Columns

FRUIT = ["apple"] * 300 + ["pear"] * 285 + ["quince"] * 10 + ["medlar"] * 5
GAPS = ["NA" if i % 10 == 0 else "" if i % 10 == 1 else "b" if i % 2 else "c" for i in range(600)]
CATEGORIES = "Categories, one per line, in order"


@pytest.fixture
def survey(session):
    """A column of numbers, one of rare answers, one with two sorts of missing values, an identifier and a constant."""
    rows = [f"{20 + i % 40},{FRUIT[i]},{GAPS[i]},p{i},first" for i in range(600)]
    return session.upload("\n".join(["age,fruit,gap,id,wave", *rows]).encode())


def test_a_column_is_left_out_and_included_again(survey):
    survey.edit({1: {"include": False}})
    assert work(survey).draft.chosen == ("age", "gap")
    survey.edit({1: {"include": True}})
    assert set(work(survey).draft.chosen) == {"age", "fruit", "gap"}
    survey.edit({1: {"include": False}}).click("include_all")
    assert work(survey).draft.chosen == ("age", "fruit", "gap")


@pytest.mark.parametrize(
    "edit",
    [{4: {"include": True}}, {0: {"include": False}, 1: {"include": False}, 2: {"include": False}}],
)
def test_an_edit_that_cannot_be_made_gives_one_message(survey, edit):
    survey.edit(edit)
    assert len(survey.errors) == 1
    assert survey.table["name"].tolist() == ["age", "fruit", "gap", "id", "wave"]
    assert work(survey).draft.chosen
    survey.edit({1: {"kind": "ordinal"}})
    assert survey.errors == []


def test_a_renamed_column_keeps_all_that_was_decided(survey):
    work(survey).set_epsilon({"fruit": 0.5})
    survey.edit({1: {"name": "food"}})
    assert work(survey).draft.chosen == ("age", "food", "gap")
    assert work(survey).draft.epsilon["food"] == 0.5
    assert work(survey.click("undo")).draft.chosen == ("age", "fruit", "gap")


def test_missing_values_rare_categories_and_intervals(survey):
    assert counts(survey.detail("gap"), "gap") == {"NA": 60, "b": 240, "c": 240, "(missing)": 60}
    survey.set("text_input", "Texts that mean 'missing'", "NA, ?")
    assert counts(survey, "gap") == {"b": 240, "c": 240, "(missing)": 120}
    survey.set("radio", "Missing values", "drop")
    assert work(survey).dataset.n == 480
    survey.set("radio", "Missing values", "category")
    survey.detail("fruit").set("number_input", "Merge categories with fewer people than", 20)
    assert counts(survey, "fruit") == {"apple": 300, "pear": 285, "(other)": 15}
    assert list(counts(survey.detail("age"), "age").values()) == [150] * 4
    survey.set("text_input", "Limits of the intervals, increasing", "20, 30, 50, 70")
    assert list(counts(survey, "age").values()) == [0, 150, 300, 150, 0]
    survey.set("selectbox", "Numbers become", False)
    assert survey.categories == [str(age) for age in range(20, 60)]


@pytest.mark.parametrize("typed", ["30, 20", "20, nan"])
def test_bad_edges_change_nothing(survey, typed):
    before = survey.detail("age").row("age")
    survey.set("text_input", "Limits of the intervals, increasing", typed)
    assert len(survey.errors) == 1
    assert survey.row("age") == before


def test_categories_are_declared_ordered_and_removed(survey):
    survey.detail("fruit").set("text_area", CATEGORIES, "quince\nplum\npear\napple")
    assert counts(survey, "fruit") == {"quince": 10, "plum": 0, "pear": 285, "apple": 300, "(other)": 5}
    survey.set("text_area", CATEGORIES, "apple\npear\napple")
    assert len(survey.errors) == 1
    assert survey.widget("text_area", CATEGORIES).value == "apple\npear\napple"


def test_values_get_other_names(survey):
    survey.detail("fruit")
    (key,) = (each.key for each in survey.at.data_editor if each.key and each.key.startswith("called_fruit"))
    survey.at.session_state[key] = {"edited_rows": {1: {"name": "apple"}}, "added_rows": [], "deleted_rows": []}
    survey.run()
    assert counts(survey, "fruit")["apple"] == 305


# Questions without data

EXAMPLE = ("smokes: no, yes", "health: poor < fair < good", "region: north, south, east, west")


def test_opening_the_questions_keeps_the_table(session):
    session.go("data", "Describe questions")
    assert work(session).title == "Titanic"
    session.set("number_input", "Sample size", 500).click("Set the budget")
    assert session.title == "Budget"
    assert (work(session).source, work(session).draft.n) == ("declare", 500)
    assert work(session).draft.chosen == ("smokes", "health", "region")


def test_described_questions_are_followed_once_they_are_in_use(session):
    session.declaring().declare("vapes: 3", *EXAMPLE[1:], "", " ")
    assert work(session).schema.sizes == (3, 3, 4)
    assert session.go("budget").errors == []
    plan = Plan.from_json(work(session).plan().to_json())
    assert (plan.schema.names, plan.n) == (("vapes", "health", "region"), 2000)
    session.go("data", "Describe questions").click("Let people decline to answer")
    assert work(session).schema.sizes == (4, 4, 5)


@pytest.mark.parametrize(
    "line",
    ["smokes: yes", "region: 2"],
)
def test_a_bad_question_gives_one_message_and_keeps_the_plan(session, line):
    former = work(session.declaring()).plan()
    session.declare(line, *EXAMPLE[1:])
    assert len(session.errors) == 1
    assert work(session).plan() == former


def test_a_plan_is_kept_if_a_table_has_its_attributes(session):
    session.declaring().declare("smokes: no, yes", "region: north, south, west")
    rows = [
        ("age", "region", "smokes"),
        *((20 + i % 30, ("north", "south")[i % 2], ("no", "yes")[i % 3 == 0]) for i in range(60)),
    ]
    session.upload(text(rows=rows))
    assert work(session).draft.chosen == ("smokes", "region")
    by_name = {each.name: each for each in work(session).schema.attributes}
    assert by_name["region"].categories == ("north", "south", "west")
    assert work(session).dropped == ""


def test_a_plan_that_a_table_does_not_fit_comes_back_by_undo(session):
    session.declaring().declare("pet: cat, dog", "region: north, south").upload(text())
    assert work(session).dropped
    assert work(session.click("undo")).draft.chosen == ("pet", "region")
