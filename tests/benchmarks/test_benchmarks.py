"""Every benchmark runs through at its smallest size; what it measures there means nothing, so neither 0 nor 1 is asked for."""

import logging
import runpy
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

import pytest

from benchmarks import thresholds
from benchmarks.__main__ import run
from benchmarks.thresholds import Measured
from tests.browser import conftest as browsing

ROOT = Path(__file__).parents[2]
SERVED = ("slider", "start")
"""Those that look at a dashboard in a browser."""

NAMES = sorted(path.stem.removeprefix("bench_") for path in (ROOT / "benchmarks").glob("bench_*.py"))


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory):
    """Address and log of one server for all that would start one: its start takes as long as what they then do."""
    path = tmp_path_factory.mktemp("dashboard") / "server.log"
    with path.open("wb") as log, browsing.serving(stdout=log, stderr=log) as url:
        yield url, path


@pytest.mark.long
@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.browser] if name in SERVED else []) for name in NAMES])
def test_it_runs_at_its_smallest_size(name, monkeypatch, capfd, request):
    """As a program, but in this process: one of its own would mostly import what is here already."""
    if name in SERVED:
        address, log = request.getfixturevalue("dashboard")
        monkeypatch.setattr(browsing, "serving", lambda: nullcontext(address))
    monkeypatch.setenv("RR_BENCHMARKS", "smallest")
    monkeypatch.setattr(logging, "raiseExceptions", False)  # a logger may hold the error stream of a test that is over
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "argv", [str(ROOT / "benchmarks" / f"bench_{name}.py")])
    for module in [each for each in sys.modules if each.startswith("benchmarks.")]:  # imported at full size, it may be
        monkeypatch.delitem(sys.modules, module)
    status = 0
    try:
        with ThreadPoolExecutor(1) as thread:  # in which no browser's loop of events runs
            thread.submit(runpy.run_path, sys.argv[0], run_name="__main__").result()
    except SystemExit as end:
        status = end.code or 0
    said = capfd.readouterr()
    assert "Traceback" not in said.err, said.err
    assert name not in SERVED or "Traceback" not in log.read_text(encoding="utf-8")
    assert status in (0, 1), said.err
    assert said.out.strip()


def test_it_goes_on_after_a_failure_and_says_which_failed(tmp_path, capfd):
    for name, code in (
        ("breaks", "raise ValueError"),
        ("misses", "raise SystemExit(1)"),
        ("works", "print('| works | through |')"),
    ):
        (tmp_path / f"bench_{name}.py").write_text(code, encoding="utf-8")
    assert run(tmp_path) == 1
    assert (said := capfd.readouterr().out).count("| works | through |") == 2  # where it was measured, and in the table
    assert said.endswith("1 of 3 benchmarks as they should be\nfailed: breaks (exit 1)\nfailed: misses (exit 1)\n")
    assert run(tmp_path, ["works"]) == 0


@pytest.mark.parametrize(
    ("sets", "seconds", "code"),
    [(1.19, 0.4, 0), (1.0, 0.4, 1), (1.19, 0.6, 1), (1.19, float("nan"), 1)],
    ids=["as known", "known and met", "another missed", "not a number"],
)
def test_only_what_is_known_may_be_missed_and_must_be(sets, seconds, code, monkeypatch, capsys):
    monkeypatch.setattr(thresholds, "KNOWN", {"some": {"wide sets": "few sets"}})
    measured = [Measured("wide sets", sets, 1.1), Measured("seconds", seconds, 0.5, "s")]
    assert thresholds.verdict("some", measured) == code
    said = capsys.readouterr().out
    assert ("few sets" in said) == (sets > 1.1)
    assert ("MET wide sets" in said) == (sets < 1.1)
    assert thresholds.verdict("other", measured) == int(not all(one.met for one in measured))


def test_what_depends_on_the_machine_may_be_met_or_missed_and_nothing_else(monkeypatch):
    monkeypatch.setattr(thresholds, "KNOWN", {})
    monkeypatch.setattr(thresholds, "BY_MACHINE", {"some": {"ratio": "The kernel is slow."}})
    met, slow, missed = Measured("ratio", 5.2, 4, least=True), Measured("ratio", 3.9, 4, least=True), Measured("seconds", 3, 1)
    assert [thresholds.verdict("some", each) for each in ([met], [slow], [slow, missed])] == [0, 0, 1]
    assert thresholds.verdict("other", [slow]) == 1


def test_what_is_known_to_miss_is_of_a_benchmark_that_is_there():
    assert thresholds.KNOWN.keys() | thresholds.BY_MACHINE.keys() <= set(NAMES)
