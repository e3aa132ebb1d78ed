"""nginx in front of what it serves, by the files in ``deploy``, and how to speak to it over TLS."""

import datetime as dt
import os
import re
import socket
import ssl
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import psutil
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from websockets.sync.client import connect

from tests.ports import free_port
from tests.programs import nginx
from tests.serving.conftest import ROOT, serving
from tests.serving.visitor import cookie

NAME = "rr.example.org"
PART = 2**20


def certificate(folder, host=NAME):
    """One that this computer signs itself."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    now = dt.datetime.now(dt.UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + dt.timedelta(1))
    signed = made.add_extension(
        x509.SubjectAlternativeName([x509.DNSName(host), x509.DNSName(f"*.{host}")]), critical=False
    ).sign(key, hashes.SHA256())
    (folder / "fullchain.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / "privkey.pem").write_bytes(key.private_bytes(*form))


class Proxy:
    """nginx, and the dashboards behind it; speaks to it as a browser does, over TLS, by the name of one of them."""

    def __init__(self, folder, port, servers):
        self.folder, self.port, self.servers = folder, port, servers
        self.trusted = ssl.create_default_context(cafile=folder / "fullchain.pem")

    def own(self, name):
        return f"{name}.{NAME}:{self.port}"

    def socket(self, name):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        return self.trusted.wrap_socket(connection, server_hostname=f"{name}.{NAME}")

    def ask(self, name, line, *parts, **headers):
        """Send a request, part by part; the whole answer."""
        head = {"Host": self.own(name), "Connection": "close"} | {key.replace("_", "-"): text for key, text in headers.items()}
        with self.socket(name) as sent:
            sent.sendall("\r\n".join([line, *(f"{key}: {text}" for key, text in head.items()), "", ""]).encode())
            for part in parts:
                sent.sendall(part() if callable(part) else part)
            answer = b""
            while more := sent.recv(65536):
                answer += more
        return answer.decode()

    def cookies(self, name):
        """Of a browser that opened the link of that person."""
        server = self.servers[name]
        answer = self.ask(name, f"GET /_stcore/health?token={server.token} HTTP/1.1")
        xsrf = re.search(r"(?i)^set-cookie: (_streamlit_xsrf=[^;\r]+)", answer, re.MULTILINE)[1]
        return f"{cookie(server.port, server.token)}; {xsrf}"

    def tab(self, name, cookies, origin=""):
        return connect(
            f"wss://{self.own(name)}/_stcore/stream",
            sock=socket.create_connection(("127.0.0.1", self.port), timeout=60),
            ssl=self.trusted,
            server_hostname=f"{name}.{NAME}",
            origin=origin or f"https://{self.own(name)}",
            subprotocols=["streamlit", cookies.partition("_streamlit_xsrf=")[2]],
            additional_headers={"Cookie": cookies},
            max_size=2**27,
            proxy=None,
            compression=None,
        )

    def upload(self, name, tab, cookies, size, middle=lambda: b""):
        """Send a file of this many bytes as the page does; ``middle`` is called when half of it is sent."""
        opening = b'--cut\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n'
        closing = b"\r\n--cut--\r\n"
        parts = [b"x" * PART] * (size // PART)
        half = len(parts) // 2
        headers = {
            "Origin": f"https://{self.own(name)}",
            "Cookie": cookies,
            "X_Xsrftoken": cookies.partition("_streamlit_xsrf=")[2],
            "Content_Type": "multipart/form-data; boundary=cut",
            "Content_Length": str(len(opening) + size + len(closing)),
        }
        line = f"PUT /_stcore/upload_file/{tab.id}/one HTTP/1.1"
        return self.ask(name, line, opening, *parts[:half], middle, *parts[half:], closing, **headers)

    def files(self):
        """Files on a disk that nginx and the processes have open for writing, and what lies in their folders."""
        known = {"server.log", "error.log", "nginx.pid"}
        processes = [psutil.Process(server.process.pid) for server in self.servers.values()]
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
    """The dashboards of Ada and Bob, and nginx in front of them."""
    program, port = nginx(), free_port()
    certificate(folder)
    for each in ("ada", "bob"):
        (folder / each).mkdir()
    places = dict.fromkeys(("TMPDIR", "HOME"), str(folder))
    with (
        serving(folder / "ada", "--allowed-host", f"ada.{NAME}", **places) as ada,
        serving(folder / "bob", "--allowed-host", f"bob.{NAME}", **places) as bob,
    ):
        moved = {
            "listen 80;": f"listen 127.0.0.1:{free_port()};",
            "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
            f"ada.{NAME} 8501;": f"ada.{NAME} {ada.port};",
            f"bob.{NAME} 8502;": f"bob.{NAME} {bob.port};",
            "/etc/ssl/rr.example.org": str(folder),
        }
        with in_front(program, "nginx.conf", folder, port, moved):
            yield Proxy(folder, port, {"ada": ada, "bob": bob})


@contextmanager
def in_front(program, name, folder, port, moved):
    """nginx with a file of ``deploy``, whose places are ``moved``, and with what the file says of the main configuration."""
    text = (ROOT / "deploy" / name).read_text(encoding="utf-8")
    for old, new in moved.items():
        assert old in text
        text = text.replace(old, new)
    main = "\n".join(re.findall(r"^#   (worker_rlimit_nofile .*;|events .*})$", text, re.MULTILINE)) or "events {}"
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
