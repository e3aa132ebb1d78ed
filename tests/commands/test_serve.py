"""The commands serve, invite and answers: a survey from its first start to its table."""

import csv
import datetime as dt
import io
import stat
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from rrcore.__main__ import main
from rrcore.asking import SurveyFile
from rrcore.mechanisms import build
from rrcore.promise import MechanismFile, integer_groups
from rrcore.receiver import Submission, create_store, open_store
from rrcore.receiver.invitations import use_code
from rrcore.receiver.reach import reach
from rrcore.table.schema import Attribute, Schema

DAY = dt.date(2026, 3, 1)
SCHEMA = Schema((Attribute("smokes", ("no", "=yes, a lot\nof it")), Attribute("day", ("work", "feast"))))


def mechanism(note=""):
    return MechanismFile(SCHEMA, integer_groups(build("pair-safe", SCHEMA.sizes, (1.0, 1.0))), note=note)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.json").write_text(mechanism().to_json(), encoding="utf-8")
    return tmp_path


@pytest.fixture
def served(monkeypatch):
    """Serve as it is, but for the serving itself."""
    seen = []
    monkeypatch.setattr("rrcore.receiver.server.serve", lambda app, at, **options: (seen.append(options), at.close()))
    return seen


def refused(capsys, *arguments):
    assert main(arguments) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    return told


SERVE = ("serve", "--mechanism", "m.json", "--db", "pilot.survey", "--port", "0")


def test_a_survey_is_made_once_and_keeps_what_it_was_started_with(folder, served, capsys):
    assert "--title TEXT" in refused(capsys, *SERVE)
    new = (*SERVE, "--title", "Piloto", "--invited")
    assert main(new) == 0
    store = open_store("pilot.survey")
    assert store.title == "Piloto"
    assert store.key.startswith("-----BEGIN PRIVATE KEY-----")
    assert main(SERVE) == 0
    assert len(served) == 2
    assert main(new) == 0  # the same once more goes on
    assert main(("serve", "--db", "pilot.survey", "--port", "0")) == 0
    assert len(served) == 4
    assert "keeps what it was started with: its title is another" in refused(capsys, *SERVE, "--title", "Other")
    (folder / "m.json").write_text(mechanism(note="another").to_json(), encoding="utf-8")
    assert "its mechanism file is another" in refused(capsys, *SERVE)


def test_a_survey_file_is_served_as_it_is_and_goes_on(folder, served, capsys):
    survey = SurveyFile(mechanism(), "Piloto", "Hola", {"smokes": "¿Fuma?"}, ("day", "smokes"), "es", invited=True)
    survey.save("s.json")
    serve = ("serve", "--survey", "s.json", "--db", "pilot.survey", "--port", "0")
    assert main(serve) == 0
    store = open_store("pilot.survey")
    assert store.survey == survey
    assert store.key.startswith("-----BEGIN PRIVATE KEY-----")
    assert main(serve) == 0
    assert main(SERVE) == 0
    assert "Leave out --mechanism, --title" in refused(capsys, *serve, "--title", "Piloto")
    (folder / "s.json").unlink()
    replace(survey, order=()).save("s.json")
    assert "its order of the questions is another" in refused(capsys, *serve)
    assert "--survey FILE, or --mechanism FILE and --title" in refused(capsys, "serve", "--db", "new.survey", "--port", "0")
    assert not (folder / "new.survey").exists()


def test_a_form_of_a_survey_file_says_what_is_in_it(folder, capsys):
    survey = SurveyFile(mechanism(), "Piloto", "Hola", {"smokes": "¿Fuma?"}, ("day", "smokes"), "es")
    survey.save("s.json")
    assert main(("form", "--survey", "s.json", "--out", "form.html")) == 0
    form = (folder / "form.html").read_text(encoding="utf-8")
    assert form == survey.form()
    assert "leave out --language, or --survey" in refused(
        capsys, "form", "--survey", "s.json", "--language", "es", "--out", "b.html"
    )


def test_screens_are_left_out_of_a_form(folder, capsys):
    form = ("form", "--mechanism", "m.json", "--out", "form.html")
    assert main((*form, "--interviewer", "--without", "picture")) == 0
    html = (folder / "form.html").read_text(encoding="utf-8")
    assert ['id="interviewer"' in html, "<figure>" in html] == [True, False]
    assert "has no category 'perhaps'" in refused(
        capsys, "form", "--mechanism", "m.json", "--out", "b.html", "--about", "smokes=perhaps"
    )
    assert "leave out --about, or --survey" in refused(capsys, "form", "--survey", "s.json", "--about", "day", "--out", "b.html")


def test_a_survey_pauses_and_resumes(folder, capsys):
    store = create_store("pilot.survey", mechanism(), title="Pilot")
    assert main(("pause", "--db", "pilot.survey")) == 0
    assert "'Pilot' is paused: who opens the form is asked to come back later." in capsys.readouterr().out
    assert store.refusing == "paused"
    main(("pause", "--db", "pilot.survey"))
    assert "So it was before." in capsys.readouterr().out
    main(("resume", "--db", "pilot.survey"))
    assert store.refusing == ""
    store.close(DAY)
    assert "is closed for good" in refused(capsys, "pause", "--db", "pilot.survey")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--port", "99999"), "The port is '99999'"),
        (("--per-minute", "0"), "number of requests a minute is"),
        (("--address", "http://survey.example.org"), "The answers cannot be sent to"),
        (("--address", "http://["), "The answers cannot be sent to"),
        (("--origin", "http://["), "The origin 'http://[' is not understood"),
        (("--host", "a" * 70), "this is no address"),
        (("--origin", "www.example.org"), "The origin 'www.example.org' is not understood"),
        (("--host", "203.0.113.1"), "Nothing can listen on 203.0.113.1"),
        (("--tls", "m.json", "m.json"), "The certificate and its key cannot be used"),
    ],
)
def test_what_cannot_be_served(folder, served, capsys, options, told):
    assert told in refused(capsys, *SERVE, "--title", "Pilot", *options)
    assert served == []
    assert not (folder / "pilot.survey").exists()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), None),
        (("--host", "localhost"), None),
        (
            ("--host", "0.0.0.0"),
            ("at any address of this computer", "over http: anybody on the way can read", "no address to give"),
        ),
        (("--host", "::"), ("at any address of this computer", "over http: anybody", "--address https:// and the name")),
        (
            ("--host", "0.0.0.0", "--address", "https://a.example.org"),
            ("put a proxy that speaks https before it, or give --tls", "Give respondents https://a.example.org."),
        ),
        (
            ("--host", "0.0.0.0", "--address", "https://a.example.org", "--behind-proxy"),
            ("past the proxy", "let it listen on 127.0.0.1", "Give respondents https://a.example.org."),
        ),
        (("--address", "https://a.example.org", "--behind-proxy"), None),
    ],
)
def test_a_receiver_that_others_can_reach_says_who_and_over_what(folder, served, capsys, options, told):
    assert main((*SERVE, "--title", "Pilot", *options)) == 0
    served[0]["started"]()
    said = capsys.readouterr().err
    if told is None:
        assert "Every device" not in said
        assert said.count("\n") == 2
    else:
        assert all(part in said for part in told)
        assert all(line.endswith(".") for line in said.splitlines()[:3])


def test_what_is_said_of_a_receiver_that_speaks_https():
    over, given = reach("192.0.2.7", 8443, "https://a.example.org:8443", tls=True, behind_proxy=False)
    assert over == "Every device that reaches this computer over a network can open the form at 192.0.2.7, port 8443, over https."
    assert given == "Give respondents https://a.example.org:8443."


def test_codes_are_written_once_with_their_links(folder, served, capsys):
    main((*SERVE, "--title", "Pilot", "--invited"))
    command = (
        "invite",
        "--db",
        "pilot.survey",
        "--number",
        "5",
        "--out",
        "codes.csv",
        "--address",
        "https://survey.example.org/",
    )
    assert main(command) == 0
    assert "5 invitation codes written to codes.csv" in capsys.readouterr().out
    rows = list(csv.DictReader(io.StringIO((folder / "codes.csv").read_text())))
    assert [use_code(open_store("pilot.survey"), row["code"]) for row in rows] == ["free"] * 5
    assert all(row["link"] == f"https://survey.example.org/#code={row['code']}" for row in rows)
    assert stat.S_IMODE((folder / "codes.csv").stat().st_mode) == 0o600
    assert "There is already a file 'codes.csv'" in refused(capsys, *command)
    assert sorted(each.name for each in folder.iterdir() if not each.name.endswith("-journal")) == [
        "codes.csv",
        "m.json",
        "pilot.survey",
    ]


def test_answers_as_a_table(folder, capsys):
    store = create_store("pilot.survey", mechanism(), title="Pilot")
    assert "No answer has arrived" in refused(capsys, "answers", "--db", "pilot.survey", "--out", "answers.csv")
    store.add([Submission((i % 2, 0), f"{i}".encode()) for i in range(7)], DAY)
    assert main(("answers", "--db", "pilot.survey", "--out", "answers.csv")) == 0
    assert "7 answers written to answers.csv; the survey is still open" in capsys.readouterr().out
    store.close(DAY)
    assert main(("answers", "--db", "pilot.survey", "--out", "answers.parquet")) == 0
    assert "closed on 2026-03-01" in capsys.readouterr().out

    rows = list(csv.reader(io.StringIO((folder / "answers.csv").read_text(encoding="utf-8"), newline="")))
    assert rows[0] == ["smokes", "day", "day of arrival", "rr_release"]
    assert [row.pop() for row in rows][1:-1] == [""] * 6
    assert sorted(rows[1:]) == [["'=yes, a lot\nof it", "work", "2026-03-01"]] * 3 + [["no", "work", "2026-03-01"]] * 4
    table = pq.read_table(folder / "answers.parquet").to_pydict()
    assert list(table) == [*rows[0], "rr_release"]
    assert sorted(table["smokes"]) == ["=yes, a lot\nof it"] * 3 + ["no"] * 4

    for name in ("answers.csv", "answers.parquet"):
        content = (folder / name).read_bytes()
        assert f"There is already a file '{name}'" in refused(capsys, "answers", "--db", "pilot.survey", "--out", name)
        assert (folder / name).read_bytes() == content
    assert "let it end in .csv or .parquet" in refused(capsys, "answers", "--db", "pilot.survey", "--out", "answers.txt")
    assert not [each for each in folder.iterdir() if each.name.endswith(".part")]
    assert main(("read", "--mechanism", "m.json", "--in", "answers.csv", "--by", "day of arrival")) == 0
