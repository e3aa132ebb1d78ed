"""History: nothing by default; begin one, look ahead, record, come back."""

import csv
import datetime as dt
import io

import pytest

from rrcore.designs import read_design
from rrcore.ledger import Entry, Ledger
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.schema import Attribute, Schema

BY = "Mechanism of the release"
GROUP = "Name of the group of people"
SUM = "Sum for the group"


@pytest.fixture
def page(session, here):
    return session.go("release", "History")


@pytest.fixture
def place(tmp_path):
    return str(tmp_path / "releases.ledger")


def file(design="2/3,1/6,1/6"):
    """Forced response about 'smokes'; by default with odds of exactly 5."""
    schema = Schema((Attribute("smokes", ("planted-no", "planted-yes")),))
    return MechanismFile(schema, (((0,), read_design("smokes", "forced", 2, design)),))


def recorded(place, *, group="panel 2026", made=None):
    return Ledger.open(place).add(Entry.of(made or file(), population=group, date=dt.date(2026, 1, 31)))


def table(session):
    return next(frame.value for frame in session.at.dataframe if SUM in frame.value.columns)


def choose_file(session, content=None):
    session.set("radio", BY, "file")
    session.at.file_uploader[0].set_value(("mechanism.json", content or file().to_json().encode(), "application/json"))
    return session.run()


def test_nothing_is_used_or_written_by_default(page, tmp_path):
    assert not page.has("radio", BY)
    page.set("text_input", "Name", "releases")
    assert list(tmp_path.iterdir()) == []
    page.click("Create")
    assert page.errors == []
    assert [each.name for each in tmp_path.iterdir()] == ["releases.ledger"]


def test_plan_and_record_a_release(page, place):
    page.set("text_input", "Name", "releases").click("Create")
    choose_file(page)
    assert not page.has("button", "Record this release")
    page.set("text_input", GROUP, "panel 2026").set("number_input", "Number of people (optional)", 2201)
    assert "ε = 1.61" in page.text
    assert page.figures["history"].traces == ["planned"]
    assert Ledger.open(place).entries() == ()
    page.click("Record this release")
    (entry,) = Ledger.open(place).entries()
    assert (entry.population, entry.date, entry.people) == ("panel 2026", dt.date.today(), 2201)
    assert (entry.sha256, entry.total) == (file().sha256, Entry.of(file(), population="x", date=entry.date).total)
    assert page.widget("radio", BY).value == "none"
    (row,) = table(page).to_dict("records")
    assert (row["Group of people"], row["Attributes"], row["ε spent"], row[SUM]) == ("panel 2026", "smokes", "1.61", "1.61")
    with open(place, "rb") as content:
        assert b"planted" not in content.read()


def test_a_second_release_is_added_up(page, place):
    Ledger.open(place, create=True)
    recorded(place)
    page.run().click("Open")
    assert "ε = 1.61" in page.text
    choose_file(page, file("1/2,1/4,1/4").to_json().encode())  # odds of 3: ln 3 = 1.0986
    assert page.widget("selectbox", "Group of people").value == "panel 2026"
    assert "ε = 2.71" in page.text
    assert page.figures["history"].traces == ["number 1, 2026-01-31", "planned"]
    page.set("selectbox", "Group of people", "Another group").set("text_input", GROUP, "others")
    assert "ε = 2.71" not in page.text
    page.set("text_input", GROUP, "PANEL 2026")
    assert "ε = 2.71" in page.text
    page.click("Record this release")
    rows = list(csv.DictReader(io.StringIO(page.download("releases.csv"))))
    assert [row["so_far"] for row in rows] == ["1.609437913", "2.708050202"]
    assert {row["population"] for row in rows} == {"panel 2026"}


def test_releases_without_a_bound_say_so(page, place):
    Ledger.open(place, create=True)
    recorded(place, made=file("1/2,1/2,0"))
    page.run().click("Open")
    assert table(page)[SUM].tolist() == ["no bound"]


def test_this_plan_looks_ahead_from_its_certificate(page, place):
    page.set("text_input", "Name", "releases").click("Create").set("radio", BY, "plan").set("text_input", GROUP, "panel")
    page.click("Record this release")
    (entry,) = Ledger.open(place).entries()
    assert entry.attributes == ("Class", "Sex", "Age", "Survived")


def test_a_struck_entry_shows_why_and_whether_it_counts(page, place):
    ledger = Ledger.open(place, create=True)
    recorded(place)
    ledger.strike(recorded(place, group="wrong").id, "nobody got it", never_happened=True)
    page.run().click("Open")
    assert table(page)[SUM].tolist() == ["1.61", "0.00"]
    assert "nobody got it" in table(page)["Struck through"].tolist()[1]


def test_a_history_stays_open_for_its_session_until_closed(page, open_session):
    page.set("text_input", "Name", "releases").click("Create")
    other = open_session().go("release", "History")
    assert other.has("text_input", "Name")
    page.go("budget").go("release", "History")
    assert page.has("radio", BY)
    page.click("Close releases.ledger")
    assert page.has("text_input", "Name")


@pytest.mark.parametrize("content", [b"{}", b"\xff\xfe"])
def test_files_that_are_no_mechanism_are_refused(page, content):
    choose_file(page.set("text_input", "Name", "releases").click("Create"), content)
    assert len(page.errors) == 1
    assert not page.has("button", "Record this release")


def test_a_history_that_goes_away_is_one_error(page, tmp_path):
    page.set("text_input", "Name", "releases").click("Create")
    (tmp_path / "releases.ledger").unlink()
    assert len(page.run().errors) == 1
    assert page.click("Close the history").errors == []
