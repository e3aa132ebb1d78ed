"""Every benchmark runs through at its smallest size; what it measures there means nothing, so neither 0 nor 1 is asked for."""

import os
import runpy
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchmarks import thresholds
from benchmarks.__main__ import run

ROOT = Path(__file__).parents[2]
HEAVY = ("audit", "beside", "cluster", "lesson", "receiver", "slider", "start", "synthesis")
"""Those that start servers and other programs, show pages or fit forests."""

IN_A_BROWSER = ("journeys", "screens")

NAMES = sorted(path.stem.removeprefix("bench_") for path in (ROOT / "benchmarks").glob("bench_*.py"))


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in NAMES if name not in (*IN_A_BROWSER, *HEAVY)])
def test_it_runs_at_its_smallest_size(name, monkeypatch, capfd):
    """As a program, but in this process: one of its own would mostly import what is here already."""
    monkeypatch.setenv("RR_BENCHMARKS", "smallest")
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "argv", [f"benchmarks/bench_{name}.py"])
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
    assert status in (0, 1), said.err
    assert said.out.strip()


@pytest.mark.long
@pytest.mark.parametrize("name", [*(pytest.param(name, marks=pytest.mark.browser) for name in IN_A_BROWSER), *HEAVY])
def test_it_runs_at_its_smallest_size_in_a_process_of_its_own(name):
    done = subprocess.run(
        [sys.executable, f"benchmarks/bench_{name}.py"],
        cwd=ROOT,
        env=os.environ | {"RR_BENCHMARKS": "smallest", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout.strip()


def test_it_goes_on_after_a_failure_and_says_which_failed(tmp_path, capfd):
    for name, code in (("breaks", "raise ValueError"), ("misses", "raise SystemExit(1)"), ("works", "print('through')")):
        (tmp_path / f"bench_{name}.py").write_text(code, encoding="utf-8")
    assert run(tmp_path) == 1
    assert "through" in (said := capfd.readouterr().out)
    assert said.endswith("1 of 3 benchmarks as they should be\nfailed: breaks (exit 1)\nfailed: misses (exit 1)\n")
    assert run(tmp_path, ["works"]) == 0


@pytest.mark.parametrize(
    ("missed", "code", "said"),
    [
        ({"wide sets": "1.19"}, 0, "missed as known, wide sets: 1.19. Little is left to share."),
        ({}, 1, "MET wide sets"),
        ({"wide sets": "1.19", "seconds": ".6"}, 1, "MISSED seconds: .6"),
    ],
)
def test_only_what_is_known_may_be_missed_and_must_be(missed, code, said, monkeypatch, capsys):
    monkeypatch.setattr(thresholds, "KNOWN", {"some": {"wide sets": "Little is left to share."}})
    assert thresholds.verdict("some", missed) == code
    assert said in capsys.readouterr().out
    assert thresholds.verdict("other", missed) == int(bool(missed))


def test_what_depends_on_the_machine_may_be_met_or_missed_and_nothing_else(monkeypatch, capsys):
    monkeypatch.setattr(thresholds, "KNOWN", {})
    monkeypatch.setattr(thresholds, "BY_MACHINE", {"some": {"ratio": "The kernel is slow."}})
    assert thresholds.verdict("some", {}) == 0
    assert "every threshold is met" in capsys.readouterr().out
    assert thresholds.verdict("some", {"ratio": "5.2"}) == 0
    assert "missed as known, ratio: 5.2. The kernel is slow." in capsys.readouterr().out
    assert thresholds.verdict("some", {"ratio": "5.2", "seconds": "3"}) == 1
    assert thresholds.verdict("other", {"ratio": "5.2"}) == 1


def test_what_is_known_to_miss_is_of_a_benchmark_that_is_there():
    assert thresholds.KNOWN.keys() | thresholds.BY_MACHINE.keys() <= set(NAMES)
