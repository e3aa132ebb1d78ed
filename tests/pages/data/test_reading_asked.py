"""Data: how a file is read is asked in one box, with a preview, and nothing of it is in use until that is accepted."""

import io
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rrcore.budget import Project

ADULT = Path(__file__).parents[4] / "shared" / "data" / "adult.csv"
PEOPLE = [("f" if i % 3 else "m", "yes" if i % 4 else "no", 20 + i % 7) for i in range(60)]
TINY = b"f,no\nm,yes\nd,may be\n"
QUALTRICS = (
    b'StartDate,ResponseId,Q1,Q2\nStart Date,Response ID,"How old, now?",Sex\n'
    b'"{""ImportId"":""startDate""}","{""ImportId"":""_recordId""}","{""ImportId"":""QID1""}","{""ImportId"":""QID2""}"\n'
    + b"".join(b"2024-01-01,R_%d,%d,%c\n" % (i, 20 + i % 5, b"fm"[i % 2]) for i in range(60))
)


def text(*rows):
    return "".join(",".join(map(str, row)) + "\n" for row in rows).encode()


def workbook():
    book = openpyxl.Workbook()
    book.active.append(["About this survey"])
    sheet = book.create_sheet("Answers")
    for row in [["Survey of 2024"], [], ["sex", "smokes", "age"], *PEOPLE, ["Total", None, 1372]]:
        sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def preview(session):
    return session.at.dataframe[0].value


def test_a_file_without_names_is_known_and_its_columns_are_named_in_the_table(session):
    session.upload(text(*PEOPLE))
    assert session.errors == []
    assert session.table["name"].tolist() == ["Column 1", "Column 2", "Column 3"]
    assert session.row("Column 1")["distribution"] == [40, 20]
    assert "The first row holds answers, as 'm' shows" in session.text
    assert "3 columns have no name of their own" in session.warnings[0]
    session.edit({0: {"name": "sex"}, 1: {"name": "smokes"}, 2: {"name": "age"}})
    assert session.table["name"].tolist() == ["sex", "smokes", "age"]
    assert session.row("sex")["distribution"] == [40, 20]
    assert session.warnings == []
    assert session.chosen == ["sex", "smokes", "age"]


def test_the_first_row_is_asked_about_where_it_is_not_certain(session):
    session.upload(TINY, "tiny.csv")
    assert session.errors == []
    assert "not in use yet, and 'Titanic' stays in use" in session.text
    assert preview(session).iloc[:, 1:].to_numpy().tolist() == [
        ["names", "f", "no"],
        ["answer", "m", "yes"],
        ["answer", "d", "may be"],
    ]
    session.go("budget")
    assert session.chosen == ["Class", "Sex", "Age", "Survived"]
    session.go("data").set("checkbox", "This row holds names", False).click("Use this table")
    assert session.table["name"].tolist() == ["Column 1", "Column 2"]
    assert "3 people" in session.text
    session.click("Change how it is read").set("checkbox", "This row holds names", True).click("Use this table")
    assert session.table["name"].tolist() == ["f", "no"]
    session.click("Change how it is read").click("Keep 'tiny'")
    assert session.table["name"].tolist() == ["f", "no"]


def test_a_table_on_the_second_sheet_below_a_title_with_a_total(session):
    session.upload(workbook(), "book.xlsx")
    assert session.widget("selectbox", "Sheet").value == "Answers"
    assert session.widget("number_input", "Table starts in row").value == 3
    assert session.widget("number_input", "Last rows that are totals").value == 1
    assert preview(session).iloc[0].tolist() == ["1", "title", "Survey of 2024", "", ""]
    assert "**Titanic**" in session.text
    session.click("Use this table")
    assert session.errors == []
    assert session.table["distribution"].map(list).tolist()[:2] == [[40, 20], [15, 45]]
    assert "60 people" in session.text


def test_another_sheet_and_row_can_be_chosen(session):
    session.upload(workbook(), "book.xlsx").set("selectbox", "Sheet", "Sheet")
    assert preview(session).iloc[0].tolist()[2] == "About this survey"
    session.set("selectbox", "Sheet", "Answers").set("number_input", "Table starts in row", 4)
    session.set("number_input", "Last rows that are totals", 0).click("Use this table")
    assert "61 people" in session.text


def test_an_export_is_known_and_can_be_read_as_a_plain_table(session):
    session.upload(QUALTRICS, "q.csv")
    assert "export of Qualtrics" in session.text
    assert session.table["question"].tolist()[2:] == ["How old, now?", "Sex"]
    assert session.table["in play"].tolist() == [False, False, True, True]
    assert "60 people" in session.text
    session.click("Change how it is read").set("number_input", "Rows below the names to leave out", 0).click("Use this table")
    assert "62 people" in session.text


@pytest.mark.parametrize(
    ("data", "label", "value", "names", "people"),
    [
        (
            b",sex,smokes\n" + b"".join(b"%d,%c,yes\n%d,f,no\n" % (i, b"fm"[i % 2], 90 - i) for i in range(30)),
            "",
            True,
            ["sex", "smokes"],
            60,
        ),
        (b"sex,a,a\n" + b"f,no,1\nm,yes,2\n" * 30, "", True, ["sex", "a", "a (2)"], 60),
        (b"sex,smokes,Freq\nf,no,3\nf,yes,4\nm,no,5\nm,yes,6\n", "", "", ["sex", "smokes"], 18),
        (
            b"sex,smokes,Freq\nf,no,3\nf,yes,4\nm,no,5\nm,yes,6\n",
            "Number of people in each row",
            "",
            ["sex", "smokes", "Freq"],
            4,
        ),
    ],
)
def test_names_and_counts_are_accepted_at_one_press(session, data, label, value, names, people):
    session.upload(data)
    if label:
        session.set("selectbox", label, value)
    session.click("Use this table")
    assert session.errors == []
    assert session.table["name"].tolist() == names
    assert f"{people} people" in session.text


def test_missing_codes_and_the_decimal_sign_can_be_said(session):
    session.upload(text(("sex", "income"), *[("fm9"[i % 3], f'"{i % 4 + 1},500"') for i in range(60)]))
    session.set("text_input", "Missing codes", "9").set("selectbox", "Decimal sign", ".").click("Use this table")
    assert session.categories == ["f", "m", "(missing)"]
    assert session.at.session_state["work"].table.column("income").values == ("1500", "2500", "3500", "4500")


def test_eight_of_fifteen_columns_are_in_play_and_why(session):
    names = [f"q{i}" for i in range(15)]
    session.upload(text(names, *[["yes" if (i >> j % 5) % 2 else "no" for j in range(15)] for i in range(64)]))
    assert "8 of 15 columns are in play, at first the first that can be: every answer that is given adds" in session.text
    assert session.table["in play"].tolist() == [True] * 8 + [False] * 7
    session.edit({14: {"in play": True}, 0: {"in play": False}})
    assert session.table["in play"].tolist() == [False] + [True] * 7 + [False] * 6 + [True]
    assert session.chosen == [*names[1:8], "q14"]


def test_advice_is_followed_at_one_press(session):
    rows = [(["x", "y", "?"][i % 3], 17 * i) for i in range(200)]
    session.upload(text(("kind", "amount"), *rows))
    assert session.table["in play"].tolist() == [True, False]
    session.click("Count as missing").click("Use it in groups")
    assert session.errors == []
    assert session.table["in play"].tolist() == [True, True]
    assert session.table["categories"].tolist() == [3, 4]
    assert session.chosen == ["kind", "amount"]


def test_values_are_called_otherwise(session):
    session.upload(text(("sex", "age"), *[(1 + i % 2, 20 + i % 3) for i in range(40)]))
    key = next(key for key in (editor.key for editor in session.at.data_editor) if key and key.startswith("called_sex"))
    session.at.session_state[key] = {"edited_rows": {0: {"called": "man"}}, "added_rows": [], "deleted_rows": []}
    session.run()
    assert session.errors == []
    assert session.categories == ["man", "2"]
    assert session.row("sex")["distribution"] == [20, 20]


def test_people_without_a_value_are_called_otherwise_too(session):
    session.upload(text(("sex", "smokes"), *[("fm"[i % 2], ("no", "yes", "")[i % 3]) for i in range(60)])).detail("smokes")
    assert session.categories == ["no", "yes", "(missing)"]
    (editor,) = (one for one in session.at.data_editor if one.key and one.key.startswith("called_smokes"))
    assert editor.value["people"].tolist() == [20, 20, 20]
    session.at.session_state[editor.key] = {"edited_rows": {2: {"called": "not told"}}, "added_rows": [], "deleted_rows": []}
    session.run()
    assert session.errors == []
    assert session.categories == ["no", "yes", "not told"]
    assert session.row("smokes")["distribution"] == [20, 20, 20]


def test_a_renamed_column_keeps_its_level_and_its_questions(session):
    session.upload(text(("sex", "smokes", "age"), *PEOPLE)).go("budget").edit({0: {"eps": 3.0}}).go("data")
    session.edit({0: {"name": "gender"}})
    work = session.at.session_state["work"]
    assert work.wishes.levels == {"gender": 3.0, "smokes": 2.0, "age": 2.0}
    assert work.wishes.chosen == ("gender", "smokes", "age")
    assert work.wishes.respondents == 60
    session.edit({0: {"name": "smokes"}})
    (error,) = session.errors
    assert "called 'smokes'" in error
    assert session.table["name"].tolist() == ["gender", "smokes", "age"]


@pytest.mark.slow
def test_adult_without_its_header_has_the_right_counts(session):
    if not ADULT.exists():
        pytest.skip(f"needs UCI Adult at {ADULT}")
    session.upload(ADULT.read_bytes().partition(b"\n")[2], "adult.csv")
    assert session.table["name"].tolist() == [f"Column {i}" for i in range(1, 9)]
    assert session.table["categories"].tolist() == [9, 16, 7, 15, 6, 5, 2, 2]
    assert session.row("Column 7")["distribution"] == [10_771, 21_790]
    assert "8 attributes, 1,814,400 combinations, 32,561 people" in session.text


def test_a_project_with_given_names_and_labels_opens_where_the_file_is_uploaded_again(session, open_session):
    data = text(("sex", "smokes", "age"), *PEOPLE)
    session.upload(data).edit({0: {"name": "gender"}}).edit({1: {"in play": False}})
    project = session.go("plans").download("project.json")
    assert Project.from_json(project).origin.names == {"sex": "gender"}
    other = open_session().open_project(project).upload(data)
    assert other.table["name"].tolist() == ["gender", "smokes", "age"]
    assert other.chosen == ["gender", "age"]


def test_a_project_about_a_demo_with_a_given_name_opens(session, open_session):
    session.go("data").edit({1: {"name": "Gender"}})
    project = session.go("plans").download("project.json")
    other = open_session().open_project(project)
    assert other.errors == []
    assert other.chosen == ["Class", "Gender", "Age", "Survived"]


def test_undo_takes_a_new_name_back(session):
    session.go("data").edit({1: {"name": "Gender"}}).click("Undo")
    assert session.table["name"].tolist() == ["Class", "Sex", "Age", "Survived"]
    assert session.chosen == ["Class", "Sex", "Age", "Survived"]


def test_an_option_that_does_not_work_keeps_the_table_from_use(session):
    session.upload(text(*PEOPLE)).click("Change how it is read")
    session.set("number_input", "Table starts in row", 60)
    assert len(session.errors) == 1
    assert next(button for button in session.at.button if button.label == "Use this table").disabled


def test_rows_that_do_not_fit_are_counted_and_left_out_when_asked_to(session):
    rows = "".join(f"{'fm'[i % 2]},{('yes', 'no')[i % 3 > 0]}\n" for i in range(60))
    session.upload(f"sex,smokes\nSales, retail,yes\nf\n{rows}m,no,1\n".encode())
    assert "too long or too short: 3." in session.text
    assert "**Titanic**" in session.text  # nothing of the file is in use yet
    session.click("Use this table")
    assert session.errors == []
    assert "**survey** · 60 people" in session.text
    assert "3 rows were left out" in session.text


def test_the_table_in_use_stays_where_rows_do_not_fit(session):
    session.upload(b"a,b\n1,2\n3\n").click("Keep 'Titanic'")
    assert "Until a file is read, 'Titanic' stays in use." in session.text


def test_columns_of_lists_are_left_out_with_a_warning(session):
    people = 60
    columns = {f"q{i}": ["yes", "no", "no"] * (people // 3) for i in range(13)} | {"tags": [["a", "b"]] * people}
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    session.upload(out.getvalue(), "survey.parquet")
    assert any("'tags'" in warning for warning in session.warnings)
    assert (session.errors, len(session.table)) == ([], 13)


def test_where_everybody_answered_the_same_the_other_answers_can_be_declared(session):
    session.upload(b"smokes,ward\n" + b'"never\nno",3\n' * 200)  # an answer of two lines
    assert session.widget("text_area", "Possible answers, one question a line").value == "smokes: never no\nward: 3"
    session.click("Use this table")
    assert len(session.errors) == 1
    session.set("text_area", "Possible answers, one question a line", "smokes: never no, yes\nward: 3").click("Use this table")
    assert session.errors == []
    assert session.row("smokes")["distribution"] == [200, 0]
    assert not session.row("ward")["in play"]


def test_a_column_with_one_answer_gets_others_in_its_details(session):
    session.upload(b"smokes,ward\n" + b"no,3\nno,4\n" * 60)
    session.detail("smokes").set("text_input", "Possible answers of smokes", "no, yes").click("Use these answers")
    assert session.errors == []
    assert session.row("smokes")["distribution"] == [120, 0]


TWO_ENCODINGS = b"name,smokes\n" + ("Zoë,yes\n".encode() + "Jürgen,no\n".encode("cp1252")) * 20


@pytest.mark.parametrize("encoding", ["mixed", "windows-1252"])
def test_a_text_in_two_encodings_is_asked_about(session, encoding):
    session.upload(TWO_ENCODINGS, "people.csv")
    assert session.errors == []
    assert "ZoÃ«" in session.text
    session.set("selectbox", "Encoding", encoding).click("Use this table")
    assert session.table["name"].tolist() == ["name", "smokes"]
    assert session.row("name")["distribution"] == [20, 20]
    assert "40 people" in session.text
