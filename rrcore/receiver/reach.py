"""Where a receiver is reached: whose pages may send to it, who can open the form, and which address respondents are to be given."""

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from rrcore.errors import InputError

_PROXY = "put a proxy that speaks https before it, or give --tls"


@dataclass(frozen=True)
class Terms:
    """Where the form is served and who may send to it.

    Parameters
    ----------
    address : str
        The form's address as respondents know it, such as "https://survey.example.org": answers go to ".../answers".
    origins : other origins whose pages may send answers, such as "https://www.example.org", or "null" for a form opened from a file
    behind_proxy : whether the last entry of X-Forwarded-For is the sender's address; it is used for the pace alone
    per_minute : int, requests that one address may make in a minute
    plain_http : as in ``respondent_form``
    hours : after so many the server ends by itself; never where 0
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
    """The origin of an address as browsers write it: small letters, no default port, other letters in Punycode.

    Raises
    ------
    InputError
        If it is none.

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
        raise InputError(f"The address '{address[:80]}' is not understood: write it like https://survey.example.org.")
    shown = f"[{host}]" if ":" in host else host
    usual = port in (None, {"http": 80, "https": 443}[parts.scheme])
    return f"{parts.scheme}://{shown}" + ("" if usual else f":{port}")


def origins_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Origins as a person writes them. Raises InputError for what is none."""
    found = []
    for written in texts:
        try:
            fits = written == "null" or (bool(origin_of(written)) and urlsplit(written).path in ("", "/"))
        except InputError:
            fits = False
        if not fits:
            raise InputError(
                f"The origin '{written[:80]}' is not understood: write it like https://www.example.org, or null for a file."
            )
        found.append(written)
    return tuple(found)


def reach(host: str, port: int, address: str, *, tls: bool, behind_proxy: bool) -> tuple[str, ...]:
    """Sentences on who can reach a receiver that listens there; none where it listens to its own computer alone.

    Parameters
    ----------
    host, port : numeric address and port that it listens on
    address : the form's address as respondents know it
    tls : whether the receiver itself speaks https
    behind_proxy : whether it takes the sender's address from a proxy

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
            f"{who}, past the proxy, over http that anybody on the way can read, and name any address as its own: let it listen on "
            "127.0.0.1 with --host, or have a firewall let the proxy alone through."
        )
    else:
        over = (
            f"{who}, over http: anybody on the way can read and change what is sent, invitation codes and answers, although these are "
            f"randomised, and could replace the form itself; {_PROXY}."
        )
    return over, _given(address)


def _given(address: str) -> str:
    name = urlsplit(address).hostname or ""
    if name not in ("localhost", "127.0.0.1"):
        return f"Give respondents {address}."
    return (
        f"There is no address to give to respondents yet: the form sends to {address}, which on any other device is that device itself. "
        "Start again with --address https:// and the name that they reach this computer by."
    )
