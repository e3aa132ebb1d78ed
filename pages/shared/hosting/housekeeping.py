"""How one server serves many: what it tidies by itself, now and then, so that no run of a page has to.

Streamlit collects all garbage after every single run, which takes longer than the run of most pages and makes everybody wait. And it
forgets a closed tab, two minutes later, only when the next one is closed. Here one thread does both, at most every few seconds.
"""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
import time

from streamlit.runtime import Runtime, exists, get_instance
from streamlit.runtime.memory_session_storage import MemorySessionStorage

_M_ARENA_MAX = -8  # of malloc.h
_EVERY = 15.0  # seconds between two rounds
_SHARE = (
    0.0005  # seconds that a thread computes before another one may: the thread that sends waits so long for every page that runs
)

_begun = threading.Lock()


def begin() -> None:
    """Have the thread at work, once for the whole server; to be called before a session has anything. Without a server, nothing."""
    if not exists() or type(get_instance()) is not Runtime:
        return  # a test runs the page
    if _begun.acquire(blocking=False):
        sys.setswitchinterval(_SHARE)
        share_heaps()
        gc.collect()
        gc.freeze()  # what is imported stays: it need not be looked through again
        threading.Thread(target=_keep_tidy, args=(get_instance(),), name="housekeeping", daemon=True).start()


def _keep_tidy(runtime: Runtime) -> None:
    while True:
        time.sleep(_EVERY)
        forget_closed(runtime)
        collect()


def forget_closed(runtime: Runtime) -> None:
    """Have the server forget the tabs that were closed more than two minutes ago; it does so on its own thread."""
    storage = getattr(runtime._session_mgr, "_session_storage", None)
    if isinstance(storage, MemorySessionStorage):
        loop = runtime._get_async_objs().eventloop
        loop.call_soon_threadsafe(lambda: storage._cache.__len__())  # looking how many there are drops those that are too old


def share_heaps() -> None:
    """Have all threads take memory from two heaps where that can be said (glibc): of one for each thread a part stays taken for good."""
    if sys.platform == "linux" and hasattr(ctypes.CDLL(None), "mallopt"):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 2)


def collect() -> None:
    """Collect garbage, and give the memory that is free to the system where that is possible."""
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
