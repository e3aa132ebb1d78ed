"""The command ``app``: the dashboard in a browser, of the installed package or of a checkout, served by Streamlit."""

import argparse
import os
import runpy
import sys
from pathlib import Path

from rrcore.commands.values import adder, port
from rrcore.errors import InputError, need

SURVEY_VARIABLE = "RR_WORKBENCH_SURVEY"
"""Environment variable with the place of the survey that page Field opens first."""

DEMO_VARIABLE = "RR_WORKBENCH_DEMO"
"""Environment variable that is not empty for a demo."""

HOSTS_VARIABLE = "RR_WORKBENCH_ALLOWED_HOSTS"
"""Environment variable with the names that browsers may call this server by, with commas between them."""

CONTAINER_VARIABLE = "RR_WORKBENCH_CONTAINER"
"""Environment variable that is not empty if the server may listen to all addresses of a container."""


def add_app(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``app`` and what it runs."""
    add = adder(command)
    add("--port", "port to listen on (default 8501, or the next one that is free)", port())
    add("--host", "address to listen on (default localhost: this machine only)", "HOST")
    add("--no-browser", "open no browser window", action="store_true")
    add("--survey", "the survey that page Field opens first, as given to 'rrcore serve --db'", "FILE")
    add("--demo", "a public instance without uploads, releases, surveys and ledgers", action="store_true")
    add("--allowed-host", "a name that browsers may call this server by, once for each", "NAME", many=True)
    add("--container", "listen on all addresses of a container, whose port you publish to this machine only", action="store_true")
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    if options.container and (options.demo or options.host):
        raise InputError("--container is for one person and chooses the address. Leave out --demo and --host.")
    flags = [f"--server.headless={str(options.no_browser or options.container).lower()}"]
    if options.port is not None:
        flags.append(f"--server.port={options.port}")
    host = "0.0.0.0" if options.container else options.host  # nosec B104: a container's own, and the token is asked for
    if host is not None:
        flags.append(f"--server.address={host}")
    given = {SURVEY_VARIABLE: options.survey, HOSTS_VARIABLE: ",".join(options.allowed_host)}
    given |= {DEMO_VARIABLE: "yes" if options.demo else "", CONTAINER_VARIABLE: "yes" if options.container else ""}
    os.environ.update({variable: text for variable, text in given.items() if text})
    need("streamlit", "The dashboard")
    sys.argv = ["streamlit", "run", str(_script()), *flags]
    try:
        runpy.run_module("streamlit", run_name="__main__")
    except OSError as error:
        raise InputError(f"The dashboard cannot be served there ({error.strerror}): choose another --host or --port.") from error


def _script() -> Path:
    """app.py: a wheel has it in ``_dashboard``, with its configuration beside it; a checkout has it beside ``rrcore``."""
    package = Path(__file__).parents[1]
    installed = package / "_dashboard" / "app.py"
    return installed if installed.exists() else package.parent / "app.py"
