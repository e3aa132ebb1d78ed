"""How one server serves many: what it tidies by itself, now and then, so that no run of a page has to.

Streamlit collects all garbage after every single run, which takes longer than the run of most pages and makes everybody wait. Here one
thread does so every few seconds, ends the sessions of closed tabs, and gives the memory that is free to the system.
"""

import ctypes
import gc
import sys
import threading
import time

from streamlit.runtime import Runtime

from pages.shared.hosting import sessions

_M_ARENA_MAX, _M_MMAP_THRESHOLD, _M_TRIM_THRESHOLD = -8, -3, -1  # of malloc.h
_LARGE = 2**20  # bytes
_LOOK = 2.5  # seconds between two looks at which sessions are to end
_EVERY = 15.0  # seconds between two collections
# seconds that a thread computes before another one may: the thread that sends waits so long for every page that runs
_SHARE = 0.0005


def begin(runtime: Runtime, tabs: int) -> None:
    """Have the thread at work, for as long as the server of so many ``tabs`` runs; to be called before there is any session, once."""
    sys.setswitchinterval(_SHARE)
    share_heaps()
    gc.collect()
    gc.freeze()  # what is imported stays: it need not be looked through again
    closed = sessions.follow(runtime, tabs)
    threading.Thread(target=_keep_tidy, args=(runtime, closed), name="housekeeping", daemon=True).start()


def _keep_tidy(runtime: Runtime, closed: sessions.Closed) -> None:
    collected = time.monotonic()
    while True:
        time.sleep(_LOOK)
        if sessions.end_due(runtime, closed) or time.monotonic() - collected > _EVERY:
            collect()
            collected = time.monotonic()


def share_heaps() -> None:
    """Have all threads take memory from two heaps where that can be said (glibc): of one for each thread a part stays taken for good.

    What is large is taken from the system and given back to it by itself; glibc otherwise learns to keep up to 64 MB at the end of each heap.
    """
    if sys.platform == "linux" and hasattr(ctypes.CDLL(None), "mallopt"):
        tell = ctypes.CDLL(None).mallopt
        tell(_M_ARENA_MAX, 2)
        tell(_M_MMAP_THRESHOLD, _LARGE)
        tell(_M_TRIM_THRESHOLD, _LARGE)


def collect() -> None:
    """Collect garbage, and give the memory that is free to the system where that is possible."""
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
