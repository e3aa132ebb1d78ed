"""Whether answers can be stored, tried by writing: a full disk, a database that cannot be reached or only read, and no trace of trying."""

import datetime as dt
import hashlib
import json
import os
import secrets
import sqlite3
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import Engine, event, text

from rrcore.errors import InputError
from rrcore.receiver import Submission, create_store, open_store
from rrcore.receiver.app import receiver_app
from rrcore.receiver.health import RESERVE, fault_of, try_writing
from rrcore.receiver.reach import Terms
from rrcore.receiver.tables import SURVEYS
from rrcore.work.web.health import Health
from tests.receiver.phones import KINDS, ask, finished, line, running, serving

DAY = dt.date(2026, 3, 1)


@contextmanager
def small_disk(folder, size="4m"):
    """A file system of so many bytes at ``folder``."""
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("no small disk can be mounted here: only root may")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def fill(folder, *, leave=0):
    """Take all room but ``leave`` bytes; returns what to delete."""
    with open(folder / "filler", "wb", 0) as filler:
        try:
            while True:
                filler.write(bytes(4096))
        except OSError:
            filler.truncate(filler.tell() - leave // 4096 * 4096)
    return folder / "filler"


def state(place):
    """Everything that could tell that something was tried: bytes of the file, or transaction numbers and rows of PostgreSQL."""
    if not place.startswith("postgresql"):
        return {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in Path(place).parent.glob("place.db*")}
    with SURVEYS.connected(place) as connection:
        return (
            connection.execute(text("SELECT pg_snapshot_xmax(pg_current_snapshot())::text")).scalar_one(),
            connection.execute(text("SELECT count(*) FROM pg_class")).scalar_one(),
            connection.execute(text("SELECT sum(pg_relation_size(oid)) FROM pg_class WHERE relname LIKE 'rr_%'")).scalar_one(),
        )


def test_trying_leaves_no_trace(place, mechanism):
    store = create_store(place, mechanism, title="Pilot")
    store.add([Submission((i % 10,) * 8, secrets.token_bytes(32)) for i in range(200)], DAY)
    before = state(place)
    for _ in range(5):
        try_writing(place)
    assert state(place) == before


def test_trying_writes_to_the_disk(place, mechanism):
    """As many bytes as are to be there, by the system's own count of what this process, or PostgreSQL's sort, wrote."""
    create_store(place, mechanism, title="Pilot")
    if place.startswith("postgresql"):
        with SURVEYS.connected(place) as connection:
            spilt = "SELECT temp_bytes FROM pg_stat_database WHERE datname = current_database()"
            before = connection.execute(text(spilt)).scalar_one()
        try_writing(place)
        for _ in range(200):  # its statistics come when they come
            with SURVEYS.connected(place) as connection:
                if connection.execute(text(spilt)).scalar_one() >= before + RESERVE / 4:
                    return
            time.sleep(0.1)
        pytest.fail("nothing was written")
    written = []
    with small_disk(Path(place).parent / "small", "16m") as small:
        other = str(small / "place.db")
        create_store(other, mechanism, title="Pilot")
        fill(small, leave=RESERVE // 2)
        with pytest.raises(InputError, match="the disk is full"):
            try_writing(other)
        written.append(open_store(other).add([Submission((1,) * 8, b"fits")], DAY))
    assert written == [["stored"]]  # who has the form open can still send it


def test_a_database_that_may_only_be_read_or_is_gone_is_unwell(place, mechanism):
    create_store(place, mechanism, title="Pilot")
    health = Health(partial(fault_of, place), clock=iter(range(0, 1000, 10)).__next__)
    assert health.fault() == ""
    if place.startswith("postgresql"):
        name = place.partition("/@/")[2] or place.split("/")[3].partition("?")[0]
        root = place.partition("host=")[2]
        with psycopg.connect(f"host={root} user=steward dbname=postgres", autocommit=True) as connection:
            connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
            assert health.fault() == "The database is read-only, so nothing can be written: allow writing to it."
            connection.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")
            assert health.fault() == ""
            connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
            assert "The database cannot be used" in health.fault()
            assert root not in health.fault()
            connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
    else:
        Path(place).rename(f"{place}.away")
        assert health.fault().startswith("There is no survey")
        Path(f"{place}.away").rename(place)
    assert health.fault() == ""


@pytest.mark.slow
def test_a_full_disk_keeps_the_form_back_and_service_goes_on_once_it_is_freed(tmp_path, mechanism):
    def asked(path, body=None):
        request = urllib.request.Request(address + path, body and body.encode(), KINDS if body else {})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def until(path, status):
        for _ in range(600):
            found = asked(path)
            if found[0] == status:
                return found[1]
            time.sleep(0.2)
        pytest.fail(f"{path} is {found}")

    def answers(number):
        return [asked("/answers", line(mechanism, (number,) * 8, receipt=secrets.token_hex(32)))[0] for _ in range(5)]

    with small_disk(tmp_path / "disk") as disk:
        place = str(disk / "place.db")
        create_store(place, mechanism, title="Pilot", language="es")
        with serving(tmp_path, place, mechanism) as (process, address, _):
            assert json.loads(until("/health", 200))["status"] == "ok"
            assert answers(1) == [200] * 5
            filler = fill(disk)
            told = json.loads(until("/health", 503))
            assert len(told.pop("run")) == 32
            assert told == {
                "status": "failing",
                "reason": "The database cannot be written because the disk is full: make room and try again.",
            }
            assert "question 1" not in until("/", 503)
            assert answers(2) == [503] * 5
            filler.unlink()
            assert json.loads(until("/health", 200))["status"] == "ok"
            assert "question 1" in until("/", 200)
            assert answers(3) == [200] * 5
            assert process.poll() is None
            assert str(tmp_path) not in json.dumps(told)
        codes = open_store(place).answers().dataset.codes[:, 0].tolist()
        assert (codes.count(1), codes.count(2), codes.count(3)) == (5, 0, 5)


def test_the_form_is_kept_back_while_nothing_can_be_stored(tmp_path, mechanism):
    """The same within one process, on any system: the database may not grow."""
    place = str(tmp_path / "place.db")
    store = create_store(place, mechanism, title="Pilot")
    app = receiver_app(store, Terms("https://survey.example.org"), today=lambda: DAY)
    full = [False]

    def limit(connection, _):
        connection.execute(f"PRAGMA max_page_count = {1 if full[0] else 10**6}")

    event.listen(Engine, "connect", limit)
    try:

        async def visits():
            async with running(app):
                found = [(await ask(app, "GET", path))[0] for path in ("/", "/health")]
                full[0] = True
                app.state.health.recheck()
                found += [(await ask(app, "GET", path))[0] for path in ("/", "/health")]
                full[0] = False
                app.state.health.recheck()
                return found + [(await ask(app, "GET", path))[0] for path in ("/", "/health")]

        assert finished(visits()) == [200, 200, 503, 503, 200, 200]
    finally:
        event.remove(Engine, "connect", limit)
    assert sqlite3.connect(place).execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert os.path.getsize(place) < RESERVE
