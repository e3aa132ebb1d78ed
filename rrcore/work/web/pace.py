"""How many requests an address may make: counted in memory, under a key that is forgotten when the server stops."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable

from rrcore.work.web.addresses import network

_ADDRESSES = 10_000  # most that are remembered; the one seen longest ago is forgotten first


class Pace:
    """Lets each address make ``per_minute`` requests at once, and as many again each minute (a token bucket).

    Parameters
    ----------
    per_minute : int
    clock : seconds, from any start
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = float(per_minute), clock
        self._key = secrets.token_bytes(32)
        self._left: OrderedDict[bytes, tuple[float, float]] = OrderedDict()  # hash of an address -> (requests left, when)

    def allows(self, address: str) -> bool:
        """Whether one more request from ``address`` is within the pace; it is counted if so."""
        name = hashlib.blake2b(network(address).encode(), key=self._key, digest_size=16).digest()
        now = self._clock()
        left, then = self._left.pop(name, (self._most, now))
        left = min(self._most, left + (now - then) * self._most / 60)
        allowed = left >= 1
        self._left[name] = (left - allowed, now)
        if len(self._left) > _ADDRESSES:
            self._left.popitem(last=False)
        return allowed
