"""nginx by the files in ``deploy``, and one address that opens, asks or begins more than it is given: others are served."""

import http.client
import socket
import ssl
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.exceptions import InvalidStatus

from tests.crowd import BODY, ELSEWHERE, HALF, crowd, ended, served_in_time, wait_for
from tests.ports import free_port
from tests.receiver import phones
from tests.receiver.conftest import mechanism as mechanism
from tests.serving.conftest import ROOT
from tests.serving.nginx import NAME, certificate, in_front, nginx
from tests.serving.visitor import Tab

pytestmark = [pytest.mark.slow, pytest.mark.long]


@pytest.fixture(scope="module")
def receiver(tmp_path_factory, mechanism):
    """The complete file for the receiver, with less time for a head: where its proxy is, its name and whom to trust."""
    program, folder, port, host = nginx(), tmp_path_factory.mktemp("receiver"), free_port(), "survey.example.org"
    certificate(folder, host)
    options = ("--title", "Pilot", "--behind-proxy")
    with phones.serving(folder, str(folder / "pilot.survey"), mechanism, *options) as (_, address, _):
        moved = {
            "listen 80;": f"listen 127.0.0.1:{free_port()};",
            "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
            "127.0.0.1:8000": address.removeprefix("http://"),
            "/etc/ssl/survey.example.org": str(folder),
            "client_header_timeout 20s; # for the TLS": "client_header_timeout 8s; # for the TLS",
        }
        with in_front(program, "nginx-receiver.conf", folder, port, moved):
            yield port, host, ssl.create_default_context(cafile=folder / "fullchain.pem")


SILENT, SPEAKING = 2000, 1200
"""Connections with which not even a handshake begins, and such over TLS: more than nginx has places for where nobody says how many."""


@pytest.mark.parametrize("sent", [None, HALF, BODY], ids=["silent", "half a head", "half a body"])
def test_unfinished_connections_of_one_address_leave_the_dashboard_to_others(proxy, sent):
    """nginx waits for the rest of a head; a part of a body goes through to the dashboard, while that of an answer waits for the rest too."""
    number, tls = (SILENT, {}) if sent is None else (SPEAKING, {"tls": proxy.trusted, "host": NAME})
    with crowd(proxy.port, number, sent or b"", **tls):
        assert served_in_time(proxy.port, host=proxy.own, tls=proxy.trusted)


@pytest.mark.parametrize("sent", [None, HALF], ids=["silent", "half a head"])
def test_unfinished_connections_of_one_address_leave_the_receiver_to_others(receiver, sent):
    port, host, trusted = receiver
    number, tls = (SILENT, {}) if sent is None else (SPEAKING, {"tls": trusted, "host": host})
    with crowd(port, number, sent or b"", **tls) as connections:
        assert served_in_time(port, host=f"{host}:{port}", tls=trusted)
        if sent is HALF:
            wait_for(lambda: ended(connections) == number, 60)


@pytest.mark.parametrize("says", [b"", BackMsg(app_heartbeat=True).SerializeToString()], ids=["silent", "speaking"])
def test_four_hundred_tabs_of_one_address_leave_places_for_others(proxy, says):
    """nginx counts tabs by their address, and so do the processes behind it: the visitor's own silent tab stays."""
    cookies, tabs, refused = proxy.cookies(), [], []
    with ExitStack() as opened:
        others = proxy.cookies()
        del others["rr_place"]  # so that both processes have their share
        for _ in range(400):
            if len(tabs) == 200:
                own = opened.enter_context(proxy.tab(cookies))
            try:
                tabs.append(opened.enter_context(proxy.tab(others, source=ELSEWHERE)))
                if says:
                    tabs[-1].send(says)
            except InvalidStatus as status:
                refused.append(status.response.status_code)
        assert refused == ([429] * 100 if says else [])  # by limit_conn
        assert served_in_time(proxy.port, host=proxy.own, tls=proxy.trusted)
        assert Tab(own).begin().id
        assert Tab(opened.enter_context(proxy.tab(proxy.cookies()))).begin().id
        if not says:
            wait_for(lambda: sum(each.close_code is not None for each in tabs) >= 250)


class _Upstream(BaseHTTPRequestHandler):
    """Answers with the address that the proxy names; at /slow only once it may."""

    may = threading.Event()

    def do_GET(self):
        if self.path == "/slow":
            self.may.wait(60)
        told = self.headers["X-Forwarded-For"].encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, *_):
        pass


@pytest.mark.parametrize(
    ("file", "host", "zone", "places"),
    [
        ("nginx.conf", NAME, "rr", {"rate=200r/s": "rate=1r/m", "burst=4000": "burst=9", "rr_open 300": "rr_open 5"}),
        (
            "nginx-receiver.conf",
            "survey.example.org",
            "rs",
            {"rate=100r/s": "rate=1r/m", "burst=3000": "burst=9", "rs_open 400": "rs_open 5"},
        ),
    ],
)
def test_what_one_address_asks_and_has_open_is_limited_and_of_ipv6_its_network_counts(tmp_path, file, host, zone, places):
    program, port = nginx(), free_port()
    certificate(tmp_path, host)
    upstream = ThreadingHTTPServer(("127.0.0.1", 0), _Upstream)
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    behind = f"127.0.0.1:{upstream.server_port}"
    moved = places | {
        "listen 80;": f"listen 127.0.0.1:{free_port()};",
        "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
        f"/etc/ssl/{host}": str(tmp_path),
        f"limit_conn_zone ${zone}_address": f"set_real_ip_from 127.0.0.1; real_ip_header X-Real-IP; limit_conn_zone ${zone}_address",
    }
    ports = {"127.0.0.1:8501", "127.0.0.1:8502", "127.0.0.1:8000"}
    text = (ROOT / "deploy" / file).read_text(encoding="utf-8")
    moved |= {place: behind for place in ports if place in text}
    trusted = ssl.create_default_context(cafile=tmp_path / "fullchain.pem")

    def asked(address, path="/"):
        client = http.client.HTTPSConnection("127.0.0.1", port, timeout=60, context=trusted)
        client.sock = trusted.wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=60), server_hostname=host)
        with closing(client):
            client.request("GET", path, headers={"Host": host, "X-Real-IP": address})
            answer = client.getresponse()
            return answer.status, answer.read().decode() if answer.status == 200 else ""

    with in_front(program, file, tmp_path, port, moved):
        for one, neighbour, other in (
            ("192.0.2.1", "192.0.2.1", "192.0.2.2"),
            ("2001:db8::1", "2001:db8::f:1", "2001:db8:0:1::1"),
        ):
            assert [asked(one)[0] for _ in range(10)] == [200] * 10
            assert asked(neighbour)[0] == 429
            assert asked(other) == (200, other)
        with ThreadPoolExecutor(6) as threads:  # requests that wait for their answers
            waiting = [threads.submit(asked, f"2001:db8:1::{number}", "/slow") for number in range(6)]
            first = next(as_completed(waiting)).result()
            assert asked("2001:db8:1:1::1")[0] == 200
            _Upstream.may.set()
            assert first[0] == 429
            assert sorted(each.result()[0] for each in waiting) == [200] * 5 + [429]
    upstream.shutdown()
    _Upstream.may.clear()
