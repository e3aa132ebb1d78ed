"""Audit: the plan in play, an uploaded file, broken on purpose; without a table too."""

import re
from dataclasses import replace

import pytest

import rrcore as rr
from pages.shared import jobs
from rrcore.audit import CHEATS, CHECKS
from rrcore.errors import InputError
from tests.audit import zoo

RUNS, SOURCE, BREAK = "Runs", "What is audited", "Break it on purpose"


@pytest.fixture(autouse=True)
def _no_false_alarms(monkeypatch):
    """Honest mechanisms are run with the system's entropy here: accused once in a million audits instead of once in a thousand."""
    monkeypatch.setattr("rrcore.audit.audit.AUDIT_CONFIDENCE", 1 - 1e-6)


def audit(session, runs=10_000, **choices):
    """The page, with what is chosen there before its first audit."""
    session.given(audit_runs=runs, **choices).go("audit")
    assert session.widget("radio", RUNS).value == runs
    return session


def table(session, column):
    (frame,) = [frame.value for frame in session.at.dataframe if column in frame.value.columns]
    return frame


def outcome(session):
    """The page's answer without its sign."""
    found = [re.fullmatch(r":material/(?:check_circle|gpp_bad): ([^*].*)", element.value) for element in session.at.markdown]
    return [match[1].replace("\N{NO-BREAK SPACE}", " ") for match in found if match]


def test_an_audit_that_was_stopped_is_not_told_as_one_that_goes_on(session, monkeypatch):
    monkeypatch.setattr(jobs, "PATIENCE", 0.2)
    audit(session, 1_000_000)
    assert "Trying to break it: 1,000,000 runs" in session.text
    session.click("stop_audit").finish("audit")
    assert "The audit was stopped." in session.text
    assert "Trying to break it" not in session.text
    assert "This audit did not come to its end, so it shows nothing" in session.text


@pytest.mark.slow
def test_the_plan_in_play_is_audited_with_fresh_randomness_each_time_and_another_mechanism_by_its_own_claim(session):
    audit(session)
    (line,) = outcome(session)
    assert line.startswith(
        "Nothing found: 10,000 runs of each of two records gave away no more than is claimed, with the lies that the file says."
    )
    assert "Every one of the 32 possible records was tried, 400 times each." in line
    assert "The whole record is said to shift odds at most × 88.5; these runs show at least × " in line
    assert "Trying to break it" not in session.text
    assert all(title in session.text for title in CHECKS.values())
    assert "What this audit cannot see" in session.text
    rows = table(session, "Shown at least")
    assert rows["Attribute"].tolist() == ["Class", "Sex", "Age", "Survived"] * 2 + ["whole record"]
    assert rows["Promise"].tolist() == ["level"] * 4 + ["leakage"] * 4 + ["total"]
    assert set(rows["Verdict"]) == {"not contradicted"}
    assert (rows["Shown at least"].astype(float) < rows["Claimed"].astype(float)).all()
    guessers = table(session, "Measured")
    assert guessers["Blind guess"].tolist() == ["25.0 %"] * 2 + ["50.0 %"] * 6
    assert set(guessers["Verdict"]) == {"as computed"}
    assert session.figures["audit"].traces == ["shown by runs", "claimed"]
    assert "All 32 × 32 probabilities were written out" in session.text

    session.click("Run again")
    assert table(session, "Measured")["Measured"].tolist() != guessers["Measured"].tolist()

    session.set("radio", "Mechanism of the plan", "kronecker")
    claims = table(session, "Shown at least").set_index(["Attribute", "Promise"])["Claimed"]
    assert claims["whole record", "total"] == "8.00" or float(claims["whole record", "total"]) == pytest.approx(8, abs=0.02)


@pytest.mark.slow
def test_broken_on_purpose_it_is_caught(session):
    audit(session, 100_000, audit_break="levels")
    (line,) = outcome(session)
    assert line.startswith("Caught: ")
    assert session.warnings[0].startswith("Broken on purpose: ")
    rows = table(session, "Shown at least")
    assert rows["Verdict"].tolist()[:4] == ["contradicted"] * 4
    assert session.figures["audit"].traces == ["shown by runs", "shown, above the claim", "claimed"]
    assert "cannot see a program that does not follow it" in session.text


@pytest.mark.slow
def test_what_is_known_by_name_is_called_so(session):
    audit(session, audit_break="comonotone")
    for key, words in (("comonotone", "Caught. Comonotone lies: "), ("secret record", "Caught. Secret record: (Class = ")):
        (line,) = outcome(session.set("selectbox", BREAK, key))
        assert line.startswith(words)
        assert CHEATS[key].title[1:] in session.warnings[0]


@pytest.mark.slow
def test_collected_answers(session):
    """The true answers of the demo table, taken for released ones."""
    session.given(audit_section="answers").go("audit")
    assert "Choose the mechanism file and the answers that are said to be released by it" in session.text
    content = rr.load_demo("titanic").to_csv().encode()
    session.at.file_uploader[0].set_value(("answers.csv", content, "text/csv"))
    session.run()
    (line,) = outcome(session)
    assert line.startswith("These answers were not randomised as the file says: ")
    assert session.figures["audit-answers"].traces[-2:] == ["beyond chance", "caught from here"]
    assert "Without the true answers only what no true answers could explain is found" in session.text


@pytest.mark.slow
def test_a_declared_plan_needs_no_table(session):
    session.declaring()
    audit(session)
    assert table(session, "Shown at least")["Attribute"].tolist()[:3] == ["smokes", "health", "region"]
    assert session.errors == []


@pytest.mark.slow
def test_an_uploaded_file_and_its_empty_state(session):
    audit(session).set("radio", SOURCE, "file")
    assert "Choose a mechanism file on the left" in session.text
    session.at.file_uploader[0].set_value(("mech.json", zoo.FILES["forced"].to_json().encode(), "application/json"))
    session.run()
    assert table(session, "Shown at least")["Claimed"].tolist() == ["1.61"] * 3  # ln 5
    session.go("data")
    session.go("audit")
    assert table(session, "Shown at least")["Attribute"].tolist() == ["q0", "q0", "whole record"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "words"), [(b"{}", "This is not a mechanism file"), (b"\xff\xfe", "is not UTF-8"), (b"[1", "is not JSON")]
)
def test_what_is_no_mechanism_file_is_refused(session, content, words):
    audit(session, audit_source="file")
    session.at.file_uploader[0].set_value(("mech.json", content, "application/json"))
    session.run()
    (error,) = session.errors
    assert words in error


@pytest.mark.slow
def test_a_domain_too_large_for_the_matrix_says_why(session):
    audit(session, audit_source="file")
    file = zoo.planned("kronecker", (12, 12, 12), (1, 1, 1))
    session.at.file_uploader[0].set_value(("mech.json", file.to_json().encode(), "application/json"))
    session.run()
    assert "Not done. There are 1,728 possible records" in session.text
    assert outcome(session)[0].startswith("Nothing found")


def test_the_same_mechanism_is_tried_on_the_records_of_the_table_in_play(session, monkeypatch):
    tried = []

    def noted(file, runs, *, table, **more):
        tried.append(len(table))
        raise InputError("That is enough.")

    monkeypatch.setattr("rrcore.audit.audit_file", noted)
    audit(session)
    work = session.at.session_state["work"]
    half = tuple(replace(column, codes=column.codes[::2]) for column in work.table.columns)
    work.adopt_table(replace(work.table, columns=half), work.rules, "demo")
    session.run()
    assert tried == [2201, 1101]
