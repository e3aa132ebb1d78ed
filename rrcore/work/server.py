"""The other side of ``Server``: forks a process for each piece of work, says how it ended, and itself touches nothing of the work."""

import ctypes
import errno
import gc
import json
import os
import select
import signal
import socket
import sys
import threading
import traceback
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper

from rrcore.work.memory import forbid_memory_dump
from rrcore.work.pipe import Pipe
from rrcore.work.process import KEY_BYTES, NAME_BYTES, STATUS

_PR_SET_PDEATHSIG = 1  # of linux/prctl.h


def work(port: int) -> None:
    """Do one piece of work, for whoever waits at ``port``, and end with that process, which then lets go of standard input."""
    key = sys.stdin.buffer.read(KEY_BYTES)
    threading.Thread(target=_end_with_input, daemon=True).start()
    with socket.create_connection(("127.0.0.1", port)) as end:
        end.sendall(key)
        _work(end)


def _end_with_input() -> None:
    os.read(0, 1)
    os._exit(1)


def serve(number: int) -> None:
    """Serve the socket of that number until its other end closes, and end at once: Python would tell of signals while it cleans up."""
    line = socket.socket(fileno=number)
    wake, woken = socket.socketpair()
    for each in (wake, woken):
        each.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
    at_work: dict[int, socket.socket] = {}
    killed: set[int] = set()
    while True:
        killed &= at_work.keys()
        poll = select.poll()
        for each in (line, wake, *(status for process, status in at_work.items() if process not in killed)):
            poll.register(each, select.POLLIN)
        found = {number for number, _ in poll.poll()}
        for process, status in at_work.items():
            if status.fileno() in found:  # nobody waits for it any more
                os.kill(process, signal.SIGKILL)
                killed.add(process)  # else this loop would turn until it is gone
        if wake.fileno() in found:
            with suppress(BlockingIOError):
                wake.recv(4096)
        _reap(at_work)
        if line.fileno() not in found:
            continue
        message, files, _, _ = socket.recv_fds(line, NAME_BYTES, 2)
        if not message:
            for process in at_work:
                os.kill(process, signal.SIGKILL)
            os._exit(0)
        if name := message.decode().strip():
            _load(name)
            continue
        if len(files) < 2:  # this process may open no more: who asked finds that it was closed
            for file in files:
                os.close(file)
            continue
        end, status = (socket.socket(fileno=file) for file in files)
        with end:
            try:
                process = os.fork()
            except OSError as error:
                with status:
                    status.send(STATUS.pack(-(error.errno or errno.EAGAIN), 0.0))
                continue
            if not process:
                for other in (line, wake, woken, status, *at_work.values()):
                    other.close()
                _forked(end)
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
    gc.disable()  # what is loaded stays, and looking for garbage in it would take a sixth of the time
    with suppress(Exception):  # then the work says so
        import_module(module)
    gc.freeze()
    gc.enable()


def _forked(end: socket.socket) -> None:
    """Work, and end."""
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        with suppress(EOFError, ConnectionError):  # nobody wants it any more
            _work(end)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _work(end: socket.socket) -> None:
    """Become as the process is that asks for work, and do it."""
    forbid_memory_dump()
    if isinstance(sys.stdout, TextIOWrapper):  # what is printed would be lost with a process that is killed
        sys.stdout.reconfigure(line_buffering=True)
    pipe = Pipe(end)
    task = json.loads(bytes(pipe.receive()[0]))
    with suppress(OSError):  # a folder that is gone, or that may not be entered by its name: then it is the one that all began in
        os.chdir(task["folder"])
    os.environ.clear()
    os.environ.update(task["environment"])
    sys.path[:], sys.argv[:] = task["path"], task["argv"]
    module, _, name = task["function"].partition(":")
    getattr(import_module(module), name)(pipe, *task["arguments"])
