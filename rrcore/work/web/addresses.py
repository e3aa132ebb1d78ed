"""Whose a connection is: an address, without its port; of IPv6 the first 64 bits, which one household has to itself."""

from __future__ import annotations

import ipaddress
import re

_WITH_PORT = re.compile(r"\[(?P<six>[^\]]*)\](:\d{1,5})?|(?P<four>[\d.]+):\d{1,5}")


def network(address: str) -> str:
    """The address that is counted for ``address``; empty where it is none.

    Parameters
    ----------
    address : as a socket names it, or a proxy in X-Forwarded-For, where some write a port behind it

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
