"""Exports of Qualtrics, LimeSurvey and KoboToolbox: what is no person and no answer is left out, names are plain, questions are kept."""

from rrcore.table import guess_options, open_file, read_file

CODES = "StartDate,Status,Duration (in seconds),Finished,ResponseId,Q1,Q2_First Click,Q2,Q3_4_TEXT"
TEXTS = 'Start Date,Response Type,Duration (in seconds),Finished,Response ID,"How old, in years, are you?",Timing - First Click,Sex,Other'
IDS = ",".join(f'"{{""ImportId"":""{name}""}}"' for name in CODES.split(","))
ROWS = [f"2024-01-01 10:{i:02}:00,IP Address,{60 + i},True,R_{i},{20 + i % 5},1.5,{'fm'[i % 2]},x" for i in range(60)]
QUALTRICS = "\n".join([CODES, TEXTS, IDS, *ROWS]).encode()

LIME = '"id. Response ID","submitdate. Date submitted","lastpage. Last page","startlanguage. Start language",'
LIME += '"G01Q01. How old are you?","G01Q02[SQ001]. Which do you own? [Bicycle]","groupTime12. Group time: You"\n'
LIME += "".join(
    f'"{i}","2024-01-{1 + i % 28:02} 10:00:00","3","en","{20 + i % 5}","{"Y" if i % 2 else ""}","9.5"\n' for i in range(60)
)

KOBO = "start;end;household/members;household/sex;uses;uses/radio;uses/tv;_gps_latitude;_id;_uuid;_submission_time;_index\n"
KOBO += "".join(
    f"2024-01-01T10:00:00;2024-01-01T10:09:00;{1 + i % 4};{'fm'[i % 2]};radio tv;{i % 2};1;1.5;{1000 + i};u-{i};2024-01-02T00:00:00;{i}\n"
    for i in range(60)
)


def used(rules):
    return [name for name, rule in rules.items() if rule.use]


def test_qualtrics_has_three_header_rows():
    found = guess_options(open_file(QUALTRICS, "q.csv"))
    assert (found.export.tool, found.options.skip) == ("Qualtrics", 2)
    table, rules = read_file(QUALTRICS, "q.csv")
    assert table.n == 60
    assert used(rules) == ["Q1", "Q2"]
    assert table.column("Q1").question == "How old, in years, are you?"
    assert table.column("Q1").values == ("20", "21", "22", "23", "24")
    assert "about the interview" in table.column("Status").question


def test_the_rows_of_qualtrics_are_people_where_names_are_denied():
    assert read_file(QUALTRICS, "q.csv", header=False)[0].n == 63


def test_limesurvey_has_code_and_text_in_one_cell():
    table, rules = read_file(LIME.encode(), "lime.csv")
    assert guess_options(open_file(LIME.encode(), "lime.csv")).export.tool == "LimeSurvey"
    assert used(rules) == ["G01Q01", "G01Q02[SQ001]"]
    assert table.column("G01Q01").question == "How old are you?"
    assert (table.column("G01Q02[SQ001]").values, table.column("G01Q02[SQ001]").missing) == (("Y",), 30)


def test_limesurvey_with_codes_only():
    data = b"id,submitdate,lastpage,startlanguage,age,sex\n" + b"".join(
        b"%d,,3,en,%d,f\n%d,x,3,en,30,m\n" % (i, i, 99 + i) for i in range(9)
    )
    assert used(read_file(data, "lime.csv")[1]) == ["age", "sex"]


def test_kobo_names_lose_their_group_and_choices_keep_their_question():
    table, rules = read_file(KOBO.encode(), "kobo.csv")
    assert guess_options(open_file(KOBO.encode(), "kobo.csv")).export.tool == "KoboToolbox"
    assert {"members", "sex", "uses/radio", "uses/tv"} < set(table.names)
    assert used(rules) == ["members", "sex", "uses/radio"]  # all use tv, and 'uses' repeats its choices in one text
    assert "copy of other columns" in table.column("uses").question


def test_names_that_would_collide_keep_their_group():
    data = b"a/sex,b/sex,_id,_uuid,_submission_time,_index\n" + b"".join(b"f,m,%d,u%d,x,%d\n" % (i, i, i) for i in range(9))
    assert read_file(data, "kobo.csv")[0].names[:2] == ("a/sex", "b/sex")


def test_a_plain_survey_is_no_export():
    data = b"id,start,end,age\n" + b"".join(b"%d,a,b,%d\n" % (i, 20 + i % 9) for i in range(30))
    assert guess_options(open_file(data, "t.csv")).export is None
