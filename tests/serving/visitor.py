"""A visitor without a browser: HTTP by hand, so that any header can be sent, and the websocket that Streamlit's pages speak."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Callable
from dataclasses import dataclass, field

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes


def cookie(port: int, token: str) -> str:
    """The header by which a browser has the token of the dashboard at that port."""
    return f"rr_workbench_{port}={token}"


def ask(port: int, path: str, *, token: str = "", method: str = "GET", body: bytes = b"", **headers: str) -> Answer:
    """One request to this computer; ``Host="evil.example"`` replaces the name it is sent to."""
    sent = {name.replace("_", "-"): text for name, text in headers.items()}
    if token:
        sent = {"Cookie": cookie(port, token)} | sent
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, body or None, {"Host": f"localhost:{port}"} | sent)
        answer = connection.getresponse()
        return Answer(answer.status, answer.headers, answer.read())
    finally:
        connection.close()


def stream(port: int, *, token: str = "", host: str = "", origin: str | None = None) -> ClientConnection:
    """The websocket of a tab. Raises websockets.InvalidStatus where it is refused."""
    return connect(
        f"ws://{host or f'localhost:{port}'}/_stcore/stream",
        sock=socket.create_connection(("127.0.0.1", port), timeout=60),
        origin=origin,  # type: ignore[arg-type]
        subprotocols=["streamlit", "none"],  # type: ignore[list-item]
        additional_headers={"Cookie": cookie(port, token)} if token else {},
        max_size=2**27,
        proxy=None,
        compression=None,
    )


@dataclass
class Tab:
    """One session: a page that was run, with its texts and the kinds of its elements."""

    socket: ClientConnection
    id: str = ""
    texts: list[str] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)

    def open(self, page: str = "", query: str = "", *, script: str = "") -> Tab:
        """Run the page with that address, to its end; a crafted message can ask for a page by the fingerprint of its ``script`` too."""
        sent = BackMsg()
        sent.rerun_script.query_string = query
        sent.rerun_script.page_name = page
        sent.rerun_script.page_script_hash = script
        self.socket.send(sent.SerializeToString())
        self.until(lambda message: message.WhichOneof("type") == "script_finished")
        return self

    def until(self, wanted: Callable[[ForwardMsg], bool]) -> ForwardMsg:
        """Take in messages until the wanted one."""
        while True:
            message = ForwardMsg()
            message.ParseFromString(self.socket.recv(60))
            if message.WhichOneof("type") == "new_session":
                self.id = message.new_session.initialize.session_id or self.id
            element = message.delta.new_element
            kind = element.WhichOneof("type")
            if kind:
                self.kinds.add(kind)
            if kind in ("markdown", "heading", "alert"):
                self.texts.append(getattr(element, kind).body)
            if wanted(message):
                return message
