"""Exports of Qualtrics and KoboToolbox: what is no person and no answer is left out, questions are kept."""

from rrcore.table import read_file
from rrcore.table.opening import open_file
from rrcore.table.reading.guesses import guess_options

CODES = "StartDate,Status,Duration (in seconds),Finished,ResponseId,Q1,Q2_First Click,Q2,Q3_4_TEXT"
TEXTS = 'Start Date,Response Type,Duration (in seconds),Finished,Response ID,"How old, in years, are you?",Timing - First Click,Sex,Other'
IDS = ",".join(f'"{{""ImportId"":""{name}""}}"' for name in CODES.split(","))
ROWS = [f"2024-01-01 10:{i:02}:00,IP Address,{60 + i},True,R_{i},{20 + i % 5},1.5,{'fm'[i % 2]},x" for i in range(60)]
QUALTRICS = "\n".join([CODES, TEXTS, IDS, *ROWS]).encode()

KOBO = "start;end;household/members;household/sex;uses;uses/radio;uses/tv;_gps_latitude;_id;_uuid;_submission_time;_index\n"
KOBO += "".join(
    f"2024-01-01T10:00:00;2024-01-01T10:09:00;{1 + i % 4};{'fm'[i % 2]};radio tv;{i % 2};1;1.5;{1000 + i};u-{i};2024-01-02T00:00:00;{i}\n"
    for i in range(60)
)


def used(rules):
    return [name for name, rule in rules.items() if rule.use]


def test_qualtrics_has_three_header_rows():
    found = guess_options(open_file(QUALTRICS, "q.csv").content)
    assert (found.export.tool, found.options.skip) == ("Qualtrics", 2)
    table, rules = read_file(QUALTRICS, "q.csv")
    assert table.n == 60
    assert used(rules) == ["Q1", "Q2"]
    assert table.column("Q1").question == "How old, in years, are you?"
    assert table.column("Q1").values == ("20", "21", "22", "23", "24")


def test_the_rows_of_qualtrics_are_people_where_names_are_denied():
    assert read_file(QUALTRICS, "q.csv", header=False)[0].n == 63


def test_columns_of_kobo_about_the_interview_are_not_used():
    table, rules = read_file(KOBO.encode(), "kobo.csv")
    assert guess_options(open_file(KOBO.encode(), "kobo.csv").content).export.tool == "KoboToolbox"
    assert table.n == 60
    assert used(rules) == [
        "household/members",
        "household/sex",
        "uses/radio",
    ]  # all use tv, and 'uses' repeats its choices in one text


def test_a_plain_survey_is_no_export():
    data = b"id,start,end,age\n" + b"".join(b"%d,a,b,%d\n" % (i, 20 + i % 9) for i in range(30))
    assert guess_options(open_file(data, "t.csv").content).export.tool == ""
