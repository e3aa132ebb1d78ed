"""Kinds of files that used to be misread or refused: each is read right or asked about, in several formats and encodings."""

import io

import openpyxl
import pandas as pd
import pytest

import rrcore as rr
from rrcore.errors import InputError
from rrcore.table import read_file
from rrcore.table.opening import inspect_file
from tests.cli.terminal import run

YES = [("no", "yes")[i % 3 > 0] for i in range(60)]
SEX = [("f", "m")[i % 2] for i in range(60)]
KINDS = ("comma", "semicolon", "tab in UTF-16", "workbook")


def made(kind, rows):
    if kind == "workbook":
        book, out = openpyxl.Workbook(), io.BytesIO()
        for row in rows:
            book.active.append([None if cell == "" else cell for cell in row])
        book.save(out)
        return out.getvalue()
    sign = {"comma": ",", "semicolon": ";"}.get(kind, "\t")
    text = "".join(sign.join(map(str, row)) + "\r\n" for row in rows)
    return text.encode("utf-16" if "UTF-16" in kind else "utf-8-sig")


def asked(data, **given):
    return {each.option for each in inspect_file(data, "t.csv", given).guess.proposed if not each.sure}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("names", "second", "people"),
    [
        (
            ["Respondent ID", "Smokes", "Plays"],
            ["", "Response", "Open-Ended Response"],
            list(zip(range(900, 960), YES, SEX, strict=True)),
        ),
        (
            ["smokes", "sex", "age"],
            ["Do you smoke?", "What is your sex?", "How old are you?"],
            list(zip(YES, SEX, range(20, 80), strict=True)),
        ),
        (["height", "weight", "sex"], ["(cm)", "[kg]", ""], list(zip(range(160, 220), range(60, 120), SEX, strict=True))),
        (["height", "weight", "sex"], ["cm", "kg", ""], list(zip(range(160, 220), range(60, 120), SEX, strict=True))),
    ],
)
def test_a_second_row_of_names_is_no_person(kind, names, second, people):
    table = read_file(made(kind, [names, second, *people]), "t")[0]
    assert (list(table.names), table.n) == (names, 60)


def test_a_first_person_with_rare_answers_is_kept_or_asked_about():
    rows = [["sex", "age"], ["other", "refused"], *zip(SEX, [str(20 + i % 9) for i in range(60)], strict=True)]
    assert asked(made("comma", rows)) == {"skip"}
    assert read_file(made("comma", rows), "t", skip=0)[0].n == 61
    assert read_file(made("comma", [["sex", "age"], ["f", "refused"], *rows[2:]]), "t")[0].n == 61


@pytest.mark.parametrize("kind", KINDS)
def test_blank_names_of_surveymonkey_are_choices(kind):
    names = ["Respondent ID", "Smokes", "Which do you own?", "", ""]
    second = ["", "Response", "Bicycle", "Car", "Other (please specify)"]
    people = [(i, yes, ("Bicycle", "")[i % 2], ("", "Car")[i % 3 > 1], "") for i, yes in enumerate(YES)]
    table, rules = read_file(made(kind, [names, second, *people]), "t")
    assert table.names[2:4] == ("Which do you own?/Bicycle", "Which do you own?/Car")
    assert (table.n, table.column("Which do you own?/Bicycle").counts.tolist()) == (60, [30])
    assert not rules["Respondent ID"].use


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("extra", ["index", "empty", "some"])
def test_a_column_without_a_name(kind, extra):
    cells = {"index": range(60), "empty": [""] * 60, "some": YES}[extra]
    data = made(kind, [["", "sex", "smokes"], *zip(cells, SEX, YES, strict=True)])
    assert asked(data) == (set() if extra == "empty" else {"fix_names"})
    table = read_file(data, "t", fix_names=True)[0]
    assert table.names == ("Column 1", "sex", "smokes")[extra != "some" :]
    if extra != "empty":
        with pytest.raises(InputError, match="'fix_names'"):
            read_file(data, "t")


def test_old_exports_of_qualtrics_end_every_line_with_a_comma():
    rows = [
        ["V1", "V10", "Q1", ""],
        ["ResponseID", "ResponseSet", "Sex", ""],
        *[(f"R_{i}", 1, sex, "") for i, sex in enumerate(SEX)],
    ]
    table = read_file(made("comma", rows), "t")[0]
    assert (table.n, table.names, table.column("Q1").question) == (60, ("V1", "V10", "Q1"), "Sex")


@pytest.mark.parametrize("kind", KINDS)
def test_names_that_occur_twice_get_numbers(kind):
    data = made(kind, [["a", "b", "a", "a (2)", "a"], *zip(SEX, YES, YES, SEX, YES, strict=True)])
    assert asked(data) == {"fix_names"}
    assert read_file(data, "t", fix_names=True)[0].names == ("a", "b", "a (3)", "a (2)", "a (4)")


def test_choices_of_kobo_may_hold_slashes():
    names = ["start", "home/uses", "home/uses/Radio", "home/uses/TV set / cable", "_id", "_uuid", "_submission_time", "_index"]
    data = made("semicolon", [names, *[(2024, "x", i % 2, i % 3 > 0, i, f"u{i}", i, i) for i in range(60)]])
    table, rules = read_file(data, "t")
    assert table.names[1:4] == ("home/uses", "home/uses/Radio", "home/uses/TV set / cable")
    assert [name for name, rule in rules.items() if rule.use] == ["home/uses/Radio", "home/uses/TV set / cable"]


TITANIC = [
    *[("1st", "Child", "No", 0), ("2nd", "Child", "No", 0), ("3rd", "Child", "No", 52), ("Crew", "Child", "No", 0)],
    *[("1st", "Adult", "No", 122), ("2nd", "Adult", "No", 167), ("3rd", "Adult", "No", 476), ("Crew", "Adult", "No", 673)],
    *[("1st", "Child", "Yes", 6), ("2nd", "Child", "Yes", 24), ("3rd", "Child", "Yes", 27), ("Crew", "Child", "Yes", 0)],
    *[("1st", "Adult", "Yes", 197), ("2nd", "Adult", "Yes", 94), ("3rd", "Adult", "Yes", 151), ("Crew", "Adult", "Yes", 212)],
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["Freq", "n", "amount"])
def test_a_table_of_counts_is_as_many_people(kind, name):
    data = made(kind, [["Class", "Age", "Survived", name], *TITANIC])
    assert asked(data) == {"counts"}
    table = rr.read_table(data, counts=name)
    assert (table.n, table.schema.names) == (2201, ("Class", "Age", "Survived"))
    assert table.counts(["Survived"]).tolist() == [1490, 711]
    assert rr.read_table(data, counts="none", columns=["Class"]).n == 16


def test_counts_of_a_data_frame_are_asked_about():
    frame = pd.DataFrame(TITANIC, columns=["Class", "Age", "Survived", "Freq"])
    with pytest.raises(InputError, match="'counts' Freq"):
        rr.read_table(frame)
    assert rr.read_table(frame, counts="Freq").n == 2201


@pytest.mark.parametrize("cell", ["-1", "1.5", "", "many"])
def test_counts_are_whole_numbers(cell):
    with pytest.raises(InputError, match="'people'"):
        rr.read_table(made("comma", [["sex", "people"], ("f", 3), ("m", cell), ("x", 1)]), counts="people")


def test_the_command_line_takes_the_same_names(tmp_path, capsys):
    place = tmp_path / "counts.csv"
    place.write_bytes(made("comma", [["Class", "Age", "Survived", "Freq"], *TITANIC]))
    code, _, err = run(capsys, "describe", "--in", place)
    assert (code, "--read counts=Freq" in err) == (2, True)
    code, out, _ = run(capsys, "describe", "--in", place, "--read", "counts=Freq", "--read", "missing_codes=Crew", "--json")
    assert (code, '"n": 2201' in out) == (0, True)


def test_missing_codes_weights_and_totals():
    data = made("comma", [["sex", "w", "smokes"], *zip(SEX, [1.5, 2] * 30, ["-9", *YES[1:]], strict=True), ("Total", "", "")])
    table = read_file(data, "t", missing_codes=("-9",), weights="w", totals=1)[0]
    assert (table.names, table.n, table.column("smokes").values, table.column("smokes").missing) == (
        ("sex", "smokes"),
        60,
        ("no", "yes"),
        1,
    )
    with pytest.raises(InputError, match="'no such'"):
        read_file(data, "t", totals=1, weights="no such")


@pytest.mark.parametrize(
    ("cells", "said", "found"),
    [
        (["1,5", "2,25"], {}, ("1,5", "2,25")),  # read as it stands, and a number
        (["1.234,5", "950,25"], {}, ("950.25", "1234.5")),
        (["1,234.5", "950.25"], {}, ("950.25", "1234.5")),
        (["1,234,567", "2,000"], {}, ("2000", "1234567")),
        (["1,234", "2,345"], {"decimal": "."}, ("1234", "2345")),
        (["1,234", "2,345"], {"decimal": ","}, ("1.234", "2.345")),
    ],
)
def test_the_decimal_sign(cells, said, found):
    data = made("semicolon", [["sex", "income"], *zip(SEX, cells * 30, strict=True)])
    assert asked(data) == ({"decimal"} if said else set())
    assert read_file(data, "t", **said)[0].column("income").values == found
