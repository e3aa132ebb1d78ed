"""Two processes behind a real nginx, by the configuration in ``deploy``: TLS, websockets, one process a browser, no upload on disk."""

import datetime as dt
import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.collect.receiver import phones
from tests.collect.receiver.conftest import mechanism as mechanism
from tests.crowd import crowd, served_in_time
from tests.serving.conftest import ROOT, free_port, serving
from tests.serving.visitor import MANY, Tab

pytestmark = pytest.mark.slow
NAME = "rr.example.org"
PART = 2**20


def nginx():
    found = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if found is None:
        (pytest.fail if os.environ.get("RR_REQUIRE_NGINX") else pytest.skip)("nginx is not installed: install nginx-light")
    return found


def certificate(folder, host=NAME):
    """One that this computer signs itself."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    now = dt.datetime.now(dt.UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + dt.timedelta(1))
    signed = made.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False).sign(key, hashes.SHA256())
    (folder / "fullchain.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / "privkey.pem").write_bytes(key.private_bytes(*form))


class Proxy:
    """nginx, and what lies behind it; speaks to it as a browser does, over TLS."""

    def __init__(self, folder, port, servers):
        self.folder, self.port, self.servers = folder, port, servers
        self.own = f"{NAME}:{port}"
        self.trusted = ssl.create_default_context(cafile=folder / "fullchain.pem")

    def socket(self):
        return self.trusted.wrap_socket(socket.create_connection(("127.0.0.1", self.port), timeout=60), server_hostname=NAME)

    def ask(self, head, *parts):
        """Send a request as it stands, part by part; the whole answer."""
        with self.socket() as sent:
            sent.sendall(head.replace("\n", "\r\n").encode())
            for part in parts:
                sent.sendall(part() if callable(part) else part)
            answer = b""
            while more := sent.recv(65536):
                answer += more
        return answer

    def cookies(self):
        """Of a browser that comes for the first time."""
        answer = self.ask(f"GET /_stcore/health HTTP/1.1\nHost: {self.own}\nConnection: close\n\n").decode()
        return dict(re.findall(r"(?i)^set-cookie: ([\w-]+)=([^;\r]+)", answer, re.MULTILINE))

    def tab(self, cookies, origin=""):
        cookie = "; ".join(f"{name}={text}" for name, text in cookies.items())
        return connect(
            f"wss://{self.own}/_stcore/stream",
            sock=socket.create_connection(("127.0.0.1", self.port), timeout=60),
            ssl=self.trusted,
            server_hostname=NAME,
            origin=origin or f"https://{self.own}",
            subprotocols=["streamlit", cookies["_streamlit_xsrf"]],
            additional_headers={"Cookie": cookie},
            max_size=MANY,
            proxy=None,
            compression=None,
        )

    def upload(self, tab, cookies, size, middle=lambda: b""):
        """Send a file of so many bytes as the page does; ``middle`` is called when half of it is sent."""
        opening = b'--cut\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n'
        closing = b"\r\n--cut--\r\n"
        cookie = "; ".join(f"{name}={text}" for name, text in cookies.items())
        head = (
            f"PUT /_stcore/upload_file/{tab.id}/one HTTP/1.1\nHost: {self.own}\nOrigin: https://{self.own}\nConnection: close\n"
            f"Cookie: {cookie}\nX-Xsrftoken: {cookies['_streamlit_xsrf']}\nContent-Type: multipart/form-data; boundary=cut\n"
            f"Content-Length: {len(opening) + size + len(closing)}\n\n"
        )
        parts = [b"x" * PART] * (size // PART)
        half = len(parts) // 2
        return self.ask(head, opening, *parts[:half], middle, *parts[half:], closing).decode()

    def serving_tabs(self):
        """How many websockets each process serves."""
        return [
            sum(
                each.status == "ESTABLISHED" and each.laddr.port == server.port
                for each in psutil.Process(server.process.pid).net_connections()
            )
            for server in self.servers
        ]

    def files(self):
        """Files on a disk that nginx and the processes have open for writing, and what lies in their folders."""
        known = {"server.log", "error.log", "nginx.pid"}
        processes = [psutil.Process(server.process.pid) for server in self.servers]
        processes += [
            each for each in psutil.process_iter(["name"]) if each.info["name"] == "nginx" and str(self.folder) in _place(each)
        ]
        assert len(processes) >= 4  # two servers, nginx and its worker
        for process in processes:
            for number in Path(f"/proc/{process.pid}/fd").iterdir():
                try:
                    place, flags = os.readlink(number), Path(f"/proc/{process.pid}/fdinfo/{number.name}").read_text()
                except FileNotFoundError:
                    continue
                writes = int(re.search(r"flags:\s*(\d+)", flags)[1], 8) & 3
                if place.startswith("/") and not place.startswith("/dev/") and writes and Path(place).name not in known:
                    yield place
        for file in self.folder.rglob("*"):
            if file.is_file() and file.stat().st_size >= PART // 2:
                yield str(file)


def _place(process):
    while process is not None and not (command := " ".join(process.cmdline())).startswith("nginx: master"):
        process = process.parent()
    return "" if process is None else command


@pytest.fixture(scope="module")
def proxy(tmp_path_factory):
    program, folder, port = nginx(), tmp_path_factory.mktemp("nginx"), free_port()
    certificate(folder)
    (folder / "operator.toml").write_text(f'hosts = ["{NAME}"]', encoding="utf-8")
    places = dict.fromkeys(("TMPDIR", "HOME"), str(folder))
    for each in ("one", "two"):
        (folder / each).mkdir()
    operated = ("--operator", str(folder / "operator.toml"))
    with serving(folder / "one", *operated, **places) as one, serving(folder / "two", *operated, **places) as two:
        moved = {
            "listen 80;": f"listen 127.0.0.1:{free_port()};",
            "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
            "127.0.0.1:8501": f"127.0.0.1:{one.port}",
            "127.0.0.1:8502": f"127.0.0.1:{two.port}",
            "/etc/ssl/rr.example.org": str(folder),
        }
        with in_front(program, "nginx.conf", folder, port, moved):
            yield Proxy(folder, port, (one, two))


@contextmanager
def in_front(program, name, folder, port, moved):
    """nginx with a file of ``deploy``, whose places are ``moved``, and with what the file says of the main configuration."""
    text = (ROOT / "deploy" / name).read_text(encoding="utf-8")
    for old, new in moved.items():
        assert old in text
        text = text.replace(old, new)
    main = "\n".join(re.findall(r"^#   (worker_rlimit_nofile .*;|events .*})$", text, re.MULTILINE))
    assert main.count("\n") == 1
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; {main} http {{ access_log off; {temporary}\n{text} }}",
        encoding="utf-8",
    )
    command = [program, "-p", folder, "-e", folder / "error.log", "-c", folder / "nginx.conf"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert process.poll() is None, (folder / "error.log").read_text()
                time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(30)


def test_pages_come_over_tls_with_their_headers_and_other_origins_do_not(proxy):
    answer = proxy.ask(f"GET / HTTP/1.1\nHost: {proxy.own}\nConnection: close\n\n").decode()
    assert answer.startswith("HTTP/1.1 200")
    assert f"connect-src 'self' wss://{proxy.own};" in answer
    assert "strict-transport-security" in answer.lower()
    assert proxy.ask(f"GET /_stcore/metrics HTTP/1.1\nHost: {proxy.own}\nConnection: close\n\n").startswith(b"HTTP/1.1 404")
    for origin in (f"http://{proxy.own}", "https://evil.example", f"https://{NAME}"):
        with pytest.raises(InvalidStatus), proxy.tab(proxy.cookies(), origin):
            pass


def test_a_browser_stays_with_one_of_two_processes_and_uploads_never_touch_a_disk(proxy):
    cookies = proxy.cookies()
    with proxy.tab(cookies) as connection:
        opened = Tab(connection).begin()
        for _ in range(8):  # the other process would say that there is no such session; all to one by chance: 1 of 2^8
            assert proxy.upload(opened, cookies, PART).startswith("HTTP/1.1 204")
        assert sum(proxy.serving_tabs()) == 1
        found = []
        answer = proxy.upload(opened, cookies, 20 * PART, lambda: time.sleep(0.2) or found.extend(proxy.files()) or b"")
        assert answer.startswith("HTTP/1.1 204")
        assert [*found, *proxy.files()] == []
        with ExitStack() as others:
            for _ in range(40):  # each goes to either process by a chance of a half: one of them alone serves all by one of 2^40
                others.enter_context(proxy.tab(proxy.cookies()))
                if min(proxy.serving_tabs()) >= 1:
                    break
            assert min(proxy.serving_tabs()) >= 1


def test_a_file_goes_to_its_own_browser_alone_and_its_cookie_by_tls_alone(proxy):
    """Below a proxy a browser is known by a cookie that no other host and no page without TLS can set."""
    own, other = proxy.cookies(), proxy.cookies()

    def fetched(path, cookies):
        cookie = "; ".join(f"{name}={text}" for name, text in cookies.items())
        return proxy.ask(f"GET {path} HTTP/1.1\nHost: {proxy.own}\nCookie: {cookie}\nConnection: close\n\n").decode()

    name = next(name for name in own if "rr_browser_" in name)
    assert name.startswith("__Host-")
    told = proxy.ask(f"GET / HTTP/1.1\nHost: {proxy.own}\nConnection: close\n\n").decode().lower()
    assert re.search("set-cookie: __host-rr_browser_[^;]+; path=/; httponly; samesite=lax; secure", told)
    with proxy.tab(own) as connection:
        address = Tab(connection).open("ledger").press("Save project")
        assert fetched(address, own).startswith("HTTP/1.1 200")
        place = {"rr_place": own["rr_place"]}  # of the same process
        weak = {name.removeprefix("__Host-"): own[name]}
        for cookies in (
            place,
            other | place,
            {**own, name: other[next(each for each in other if "rr_browser_" in each)]},
            place | weak,
        ):
            assert fetched(address, cookies).startswith("HTTP/1.1 404")


def test_two_thousand_silent_connections_of_one_address_leave_the_dashboard_to_others(proxy):
    with crowd(proxy.port, 2000):
        assert served_in_time(proxy.port, host=proxy.own, tls=proxy.trusted)


def test_two_thousand_silent_connections_of_one_address_leave_the_receiver_to_others(tmp_path, mechanism):
    """The complete file for the receiver: TLS, addresses from the proxy alone, and a pace of its own for each."""
    program, port, host = nginx(), free_port(), "survey.example.org"
    certificate(tmp_path, host)
    with phones.serving(tmp_path, str(tmp_path / "pilot.survey"), mechanism, "--title", "Pilot", "--behind-proxy") as (
        _,
        address,
        _,
    ):
        moved = {
            "listen 80;": f"listen 127.0.0.1:{free_port()};",
            "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
            "127.0.0.1:8000": address.removeprefix("http://"),
            "/etc/ssl/survey.example.org": str(tmp_path),
        }
        trusted = ssl.create_default_context(cafile=tmp_path / "fullchain.pem")
        with in_front(program, "nginx-receiver.conf", tmp_path, port, moved), crowd(port, 2000):
            assert served_in_time(port, host=f"{host}:{port}", tls=trusted)
