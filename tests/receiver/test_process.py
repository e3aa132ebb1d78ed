"""A real receiver in a process of its own: fifty phones at once, what it leaves in files, log and memory, and kill -9."""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import random
import re
import secrets
import signal
import socket
import ssl
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx
import numpy as np
import pytest

from rrcore.receiver import Submission, create_store, open_store
from rrcore.receiver.blind_signatures import Signer, new_key
from rrcore.receiver.invitations import invite, used_codes
from tests.receiver.phones import KINDS, MARK, Hiding, finished, line, serving

pytestmark = pytest.mark.long

PHONES = 50
MEGABYTE = 2**20
PLAIN = ssl.create_default_context()  # made once: it takes longer than a request
PLANTED = b"PLANTED"


@dataclass
class Run:
    """What fifty people did and what is left of it."""

    people: list
    truths: list
    released: list
    acknowledged: list
    statuses: Counter
    place: str
    files: dict[str, bytes] = field(default_factory=dict)
    memory: bytes = b""
    log: str = ""
    end: int | None = None


@pytest.fixture(scope="module")
def run(tmp_path_factory, mechanism):
    folder = tmp_path_factory.mktemp("receiver")
    place = str(folder / "place.db")
    store = create_store(place, mechanism, title="Pilot", key=new_key())
    codes = invite(store, PHONES)
    rng = random.Random(20260301)
    truths = [[rng.randrange(10) for _ in range(8)] for _ in range(PHONES)]
    released = mechanism.sample(np.array(truths), rng=np.random.default_rng(1)).tolist()
    assert all(map(list.__ne__, truths, released))
    modulus = Signer(store.key).modulus
    hidings = [Hiding(modulus) for _ in range(PHONES)]
    done = Run(list(zip(codes, hidings, strict=True)), truths, released, [], Counter(), place)
    with serving(folder, place, mechanism) as (process, address, log):
        finished(fifty_phones(address, mechanism, done, rng))
        done.memory = memory_of(process.pid)
        process.send_signal(signal.SIGTERM)
        done.end = process.wait(20)
        done.log = log.read_text()
    done.files = files_of(folder)
    return done


async def fifty_phones(address, mechanism, done, rng):
    async def phone(i):
        code, hiding = done.people[i]
        async with httpx.AsyncClient(base_url=address, timeout=60, verify=PLAIN) as client:
            assert (await client.get("/")).status_code == 200
            await asyncio.sleep(rng.random() / 2)
            signed = await client.post("/invitation", json={"code": code, "hidden": hiding.hidden})
            await asyncio.sleep(rng.random() / 2)
            signature = hiding.reveal(signed.json()["signature"])
            body = line(mechanism, done.released[i], receipt=hiding.receipt.hex(), signature=signature)
            for _ in range(1 + i % 2):  # every second phone sends twice
                answer = await client.post("/answers", content=body, headers=KINDS)
                done.statuses[answer.status_code] += 1
            done.acknowledged.append(i)
            if i % 5 == 0:  # and some try their invitation again
                again = await client.post("/invitation", json={"code": code, "hidden": Hiding(f"{hiding.n:x}").hidden})
                done.statuses[again.status_code] += 1
            if i % 5 == 1:  # or send something else
                for content, headers in [(PLANTED, KINDS), (body[:-9] + "PLANTED", KINDS), (body, {"content-type": "PLANTED/x"})]:
                    done.statuses[(await client.post("/answers", content=content, headers=headers)).status_code] += 1
                crossed = KINDS | {"origin": "https://PLANTED.example.org"}
                done.statuses[(await client.post("/answers?PLANTED", content=body, headers=crossed)).status_code] += 1

    await asyncio.gather(*map(phone, range(PHONES)))
    parts = urlsplit(address)
    for raw in (b"PLANTED\r\n\r\n", b"POST /answers HTTP/1.1\r\nContent-Length: PLANTED\r\n\r\n", b"\x16\x03\x01PLANTED" * 9):
        with socket.create_connection((parts.hostname, parts.port)) as connection:
            connection.sendall(raw)
            connection.settimeout(5)
            assert PLANTED not in connection.recv(4096)


def memory_of(pid):
    """Everything that the process can write to, as gdb's gcore would save it, without the megabytes that hold only zeros.

    Nothing where this is not root: the receiver shuts its memory to everybody else.
    """
    if os.geteuid():
        return b""
    found = []
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for entry in maps:
            place, rights, *_ = entry.split()
            if rights.startswith("rw") and "[v" not in entry:
                start, end = (int(each, 16) for each in place.split("-"))
                for at in range(start, end, MEGABYTE):
                    memory.seek(at)
                    part = memory.read(min(MEGABYTE, end - at))
                    if part.count(0) < len(part):
                        found.append(part)
    return b"".join(found)


def files_of(folder):
    """The database and the files next to it, as they are on disk."""
    return {each.name: each.read_bytes() for each in folder.glob("place.db*")}


def test_every_acknowledged_answer_is_stored_once(run, mechanism):
    assert len(run.acknowledged) == PHONES
    assert run.statuses == {200: 75, 409: 10, 400: 20, 415: 10, 403: 10}
    store = open_store(run.place)
    assert sorted(store.answers().dataset.codes.tolist()) == sorted(run.released)
    assert store.by_day() in ({dt.date.today(): PHONES}, {dt.date.today() - dt.timedelta(1): PHONES})
    assert sum(store.begun_by_day().values()) == PHONES
    assert used_codes(store) == (PHONES, PHONES)
    assert run.end == 0


RECORD = re.compile(rb" \d \d \d \d \d \d \d")
SENT = re.compile(rb'"answers": \{([^{}]{100,400})\}')


def records(content):
    """Records in ``content``, as the store writes them and as the form does."""
    stored = (content[found.start() - 1 : found.end()].split() for found in RECORD.finditer(content))
    sent = (re.findall(rb': "answer ([a-j])"', each) for each in SENT.findall(content))
    return {tuple(map(int, each)) for each in stored if each[0].isdigit()} | {
        tuple(each[0] - ord("a") for each in one) for one in sent
    }


def test_no_true_answer_is_in_files_log_or_memory(run):
    true, released = set(map(tuple, run.truths)), set(map(tuple, run.released))
    assert records(b"".join(run.files.values())) >= released  # the search finds what is there
    assert not run.memory or records(run.memory) & released
    for content in [*run.files.values(), run.memory, run.log.encode()]:
        assert not records(content) & true


def test_the_log_holds_no_request(run):
    announced, published, *more = run.log.splitlines()
    assert announced.startswith("The form of 'Pilot' is at http://localhost:")
    assert re.fullmatch(r".*sha256 [0-9a-f]{64}", published)
    assert all(" WARNING: Invalid HTTP" in each for each in more)
    assert "127.0.0.1" not in run.log


def places(content, pattern, people):
    """Where each of the texts, which ``pattern`` finds, occurs in ``content``: (place, whose it is), in order."""
    return [(found.start(), people[found[0]]) for found in pattern.finditer(content) if found[0] in people]


CODE = re.compile(rb"-[0-9A-Z]{5}-")
RECEIPT = re.compile(MARK.hex().encode() + rb"[0-9a-f]{52}")


def test_nothing_joins_a_code_with_an_answer(run):
    """In files there is neither; in memory the code next to a receipt is its own no more often than by chance: of 50 people each with a
    few traces about 2 or 3. Were it 3, more than 15 would have a probability of 1e-7."""
    codes = {code.encode()[5:12]: i for i, (code, _) in enumerate(run.people)}
    receipts = {hiding.receipt.hex().encode(): i for i, (_, hiding) in enumerate(run.people)}
    hidden = {hiding.hidden.encode() for _, hiding in run.people}
    for name, content in run.files.items():
        assert not places(content, CODE, codes), name
        assert MARK not in content, name
        assert MARK.hex().encode() not in content, name
        assert not hidden & set(re.findall(rb"[0-9a-f]{512}", content)), name
    near, answers = places(run.memory, CODE, codes), places(run.memory, RECEIPT, receipts)
    assert answers or not run.memory  # the search finds what is there
    joined = set()
    for at, who in answers:
        i = bisect_left(near, (at,))
        distance, whose = min(
            ((abs(place - at), whose) for place, whose in near[max(i - 1, 0) : i + 1]), default=(MEGABYTE, None)
        )
        assert distance > 512 or whose != who
        joined |= {who} if whose == who else set()
    assert len(joined) <= 15


def test_kill_9_loses_no_acknowledged_answer(place, tmp_path, mechanism):
    store = create_store(place, mechanism, title="Pilot")
    codes = [tuple(int(digit) for digit in f"{i:08d}") for i in range(400)]
    receipts = [secrets.token_bytes(32) for _ in codes]
    bodies = [line(mechanism, each, receipt=receipt.hex()) for each, receipt in zip(codes, receipts, strict=True)]
    acknowledged = set()

    async def all_phones(process, address):
        async def phone(first):
            async with httpx.AsyncClient(base_url=address, timeout=60, verify=PLAIN) as client:
                for i in range(first, 400, PHONES):
                    try:
                        answer = await client.post("/answers", content=bodies[i], headers=KINDS)
                    except httpx.TransportError:
                        return
                    assert answer.json() == {"received": True}
                    acknowledged.add(i)
                    if len(acknowledged) == 200:
                        process.kill()

        await asyncio.gather(*map(phone, range(PHONES)))

    with serving(tmp_path, place, mechanism) as (process, address, _):
        finished(all_phones(process, address))
        assert process.wait(30) == -signal.SIGKILL
    stored = {tuple(each) for each in store.answers().dataset.codes.tolist()}
    assert 200 <= len(acknowledged) < 400
    assert {codes[i] for i in acknowledged} <= stored
    assert store.answers().n == len(stored)
    again = store.add([Submission(each, receipt) for each, receipt in zip(codes, receipts, strict=True)], dt.date.today())
    assert again.count("known") == len(stored)
    assert sorted(map(tuple, store.answers().dataset.codes.tolist())) == codes
