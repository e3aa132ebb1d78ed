"""Where in a file the table stands: sheets, titles, no names, totals. What is in doubt is refused with a sentence, never guessed."""

import io

import openpyxl
import pytest

import rrcore as rr
from rrcore.errors import InputError
from rrcore.table import ReadOptions, read_file, read_text_table
from rrcore.table.opening import open_file
from rrcore.table.reading.guesses import guess_last_rows, guess_options
from rrcore.table.text_table import TextTable

PEOPLE = [("f" if i % 3 else "m", "yes" if i % 4 else "no", 20 + i % 7) for i in range(60)]


def workbook(**sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


TITLED = [["Survey of 2024"], [], ["sex", "smokes", "age"], *PEOPLE]
BOOK = workbook(**{"Read me": [["This is about smoking."]], "Answers": [*TITLED, ["Total", None, sum(p[2] for p in PEOPLE)]]})


def text(*rows):
    return "".join(",".join(map(str, row)) + "\n" for row in rows).encode()


def counts(table: TextTable, name):
    column = table.column(name)
    return dict(zip(column.values, column.counts.tolist(), strict=True))


def test_a_file_without_names_keeps_its_first_person():
    table, _ = read_file(text(*PEOPLE), "survey.csv")
    assert table.names == ("Column 1", "Column 2", "Column 3")
    assert table.n == 60
    assert counts(table, "Column 1") == {"f": 40, "m": 20}
    assert rr.read_table(text(*PEOPLE)).n == 60


def test_what_the_first_row_holds_can_be_said():
    tiny = text(("x", "y"), ("z", "w"))
    with pytest.raises(InputError, match="'header'"):
        rr.read_table(tiny)
    assert read_file(tiny, "t", header=True)[0].names == ("x", "y")
    assert read_file(tiny, "t", header=False)[0].names == ("Column 1", "Column 2")


def test_a_table_on_the_second_sheet_below_a_title_is_found():
    found = guess_options(open_file(BOOK, "book.xlsx").content)
    assert found.options == ReadOptions("Answers", 3, True)
    assert {each.option for each in found.proposed if not each.sure} == {"sheet", "start"}
    table = read_text_table(
        BOOK, "book.xlsx", ReadOptions("Answers", 3, totals=guess_last_rows(read_text_table(BOOK, "b", found.options)))
    )
    assert (table.names, table.n) == (("sex", "smokes", "age"), 60)
    assert counts(table, "sex") == {"f": 40, "m": 20}
    assert table.column("age").values == tuple(str(20 + i) for i in range(7))


@pytest.mark.parametrize(
    ("said", "fragment"),
    [
        ({}, "'sheet'"),
        ({"sheet": "Nine"}, "Read me, Answers"),
        ({"sheet": "Answers"}, "'start' 3"),
        ({"sheet": "Answers", "header": True}, "'totals' 1"),
        ({"sheet": "Answers", "row": 3}, "'row'"),
    ],
)
def test_what_is_in_doubt_about_a_workbook_is_refused(said, fragment):
    with pytest.raises(InputError) as caught:
        read_file(BOOK, "book.xlsx", **said)
    assert fragment in str(caught.value)
    assert str(caught.value).endswith(".")


def test_what_is_in_doubt_about_a_workbook_can_be_said():
    table, _ = read_file(BOOK, "book.xlsx", sheet="Answers", start=3, totals=1)
    assert table.n == 60
    assert read_file(BOOK, "book.xlsx", sheet="Answers", header=True, totals=0)[0].n == 61


def test_a_table_may_start_in_the_second_column():
    data = workbook(A=[[None, "sex", "age"], *[[None, sex, age] for sex, _, age in PEOPLE]])
    assert read_file(data, "b.xlsx")[0].names == ("sex", "age")


def test_a_title_above_comma_separated_text():
    data = b"Survey of 2024\nin the north\n\n" + text(("sex", "smokes", "age"), *PEOPLE)
    found = guess_options(open_file(data, "t.csv").content)
    assert found.options.start == 4
    table, _ = read_file(data, "t.csv", header=True)
    assert (table.names, table.n) == (("sex", "smokes", "age"), 60)


def test_row_numbers_in_messages_are_those_of_the_file():
    with pytest.raises(InputError, match="Row 4 has 1 value, expected 2"):
        read_text_table(b"Title\na,b\n1,2\n3\n", "t", ReadOptions(start=2))
    with pytest.raises(InputError, match="Row 3 has 1 value, expected 2"):
        read_text_table(b"1,2\n3,4\n5\n", "t", ReadOptions(header=False))


def test_numbers_as_names_are_asked_about():
    with pytest.raises(InputError, match="'header'"):
        read_file(b"2019,2020\n1,2\n3,4\n", "t")


@pytest.mark.parametrize(
    ("last", "many"),
    [
        ([("Total", "", 1372)], 1),
        ([("Mean", "", 22.9), ("Sum", "", 1372)], 2),
        ([("Source: our own survey", "", "")], 0),
        ([("f", "yes", 21)], 0),
        ([("Total", "yes", 21), ("Total", "yes", 21)], 0),  # an answer that two people gave
        ([("m", "", "")], 0),
    ],
)
def test_last_rows_that_are_not_people(last, many):
    table = read_text_table(text(("sex", "smokes", "age"), *PEOPLE, *last), "t")
    assert guess_last_rows(table) == many


def test_a_column_of_amounts_is_not_taken_for_its_own_sum():
    table = read_text_table(text(("a", "b"), *[(i, i * i) for i in range(1, 50)]), "t")
    assert guess_last_rows(table) == 0


def test_without_its_total_a_column_is_one_of_numbers_again():
    data = text(("age",), *[(i,) for i in (9, 10, 100) * 3], ("Total",))
    assert read_text_table(data, "t", ReadOptions(totals=1)).column("age").values == ("9", "10", "100")


def test_columns_can_be_called_otherwise():
    table = read_text_table(text(("sex", "age"), ("f", 31), ("m", 45)), "t")
    assert table.renamed({"age": " years "}).names == ("sex", "years")
    for name, fragment in (("sex", "both called 'sex'"), (" ", "has no name"), ("x" * 501, "501 characters")):
        with pytest.raises(InputError, match=fragment):
            table.renamed({"age": name})
