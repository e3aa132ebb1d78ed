"""The other side of ``bounded``: forks a process for each piece of work, bounds it, and tells how it ended.

It imports what the work needs before it forks, so that a piece of work starts within milliseconds, and itself touches none of the bytes.
"""

from __future__ import annotations

import gc
import json
import math
import mmap
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from rrcore.errors import InputError
from rrcore.work.dumps import leave_no_dump

OUTGROWN = 3
"""How the process ends where what it found is too large to be handed back."""

_STACKS = 48 * 2**20
"""Bytes of threads' stacks that are set aside and not touched."""


def main() -> int:
    """Serve the socket whose number is given, until its other end closes; without one do what standard input asks, once."""
    if len(sys.argv) > 1:
        _serve(socket.socket(fileno=int(sys.argv[1])))
    else:
        given = sys.stdin.buffer.read()
        (length,) = struct.unpack("<Q", given[:8])
        task = json.loads(given[8 : 8 + length])
        _bound(task, 0)
        return _work(task, memoryview(given)[8 + length :], os.dup(1), lambda fraction, text: None)
    return 0


class _NoPandas:
    """Arrow looks for pandas when it makes its first array, which takes longer than reading a small file: here there is none to find."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name == "pandas":
            raise ImportError


def _load_arrow() -> None:
    import numpy.ma  # which Arrow imports when it first meets numbers
    import pyarrow as pa

    hidden = _NoPandas()
    sys.meta_path.insert(0, hidden)
    pa.array([0])
    pa.array(numpy.ma.zeros(1))
    sys.meta_path.remove(hidden)


def _serve(line: socket.socket) -> None:
    _load_arrow()
    wake, woken = socket.socketpair()
    for end in (wake, woken):
        end.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
    at_work: dict[int, socket.socket] = {}
    ready: set[str] = set()
    while True:
        found, _, _ = select.select([line, wake, *at_work.values()], [], [])
        for process, answer in list(at_work.items()):
            if answer in found:  # nobody waits for it any more
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
        if wake in found:
            with suppress(BlockingIOError):
                wake.recv(4096)
        while at_work:
            process, status, used = os.wait4(-1, os.WNOHANG)
            if not process:
                break
            code = os.waitstatus_to_exitcode(status)
            with at_work.pop(process) as answer, suppress(OSError):
                answer.send(json.dumps({"code": code, "peak": used.ru_maxrss / 2**10}).encode())
        if line not in found:
            continue
        message, files, _, _ = socket.recv_fds(line, 2**20, 3)
        if not message:
            for process in at_work:
                os.kill(process, signal.SIGKILL)
            return
        task = json.loads(message)
        module = task.get("prepare") or task["function"].partition(":")[0]
        if module not in ready:
            ready.add(module)
            with suppress(Exception):  # then the work says so
                import_module(module)
            gc.collect()
            gc.freeze()
        if len(files) != 3:
            continue
        answer = socket.socket(fileno=files[0])
        process = os.fork()
        if not process:
            signal.set_wakeup_fd(-1)
            for other in (line, wake, woken, *at_work.values()):
                other.close()
            _forked(task, answer, files[1], files[2])
        at_work[process] = answer
        os.close(files[1])
        os.close(files[2])


def _forked(task: dict[str, Any], answer: socket.socket, content: int, result: int) -> None:
    """Do the work and end."""
    last = 0.0

    def report(fraction: float, text: str) -> None:
        nonlocal last
        if time.monotonic() > last + 0.1:
            last = time.monotonic()
            with suppress(OSError):
                answer.send(json.dumps({"at": fraction, "text": text}).encode(), socket.MSG_DONTWAIT)

    code = 1
    try:
        size = os.fstat(content).st_size
        _bound(task, size)
        view = memoryview(mmap.mmap(content, size, prot=mmap.PROT_READ)) if size else memoryview(b"")
        code = _work(task, view, result, report)
    finally:
        os._exit(code)


def _bound(task: dict[str, Any], size: int) -> None:
    """Bound memory and time of this process, have it wait for others, and let a crash leave no copy of its memory on disk."""
    leave_no_dump()
    try:
        import resource
    except ImportError:  # Windows
        return
    with suppress(OSError):
        os.nice(10)
    seconds = math.ceil(task["seconds"])
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 2))
    if sys.platform == "linux":
        held, present = _memory()
        most = task["megabytes"] * 2**20
        resource.setrlimit(resource.RLIMIT_DATA, (held + max(most - present - size, 2**25) + _STACKS,) * 2)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def _memory() -> tuple[int, int]:
    """Bytes that this process has set aside to write to, and bytes of it that are in memory."""
    with open("/proc/self/status", encoding="ascii") as status:
        told = dict(line.split(":", 1) for line in status)
    return int(told["VmData"].split()[0]) * 2**10, int(told["VmRSS"].split()[0]) * 2**10


def _work(task: dict[str, Any], content: memoryview, result: int, report: Callable[[float, str], None]) -> int:
    """Call the function and write what it returned, or why it did not; gives the code that the process ends with."""
    tables: Sequence[Any] = ()
    try:
        module, _, name = task["function"].partition(":")
        about, tables = getattr(import_module(module), name)(content, report=report, **task["asked"])
        told = {"about": about}
    except InputError as error:
        told = {"refused": str(error), "quoted": error.quoted}
    except MemoryError:
        told = {"outgrown": True}
    except Exception as error:
        told = {"failed": f"{type(error).__name__}: {error}"[:500]}
    try:
        with os.fdopen(result, "wb") as out:
            message = json.dumps(told).encode()
            out.write(struct.pack("<Q", len(message)) + message + bytes(-(8 + len(message)) % 64))
            for table in tables:
                import pyarrow as pa

                with pa.ipc.new_stream(out, table.schema) as stream:
                    stream.write_table(table)
    except (MemoryError, OSError):
        return OUTGROWN
    return 0


if __name__ == "__main__":
    sys.exit(main())
