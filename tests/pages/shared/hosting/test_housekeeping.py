"""Housekeeping: what only refers to itself is collected, and a page in a test begins nothing."""

import gc
import threading
import weakref

from pages.shared.hosting import housekeeping


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
