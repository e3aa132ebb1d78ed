"""Numbers for whoever watches a dashboard; those of a server that runs are in ``tests/serving/test_watching.py``."""

import os
import sys
from pathlib import Path

import pytest

from pages.shared.hosting import metrics

GROUPS = Path("/proc/self/cgroup")


def group():
    """The control group of version 2 that the tests run in, as the system names it."""
    if sys.platform != "linux" or "0::/" not in (lines := GROUPS.read_text(encoding="utf-8")):
        pytest.skip("this system has no control groups of version 2")
    return lines.partition("0::/")[2].partition("\n")[0]


def test_memory_of_a_unit_is_what_its_bound_counts(monkeypatch, tmp_path):
    """The finding: the unit hides calculations from the server (ProtectProc), so that none of them was counted."""
    folder = tmp_path / group()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "memory.current").write_text("123456789\n", encoding="utf-8")
    monkeypatch.setattr(metrics, "_GROUPS", tmp_path)
    monkeypatch.setenv("SYSTEMD_EXEC_PID", str(os.getpid()))
    assert metrics.memory() == 123456789


def test_memory_is_that_of_all_processes_where_others_are_in_the_control_group(monkeypatch, tmp_path):
    (tmp_path / group()).mkdir(parents=True, exist_ok=True)
    monkeypatch.setattr(metrics, "_GROUPS", tmp_path)
    monkeypatch.setenv("SYSTEMD_EXEC_PID", str(os.getpid()))
    assert metrics.memory() > 10 * 2**20  # version 1 has no such file
    (tmp_path / group() / "memory.current").write_text("123456789\n", encoding="utf-8")
    monkeypatch.setenv("SYSTEMD_EXEC_PID", str(os.getppid()))  # a terminal of a unit, say
    assert metrics.memory() != 123456789
