"""Whether a server can do its work, as it was found when that was last tried."""

import threading
import time
from collections.abc import Callable

_FRESH = 5.0  # seconds that a finding holds


class Health:
    """What was found when ``trial`` was last done, which is done anew every few seconds.

    Whoever asks while somebody tries is told what was found before, so that nobody waits for a disk or a database that hangs but one.

    Parameters
    ----------
    trial : gives what is wrong, in one sentence without a path; empty where nothing is
    clock : seconds, from any start

    Examples
    --------
    >>> from rrcore.work.web.health import Health
    >>> found = iter(["", "The disk is full."])
    >>> health = Health(lambda: next(found))
    >>> health.fault(), health.fault()
    ('', '')
    >>> health.recheck()
    >>> health.fault()
    'The disk is full.'
    """

    def __init__(self, trial: Callable[[], str], clock: Callable[[], float] = time.monotonic) -> None:
        self._trial, self._clock = trial, clock
        self._trying = threading.Lock()
        self._found, self._until = "", float("-inf")

    def fault(self) -> str:
        """What is wrong; empty where nothing is."""
        if self._clock() >= self._until and self._trying.acquire(blocking=False):
            try:
                self._found = self._trial()
                self._until = self._clock() + _FRESH
            finally:
                self._trying.release()
        return self._found

    def recheck(self) -> None:
        """Have it tried anew when it is next asked for: something failed."""
        self._until = float("-inf")
