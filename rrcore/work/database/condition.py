"""Whether a database is whole, and what SQLite finds wrong with its own file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, text


@dataclass(frozen=True)
class Condition:
    """What a look at a database came to.

    Parameters
    ----------
    thing : "survey" or "ledger"
    shown : where it is, without a password
    version, newest : int, number of its layout, and of the one that this program writes; an earlier one is read, and renewed by the next act
    problems : tuple of str, a sentence each; empty where it is whole
    """

    thing: str
    shown: str
    version: int
    newest: int
    problems: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        problems = list(self.problems)
        return {"thing": self.thing, "place": self.shown, "version": self.version, "newest": self.newest, "problems": problems}


def damage(connection: Connection) -> list[str]:
    """What SQLite finds wrong with its own file; PostgreSQL sees to that by itself."""
    if connection.dialect.name != "sqlite":
        return []
    found = connection.execute(text("PRAGMA integrity_check(1)")).scalars().all()
    return [] if found == ["ok"] else ["SQLite finds its file damaged: use an earlier copy."]
