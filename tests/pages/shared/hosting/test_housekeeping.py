"""Housekeeping: closed tabs are forgotten, what only refers to itself is collected, and a page in a test begins nothing."""

import gc
import threading
import weakref
from types import SimpleNamespace

from streamlit.runtime.memory_session_storage import MemorySessionStorage

from pages.shared.hosting import housekeeping


def test_tabs_that_were_closed_long_ago_are_forgotten():
    storage = MemorySessionStorage(ttl_seconds=0)
    storage.save(SimpleNamespace(session=SimpleNamespace(id="closed")))
    assert len(storage._cache._data) == 1
    loop = SimpleNamespace(call_soon_threadsafe=lambda call: call())
    runtime = SimpleNamespace(
        _session_mgr=SimpleNamespace(_session_storage=storage), _get_async_objs=lambda: SimpleNamespace(eventloop=loop)
    )
    housekeeping.forget_closed(runtime)
    assert len(storage._cache._data) == 0


def test_what_only_refers_to_itself_is_collected():
    class Tab:
        pass

    tab = Tab()
    tab.itself = tab
    known = weakref.ref(tab)
    gc.disable()
    try:
        del tab
        assert known() is not None
        housekeeping.collect()
        assert known() is None
    finally:
        gc.enable()


def test_a_page_that_a_test_runs_begins_no_thread(session):
    assert session.title
    assert "housekeeping" not in {thread.name for thread in threading.enumerate()}
