"""Every benchmark runs through at its smallest size; what it measures there means nothing, so neither 0 nor 1 is asked for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = ("audit", "beside", "cluster", "receiver", "slider", "start", "synthesis")
"""Those that start servers and other programs, show pages or fit forests."""


def marks(name: str) -> list[pytest.MarkDecorator]:
    if name == "journeys":
        return [pytest.mark.long, pytest.mark.browser]
    return [pytest.mark.long] if name in HEAVY else []


NAMES = sorted(path.stem.removeprefix("bench_") for path in (ROOT / "benchmarks").glob("bench_*.py"))


@pytest.mark.parametrize("name", [pytest.param(name, marks=marks(name)) for name in NAMES])
def test_it_runs_at_its_smallest_size(name):
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
