"""The record of acts: who created, closed or changed a survey or a ledger, and when. It stands in the same database, and is only added to.

An act and its line in the record are one transaction. A line holds no answer, and no secret.
"""

import datetime as dt
import getpass
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from sqlalchemy import Column, Connection, Integer, MetaData, String, Table, insert, inspect, select

from rrcore.errors import InputError
from rrcore.limits import MAX_ACCOUNT_NAME, MAX_TEXT
from rrcore.wording import csv_text

Doing = Literal[
    "created",
    "layout changed",
    "closed",
    "paused",
    "resumed",
    "server started",
    "server ended",
    "key given",
    "key replaced",
    "wrong key",
    "entry recorded",
    "entry struck through",
    "entry never happened",
    "release begun",
    "release gone on with",
    "release finished",
    "release given up",
]
"""What can be done to a survey, a ledger, or a release on a server."""


@dataclass(frozen=True)
class Act:
    """One line of the record.

    Parameters
    ----------
    at : datetime.datetime, in UTC, to the second
    who : str, the e-mail address somebody logged in with, or the name of the account on the computer
    act : Doing
    entry : int or None, number of the ledger's entry that it is about
    why : str, as that person said it
    number : int or None, of the line
    """

    at: dt.datetime
    who: str
    act: Doing
    entry: int | None = None
    why: str = ""
    number: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        at = self.at.strftime("%Y-%m-%dT%H:%M:%SZ")
        return {"number": self.number, "at": at, "who": self.who, "act": self.act, "entry": self.entry, "why": self.why}


def acts_table(tables: MetaData) -> Table:
    """The table of acts, as one of ``tables``."""
    return Table(
        "rr_act",
        tables,
        Column("id", Integer, primary_key=True),
        Column("at", String(20), nullable=False),  # 2026-01-31T12:00:00Z
        Column("who", String(MAX_ACCOUNT_NAME), nullable=False),
        Column("act", String(40), nullable=False),
        Column("entry", Integer),
        Column("why", String(MAX_TEXT), nullable=False),
        sqlite_autoincrement=True,
    )


def this_user() -> str:
    """The name of the account that this program runs under."""
    try:
        return _line(getpass.getuser())
    except (OSError, KeyError, ImportError):  # an account without a name
        return "somebody at this computer"


def written_name(who: str) -> str:
    """``who`` as the record has it."""
    return _line(who)[:MAX_ACCOUNT_NAME]


def record_act(connection: Connection, table: Table, who: str, act: Doing, *, entry: int | None = None, why: str = "") -> Act:
    """Add a line, in the transaction of ``connection``."""
    made = Act(dt.datetime.now(dt.UTC).replace(microsecond=0), written_name(who), act, entry, why)
    row = made.to_dict()
    del row["number"]
    connection.execute(insert(table).values(**row))
    return made


def acts_of(connection: Connection, table: Table) -> tuple[Act, ...]:
    """All lines in their order; none in a database whose layout has no such table. Raises ValueError for what is not understood."""
    if not inspect(connection).has_table(table.name):
        return ()
    return tuple(_act(row) for row in connection.execute(select(table).order_by(table.c.id)).mappings())


def acts_csv(acts: Sequence[Act]) -> str:
    """The record as CSV text; every cell safe to open in a spreadsheet.

    Examples
    --------
    >>> import datetime as dt
    >>> act = Act(dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC), "ada@example.org", "entry struck through", 3, "wrong panel", 7)
    >>> print(acts_csv([act]), end="")
    number,at,who,act,entry,why
    7,2026-03-01T12:00:00Z,ada@example.org,entry struck through,3,wrong panel
    """
    return csv_text(["number", "at", "who", "act", "entry", "why"], (each.to_dict().values() for each in acts))


def reason(text: str) -> str:
    """Why something is done, on one line. Raises InputError where nothing is said, or too much."""
    line = _line(unicodedata.normalize("NFC", text))
    if not line:
        raise InputError("It is not said why: give the reason in a few words, which everybody can read who opens this.")
    if len(line) > MAX_TEXT:
        raise InputError(f"The reason has {len(line):,} characters: use at most {MAX_TEXT}.")
    return line


def _line(text: str) -> str:
    """On one line, without what cannot be shown."""
    return " ".join(
        "".join(sign for sign in text if sign.isspace() or unicodedata.category(sign) not in ("Cc", "Cs", "Cf")).split()
    )


def _act(row: Any) -> Act:
    if row["act"] not in get_args(Doing):
        raise ValueError
    at = dt.datetime.strptime(row["at"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=dt.UTC)
    return Act(at, row["who"], row["act"], row["entry"], row["why"], row["id"])
