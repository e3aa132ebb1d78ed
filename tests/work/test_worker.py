"""Work in a process of its own: what comes back, what is refused, and that it ends when nobody wants it any more."""

import os
import subprocess
import sys
import threading
import time

import cloudpickle
import numpy as np
import psutil
import pytest

from rrcore.errors import InputError
from rrcore.work import LostError, Worker, prepare_worker, process, worker

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # a worker does not import what tests import


@pytest.fixture(autouse=True)
def _ready():
    prepare_worker()


def pieces(produce, *, megabytes=500, seconds=60, **options):
    return list(Worker(produce, megabytes=megabytes).pieces(seconds=seconds, **options))


def gone(pid, most=5.0):
    """Whether the process ends within some seconds."""
    until = time.monotonic() + most
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def busy(report):
    yield os.getpid()
    while True:
        pass


def test_pieces_and_progress_come_back_and_closures_go_there():
    table, told = np.asfortranarray(np.arange(20_000, dtype=np.int16).reshape(-1, 2)), []

    def produce(report):
        report(0.25, "a quarter")
        yield table.sum(axis=0)
        yield table[:0], table

    total, (empty, same) = pieces(produce, report=lambda *where: told.append(where))
    assert total.tolist() == table.sum(axis=0).tolist()
    assert (empty.shape, same.dtype, same.flags.f_contiguous) == ((0, 2), np.int16, True)
    assert (same == table).all()
    assert told == [(0.25, "a quarter")]


def test_a_worker_gives_way_has_one_thread_for_linear_algebra_and_leaves_no_trace():
    def produce(report):
        import resource

        np.ones((300, 300)) @ np.ones((300, 300))
        yield (
            os.nice(0),
            os.environ["OPENBLAS_NUM_THREADS"],
            resource.getrlimit(resource.RLIMIT_CORE),
            len(os.listdir("/proc/self/task")),
        )

    ((nice, threads, core, tasks),) = pieces(produce)
    assert (nice - os.nice(0), threads, core) == (10, "1", (0, 0))
    assert tasks == 1
    assert os.environ.get("OPENBLAS_NUM_THREADS") == os.environ.get("OMP_NUM_THREADS") or "OPENBLAS_NUM_THREADS" not in os.environ


def test_what_a_person_can_mend_stays_a_sentence_and_a_defect_says_where_it_was():
    def refused(report):
        raise InputError("Choose fewer people.", quoted="people")

    def broken(report):
        yield 1 // 0

    with pytest.raises(InputError, match="Choose fewer people") as caught:
        pieces(refused)
    assert caught.value.quoted == "people"
    with pytest.raises(ZeroDivisionError) as caught:
        pieces(broken)
    assert "in broken" in caught.value.__notes__[0]


def test_what_cannot_be_sent_back_is_named():
    class OddError(Exception):
        def __init__(self, one, other):
            super().__init__(f"{one} {other}")

    def broken(report):
        raise OddError("very", "odd")

    with pytest.raises(RuntimeError, match="OddError: very odd"):
        pieces(broken)
    with pytest.raises(TypeError, match="pickle"):
        pieces(lambda report: [threading.Lock()])
    assert pieces(lambda report: [lambda: 3])[0]() == 3


@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded on Linux")
def test_memory_is_bounded():
    with pytest.raises(LostError, match=r"needs more than the 200 MB of memory that one may take here: ask for less of it\."):
        pieces(lambda report: [np.ones(10**8).sum()], megabytes=200)


def test_time_is_bounded():
    one = Worker(busy, megabytes=500)
    with pytest.raises(LostError, match=r"longer than the 0 seconds"):
        list(one.pieces(seconds=0.1))
    assert gone(one.pid)


def test_a_killed_worker_is_one_sentence():
    with pytest.raises(LostError, match="was cut off, as happens where the memory of this computer runs out: start it again"):
        pieces(lambda report: os.kill(os.getpid(), 9))


def test_it_is_ended_at_once_without_asking_it_and_by_who_stops_reading():
    one = Worker(busy, megabytes=500)
    pid = next(iter(one.pieces(seconds=60)))  # the rest is not read: the worker goes
    assert gone(pid)
    one = Worker(busy, megabytes=500)
    found = one.pieces(seconds=60)
    assert next(found) == one.pid
    began = time.monotonic()
    one.end()
    assert time.monotonic() - began < 0.5
    assert gone(one.pid, 0.5)
    with pytest.raises(LostError):
        next(found)


def test_who_will_not_end_is_ended():
    def stubborn(report):
        import signal

        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        yield from busy(report)

    one = Worker(stubborn, megabytes=500)
    next(found := one.pieces(seconds=60))
    one.end()
    assert gone(one.pid, 1.0)
    found.close()


def test_a_report_that_raises_ends_it():
    def produce(report):
        yield os.getpid()
        while True:
            report(0.5, "half")

    def enough(fraction, text):
        raise InputError("Enough.")

    found = Worker(produce, megabytes=500).pieces(seconds=60, report=enough)
    pid = next(found)
    with pytest.raises(InputError, match=r"Enough\."):
        next(found)
    assert gone(pid)


@pytest.mark.slow
@pytest.mark.parametrize("forks", [True, False])
def test_it_ends_with_the_process_that_started_it(forks):
    script = "from rrcore.work import Worker, process\nfrom tests.work.test_worker import busy\n"
    script += f"process.FORKS = {forks} and process.FORKS\n"
    script += "print(next(found := Worker(busy, megabytes=500).pieces(seconds=60)), flush=True)\ninput()"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    asker = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
    pid = int(asker.stdout.readline())
    assert psutil.pid_exists(pid)
    asker.kill()
    asker.wait()
    assert gone(pid)


def test_the_process_that_workers_are_forked_from_may_be_lost():
    running = Worker(busy, megabytes=500).pieces(seconds=60)
    pid = next(running)
    worker._SERVER._process.kill()
    assert gone(pid)
    with pytest.raises(LostError, match="was cut off"):
        next(running)
    assert pieces(lambda report: [3]) == [3]


@pytest.mark.slow
def test_where_nothing_forks_each_worker_starts_by_itself(monkeypatch):
    monkeypatch.setattr(process, "FORKS", False)
    assert pieces(lambda report: [3]) == [3]
    one = Worker(busy, megabytes=500)
    found = one.pieces(seconds=60)
    assert next(found) == one.pid
    one.end()
    assert gone(one.pid)


def test_programs_of_others_find_multiprocessing_as_it_was():
    script = (
        "import multiprocessing.spawn as spawn\nbefore = dict(vars(spawn))\nfrom rrcore.work import Worker, open_executor, run\n"
    )
    script += "with open_executor(workers=1) as executor:\n    assert list(run(abs, [-1], executor=executor)) == [1]\n"
    script += "assert dict(vars(spawn)) == before\n"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_it_works_in_the_folder_that_this_program_is_in(tmp_path, monkeypatch):
    """Also where that is another one by now: names of files start from there."""
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        assert pieces(lambda report: iter([os.getcwd()])) == [str(tmp_path / name)]
