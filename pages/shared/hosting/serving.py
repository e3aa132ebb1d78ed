"""How the dashboard is served: its door, what its answers tell browsers, and what happens when it starts."""

import asyncio
import gc
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

import streamlit as st
import uvicorn
from starlette.formparsers import MultiPartParser
from starlette.middleware import Middleware
from streamlit import cli_util
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime import get_instance
from streamlit.runtime.pages_manager import PagesManager
from streamlit.web.server import server_util
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from pages.shared.hosting import front, housekeeping, log
from pages.shared.hosting.door import Door, Paced, names_of
from pages.shared.hosting.downloads import Delivery, Files
from pages.shared.hosting.front import FrontMiddleware
from pages.shared.hosting.headers import SafeHeaders
from pages.shared.hosting.health import Checkup
from pages.shared.hosting.login import Admission, read_secrets
from pages.shared.hosting.metrics import MetricsMiddleware
from pages.shared.hosting.operator import operator
from pages.shared.hosting.tabs import Tabs
from pages.shared.hosting.uploads import Uploads
from pages.shared.hosting.visitors import Visitors
from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_BYTES
from rrcore.work import forbid_memory_dump
from rrcore.work.web.addresses import Pace
from rrcore.work.web.connections import Connections

# Else the first link into a page of a fresh server looks for the page among the files of pages/, and finds none.
PagesManager.uses_pages_directory = False

# Components are the dashboard's own: else every start reads what is written of all installed packages, to find more.
manifest_scanner.scan_component_manifests = lambda max_workers=None: []


@cache
def _files() -> Files:
    """The files of this server's sessions."""
    return Files(operator().download_megabytes_in_all * 2**20)


def middleware() -> list[Middleware]:
    """What every request goes through first. Raises InputError where the operator's decisions do not fit together."""
    decided = operator()
    return [
        Middleware(MetricsMiddleware),
        Middleware(SafeHeaders),
        Middleware(Checkup),
        Middleware(Paced, pace=Pace(decided.requests_per_minute)),
        Middleware(Door, names=_names()),
        Middleware(FrontMiddleware),
        Middleware(Admission),
        Middleware(Visitors),
        Middleware(Delivery, files=_files()),
        Middleware(Tabs, most=decided.tabs, each=decided.tabs_per_address, seconds=decided.unfinished_seconds),
        Middleware(Uploads, each=decided.upload_megabytes_per_tab * 2**20, all=decided.upload_megabytes_in_all * 2**20),
    ]


def secrets() -> dict[str, Any] | None:
    """What the login needs to know, if there is one. Raises InputError where something is missing."""
    return read_secrets(_names())


def _names() -> frozenset[str]:
    return names_of(st.get_option("server.address") or "", operator().hosts)


@asynccontextmanager
async def running(app: st.App, *, get_ready: Callable[[], None]) -> AsyncIterator[None]:
    """While the server runs, which begins by having it ``get_ready`` for calculations."""
    forbid_memory_dump()
    log.set_up()
    guard_connections()
    keep_uploads_in_memory()
    get_ready()
    front.get_ready()
    housekeeping.begin(get_instance(), operator().tabs)
    _files().follow()
    forgetting = asyncio.create_task(_files().keep_forgetting())
    gc.freeze()  # what was loaded stays
    gc.enable()
    if not st.get_option("server.headless"):
        address = server_util.get_display_address(st.get_option("server.address") or "localhost")
        cli_util.open_browser(server_util.get_url(address))
    yield
    forgetting.cancel()


def keep_uploads_in_memory() -> None:
    """Have the web server hold an upload in memory: by default it puts files above 1 MB through a temporary file on disk."""
    MultiPartParser.spool_max_size = 2 * MAX_FILE_BYTES


def guard_connections() -> None:
    """Count this server's connections, of which one address may leave few silent or incomplete, as its operator decided.

    To be called while it starts, when it listens to nobody yet.

    Raises
    ------
    InputError
        If it is no server of uvicorn, which has itself told of signals before it starts anything.
    """
    server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    if not isinstance(server, uvicorn.Server):
        raise InputError("Nothing would limit the connections of this server: start the dashboard with 'rrcore app'.")
    proxies = ProxyHeadersMiddleware(server.config.app, server.config.forwarded_allow_ips).trusted_hosts  # type: ignore[arg-type]
    decided = operator()
    Connections(proxies.__contains__, decided.unfinished_per_address, decided.unfinished_seconds).guard(server.config)
