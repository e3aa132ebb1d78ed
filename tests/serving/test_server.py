"""Over real HTTP and websockets: who is let in, what is shut, what every response says, and what a demo refuses."""

import errno
import re
import socket
import time
from pathlib import Path

import pytest
from streamlit.util import calc_hash
from websockets.exceptions import ConnectionClosedError, InvalidStatus
from websockets.sync.client import connect

from pages.shared.middleware import HEADERS
from pages.shared.server import allowed_names, local_name, read_token
from pages.shared.table_choice import TITLE
from rrcore.cli.dashboard import DEMO_VARIABLE
from rrcore.errors import InputError
from tests.serving.conftest import ROOT, serving
from tests.serving.visitor import Tab, ask, cookie, stream

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("local")


@pytest.fixture(scope="module")
def local(folder):
    """Started with a browser, which writes down its command."""
    program = folder / "browser"
    program.write_text(f'#!/bin/sh\necho "$@" >> {folder / "seen"}\n')
    program.chmod(0o700)
    with serving(folder, quiet=False, BROWSER=f"{program} %s") as server:
        yield server


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("demo"), "--demo", "--host", "0.0.0.0", "--allowed-host", "rr.example.org") as server:
        yield server


@pytest.fixture(params=["local", "demo"])
def server(request):
    return request.getfixturevalue(request.param)


def refused(server, **how):
    """The status that a websocket is refused with; 101 where it is not."""
    try:
        with stream(server.port, **{"token": server.token} | how):
            return 101
    except InvalidStatus as error:
        return error.response.status_code


def test_a_tab_of_the_dashboard_itself_is_served(server):
    assert refused(server, origin=f"http://localhost:{server.port}") == 101
    assert refused(server, host=f"127.0.0.1:{server.port}", origin=f"http://127.0.0.1:{server.port}") == 101


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example:{port}", "127.0.0.1.evil.example"])
def test_another_name_is_refused(server, host):
    """DNS rebinding: a page of evil.example whose name was made to point here."""
    host = host.format(port=server.port)
    assert refused(server, host=host, origin=f"http://{host}") == 403
    assert refused(server, host=host) == 403
    for path in ("/", "/_stcore/host-config", "/budget"):
        assert ask(server.port, path, token=server.token, Host=host).status == 421, path


@pytest.mark.parametrize(
    "host",
    [
        "",
        "x@localhost",
        "localhost, evil.example",
        "localhost:1x",
        "[::1",
        "localhost..:{port}",
        "[::ffff:127.0.0.1]:{port}",
        "127.1",
    ],
)
def test_other_spellings_of_a_name_are_refused(local, host):
    assert ask(local.port, "/", token=local.token, Host=host.format(port=local.port)).status == 421


@pytest.mark.parametrize("host", ["[::1]:{port}", "LOCALHOST.:{port}", "127.0.0.1"])
def test_own_names_are_known_however_they_are_written(local, host):
    assert ask(local.port, "/_stcore/host-config", token=local.token, Host=host.format(port=local.port)).status == 200


def test_an_allowed_host_is_known(demo):
    assert ask(demo.port, "/", Host="rr.example.org").status == 200


@pytest.mark.parametrize(
    "origin", ["http://localhost:1", "https://localhost:{port}", "http://127.0.0.1:{port}", "null", "http://evil.example"]
)
def test_pages_of_other_origins_are_refused(server, origin):
    origin = origin.format(port=server.port)
    assert refused(server, origin=origin) == 403
    assert ask(server.port, "/_stcore/host-config", token=server.token, Origin=origin).status == 403
    assert ask(server.port, "/_stcore/upload_file/a/b", token=server.token, method="PUT", Origin=origin).status == 403


def test_other_sites_take_no_pictures_or_code_from_here(server):
    for site in ("cross-site", "same-site"):
        assert ask(server.port, "/", token=server.token, Sec_Fetch_Site=site, Sec_Fetch_Mode="no-cors").status == 403
        assert ask(server.port, "/", token=server.token, Sec_Fetch_Site=site, Sec_Fetch_Mode="navigate").status == 200


@pytest.mark.parametrize("path", ["metrics", "agent/openapi.json", "agent/interact", "script-health-check", "other"])
def test_what_a_browser_does_not_need_is_shut(server, path):
    for spelt in (path, f"{path}/", f"./{path}", path.upper()):
        answer = ask(server.port, f"/_stcore/{spelt}", token=server.token)
        assert answer.status == 404 or b"Streamlit" in answer.body, spelt  # the page itself, which any unknown address gets


@pytest.mark.parametrize("path", ["/", "/budget", "/media/none", "/_stcore/metrics", "/?token=wrong"])
def test_every_response_has_its_headers(server, path):
    headers = ask(server.port, path, token=server.token).headers
    assert {name: headers[name] for name in HEADERS} == HEADERS
    assert headers["Cache-Control"] == "no-store"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "unsafe-eval'" not in headers["Content-Security-Policy"].replace("wasm-unsafe-eval", "")
    assert "script-src 'self' 'unsafe-inline'" not in headers["Content-Security-Policy"]
    assert not [name for name in headers if name.lower().startswith("access-control-")]


def test_the_chapters_of_learn_may_be_framed_here_and_nowhere_else(local):
    answer = ask(local.port, "/lesson", token=local.token)
    assert b"Randomized response in ten chapters" in answer.body
    assert answer.headers["X-Frame-Options"] == "SAMEORIGIN"
    assert answer.headers["Content-Security-Policy"] == "frame-ancestors 'self'"  # the rest is in the page


def test_the_code_of_the_page_is_kept_by_browsers(local):
    page = ask(local.port, "/", token=local.token).body.decode()
    script = page.partition('crossorigin src="./')[2].partition('"')[0]
    answer = ask(local.port, f"/{script}", token=local.token)
    assert answer.status == 200
    assert "immutable" in answer.headers["Cache-Control"]


def test_messages_are_not_packed(local):
    address = f"ws://localhost:{local.port}/_stcore/stream"
    sent = {"Cookie": cookie(local.port, local.token)}
    with connect(address, subprotocols=["streamlit"], additional_headers=sent, proxy=None) as socket:
        assert socket.protocol.extensions == []


# The token


def test_a_page_without_the_token_says_how_to_get_in(local):
    answer = ask(local.port, "/budget", Accept="text/html")
    assert answer.status == 403
    assert b"terminal" in answer.body


@pytest.mark.parametrize("token", ["", "wrong", "ä"])
def test_nothing_is_given_without_the_token(local, token):
    assert refused(local, token=token.encode("ascii", "ignore").decode()) == 403
    for path in ("/", "/_stcore/host-config", "/media/some.csv", "/lesson", "/static/js/index.js", "/budget"):
        assert ask(local.port, path, Cookie=f"rr_workbench_{local.port}={token}".encode().decode("latin-1")).status == 403, path
    for method in ("PUT", "POST", "DELETE"):
        assert ask(local.port, "/_stcore/upload_file/a/b", method=method).status == 403
    assert ask(local.port, "/_stcore/health").body == b"ok"


def test_the_link_gives_a_cookie_and_hides_the_token(local):
    answer = ask(local.port, f"/budget?table=haireye&token={local.token}&seed=3")
    assert (answer.status, answer.headers["Location"]) == (303, "/budget?table=haireye&seed=3")
    assert re.fullmatch(rf"rr_workbench_{local.port}={local.token}; HttpOnly; Path=/; SameSite=lax", answer.headers["Set-Cookie"])
    assert ask(local.port, f"//evil.example/?token={local.token}").headers["Location"] == "/evil.example/"
    assert ask(local.port, "/?token=wrong").status == 403
    assert ask(local.port, f"/?token={local.token}", method="POST").status == 403


def test_the_token_is_in_no_command_and_survives_a_restart(local, folder, tmp_path, monkeypatch):
    """Other users of this computer see the commands of all processes. The second server is a container, which listens to others."""
    seen, place, deadline = folder / "seen", folder / "rr-workbench" / "token", time.monotonic() + 30
    while not (seen.exists() and seen.read_text().endswith("\n")) and time.monotonic() < deadline:
        time.sleep(0.05)
    page = folder / "rr-workbench" / f"open-{local.port}.html"
    assert seen.read_text().split() == [page.as_uri()]
    assert f'url=http://localhost:{local.port}/?token={local.token}"' in page.read_text()
    assert page.stat().st_mode & 0o777 == place.stat().st_mode & 0o777 == 0o600
    with serving(tmp_path, "--container", prefix="/rr", XDG_STATE_HOME=str(folder)) as second:
        assert f"http://localhost:{second.port}/rr/?token={local.token}" in (tmp_path / "server.log").read_text()
        assert ask(second.port, f"/rr/?token={local.token}").headers["Location"] == "/rr/"
        assert ask(second.port, "/rr/").status == 403
        assert ask(second.port, "/rr/", token=local.token).status == 200
        assert ask(second.port, "/rr/", token=local.token, Host="172.17.0.2").status == 421
    place.chmod(0o640)
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    with pytest.raises(InputError, match=re.escape(f"The file '{place}' belongs to another user")):
        read_token()


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="needs IPv6")
def test_a_program_at_the_other_address_of_localhost_gets_no_token(local):
    with pytest.raises(OSError, match=str(errno.EADDRINUSE)):
        socket.create_server(("::1", local.port), family=socket.AF_INET6)
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as other:
        assert local_name("localhost", other.getsockname()[1])[0] == "127.0.0.1"
    assert [local_name(own, 80)[0] for own in ("127.0.0.3", "::1")] == ["127.0.0.3", "[::1]"]


def test_a_server_that_others_could_reach_does_not_start(tmp_path, monkeypatch):
    with pytest.raises(AssertionError, match="--demo"), serving(tmp_path, "--host", "0.0.0.0"):
        pass
    monkeypatch.setenv(DEMO_VARIABLE, "yes")
    with pytest.raises(InputError, match="--allowed-host"):
        allowed_names("0.0.0.0", ())


# A demo


def test_a_demo_below_a_prefix_takes_no_file(tmp_path):
    with serving(tmp_path, "--demo", prefix="/rr") as server:
        for method in ("PUT", "POST", "DELETE", "HEAD", "OPTIONS", "GET"):
            for path in ("/rr/_stcore/upload_file/a/b", "/rr//_stcore/upload_file/a/b", "/rr/%5fstcore/upload%5ffile/a/b"):
                assert ask(server.port, path, method=method).status == 403, (method, path)


def test_a_demo_takes_no_file(demo):
    with stream(demo.port) as socket:
        tab = Tab(socket).open("data", "table=titanic")
        assert tab.id
        for session in (tab.id, "other"):
            for method in ("PUT", "POST", "DELETE", "OPTIONS"):
                answer = ask(demo.port, f"/_stcore/upload_file/{session}/one", method=method)
                assert answer.status == 403, method
    with stream(demo.port) as socket, pytest.raises(ConnectionClosedError):  # before the memory holds the whole message
        Tab(socket).open(query="x" * 17 * 2**20)


@pytest.mark.parametrize("page", ["collect", "release", "field", "read", "models", "audit", "ledger"])
def test_a_demo_does_not_run_pages_that_are_switched_off(demo, page):
    for script in ("", calc_hash(page), calc_hash(str(ROOT / "pages" / page / "page.py"))):
        with stream(demo.port) as socket:
            tab = Tab(socket).open(page, "table=titanic", script=script)
        assert not {"file_uploader", "exception"} & tab.kinds
        assert "Protect every answer, and still learn the percentages" in tab.texts


@pytest.mark.parametrize("page", ["", "data", "plans", "learn"])
def test_a_demo_shows_the_other_pages_without_uploads(demo, page):
    with stream(demo.port) as socket:
        tab = Tab(socket).open(page, "table=titanic&learn_section=poll")
        assert not {"file_uploader", "exception"} & tab.kinds
        assert not any(TITLE in text or "Class poll" in text for text in tab.texts)


def test_local_pages_ask_for_files(local):
    with stream(local.port, token=local.token) as socket:
        tab = Tab(socket).open("budget")
        assert any(TITLE in text for text in tab.texts)
        assert "file_uploader" in tab.kinds


def test_no_core_is_dumped(local):
    place = Path(f"/proc/{local.process.pid}/limits")
    limits = place.read_text() if place.exists() else ""
    assert re.search(r"Max core file size +0 +0", limits) or not limits
