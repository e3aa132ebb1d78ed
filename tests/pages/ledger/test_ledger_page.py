"""Ledger: nothing by default; create, look ahead, be warned, record, correct, come back."""

import csv
import datetime as dt
import io
import re

import pytest

from rrcore.designs import read_design
from rrcore.ledger import Entry, Ledger
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.schema import Attribute, Schema

NEW = "Name of a new ledger"
RELEASE = "One more release"
GROUP = "Name of the group of people"


@pytest.fixture
def page(session, here):
    return session.go("ledger")


@pytest.fixture
def place(tmp_path):
    return str(tmp_path / "releases.ledger")


def file(design="2/3,1/6,1/6"):
    """Forced response about 'smokes'; by default with odds of exactly 5."""
    schema = Schema((Attribute("smokes", ("planted-no", "planted-yes")),))
    return MechanismFile(schema, (((0,), read_design("smokes", "forced", 2, design)),))


def recorded(place, *, group="panel 2026", made=None):
    return Ledger.open(place).add(Entry.of(made or file(), population=group, date=dt.date(2026, 1, 31)))


def table(session, column):
    return next(frame.value for frame in session.at.dataframe if column in frame.value.columns)


def choose_file(session, content=None):
    session.set("radio", RELEASE, "file")
    session.at.file_uploader[0].set_value(("mechanism.json", content or file().to_json().encode(), "application/json"))
    return session.run()


def test_nothing_is_used_or_written_by_default(page, tmp_path):
    assert not page.has("radio", RELEASE)
    assert "nobody's answers" in page.text
    assert str(tmp_path) in page.text.replace("\\", "")
    assert "There is no ledger yet" in page.text
    page.set("text_input", NEW, "releases")
    assert list(tmp_path.iterdir()) == []
    page.click("Create")
    assert page.errors == []
    assert [each.name for each in tmp_path.iterdir()] == ["releases.ledger"]


@pytest.mark.slow
def test_create_plan_and_record_from_a_file(page, place):
    page.set("text_input", NEW, "releases").click("Create")
    assert "Ledger: releases.ledger" in page.text
    assert "Nothing is recorded yet" in page.text
    choose_file(page)
    assert "Name the group of people" in page.text
    page.set("text_input", GROUP, "panel 2026")
    assert "this release gives 1.61 nats" in page.text
    assert page.figures["ledger"].traces == ["planned"]
    assert Ledger.open(place).entries() == ()
    page.set("date_input", "Date of the release", dt.date(2026, 1, 31)).set("number_input", "Number of people (optional)", 2201)
    page.set("text_input", "Note (optional)", "first wave").click("Record this release")
    (entry,) = Ledger.open(place).entries()
    assert (entry.population, entry.date, entry.people, entry.note) == ("panel 2026", dt.date(2026, 1, 31), 2201, "first wave")
    assert (entry.sha256, entry.total) == (file().sha256, Entry.of(file(), population="x", date=entry.date).total)
    assert page.widget("radio", RELEASE).value == "none"
    (row,) = table(page, "Group so far (nats)").to_dict("records")
    assert (row["Group of people"], row["Attributes"], row["Total (nats)"], row["Group so far (nats)"]) == (
        "panel 2026",
        "smokes",
        "1.61",
        "1.61",
    )
    with open(place, "rb") as content:
        assert b"planted" not in content.read()


@pytest.mark.slow
def test_a_second_release_is_added_up_and_warned_about(page, place):
    Ledger.open(place, create=True)
    recorded(place)
    assert "No ledger is open" in page.text
    page.run().click("Open")
    assert "'panel 2026' has given 1.61 nats: odds up to × 5.01, in 1 release." in page.text
    page.set("number_input", "Warn above (nats, optional)", 3.0)
    assert page.warnings == []
    choose_file(page, file("1/2,1/4,1/4").to_json().encode())  # odds of 3: ln 3 = 1.0986
    assert page.widget("selectbox", "Group of people").value == "panel 2026"
    assert "These people have already given 1.61 nats; with this release 2.71 nats" in page.text
    assert page.warnings == []
    assert not page.has("checkbox", "The same answers once more")
    page.set("number_input", "Warn above (nats, optional)", 2.5)
    (warning,) = page.warnings
    assert "together reach 2.71 nats, above the 2.5 that you set" in warning
    (row,) = table(page, "Times asked").to_dict("records")
    assert row == {
        "Attribute": "smokes",
        "Times asked": 2,
        "Given so far (nats)": "1.61",
        "With this release (nats)": "2.71",
        "Odds up to": "× 15.1",
    }
    assert page.figures["ledger"].traces == ["number 1, 2026-01-31", "planned"]
    page.set("selectbox", "Group of people", "Another group ...").set("text_input", GROUP, "others")
    assert "Nothing is recorded about these people yet" in page.text
    assert page.warnings == []
    page.set("text_input", GROUP, "PANEL 2026")
    assert len(page.warnings) == 1


def test_the_same_released_answers_add_nothing(page, place):
    Ledger.open(place, create=True)
    recorded(place)
    choose_file(page.run().click("Open"))
    assert "with this release 3.22 nats" in page.text
    page.set("checkbox", "The same answers once more", True)
    assert "adds nothing: it stays 1.61 nats" in page.text
    page.click("Record this release")
    assert [entry.same_draw for entry in Ledger.open(place).entries()] == [False, True]
    assert table(page, "Group so far (nats)")["Group so far (nats)"].tolist() == ["1.61", "1.61"]
    (row,) = [row for row in csv.DictReader(io.StringIO(page.download("releases.csv"))) if row["same_draw"] == "yes"]
    assert (row["added"], row["so_far"]) == ("0.000000000", "1.609437913")
    choose_file(page)  # the next one: nobody has said that it is the same, too
    assert page.widget("checkbox", "The same answers once more").value is False
    assert "with this release 3.22 nats" in page.text


def test_releases_without_a_bound_are_warned_about(page, place):
    Ledger.open(place, create=True)
    recorded(place, made=file("1/2,1/2,0"))
    page.run().click("Open")
    (warning,) = page.warnings
    assert "no bound" in warning
    assert table(page, "Group so far (nats)")["Group so far (nats)"].tolist() == ["no bound"]
    choose_file(page)
    assert "already given answers without any bound" in page.text


def test_the_plan_in_play_looks_ahead_from_its_certificate(page, place):
    page.set("text_input", NEW, "releases").click("Create").set("radio", RELEASE, "plan").set("text_input", GROUP, "panel")
    promised = {key.lower(): text for key, text in page.captions_of_mechanisms.items()}
    odds = next(text for key, text in promised.items() if "recommended" in key).split("whole record ")[1]
    assert re.search(rf"this release gives [\d.]+ nats: odds up to {odds}\.", page.text)
    page.click("Record this release")
    (entry,) = Ledger.open(place).entries()
    assert len(entry.attributes) == 4


def test_the_file_made_on_collect_can_be_recorded(page, place):
    page.at.session_state["work"].made_file = file()
    page.set("text_input", NEW, "releases").click("Create").set("radio", RELEASE, "made").set("text_input", GROUP, "panel")
    page.click("Record this release")
    assert Ledger.open(place).entries()[0].sha256 == file().sha256


def test_a_mistake_is_corrected(page, place):
    Ledger.open(place, create=True)
    recorded(place)
    recorded(place, group="wrong")
    page.run().click("Open").click("Strike number 2 through")
    assert "It is not said why" in page.errors[0]
    page.set("text_input", "Why", "another panel").click("Strike number 2 through")
    first, second = Ledger.open(place).entries()
    assert not first.struck
    assert [(each.why, each.never_happened) for each in second.struck] == [("another panel", False)]
    assert "'wrong': number 2 is struck through and still counted, since what was released stays known." in page.text
    page.set("checkbox", "This release never happened: do not count it", True)
    page.set("text_input", "Why", "nobody got it").click("Strike number 2 through")
    assert "'wrong': number 2 is declared never to have happened and not counted." in page.text
    assert table(page, "Group so far (nats)")["Group so far (nats)"].tolist() == ["1.61", "0.00"]
    assert table(page, "Group so far (nats)")["Struck through"].tolist() == ["", "not counted"]
    assert re.search(
        r"Number 2: struck through by .*: another panel; declared never to have happened by .*: nobody got it\.", page.text
    )


def test_the_ledger_stays_open_from_page_to_page_until_closed(page, place):
    page.set("text_input", NEW, "releases").click("Create").set("number_input", "Warn above (nats, optional)", 4.0)
    page.go("budget")
    page.go("ledger")
    assert page.widget("number_input", "Warn above (nats, optional)").value == 4
    page.click("Close")
    assert page.has("text_input", NEW)
    assert not page.has("radio", RELEASE)


def test_other_sessions_do_not_see_the_ledger(page, place, open_session):
    page.set("text_input", NEW, "releases").click("Create")
    other = open_session()
    other.go("ledger")
    assert other.has("text_input", NEW)


def test_files_that_are_no_mechanism_are_refused(page, place):
    page.set("text_input", NEW, "releases").click("Create")
    for content in (b" ", b"{}", b"\xff\xfe", b"a,b\n1,2\n"):
        choose_file(page, content)
        (error,) = page.errors
        assert "mechanism file" in error
        assert not any(button.label == "Record this release" for button in page.at.button)


def test_a_ledger_that_goes_away_is_a_sentence(page, place, tmp_path):
    page.set("text_input", NEW, "releases").click("Create")
    (tmp_path / "releases.ledger").unlink()
    page.run()
    (error,) = page.errors
    assert "There is no ledger" in error
    page.click("Close")
    assert page.errors == []


def test_names_are_shown_as_they_are(page, place):
    Ledger.open(place, create=True)
    recorded(place, group="*all* <b>[people](x)</b>")
    choose_file(page.run().click("Open"))
    page.set("number_input", "Warn above (nats, optional)", 1.0)
    (warning,) = page.warnings
    assert "\\*all\\* \\<b>\\[people\\](x)\\</b>" in warning
