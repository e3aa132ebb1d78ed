"""The same tasks on a Dask cluster: two worker processes on this machine, each of which a task may kill."""

import sys
from functools import partial
from importlib.util import find_spec
from types import ModuleType

import pytest

from rrcore.errors import InputError
from rrcore.table import Attribute, Schema
from rrcore.table.mark import simulation_mark
from rrcore.table.stream import coder, count, open_stream
from rrcore.work import Worker, cluster, open_executor, run
from tests.work.same import WORK
from tests.work.tasks import kill_own_worker_once, refuse, square

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not find_spec("distributed"), reason="a cluster needs Dask: install rr-workbench[cluster]"),
]

SQUARES = [number * number for number in range(20)]


@pytest.fixture(scope="module")
def address():
    import distributed  # here, as all workers collect this file and one of them runs it

    quiet = {"dashboard_address": None, "silence_logs": "CRITICAL"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(
            sys.modules, "__main__", ModuleType("__main__")
        )  # else Dask's processes run the page that a test has shown last
        with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, **quiet) as cluster:
            yield cluster.scheduler_address


def test_a_cluster_gives_the_same_also_when_a_worker_is_killed(address, tmp_path):
    with open_executor(address) as executor:
        assert executor.count == 2
        assert list(run(square, range(20), executor=executor)) == SQUARES
        with pytest.raises(ValueError, match="no 5"):
            list(run(refuse, [5, 6], executor=executor))
        assert list(run(partial(kill_own_worker_once, tmp_path), range(20), executor=executor)) == SQUARES
        assert (tmp_path / "asked_3").exists()


def test_a_cluster_hands_the_mark_of_a_simulation_back(address, tmp_path):
    mark = simulation_mark(7)
    for part in ("a", "b"):
        (tmp_path / f"{part}.csv").write_text(f'"{mark}",smokes\nyes,no\nyes,yes\n')
    schema = Schema((Attribute("smokes", ("no", "yes")),))
    with open_executor(address) as executor:
        counts = count(open_stream(tmp_path, header=True), coder(schema), [("smokes",)], executor=executor)
    assert (counts.mark, counts.n) == (mark, 4)


@pytest.mark.parametrize("name", WORK)
def test_a_cluster_does_what_one_process_does(name, address, tmp_path):
    with open_executor(address) as executor:
        assert repr(WORK[name](executor, tmp_path)) == repr(WORK[name](None, tmp_path))


def test_a_connection_that_is_lost_is_made_again(address):
    with open_executor(address) as executor:
        assert list(run(square, range(4), executor=executor)) == SQUARES[:4]
        executor._client.close()
        assert list(run(square, range(4), executor=executor)) == SQUARES[:4]


def test_workers_with_another_version_are_refused(address, monkeypatch):
    monkeypatch.setattr("rrcore.__version__", "9.9")
    with pytest.raises(InputError, match=r"have version 0\.\d\.\d of rr-workbench and this machine has 9\.9: install the same"):
        open_executor(address)


@pytest.mark.parametrize("wrong", ["tcp://localhost:1", "nowhere", "a b://c"])
def test_no_scheduler_at_an_address(wrong, monkeypatch):
    monkeypatch.setattr(cluster, "_SECONDS", 0.1)
    with pytest.raises(InputError, match=r"No Dask scheduler answers at '.*': check the address, for example tcp://host:8786"):
        open_executor(wrong)


def test_a_task_that_kills_workers_stands_for_all_its_tries():
    import distributed

    error = distributed.KilledWorker("task", None, 3)
    assert cluster.Cluster.tries_lost_by(None, error) == 4
    assert cluster.Cluster.tries_lost_by(None, ValueError()) == 0


def test_a_job_in_a_process_of_its_own_hands_its_work_on(address):
    def squares(report):
        with open_executor(address) as executor:
            yield from run(square, range(20), executor=executor, report=report)

    assert list(Worker(squares, megabytes=4096).pieces(seconds=60)) == SQUARES
