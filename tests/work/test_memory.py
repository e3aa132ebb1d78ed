"""A program that starts itself anew overwrites what it frees, where it was not doing so before; what it starts does not."""

import os
import subprocess
import sys

import pytest

from rrcore.work.memory import WIPING, restart_wiping

OWN = "glibc.malloc.arena_max=4"
"""What somebody else has told glibc."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux starts and shows memory this way")

PROGRAM = """
import gc, os, sys
sys.path.insert(0, os.getcwd())
if "wipe" in sys.argv:
    from rrcore.work.memory import restart_wiping
    restart_wiping("wipe")
import rrcore.work.apart  # has Arrow look for no pandas, which would take most of the time of this program
import pyarrow
mark = "".join(map(chr, [113, 117, 97, 103, 45, 57, 49]))  # in no text of this program
answers = [f"{mark}-{i}" for i in range(100_000)]
column = pyarrow.array(answers).dictionary_encode().cast("string")
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
print(found, *sorted(name for name in os.environ if name.startswith(("PYTHONMALLOC", "MALLOC_PERTURB"))), os.environ["GLIBC_TUNABLES"])
"""


def left(*arguments):
    """How often the mark is in the memory of a program that has let go of 100,000 texts with it, and what its children are told."""
    command = [sys.executable, "-c", PROGRAM, *arguments]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "GLIBC_TUNABLES": OWN}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    number, *told = done.stdout.split()
    return int(number), told


def test_what_a_process_has_freed_is_nowhere_in_its_memory():
    number, told = left()
    assert number > 100  # so it is looked for in the right way
    number, told = left("wipe")
    assert number <= 1  # what is looked for
    assert told == [OWN]


def test_what_was_told_to_the_allocator_before_holds(monkeypatch):
    started = []
    monkeypatch.setattr(os, "execve", lambda *called: started.append(called[2]))
    monkeypatch.setattr(sys, "orig_argv", ["python", "-m", "rrcore", "wipe"])
    monkeypatch.setenv("GLIBC_TUNABLES", OWN)
    restart_wiping("wipe")
    assert [each["GLIBC_TUNABLES"] for each in started] == [f"{OWN}:glibc.malloc.tcache_count=0"]


def test_a_program_that_only_calls_the_command_is_not_started_anew(monkeypatch):
    monkeypatch.setattr(os, "execve", lambda *_: pytest.fail("started anew"))
    restart_wiping("a command that this program was not started as")
    monkeypatch.setattr(sys, "orig_argv", ["python", "-m", "rrcore", "wipe"])
    for name, value in WIPING.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("GLIBC_TUNABLES", ":glibc.malloc.tcache_count=0")
    restart_wiping("wipe")
    assert WIPING.keys() & os.environ.keys() == {"ARROW_DEFAULT_MEMORY_POOL"}  # Arrow is loaded later
