"""Tasks spread over processes: the same results in the same order, also when a process is killed or nobody wants them any more."""

import os
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import pytest

from rrcore.errors import InputError
from rrcore.work import open_executor, run
from rrcore.work.tasks import cores
from tests.work.same import WORK
from tests.work.tasks import core_limit, environment, kill_own_worker, kill_own_worker_once, leave, refuse, rest, square

SQUARES = [number * number for number in range(20)]


@pytest.fixture(scope="module")
def pool():
    with open_executor(workers=2) as executor:
        yield executor


def test_results_come_in_the_order_of_the_tasks(pool):
    assert list(run(square, range(20))) == SQUARES
    assert list(run(square, range(20), executor=pool)) == SQUARES
    assert list(run(square, [], executor=pool)) == []


def test_any_executor_will_do():
    with ThreadPoolExecutor(3) as executor:
        assert list(run(square, range(20), executor=executor)) == SQUARES


def test_workers_compute_in_one_thread_each_and_leave_our_environment_alone(pool, monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    (threads, process), *_ = run(environment, range(2), executor=pool)
    assert threads == "1"
    assert process != os.getpid()
    assert "OMP_NUM_THREADS" not in os.environ


def test_a_worker_that_crashes_leaves_no_copy_of_its_memory(pool):
    assert list(run(core_limit, range(2), executor=pool)) == [(0, 0)] * 2


def test_a_killed_worker_changes_nothing(pool, tmp_path):
    assert list(run(partial(kill_own_worker_once, tmp_path), range(20), executor=pool)) == SQUARES
    assert (tmp_path / "asked_3").exists()


def test_a_task_that_kills_every_worker_is_given_up(pool, tmp_path):
    with pytest.raises(InputError, match=r"The worker of one task was lost 4 times, .*use fewer workers"):
        list(run(partial(kill_own_worker, tmp_path), [1], executor=pool))
    assert (tmp_path / "killed").read_text() == "...."
    assert list(run(square, range(20), executor=pool)) == SQUARES


@pytest.mark.long
def test_somebody_elses_pool_that_broke_is_said(tmp_path):
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor,
        pytest.raises(InputError, match="worker of one task was lost"),
    ):
        list(run(partial(kill_own_worker, tmp_path), [1, 2], executor=executor))


def test_an_error_of_a_task_is_raised_in_its_place(pool):
    with pytest.raises(ValueError, match="no 5"):
        list(run(refuse, [5, 6], executor=pool))
    with pytest.raises(ValueError, match="no 5"):
        list(run(refuse, [5, 6]))


@pytest.mark.parametrize("error", [SystemExit(3), SystemExit("over"), KeyboardInterrupt()])
def test_a_task_that_ends_the_program_ends_it(pool, error):
    with pytest.raises(type(error)) as caught:
        list(run(leave, [error], executor=pool))
    assert caught.value.args == error.args
    assert list(run(square, range(20), executor=pool)) == SQUARES


class StopError(Exception):
    pass


def alive(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ends_soon(process):
    until = time.monotonic() + 5
    while alive(process) and time.monotonic() < until:
        time.sleep(0.01)
    return not alive(process)


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at processes where Linux shows them")
def test_a_report_that_raises_ends_what_is_at_work(pool, tmp_path):
    def stop(fraction, text):
        if len(list(tmp_path.glob("pid_*"))) == 2:
            raise StopError

    with pytest.raises(StopError):
        list(run(partial(rest, tmp_path), range(2), executor=pool, report=stop))
    assert all(ends_soon(int(file.read_text())) for file in tmp_path.glob("pid_*"))
    assert list(run(square, range(20), executor=pool)) == SQUARES


def test_reading_no_further_hands_over_no_further_tasks(pool):
    class Counted(list):
        asked = 0

        def __getitem__(self, number):
            self.asked = max(self.asked, number)
            return super().__getitem__(number)

    tasks = Counted(range(1_000))
    results = run(square, tasks, executor=pool)
    assert [next(results) for _ in range(5)] == SQUARES[:5]
    results.close()
    assert tasks.asked < 5 + 8


def test_how_far_it_is_never_goes_back(pool):
    for executor in (None, pool):
        told = []
        list(run(square, range(20), executor=executor, report=lambda fraction, text, told=told: told.append((fraction, text))))
        assert [fraction for fraction, _ in told] == sorted(fraction for fraction, _ in told)
        assert len(told) >= 20
        assert {text for _, text in told} <= {f"{number} of 20" for number in range(21)}


def test_what_takes_no_time_starts_no_process():
    with open_executor() as executor:
        assert {process for _, process in run(here, range(5), executor=executor)} == {os.getpid()}
        executor.head_start = 0.0
        assert os.getpid() not in {process for _, process in run(environment, range(5), executor=executor)}


def here(_):
    return None, os.getpid()


SCRIPT = """
import os, sys
from functools import partial
from multiprocessing import get_context
from rrcore.work import open_executor, run
from tests.work.same import WORK
from tests.work.tasks import rest
executor = open_executor(workers=1)
print("once")
def kill(fraction, text):
    if os.path.exists(os.path.join(sys.argv[1], "pid_0")):
        os.kill(os.getpid(), 9)
list(run(partial(rest, sys.argv[1]), [0], executor=executor, report=kill))
"""


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at processes where Linux shows them")
def test_workers_end_with_the_process_that_started_them_and_do_not_run_its_script(tmp_path):
    script = tmp_path / "script.py"  # without the guard that other pools need
    script.write_text(SCRIPT)
    paths = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable, script, tmp_path], capture_output=True, text=True, env=paths, timeout=30)
    assert done.returncode == -9
    assert done.stdout in ("once\n", "")
    assert ends_soon(int((tmp_path / "pid_0").read_text()))


def test_numbers_of_workers():
    assert 1 <= cores() <= os.cpu_count()
    with pytest.raises(InputError, match="0 workers were asked for: give a number of at least 1"):
        open_executor(workers=0)
    with pytest.raises(InputError, match="Both a scheduler and a number of workers"):
        open_executor("tcp://localhost:8786", 2)


# last, since the processes that they need have loaded much, and the tests above kill theirs


@pytest.mark.slow
@pytest.mark.parametrize("name", WORK)
def test_two_workers_do_what_one_process_does(name, pool, tmp_path):
    work = WORK[name]
    assert repr(work(pool, tmp_path)) == repr(work(None, tmp_path))  # in which what is not a number equals itself


@pytest.mark.long
def test_one_worker_does_what_two_do(pool, tmp_path):
    with open_executor(workers=1) as executor:
        for name in WORK:
            assert repr(WORK[name](executor, tmp_path)) == repr(WORK[name](pool, tmp_path)), name
