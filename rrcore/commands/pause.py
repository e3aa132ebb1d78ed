"""The commands ``pause`` and ``resume``: a survey takes no answers for a while, and goes on."""

from __future__ import annotations

import argparse
import datetime as dt
from typing import Any

from rrcore.commands.documents import add_database
from rrcore.errors import need


def add_pause(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``pause``, what it runs and how its result is printed."""
    add_database(command)
    command.set_defaults(run=lambda options: _change(options, "paused"), tell=_tell)


def add_resume(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``resume``, what it runs and how its result is printed."""
    add_database(command)
    command.set_defaults(run=lambda options: _change(options, "open"), tell=_tell)


def _change(options: argparse.Namespace, state: str) -> dict[str, Any]:
    need("sqlalchemy", "A survey", extra="receiver")
    from rrcore.receiver import open_store

    store = open_store(options.db)
    changed = store.pause(dt.date.today()) if state == "paused" else store.resume()
    return {"title": store.title, "state": state, "changed": changed}


def _tell(result: dict[str, Any]) -> str:
    text = "is paused: who opens the form is asked to come back later" if result["state"] == "paused" else "takes answers"
    return f"'{result['title']}' {text}." + ("" if result["changed"] else " So it was before.")
