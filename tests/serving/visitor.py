"""A visitor without a browser: HTTP by hand, so that any header can be sent, and the websocket that Streamlit's pages speak."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Button_pb2 import Button
from streamlit.proto.DownloadButton_pb2 import DownloadButton
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

MANY = 2**27  # bytes of the longest message


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes


def ask(port: int, path: str, *, method: str = "GET", body: bytes = b"", **headers: str) -> Answer:
    """One request to this computer; ``Host="evil.example"`` replaces the name it is sent to."""
    sent = {name.replace("_", "-"): text for name, text in headers.items()}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, body or None, {"Host": f"localhost:{port}"} | sent)
        answer = connection.getresponse()
        return Answer(answer.status, answer.headers, answer.read())
    finally:
        connection.close()


def stream(
    port: int,
    *,
    host: str = "",
    origin: str | None = None,
    cookie: str = "",
    xsrf: str = "",
    prefix: str = "",
    former: str = "",
    source: str = "127.0.0.1",
) -> ClientConnection:
    """The websocket of a tab, of the session ``former`` if it is to come back to one. Raises websockets.InvalidStatus where it is refused."""
    return connect(
        f"ws://{host or f'localhost:{port}'}{prefix}/_stcore/stream",
        sock=socket.create_connection(("127.0.0.1", port), timeout=60, source_address=(source, 0)),
        origin=origin,  # type: ignore[arg-type]
        subprotocols=["streamlit", xsrf or "none", *([former] if former else [])],  # type: ignore[list-item]
        additional_headers={"Cookie": cookie} if cookie else {},
        max_size=MANY,
        proxy=None,
        compression=None,
    )


class Browser:
    """Cookies of one browser, and what is opened with them at the dashboard of a ``port``, below the address ``prefix``."""

    def __init__(self, port: int, prefix: str = "") -> None:
        self.port, self.prefix = port, prefix
        self.client = httpx.Client(follow_redirects=True, timeout=60, verify=False)  # certificates take long to read
        self.get("/_stcore/health")

    def get(self, path: str, method: str = "GET", **headers: str) -> httpx.Response:
        """Ask for an address as a page does."""
        sent = {name.replace("_", "-"): text for name, text in headers.items()}
        return self.client.request(method, f"http://localhost:{self.port}{self.prefix}{path}", headers=sent)

    def cookie(self, **others: str) -> str:
        """What it says in the header of that name; ``others`` replace its own."""
        return "; ".join(f"{name}={text}" for name, text in (dict(self.client.cookies) | others).items())

    def tab(self, former: str = "", **cookies: str) -> ClientConnection:
        """A tab, of the session ``former`` if it comes back to one."""
        return stream(
            self.port,
            origin=f"http://localhost:{self.port}",
            cookie=self.cookie(**cookies),
            xsrf=self.client.cookies["_streamlit_xsrf"],
            prefix=self.prefix,
            former=former,
        )


@dataclass
class Tab:
    """One session: a page that was run, and what it holds; ``styles`` are its HTML, ``files`` are addresses of pictures, sounds and files
    made before a press."""

    socket: ClientConnection
    id: str = ""
    buttons: dict[str, DownloadButton | Button] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    styles: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)

    def open(self, page: str = "", query: str = "") -> Tab:
        """Run the page with that address, to its end."""
        sent = BackMsg()
        sent.rerun_script.query_string = query
        sent.rerun_script.page_name = page
        self.socket.send(sent.SerializeToString())
        self.until(lambda message: message.WhichOneof("type") == "script_finished")
        return self

    def begin(self) -> Tab:
        """Have the start page run, until the session has its name."""
        sent = BackMsg()
        sent.rerun_script.query_string = ""
        self.socket.send(sent.SerializeToString())
        self.until(lambda message: message.WhichOneof("type") == "new_session")
        return self

    def until(self, wanted: Callable[[ForwardMsg], bool]) -> ForwardMsg:
        """Take in messages until the wanted one."""
        while True:
            message = ForwardMsg()
            message.ParseFromString(self.socket.recv(20))
            if message.WhichOneof("type") == "new_session":
                self.id = message.new_session.initialize.session_id or self.id
            element = message.delta.new_element
            if element.WhichOneof("type") in ("button", "download_button"):
                button = getattr(element, element.WhichOneof("type"))
                self.buttons[button.label] = button
                if getattr(button, "url", ""):
                    self.files[button.label] = button.url
            if element.WhichOneof("type") == "imgs":
                self.files["picture"] = element.imgs.imgs[0].url
            if element.WhichOneof("type") == "audio":
                self.files["sound"] = element.audio.url
            if element.WhichOneof("type") in ("markdown", "heading", "alert"):
                self.texts.append(getattr(element, element.WhichOneof("type")).body)
            if element.WhichOneof("type") == "html":
                self.styles.append(element.html.body)
            if wanted(message):
                return message

    def click(self, label: str, wanted: str = "script_finished") -> ForwardMsg:
        """Click a button; the first message of the kind ``wanted`` that comes then."""
        sent = BackMsg()
        state = sent.rerun_script.widget_states.widgets.add()
        state.id, state.trigger_value = self.buttons[label].id, True
        self.socket.send(sent.SerializeToString())
        return self.until(lambda message: message.WhichOneof("type") == wanted)

    def press(self, label: str) -> str:
        """Press a download button; the address of the file."""
        sent = BackMsg()
        sent.backend_operation_request.request_id, sent.backend_operation_request.session_id = "1", self.id
        sent.backend_operation_request.deferred_file.file_id = self.buttons[label].deferred_file_id
        self.socket.send(sent.SerializeToString())
        told = self.until(lambda message: message.WhichOneof("type") == "backend_operation_response")
        assert not told.backend_operation_response.error_msg, told
        return told.backend_operation_response.deferred_file.url
