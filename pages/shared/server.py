"""The start of the server: the names that it goes by, the token of local mode, and the link that opens the dashboard."""

import errno
import html
import ipaddress
import os
import re
import secrets
import socket
import stat
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext, suppress
from pathlib import Path

import streamlit as st
from starlette.formparsers import MultiPartParser
from starlette.middleware import Middleware

# Streamlit would look for an opened link among the files of pages/ until the first page has run, and find none. The name of that directory
# decides this, and nothing public does.
from streamlit.runtime.pages_manager import PagesManager

from pages.shared.middleware import Guard
from pages.shared.mode import demo
from pages.shared.served_files import base
from rrcore.cli.dashboard import CONTAINER_VARIABLE, HOSTS_VARIABLE
from rrcore.errors import InputError
from rrcore.jobs import forbid_core_dumps
from rrcore.limits import MAX_FILE_BYTES

PagesManager.uses_pages_directory = False

HERE = frozenset({"localhost", "127.0.0.1", "::1"})
"""Names that every computer has for itself."""

_NAME = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+")
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")  # 256 bits


def allowed_names(address: str, hosts: Iterable[str]) -> frozenset[str]:
    """The names that requests may call a server by that listens at ``address``: its own, and ``hosts``.

    Raises
    ------
    InputError
        If a local server would listen to other computers, if a demo does so under no name, or if one of ``hosts`` is no host name.
    """
    named = {host.strip().lower().rstrip(".") for host in hosts if host.strip()}
    for name in named:
        if not _NAME.fullmatch(name):
            raise InputError(
                f"The allowed host '{name[:80]}' is not a host name. Write it like rr.example.org, without https:// or a port."
            )
    here = address.strip("[]").lower()
    if here in HERE or _is_loopback(here):
        return HERE | named | {here}
    if not demo() and not os.environ.get(CONTAINER_VARIABLE):
        raise InputError(
            f"RR Workbench holds private data, so it listens only on this computer, not on '{address}'. Use --demo for a "
            "public instance without uploads. To serve several people, see docs/about/hosting.md."
        )
    if here not in ("", "0.0.0.0", "::", "*"):  # nosec B104: looked for, not listened on
        return HERE | named | {here}
    if not named and demo():
        raise InputError(
            "Other computers can reach this demo. Give the host name that they use, for example --allowed-host rr.example.org."
        )
    return HERE | named


def is_here(name: str) -> bool:
    """Whether only this computer has that name for this computer."""
    return name in HERE or _is_loopback(name)


def _is_loopback(name: str) -> bool:
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _private() -> Path:
    """The directory of what only the owner reads."""
    state = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return Path(state).absolute() / "rr-workbench"


def read_token() -> str:
    """The token of local mode, from a file that only its owner reads. It is made once, so that open tabs get in after a restart.

    Raises
    ------
    InputError
        If the file cannot be made or read, if somebody else owns it or can read it, or if it holds something else.
    """
    place = _private() / "token"
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            made = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            pass
        else:
            with os.fdopen(made, "w", encoding="ascii") as file:
                file.write(secrets.token_urlsafe(32))
        with os.fdopen(os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), encoding="ascii") as file:
            found, token = os.fstat(file.fileno()), file.read(100)
    except (OSError, UnicodeError) as error:
        raise InputError(f"RR Workbench cannot store its token in '{place}' ({error}). Check that file.") from error
    private = os.name == "nt" or (found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077)
    if not private or not _TOKEN.fullmatch(token):
        why = "does not contain a token" if private else "belongs to another user or can be read by others"
        raise InputError(f"The file '{place}' {why}. Delete it and start RR Workbench again to create a new one.")
    return token


def _hosts() -> list[str]:
    return [host for host in os.environ.get(HOSTS_VARIABLE, "").split(",") if host]


def middleware() -> list[Middleware]:
    """What every request passes first. Raises InputError if the server would be open to people it is not for."""
    names = allowed_names(st.get_option("server.address") or "", _hosts())
    return [Middleware(Guard, names=names, token="" if demo() else read_token())]


@asynccontextmanager
async def running(app: st.App, *, workers: Callable[[], AbstractContextManager[None]]) -> AsyncIterator[None]:
    """While the server runs, with its ``workers`` for calculations."""
    forbid_core_dumps()
    keep_uploads_in_memory()
    name, kept = local_name(st.get_option("server.address") or "", port := st.get_option("server.port"))
    place = f"{name}:{port}{base()}/"
    query = "" if demo() else f"?token={read_token()}"
    print("RR Workbench runs. Open this link:", *(f"  {each}{query}" for each in _links(place)), sep="\n", flush=True)
    if query:
        print("Keep the link private. Everyone who has it can use this RR Workbench.", flush=True)
    if not st.get_option("server.headless"):
        link = _page_that_opens(f"http://{place}{query}") if query else f"http://{place}"
        threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()
    with workers(), kept or nullcontext():
        yield


def local_name(address: str, port: int) -> tuple[str, socket.socket | None]:
    """The name of this computer in the link, and a socket that keeps the port of ::1 from others.

    Browsers ask ::1 for localhost before 127.0.0.1. A program of another user that listens there would get the token.
    """
    own = address.strip("[]")
    if _is_loopback(own):
        return f"[{own}]" if ":" in own else own, None
    with suppress(OSError):  # without IPv6 there is no other address
        kept = socket.socket(socket.AF_INET6)
        try:
            kept.bind(("::1", port))  # nobody listens, so browsers go on to 127.0.0.1
            return "localhost", kept
        except OSError as error:
            kept.close()
            if error.errno == errno.EADDRINUSE:
                return "127.0.0.1", None
    return "localhost", None


def _page_that_opens(link: str) -> str:
    """The address of a page, which only its owner reads, that leads to ``link``.

    Every user of this computer can see with which words a browser is started, so the token is not among them.
    """
    page = _private() / f"open-{st.get_option('server.port')}.html"
    page.unlink(missing_ok=True)
    with os.fdopen(os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(f'<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={html.escape(link)}">\n')
    return page.as_uri()


def _links(place: str) -> list[str]:
    return [f"http://{place}", *(f"https://{host}{base()}/" for host in _hosts() if not is_here(host))]


def keep_uploads_in_memory() -> None:
    """Have the web server hold an upload in memory: by default it writes files above 1 MB to a temporary file on disk."""
    MultiPartParser.spool_max_size = 2 * MAX_FILE_BYTES
