"""Who does the work of a command: processes on this machine, or a cluster."""

from __future__ import annotations

import argparse
from typing import Any

from rrcore.commands.tables import whole
from rrcore.errors import InputError
from rrcore.work import open_executor


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Give the program the options that stand before a command: ``workers`` reads them."""
    parser.add_argument(
        "--workers", metavar="N", help="processes that share the work of a command (default: as many as there are cores)"
    )
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", default="", help="a Dask cluster that does the work instead, for example tcp://host:8786"
    )
    parser.set_defaults(spreads=False)


def workers(options: argparse.Namespace) -> Any:
    """The executor that the options ask for, to be used in a ``with`` statement. A command that has one sets the default ``spreads``."""
    return open_executor(options.scheduler, None if options.workers is None else whole("number of workers", options.workers))


def check_workers(options: argparse.Namespace, command: str) -> None:
    """Raise InputError where workers are given to a command that has no use for them."""
    if not options.spreads and (options.workers is not None or options.scheduler):
        raise InputError(f"The work of '{command}' is not shared among workers: leave out --workers and --scheduler.")
