"""What one address may leave open: heads, bodies, handshakes and answers that are not completed end in time, and never keep others out."""

import asyncio
import datetime as dt
import logging
import resource
import socket
import ssl
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import pytest
import uvicorn
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from rrcore.work.web.addresses import network
from rrcore.work.web.connections import Connections, more_files
from tests.crowd import crowd, ended, visited, wait_for

HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
POST = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n"
HUGE = 2**25


async def app(scope, receive, send):
    """Reads a body to its end, and answers with as much as the path says; "/hasty" does not read."""
    if scope["type"] == "lifespan":
        while True:
            message = await receive()
            await send({"type": f"{message['type']}.complete"})
            if message["type"] == "lifespan.shutdown":
                return
    more = scope["path"] != "/hasty"
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        more = message.get("more_body", False)
    if scope["path"] == "/slow":
        await asyncio.sleep(1.5)
    size = HUGE if scope["path"] == "/huge" else 1
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", str(size).encode())]})
    for _ in range(max(1, size // 2**20)):
        await send({"type": "http.response.body", "body": b"x" * min(size, 2**20), "more_body": True})
    await send({"type": "http.response.body", "body": b""})


@contextmanager
def serving(tls=None, idle=5, **limits):
    """The port of a server in this process, and its connections."""
    counted = Connections(**limits)
    config = uvicorn.Config(
        app, log_level="error", ws="none", timeout_keep_alive=idle, ssl_certfile=tls and tls[0], ssl_keyfile=tls and tls[1]
    )
    counted.guard(config)
    server = uvicorn.Server(config)
    at = socket.socket()
    at.bind(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [at]})
    thread.start()
    wait_for(lambda: server.started)
    try:
        yield at.getsockname()[1], counted
    finally:
        server.should_exit = True
        thread.join(20)
        assert not thread.is_alive()


@pytest.mark.parametrize("secured", [False, True], ids=["plain", "tls"])
def test_what_is_written_is_sent_at_once(request, secured):
    """Without Nagle's algorithm, though the socket that is listened on names no protocol, by which asyncio would see to it."""
    with serving(tls=request.getfixturevalue("certificate") if secured else None) as (port, counted), opened(port):
        wait_for(lambda: counted._open)
        (own,) = counted._open.values()
        (one,) = own
        assert one.raw.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def opened(port, sent=b"", source="127.0.0.2"):
    one = socket.create_connection(("127.0.0.1", port), timeout=20, source_address=(source, 0))
    one.sendall(sent)
    return one


def seconds_open(one):
    """How long the other side leaves it open; what comes meanwhile is taken."""
    started = time.monotonic()
    try:
        while one.recv(65536):
            pass
    except ConnectionError:
        pass
    return time.monotonic() - started


@pytest.mark.parametrize("sent", [b"", HEAD, POST, POST + b"x" * 99], ids=["silent", "head", "no body", "most of a body"])
def test_what_is_not_completed_ends_in_time(sent):
    with serving(seconds=0.4) as (port, _):
        assert seconds_open(opened(port, sent)) >= 0.2
        assert visited(port)[0] == 200


def trickled(one, byte, most=5.0):
    """How long it stays open where a byte is sent now and then."""
    started = time.monotonic()
    try:
        while time.monotonic() - started < most:
            one.sendall(byte)
            time.sleep(0.05)
    except ConnectionError:
        pass
    return time.monotonic() - started


def test_a_head_that_comes_byte_by_byte_has_no_more_time_and_a_body_that_goes_on_has():
    with serving(seconds=0.5) as (port, _):
        assert trickled(opened(port, HEAD + b"X-Slow: "), b"x") < 4
        body = opened(port, POST)
        for _ in range(25):
            body.sendall(b"xxxx")
            time.sleep(0.06)
        assert body.recv(100).startswith(b"HTTP/1.1 200")


def test_a_body_that_nobody_asked_for_is_not_waited_for_without_end():
    """uvicorn leaves a connection open for as long as a byte comes after its answer."""
    with serving(seconds=0.5) as (port, _):
        hasty = opened(port, POST.replace(b"/", b"/hasty", 1))
        assert hasty.recv(100).startswith(b"HTTP/1.1 200")
        hasty.settimeout(10)
        assert seconds_open(hasty) < 8


def test_an_answer_that_is_not_taken_is_given_up_and_one_that_is_long_in_the_making_is_not():
    with serving(seconds=0.5) as (port, counted):
        opened(port, HEAD.replace(b"/", b"/huge", 1) + b"\r\n")
        kept = opened(port, HEAD.replace(b"/", b"/huge", 1) + b"\r\n")
        wait_for(lambda: not counted._open, 10)
        assert visited(port, "/slow")[0] == 200
        assert visited(port, "/huge")[0] == 200
        kept.close()


def test_of_one_address_so_many_stay_and_the_longest_silent_goes_first():
    with serving(each=20, seconds=60) as (port, counted), crowd(port, 60, HEAD) as connections:
        wait_for(lambda: ended(connections) >= 40)
        assert ended(connections[:30]) == 30
        assert ended(connections[-15:]) == 0
        assert len(counted._open["127.0.0.2"]) <= 20
        other = opened(port, HEAD, "127.0.0.3")
        assert visited(port)[0] == 200
        other.sendall(b"\r\n")
        assert other.recv(100).startswith(b"HTTP/1.1 200")


def test_addresses_of_one_network_have_the_places_of_one(monkeypatch):
    """As those of one household with IPv6 are, of which a computer without a network has none."""
    monkeypatch.setattr("rrcore.work.web.connections.network", lambda peer: "a household" if peer != "127.0.0.1" else peer)
    with serving(each=10, seconds=60) as (port, _), crowd(port, 10, HEAD) as first, crowd(port, 10, HEAD, "127.0.0.3") as more:
        wait_for(lambda: ended(first) + ended(more) >= 10)
        assert visited(port)[0] == 200


def test_what_is_kept_open_after_a_request_is_not_unfinished():
    with serving(each=5, seconds=60, idle=60) as (port, _):
        kept = [opened(port, HEAD + b"\r\n") for _ in range(30)]
        assert all(one.recv(100).startswith(b"HTTP/1.1 200") for one in kept)
        time.sleep(1.6)  # it is looked every half second at what has waited for more than one
        assert ended(kept) == 0


def test_a_proxy_is_no_single_visitor():
    with serving(proxied=lambda peer: peer == "127.0.0.2", each=5, seconds=60) as (port, _), crowd(port, 40, HEAD) as connections:
        assert visited(port)[0] == 200
        time.sleep(1.6)
        assert ended(connections) == 0


def test_where_there_is_no_room_whoever_waits_longest_makes_some():
    """Many addresses at once: none has more than it may, and still there is an end to what fits."""
    with serving(all=30, seconds=60) as (port, counted):
        many = [opened(port, HEAD, f"127.0.1.{number}") for number in range(1, 91)]
        wait_for(lambda: ended(many) >= 60)
        assert visited(port)[0] == 200
        assert sum(map(len, counted._open.values())) <= 31


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """PEM files of a certificate for this computer, and its key."""
    folder, key = tmp_path_factory.mktemp("tls"), ec.generate_private_key(ec.SECP256R1())
    name, now = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")]), dt.datetime.now(dt.UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + dt.timedelta(1))
    signed = made.add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
    (folder / "one.pem").write_bytes(signed.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / "key.pem").write_bytes(key.private_bytes(*form))
    return folder / "one.pem", folder / "key.pem"


def test_handshakes_that_are_not_completed_count_and_end(certificate):
    trusted = ssl.create_default_context(cafile=certificate[0])
    with serving(certificate, each=20, seconds=60) as (port, counted), crowd(port, 60) as connections:
        wait_for(lambda: ended(connections) >= 40)
        assert visited(port, tls=trusted)[0] == 200
        assert len(counted._open["127.0.0.2"]) <= 20
    with serving(certificate, seconds=0.4) as (port, counted):
        assert seconds_open(opened(port)) >= 0.2
        assert seconds_open(opened(port, HEAD + b"\r\n")) < 10  # what is no handshake
        assert seconds_open(trusted.wrap_socket(opened(port), server_hostname="localhost")) >= 0.2
        wait_for(lambda: not counted._open)


def test_a_request_right_behind_its_handshake_is_answered(certificate):
    trusted = ssl.create_default_context(cafile=certificate[0])
    with serving(certificate) as (port, _):
        for _ in range(20):
            one = trusted.wrap_socket(opened(port), server_hostname="localhost")
            one.sendall(HEAD + b"Connection: close\r\n\r\n")
            assert one.recv(100).startswith(b"HTTP/1.1 200")
            one.close()


SMALL = """
import resource, sys
sys.path.insert(0, {root!r})
resource.setrlimit(resource.RLIMIT_NOFILE, (300, 500))
import logging, tests.work.web.test_connections as here
logging.basicConfig()
with here.serving(seconds=60) as (port, counted):
    print(port, resource.getrlimit(resource.RLIMIT_NOFILE)[0], counted.all, flush=True)
    sys.stdin.read()
"""


def test_descriptors_do_not_run_out(tmp_path):
    """600 connections from many addresses to a process that may have 500 files open, which it is not given by itself."""
    root = str(__import__("pathlib").Path(__file__).parents[3])
    command = [sys.executable, "-c", SMALL.format(root=root)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        port, files, most = map(int, process.stdout.readline().split())
        assert files == 500
        assert most < 250
        many = []
        for number in range(600):
            many.append(opened(port, b"", f"127.0.2.{number % 200 + 1}"))
        assert visited(port)[0] == 200
        told = process.communicate("", timeout=60)[1]
    assert told == ""


def test_as_many_files_are_allowed_as_the_system_lets():
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 0
    with serving() as (_, counted):
        assert 100 < counted.all <= 5000
    assert logging.getLogger("asyncio").handlers == []


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("203.0.113.7:4711", "203.0.113.7"),
        (" 203.0.113.7 ", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2::1]:4711", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2::1]", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::ffff", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("[::ffff:203.0.113.7]:80", "203.0.113.7"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("unknown", ""),
        ("203.0.113.7:port", ""),
        ("203.0.113.7:4711:4711", ""),
        ("[203.0.113.7", ""),
        ("_hidden", ""),
    ],
)
def test_an_address_counts_without_its_port_and_of_ipv6_its_network(address, counted):
    assert network(address) == counted


@pytest.mark.parametrize(
    ("soft", "hard", "given", "allowed"),
    [
        (1_024, 4_096, 4_096, (4_096, 4_096)),
        (1_024, resource.RLIM_INFINITY, 12_048, (12_048, resource.RLIM_INFINITY)),
        (50_000, 50_000, 50_000, None),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, 12_048, None),
    ],
)
def test_as_many_files_are_allowed_as_may_be(soft, hard, given, allowed, monkeypatch):
    asked = []
    monkeypatch.setattr(resource, "getrlimit", lambda what: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda what, limits: asked.append(limits))
    assert more_files() == given
    assert asked == ([] if allowed is None else [allowed])
