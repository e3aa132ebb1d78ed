"""Processes for work: forked from one that has loaded what they need, reached by a pipe, and gone with the process that wanted them."""

import atexit
import errno
import hmac
import json
import os
import secrets
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Literal

from rrcore.errors import InputError
from rrcore.work.pipe import Pipe

FORKS = hasattr(os, "fork") and hasattr(socket, "send_fds")
"""Whether this system forks processes and hands files from one to another: all but Windows do."""

ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR")}
"""Environment in which numerical libraries compute in one thread."""

NAME_BYTES = 128
"""Bytes of a message to a ``Server``: the name of a module to load, or nothing but files, to have a process forked."""

KEY_BYTES = 32
"""Bytes by which a process that starts by itself is known: who connects without them is somebody else."""

STATUS = struct.Struct("<id")
"""What a ``Server`` says of a process: its number when it begins, or the negative number of the error that there is none; its code and
its memory at the peak, in MiB, when it ends."""

_FULL = {
    **dict.fromkeys((errno.EAGAIN, errno.ENOMEM), "This computer has no room for another process"),
    **dict.fromkeys((errno.EMFILE, errno.ENFILE), "Too many files and connections are open to start another process"),
}
_PATIENCE = 5.0  # seconds that a process may take to begin, or, when it is killed, to be gone
_SLOW = f"Another process did not begin within {_PATIENCE:.0f} seconds"


def _folder() -> str:
    """The folder that this process is in; nothing where that is gone."""
    with suppress(OSError):
        return os.getcwd()
    return ""


_BEGAN_IN = _folder()


def _path() -> list[str]:
    """Where another process finds the modules that this one has loaded. An empty entry stands for the folder that it was in at the time:
    the one that it began in, or the present one, which comes last, since files there are to hide no library from a new process."""
    return [*(str(each) or _BEGAN_IN for each in sys.path), *[""] * ("" in sys.path)]


class LostError(InputError):
    """A computation that did not end by itself: its process was lost, or it took more time or memory than it may.

    Parameters
    ----------
    message : str
    why : "time", "memory" or "lost"
    """

    def __init__(self, message: str, why: Literal["time", "memory", "lost"] = "lost") -> None:
        super().__init__(message)
        self.why = why


class NoRoomError(LostError):
    """No other process can be started now."""


def _is_silent(end: socket.socket) -> bool:
    end.settimeout(0)
    try:
        end.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False


class Process:
    """A process at work, with a ``pipe`` to it.

    Parameters
    ----------
    pipe : Pipe
    status : where its ``Server`` says how it ended, and learns that it is not wanted any more; or itself, where no server has forked it
    pid : its number
    """

    def __init__(self, pipe: Pipe, status: socket.socket | subprocess.Popen[bytes], pid: int) -> None:
        self.pipe, self.pid, self._status = pipe, pid, status
        self._ending = threading.Lock()
        self._ended: tuple[int, float] | None = None

    def receive(self, tick: Callable[[], object] = lambda: None, most: int = 2**62) -> list[memoryview]:
        """``Pipe.receive``; the process also counts as gone where it has left others behind that could still send something."""

        def look() -> None:
            tick()
            if self._is_gone() and _is_silent(self.pipe.end):
                raise EOFError

        return self.pipe.receive(look, most)

    def end(self) -> tuple[int, float]:
        """End it if it is at work.

        Returns
        -------
        code, peak
            How it ended, negative for a signal, and its memory at the peak in units of 2^20 bytes, 0 where that is not known.
        """
        with self._ending:
            if self._ended is None:
                self._ended = self._end()
            return self._ended

    def close(self) -> tuple[int, float]:
        """``end`` it, and close the pipe, which nobody may be reading any more."""
        with self.pipe.end:
            return self.end()

    def _end(self) -> tuple[int, float]:
        if isinstance(self._status, subprocess.Popen):
            with self._status:
                self._status.kill()
            return self._status.returncode, 0.0
        with self._status, suppress(OSError):  # its server was killed, and it with that
            self._status.shutdown(socket.SHUT_WR)
            self._status.settimeout(_PATIENCE)
            if len(found := self._status.recv(STATUS.size, socket.MSG_WAITALL)) == STATUS.size:
                return STATUS.unpack(found)
        return -9, 0.0

    def _is_gone(self) -> bool:
        if isinstance(self._status, subprocess.Popen):
            return self._status.poll() is not None
        with self._ending:
            return self._ended is not None or not _is_silent(self._status)


class Server:
    """A process without threads that has loaded modules and forks others from itself, each within milliseconds.

    It runs nothing itself, and ends with this process and all that it has forked, however this one ends. It is started when it is first
    needed, and again if it was killed. Where there is no such thing (Windows) each process starts by itself and loads what it needs.

    Parameters
    ----------
    environment : what the processes find in their environment beside this one's
    output : whether they write to this process's standard output and error
    """

    def __init__(self, environment: Mapping[str, str], *, output: bool) -> None:
        self._environment, self._output = environment, None if output else subprocess.DEVNULL
        self._lock = threading.Lock()
        self._owner = 0
        self._line: socket.socket
        self._loaded: set[str] = set()

    def load(self, *modules: str) -> None:
        """Have it load modules now, so that the first work need not wait for that."""
        with self._lock, suppress(OSError):
            for module in modules if FORKS else ():
                if self._owner != os.getpid() or module not in self._loaded:
                    self._tell(module)
                    self._loaded.add(module)

    def start(self, function: str, *arguments: object) -> Process:
        """A process that calls "module:function" with its end of a ``Pipe`` and ``arguments``, which JSON can hold.

        It has this one's folder, environment, ``sys.path`` and ``sys.argv`` as they are now.

        Raises
        ------
        LostError
            If none was started: ``NoRoomError`` where this computer has no room for another one now.
        OSError
            If none can be started for another reason.
        """
        task = {"function": function, "arguments": arguments, "folder": _folder(), "environment": os.environ | self._environment}
        message = json.dumps(task | {"path": _path(), "argv": [*map(str, sys.argv)]}).encode()
        try:
            process = self._fork() if FORKS else self._start_alone()
        except OSError as error:
            why = _SLOW if isinstance(error, TimeoutError) else _FULL.get(error.errno or 0)
            if why is None:
                raise
            raise NoRoomError(f"{why}: start the work again later.") from error
        with suppress(ConnectionError):  # it was killed: how it ended says why
            process.pipe.send(message)
        return process

    def _fork(self) -> Process:
        own, other = socket.socketpair()
        status, theirs = socket.socketpair()
        with other, theirs, self._lock:
            self._tell("", other.fileno(), theirs.fileno())
        begun = status.recv(STATUS.size, socket.MSG_WAITALL)
        number, _ = STATUS.unpack(begun) if begun else (0, 0.0)
        if number > 0:
            return Process(Pipe(own), status, number)
        own.close()
        status.close()
        if number < 0:
            raise OSError(-number, os.strerror(-number))
        raise LostError(
            "No other process was started, as happens where the memory of this computer runs out: start the work again later."
        )

    def _tell(self, name: str, *files: int) -> None:
        message = name.encode().ljust(NAME_BYTES)
        assert len(message) == NAME_BYTES
        try:
            if self._owner != os.getpid():
                raise ConnectionError
            socket.send_fds(self._line, [message], files)
        except ConnectionError:  # there is none, or it was killed, for want of memory perhaps
            self._restart()
            socket.send_fds(self._line, [message], files)

    def _restart(self) -> None:
        self._leave()
        self._line, other = socket.socketpair()
        with other:
            number = other.fileno()
            self._process = self._open(f"serve({number})", pass_fds=[number], stdin=subprocess.DEVNULL, start_new_session=True)
        self._owner = os.getpid()
        atexit.register(self._leave)

    def _leave(self) -> None:
        """Let go of the server, which then ends with all that it has forked, unless it is that of a process that has forked this one."""
        atexit.unregister(self._leave)
        if self._owner == os.getpid():
            with suppress(OSError):  # it was killed
                self._line.shutdown(socket.SHUT_RDWR)
            with suppress(subprocess.TimeoutExpired):  # it is still loading something
                self._process.wait(_PATIENCE)
        if self._owner:
            self._line.close()
        self._owner = 0
        self._loaded.clear()

    def _open(self, call: str, **options: Any) -> subprocess.Popen[bytes]:
        program = f"import sys; sys.path[:] = {_path()!a}; from rrcore.work.server import serve, work; {call}"
        command = [sys.executable, *subprocess._args_from_interpreter_flags(), "-c", program]  # type: ignore[attr-defined]
        options |= {"env": os.environ | self._environment, "stdout": self._output, "stderr": self._output}
        return subprocess.Popen(command, **options)  # nosec B603: this Python, with a program that is written above

    def _start_alone(self) -> Process:
        key = secrets.token_bytes(KEY_BYTES)
        with socket.create_server(("127.0.0.1", 0)) as listening:
            listening.settimeout(_PATIENCE)
            process = self._open(f"work({listening.getsockname()[1]})", stdin=subprocess.PIPE, bufsize=0)
            try:
                assert process.stdin is not None
                process.stdin.write(key)
                own, _ = listening.accept()
                own.settimeout(_PATIENCE)
                if not hmac.compare_digest(own.recv(len(key), socket.MSG_WAITALL), key):
                    raise ConnectionRefusedError
            except BaseException:
                with process:
                    process.kill()
                raise
        return Process(Pipe(own), process, process.pid)
