"""Memory that holds answers: nothing copies it when a process crashes, no neighbour may look into it, and what is freed is overwritten.

Python by itself keeps small objects that it has freed as they were, and so do the allocators of C libraries. A program that was restarted
by ``restart_wiping`` has all of them ask the system's allocator (glibc), which fills what is freed and gives it back; so letting go of a
table is all that it takes to end it.
"""

import ctypes
import os
import sys
from contextlib import suppress

WIPING = {"PYTHONMALLOC": "malloc", "MALLOC_PERTURB_": "165", "ARROW_DEFAULT_MEMORY_POOL": "system"}
"""Environment of a process that overwrites what it frees. Arrow reads its variable when it is loaded, so that one stays."""

_TUNABLES, _UNKEPT = "GLIBC_TUNABLES", ":glibc.malloc.tcache_count=0"  # what a thread has freed last is overwritten too
_LATER = "ARROW_DEFAULT_MEMORY_POOL"
_PR_SET_DUMPABLE = 4  # of linux/prctl.h


def forbid_memory_dump() -> None:
    """Have this process leave no core dump, and what it forks neither.

    A limit of 0 forbids the file. Linux heeds that limit only where it writes the file itself, not where it pipes the dump into a program,
    such as that of systemd; so there the process is also declared one that is not dumped, which shuts its memory to other
    processes of the same user too. Where neither exists (Windows) nothing is done.
    """
    with suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def limit_memory(more: int) -> None:
    """Have the system refuse this process memory beyond so many bytes more than it has now, where it can: Linux."""
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (memory_used()["VmData"] + more,) * 2)


def memory_used() -> dict[str, int]:
    """Bytes that this process has set aside to write to (VmData), and bytes of it that are in memory (VmRSS): Linux."""
    with open("/proc/self/status", encoding="ascii") as status:
        fields = dict(line.split(":", 1) for line in status)
    return {name: int(fields[name].split()[0]) * 2**10 for name in ("VmData", "VmRSS")}


def restart_wiping(command: str) -> None:
    """Start this program anew so that it overwrites what it frees, in the same process; the second time, go on.

    Processes that it starts later take no notice: their memory goes back to the system, which clears it, when they end. Nothing is done
    where the system is another than Linux, or the program was not started as ``command`` but calls it. What the environment says of
    glibc's allocator otherwise holds.
    """
    if sys.platform != "linux" or command not in sys.orig_argv:
        return
    tunables = os.environ.get(_TUNABLES, "")
    if tunables.endswith(_UNKEPT) and all(os.environ.get(name) == value for name, value in WIPING.items()):
        os.environ[_TUNABLES] = tunables.removesuffix(_UNKEPT)
        for name in WIPING.keys() - {_LATER}:
            del os.environ[name]
        return
    environment = os.environ | WIPING | {_TUNABLES: tunables + _UNKEPT}
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)  # nosec B606: itself, as it was called
