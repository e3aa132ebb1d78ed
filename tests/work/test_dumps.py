"""No core dump of a process that holds answers: neither of the servers nor of their workers, however the system is set."""

import ctypes
import os
import signal
import sys
from contextlib import suppress

import pytest

from rrcore.receiver import create_store
from rrcore.work import Worker
from tests.receiver.conftest import mechanism as mechanism
from tests.receiver.phones import serving as receiving
from tests.serving.conftest import serving

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux dumps what was forbidden by a limit, and can be told not to"
)

resource = pytest.importorskip("resource")


def dumped(process):
    """Whether a server that crashes leaves a copy of its memory, also where the limit of 0 that it set itself is ignored."""
    assert resource.prlimit(process.pid, resource.RLIMIT_CORE) == (0, 0)
    with suppress(PermissionError):  # who may raise it plays a system that pipes dumps into a program
        resource.prlimit(process.pid, resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2)
    os.kill(process.pid, signal.SIGABRT)
    _, status = os.waitpid(process.pid, 0)
    process.returncode = -os.WTERMSIG(status)
    assert process.returncode == -signal.SIGABRT
    return os.WCOREDUMP(status)


@pytest.mark.long
def test_a_receiver_that_crashes_leaves_no_copy_of_its_memory(tmp_path, mechanism):
    place = str(tmp_path / "place.db")
    create_store(place, mechanism, title="Pilot")
    with receiving(tmp_path, place, mechanism) as (process, _, _):
        assert not dumped(process)


@pytest.mark.long
def test_a_dashboard_that_crashes_leaves_no_copy_of_its_memory(tmp_path):
    with serving(tmp_path) as server:
        assert not dumped(server.process)


@pytest.mark.long
def test_a_worker_leaves_no_copy_of_its_memory():
    def asked(report):
        get_dumpable = 3  # of linux/prctl.h
        yield ctypes.CDLL(None).prctl(get_dumpable, 0, 0, 0, 0), resource.getrlimit(resource.RLIMIT_CORE)

    ((dumpable, limit),) = Worker(asked, megabytes=500).pieces(seconds=60)
    assert (dumpable, limit) == (0, (0, 0))
