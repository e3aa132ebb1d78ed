"""Limit the number of requests from each address.

Addresses are counted without their port. Of an IPv6 address, only the first 64 bits count, which belong to one household. The counts
are in memory, under a key that is deleted when the server stops.
"""

import hashlib
import ipaddress
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable

_ADDRESSES = 10_000  # most that are remembered; the one seen longest ago is forgotten first
_WITH_PORT = re.compile(r"\[(?P<six>[^\]]*)\](:\d{1,5})?|(?P<four>[\d.]+):\d{1,5}")


def network(address: str) -> str:
    """Return the address that counts for ``address``, or an empty string.

    Parameters
    ----------
    address : address from a socket, or from X-Forwarded-For, to which some proxies add a port

    Examples
    --------
    >>> network("203.0.113.7:4711"), network("[2001:db8::1]:4711"), network("::ffff:203.0.113.7"), network("unknown")
    ('203.0.113.7', '2001:db8::/64', '203.0.113.7', '')
    """
    found = _WITH_PORT.fullmatch(address.strip())
    try:
        known = ipaddress.ip_address((found["six"] or found["four"]) if found else address.strip())
    except ValueError:
        return ""
    known = getattr(known, "ipv4_mapped", None) or known  # as a socket for both kinds names those of IPv4
    return str(known) if known.version == 4 else str(ipaddress.ip_network((int(known) >> 64 << 64, 64)))


class Pace:
    """A limit on requests per address (a token bucket).

    Each address can make ``per_minute`` requests at once, and as many again each minute.

    Parameters
    ----------
    per_minute : int
    clock : function that returns seconds since any start
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = float(per_minute), clock
        self._key = secrets.token_bytes(32)
        self._left: OrderedDict[bytes, tuple[float, float]] = OrderedDict()  # hash of an address -> (requests left, when)

    def allows(self, address: str) -> bool:
        """Return True if one more request is within the limit and count it if so."""
        name = hashlib.blake2b(network(address).encode(), key=self._key, digest_size=16).digest()
        now = self._clock()
        left, then = self._left.pop(name, (self._most, now))
        left = min(self._most, left + (now - then) * self._most / 60)
        allowed = left >= 1
        self._left[name] = (left - allowed, now)
        if len(self._left) > _ADDRESSES:
            self._left.popitem(last=False)
        return allowed
