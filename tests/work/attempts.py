"""What test_bounded has done in bounded processes."""

import os
import signal
import time

import pyarrow as pa

from rrcore.errors import InputError


def echo(content, *, report, times=1):
    report(0.5, "half")
    return {"size": len(content), "times": times}, (
        pa.table({"a": pa.array([1, None, 3], pa.int8())}),
        pa.table({"b": [["x", "y"]]}),
    )


def grow(content, *, report, megabytes):
    held = []
    for _ in range(megabytes):
        held.append(bytearray(os.urandom(1) * 2**20))
    return len(held), ()


def abort(content, *, report):
    os.abort()


def spin(content, *, report):
    while True:
        report(0.1, "on and on")


def sleep(content, *, report):
    time.sleep(60)


def refuse(content, *, report):
    raise InputError("Row 3 says 'secret'.", quoted="secret")


def stumble(content, *, report):
    raise LookupError("somewhere")


def crash(content, *, report):
    os.kill(os.getpid(), signal.SIGSEGV)


def lie(content, *, report):
    os._exit(0)


def look_around(content, *, report):
    import resource

    return {
        "core": resource.getrlimit(resource.RLIMIT_CORE),
        "files": sorted(filter(None, map(_behind, os.listdir("/proc/self/fd")))),
        "nice": os.nice(0),
    }, ()


def hand_back(content, *, report, megabytes):
    return None, (pa.table({"a": pa.array([bytes(2**20)] * megabytes)}),)


def leave_behind(content, *, report):
    """Leave somebody behind who could still send something."""
    if os.fork():
        os._exit(0)
    time.sleep(6)
    os._exit(0)


def send(content, *, report, sent):
    """Send other bytes than a message, and stay."""
    (line,) = (int(name) for name in os.listdir("/proc/self/fd") if "socket:" in _behind(name))
    os.write(line, bytes.fromhex(sent))
    time.sleep(60)


def _behind(name):
    try:
        return os.readlink(f"/proc/self/fd/{name}")
    except OSError:
        return ""
