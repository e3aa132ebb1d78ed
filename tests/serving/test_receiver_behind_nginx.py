"""nginx in front of a survey, by the file in ``deploy``: one address that opens or asks more than it is given, and others are served."""

import http.client
import socket
import ssl
import threading
from contextlib import closing, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.ports import free_port
from tests.serving.nginx import certificate, in_front, nginx

pytestmark = [pytest.mark.slow, pytest.mark.long]


class _Upstream(BaseHTTPRequestHandler):
    """Answers with the address that the proxy names."""

    def do_GET(self):
        forwarded = self.headers["X-Forwarded-For"].encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(forwarded)))
        self.end_headers()
        self.wfile.write(forwarded)

    def log_message(self, *_):
        pass


def test_what_one_address_asks_is_limited_and_of_ipv6_its_network_counts(tmp_path):
    program, port, host = nginx(), free_port(), "survey.example.org"
    certificate(tmp_path, host)
    upstream = ThreadingHTTPServer(("127.0.0.1", 0), _Upstream)
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    moved = {
        "rate=100r/s": "rate=1r/m",
        "burst=3000": "burst=9",
        "listen 80;": f"listen 127.0.0.1:{free_port()};",
        "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
        "127.0.0.1:8000": f"127.0.0.1:{upstream.server_port}",
        f"/etc/ssl/{host}": str(tmp_path),
        "limit_conn_zone $rs_address": "set_real_ip_from 127.0.0.1; real_ip_header X-Real-IP; limit_conn_zone $rs_address",
    }
    trusted = ssl.create_default_context(cafile=tmp_path / "fullchain.pem")

    def asked(address):
        client = http.client.HTTPSConnection("127.0.0.1", port, timeout=60, context=trusted)
        client.sock = trusted.wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=60), server_hostname=host)
        with closing(client):
            client.request("GET", "/", headers={"Host": host, "X-Real-IP": address})
            answer = client.getresponse()
            return answer.status, answer.read().decode() if answer.status == 200 else ""

    with in_front(program, "nginx-receiver.conf", tmp_path, port, moved):
        for one, neighbor, other in (
            ("192.0.2.1", "192.0.2.1", "192.0.2.2"),
            ("2001:db8::1", "2001:db8::f:1", "2001:db8:0:1::1"),
        ):
            assert [asked(one)[0] for _ in range(10)] == [200] * 10
            assert asked(neighbor)[0] == 429
            assert asked(other) == (200, other)
    upstream.shutdown()


def test_silent_and_slow_connections_end_and_one_address_has_few(tmp_path):
    program, port, host = nginx(), free_port(), "survey.example.org"
    certificate(tmp_path, host)
    moved = {
        "client_header_timeout 20s": "client_header_timeout 1s",
        "client_body_timeout 20s": "client_body_timeout 1s",
        "limit_conn rs_open 400": "limit_conn rs_open 3",
        "listen 80;": f"listen 127.0.0.1:{free_port()};",
        "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
        f"/etc/ssl/{host}": str(tmp_path),
    }
    trusted = ssl.create_default_context(cafile=tmp_path / "fullchain.pem")

    def opened(sent):
        client = trusted.wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=10), server_hostname=host)
        client.sendall(sent)
        return client

    def ended(client):
        """Read to the end, which a time-out of 10 seconds would prevent."""
        with closing(client), suppress(ConnectionError):
            while client.recv(4096):
                pass

    body = f"POST /answers HTTP/1.1\r\nHost: {host}\r\nContent-Length: 9\r\n\r\n1".encode()
    with in_front(program, "nginx-receiver.conf", tmp_path, port, moved):
        ended(socket.create_connection(("127.0.0.1", port), timeout=10))
        for sent in (b"", b"GET / HTT", body):
            ended(opened(sent))
        open_now = [opened(body) for _ in range(3)]
        with closing(opened(f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())) as one_more:
            assert one_more.recv(4096).startswith(b"HTTP/1.1 429 ")
        for client in open_now:
            ended(client)
