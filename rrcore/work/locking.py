"""Locks on files: held by a process until it lets go of them or ends, by whatever means."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_ASKING = 0.2  # seconds for which a file may seem locked because somebody asks whether it is


class HeldError(Exception):
    """Somebody else holds the lock."""


@contextmanager
def locked(path: Path, *, wait: bool = False) -> Iterator[None]:
    """Hold the lock of a file, which is made where it is not there, meanwhile.

    Parameters
    ----------
    path : Path
    wait : whether to wait while somebody else holds it

    Raises
    ------
    HeldError
        If somebody else holds it, and ``wait`` is False.
    OSError
        If the file cannot be made.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rrcore.work.locking import is_locked, locked
    >>> place = Path(tempfile.mkdtemp(), "lock")
    >>> with locked(place):
    ...     is_locked(place)
    True
    >>> is_locked(place)
    False
    """
    import fcntl

    file = os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
    try:
        end = time.monotonic() + _ASKING
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    raise HeldError from None
                time.sleep(_ASKING / 20)
        yield
    finally:
        os.close(file)


def is_locked(path: Path) -> bool:
    """Whether somebody holds the lock of a file."""
    import fcntl

    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(file)
    return False
