"""Memory that holds answers stays in memory: no copy of it is written when a process crashes, and no neighbour may look into it."""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress

_PR_SET_DUMPABLE = 4  # of linux/prctl.h


def leave_no_dump() -> None:
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
