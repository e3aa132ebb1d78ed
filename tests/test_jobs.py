"""Jobs in worker processes: results, progress, limits of time and memory, and whatever ends them."""

import os
import re
import signal
import subprocess
import sys
import time
from functools import partial

import numpy as np
import psutil
import pytest

from rrcore.budget import build
from rrcore.errors import InputError
from rrcore.executors import open_executor, run
from rrcore.jobs import LostError, Pool
from rrcore.simulation import repeat_perturbation
from rrcore.table import load_demo, read_text_table
from rrcore.table.reading.encoding import UncertainEncodingError
from tests.tasks import half, large, process_then_rest, rest, steps

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pool():
    pool = Pool(2, seconds=60, megabytes=300, preload=["rrcore", "tests.tasks"])
    yield pool
    pool.close()


def ended(job):
    job.wait(60)
    assert not job.running
    return job


def test_a_result_and_its_progress(pool):
    job = pool.start(half, 5)
    assert (ended(job).result, job.pieces, job.error) == (2.5, [2.5], None)
    job = pool.start(steps, 3, 0.3)
    seen = []
    while job.running:
        seen.append((len(job.pieces), job.text))
        time.sleep(0.05)
    assert job.result == job.pieces == [0, 1, 2]
    assert any(0 < pieces < 3 for pieces, _ in seen)
    assert job.text == "step 2"


def test_large_pieces_arrive_whole(pool):
    jobs = [pool.start(large, 20) for _ in range(4)]
    for job in jobs:
        assert ended(job).pieces == job._yielded == list(large(20))


def test_results_are_those_of_this_process(pool):
    table = load_demo("titanic")
    draw = partial(repeat_perturbation, table, build("preserving-2", table.schema.sizes, [1.0] * 4), ["Sex"], 3)
    here = [found.shares for found in draw(rng=np.random.default_rng(1))]
    there = [found.shares for found in ended(pool.start(partial(draw, rng=np.random.default_rng(1)))).result]
    np.testing.assert_array_equal(here, there)


def test_an_input_error_travels_back(pool):
    mixed = "a\nZ\u00fcrich\n".encode() + "Z\u00fcrich\n".encode("latin-1")
    error = ended(pool.start(read_text_table, mixed, "a.csv")).error
    assert isinstance(error, UncertainEncodingError)
    assert (error.lines, len(error.candidates)) == ((2, 3), 2)
    assert isinstance(ended(pool.start(read_text_table, b"", "a.csv")).error, InputError)


def test_another_error_keeps_its_traceback(pool):
    error = ended(pool.start(half, "five")).error
    assert isinstance(error, TypeError)
    assert "in half" in error.__notes__[0]


def test_time_is_limited():
    pool = Pool(1, seconds=2, preload=["tests.tasks"])
    job = pool.start(rest, 60)
    job.what = "The audit"
    assert isinstance(ended(job).error, LostError)
    pool.close()
    assert "The audit took longer than 2 seconds" in str(job.error)


def test_memory_is_limited(pool):
    job = ended(pool.start(np.ones, 50_000_000))
    assert isinstance(job.error, LostError)
    assert "300 MB" in str(job.error)
    assert ended(pool.start(np.ones, 3)).error is None


def test_a_stopped_job_ends_at_once_and_keeps_its_pieces(pool):
    job = pool.start(steps, 100, 0.1)
    while not job.pieces:
        time.sleep(0.01)
    job.stop()
    assert not job.running
    assert job.stopped
    assert 0 < len(job.pieces) < 100
    assert (job.error, job.result) == (None, None)
    jobs = [pool.start(rest, 50) for _ in range(5)]  # more than there are workers
    for each in jobs:
        each.stop()
    began = time.monotonic()
    assert ended(pool.start(half, 4)).result == 2
    assert time.monotonic() - began < 30  # they would take 2 minutes


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT])
def test_a_killed_worker_is_one_sentence_and_the_next_job_is_done(pool, end):
    job = pool.start(process_then_rest, 10)
    while not job.pieces:
        time.sleep(0.01)
    os.kill(job.pieces[0], end)
    assert isinstance(ended(job).error, LostError)
    assert ended(pool.start(half, 4)).result == 2


def workers():
    """The workers of this process: children of the fork server."""
    found = psutil.Process().children(recursive=True)
    return [each for each in found if each.ppid() != os.getpid()]


def test_idle_workers_that_are_killed_are_replaced(pool):
    ended(pool.start(half, 4))
    for each in workers():
        each.kill()
    time.sleep(0.5)
    assert ended(pool.start(half, 4)).result == 2


SCRIPT = """
import sys, time
sys.path.insert(0, {folder!r})
print("main ran", flush=True)
from rrcore.jobs import Pool
from tests.tasks import half, rest
pool = Pool(1)
job = pool.start(half, 4)
job.wait()
print(job.result, flush=True)
pool.start(rest, 60)
time.sleep({seconds})
"""


def test_workers_do_not_run_the_main_script(tmp_path):
    script = tmp_path / "page.py"
    script.write_text(SCRIPT.format(folder=os.getcwd(), seconds=0), encoding="utf-8")
    here = tmp_path / "of a stranger"
    here.mkdir()
    (here / "selectors.py").write_text("open('ran', 'w')", encoding="utf-8")
    command = [sys.executable, str(script)]
    out = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, cwd=here).stdout
    assert out.split("\n") == ["main ran", "2.0", ""]
    assert not (here / "ran").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="psutil tells the children there")
def test_workers_end_with_the_program_that_was_killed(tmp_path):
    script = tmp_path / "page.py"
    script.write_text(SCRIPT.format(folder=os.getcwd(), seconds=60), encoding="utf-8")
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as program:
        assert [program.stdout.readline() for _ in range(2)] == ["main ran\n", "2.0\n"]
        children = psutil.Process(program.pid).children(recursive=True)
        program.kill()
    assert len(children) >= 2
    _, alive = psutil.wait_procs(children, timeout=60)
    assert not alive


@pytest.mark.skipif(sys.platform != "linux", reason="Linux has it in /proc")
def test_workers_leave_no_core_dump(pool):
    worker = ended(pool.start(os.getpid)).result
    with open(f"/proc/{worker}/limits", encoding="ascii") as limits:
        assert re.search(r"Max core file size +0 +0 ", limits.read())


def test_an_executor_gives_the_results_of_this_process():
    tasks, said = list(range(9)), []
    with open_executor(workers=2) as executor:
        found = list(run(half, tasks, executor=executor, report=lambda *each: said.append(each), what="halves"))
    assert found == [half(task) for task in tasks] == list(run(half, tasks))
    assert said[-1] == (1.0, "9 of 9 halves")


def test_a_lost_worker_of_an_executor_is_one_sentence():
    with open_executor(workers=1) as executor, pytest.raises(InputError, match="A worker stopped"):
        list(run(os._exit, [3], executor=executor))
