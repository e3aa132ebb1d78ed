"""A table on the server is released where it lies: a job that can be stopped, goes on by whomever, and a second draw has its price said."""

from dataclasses import replace

import numpy as np
import pytest

import rrcore as rr
from pages.data.columns import rename_column
from pages.release import server, source
from pages.shared import jobs, mechanisms, queue, tables, verdicts
from pages.shared.hosting import roles
from pages.shared.hosting.operator import Operator
from rrcore.answers import read_answers
from rrcore.errors import InputError
from rrcore.promise.release_folder import WantedRelease, release_into
from rrcore.promise.releases import Releases
from rrcore.table import ColumnRule
from rrcore.table.stream import sampling
from rrcore.work.locking import locked

pytestmark = pytest.mark.long

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


def begin(places, file, name, **more):
    """Somebody else begins a release and stops."""

    def stop(fraction, text):
        if fraction > 0:
            raise KeyboardInterrupt

    wanted = WantedRelease(file, name, "ship.csv", by="ada@example.org", **more)
    with pytest.raises(KeyboardInterrupt):
        release_into(Releases(places[1]), wanted, places[0] / "ship.csv", report=stop)


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
    assert (made.trailer.rows, answers.n, answers.left_out) == (2_201, 2_201, 0)


def test_a_second_release_says_its_price_first_to_others_too(session, places):
    ready(session).set("text_input", "Name of the release", "spring").click("server_release").finish(server.JOB)
    session.go("data").go("release")
    assert "This table was released once: this is one more about the same people" in session.warnings[0]
    assert session.widget("button", ALL).disabled
    session.set("checkbox", SURE, True).set("text_input", "Name of the release", "summer").click("server_release")
    session.finish(server.JOB)
    assert [each.name for each in Releases(places[1]).of("ship.csv")] == ["spring", "summer"]


def test_what_was_stopped_goes_on_in_another_session(session, places):
    """The folder knows what was begun, whoever did, and whatever became of the server since."""
    ready(session)
    file = mechanisms.planned(session.at.session_state["work"])

    begin(places, file, "spring")
    session.run()
    assert "by ada:small[]@example.org, was stopped. What is finished of it is kept." in session.text
    session.click("Go on with 'spring'").finish(server.JOB)
    assert [each.name for each in Releases(places[1]).of("ship.csv")] == ["spring"]


def test_what_was_stopped_goes_on_though_nobody_chose_the_plan_in_play(session, places, monkeypatch, first_level):
    monkeypatch.setattr(verdicts, "DEFAULT_LEVEL", first_level)
    ready(session)
    begin(places, mechanisms.planned(session.at.session_state["work"]), "spring")
    session.run()
    assert not session.widget("button", "Go on with 'spring'").disabled
    assert not session.has("button", ALL)
    session.set("checkbox", verdicts.MEANT, True)
    assert session.has("button", ALL)


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


def test_a_release_that_is_begun_counts_for_another_one(session, places):
    """Who releases the table anew instead of going on is told what both give away, and so is who goes on then."""
    ready(session)
    file = mechanisms.planned(session.at.session_state["work"])
    begin(places, file, "spring")
    session.run()
    assert "Another release of this table is begun: this is one more about the same people" in session.warnings[0]
    assert session.widget("button", ALL).disabled
    assert not session.widget("button", "Go on with 'spring'").disabled
    session.set("checkbox", SURE, True).set("text_input", "Name of the release", "summer").click("server_release")
    session.finish(server.JOB)
    assert [each.name for each in Releases(places[1]).of("ship.csv")] == ["summer"]
    assert "This table was released once: this is one more" in session.warnings[0]
    assert session.widget("button", "Go on with 'spring'").disabled
    session.at.checkbox(key="server_sure_spring_1_0").check()
    session.run().click("Go on with 'spring'").finish(server.JOB)
    assert [(each.name, each.by != "") for each in Releases(places[1]).of("ship.csv")] == [("spring", True), ("summer", True)]


def test_what_was_begun_is_given_up_by_whoever_knows_that_nobody_saw_it(session, places, monkeypatch):
    """It counts no more, its name is free, and a button that was there before does nothing twice, or for who may not."""
    ready(session)
    begin(places, mechanisms.planned(session.at.session_state["work"]), "spring")
    session.run()
    assert session.widget("button", "Give it up").disabled
    session.set("checkbox", "Nobody was given any of it", True)
    (stale,) = Releases(places[1]).unfinished("ship.csv")
    session.click("Give it up")
    assert not session.has("button", "Go on with 'spring'")
    assert not session.has("checkbox", SURE)
    assert Releases(places[1]).others("ship.csv", "") == []
    (kept,) = Releases(places[1]).all()
    assert [(step.who == "ada@example.org", step.act) for step in kept.steps] == [
        (True, "release begun"),
        (False, "release given up"),
    ]
    monkeypatch.setattr(server.st, "session_state", said := {})
    server._give_up(stale)
    assert said["server_problem"].startswith("The release 'spring' was finished or given up meanwhile")
    monkeypatch.undo()


def test_a_release_that_somebody_is_making_is_not_gone_on_with(session, places):
    ready(session)
    begin(places, mechanisms.planned(session.at.session_state["work"]), "spring")
    with locked(places[1] / ".spring.begun" / ".lock"):
        session.run()
        assert "is being made now, in another tab." in session.text
        assert not session.has("button", "Go on with 'spring'")
    session.click("Look again")
    assert session.has("button", "Go on with 'spring'")


def test_a_draw_of_the_sample_counts_for_the_table_and_the_other_way_round(session, places):
    """They are the same people, wherever they are released from."""
    ready(session)
    session.click("Randomise the answers of 2,201 people").finish("release")
    assert "This table was released once: this is one more about the same people" in session.warnings[0]
    assert session.widget("button", ALL).disabled
    session.set("checkbox", SURE, True).set("text_input", "Name of the release", "spring").click("server_release")
    session.finish(server.JOB)
    assert [each.name for each in Releases(places[1]).of("ship.csv")] == ["spring"]
    assert session.widget("button", "Randomise again").disabled


@pytest.fixture
def ages(places):
    """A table with a column of numbers, one with cells that are empty, and rare answers, in place of the other."""
    rng = np.random.default_rng(0)
    found = rng.integers(18, 90, 3_000), rng.integers(0, 4, 3_000), rng.geometric(0.6, 3_000)
    wards = np.array(["east", "west", "old town", ""])[found[1]]
    rows = "".join(map("{},{},{}\n".format, found[0], wards, found[2]))
    (places[0] / "ship.csv").write_text(f"years,ward,rooms\n{rows}")
    return found


def test_intervals_new_names_merged_answers_and_who_is_left_out_go_along(session, places, ages):
    """Chosen on the Data page for the sample in play, they hold for every record of the table; also in the release that is gone on with."""
    session.go("data")
    session.widget("radio", "Where the table comes from").set_value("server")
    session.run().click("Count it").finish("server_table")
    work = session.at.session_state["work"]
    rules = work.rules | {
        "ward": replace(
            work.rules["ward"], missing="drop", labels=(("old town", "centre"),), categories=("east", "centre", "west")
        ),
        "rooms": ColumnRule(kind="ordinal", binning="open", edges=(2, 4)),
    }
    work.adopt_table(work.table, rules, "upload")
    rename_column(work, "years", "age")
    work.set_levels(dict.fromkeys(work.schema.names, 15.0))
    session.go("release").run()
    assert "Whoever gave no answer to 'ward' is left out, as chosen on the Data page." in session.text
    session.set("text_input", "Name of the release", "spring").click("server_release").finish(server.JOB)
    assert session.errors == []
    (made,) = Releases(places[1]).of("ship.csv")
    kept = ages[1] != 3
    assert made.trailer.rows == np.count_nonzero(kept)
    answers = read_answers([((places[1] / "spring" / "released.csv").read_bytes(), "released.csv")], made.mechanism).dataset
    assert [each.name for each in answers.schema.attributes] == ["age", "ward", "rooms"]
    assert answers.schema.attributes[1].categories == ("east", "centre", "west")
    wanted = [
        np.searchsorted([40, 60, 80], ages[0][kept], side="right"),
        np.array([0, 2, 1, -1])[ages[1][kept]],
        np.searchsorted([2, 4], ages[2][kept], side="right"),
    ]
    assert (answers.codes == np.stack(wanted, axis=1)).mean() > 0.99  # hardly anybody lies at this level
    assert "years" not in (places[1] / "spring" / "mechanism.json").read_text()


def test_an_answer_that_nobody_in_play_gave_is_said_before_anything_is_drawn(session, places, ages, monkeypatch):
    monkeypatch.setattr(sampling, "MAX_SAMPLED_PEOPLE", 100)
    with (places[0] / "ship.csv").open("a") as out:
        out.write("20,harbour,1\n")
    session.go("data")
    session.widget("radio", "Where the table comes from").set_value("server")
    session.run().click("Count it").finish("server_table")
    work = session.at.session_state["work"]
    work.adopt_table(work.table, work.rules | {"ward": replace(work.rules["ward"], merge_below=1)}, "upload")
    session.go("release").run()
    assert "Somebody in the table gave an answer to 'ward' that is none of its categories" in session.errors[0]
    assert not session.has("button", "server_release")


def test_a_release_that_takes_too_long_for_the_operator_is_gone_on_with(session, places, monkeypatch):
    """A worker that has job_seconds and no more, and another one."""
    ready(session)
    session.set("text_input", "Name of the release", "spring")

    def slow(releases, wanted, path, /, *, pages, executor, report):
        import time

        from rrcore.promise.release_folder import release_into

        return release_into(releases, wanted, path, report=lambda fraction, text: time.sleep(60 if fraction > 0 else 0))

    for seconds, release in ((10, slow), (600, server.release_into)):
        monkeypatch.setattr(queue, "operator", lambda seconds=seconds: Operator(job_seconds=seconds))
        monkeypatch.setattr(jobs, "QUEUE", queue.Queue())
        monkeypatch.setattr(server, "release_into", release)
        session.click("server_release" if release is slow else "Go on with 'spring'").finish(server.JOB)
        if release is slow:
            assert session.errors == [
                "The release took longer than one calculation may here. What is finished of it is kept: go on with it."
            ]
            assert Releases(places[1]).of("ship.csv") == []
    (made,) = Releases(places[1]).of("ship.csv")
    assert (made.name, made.trailer.rows) == ("spring", 2_201)


def test_the_name_that_is_proposed_is_free(session, places):
    ready(session).click("server_release").finish(server.JOB)
    first = Releases(places[1]).of("ship.csv")[0].name
    assert session.widget("text_input", "Name of the release").value == f"{first} 2"


def test_the_encoding_that_was_chosen_goes_along(session, places):
    """As chosen on the Data page, also in a release that is begun and gone on with."""
    text = b"smokes,ward\n" + "yes,Z\u00fcrich\n".encode() * 40 + "no,Z\u00fcrich\nno,Basel\n".encode("latin-1") * 40
    (places[0] / "ship.csv").write_bytes(text)
    session.go("data")
    session.widget("radio", "Where the table comes from").set_value("server")
    session.run().click("Count it").finish("server_table")
    session.click("A mixture").finish("server_table")
    session.go("release").run()
    begin(places, mechanisms.planned(session.at.session_state["work"]), "winter", encoding="mixed")
    session.run().click("Go on with 'winter'").finish(server.JOB)
    assert session.errors == []
    session.set("checkbox", SURE, True).set("text_input", "Name of the release", "spring").click("server_release")
    session.finish(server.JOB)
    assert session.errors == []
    assert [(each.encoding, each.trailer.rows) for each in Releases(places[1]).of("ship.csv")] == [("mixed", 120)] * 2


def test_who_releases_and_keeps_no_ledger_is_not_led_to_one(session, places, shelves, logged_in):
    ready(session).set("text_input", "Name of the release", "spring").click("server_release").finish(server.JOB)
    assert session.has("button", "Record it in the ledger")
    logged_in("ada@example.org")
    shelves(hosts=("rr.example.org",), secrets="secrets.toml", release_tables=("ada@example.org",))
    session.run()
    assert "stands on the server: 2,201 randomised records" in session.text
    assert "Writing to a ledger is for people whom the operator of this dashboard has named" in session.text
    assert not session.has("button", "Record it in the ledger")
