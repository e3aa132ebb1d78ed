"""Audit: the plan, an uploaded file, collected answers."""

import threading

import pytest

import rrcore as rr
from pages.shared import jobs
from tests.audit import zoo


@pytest.fixture(autouse=True)
def _no_false_alarms(monkeypatch):
    """Accuse correct mechanisms once in a million audits instead of once in a thousand."""
    monkeypatch.setattr("rrcore.audit.audit.AUDIT_CONFIDENCE", 1 - 1e-6)


def audit(session, **choices):
    return session.given(audit_runs=10_000, **choices).go("audit")


def checks(session):
    (table,) = session.at.table
    return table.value


def upload(session, name, content):
    session.at.file_uploader[0].set_value((name, content, "text/plain"))
    session.run()


def test_the_plan_is_audited_with_fresh_randomness_each_time(session):
    audit(session)
    found = checks(session)
    assert set(found["Result"]) == {"passed"}
    assert len(found) == 4
    assert session.figures["audit"].traces == ["shown", "claimed"]
    assert "What this audit cannot see" in session.text
    session.click("Run again")
    assert checks(session)["Worst"].tolist() != found["Worst"].tolist()
    assert session.errors == []


@pytest.fixture
def _slow(monkeypatch):
    """A page does not wait for an audit, and an audit waits until the test has ended."""
    gate = threading.Event()
    monkeypatch.setattr(jobs, "PATIENCE", 0.1)
    monkeypatch.setattr("rrcore.audit.audit_file", lambda *given, **options: gate.wait(60))
    yield
    gate.set()


@pytest.mark.usefixtures("_slow")
def test_an_audit_can_be_stopped_and_started_again(session):
    audit(session)
    assert session.job("audit").running
    session.click("Stop")
    assert session.job("audit").stopped
    assert "shows nothing about the mechanism" in session.text
    assert not session.at.table
    session.click("Start again")
    assert session.job("audit").running


def test_collected_answers_that_were_never_randomized_are_caught(session):
    session.given(audit_section="answers").go("audit")
    upload(session, "answers.csv", rr.load_demo("titanic").to_csv().encode())
    assert checks(session)["Result"].tolist() == ["passed", "caught"]


def test_a_plan_without_a_table_is_audited(session):
    session.declaring()
    audit(session)
    assert set(checks(session)["Result"]) == {"passed"}
    assert session.errors == []


def test_an_uploaded_file_is_audited_and_stays(session):
    audit(session, audit_source="file")
    assert not session.figures
    upload(session, "mech.json", zoo.FILES["forced"].to_json().encode())
    assert "q0" in session.text
    session.go("data")
    session.go("audit")
    assert len(checks(session)) == 3


@pytest.mark.parametrize("content", [b"{}", b"\xff\xfe", b"[1"])
def test_what_is_no_mechanism_file_is_refused(session, content):
    audit(session, audit_source="file")
    upload(session, "mech.json", content)
    assert len(session.errors) == 1


def test_a_domain_too_large_for_the_matrix_says_why(session):
    audit(session, audit_source="file")
    upload(session, "mech.json", zoo.planned("kronecker", (12, 12, 12), (1, 1, 1)).to_json().encode())
    assert "1,000 records" in session.text
    assert set(checks(session)["Result"]) == {"passed"}


def test_a_mechanism_file_is_enough(open_session):
    session = open_session(table="")
    audit(session)
    upload(session, "mech.json", zoo.FILES["forced"].to_json().encode())
    assert set(checks(session)["Result"]) == {"passed"}
    assert session.at.session_state["work"].schema is None
