"""The command ``app``: the dashboard in a browser, of the installed package or of a checkout, served by Streamlit."""

import argparse
import gc
import os
from pathlib import Path

from rrcore.commands.metrics import add_metrics
from rrcore.commands.values import adder, port
from rrcore.errors import InputError, need
from rrcore.work.memory import restart_wiping

SURVEY_VARIABLE = "RR_WORKBENCH_SURVEY"
"""Environment variable with the place of the survey that page Field opens first."""

OPERATOR_VARIABLE = "RR_WORKBENCH_OPERATOR"
"""Environment variable with the path of the operator's file."""

LEDGERS_VARIABLE = "RR_WORKBENCH_LEDGERS"
"""Environment variable with the folder of the ledgers, in place of the one that the operator's file names."""


METRICS_VARIABLE = "RR_WORKBENCH_METRICS"
"""Environment variable with the address of the metrics."""

JSON_VARIABLE = "RR_WORKBENCH_JSON"
"""Environment variable that is not empty where the lines of the log are JSON."""


def add_app(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``app`` and what it runs."""
    add = adder(command)
    add("--port", "port to listen on (default 8501, or the next one that is free)", port())
    add("--host", "address to listen on (default localhost: this machine only)", "HOST")
    add("--no-browser", "open no browser window", action="store_true")
    add("--survey", "the survey that page Field opens first, as given to 'rrcore serve --db'", "FILE_OR_URL")
    add("--ledgers", "where page Ledger keeps ledgers (default: the folder this is started in)", "FOLDER")
    add("--operator", "limits, folders and names of this server, a TOML file (see docs/hosting.md in the source)", "FILE")
    add_metrics(command)
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    restart_wiping("app")
    gc.disable()  # until the server runs: looking for garbage among what is loaded takes a sixth of the start
    flags = [f"--server.headless={str(options.no_browser).lower()}"]
    if options.port is not None:
        flags.append(f"--server.port={options.port}")
    if options.host is not None:
        flags.append(f"--server.address={options.host}")
    given = {SURVEY_VARIABLE: options.survey, OPERATOR_VARIABLE: options.operator, LEDGERS_VARIABLE: options.ledgers}
    given |= {METRICS_VARIABLE: options.metrics, JSON_VARIABLE: "yes" if options.json else None}
    os.environ.update({variable: text for variable, text in given.items() if text is not None})
    streamlit = need("streamlit.web.cli", "The dashboard")
    try:
        streamlit.main(["run", str(_script()), *flags], prog_name="rrcore app", standalone_mode=False)
    except OSError as error:
        raise InputError(f"The dashboard cannot be served there ({error.strerror}): choose another --host or --port.") from error
    finally:
        gc.enable()


def _script() -> Path:
    """app.py: a wheel has it in ``_dashboard``, with its configuration beside it; a checkout has it beside ``rrcore``."""
    package = Path(__file__).parents[1]
    installed = package / "_dashboard" / "app.py"
    return installed if installed.exists() else package.parent / "app.py"
