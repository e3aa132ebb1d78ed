"""Over real HTTP and websockets: who is let in, what is shut, what every answer says, and what stays when a tab is closed."""

import time
from socket import create_connection

import pytest
from websockets.exceptions import ConnectionClosedError, InvalidStatus
from websockets.sync.client import connect

from tests.serving.conftest import serving
from tests.serving.visitor import Browser, Tab, ask, stream

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("door")


@pytest.fixture(scope="module")
def port(folder):
    with serving(folder) as server:
        yield server.port


def refused(port, **how):
    """The status that a websocket is refused with; 101 where it is not."""
    try:
        with stream(port, **how):
            return 101
    except InvalidStatus as error:
        return error.response.status_code


def test_a_tab_of_the_dashboard_itself_is_served(port):
    assert refused(port, origin=f"http://localhost:{port}") == 101
    assert refused(port, host=f"127.0.0.1:{port}", origin=f"http://127.0.0.1:{port}") == 101


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "localhost.evil.example:{port}", "127.0.0.1.evil.example"]
)
def test_a_name_that_is_not_this_servers_is_refused(port, host):
    """DNS rebinding: a page of evil.example whose name was made to point here."""
    host = host.format(port=port)
    assert refused(port, host=host, origin=f"http://{host}") == 403
    assert refused(port, host=host) == 403
    for path in ("/", "/_stcore/host-config", "/budget"):
        assert ask(port, path, Host=host).status == 421, path


@pytest.mark.parametrize(
    "host", ["", "x@localhost", "localhost@evil.example", "localhost, evil.example", "localhost:1x", "[::1", "localhost/"]
)
def test_what_is_no_name_is_refused(port, host):
    assert ask(port, "/", Host=host).status == 421


@pytest.mark.parametrize(
    "origin",
    [
        "http://localhost:1",
        "http://localhost",
        "https://localhost:{port}",
        "http://127.0.0.1:{port}",
        "null",
        "http://evil.example",
        "",
    ],
)
def test_pages_of_other_origins_are_refused_also_of_this_computer(port, origin):
    origin = origin.format(port=port)
    assert refused(port, origin=origin) == 403
    assert ask(port, "/_stcore/host-config", Origin=origin).status == 403
    assert ask(port, "/_stcore/upload_file/a/b", method="PUT", Origin=origin).status == 403


@pytest.mark.parametrize("path", ["metrics", "agent/openapi.json", "agent/interact", "agent/mcp", "script-health-check", "other"])
def test_what_a_browser_does_not_need_is_shut(port, path):
    for spelt in (path, f"{path}/", f"./{path}", path.upper(), path.replace("e", "%65")):
        answer = ask(port, f"/_stcore/{spelt}")
        assert answer.status == 404 or b"Streamlit" in answer.body, spelt  # the page itself, which any unknown address gets
        assert b"TYPE" not in answer.body
        assert b"openapi" not in answer.body.replace(b"_stcore/agent/openapi.json", b"")


def test_health_stays(port):
    assert ask(port, "/_stcore/health").body == b"ok"


HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@pytest.mark.parametrize(
    ("path", "stored"), [("/", False), ("/budget", False), ("/media/none", False), ("/_stcore/metrics", False)]
)
def test_every_answer_tells_the_browser_what_to_refuse(port, path, stored):
    headers = ask(port, path).headers
    assert {name: headers[name] for name in HEADERS} == HEADERS
    assert headers["Cache-Control"] == "no-store"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert "unsafe-eval'" not in headers["Content-Security-Policy"].replace("wasm-unsafe-eval", "")
    assert "script-src 'self' 'unsafe-inline'" not in headers["Content-Security-Policy"]
    assert not [name for name in headers if name.lower().startswith("access-control-")]


def test_the_chapters_of_learn_may_be_framed_here_and_nowhere_else(port):
    answer = ask(port, "/lesson")
    assert b"Randomized response in ten chapters" in answer.body
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS | {"X-Frame-Options": "SAMEORIGIN"}
    assert answer.headers["Content-Security-Policy"] == "frame-ancestors 'self'"  # the rest is in the page
    assert b"content=\"default-src 'none'" in answer.body
    assert "frame-src 'self'" in ask(port, "/learn").headers["Content-Security-Policy"]


def test_the_page_and_its_code_come_with_them_too(port):
    page = ask(port, "/").body.decode()
    script = page.partition('crossorigin src="./')[2].partition('"')[0]
    answer = ask(port, f"/{script}", Origin=f"http://localhost:{port}")
    assert answer.status == 200
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "immutable" in answer.headers["Cache-Control"]  # nothing private, and named by its content


def test_other_sites_may_not_take_pictures_or_code_from_here(port):
    """What a page of another port may load without an Origin: <img>, <script>; only following a link is its right."""
    for site in ("cross-site", "same-site"):
        assert ask(port, "/", Sec_Fetch_Site=site, Sec_Fetch_Mode="no-cors").status == 403
        assert ask(port, "/", Sec_Fetch_Site=site, Sec_Fetch_Mode="navigate").status == 200
    assert ask(port, "/", Sec_Fetch_Site="same-origin", Sec_Fetch_Mode="cors").status == 200


def test_a_download_is_gone_with_its_tab(port):
    """It stayed for minutes after the tab was closed, for anybody who knew its address."""
    browser = Browser(port)
    with browser.tab() as other:
        with browser.tab() as closed:
            tab, other = Tab(closed).open("ledger"), Tab(other).open("ledger")
            url, another = tab.press("Save project"), other.press("Save project")
            assert url != another  # the same content
            assert browser.get(url).content == browser.get(another).content
            assert browser.get(url).content.startswith(b"{")
        assert gone(browser, url)
        assert browser.get(another).status_code == 200
    assert gone(browser, another)


def gone(browser, url):
    """Whether nothing is served there, now or soon."""
    for _ in range(200):
        if browser.get(url).status_code == 404:
            return True
        time.sleep(0.05)
    return False


def test_what_no_page_sends_ends_a_connection_without_a_word_in_the_log(port, folder):
    """Text, bytes that are no message, and an upload that breaks off: each left a traceback."""
    for sent in ("text", b"\xff\xff\xff"):
        with stream(port) as socket:
            socket.send(sent)
            with pytest.raises(ConnectionClosedError):
                socket.recv(20)
    browser = Browser(port)
    with browser.tab() as socket:
        tab = Tab(socket).begin()
        with create_connection(("127.0.0.1", port)) as sender:
            head = f"PUT /_stcore/upload_file/{tab.id}/one HTTP/1.1\r\nHost: localhost:{port}\r\nCookie: {browser.cookie()}\r\n"
            xsrf = browser.client.cookies["_streamlit_xsrf"]
            more = f"X-Xsrftoken: {xsrf}\r\nContent-Type: multipart/form-data; boundary=cut\r\nContent-Length: 1000\r\n\r\n--cut"
            sender.sendall((head + more).encode())
        for _ in range(3):  # the server has seen it
            assert ask(port, "/_stcore/health").body == b"ok"
        tab.open()
    assert "Traceback" not in (folder / "server.log").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("path", "host"),
    [
        ("http://evil.example/", "evil.example"),
        ("/", "localhost..:{port}"),
        ("/", "[localhost]:{port}"),
        ("/", "[::ffff:127.0.0.1]:{port}"),
        ("/", "2130706433:{port}"),
        ("/", "127.1:{port}"),
        ("/_stcore/health/", "evil.example"),
    ],
)
def test_other_spellings_of_a_name_are_refused(port, path, host):
    assert ask(port, path, Host=host.format(port=port)).status == 421


@pytest.mark.parametrize("host", ["[::1]:{port}", "LOCALHOST.:{port}", "127.0.0.1"])
def test_its_own_names_are_known_however_they_are_written(port, host):
    assert ask(port, "/_stcore/host-config", Host=host.format(port=port)).status == 200


def test_messages_are_not_packed_and_not_endless(port):
    with connect(f"ws://localhost:{port}/_stcore/stream", subprotocols=["streamlit"], proxy=None) as socket:
        assert socket.protocol.extensions == []  # a bomb has nothing to unpack it
