"""The commands backup and check: a copy while fifty phones send, which is served again, and what is not whole."""

import asyncio
import datetime as dt
import json
import secrets
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest

from rrcore.__main__ import main
from rrcore.ledger import Entry, Ledger
from rrcore.receiver import Submission, create_store, open_store
from rrcore.receiver.blind import new_key
from rrcore.receiver.invitations import invite, used_codes
from tests.receiver.conftest import mechanism as mechanism
from tests.receiver.phones import KINDS, ROOT, finished, line, serving

pytestmark = pytest.mark.long

DAY = dt.date(2026, 3, 1)
PHONES, EACH = 50, 4


def records(place):
    return set(map(tuple, open_store(place).answers().dataset.codes.tolist()))


def code_of(i):
    return tuple(int(digit) for digit in f"{i:08d}")


@pytest.mark.parametrize("place", ["sqlite", "postgres"], indirect=True)
def test_a_backup_under_fifty_writers_has_every_answer_acknowledged_before_and_is_served_again(place, tmp_path, mechanism):
    create_store(place, mechanism, title="Pilot")
    copy = tmp_path / "copy.survey"
    receipts = [secrets.token_hex(32) for _ in range(PHONES * EACH)]
    acknowledged, before, told, statuses = set(), set(), [], set()

    def back_up():
        before.update(acknowledged)
        command = [sys.executable, "-m", "rrcore", "backup", "--db", place, "--out", str(copy), "--json"]
        told.append(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False))

    async def all_phones(address, wanted):
        async def phone(first):
            async with httpx.AsyncClient(base_url=address, timeout=120, verify=False) as client:
                for i in range(first, PHONES * EACH, PHONES):
                    answer = await client.post(
                        "/answers", content=line(mechanism, code_of(i), receipt=receipts[i]), headers=KINDS
                    )
                    statuses.add(answer.status_code)
                    acknowledged.add(i)
                    if len(acknowledged) == wanted:
                        copying.start()

        await asyncio.gather(*map(phone, range(PHONES)))

    copying = threading.Thread(target=back_up)
    with serving(tmp_path, place, mechanism) as (_, address, _):
        finished(all_phones(address, PHONES * EACH // 4))
        copying.join()
    assert (told[0].returncode, told[0].stderr) == (0, "")
    assert json.loads(told[0].stdout)["copy"]["problems"] == []
    assert statuses == {200}  # nobody was held up for long
    saved = records(str(copy))
    assert len(before) >= PHONES * EACH // 4
    assert {code_of(i) for i in before} <= saved <= {code_of(i) for i in range(PHONES * EACH)}
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert not list(tmp_path.glob(".*.part*"))
    if not place.startswith("postgresql"):
        return  # a copy is a file of the same kind, whatever it is one of: that of the other database is served

    restored = tmp_path / "again"
    restored.mkdir()
    acknowledged.clear()
    with serving(restored, str(copy), mechanism) as (_, address, _):
        finished(all_phones(address, -1))
    assert records(str(copy)) == {code_of(i) for i in range(PHONES * EACH)}  # known ones once, those that came after it now
    assert open_store(str(copy)).answers().n == PHONES * EACH
    assert main(("check", "--db", str(copy))) == 0


def test_a_copy_has_all_that_there_is_and_no_order(place, tmp_path, mechanism):
    store = create_store(place, mechanism, title="Pilot", introduction="Hello", key=new_key())
    invite(store, 20)
    store.add([Submission(code_of(i), f"{i}".encode()) for i in range(300)], DAY)
    store.opened(9, DAY)
    copy = str(tmp_path / "copy.survey")
    assert main(("backup", "--db", place, "--out", copy)) == 0
    again = open_store(copy)
    assert (again.title, again.key, again.mechanism.sha256) == (store.title, store.key, mechanism.sha256)
    assert (again.by_day(), again.begun_by_day(), used_codes(again)) == ({DAY: 300}, {DAY: 9}, (0, 20))
    assert sorted(again.answers().dataset.codes.tolist()) == sorted(store.answers().dataset.codes.tolist())
    assert again.add([Submission(code_of(1), b"1"), Submission(code_of(400), b"400")], DAY) == ["known", "stored"]
    with sqlite3.connect(copy) as connection:
        assert connection.execute("PRAGMA freelist_count").fetchone() == (0,)
        hashes = [row[0] for row in connection.execute("SELECT hash FROM rr_receipt")]
    content = Path(copy).read_bytes()
    assert len(hashes) == 301
    assert all(content.count(each) == 1 for each in hashes)


def test_a_copy_goes_back_into_an_empty_database(cluster, tmp_path, mechanism, request, capsys):
    request.param = "postgres"
    from tests.databases import new_place

    home = new_place(request, tmp_path)
    ledger = Ledger.open(str(tmp_path / "one.ledger"), create=True)
    first = ledger.add(Entry.of(mechanism, population="panel", date=DAY))
    assert main(("backup", "--db", ledger.place, "--out", home)) == 0
    assert main(("backup", "--db", ledger.place, "--out", home)) == 2
    assert "There is already a ledger" in capsys.readouterr().err
    again = Ledger.open(home)
    assert again.entries() == ledger.entries()
    assert again.add(Entry.of(mechanism, population="panel", date=DAY, same_draw=True)).id == first.id + 1
    back = str(tmp_path / "two.ledger")
    assert main(("backup", "--db", home, "--out", back)) == 0
    assert Ledger.open(back).entries() == again.entries()


def test_what_cannot_be_copied_leaves_nothing(tmp_path, mechanism, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    create_store("pilot.survey", mechanism, title="Pilot")
    (tmp_path / "other.db").write_bytes(b"")
    there = sorted(each.name for each in tmp_path.iterdir())
    for db, out, told in (
        ("pilot.survey", "pilot.survey", "There is already a file"),
        ("pilot.survey", "no/where.survey", "cannot be written"),
        ("none.survey", "copy.survey", "There is no survey or ledger"),
        ("other.db", "copy.survey", "neither a survey nor a ledger"),
        ("postgresql://me:SECRET@/none?host=/nowhere", "copy.survey", "cannot be used"),
    ):
        assert main(("backup", "--db", db, "--out", out)) == 2
        error = capsys.readouterr().err
        assert told in error
        assert error.count("\n") == 1
        assert "SECRET" not in error
    assert sorted(each.name for each in tmp_path.iterdir()) == there


def test_check_says_what_is_wrong_by_its_exit_code(tmp_path, mechanism, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.json").write_text(mechanism.to_json(), encoding="utf-8")
    store = create_store("pilot.survey", mechanism, title="Pilot")
    store.add([Submission(code_of(i), f"{i}".encode()) for i in range(30)], DAY)
    Ledger.open("one.ledger", create=True)
    for command in (("--db", "pilot.survey", "--mechanism", "m.json"), ("--db", "one.ledger"), ("--mechanism", "m.json")):
        assert main(("check", *command, "--json")) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["whole"], found["problems"]) == (True, [])
    assert main(("check", "--db", "pilot.survey")) == 0
    assert "the newest" in capsys.readouterr().out
    with sqlite3.connect("pilot.survey") as connection:
        connection.execute("DELETE FROM rr_receipt WHERE hash = (SELECT min(hash) FROM rr_receipt)")
    assert main(("check", "--db", "pilot.survey")) == 1
    assert "the receipts of 29" in capsys.readouterr().out
    (tmp_path / "m2.json").write_text('{"format": "none"}', encoding="utf-8")
    assert main(("check", "--mechanism", "m2.json")) == 2
    assert main(("check",)) == 2
    assert "Nothing is given to check" in capsys.readouterr().err
