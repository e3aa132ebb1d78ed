"""Whether answers can be stored, tried by writing: a full disk, a database that cannot be reached or only read, and no trace of trying."""

import asyncio
import datetime as dt
import json
import secrets
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from uvicorn.server import ServerState

from rrcore.receiver import Submission, create_store, open_store
from rrcore.receiver.addresses import Terms
from rrcore.receiver.app import receiver_app
from rrcore.receiver.server import PatientProtocol
from tests.receiver.phones import ask, asked, finished, line, running, serving

DAY = dt.date(2026, 3, 1)


@contextmanager
def small_disk(folder, size="4m"):
    """A file system of this many bytes at ``folder``."""
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


def test_trying_leaves_no_trace(place, mechanism):
    store = create_store(place, mechanism, title="Pilot")
    store.add([Submission((i % 10,) * 8, secrets.token_bytes(32)) for i in range(200)], DAY)
    before = Path(place).read_bytes()
    for _ in range(5):
        assert store.fault() == ""
    assert Path(place).read_bytes() == before


@pytest.mark.slow
def test_there_must_be_room_for_a_thousand_answers(tmp_path, mechanism):
    with small_disk(tmp_path / "small", "16m") as small:
        store = create_store(str(small / "place.db"), mechanism, title="Pilot")
        fill(small, leave=2**19)
        assert "disk is full" in store.fault()
        assert store.add([Submission((1,) * 8, b"fits")], DAY) == ["stored"]  # who has the form open can still send it


def test_a_survey_that_is_gone_takes_no_answers(place, mechanism):
    store = create_store(place, mechanism, title="Pilot")
    Path(place).rename(f"{place}.away")
    assert store.fault().startswith("There is no survey")
    Path(f"{place}.away").rename(place)
    assert store.fault() == ""


@pytest.mark.slow
def test_a_full_disk_keeps_the_form_back_and_service_goes_on_once_it_is_freed(tmp_path, mechanism):
    def until(path, status):
        for _ in range(600):
            found = asked(address + path)
            if found[0] == status:
                return found[1]
            time.sleep(0.2)
        pytest.fail(f"{path} is {found}")

    def answers(number):
        return [asked(f"{address}/answers", line(mechanism, (number,) * 8, receipt=secrets.token_hex(32)))[0] for _ in range(5)]

    with small_disk(tmp_path / "disk") as disk:
        place = str(disk / "place.db")
        create_store(place, mechanism, title="Pilot", language="es")
        with serving(tmp_path, place, mechanism) as (process, address, _):
            assert json.loads(until("/health", 200))["status"] == "ok"
            assert answers(1) == [200] * 5
            filler = fill(disk)
            failing = json.loads(until("/health", 503))
            assert len(failing.pop("run")) == 32
            assert failing == {"status": "failing"}
            assert "question 1" not in until("/", 503)
            assert answers(2) == [503] * 5
            filler.unlink()
            assert json.loads(until("/health", 200))["status"] == "ok"
            assert "question 1" in until("/", 200)
            assert answers(3) == [200] * 5
            assert process.poll() is None
            assert str(tmp_path) not in json.dumps(failing)
        codes = open_store(place).answers().dataset.codes[:, 0].tolist()
        assert (codes.count(1), codes.count(2), codes.count(3)) == (5, 0, 5)


def test_the_form_is_kept_back_while_nothing_can_be_stored(place, mechanism, monkeypatch):
    """The same within one process, on any system."""
    store = create_store(place, mechanism, title="Pilot")
    monkeypatch.setattr("rrcore.receiver.app._FRESH", 0)
    app = receiver_app(store, Terms("https://survey.example.org"), today=lambda: DAY)

    async def visits():
        async with running(app):
            found = []
            for fault in ("", "The disk is full.", ""):
                monkeypatch.setattr(type(store), "fault", lambda self, fault=fault: fault)
                found += [(await ask(app, "GET", path))[0] for path in ("/", "/health")]
            return found

    assert finished(visits()) == [200, 200, 503, 503, 200, 200]


@pytest.mark.parametrize("before", [b"", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"])
def test_connections_without_a_request_end(monkeypatch, before):
    """Hundreds of them would leave no room for respondents, although each goes on sending."""
    monkeypatch.setattr("rrcore.receiver.server.MAX_ARRIVAL_SECONDS", 1.0)

    async def read_to_the_end():
        config = uvicorn.Config(PlainTextResponse("form"), ws="none")
        server = await asyncio.get_running_loop().create_server(
            lambda: PatientProtocol(config, ServerState(), {}), "127.0.0.1", 0
        )
        async with server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            writer.write(before)
            reading = asyncio.create_task(reader.read())
            while not reading.done():
                writer.write(b"X")
                await asyncio.sleep(0.02)
            with suppress(ConnectionError):
                assert (await reading).startswith(b"HTTP/1.1 200" if before else b"")

    finished(asyncio.wait_for(read_to_the_end(), 60))
