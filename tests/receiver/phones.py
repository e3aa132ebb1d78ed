"""Respondents' phones as the receiver meets them: what the form's JavaScript sends, in Python; and requests straight to the application."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import secrets
import subprocess
import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
KINDS = {"content-type": "application/json"}
MARK = bytes.fromhex("feedfacecafe")
"""What the receipts of these phones begin with, so that they are found in a large memory at once; the rest is random."""


def asked(address, content=None):
    """Status and text of the answer to a request, which sends ``content`` if there is any."""
    request = urllib.request.Request(address, content and content.encode(), KINDS)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def line(mechanism, codes, **more):
    """One line of JSON as the form writes it."""
    answers = {each.name: each.categories[code] for each, code in zip(mechanism.schema.attributes, codes, strict=True)}
    return json.dumps({"mechanism": mechanism.sha256, "answers": answers} | more)


class Hiding:
    """A receipt and its hidden form: RFC 9474 with integers, independent of the receiver's code and of the form's."""

    def __init__(self, modulus):
        self.n = int(modulus, 16)
        self.receipt = MARK + secrets.token_bytes(26)
        self.factor = 1 + secrets.randbelow(self.n - 1)
        self.message = encoded(self.receipt, self.n.bit_length())
        self.hidden = f"{self.message * pow(self.factor, 65537, self.n) % self.n:0512x}"

    def reveal(self, signed):
        signature = int(signed, 16) * pow(self.factor, -1, self.n) % self.n
        assert pow(signature, 65537, self.n) == self.message
        return f"{signature:0512x}"


def encoded(receipt, bits):
    """EMSA-PSS with SHA-384 and no salt (RFC 8017, 9.1.1), as a number."""

    def sha(content):
        return hashlib.sha384(content).digest()

    length = (bits - 1 + 7) // 8
    digest = sha(bytes(8) + sha(receipt))
    block = bytes(length - 48 - 2) + b"\1"
    mask = b"".join(sha(digest + i.to_bytes(4, "big")) for i in range(len(block) // 48 + 1))[: len(block)]
    hidden = int.from_bytes(block, "big") ^ int.from_bytes(mask, "big")
    hidden &= (1 << (8 * len(block) - (8 * length - (bits - 1)))) - 1
    return int.from_bytes(hidden.to_bytes(len(block), "big") + digest + b"\xbc", "big")


async def ask(app, method, path, body=b"", headers=KINDS, sender="192.0.2.1", query=b""):
    """(status, headers, content) of a request that is handed to the application itself."""
    messages, given = [], [{"type": "http.request", "body": body, "more_body": False}]

    async def receive():
        return given.pop() if given else {"type": "http.disconnect"}

    async def send(message):
        messages.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query,
        "root_path": "",
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers.items()],
        "client": (sender, 50000),
        "server": ("127.0.0.1", 8000),
    }
    await app(scope, receive, send)
    found = {name.decode(): value.decode() for name, value in messages[0]["headers"]}
    return messages[0]["status"], found, b"".join(message.get("body", b"") for message in messages[1:])


@asynccontextmanager
async def running(app):
    """The application with its writer."""
    async with app.router.lifespan_context(app):
        yield app


def finished(coroutine):
    """What ``coroutine`` gives, run in a thread of its own: Playwright leaves a running loop in the thread of the tests."""
    with ThreadPoolExecutor(1) as apart:
        return apart.submit(asyncio.run, coroutine).result()


@contextmanager
def serving(folder, place, mechanism, *options):
    """(process, address, log) of a receiver of its own."""
    (folder / "mechanism.json").write_text(mechanism.to_json(), encoding="utf-8")
    log = folder / "server.log"
    command = [
        sys.executable,
        "-m",
        "rrcore",
        "survey",
        "serve",
        "--mechanism",
        str(folder / "mechanism.json"),
        "--db",
        place,
        "--port",
        "0",
    ]
    if "--per-minute" not in options:
        command += ["--per-minute", "1000000"]
    with log.open("wb") as out:
        process = subprocess.Popen([*command, *options], cwd=ROOT, stdout=out, stderr=out)
    try:
        for _ in range(2400):  # two minutes: a machine may have much else to do
            found = re.search(r"http://localhost:\d+", log.read_text())
            if found or process.poll() is not None:
                break
            time.sleep(0.05)
        assert found, log.read_text()
        yield process, found[0], log
    finally:
        process.kill()
        process.wait(30)
