"""Who can reach a receiver, over what, and which address respondents are to be given: said when it starts."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

_PROXY = "put a proxy that speaks https before it, or give --tls"


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
