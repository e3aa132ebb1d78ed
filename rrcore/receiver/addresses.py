"""Addresses of a receiver: who can open the form, and who may send answers."""

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from rrcore.errors import InputError

_PROXY = "Put a proxy with https before it, or give --tls"


@dataclass(frozen=True)
class Terms:
    """Terms of serving a form.

    Parameters
    ----------
    address : str
        Address of the form for respondents, such as "https://survey.example.org". Answers go to ".../answers".
    origins : other origins whose pages may send answers, such as "https://www.example.org", or "null" for a form opened from a file
    behind_proxy : whether the last entry of X-Forwarded-For is the sender's address, which is used only to limit requests
    per_minute : int, maximum number of requests from one address in a minute
    plain_http : as in ``respondent_form``
    hours : number of hours after which the server ends; 0 for no limit
    """

    address: str
    origins: tuple[str, ...] = ()
    behind_proxy: bool = False
    per_minute: int = 600
    plain_http: bool = False
    hours: float = 0

    @property
    def allowed(self) -> frozenset[str]:
        """All origins whose pages may send answers."""
        own = origin_of(self.address)
        here = {own.replace("//localhost", "//127.0.0.1")} if re.fullmatch(r"http://localhost(:\d+)?", own) else set()
        return frozenset({own, *here, *(each if each == "null" else origin_of(each) for each in self.origins)})


def origin_of(address: str) -> str:
    """Return the origin of an address as browsers write it.

    The origin has small letters, no default port, and other alphabets in Punycode.

    Raises
    ------
    InputError
        If the address has no valid origin.

    Examples
    --------
    >>> origin_of("https://Survey.example.org:443/pilot")
    'https://survey.example.org'
    """
    try:
        parts = urlsplit(address)
        host, port = (parts.hostname or "").encode("idna").decode("ascii"), parts.port
    except ValueError:  # UnicodeError is one
        host, port, parts = "", None, urlsplit("")
    if parts.scheme not in ("http", "https") or not host:
        raise InputError(f"The address '{address[:80]}' is invalid. Write it like https://survey.example.org.")
    shown = f"[{host}]" if ":" in host else host
    usual = port in (None, {"http": 80, "https": 443}[parts.scheme])
    return f"{parts.scheme}://{shown}" + ("" if usual else f":{port}")


def origins_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Return origins that a person typed.

    Raises InputError for invalid origins.
    """
    found = []
    for written in texts:
        try:
            fits = written == "null" or (bool(origin_of(written)) and urlsplit(written).path in ("", "/"))
        except InputError:
            fits = False
        if not fits:
            raise InputError(
                f"The origin '{written[:80]}' is invalid. Write it like https://www.example.org, or null for a file."
            )
        found.append(written)
    return tuple(found)


def reach(host: str, port: int, address: str, *, tls: bool, behind_proxy: bool) -> tuple[str, ...]:
    """Describe who can reach a receiver.

    The result is empty if only its own computer can reach the receiver.

    Parameters
    ----------
    host, port : numeric address and port that the receiver listens on
    address : address of the form for respondents
    tls : whether the receiver itself provides https
    behind_proxy : whether the sender's address comes from a proxy

    Examples
    --------
    >>> reach("127.0.0.1", 8000, "http://localhost:8000", tls=False, behind_proxy=False)
    ()
    >>> reach("0.0.0.0", 8443, "https://survey.example.org:8443", tls=True, behind_proxy=False)[1]
    'Give respondents https://survey.example.org:8443.'
    """
    at = ipaddress.ip_address(host.partition("%")[0])
    if at.is_loopback:
        return ()
    where = "at any address of this computer" if at.is_unspecified else f"at {host}"
    who = f"Every device that reaches this computer over a network can open the form {where}, port {port}"
    if tls:
        over = f"{who}, over https."
    elif behind_proxy:
        over = (
            f"{who}, without the proxy and over unencrypted http. Devices can also forge their own address. Let the server listen on "
            "127.0.0.1 with --host, or let a firewall admit only the proxy."
        )
    else:
        over = (
            f"{who}, over unencrypted http. Others in the network can read and change invitation codes and randomized answers, and could "
            f"replace the form. {_PROXY}."
        )
    return over, _given(address)


def _given(address: str) -> str:
    name = urlsplit(address).hostname or ""
    if name not in ("localhost", "127.0.0.1"):
        return f"Give respondents {address}."
    return (
        f"There is no address for respondents yet. The form sends to {address}, which only works on this computer. "
        "Start again with --address https:// and the name of this computer in the network."
    )
