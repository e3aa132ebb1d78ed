"""The commands ``acts`` (who did what to a survey, a ledger or releases on a server) and ``key`` (a new key for closing a survey)."""

from __future__ import annotations

import argparse
import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rrcore.commands.files import save
from rrcore.commands.serve import closing_key_sentence
from rrcore.commands.survey_options import add_database
from rrcore.commands.values import adder
from rrcore.errors import InputError, need

if TYPE_CHECKING:
    from rrcore.work.database.acts import Act


def add_acts(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``acts``, what it runs and how its result is printed."""
    add_database(command, "a survey or a ledger", "; or a folder of releases")
    adder(command)("--csv", "write the record as CSV", "FILE")
    command.set_defaults(run=_acts, tell=_tell_acts)


def add_key(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the option of ``key``, what it runs and how its result is printed."""
    add_database(command)
    command.set_defaults(run=_key, tell=_tell_key)


def _acts(options: argparse.Namespace) -> dict[str, Any]:
    need("sqlalchemy", "The record of acts")
    from rrcore.work.database.acts import acts_csv

    shown, acts = _released(Path(options.db)) if Path(options.db).is_dir() else _recorded(options.db)
    if options.csv:
        save(options.csv, acts_csv(acts))
    return {"place": shown, "acts": [act.to_dict() for act in acts]}


def _released(folder: Path) -> tuple[str, Sequence[Act]]:
    """What was done to the releases in a folder, the earliest first."""
    from rrcore.promise.releases import Releases
    from rrcore.work.database.acts import Act

    found = [
        Act(dt.datetime.fromisoformat(step.at), step.who, step.act, why=f"'{each.name}' of '{each.table}'")
        for each in Releases(folder).all()
        for step in each.steps
    ]
    return str(folder), [replace(act, number=number) for number, act in enumerate(sorted(found, key=lambda act: act.at), 1)]


def _recorded(place: str) -> tuple[str, Sequence[Act]]:
    """What was done to the survey or the ledger there."""
    from rrcore.ledger import Ledger
    from rrcore.receiver import open_store

    kept: Any
    try:
        kept = open_store(place)
    except InputError as no_survey:
        try:
            kept = Ledger.open(place)
        except InputError as no_ledger:
            raise (no_survey if "is not a ledger" in str(no_ledger) else no_ledger) from None
    return kept.shown, kept.acts()


def _tell_acts(result: dict[str, Any]) -> str:
    lines = []
    for act in result["acts"]:
        entry = "" if act["entry"] is None else f" {act['entry']}"
        lines.append(f"{act['at']}  {act['who']}: {act['act']}{entry}{': ' + act['why'] if act['why'] else ''}")
    return (
        "\n".join(lines) or "Nothing is recorded: nothing was done yet, or by an earlier version, which kept no record of acts."
    )


def _key(options: argparse.Namespace) -> dict[str, Any]:
    need("sqlalchemy", "A key for closing", extra="receiver")
    from rrcore.receiver import open_store
    from rrcore.receiver.closingkey import has_closing_key, new_closing_key

    store = open_store(options.db)
    replaced = has_closing_key(store)
    return {"survey": store.shown, "key": new_closing_key(store), "replaced": replaced}


def _tell_key(result: dict[str, Any]) -> str:
    before = " The key before it no longer closes it." if result["replaced"] else ""
    return f"{closing_key_sentence(result['key'])}{before}"
