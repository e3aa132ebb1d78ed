"""Collect: from the plan or from designs of the field to a mechanism file, its certificate and a form."""

import hashlib
import json
from statistics import NormalDist

import pytest

from pages.shared import surveys
from rrcore.asking import Screens, SurveyFile, form
from rrcore.estimate import ShareVariance, weakest_interaction
from rrcore.mechanisms import build
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.statement import check_script


@pytest.fixture
def collect(session):
    return session.go("collect")


def strip(session):
    """What stands above the page about the plan in play."""
    return next((each.value for each in session.at.caption if "pairs\N{NO-BREAK SPACE}within" in each.value), "")


def certificate(session):
    return next(frame.value for frame in session.at.dataframe if "Level (nats)" in frame.value.columns)


def test_the_plan_in_play_becomes_a_file_that_promises_no_more_than_the_plan(collect):
    file = MechanismFile.from_json(collect.download("mechanism.json"))
    assert file.schema.names == ("Class", "Sex", "Age", "Survived")
    rows = certificate(collect)
    assert rows["Level (nats)"].tolist() == ["2.000000000"] * 4
    assert rows["One answer"].tolist() == ["× 7.39"] * 4
    assert "The whole record: 4.482611" in collect.text
    assert file.sha256 in collect.text
    assert file.sha256 in collect.download("certificate.txt")
    assert json.loads(collect.download("certificate.json"))["total"]["nats"].startswith("4.482611")
    assert collect.download("check.py") == check_script()


def test_another_mechanism_of_the_plan_is_another_file(collect):
    before = MechanismFile.from_json(collect.download("mechanism.json"))
    collect.set("radio", "Mechanism of the plan", "kronecker")
    file = MechanismFile.from_json(collect.download("mechanism.json"))
    assert len(file.groups) == 4
    assert len(before.groups) == 1
    assert "The whole record: 8.000000000" in collect.text or "The whole record: 7.999999" in collect.text


def test_name_and_note_are_in_the_file_and_its_fingerprint(collect):
    before = MechanismFile.from_json(collect.download("mechanism.json"))
    collect.set("text_input", "Made by", "Statistics office").set("text_input", "Note", "first wave")
    file = MechanismFile.from_json(collect.download("mechanism.json"))
    assert (file.made_by, file.note) == ("Statistics office", "first wave")
    assert SurveyFile.from_json(collect.download("survey.json")).mechanism == file
    assert file.sha256 != before.sha256
    assert file.groups == before.groups


def test_the_form_asks_what_was_typed_and_knows_its_address(collect):
    collect.set("text_input", "Title that respondents see", "Passengers")
    collect.set("text_area", "Introduction", "Thank you <b>all</b>.")
    collect.set("text_input", "Address that answers are sent to (may stay empty)", "https://example.org/in")
    form = collect.download("form.html")
    assert "<title>Passengers</title>" in form
    fingerprint = hashlib.sha256(form.encode()).hexdigest()
    assert fingerprint in [code.value for code in collect.at.code]
    assert fingerprint in collect.download("report-before-collection.html")
    assert "Thank you &lt;b&gt;all&lt;/b&gt;." in form
    assert "connect-src https://example.org;" in form or "connect-src https://example.org" in form
    collect.set("text_input", "Address that answers are sent to (may stay empty)", "ftp://example.org")
    assert len(collect.errors) == 1


def test_designs_of_the_field_are_typed_in_a_table(collect):
    collect.set("radio", "Answers are randomised by", "field")
    file = MechanismFile.from_json(collect.download("mechanism.json"))
    assert file.schema.names == ("took drugs", "region")
    assert certificate(collect)["One answer"].tolist() == ["× 5.00", "× 4.50"]
    key = "collect_designs"
    collect.at.session_state[key] = {
        "edited_rows": {"0": {"design": "Warner", "numbers": "1/2"}},
        "added_rows": [],
        "deleted_rows": [],
    }
    collect.run()
    assert collect.errors == [
        "Design of 'took drugs': The truth is told with probability 1/2, as often as any other answer is given: nothing can be estimated "
        "then."
    ]
    assert "The form and the mechanism file appear once there is a mechanism." in collect.text


def test_the_designs_begin_with_the_questions_that_were_declared(session):
    session.go("data").set("radio", "Where the table comes from", "declare").declare("bribe: never, once", "town: a, b, c")
    names = session.at.session_state["work"].wishes.chosen
    assert names == ("bribe", "town")
    collect = session.go("collect").set("radio", "Answers are randomised by", "field")
    file = MechanismFile.from_json(collect.download("mechanism.json"))
    assert file.schema.names == names
    assert file.schema.attributes[0].categories == ("never", "once")


def test_a_design_without_a_bound_is_called_one(collect):
    collect.set("radio", "Answers are randomised by", "field")
    collect.at.session_state["collect_designs"] = {
        "edited_rows": {"0": {"design": "Any matrix (PRAM)", "numbers": "1, 0; 1/5, 4/5"}},
        "added_rows": [],
        "deleted_rows": [],
    }
    collect.run()
    assert certificate(collect)["Level (nats)"].tolist()[0] == "unbounded"
    assert any("No bound" in text for text in collect.warnings)


def test_a_file_of_ones_own_is_checked_and_certified(collect):
    text = collect.download("mechanism.json")
    collect.set("radio", "Answers are randomised by", "file")
    assert any("Choose a mechanism file" in info.value for info in collect.at.info)
    collect.at.file_uploader[0].set_value(("mine.json", text.encode(), "application/json"))
    collect.run()
    assert collect.errors == []
    assert certificate(collect)["Level (nats)"].tolist() == ["2.000000000"] * 4
    broken = text.replace('"nats": "2.000000000"', '"nats": "1.999999999"', 1)
    collect.at.file_uploader[0].set_value(("mine.json", broken.encode(), "application/json"))
    collect.run()
    assert "does not match its fingerprint" in collect.errors[0]


def test_a_declared_plan_is_enough(session):
    session.go("data").set("radio", "Where the table comes from", "declare").go("collect")
    file = MechanismFile.from_json(session.download("mechanism.json"))
    assert file.schema.names == ("smokes", "health", "region")


def test_the_page_answers_first_in_a_sentence_and_a_figure(collect):
    channel = build("pair-safe", (4, 2, 2, 2), (2.0,) * 4).marginal_channel((0, 1))
    within = 100 * NormalDist().inv_cdf(0.975) * ShareVariance.of(channel).error(2201, population=False)
    told = f"With 2,201 people every share of Class × Sex is within ± {within:.1f} points."
    assert f"Each released answer is true 71.1 % to 88.1 % of the time. {told}" in collect.text
    assert collect.figures["collect-promise"].traces == ["one answer", "others known", "whole record"]


def test_how_questions_are_asked_stays_with_the_work(collect):
    collect.set("text_input", "Sex", "Are you a woman or a man?")
    assert "Are you a woman or a man?" in collect.download("form.html")
    collect.go("budget").go("collect")
    assert collect.widget("text_input", "Sex").value == "Are you a woman or a man?"
    assert "Are you a woman or a man?" in collect.download("form.html")
    assert collect.at.session_state["work"].wishes.wording == {"Sex": "Are you a woman or a man?"}
    collect.at.session_state["work"].wish(wording={"Class": "In which class did you travel?"})  # as an opened project has it
    form = collect.run().download("form.html")
    assert "In which class did you travel?" in form
    assert "Are you a woman or a man?" not in form


def test_questions_of_a_long_form_are_worded_part_by_part(session, monkeypatch):
    monkeypatch.setattr(surveys, "_AT_ONCE", 3)
    session.go("collect").set("selectbox", "Questions", 3).set("text_input", "Survived", "Did you survive?")
    session.set("selectbox", "Questions", 0)
    assert not session.has("text_input", "Survived")
    assert "Did you survive?" in session.download("form.html")


def test_a_plan_without_data_is_tried_on_made_up_answers(session):
    session.go("data").set("radio", "Where the table comes from", "declare").go("collect")
    people = session.at.session_state["work"].wishes.respondents
    session.click("Try it on invented answers")
    assert session.title == "Read"
    assert f"{people:,} answers used" in session.text
    assert "**Invented answers.**" in session.text
    assert "nobody gave these answers" in session.text
    titles = [figure.spec["layout"]["title"]["text"] for figure in session.figures.values()]
    assert titles == ["invented answers, which nobody gave"] * len(titles) != []
    names = [name for _, name in session.files]
    assert "rehearsal-of-findings.html" in names
    assert any(name.startswith("invented-") for name in names)


@pytest.mark.slow
def test_what_is_read_worse_is_marked_before_anything_is_collected(session):
    """The optimum of unequal levels, on Collect and on Perturb & estimate."""
    levels, names = (0.5, 1.0, 2.0, 3.0), ("Class", "Sex", "Survived")
    session.go("budget").edit({row: {"eps": level} for row, level in enumerate(levels)}).choose("optimal")
    found = weakest_interaction(build("optimal", (4, 2, 2, 2), levels).marginal_channel((0, 1, 3)))
    assert found.worse
    for page in ("collect", "perturb"):
        session.go(page).set("multiselect", "Joint distribution of", list(names))
        assert found.sentence(names) in session.warnings
    session.click(f"Make it safe for {found.width} attributes")
    assert found.sentence(names) not in session.warnings


def test_the_form_speaks_the_language_that_is_chosen(collect):
    assert '<html lang="en">' in collect.download("form.html")
    form = collect.set("selectbox", "Language of the form", "pt").download("form.html")
    assert '<html lang="pt">' in form
    assert "Deixar o acaso decidir" in form


def test_the_screens_of_the_form_are_chosen_beside_the_preview(collect):
    assert [each in collect.download("form.html") for each in ('id="practice"', "<figure>")] == [True] * 2
    for label in ("A question to practise on", "A picture of 100 people"):
        collect.set("checkbox", label, False)
    collect.set("segmented_control", "Preview", "practice")
    assert "This screen is left out." in collect.text
    form = collect.download("form.html")
    assert [each in form for each in ('id="practice"', "<figure>")] == [False, False]
    screens = SurveyFile.from_json(collect.download("survey.json")).screens
    assert screens == Screens(picture=False, practice=False)


def test_the_picture_is_about_the_question_answer_and_guess_that_are_chosen(collect):
    collect.set("selectbox", "The picture is about", "Sex").set("selectbox", "and counts who sends", "Male")
    form = collect.set("number_input", "Your guess: of 100 people, so many have that answer (0: none given)", 30).download(
        "form.html"
    )
    assert "send “Male”" in form
    assert "If 30 in 100 people have the answer “Male”" in form
    collect.go("budget").set("multiselect", "Attributes of the plan", ["Class", "Survived"])
    assert collect.go("collect").errors == []
    assert "Male" not in collect.download("form.html")


def test_a_run_writes_the_form_out_once(session, monkeypatch):
    """It was written four times: to be checked, to be looked at, to be checked anew with the same mechanism, and to be handed out."""
    session.go("collect")
    written, write = [], form._page_of
    monkeypatch.setattr(form, "_page_of", lambda forms, *to: written.append(to) or write(forms, *to))
    session.run()
    assert written == [("", "")]
    session.set("text_input", "Address that answers are sent to (may stay empty)", "https://example.org/answers")
    assert written[1:] == [("", ""), ("https://example.org/answers", "")]


def test_questions_that_cannot_be_typed_as_a_design_are_named(session):
    rows = [f"{'0, none' if i % 2 else '1, one'},{'ab'[i % 2]}" for i in range(40)]
    session.upload("\n".join(["jobs;town", *(row.rsplit(",", 1)[0] + ";" + row[-1] for row in rows)]).encode())
    collect = session.go("collect").set("radio", "Answers are randomised by", "field")
    assert "jobs cannot stand here: commas separate answers" in collect.text
    assert "town cannot" not in collect.text


def test_what_a_file_about_something_else_tells_is_said_of_its_own_questions(collect):
    assert "share of Class × Sex is within" in collect.text.replace("\N{NO-BREAK SPACE}", " ")
    collect.set("radio", "Answers are randomised by", "field")
    assert "share of took drugs × region is within" in collect.text.replace("\N{NO-BREAK SPACE}", " ")


def test_a_form_that_offers_the_empty_cells_of_a_table_says_so(session):
    session.upload("\n".join(["town,smokes", *(f"{'ab'[i % 2]},{('yes', 'no', '')[i % 3]}" for i in range(60))]).encode())
    assert (
        "The form offers '(missing)' as an answer to smokes, since the table has empty cells there." in session.go("collect").text
    )
    session.go("data").detail("smokes").set("radio", "Missing values", "drop")
    assert "The form offers" not in session.go("collect").text
