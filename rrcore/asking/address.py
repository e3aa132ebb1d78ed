"""Where a form sends its reports: which addresses it takes, and whether what goes there can be read on the way."""

from __future__ import annotations

import ipaddress
import re

from rrcore.errors import InputError

_ADDRESS = re.compile(
    r"(?P<origin>(?P<scheme>https?)://(?P<host>[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*)(:(?P<port>[0-9]{1,5}))?)"
    r"([/?][!$-\[\]-~]*)?",  # printable ASCII without quotes, # and the backslash, which browsers take for a slash
    re.IGNORECASE,
)


def form_origin(address: str, *, plain_http: bool = False) -> str:
    """Scheme, host and port of ``address``; empty for no address. Raises InputError as ``respondent_form`` does."""
    if not address:
        return ""
    found = _ADDRESS.fullmatch(address)
    if found and int(found["port"] or 0) <= 65535:
        origin = found["origin"].lower()
        if not is_exposed(origin) or (plain_http and _in_private_network(found["host"])):
            return origin
    shown = address.rpartition("@")[2][:80]  # no password
    raise InputError(
        f"The answers cannot be sent to '{shown}': give an address that starts with https:// (http:// only for localhost), without a "
        "user name, a password, spaces or #, for example https://survey.example.org/answers."
    )


def is_exposed(origin: str) -> bool:
    """Whether what comes from there, and goes there, can be read and changed on the way."""
    host = origin.removeprefix("http://").partition(":")[0]
    return origin.startswith("http://") and host not in ("localhost", "127.0.0.1")


def _in_private_network(host: str) -> bool:
    """Whether that is an address that no network but one's own leads to (RFC 1918, RFC 3927)."""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return False
