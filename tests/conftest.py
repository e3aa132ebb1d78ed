"""Settings of all tests: one thread of linear algebra each, workers that share the compiling, and tests that wait next to those that compute.

A test in a browser that fails is run once more, and the summary names it under RERUN; no other test is.

Several processes with several threads each wait for one another most of the time.
"""

import gc
import os
import random
import re

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

from tests.programs import NEEDS

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when numpy is first imported, which is after this
# Once so much was given back, glibc keeps what is freed: else pages of arrays of a megabyte are fetched for every step.
bytearray(31 << 20)

# What a test says depends neither on what else the machine does nor on chance. Other examples: --hypothesis-profile default
settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


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


_WAITING = (
    *("tests/browser/", "tests/receiver/", "tests/serving/", "tests/test_jobs.py", "tests/test_packaging.py"),
    "tests/cli/test_dashboard.py",
)
"""Tests that mostly wait: for servers, browsers and other programs."""


def pytest_collection_modifyitems(items):
    """File by file, and what mostly waits among what computes, from the beginning to four fifths: while some workers wait, others have the
    processors, and none of what waits keeps the others waiting at the end."""
    files = sorted({item.path: item.nodeid.startswith(_WAITING) for item in items}.items(), key=lambda file: file[0].parts)
    turn = {}
    for waits, until in ((True, 0.8), (False, 1.0)):
        chosen = [path for path, waiting in files if waiting == waits]
        turn |= {path: (until * number / len(chosen), path.parts) for number, path in enumerate(chosen)}
    items.sort(key=lambda item: turn[item.path])
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))
    for path in {item.path for item in items if item.get_closest_marker("long")}:
        if "mark.long" not in path.read_text(encoding="utf-8"):
            raise pytest.UsageError(
                f"{path} has long tests without naming pytest.mark.long, by which make long finds their files."
            )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    """A worker tells only what a test came to, and not that it began, was set up and was torn down well: packing, sending and unpacking
    that for twelve thousand tests takes longer than most of them do. Everything that fails or is skipped is reported."""
    if "PYTEST_XDIST_WORKER" not in os.environ or item.get_closest_marker("flaky"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


_WITHOUT_APP = tuple(
    f"tests/browser/test_{name}"
    for name in (*("form", "lesson", "nothing_true", "poll", "receiver", "reports", "survey", "typing"),)
)
"""Tests in a browser that do not ask for the running app: their forms and servers are their own."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Files stay whole. Those in a browser that use the running app are one worker's, the others in a browser another's: each worker
    that runs any of them starts Chromium, and for the former an app as well, whose first pages take longest."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Together(LoadFileScheduling):
        def _split_scope(self, nodeid):
            file = super()._split_scope(nodeid)
            if not file.startswith("tests/browser/"):
                return file
            return "browser alone" if file.startswith(_WITHOUT_APP) else "browser and app"

    return Together(config, log)


@pytest.fixture
def place(tmp_path):
    """Where a new survey or ledger can be kept."""
    return str(tmp_path / "place.db")


def pytest_collection_finish():
    """What was collected stays to the end, so that the garbage collector need not go through all of it: neither again and again nor once
    before, which takes each worker over a second."""
    gc.freeze()


def pytest_terminal_summary(terminalreporter):
    """Say which tests were skipped for want of a program, and which command adds them."""
    reasons = [(report.nodeid, str(report.longrepr)) for report in terminalreporter.getreports("skipped")]
    lacking = [(node, found[1]) for node, reason in reasons if (found := re.search(NEEDS + r"([\w-]+)", reason))]
    if lacking:
        folders = sorted({"/".join(node.split("::")[0].split("/")[:2]) for node, _ in lacking})
        packages = " ".join(sorted({package for _, package in lacking}))
        terminalreporter.write_line(
            f"Skipped tests: {len(lacking)} in {', '.join(folders)}. Add them with: sudo apt-get install {packages}", yellow=True
        )
