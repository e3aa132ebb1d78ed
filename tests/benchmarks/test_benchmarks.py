"""Every benchmark runs through at its smallest size; what it measures there means nothing, so neither 0 nor 1 is asked for."""

import os
import runpy
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = ("audit", "beside", "cluster", "receiver", "slider", "start", "synthesis")
"""Those that start servers and other programs, show pages or fit forests."""

NAMES = sorted(path.stem.removeprefix("bench_") for path in (ROOT / "benchmarks").glob("bench_*.py"))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("journeys", *HEAVY)])
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
@pytest.mark.parametrize("name", [pytest.param("journeys", marks=pytest.mark.browser), *HEAVY])
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
