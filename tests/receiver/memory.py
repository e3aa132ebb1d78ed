"""What the processes of a server hold, as Linux tells: whether certain bytes are anywhere in their memory."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO

import psutil

_PIECE = 2**24
_APART = 64  # bytes that the end of a piece and the next one share: more than what is looked for has


def processes(server: int) -> list[psutil.Process]:
    """A server and all that it has started."""
    return [(root := psutil.Process(server)), *root.children(recursive=True)]


def occurrences(server: int, *wanted: bytes) -> Counter[bytes]:
    """How often these bytes are in the memory of a server and of all that it has started, in use or not."""
    pattern = re.compile(b"|".join(map(re.escape, wanted)))
    return Counter(
        found[0] for process in processes(server) for piece in _memory(process.pid) for found in pattern.finditer(piece)
    )


def _memory(process: int) -> Iterator[bytes]:
    """What a process holds, in pieces; without what it gives back meanwhile, or lets nobody look at."""
    try:
        with open(f"/proc/{process}/maps", encoding="utf-8") as maps, open(f"/proc/{process}/mem", "rb", 0) as memory:
            for line in maps.readlines():
                place, allowed, *_, name = (line + " ").split(" ", 5)
                if "r" in allowed and not name.strip().startswith(("[vvar", "[vsyscall")):
                    yield from _mapped(memory, *(int(each, 16) for each in place.split("-")))
    except (FileNotFoundError, ProcessLookupError, PermissionError):  # it has ended
        return


def _mapped(memory: BinaryIO, at: int, end: int) -> Iterator[bytes]:
    last = b""
    while at < end:
        try:
            memory.seek(at)
            piece = memory.read(min(_PIECE, end - at))
        except (OSError, ValueError, OverflowError):
            return
        if not piece:
            return
        yield last + piece
        last, at = piece[-_APART:], at + len(piece)
