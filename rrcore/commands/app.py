"""The command ``app``: the dashboard in a browser, of the installed package or of a checkout, served by Streamlit."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from rrcore.errors import InputError, need

SURVEY_VARIABLE = "RR_WORKBENCH_SURVEY"
"""Environment variable with the place of the survey that page Field opens first."""


def add_app(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``app`` and what it runs."""
    command.add_argument("--port", help="port to listen on (default 8501, or the next one that is free)")
    command.add_argument("--address", help="address to listen on (default localhost: this machine only)")
    command.add_argument("--no-browser", action="store_true", help="open no browser window")
    command.add_argument(
        "--survey", metavar="FILE_OR_URL", help="the survey that page Field opens first, as given to 'rrcore serve --db'"
    )
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    flags = [f"--server.headless={str(options.no_browser).lower()}"]
    if options.port is not None:
        if not (options.port.isascii() and options.port.isdecimal() and 1 <= int(options.port[:6]) <= 65535):
            raise InputError(f"The port is '{options.port[:40]}': give a whole number from 1 to 65535.")
        flags.append(f"--server.port={options.port}")
    if options.address is not None:
        flags.append(f"--server.address={options.address}")
    if options.survey is not None:
        os.environ[SURVEY_VARIABLE] = options.survey
    streamlit = need("streamlit.web.cli", "The dashboard")
    # Else the first link into a page of a fresh server looks for the page among the files of pages/, and finds none.
    need("streamlit.runtime.pages_manager", "The dashboard").PagesManager.uses_pages_directory = False
    try:
        streamlit.main(["run", str(_script()), *flags], prog_name="rrcore app", standalone_mode=False)
    except OSError as error:
        raise InputError(
            f"The dashboard cannot be served there ({error.strerror}): choose another --address or --port."
        ) from error


def _script() -> Path:
    """app.py: a wheel has it in ``_dashboard``, with its configuration beside it; a checkout has it beside ``rrcore``."""
    package = Path(__file__).parents[1]
    installed = package / "_dashboard" / "app.py"
    return installed if installed.exists() else package.parent / "app.py"
