"""Memory that is freed is overwritten at once, so that nothing of what a process has let go of is found in it.

Python by itself keeps small objects that it has freed as they were, and so do the allocators of C libraries. Here all of them ask the
system's allocator (glibc), which fills what is freed and gives it back; so letting go of a table is all that it takes to end it.
"""

from __future__ import annotations

import os
import sys

WIPING = {"PYTHONMALLOC": "malloc", "MALLOC_PERTURB_": "165", "ARROW_DEFAULT_MEMORY_POOL": "system"}
"""Environment of a process that overwrites what it frees. Arrow reads its variable when it is loaded, so that one stays."""

_TUNABLES, _UNKEPT = "GLIBC_TUNABLES", ":glibc.malloc.tcache_count=0"  # what a thread has freed last is overwritten too
_LATER = "ARROW_DEFAULT_MEMORY_POOL"


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
