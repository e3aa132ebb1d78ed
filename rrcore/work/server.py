"""The other side of ``Server``: forks a process for each piece of work, says how it ended, and itself touches nothing of the work."""

from __future__ import annotations

import ctypes
import gc
import os
import select
import signal
import socket
import sys
from contextlib import suppress
from importlib import import_module

from rrcore.work.memory import leave_no_dump
from rrcore.work.process import NAME_BYTES, STATUS, Pipe

_PR_SET_PDEATHSIG = 1  # of linux/prctl.h


def main(arguments: list[str]) -> None:
    """Serve the socket whose number is given, until its other end closes; or do one function for whoever waits at a port."""
    if len(arguments) == 1:
        _serve(socket.socket(fileno=int(arguments[0])))
    else:
        function, port = arguments
        with socket.create_connection(("127.0.0.1", int(port))) as end:
            end.sendall(sys.stdin.buffer.read())
            _work(function, end)


def _serve(line: socket.socket) -> None:
    wake, woken = socket.socketpair()
    for each in (wake, woken):
        each.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
    at_work: dict[int, socket.socket] = {}
    while True:
        found, _, _ = select.select([line, wake, *at_work.values()], [], [])
        for process, status in at_work.items():
            if status in found:  # nobody waits for it any more
                os.kill(process, signal.SIGKILL)
        if wake in found:
            with suppress(BlockingIOError):
                wake.recv(4096)
        _reap(at_work)
        if line not in found:
            continue
        message, files, _, _ = socket.recv_fds(line, NAME_BYTES, 3)
        if not message:
            for process in at_work:
                os.kill(process, signal.SIGKILL)
            return
        if not files:
            _load(message.decode().strip())
            continue
        end, status = (socket.socket(fileno=file) for file in files[:2])
        with end:
            try:
                process = os.fork()
            except OSError:  # no room for another process
                status.close()
                os.close(files[2])
                continue
            if not process:
                os.fchdir(files[2])
                os.close(files[2])
                for other in (line, wake, woken, status, *at_work.values()):
                    other.close()
                _forked(message.decode().strip(), end)
            os.close(files[2])
            at_work[process] = status
            with suppress(OSError):
                status.send(STATUS.pack(process, 0.0))


def _reap(at_work: dict[int, socket.socket]) -> None:
    """Say of those that have ended how they did."""
    while at_work:
        process, outcome, used = os.wait4(-1, os.WNOHANG)
        if not process:
            return
        peak = used.ru_maxrss / (2**10 if sys.platform == "linux" else 2**20)
        with at_work.pop(process) as status, suppress(OSError):
            status.send(STATUS.pack(os.waitstatus_to_exitcode(outcome), peak))


def _load(module: str) -> None:
    with suppress(Exception):  # then the work says so
        import_module(module)
    gc.collect()
    gc.freeze()


def _forked(function: str, end: socket.socket) -> None:
    """Work, and end."""
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        _work(function, end)
    finally:
        os._exit(1)


def _work(function: str, end: socket.socket) -> None:
    leave_no_dump()
    module, _, name = function.partition(":")
    getattr(import_module(module), name)(Pipe(end))


if __name__ == "__main__":
    main(sys.argv[1:])
