"""The commands ``acts`` (who did what to a survey or a ledger) and ``key`` (a new key for closing a survey)."""

from __future__ import annotations

import argparse
from typing import Any

from rrcore.commands.files import save
from rrcore.commands.serve import PLACE, closing_key_told
from rrcore.errors import InputError, need


def add_acts(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``acts``, what it runs and how its result is printed."""
    command.add_argument("--db", required=True, metavar="FILE_OR_URL", help=f"a survey or a ledger: {PLACE}")
    command.add_argument("--csv", metavar="FILE", help="write the record as CSV")
    command.set_defaults(run=_acts, tell=_tell_acts)


def add_key(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the option of ``key``, what it runs and how its result is printed."""
    command.add_argument("--db", required=True, metavar="FILE_OR_URL", help=f"where answers are kept: {PLACE}")
    command.set_defaults(run=_key, tell=_tell_key)


def _acts(options: argparse.Namespace) -> dict[str, Any]:
    need("sqlalchemy", "The record of acts")
    from rrcore.collect.receiver.acts import acts_csv

    kept = _opened(options.db)
    acts = kept.acts()
    if options.csv:
        save(options.csv, acts_csv(acts))
    return {"place": kept.shown, "acts": [act.to_dict() for act in acts]}


def _opened(place: str) -> Any:
    """The survey or the ledger there."""
    from rrcore.collect.receiver import open_store
    from rrcore.ledger import Ledger

    try:
        return open_store(place)
    except InputError as no_survey:
        try:
            return Ledger.open(place)
        except InputError as no_ledger:
            raise (no_survey if "is not a ledger" in str(no_ledger) else no_ledger) from None


def _tell_acts(result: dict[str, Any]) -> str:
    lines = []
    for act in result["acts"]:
        entry = "" if act["entry"] is None else f" {act['entry']}"
        lines.append(f"{act['at']}  {act['who']}: {act['act']}{entry}{': ' + act['why'] if act['why'] else ''}")
    return "\n".join(lines) or "Nothing is recorded: this was made by an earlier version, which kept no record of acts."


def _key(options: argparse.Namespace) -> dict[str, Any]:
    need("sqlalchemy", "A key for closing")
    from rrcore.collect.receiver import open_store
    from rrcore.collect.receiver.closingkey import has_closing_key, new_closing_key

    store = open_store(options.db)
    replaced = has_closing_key(store)
    return {"survey": store.shown, "key": new_closing_key(store), "replaced": replaced}


def _tell_key(result: dict[str, Any]) -> str:
    before = " The key before it no longer closes it." if result["replaced"] else ""
    return f"{closing_key_told(result['key'])}{before}"
