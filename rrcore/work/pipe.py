"""Messages between two processes of ours, of any size and without a copy."""

import socket
import struct
from collections.abc import Callable, Sequence

_SMALL = 2**16  # bytes of a buffer that is soon cleared; NumPy leaves it as it was, but keeps small ones that it has freed
_LOOK = 0.05  # seconds between two looks at whether the other side is still wanted


class Pipe:
    """Messages between two processes: each is some buffers, the first of which says what the others are.

    Parameters
    ----------
    end : socket, one end of a connection
    """

    def __init__(self, end: socket.socket) -> None:
        self.end = end

    def send(self, *buffers: bytes | memoryview, later: Sequence[int] = ()) -> None:
        """Send the first buffers of a message, or all; those of so many bytes that come ``later`` are to be written to ``end``."""
        sizes = [*(memoryview(each).nbytes for each in buffers), *later]
        self.end.settimeout(None)
        self.end.sendall(struct.pack(f"<{len(sizes) + 1}Q", len(sizes), *sizes))
        for each in buffers:
            self.end.sendall(each)

    def receive(self, tick: Callable[[], object] | None = None, most: int = 2**62) -> list[memoryview]:
        """The buffers of the next message.

        Parameters
        ----------
        tick : called now and then while nothing comes; what it raises ends the wait
        most : bytes that all of them may have

        Raises
        ------
        EOFError, ConnectionError
            If the other side is gone.
        MemoryError
            If they have more bytes than they may, or than there is memory for.
        """
        (count,) = struct.unpack("<Q", self._read(8, tick))
        if count > most // 8:
            raise MemoryError
        sizes = struct.unpack(f"<{count}Q", self._read(8 * count, tick))
        if sum(sizes) > most:
            raise MemoryError
        return [self._read(size, tick) for size in sizes]

    def _read(self, size: int, tick: Callable[[], object] | None) -> memoryview:
        whole = rest = _room(size)
        while rest:
            self.end.settimeout(None if tick is None else _LOOK)
            try:
                got = self.end.recv_into(rest)
            except TimeoutError:
                if tick is not None:
                    tick()
                continue
            if not got:
                raise EOFError
            rest = rest[got:]
        return whole


def _room(size: int) -> memoryview:
    if size < _SMALL:
        return memoryview(bytearray(size))
    import numpy as np

    return np.empty(size, np.uint8).data
