"""A table on the server is released where it lies: a job that can be stopped, goes on by whomever, and a second draw has its price said."""

import pytest

import rrcore as rr
from pages.release import server, source
from pages.shared import mechanisms
from pages.shared.hosting import roles, tables
from pages.shared.hosting.operator import Operator
from rrcore.collect import read_answers
from rrcore.collect.releases import Releases
from rrcore.errors import InputError

ALL = "Release all 2,201 people on the server"
SURE = "I want another release on the server, at that price"


@pytest.fixture
def places(tmp_path, monkeypatch):
    """A folder of tables and one for releases, as the operator set them."""
    data, releases = tmp_path / "data", tmp_path / "releases"
    data.mkdir()
    releases.mkdir()
    (data / "ship.csv").write_text(rr.load_demo("titanic").to_csv())
    decided = Operator(data=(str(data),), releases=str(releases))
    for module in (tables, server, source):
        monkeypatch.setattr(module, "operator", lambda: decided)
    return data, releases


def ready(session):
    """The table in play, and page Release."""
    session.go("data")
    session.widget("radio", "Where the table comes from").set_value("server")
    session.run().click("Count it").finish("server_table")
    return session.go("release")


def test_the_table_is_released_into_the_operators_folder(session, places):
    ready(session)
    assert "All 2,201 people of 'ship.csv', on the server" in session.text
    session.set("text_input", "Name of the release", "spring").click("server_release").finish(server.JOB)
    assert "'spring'" in session.text
    assert "stands on the server: 2,201 randomised records" in session.text
    (made,) = Releases(places[1]).of("ship.csv")
    answers = read_answers([((places[1] / "spring" / "released.csv").read_bytes(), "released.csv")], made.mechanism)
    assert (made.word.rows, answers.n, answers.left_out) == (2_201, 2_201, 0)


def test_a_second_release_says_its_price_first_to_others_too(session, places):
    ready(session).set("text_input", "Name of the release", "spring").click("server_release").finish(server.JOB)
    session.go("data").go("release")
    assert "This table was released once, and a new draw is another release about the same people" in session.warnings[0]
    assert session.widget("button", ALL).disabled
    session.set("checkbox", SURE, True).set("text_input", "Name of the release", "summer").click("server_release")
    session.finish(server.JOB)
    assert [each.name for each in Releases(places[1]).of("ship.csv")] == ["spring", "summer"]


def test_what_was_stopped_goes_on_in_another_session(session, places):
    """The folder knows what was begun, whoever did, and whatever became of the server since."""
    ready(session)
    file = mechanisms.planned(session.at.session_state["work"])

    def stop(fraction, text):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Releases(places[1]).release(file, places[0] / "ship.csv", "spring", report=stop)
    session.run()
    assert "was stopped. What is finished of it is kept." in session.text
    session.click("Go on with 'spring'").finish(server.JOB)
    assert [each.name for each in Releases(places[1]).of("ship.csv")] == ["spring"]


def test_a_table_that_changed_is_not_released(session, places):
    ready(session)
    with (places[0] / "ship.csv").open("a") as out:
        out.write("1st,adult,male,yes\n")
    session.click("server_release")
    assert "'ship.csv' has changed since it was counted: count it again" in session.errors[0]
    assert list(places[1].iterdir()) == []


def test_where_others_come_only_who_is_named_may(session, places, monkeypatch):
    ready(session)
    monkeypatch.setattr(roles, "hosted", lambda: True)
    session.run()
    assert "Releasing a table on the server is for people whom the operator of this dashboard has named" in session.text
    assert not session.has("button", ALL)


def test_who_may_not_cannot_press_a_button_that_was_there_before(session, places, monkeypatch):
    ready(session)
    monkeypatch.setattr(roles, "hosted", lambda: True)
    session.click("server_release")
    assert list(places[1].iterdir()) == []


def test_without_a_folder_for_releases_the_command_is_shown(session, places, monkeypatch):
    ready(session)
    for module in (server, source):
        monkeypatch.setattr(module, "operator", lambda: Operator(data=(str(places[0]),)))
    session.run()
    assert "ship.csv', on the server" not in session.text
    assert not session.has("button", ALL)


def test_a_name_that_is_taken_is_said(session, places):
    (places[1] / "spring").mkdir()
    ready(session).set("text_input", "Name of the release", "spring").click("server_release").finish(server.JOB)
    assert "There is a release 'spring' already" in session.errors[0]
    with pytest.raises(InputError, match="already"):
        Releases(places[1]).checked("spring")
