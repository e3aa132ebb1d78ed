"""The command ``learn``: ten chapters about randomized response as one HTML file, or as a package for a learning platform."""

import argparse
from typing import Any

from rrcore.commands.files import STANDARD, save
from rrcore.commands.values import adder
from rrcore.errors import InputError


def add_learn(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``learn``, what it runs and how its result is printed."""
    add = adder(command)
    add("--out", "where to write the lesson: one HTML file, or with --scorm a zip file", "FILE", required=True)
    add(
        "--question", "what people are asked in it, to be answered with yes or no (default: one about a shop)", "TEXT", default=""
    )
    add("--scorm", "a package for a learning platform that speaks SCORM 1.2", action="store_true")
    add("--dashboard", "address of a dashboard that the chapters link to", "URL", default="")
    command.set_defaults(run=_run, tell=_tell)


def _run(options: argparse.Namespace) -> dict[str, Any]:
    from rrcore.learn import CHAPTERS, lesson, scorm_package

    ending = ".zip" if options.scorm else ".html"
    if options.out != STANDARD and not options.out.lower().endswith(ending):
        raise InputError(
            f"'{options.out}' is to hold {'a package' if options.scorm else 'a page'}: let its name end in {ending}."
        )
    make = scorm_package if options.scorm else lesson
    made = make(options.question, dashboard=options.dashboard)
    save(options.out, made)
    size = len(made if isinstance(made, bytes) else made.encode("utf-8"))
    return {"lesson": options.out, "chapters": len(CHAPTERS), "scorm": options.scorm, "bytes": size}


def _tell(result: dict[str, Any]) -> str:
    kind = "package for SCORM 1.2" if result["scorm"] else "one HTML file"
    return f"{result['chapters']} chapters written to {result['lesson']}: {kind}, {result['bytes'] / 1000:.0f} kB, which needs no network"
