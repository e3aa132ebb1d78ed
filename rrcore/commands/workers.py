"""Who does the work of a command: this process, others beside it, or a cluster."""

import argparse
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from typing import Any

from rrcore.commands.values import adder, whole
from rrcore.errors import InputError
from rrcore.executors import open_executor


def add_workers(program: argparse.ArgumentParser, *, again: bool = False) -> None:
    """Give the program the options that ``workers`` reads, and ``again`` a command of it, whose help is silent if it has no use for them."""
    hidden = again and not program.get_default("spreads")
    default: dict[str, Any] = {"default": argparse.SUPPRESS} if again else {}
    processes = "processes that share the work of a command [1]"
    cluster = "a Dask cluster that does the work instead, as tcp://host:8786"
    add = adder(program)
    add("--workers", argparse.SUPPRESS if hidden else processes, whole("number of workers"), **default)
    add("--scheduler", argparse.SUPPRESS if hidden else cluster, "ADDRESS", **{"default": ""} | default)
    if not again:
        program.set_defaults(spreads=False)


def workers(options: argparse.Namespace) -> AbstractContextManager[Executor | None]:
    """The executor that the options ask for, to be used in a ``with`` statement. A command that has a use for it sets ``spreads``."""
    return open_executor(options.scheduler, options.workers)


def check_workers(options: argparse.Namespace, command: str) -> None:
    """Raise InputError where workers are given to a command that has no use for them."""
    if not options.spreads and (options.workers is not None or options.scheduler):
        raise InputError(f"'{command}' does all of its work itself: leave out --workers and --scheduler.")
