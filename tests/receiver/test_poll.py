"""A class poll as a process of its own: two hundred phones at once, what it leaves, how it ends, and how often its interval holds."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import stat
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import httpx
import numpy as np
import psutil
import pytest

from rrcore.answers.answers import Answers
from rrcore.asking.form import form_origin
from rrcore.designs.classroom import ATTRIBUTE, PollDesign, poll_design
from rrcore.errors import InputError
from rrcore.promise import randomize
from rrcore.receiver import create_store, poll_folder
from rrcore.receiver.launch import in_room, start_server
from rrcore.receiver.poll import PollSoFar, running_polls, start_poll
from rrcore.receiver.server_status import fault_at
from rrcore.table.dataset import Dataset
from tests.receiver.memory import occurrences
from tests.receiver.phones import KINDS, asked, finished, line

pytestmark = pytest.mark.long

QUESTION = "Have you ever copied in an exam?"
ROOT = Path(__file__).parents[2]


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(poll_folder.tempfile, "tempdir", None)
    yield tmp_path
    for poll in running_polls():
        poll.end()


def sent(poll, code):
    return asked(f"{poll.served.address}/answers", line(poll.store.mechanism, [code], receipt=secrets.token_hex(32)))


def test_a_poll_is_asked_read_found_again_and_gone(home):
    poll = start_poll(QUESTION, PollDesign(30, 75), language="fr")
    (folder,) = home.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    status, form = asked(poll.served.address)
    assert (status, QUESTION in form, 'lang="fr"' in form, poll.exposed) == (200, True, True, False)
    assert poll.look().n == 0
    for code in (0, 1, 0, 0, 1, 0):
        assert sent(poll, code)[0] == 200
    (again,) = running_polls()
    assert (again.design, again.question, again.served) == (poll.design, QUESTION, poll.served)
    seen = again.look()
    assert (seen.n, seen.released.tolist()) == (6, [4 / 6, 2 / 6])
    assert poll.look(seen).answers is seen.answers  # nothing is read twice
    poll.end()
    assert list(home.iterdir()) == []
    assert fault_at(poll.served, poll.served.own).startswith("Nothing answers")
    with pytest.raises(InputError, match="This poll has ended"):
        poll.look()
    poll.end()  # once more, as another tab would
    assert seen.n == 6  # what was looked at stays with who looked


def test_over_http_only_a_poll_may(home):
    for address in ("http://203.0.113.9.example.org/answers", "http://8.8.8.8/answers", "http://school.local/answers"):
        with pytest.raises(InputError, match="The answers cannot be sent to"):
            form_origin(address, plain_http=True)
    with pytest.raises(InputError, match="The answers cannot be sent to"):
        form_origin("http://192.168.1.20:8600/answers")


def test_a_survey_that_is_no_poll_is_neither_served_as_one_nor_deleted(home, tmp_path):
    store = create_store(str(home / "pilot.survey"), PollDesign(30, 75).file(), title="Pilot")
    with pytest.raises(InputError, match="--poll"):
        start_server(store, replace(in_room(store, "127.0.0.1", encrypted=False), poll=True))
    with pytest.raises(InputError, match="only class polls"):
        poll_folder.delete_poll(store.place)
    assert Path(store.place).exists()


def test_two_polls_share_nothing(home):
    polls = [start_poll(QUESTION, PollDesign(30, 75), address="127.0.0.1") for _ in range(2)]
    assert all(poll.served.address.startswith("http://127.0.0.1:") for poll in polls)
    assert len({poll.store.mechanism.sha256 for poll in polls}) == 2  # else a device would report both answers with the same seed
    assert len(running_polls()) == 2
    polls[0].end()
    (left,) = running_polls()
    assert left.served.run == polls[1].served.run


@pytest.mark.parametrize(
    ("question", "options", "message"),
    [
        ("  ", {}, "has no question"),
        ("x" * 2001, {}, "has 2001 characters"),
        (QUESTION, {"address": "www.example.org"}, "www.example.org"),
        (QUESTION, {"language": "xx"}, "The language"),
    ],
)
def test_a_poll_that_cannot_start_leaves_nothing(home, question, options, message):
    with pytest.raises(InputError, match=message):
        start_poll(question, PollDesign(30, 75), **options)
    assert list(home.iterdir()) == []


def test_a_poll_whose_server_was_killed_is_cleared_away_once_it_could_not_run_any_more(home, monkeypatch):
    poll = start_poll(QUESTION, PollDesign(30, 75))
    server(poll).kill()
    while not fault_at(poll.served, poll.served.own):
        time.sleep(0.1)
    assert running_polls() == []
    assert len(list(home.iterdir())) == 1  # it may only be about to start
    monkeypatch.setattr(poll_folder, "POLL_HOURS", 0)
    assert (running_polls(), list(home.iterdir())) == ([], [])


def test_folders_of_others_are_let_alone(home):
    (home / "rr-poll-30-link").symlink_to("/")
    (home / "rr-poll-x-y").mkdir()
    (home / "rr-poll-30-file").write_text("no folder")
    assert running_polls() == []
    assert len(list(home.iterdir())) == 3


HOURS = """
import sys
import rrcore.receiver.serving as serving
serving.POLL_HOURS = 1 / 3600
from rrcore.cli import main
sys.exit(main(["survey", "serve", "--db", sys.argv[1], "--port", "0", "--poll"]))
"""


def test_nobody_ends_it_and_it_ends_itself(home):
    place = poll_folder.new_poll_place(30)
    create_store(place, PollDesign(30, 75).file(), title=QUESTION)
    assert subprocess.run([sys.executable, "-c", HOURS, place], cwd=ROOT, timeout=120).returncode == 0
    assert list(home.iterdir()) == []


def test_the_command_asks_tells_and_deletes_what_it_stored(home):
    command = [sys.executable, "-m", "rrcore", "learn", "poll", "--question", QUESTION, "--n", "12"]
    command += ["--margin-of-error", "0.25", "--json"]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"TMPDIR": str(home)}
    )
    while not (found := running_polls()) and process.poll() is None:
        time.sleep(0.1)
    assert found, process.communicate()
    (poll,) = found
    for code in (0, 1, 0, 0, 1, 0, 0, 1):
        assert sent(poll, code)[0] == 200
    process.send_signal(signal.SIGINT)
    out, message = process.communicate(timeout=60)
    result = json.loads(out)
    assert (result["answers"], result["shares"][1]["randomized"], result["unchanged"]) == (
        8,
        3 / 8,
        poll_design(12, 0.25).truth / 100,
    )
    assert poll.served.address in message
    assert "what it stored is deleted" in message
    assert list(home.iterdir()) == []


def server(poll):
    (own,) = [each for each in psutil.process_iter(["cmdline"]) if f"--db={poll.store.place}" in (each.info["cmdline"] or ())]
    return own


def test_two_hundred_phones_lose_no_answer_and_no_true_one_is_anywhere_and_over_http_the_form_says_so(home):
    """A true answer is looked for as the form would have sent it, next to the phone's own receipt; that what was sent is found shows how.

    Ten changed answers or fewer have a probability of 2e-10.
    """
    design = poll_design(200, 0.1)
    poll = start_poll(QUESTION, design, address="127.0.0.1")
    # what a phone gets at another address of the same network
    form = poll.store.survey.form(address="http://192.168.1.20:8600/answers", plain_http=True)
    assert "controls this network" in form
    assert "controls this network" not in poll.store.survey.form(address="https://192.168.1.20:8600/answers")
    rng = np.random.default_rng(27)
    true = (rng.random(200) < 0.3).astype(np.int32)
    file = poll.store.mechanism
    released = randomize(Dataset(file.schema, true[:, None]), file).codes[:, 0]
    receipts = [secrets.token_hex(32) for _ in range(200)]
    waits = rng.uniform(0, 5, 200)

    async def phone(i):
        await asyncio.sleep(waits[i])
        async with httpx.AsyncClient(base_url=poll.served.address, timeout=60, verify=False) as client:
            form = await patiently(partial(client.get, "/"))
            body = line(file, [released[i]], receipt=receipts[i])
            answer = await patiently(partial(client.post, "/answers", content=body, headers=KINDS))
        return form.status_code, answer.status_code

    async def patiently(request):
        """Again where the connection was closed meanwhile, as a browser does; the receipt has the same line counted once."""
        for _ in range(5):
            try:
                return await request()
            except httpx.TransportError:
                await asyncio.sleep(0.5)
        return await request()

    async def everybody():
        return await asyncio.gather(*map(phone, range(200)))

    begun = time.monotonic()
    assert finished(everybody()) == [(200, 200)] * 200
    assert time.monotonic() - begun < 300
    seen = poll.look()
    assert seen.n == 200
    assert seen.released.tolist() == (np.bincount(released, minlength=2) / 200).tolist()
    assert sum(poll.store.begun_by_day().values()) >= 200

    def written(codes, i):
        return f'"{ATTRIBUTE}": "{design.answers[codes[i]]}"}}, "receipt": "{receipts[i]}'.encode()

    lying = np.flatnonzero(true != released)
    assert lying.size > 10
    planted = [written(true, i) for i in lying]
    memory = occurrences(server(poll).pid, *planted, *(receipt.encode() for receipt in receipts[:5]))
    assert not memory.keys() & {*planted}
    files = {path: path.read_bytes() for path in Path(poll.store.place).parent.iterdir()}
    assert {path.suffix for path in files} >= {".survey", ".log"}
    for path, content in files.items():
        assert not [each for each in planted if each in content], path.name
        if path.suffix == ".log":
            assert not [each for each in receipts if each.encode() in content]
    poll.end()
    assert list(home.iterdir()) == []


def test_a_planted_answer_would_be_found():
    """What the search above looks for, in a program that keeps what it gets."""
    planted = f'"{ATTRIBUTE}": "yes"}}, "receipt": "{secrets.token_hex(32)}'
    program = [sys.executable, "-c", "import sys; kept = sys.stdin.readline(); print('kept', flush=True); sys.stdin.readline()"]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        process.stdin.write(f"{planted}\n")
        process.stdin.flush()
        process.stdout.readline()
        assert occurrences(process.pid, planted.encode())
        process.kill()


def simulated_poll(design, share, *, rng):
    """A poll of people drawn with a ``share`` of the last answer, the others equally common; and the true shares of those drawn."""
    size = len(design.answers)
    true = rng.choice(size, size=design.people, p=[*((1 - share) / (size - 1),) * (size - 1), share])
    changed = rng.random(design.people) >= design.truth / 100
    sent = (true + changed * rng.integers(1, size, design.people)) % size
    file = design.file()
    answers = Answers.of(Dataset(file.schema, sent.astype(np.int32)[:, None]), file)
    return PollSoFar(design, answers), np.bincount(true, minlength=size) / design.people


@pytest.mark.parametrize(
    "design",
    [PollDesign(30, 75), poll_design(30, 0.2), poll_design(12, 0.3), PollDesign(100, 75)],
    ids=lambda d: f"{d.people}-{d.truth}",
)
def test_of_two_thousand_polls_95_in_100_have_the_true_share_in_the_interval_that_the_wall_shows(design):
    """At a coverage of 95% fewer than 93.5% hold it with probability .001. Whole numbers of people make the coverage of 12 people .966."""
    rng, held = np.random.default_rng(2027), 0
    alike = {}  # of as many answers of each kind the interval is the same
    for _ in range(2000):
        poll, shares = simulated_poll(design, 0.3, rng=rng)
        sent = int(poll.answers.dataset.codes.sum())
        if sent not in alike:
            alike[sent] = poll.interval
        _, low, high = alike[sent]
        held += low[1] - 1e-9 <= shares[1] <= high[1] + 1e-9
    assert 0.935 <= held / 2000 <= 0.975


def test_more_answers_than_people_and_too_few_answers_are_reported():
    poll, _ = simulated_poll(PollDesign(30, 90), 0.3, rng=np.random.default_rng(4))
    assert poll.twice() == ""
    assert "30 answers came from a class of 20" in PollSoFar(PollDesign(20, 90), poll.answers).twice()
    assert "too few" in PollSoFar(PollDesign(30, 90), None).sentence()
