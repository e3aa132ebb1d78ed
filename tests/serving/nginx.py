"""nginx in front of what it serves, by the files in ``deploy``, and how to speak to it over TLS."""

import asyncio
import datetime as dt
import os
import re
import shutil
import socket
import ssl
import subprocess
import threading
import time
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import psutil
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from websockets.asyncio.client import connect

from tests.ports import free_port
from tests.receiver.conftest import mechanism as mechanism
from tests.serving.conftest import ROOT, serving
from tests.serving.visitor import MANY

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


@cache
def _loop():
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    return loop


class SecureTab:
    """A websocket over TLS, all of it in one thread: the client that has two loses a handshake now and then, one of some 200."""

    def __init__(self, *place, **options):
        async def opened():
            return await connect(*place, **options)

        self._connection = self._done(opened())

    def _done(self, work):
        return asyncio.run_coroutine_threadsafe(work, _loop()).result(60)

    def send(self, message):
        self._done(self._connection.send(message))

    def recv(self, timeout=None):
        return self._done(asyncio.wait_for(self._connection.recv(), timeout))

    @property
    def close_code(self):
        return self._connection.close_code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._done(self._connection.close())


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

    def tab(self, cookies, origin="", source="127.0.0.1"):
        cookie = "; ".join(f"{name}={text}" for name, text in cookies.items())
        sock = socket.create_connection(("127.0.0.1", self.port), timeout=60, source_address=(source, 0))
        sock.setblocking(False)
        return SecureTab(
            f"wss://{self.own}/_stcore/stream",
            sock=sock,
            ssl=self.trusted,
            server_hostname=NAME,
            origin=origin or f"https://{self.own}",
            subprotocols=["streamlit", cookies["_streamlit_xsrf"]],
            additional_headers={"Cookie": cookie},
            max_size=MANY,
            proxy=None,
            compression=None,
            close_timeout=1,
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


@contextmanager
def proxied(folder):
    """Two dashboards and nginx in front of them."""
    program, port = nginx(), free_port()
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
