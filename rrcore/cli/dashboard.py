"""The command ``app``, which opens the dashboard in a browser.

Streamlit serves the dashboard of the installed package or of a checkout.
"""

import os
import runpy
import socket
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from rrcore.errors import InputError, need

SURVEY_VARIABLE = "RR_WORKBENCH_SURVEY"
"""Environment variable with the place of the survey that page Survey opens first."""

DEMO_VARIABLE = "RR_WORKBENCH_DEMO"
"""Environment variable that is not empty for a demo."""

HOSTS_VARIABLE = "RR_WORKBENCH_ALLOWED_HOSTS"
"""Environment variable with the names that browsers may call this server by, with commas between them."""

CONTAINER_VARIABLE = "RR_WORKBENCH_CONTAINER"
"""Environment variable that is not empty if the server may listen to all addresses of a container."""


def app(
    *,
    port: int | None = None,
    host: str = "",
    no_browser: bool = False,
    survey: Annotated[str, Parameter(metavar="FILE")] = "",
    demo: Annotated[bool, Parameter(group="Hosting")] = False,
    allowed_host: Annotated[tuple[str, ...], Parameter(group="Hosting", metavar="NAME")] = (),
    container: Annotated[bool, Parameter(group="Hosting")] = False,
) -> None:
    """Open the dashboard in a browser.

    Parameters
    ----------
    port
        Port to listen on [8501, or the next free one]
    host
        Address to listen on [localhost, this machine only]
    no_browser
        No browser window
    survey
        Survey database that the page Survey opens first
    demo
        Public instance without uploads, releases, surveys or ledgers
    allowed_host
        Name by which browsers may call this server
    container
        Listening on all addresses of a container with a locally published port
    """
    if container and (demo or host):
        raise InputError("--container serves one person and sets the address itself. Leave out --demo and --host.")
    address = "0.0.0.0" if container else host  # nosec B104: a container's own, and the token is asked for
    _check_free(address or "localhost", port or 0)
    flags = [f"--server.headless={str(no_browser or container).lower()}"]
    flags += [f"--server.port={port}"] if port is not None else []
    flags += [f"--server.address={address}"] if address else []
    flags += ["--server.maxMessageSize=16"] if demo else []  # MB: anybody may send them, and each is held in memory as a whole
    given = {SURVEY_VARIABLE: survey, HOSTS_VARIABLE: ",".join(allowed_host)}
    given |= {DEMO_VARIABLE: "yes" if demo else "", CONTAINER_VARIABLE: "yes" if container else ""}
    os.environ.update({variable: text for variable, text in given.items() if text})
    need("streamlit", "The dashboard")
    sys.argv = ["streamlit", "run", str(_script()), *flags]
    runpy.run_module("streamlit", run_name="__main__")


def _check_free(host: str, port: int) -> None:
    """Refuse a port that another program uses, which Streamlit would say in words of its own."""
    try:
        with socket.create_server((host, port)):
            return
    except (OSError, OverflowError) as error:
        reason = (getattr(error, "strerror", "") or str(error)).partition(" (")[0]
        raise InputError(f"The dashboard cannot use port {port} on {host} ({reason}). Choose another --port or --host.") from None


def _script() -> Path:
    """Return app.py: a wheel has it in ``_dashboard``, a checkout has it next to ``rrcore``."""
    package = Path(__file__).parents[1]
    installed = package / "_dashboard" / "app.py"
    return installed if installed.exists() else package.parent / "app.py"
