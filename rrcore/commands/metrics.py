"""The options ``--metrics`` and what answers there: metrics in Prometheus' format, on an address of their own."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from rrcore.commands.values import adder
from rrcore.errors import InputError, need

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

METRICS_HOST = "127.0.0.1"
"""Where metrics are told unless another address is given: to this computer alone."""

_ADDRESS = re.compile(r"(?:(?P<host>\[[0-9a-fA-F:.]+\]|[\w.-]+):)?(?P<port>[0-9]{1,5})")


def add_metrics(command: argparse._ActionsContainer) -> None:
    """Give ``command`` the option."""
    adder(command)(
        "--metrics",
        f"tell metrics in Prometheus' format at this address (default none; without a host {METRICS_HOST}, this machine only)",
        "[HOST:]PORT",
    )


def serve_metrics(address: str) -> CollectorRegistry:
    """A registry whose metrics are told to whoever asks at ``address``, in a thread of its own, until this process ends.

    Parameters
    ----------
    address : str, a port, or host and port such as "127.0.0.1:9108" or "[::1]:9108"

    Raises
    ------
    InputError
        If the address is not understood, nothing can listen there, or prometheus_client is not installed.
    """
    found = _ADDRESS.fullmatch(address)
    if found is None or not 1 <= int(found["port"]) <= 65535:
        raise InputError(
            f"The address of the metrics is '{address[:80]}': write a port, or host and port, such as 127.0.0.1:9108."
        )
    library = need("prometheus_client", "Telling metrics")
    registry: CollectorRegistry = library.CollectorRegistry()
    host = (found["host"] or METRICS_HOST).strip("[]")
    try:
        library.start_http_server(int(found["port"]), host, registry)
    except OSError as error:
        raise InputError(f"Metrics cannot be told at {address} ({error.strerror}): choose another --metrics.") from error
    return registry
