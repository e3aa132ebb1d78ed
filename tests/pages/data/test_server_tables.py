"""Tables on the server: only what the operator allowed is listed and counted, and a sample of it is in play."""

from functools import partial

import numpy as np
import pytest

import rrcore as rr
from pages.shared import tables
from pages.shared.hosting.operator import Operator
from rrcore.errors import InputError
from rrcore.table import MixedEncodingError
from rrcore.table.stream import look_through
from rrcore.work import Worker


@pytest.fixture
def allowed(tmp_path, monkeypatch):
    """A folder that the operator allowed, and one beside it."""
    place = tmp_path / "allowed"
    (place / "panel").mkdir(parents=True)
    (tmp_path / "secret").mkdir()
    rows = rr.load_demo("titanic").to_csv().splitlines(keepends=True)
    (place / "panel" / "1.csv").write_text("".join(rows[:1000]))
    (place / "panel" / "2.csv").write_text("".join([rows[0], *rows[1000:]]))
    (place / "ship.csv").write_text("".join(rows))
    (place / "readme.txt").write_text("no table")
    (tmp_path / "secret" / "own.csv").write_text("".join(rows))
    monkeypatch.setattr(tables, "operator", lambda: Operator(data=(str(place),)))
    return place


def test_what_lies_in_the_folder_is_listed_and_nothing_else(allowed):
    (allowed / ".hidden.csv").write_text("a\n1\n")
    (allowed / "empty").mkdir()
    (allowed / "away.csv").symlink_to(allowed.parent / "secret" / "own.csv")
    (allowed / "afar").symlink_to(allowed.parent / "secret")
    (allowed / "up").symlink_to(allowed.parent)
    (allowed / "here.csv").symlink_to(allowed / "ship.csv")
    (allowed / "mixed").mkdir()
    (allowed / "mixed" / "1.csv").symlink_to(allowed.parent / "secret" / "own.csv")
    assert list(tables.tables()) == ["here.csv", "panel", "ship.csv"]
    assert tables.place("ship.csv") == (allowed / "ship.csv").resolve()


@pytest.mark.parametrize(
    "name", ["../secret/own.csv", "..", "/etc/passwd", "secret", "", "panel/../../secret/own.csv", "ship.csv\0"]
)
def test_any_other_name_is_refused_in_the_same_words(allowed, name):
    with pytest.raises(InputError, match="There is no table of that name on the server: choose one of the list"):
        tables.place(name)


def test_a_table_that_has_become_a_link_to_elsewhere_is_refused(allowed):
    assert "ship.csv" in tables.tables()
    (allowed / "ship.csv").unlink()
    (allowed / "ship.csv").symlink_to(allowed.parent / "secret" / "own.csv")
    with pytest.raises(InputError, match="no table of that name"):
        tables.place("ship.csv")


def test_without_a_word_of_the_operator_nothing_is_offered(session):
    session.go("data")
    assert "server" not in session.text.lower()


@pytest.mark.slow
def test_a_table_is_counted_and_a_sample_of_it_is_in_play(session, allowed, monkeypatch):
    session.go("data").set("radio", "Where the table comes from", "server")
    assert "Until a table is counted" in session.text
    session.set("selectbox", "Table on the server", "panel").click("Count it")
    assert session.errors == []
    work = session.at.session_state["work"]
    assert (work.wishes.respondents, work.dataset.n, work.title) == (2201, 2201, "panel")
    assert "2,201 people on the server." in session.text
    shares = work.dataset.shares(["Survived"])
    np.testing.assert_allclose(shares, rr.load_demo("titanic").shares(["Survived"]))
    session.go("budget").go("data")
    assert "2,201 people on the server." in session.text


def test_names_of_a_table_on_the_server_are_asked_about_before_they_leave(session, allowed):
    session._settled = False
    session.go("data").set("radio", "Where the table comes from", "server")
    session.set("selectbox", "Table on the server", "ship.csv").click("Count it")
    assert "May others read the names of the categories of Class, Sex, Age, Survived?" in session.text
    session.go("collect")
    assert "Before the form or the file leaves: may others read these names?" in session.text
    assert not session.at.get("download_button")


def test_messages_name_no_folder_of_the_server(allowed):
    (allowed / "panel" / "3.csv").write_text("a,b\nno,1\nyes,2\nno,3\n")
    with pytest.raises(InputError) as error:
        list(tables.apart(look_through, tables.place("panel"), "", lambda fraction, text: None))
    assert "3.csv" in str(error.value)
    assert str(allowed.parent) not in str(error.value)


@pytest.mark.slow
def test_a_sample_in_play_is_called_one_wherever_truth_is_shown_or_leaves(session, allowed, monkeypatch):
    monkeypatch.setattr("rrcore.table.stream.sampling.MAX_SAMPLED_PEOPLE", 500)
    session.go("data").set("radio", "Where the table comes from", "server")
    session.set("selectbox", "Table on the server", "ship.csv").click("Count it")
    assert "500 of 2,201 people · 4 attributes" in session.text
    assert "These 500 people were drawn at random from 2,201: the truth is theirs." in session.go("perturb").text
    session.go("release")
    assert any("In play are 500 of 2,201 people, and only they would leave here." in warning for warning in session.warnings)
    assert session.at.code[0].value == "rrcore collect --mechanism mechanism.json --in ship.csv --out released.parquet"
    session.go("data").set("radio", "Where the table comes from", "demo")
    assert "of 2,201 people" not in session.text
    session.click("Undo")
    assert "500 of 2,201 people" in session.text


def test_a_counted_table_comes_back_at_one_press_and_an_empty_folder_is_said(session, allowed, tmp_path, monkeypatch):
    session.go("data").set("radio", "Where the table comes from", "server")
    session.set("selectbox", "Table on the server", "panel").click("Count it").finish("server_table")
    session.set("radio", "Where the table comes from", "demo").set("radio", "Demo table", "berkeley")
    work = session.at.session_state["work"]
    assert work.title != "panel"
    session.set("radio", "Where the table comes from", "server")
    assert "people on the server" not in session.text
    session.click("Use 'panel' again")
    assert (work.title, work.wishes.respondents) == ("panel", 2201)
    assert "2,201 people on the server." in session.text
    assert not session.has("button", "Change its encoding")
    (tmp_path / "none").mkdir()
    monkeypatch.setattr(tables, "operator", lambda: Operator(data=(str(tmp_path / "none"),)))
    assert "There is no table on the server yet" in session.go("budget").go("data").text


MIXED = b"smokes,ward\n" + "yes,Z\u00fcrich\n".encode() * 40 + "no,Z\u00fcrich\nno,Basel\n".encode("latin-1") * 40


def counted(session):
    session.go("data").widget("radio", "Where the table comes from").set_value("server")
    return session.run().set("selectbox", "Table on the server", "towns.csv")


@pytest.mark.parametrize(
    ("answer", "wards"),
    [
        ("A mixture", ("Basel", "Z\u00fcrich")),
        ("All Windows-1252", ("Basel", "Z\u00c3\u00bcrich", "Z\u00fcrich")),
    ],
)
def test_a_text_in_two_encodings_is_asked_about(session, allowed, answer, wards):
    (allowed / "towns.csv").write_bytes(MIXED)
    counted(session).click("Count it").finish("server_table")
    assert session.errors == []
    assert "Which encoding is 'towns.csv' in?" in session.text
    session.click(answer).finish("server_table")
    assert session.at.session_state["work"].schema.attributes[1].categories == wards
    session.click("Change its encoding").click("Count it").finish("server_table")
    assert "Which encoding is 'towns.csv' in?" in session.text


def test_the_question_comes_from_another_process(allowed):
    (allowed / "towns.csv").write_bytes(MIXED)
    doing = partial(tables.apart, partial(look_through, encoding=""), allowed / "towns.csv", "")
    with pytest.raises(MixedEncodingError) as error:
        list(Worker(doing, megabytes=2000).pieces(seconds=120))
    assert [each.line for each in error.value.examples] == [2, 42]
