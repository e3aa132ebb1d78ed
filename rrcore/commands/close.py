"""The commands ``pause`` and ``resume`` (no answers for a while), and ``close``: none any more, a line in a ledger, and the report."""

import argparse
import datetime as dt
from typing import Any

from rrcore.commands.files import save
from rrcore.commands.survey_options import add_database
from rrcore.commands.values import adder, day, whole
from rrcore.errors import InputError
from rrcore.files import UnwrittenError


def add_pause(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``pause``, what it runs and how its result is printed."""
    add_database(command)
    command.set_defaults(run=lambda options: _change(options, "paused"), tell=_tell_state)


def add_resume(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``resume``, what it runs and how its result is printed."""
    add_database(command)
    command.set_defaults(run=lambda options: _change(options, "open"), tell=_tell_state)


def _change(options: argparse.Namespace, state: str) -> dict[str, Any]:
    from rrcore.receiver import open_store

    store = open_store(options.db)
    changed = store.pause(dt.date.today()) if state == "paused" else store.resume()
    return {"title": store.title, "state": state, "changed": changed}


def _tell_state(result: dict[str, Any]) -> str:
    text = "is paused: who opens the form is asked to come back later" if result["state"] == "paused" else "takes answers"
    return f"'{result['title']}' {text}." + ("" if result["changed"] else " So it was before.")


def add_close(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``close``, what it runs and how its result is printed."""
    add = adder(command)
    add_database(command)
    add("--ledger", "a ledger that the release is recorded in; 'rrcore ledger create' makes one", "FILE")
    add("--population", "with --ledger: the group of people, for example 'panel 2026'", "TEXT", default="")
    add("--people", "with --ledger: how many were asked (default: as many as answered)", whole("number of people", None))
    add("--on", "the day that the survey ends, for example 2026-01-31 (default today)", day("day"))
    add("--report", "write findings in words and numbers as one HTML file", "FILE")
    command.set_defaults(run=_run, tell=_tell)


def _run(options: argparse.Namespace) -> dict[str, Any]:
    from rrcore.ledger import Ledger
    from rrcore.receiver import open_store
    from rrcore.report import close_survey

    closing = close_survey(
        open_store(options.db),
        on=options.on,
        ledger=None if options.ledger is None else Ledger.open(options.ledger),
        population=options.population,
        people=options.people,
    )
    report = options.report if closing.report else None
    if report:
        try:
            save(report, closing.report)
        except UnwrittenError as error:
            raise InputError(f"{error} All else is done: run the same again for the report.") from error
    return {
        "title": closing.survey.title,
        "closed": closing.on.isoformat(),
        "before": closing.before,
        "answers": closing.survey.n,
        "unfinished": closing.survey.unfinished,
        "mechanism": closing.survey.mechanism.sha256,
        "release": None if closing.entry is None else closing.entry.to_dict(),
        "report": report,
        "told": closing.sentences(),
    }


def _tell(result: dict[str, Any]) -> str:
    return "\n".join([*result["told"], *([f"Report written to {result['report']}."] if result["report"] else [])])
