"""Surveys and ledgers of every earlier layout, on SQLite and PostgreSQL: read as they are, renewed by the first act, all or nothing."""

from __future__ import annotations

import datetime as dt
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from sqlalchemy import inspect, text

from rrcore.asking import PLAIN
from rrcore.errors import InputError
from rrcore.ledger import LEDGER_VERSION, Entry, Ledger, check_ledger
from rrcore.ledger.tables import TABLES as LEDGER_TABLES
from rrcore.receiver import Store, Submission, check_survey, create_store, open_store
from rrcore.receiver.closingkey import check_closing_key, has_closing_key, new_closing_key
from rrcore.receiver.codes import new_code
from rrcore.receiver.invitations import used_codes
from rrcore.receiver.running import Served, note_served, served_of
from rrcore.receiver.tables import STORE_VERSION, SURVEYS
from rrcore.receiver.tables import TABLES as SURVEY_TABLES

FILES = Path(__file__).with_name("layouts")
LEDGER = Path(__file__).with_name("files") / "releases.ledger"
DAY = dt.date(2026, 3, 1)
OLD_SURVEYS = ("survey-v1", "survey-v1-invited-closed")

Restore = Callable[[str], str]


@pytest.fixture
def restore(place: str, tmp_path: Path) -> Restore:
    """Puts a database of an earlier layout where tests may change it."""

    def put(name: str) -> str:
        if place.startswith("postgresql:"):
            script = (FILES / f"{name}.postgresql.sql").read_text(encoding="utf-8")
            with SURVEYS.connected(place) as connection:
                for statement in script.split(";\n"):
                    if statement.strip():
                        connection.exec_driver_sql(statement.replace("%", "%%"))
            return place
        return str(shutil.copy(LEDGER if name == "ledger-v1" else FILES / f"{name}.survey", tmp_path))

    return put


@pytest.fixture
def old_ledger(restore: Restore) -> str:
    return restore("ledger-v1")


def everything(place: str) -> dict[str, list[tuple[object, ...]]]:
    """All tables with all rows."""
    with SURVEYS.connected(place) as connection:
        names = sorted(name for name in inspect(connection).get_table_names() if name.startswith("rr_"))
        return {name: sorted(map(tuple, connection.execute(text(f"SELECT * FROM {name}"))), key=repr) for name in names}


def shape(place: str) -> dict[str, list[tuple[str, str, bool]]]:
    """The columns of all tables, with their types and whether they may be empty."""
    with SURVEYS.connected(place) as connection:
        looked = inspect(connection)
        return {
            name: [(each["name"], str(each["type"]), each["nullable"]) for each in looked.get_columns(name)]
            for name in looked.get_table_names()
        }


@pytest.mark.parametrize("name", OLD_SURVEYS)
def test_a_survey_of_layout_1_is_read_and_takes_answers_as_it_is(restore: Restore, name: str) -> None:
    place = restore(name)
    before = everything(place)
    store = open_store(place)
    assert (store.title, store.language, store.introduction) == ('Vélos, "bikes" & 自転車', "fr", "Thank you for =your help.")
    assert store.screens == PLAIN
    assert (store.answers().n, sum(store.by_day().values()), sum(store.begun_by_day().values())) == (40, 40, 45)
    assert store.acts() == ()
    assert not has_closing_key(store)
    condition = check_survey(place)
    assert (condition.version, condition.newest, condition.problems) == (1, STORE_VERSION, ())
    if name == "survey-v1":
        assert store.closed is None
        assert everything(place) == before
        assert store.add([Submission((0,) * len(store.reports.names), b"another")], DAY) == ["stored"]
        with pytest.raises(InputError, match=r"has no key for closing.*'rrcore key --db'"):
            check_closing_key(store, new_code())
    else:
        assert store.closed == dt.date(2026, 3, 3)
        assert used_codes(store) == (1, 5)
        with pytest.raises(InputError, match="is closed: it needs no key"):
            new_closing_key(store)
    assert check_survey(place).version == 1


def test_the_first_act_renews_a_survey_and_loses_nothing(restore: Restore) -> None:
    place = restore("survey-v1")
    before = everything(place)
    store = open_store(place)
    key = new_closing_key(store)
    after = everything(place)
    assert [row[0] for row in after["rr_survey"]] == [STORE_VERSION]
    assert [row[1:] for row in after.pop("rr_survey")] == [row[1:] for row in before.pop("rr_survey")]
    assert {name: after[name] for name in before} == before
    assert set(after) - set(before) == {"rr_act", "rr_closing_key", "rr_paused", "rr_served"}
    assert [(act.act, act.why) for act in store.acts()] == [("layout changed", "version 1 to 4"), ("key given", "")]
    check_closing_key(store, key)
    condition = check_survey(place)
    assert (condition.version, condition.problems) == (STORE_VERSION, ())


def test_a_survey_of_layout_2_is_read_takes_answers_and_is_renewed_by_a_pause(restore: Restore) -> None:
    place = restore("survey-v2")
    before = everything(place)
    store = open_store(place)
    assert (store.title, store.order, store.answers().n) == ('Vélos, "bikes" & 自転車', (), 40)
    assert (store.refusing, served_of(store), [act.act for act in store.acts()]) == ("", None, ["created"])
    assert note_served(store, Served("127.0.0.1", 8000, "http://localhost:8000")) == ""  # serving it changes nothing
    assert (check_survey(place).version, everything(place)) == (2, before)
    check_closing_key(store, "7K3QD-9XW2M-4HTRC")
    assert store.pause(DAY)
    assert store.add([Submission((0,) * len(store.reports.names), b"another")], DAY) == ["paused"]
    assert store.resume()
    assert store.add([Submission((0,) * len(store.reports.names), b"another")], DAY) == ["stored"]
    assert [act.why for act in store.acts()][1] == "version 2 to 4"
    assert check_survey(place).problems == ()


def test_a_survey_of_layout_3_takes_answers_as_it_is_and_is_renewed_by_a_pause(restore: Restore) -> None:
    place = restore("survey-v3")
    store = open_store(place)
    assert (store.unrandomised, store.translations, store.answers().n, store.answers().beside) == ((), {}, 40, ("day",))
    assert [act.why for act in store.acts()][1] == "version 2 to 3"
    assert store.add([Submission((0,) * len(store.sizes), b"another")], DAY) == ["stored"]
    assert (check_survey(place).version, check_survey(place).problems) == (3, ())
    assert store.pause(DAY)
    assert ([act.why for act in store.acts()][4], store.answers().n) == ("version 3 to 4", 41)
    assert (check_survey(place).version, check_survey(place).problems) == (4, ())


def test_closing_renews_a_survey(restore: Restore) -> None:
    store = open_store(restore("survey-v1"))
    store.close(DAY + dt.timedelta(9))
    store.close(DAY + dt.timedelta(10))
    assert [act.act for act in store.acts()] == ["layout changed", "closed"]
    assert (store.closed, store.answers().n) == (DAY + dt.timedelta(9), 40)


def test_a_ledger_of_layout_1_is_read_as_it_is_and_renewed_by_the_first_entry(old_ledger: str) -> None:
    before = everything(old_ledger)
    ledger = Ledger.open(old_ledger)
    entries = ledger.entries()
    assert ledger.spent("panel 2026, köln").total == Decimal("6.817577061")
    assert (ledger.acts(), any(entry.struck for entry in entries)) == ((), False)
    condition = check_ledger(old_ledger)
    assert (condition.version, condition.newest, condition.problems) == (1, LEDGER_VERSION, ())
    assert everything(old_ledger) == before
    ledger.strike(2, "another panel")
    assert [replace(entry, struck=()) for entry in ledger.entries()] == list(entries)
    added = ledger.add(replace(entries[0], id=None))
    assert added.id is not None
    assert added.id > 5
    after = everything(old_ledger)
    assert after["rr_ledger"] == [(LEDGER_VERSION,)]
    assert after["rr_release"][:5] == before["rr_release"]
    assert [(act.act, act.entry) for act in ledger.acts()] == [
        ("layout changed", None),
        ("entry struck through", 2),
        ("entry recorded", added.id),
    ]
    condition = check_ledger(old_ledger)
    assert (condition.version, condition.problems) == (LEDGER_VERSION, ())


@pytest.mark.parametrize("thing", ["survey", "ledger"])
def test_what_was_renewed_is_laid_out_like_what_is_new(
    thing: str, restore: Restore, old_place: Callable[[str], str], new_place_beside: str
) -> None:
    place = old_place(thing)
    if thing == "survey":
        store = open_store(place)
        new_closing_key(store)
        create_store(new_place_beside, store.mechanism, title="New")
    else:
        Ledger.open(place).strike(1, "a mistake")
        Ledger.open(new_place_beside, create=True)
    assert shape(place) == shape(new_place_beside)
    tables = SURVEY_TABLES if thing == "survey" else LEDGER_TABLES
    assert {name for name in shape(place) if name != "sqlite_sequence"} == set(tables.tables)


@pytest.fixture
def old_place(restore: Restore) -> Callable[[str], str]:
    """A survey, or a ledger, of layout 1."""
    return lambda thing: restore(f"{thing}-v1")


@pytest.fixture
def new_place_beside(place: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """One more place of the same kind."""
    if not place.startswith("postgresql:"):
        return str(tmp_path / "beside.db")
    import psycopg

    root, name = request.getfixturevalue("cluster"), place.partition("@/")[2].partition("?")[0] + "_beside"
    with psycopg.connect(f"host={root} user=steward dbname=postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"postgresql://steward@/{name}?host={root}"


def test_an_interrupted_change_leaves_the_earlier_layout(
    old_place: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It fails after the tables were made and the number was changed, before the transaction ends."""
    place = old_place("survey")
    before = everything(place)

    def fail(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("rrcore.work.database.kind.record_act", fail)
        with pytest.raises(KeyboardInterrupt):
            new_closing_key(open_store(place))
    assert everything(place) == before
    new_closing_key(open_store(place))
    assert check_survey(place).version == STORE_VERSION


KILLED = """
import os, sys
from rrcore.receiver import open_store
from rrcore.work.database import kind
from rrcore.receiver.closingkey import new_closing_key
kind.record_act = lambda *_, **__: os._exit(9)
new_closing_key(open_store(sys.argv[1]))
"""


def test_a_program_that_is_killed_in_the_midst_of_it_leaves_the_earlier_layout(old_place: Callable[[str], str]) -> None:
    place = old_place("survey")
    before = everything(place)
    assert subprocess.run([sys.executable, "-c", KILLED, place], timeout=120, check=False).returncode == 9
    assert everything(place) == before
    assert open_store(place).answers().n == 40
    new_closing_key(open_store(place))
    assert check_survey(place).problems == ()


def test_programs_that_renew_a_survey_at_once_do_it_once_while_answers_go_on(old_place: Callable[[str], str]) -> None:
    place = old_place("survey")
    stores = [replace(open_store(place), by=f"person {i}") for i in range(4)]
    codes = (0,) * len(stores[0].reports.names)

    def work(i: int) -> list[str]:
        if i < 4:
            new_closing_key(stores[i])
            return []
        own: Store = open_store(place)
        return [each for j in range(10) for each in own.add([Submission(codes, f"new {i} {j}".encode())], DAY)]

    with ThreadPoolExecutor(6) as pool:
        told = [each for done in pool.map(work, range(6)) for each in done]
    assert told == ["stored"] * 20
    acts = [act.act for act in stores[0].acts()]
    assert acts == ["layout changed", "key given", *["key replaced"] * 3]
    assert stores[0].answers().n == 60
    assert check_survey(place).problems == ()


def test_programs_that_renew_a_ledger_at_once_do_it_once_and_lose_no_entry(old_ledger: str) -> None:
    like = Ledger.open(old_ledger).entries()[0]

    def add(i: int) -> Entry:
        return Ledger.open(old_ledger).add(replace(like, id=None, note=f"new {i}"))

    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(add, range(8)))
    ledger = Ledger.open(old_ledger)
    assert sorted(entry.note for entry in ledger.entries()[5:]) == [f"new {i}" for i in range(8)]
    assert len({entry.id for entry in made}) == 8
    assert [act.act for act in ledger.acts()] == ["layout changed", *["entry recorded"] * 8]


@pytest.mark.parametrize("thing", ["survey", "ledger"])
def test_an_older_program_says_that_it_is_older(thing: str, old_place: Callable[[str], str]) -> None:
    place, newest = old_place(thing), {"survey": STORE_VERSION, "ledger": LEDGER_VERSION}[thing]
    table = {"survey": "rr_survey", "ledger": "rr_ledger"}[thing]
    with SURVEYS.connected(place) as connection:
        connection.execute(text(f"UPDATE {table} SET version = {newest + 1}"))
    look = {"survey": (open_store, check_survey), "ledger": (Ledger.open, check_ledger)}[thing]
    for each in look:
        told = f"has version {newest + 1} and this program knows version {newest}: it was made by a newer program, so update"
        with pytest.raises(InputError, match=told):
            each(place)


def test_a_read_only_survey_of_layout_1_is_read(tmp_path: Path) -> None:
    place = tmp_path / "old.survey"
    place.write_bytes((FILES / "survey-v1.survey").read_bytes())
    place.chmod(0o400)
    before = place.read_bytes()
    assert open_store(str(place)).answers().n == 40
    assert place.read_bytes() == before


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("DELETE FROM rr_answer WHERE place = 40", "It says that 40 answers came and holds 39"),
        ("DELETE FROM rr_receipt WHERE hash = (SELECT min(hash) FROM rr_receipt)", "holds 40 answers and the receipts of 39"),
        ("UPDATE rr_answer SET record = '9 9 9 9' WHERE place = 7", "is damaged"),
        ("DELETE FROM rr_state", "Its state has 0 rows and should have one"),
    ],
)
def test_what_does_not_fit_in_a_survey_is_said(tmp_path: Path, statement: str, told: str) -> None:
    place = str(shutil.copy(FILES / "survey-v1.survey", tmp_path))
    connection = sqlite3.connect(place)
    connection.execute(statement)
    connection.commit()
    connection.close()
    (problem,) = check_survey(place).problems
    assert told in problem


def test_a_damaged_file_is_said_to_be_damaged(tmp_path: Path) -> None:
    place, content = tmp_path / "old.survey", bytearray((FILES / "survey-v1.survey").read_bytes())
    content[-4096:-4032] = bytes(64)  # the beginning of the last page, which is one of answers or receipts
    place.write_bytes(content)
    assert check_survey(str(place)).problems == ("SQLite finds its file damaged: use an earlier copy.",)


def test_an_entry_that_is_gone_is_said(tmp_path: Path) -> None:
    ledger = Ledger.open(str(shutil.copy(LEDGER, tmp_path)))
    ledger.strike(5, "a mistake")
    assert check_ledger(ledger.place).problems == ()
    connection = sqlite3.connect(ledger.place)
    connection.execute("DELETE FROM rr_release WHERE id = 5")
    connection.commit()
    connection.close()
    assert check_ledger(ledger.place).problems == ("Its record of acts is about entry 5, which is gone: use an earlier copy.",)
