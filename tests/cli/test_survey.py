"""The command survey, from its first start to its table."""

import csv
import datetime as dt
import stat

import pyarrow.parquet as pq
import pytest

from rrcore.asking import SurveyFile
from rrcore.budget import build
from rrcore.promise import MechanismFile, integer_groups
from rrcore.receiver import Submission, create_store, open_store
from rrcore.receiver.invitations import use_code
from rrcore.table.schema import Attribute, Schema
from tests.cli.terminal import refused, result, run

DAY = dt.date(2026, 3, 1)
SCHEMA = Schema((Attribute("smokes", ("no", "=yes, a lot\nof it")), Attribute("day", ("work", "feast"))))


def mechanism(note=""):
    return MechanismFile(SCHEMA, integer_groups(build("preserving-2", SCHEMA.sizes, (1.0, 1.0))), note=note)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mechanism().save("m.json")
    SurveyFile(mechanism(), "Salud", questions={"smokes": "¿Fuma?"}, language="es").save("s.json")
    return tmp_path


@pytest.fixture
def served(monkeypatch):
    """Serve as it is, but for the serving itself."""
    seen = []
    monkeypatch.setattr("rrcore.receiver.serving.serve", lambda app, at, **options: (seen.append(options), at.close()))
    return seen


SERVE = ("survey", "serve", "--db", "pilot.survey", "--port", "0")
NEW = (*SERVE, "--mechanism", "m.json")


def test_a_survey_is_made_once_and_keeps_what_it_was_started_with(folder, served, capsys):
    refused(capsys, *NEW)
    assert run(capsys, *NEW, "--title", "Piloto", "--invited")[0] == 0
    store = open_store("pilot.survey")
    assert store.title == "Piloto"
    assert store.key.startswith("-----BEGIN PRIVATE KEY-----")
    for again in (SERVE, NEW, (*NEW, "--title", "Piloto", "--invited")):
        assert run(capsys, *again)[0] == 0
    assert len(served) == 4
    refused(capsys, *NEW, "--title", "Other")
    (folder / "m.json").unlink()
    mechanism(note="another").save("m.json")
    refused(capsys, *NEW)


def test_a_survey_file_is_served_and_asked_as_it_is(folder, served, capsys):
    assert run(capsys, *SERVE, "--survey", "s.json")[0] == 0
    assert open_store("pilot.survey").survey.questions["smokes"] == "¿Fuma?"
    assert run(capsys, "survey", "form", "--survey", "s.json", "--out", "form.html")[0] == 0
    html = (folder / "form.html").read_text(encoding="utf-8")
    assert '<html lang="es"' in html
    assert "¿Fuma?" in html


def test_a_form_has_the_words_and_the_address_that_are_typed(folder, capsys):
    form = ("survey", "form", "--mechanism", "m.json", "--out", "form.html", "--title", "Encuesta", "--language", "es")
    found = result(capsys, *form, "--wording", "smokes=¿Fuma usted?", "--send-to", "https://survey.example.org/answers")
    assert found["mechanism"] == mechanism().sha256
    html = (folder / "form.html").read_text(encoding="utf-8")
    assert all(word in html for word in ("Encuesta", "¿Fuma usted?", "survey.example.org"))
    assert "'tlh'" in refused(capsys, *form[:4], "--out", "b.html", "--language", "tlh")
    assert "nobody" in refused(capsys, *form[:4], "--out", "b.html", "--wording", "nobody=Why?")


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--port", "http"), "--port"),
        (("--address", "http://survey.example.org"), "http://survey.example.org"),
        (("--origin", "www.example.org"), "www.example.org"),
        (("--host", "a" * 70), "a" * 70),
        (("--host", "203.0.113.1"), "203.0.113.1"),
        (("--tls", "m.json", "m.json"), "PEM"),
        (("--poll",), "learn poll"),
    ],
)
def test_what_cannot_be_served_makes_no_survey(folder, served, capsys, options, named):
    assert named in refused(capsys, *NEW, "--title", "Pilot", *options)
    assert served == []
    assert not (folder / "pilot.survey").exists()


@pytest.mark.parametrize(
    ("options", "warned"),
    [
        ((), ()),
        (("--host", "localhost"), ()),
        (("--host", "0.0.0.0"), ("any address", "http")),
        (("--host", "0.0.0.0", "--address", "https://a.example.org"), ("--tls", "https://a.example.org")),
        (("--host", "0.0.0.0", "--address", "https://a.example.org", "--behind-proxy"), ("127.0.0.1", "https://a.example.org")),
    ],
)
def test_a_receiver_that_others_can_reach_says_so(folder, served, capsys, options, warned):
    assert run(capsys, *NEW, "--title", "Pilot", *options)[0] == 0
    served[0]["started"]()
    said = capsys.readouterr().err
    assert all(part in said for part in warned)
    assert ("Every device" in said) == bool(warned)


def test_a_survey_pauses_resumes_and_closes(folder, capsys):
    store = create_store("pilot.survey", mechanism(), title="Pilot")
    store.add([Submission((i % 2, 0), f"{i}".encode()) for i in range(7)], DAY)
    db = ("--db", "pilot.survey")
    assert result(capsys, "survey", "pause", *db)["state"] == "paused"
    assert store.refusing == "paused"
    assert result(capsys, "survey", "resume", *db)["state"] == "open"
    assert store.refusing == ""
    assert run(capsys, "ledger", "create", "--db", "a.ledger")[0] == 0
    close = ("survey", "close", *db, "--ledger", "a.ledger", "--population", "town", "--report", "r.html")
    assert "2020" in refused(capsys, *close, "--on", "2020-01-01")
    found = result(capsys, *close)
    assert (found["state"], found["n"]) == ("closed", 7)
    assert "</html>" in (folder / "r.html").read_text(encoding="utf-8")
    assert len(result(capsys, "ledger", "list", "--db", "a.ledger")["entries"]) == 1
    refused(capsys, "survey", "pause", *db)


def test_codes_are_written_once_with_their_links(folder, served, capsys):
    run(capsys, *NEW, "--title", "Pilot", "--invited")
    invite = ("survey", "invite", "--db", "pilot.survey", "--number", "5", "--out", "codes.csv")
    assert result(capsys, *invite, "--address", "https://survey.example.org/")["n"] == 5
    rows = list(csv.DictReader((folder / "codes.csv").open()))
    assert [use_code(open_store("pilot.survey"), row["code"]) for row in rows] == ["free"] * 5
    assert all(row["link"] == f"https://survey.example.org/#code={row['code']}" for row in rows)
    assert stat.S_IMODE((folder / "codes.csv").stat().st_mode) == 0o600
    refused(capsys, *invite)
    refused(capsys, *invite[:4], "--number", "0", "--out", "none.csv")
    assert not (folder / "none.csv").exists()


def test_answers_as_a_table(folder, capsys):
    store = create_store("pilot.survey", mechanism(), title="Pilot")
    answers = ("survey", "answers", "--db", "pilot.survey", "--out")
    refused(capsys, *answers, "answers.csv")
    store.add([Submission((i % 2, 0), f"{i}".encode()) for i in range(7)], DAY)
    assert result(capsys, *answers, "answers.csv")["state"] == "open"
    store.close(DAY)
    assert result(capsys, *answers, "answers.parquet")["state"] == "closed"
    rows = list(csv.reader((folder / "answers.csv").open(newline="", encoding="utf-8")))
    assert rows[0] == ["smokes", "day", "day of arrival", "rr_release"]
    assert (
        sorted(row[:3] for row in rows[1:])
        == [["'=yes, a lot\nof it", "work", "2026-03-01"]] * 3 + [["no", "work", "2026-03-01"]] * 4
    )
    table = pq.read_table(folder / "answers.parquet").to_pydict()
    assert sorted(table["smokes"]) == ["=yes, a lot\nof it"] * 3 + ["no"] * 4
    before = (folder / "answers.csv").read_bytes()
    refused(capsys, *answers, "answers.csv")
    assert (folder / "answers.csv").read_bytes() == before
    refused(capsys, *answers, "answers.txt")
    assert not list(folder.glob(".*.part"))
    assert run(capsys, "analyze", "--mechanism", "m.json", "--in", "answers.csv", "--by", "day of arrival")[0] == 0
