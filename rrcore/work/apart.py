"""The other side of ``bounded``: bounds its process, does one piece of work there, and hands back what it gave or why it did not.

It is imported in no other process: Arrow is made to load here what it loads when it makes its first arrays.
"""

import json
import math
import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

import numpy.ma  # which Arrow imports when it first meets numbers
import pyarrow as pa

from rrcore.errors import InputError
from rrcore.work.memory import limit_memory, memory_used
from rrcore.work.pipe import Pipe
from rrcore.work.worker import REPORT_SECONDS

_STACKS = 48 * 2**20  # bytes of threads' stacks that are set aside and not touched
_LEAST = 32 * 2**20  # bytes that any work may take beside what it works on


class _NoPandas:
    """Arrow looks for pandas when it makes its first array, which takes longer than reading a small file: here there is none to find."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name == "pandas":
            raise ImportError


sys.meta_path.insert(0, hidden := _NoPandas())
pa.array([0])
pa.array(numpy.ma.zeros(1))
sys.meta_path.remove(hidden)


def serve(pipe: Pipe, function: str, asked: dict[str, Any], size: int, seconds: float, megabytes: int) -> None:
    """Call ``function`` with the ``size`` bytes that come through ``pipe``, and what else is ``asked``, within bounds."""
    last = 0.0

    def report(fraction: float, text: str) -> None:
        nonlocal last
        if time.monotonic() > last + REPORT_SECONDS:
            last = time.monotonic()
            _send(pipe, {"at": fraction, "text": text})

    tables: Sequence[pa.Table] = ()
    try:
        _bound(seconds, megabytes * 2**20, size)
        (content,) = pipe.receive()
        module, _, name = function.partition(":")
        about, tables = getattr(import_module(module), name)(content, report=report, **asked)
        found = {"about": about}
    except InputError as error:
        found = {"refused": str(error), "quoted": error.quoted}
    except MemoryError:
        found = {"outgrown": True}
    except Exception as error:
        found = {"failed": f"{type(error).__name__}: {error}"[:500]}
    try:
        _send(pipe, found, tables)
    except MemoryError:
        _send(pipe, {"outgrown": True})


def _bound(seconds: float, most: int, size: int) -> None:
    """Bound memory and time of this process, which is to work on ``size`` bytes, and have it wait for others."""
    with suppress(ImportError):  # Windows
        import resource

        os.nice(10)
        whole = math.ceil(seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (whole, whole + 2))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        limit_memory(max(most - memory_used()["VmRSS"] - size, _LEAST) + size + _STACKS)


def _send(pipe: Pipe, found: dict[str, Any], tables: Sequence[pa.Table] = ()) -> None:
    """Send what JSON can hold, and tables as Arrow streams, which are written twice so that none is held: to know its size, and to go."""
    sizes = []
    for table in tables:
        _write(table, counted := pa.MockOutputStream())
        sizes.append(counted.size())
    pipe.send(json.dumps(found).encode(), later=sizes)
    for table in tables:
        with pipe.end.makefile("wb", 2**20) as out:
            _write(table, out)


def _write(table: pa.Table, out: Any) -> None:
    with pa.ipc.new_stream(out, table.schema) as stream:
        stream.write_table(table)
