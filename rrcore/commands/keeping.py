"""The commands ``backup`` (a copy of a survey or ledger that is in use) and ``check`` (whether one, or a mechanism file, is whole)."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from rrcore.commands.exits import OK, WRONG
from rrcore.commands.files import load_mechanism
from rrcore.commands.survey_options import PLACE, add_database
from rrcore.commands.values import adder
from rrcore.errors import InputError, need

if TYPE_CHECKING:
    from collections.abc import Callable

    from rrcore.work.database.kind import Condition, DatabaseKind

_EITHER = "survey or ledger"


def add_backup(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``backup``, what it runs and how its result is printed."""
    add = adder(command)
    add_database(command, "the survey or ledger")
    add(
        "--out",
        "where the copy goes: an SQLite file that does not exist yet, or the URL of an empty PostgreSQL database",
        "FILE_OR_URL",
        required=True,
    )
    command.set_defaults(run=_backup, tell=_tell_backup)


def add_check(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``check``, what it runs, how its result is printed and its exit code."""
    add = adder(command)
    add("--db", f"a survey or ledger: {PLACE}", "FILE_OR_URL")
    add("--mechanism", "a mechanism file; with a survey also whether it is the survey's own", "FILE")
    command.set_defaults(run=_check, tell=_tell_check, code=lambda result: OK if result["whole"] else WRONG, ends=(WRONG,))


def _backup(options: argparse.Namespace) -> dict[str, Any]:
    need("sqlalchemy", "A backup")
    from rrcore.work.database.backup import back_up

    kind, check = _kept_at(options.db)
    back_up(options.db.strip(), options.out.strip(), kind)
    return {"out": options.out, "copy": check(options.out).to_dict()}


def _tell_backup(result: dict[str, Any]) -> str:
    copy = result["copy"]
    text = f"The {copy['thing']} was copied to {result['out']}, layout {copy['version']}"
    return "\n".join([f"{text}, and the copy is whole." if not copy["problems"] else f"{text}.", *copy["problems"]])


def _check(options: argparse.Namespace) -> dict[str, Any]:
    if options.db is None and options.mechanism is None:
        raise InputError("Nothing is given to check: add --db, a survey or a ledger, or --mechanism, a mechanism file.")
    found: dict[str, Any] = {}
    problems: list[str] = []
    if options.mechanism is not None:
        mechanism = load_mechanism(options.mechanism)
        found["mechanism"] = {"file": options.mechanism, "sha256": mechanism.sha256}
    if options.db is not None:
        need("sqlalchemy", "Checking a survey or a ledger")
        kind, check = _kept_at(options.db)
        condition = check(options.db)
        found["db"] = condition.to_dict()
        problems += condition.problems
        if options.mechanism is not None and kind.thing == "survey" and not problems:
            from rrcore.receiver import open_store

            if open_store(options.db).mechanism.sha256 != mechanism.sha256:
                problems.append("The survey was started with another mechanism file.")
    return {"whole": not problems, "problems": problems} | found


def _tell_check(result: dict[str, Any]) -> str:
    lines = []
    if mechanism := result.get("mechanism"):
        lines.append(f"The mechanism file is whole: sha256 {mechanism['sha256']}.")
    if db := result.get("db"):
        age = "the newest" if db["version"] == db["newest"] else f"the newest is {db['newest']}, which the next change brings"
        lines.append(f"{db['thing'].capitalize()} at {db['place']}: layout {db['version']}, {age}.")
    return "\n".join([*lines, *(result["problems"] or ["Nothing is wrong."])])


def _kept_at(place: str) -> tuple[DatabaseKind, Callable[[str], Condition]]:
    """What is kept at ``place``, and what looks whether it is whole. Raises InputError where it is neither a survey nor a ledger."""
    from rrcore.ledger import check_ledger
    from rrcore.ledger.tables import LEDGERS
    from rrcore.receiver import check_survey
    from rrcore.receiver.tables import SURVEYS
    from rrcore.work.database.kind import connected
    from rrcore.work.database.places import shown_place

    with connected(place.strip(), _EITHER) as connection:
        for kind, check in ((SURVEYS, check_survey), (LEDGERS, check_ledger)):
            if kind.is_in(connection):
                return kind, check
    raise InputError(f"There is neither a survey nor a ledger at '{shown_place(place.strip(), _EITHER)}': check the place.")
