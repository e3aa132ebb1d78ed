"""A run without Chromium, Node.js or nginx ends with the command that adds them, or fails where they are required."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.programs import nginx

ROOT = Path(__file__).parents[1]
FILE = "tests/asking/test_submission.py"


@pytest.mark.slow
@pytest.mark.parametrize(("required", "code"), [("", 0), ("1", 1)])
def test_a_missing_program_is_named_at_the_end(tmp_path, required, code):
    environment = os.environ | {"PATH": str(tmp_path), "RR_REQUIRE_PROGRAMS": required}
    run = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", FILE]
    done = subprocess.run(run, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    found = re.findall(r"^Skipped tests: 1 in tests/asking\. .*: sudo apt-get install nodejs$", done.stdout, re.MULTILINE)
    assert (done.returncode, len(found)) == (code, 1 - code), done.stdout


@pytest.mark.skipif(not Path("/usr/sbin/nginx").exists(), reason="nginx is elsewhere or not installed")
def test_nginx_is_found_outside_the_path(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert nginx() == "/usr/sbin/nginx"
