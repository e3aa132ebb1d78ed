"""A program that starts itself anew overwrites what it frees, where it was not doing so before; what it starts does not."""

import os
import subprocess
import sys

import pytest

from rrcore.work.wiping import WIPING, restart_wiping

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux starts and shows memory this way")

PROGRAM = """
import gc, os, sys
sys.path.insert(0, os.getcwd())
if "wipe" in sys.argv:
    from rrcore.work.wiping import restart_wiping
    restart_wiping("wipe")
mark = "".join(map(chr, [113, 117, 97, 103, 45, 57, 49]))  # in no text of this program
answers = [f"{mark}-{i}" for i in range(100_000)]
column = "".join(answers).encode()
del answers, column
gc.collect()
found, wanted = 0, mark.encode() + b"-"
with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
    for line in maps.readlines():
        place, allowed = line.split()[:2]
        start, end = (int(each, 16) for each in place.split("-"))
        if "rw" in allowed:
            memory.seek(start)
            found += memory.read(end - start).count(wanted)
print(found, *sorted(name for name in os.environ if name.startswith(("PYTHONMALLOC", "MALLOC_PERTURB"))))
"""


def left(*arguments):
    """How often the mark is in the memory of a program that has let go of 100,000 texts with it, and what its children are told."""
    command = [sys.executable, "-c", PROGRAM, *arguments]
    done = subprocess.run(command, env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}, capture_output=True, text=True, check=True)
    number, *told = done.stdout.split()
    return int(number), told


def test_what_a_process_has_freed_is_nowhere_in_its_memory():
    number, told = left()
    assert number > 100  # so it is looked for in the right way
    number, told = left("wipe")
    assert number <= 1  # what is looked for
    assert told == []


def test_a_program_that_only_calls_the_command_is_not_started_anew(monkeypatch):
    monkeypatch.setattr(os, "execve", lambda *_: pytest.fail("started anew"))
    restart_wiping("a command that this program was not started as")
    monkeypatch.setattr(sys, "orig_argv", ["python", "-m", "rrcore", "wipe"])
    for name, value in WIPING.items():
        monkeypatch.setenv(name, value)
    restart_wiping("wipe")
    assert not WIPING.keys() & os.environ.keys()
