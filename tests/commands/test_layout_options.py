"""What a command may be told about a file: names or not, the sheet, totals. In doubt it ends with one sentence."""

import json
from pathlib import Path

import openpyxl
import pytest

from tests.commands.terminal import run

ADULT = Path(__file__).parents[3] / "shared" / "data" / "adult.csv"


@pytest.fixture
def tiny(tmp_path):
    path = tmp_path / "tiny.csv"
    path.write_text("f,no\nm,yes\nd,may be\n")
    return path


@pytest.fixture
def book(tmp_path):
    made = openpyxl.Workbook()
    made.active.append(["About this survey"])
    sheet = made.create_sheet("Answers")
    for row in [["Survey of 2024"], ["sex", "age"], *[["fm"[i % 2], 20 + i % 9] for i in range(40)], ["Total", 960]]:
        sheet.append(row)
    made.save(tmp_path / "book.xlsx")
    return tmp_path / "book.xlsx"


@pytest.mark.parametrize(("header", "rows", "names"), [("yes", 2, ["f", "no"]), ("no", 3, ["Column 1", "Column 2"])])
def test_whether_there_are_names_can_be_said(capsys, tiny, header, rows, names):
    code, out, err = run(capsys, "describe", "--in", tiny, "--header", header, "--json")
    found = json.loads(out)
    assert (code, err, found["rows"]) == (0, "", rows)
    assert [column["name"] for column in found["columns"]] == names


@pytest.mark.parametrize(
    "command",
    [
        ("describe",),
        ("simulate", "--attributes", "f,no", "--eps", "1,1", "--marginal", "f"),
        ("compare", "--eps", "1"),
        ("lopub", "--eps", "2"),
    ],
)
def test_in_doubt_every_command_ends_with_one_sentence(capsys, tiny, command):
    code, out, err = run(capsys, *command, "--in", tiny)
    assert (code, out) == (2, "")
    assert "--header yes or no" in err
    assert err.count("\n") == 1


def test_sheet_and_totals_can_be_said(capsys, book):
    said = ["describe", "--in", book]
    for fragment, more in (
        ("--sheet", ["--sheet", "Answers"]),
        ("--start 2", ["--start", "2"]),
        ("--totals 1", ["--totals", "1"]),
    ):
        code, _, err = run(capsys, *said)
        assert code == 2
        assert fragment in err
        said += more
    code, out, _ = run(capsys, *said, "--json")
    assert (code, json.loads(out)["rows"]) == (0, 40)


def test_adult_without_its_header_keeps_everybody_and_no_answer_becomes_a_name(capsys, tmp_path):
    if not ADULT.exists():
        pytest.skip(f"needs UCI Adult at {ADULT}")
    path = tmp_path / "adult.csv"
    path.write_bytes(ADULT.read_bytes().partition(b"\n")[2])
    code, out, _ = run(capsys, "describe", "--in", path, "--json")
    found = json.loads(out)
    assert (code, found["rows"]) == (0, 32_561)
    assert [column["name"] for column in found["columns"]] == [f"Column {i}" for i in range(1, 9)]
    assert [column["values"] for column in found["columns"]] == [9, 16, 7, 15, 6, 5, 2, 2]
