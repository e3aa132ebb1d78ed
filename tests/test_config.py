"""The promises of the configuration: this machine only, no telemetry, no question at the start, uploads kept in memory."""

import asyncio
import inspect
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from starlette.datastructures import Headers
from starlette.formparsers import MultiPartParser

from pages.shared import server
from rrcore.limits import MAX_FILE_BYTES

CONFIG = tomllib.loads((Path(__file__).parents[1] / ".streamlit" / "config.toml").read_text(encoding="utf-8"))


def test_the_server_answers_this_machine_only_and_asks_nothing():
    assert CONFIG["server"]["address"] == "localhost"
    assert CONFIG["server"]["showEmailPrompt"] is False
    assert CONFIG["server"]["enableXsrfProtection"] is True
    assert CONFIG["server"]["enableCORS"] is True
    assert CONFIG["browser"]["gatherUsageStats"] is False
    assert CONFIG["server"]["fileWatcherType"] == "none"  # a watcher kept the server from answering
    assert CONFIG["runner"]["postScriptGC"] is False
    assert CONFIG["runner"]["magicEnabled"] is False  # a note in a page was shown above its title
    assert CONFIG["server"]["maxUploadSize"] * 2**20 > MAX_FILE_BYTES  # so that our sentence is the one that is read


def uploaded(size):
    """The file that Starlette's parser, which Streamlit's server uses, makes of an upload of ``size`` bytes."""

    async def body():
        yield b'--cut\r\nContent-Disposition: form-data; name="file"; filename="answers.csv"\r\nContent-Type: text/csv\r\n\r\n'
        for _ in range(size // 2**16):
            yield b"x" * 2**16
        yield b"\r\n--cut--\r\n"

    headers = Headers({"content-type": "multipart/form-data; boundary=cut"})
    with ThreadPoolExecutor(1) as thread:  # a browser test may have left an event loop running in this one
        form = thread.submit(asyncio.run, MultiPartParser(headers, body()).parse()).result()
    assert form["file"].size == size
    return form["file"].file


def test_an_upload_within_the_limit_never_reaches_the_disk(monkeypatch):
    monkeypatch.setattr(MultiPartParser, "spool_max_size", 2**20)
    assert uploaded(3 * 2**20)._rolled  # what this test would see if Starlette went by another attribute
    server.keep_uploads_in_memory()
    assert CONFIG["server"]["maxUploadSize"] * 2**20 <= MultiPartParser.spool_max_size
    assert not uploaded(3 * 2**20)._rolled


def test_the_installed_starlette_has_the_attribute_that_keeps_uploads_in_memory():
    assert "\n    spool_max_size = " in inspect.getsource(MultiPartParser)
