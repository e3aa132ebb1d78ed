"""What holds for all tests: one thread of linear algebra each, workers that share the compiling, and what mostly waits first.

A test in a browser that fails is run once more, and the summary names it under RERUN; no other test is.

Several processes with several threads each wait for one another most of the time.
"""

import gc
import os
import random

import pytest

from tests.databases import cluster, place  # noqa: F401  # fixtures of whoever asks for them

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when numpy is first imported, which is after this


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection():
    """Nothing that is collected becomes garbage: looking for it all the while takes a fifth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Every worker collects in an order of its own: on a fresh checkout one compiles what the others then find compiled."""
    report = yield
    if isinstance(collector, pytest.Directory):
        random.Random(os.environ.get("PYTEST_XDIST_WORKER")).shuffle(report.result)
    return report


def pytest_collection_modifyitems(items):
    """In the order of files again, but tests that mostly wait come first: else one of them would keep the others waiting at the end."""
    items.sort(key=lambda item: (not item.nodeid.startswith(("tests/browser/", "tests/test_packaging.py")), item.path.parts))
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_collection_finish():
    """What was collected stays to the end, so that the garbage collector need not go through all of it again and again."""
    gc.collect()
    gc.freeze()
