"""The promises of the configuration: this machine only, no telemetry, no question at the start, uploads kept in memory."""

import tomllib
from pathlib import Path

from starlette.formparsers import MultiPartParser

from pages.shared import state
from rrcore.limits import MAX_FILE_BYTES

CONFIG = tomllib.loads((Path(__file__).parents[1] / ".streamlit" / "config.toml").read_text(encoding="utf-8"))


def test_the_server_answers_this_machine_only_and_asks_nothing():
    assert CONFIG["server"]["address"] == "localhost"
    assert CONFIG["server"]["showEmailPrompt"] is False
    assert CONFIG["server"]["enableXsrfProtection"] is True
    assert CONFIG["server"]["enableCORS"] is True
    assert CONFIG["browser"]["gatherUsageStats"] is False
    assert CONFIG["server"]["maxUploadSize"] * 2**20 > MAX_FILE_BYTES  # so that our sentence is the one that is read


def test_an_upload_within_the_limit_never_reaches_the_disk():
    state.keep_uploads_in_memory()
    assert CONFIG["server"]["maxUploadSize"] * 2**20 <= MultiPartParser.spool_max_size
