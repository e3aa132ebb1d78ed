"""The command ``learn``: ten chapters about randomized response as one HTML file."""

import argparse
from typing import Any

from rrcore.commands.files import STANDARD, save
from rrcore.commands.values import adder
from rrcore.errors import InputError


def add_learn(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``learn``, what it runs and how its result is printed."""
    add = adder(command)
    add("--out", "where to write the lesson: one HTML file", "FILE", required=True)
    add(
        "--question", "what people are asked in it, to be answered with yes or no (default: one about a shop)", "TEXT", default=""
    )
    add("--dashboard", "address of a dashboard that the chapters link to", "URL", default="")
    command.set_defaults(run=_run, tell=_tell)


def _run(options: argparse.Namespace) -> dict[str, Any]:
    from rrcore.learn import CHAPTERS, lesson

    if options.out != STANDARD and not options.out.lower().endswith(".html"):
        raise InputError(f"'{options.out}' is to hold a page: let its name end in .html.")
    made = lesson(options.question, dashboard=options.dashboard)
    save(options.out, made)
    return {"lesson": options.out, "chapters": len(CHAPTERS), "bytes": len(made.encode("utf-8"))}


def _tell(result: dict[str, Any]) -> str:
    size = f"{result['bytes'] / 1000:.0f} kB"
    return f"{result['chapters']} chapters written to {result['lesson']}: one HTML file, {size}, which needs no network"
