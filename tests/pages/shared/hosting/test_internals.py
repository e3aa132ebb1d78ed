"""What hosting uses of Streamlit, Starlette and Python though it is nobody's promise: an upgrade that takes it away is told here, by name."""

import inspect
import re
import signal
from pathlib import Path

import h11
import pytest
import starlette
import streamlit
import streamlit.logger
import uvicorn
from starlette.formparsers import MultiPartParser
from streamlit import cli_util, config
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.runtime import Runtime
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager
from streamlit.web.server import server_util
from streamlit.web.server.starlette import starlette_routes, starlette_websocket
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.h11_impl import H11Protocol

ROOT = Path(__file__).parents[4]
HOSTING, CONNECTIONS = "pages/shared/hosting", "rrcore/work/web/connections.py"


USES = [
    (f"{HOSTING}/sessions.py", inspect.getsource(Runtime), ["_session_mgr", "_get_async_objs"]),
    (f"{HOSTING}/sessions.py", inspect.getsource(WebsocketSessionManager), ["_session_storage"]),
    (f"{HOSTING}/sessions.py", inspect.getsource(AppSession), ["_scriptrunner", "_state"]),
    (
        f"{HOSTING}/downloads.py",
        dir(MediaFileManager(MemoryMediaFileStorage("/media"))),
        ["execute_deferred", "_deferred_callables", "_storage"],
    ),
    (f"{HOSTING}/downloads.py", inspect.getsource(MediaFileManager.add_deferred), ['"session_id"']),
    (f"{HOSTING}/downloads.py", inspect.getsource(Runtime), ["_session_mgr"]),
    (f"{HOSTING}/downloads.py", vars(starlette_routes), ["create_media_routes"]),
    (f"{HOSTING}/login.py", vars(starlette_websocket), ["_get_signed_cookie_with_chunks"]),
    (".streamlit/config.toml", config._config_options_template["server.trustedUserHeaders"].name, ["trustedUserHeaders"]),
    (f"{HOSTING}/uploads.py", dir(MemoryUploadedFileManager("/upload")), ["file_storage", "_lock"]),
    (f"{HOSTING}/serving.py", vars(PagesManager), ["uses_pages_directory"]),
    (f"{HOSTING}/serving.py", inspect.getsource(BidiComponentManager), ["scan_component_manifests"]),
    (f"{HOSTING}/serving.py", vars(cli_util), ["open_browser"]),
    (f"{HOSTING}/serving.py", vars(server_util), ["get_display_address", "get_url"]),
    (f"{HOSTING}/serving.py", vars(MultiPartParser), ["spool_max_size"]),
    (f"{HOSTING}/log.py", vars(streamlit.logger), ["setup_formatter"]),
    (CONNECTIONS, inspect.getsource(uvicorn.Config), ["http_protocol_class", "backlog", "ssl", "loaded"]),
    (
        CONNECTIONS,
        inspect.getsource(H11Protocol),
        ["conn", "flow", "loop", "connections", "transport", "timeout_keep_alive_task"],
    ),
    (
        CONNECTIONS,
        vars(H11Protocol),
        [
            "connection_made",
            "connection_lost",
            "data_received",
            "handle_websocket_upgrade",
            "on_response_complete",
            "pause_writing",
            "shutdown",
        ],
    ),
    (CONNECTIONS, inspect.getsource(FlowControl), ["read_paused", "write_paused"]),
    (CONNECTIONS, dir(h11.Connection(h11.SERVER)), ["our_state", "their_state"]),
    ("pages/shared/jobs.py", ScriptRunContext.__dataclass_fields__, ["session_id"]),
]


def test_a_server_can_be_found_by_the_signal_that_ends_it():
    """``guard_connections`` finds the server that Streamlit started."""
    server = uvicorn.Server(uvicorn.Config(lambda: None))
    with server.capture_signals():
        assert signal.getsignal(signal.SIGTERM).__self__ is server
    assert getattr(signal.getsignal(signal.SIGTERM), "__self__", None) is not server


@pytest.mark.parametrize(("user", "there", "names"), USES, ids=[f"{user} {names[0]}" for user, _, names in USES])
def test_what_is_used_is_still_there(user, there, names):
    text = (ROOT / user).read_text(encoding="utf-8")
    for name in names:
        assert name in text, f"{user} uses '{name}' no longer: take it out of this list."
        assert name in there, (
            f"{user} uses '{name}', which is gone in Streamlit {streamlit.__version__}, Starlette {starlette.__version__} or this "
            "Python: find what does its work now before you upgrade."
        )


def test_nothing_else_that_is_private_is_used():
    known = {name.strip('"') for _, _, names in USES for name in names}
    for user in {*(ROOT / user for user, _, _ in USES), *(ROOT / HOSTING).glob("*.py")}:
        text = user.read_text(encoding="utf-8")
        private = {word for line in text.splitlines() for word in foreign(line)}
        assert private <= known, (
            f"{user.relative_to(ROOT)} uses {sorted(private - known)} of a library: add it to the list above."
        )


def foreign(line):
    """Private names that a line uses of anything but its own class."""
    return {name for owner, name in re.findall(r"([\w)\]]+)\.(_[a-z]\w*)", line) if owner not in ("self", "cls", "job", "os")}
