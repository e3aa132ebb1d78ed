"""The tables of a ledger, and its entries as their rows."""

import datetime as dt
import json
from typing import Any

from sqlalchemy import BigInteger, Column, Integer, MetaData, String, Table, Text, update

from rrcore.ledger.entry import Entry, Struck, entry_nats_text, parse_nats
from rrcore.limits import MAX_TEXT
from rrcore.table.plain import Place, from_plain, parse
from rrcore.work.database.acts import acts_table
from rrcore.work.database.kind import DatabaseKind

LEDGER_VERSION = 2
"""Number of the layout of these tables. In version 1 entries were taken back, and nothing said by whom; it had no record of acts."""

TABLES = MetaData()

VERSION = Table("rr_ledger", TABLES, Column("version", Integer, primary_key=True, autoincrement=False))
"""One row."""

RELEASES = Table(
    "rr_release",
    TABLES,
    Column("id", Integer, primary_key=True),
    Column("population", String(MAX_TEXT), nullable=False),
    Column("date", String(10), nullable=False),
    Column("levels", Text, nullable=False),  # JSON: [name of an attribute, its level in nats] each
    Column("total", String(20), nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("people", BigInteger),
    Column("same_draw", Integer, nullable=False),  # 0 or 1
    Column("note", String(MAX_TEXT), nullable=False),
    sqlite_autoincrement=True,  # no number is given twice
)
"""What was released. Rows are added, and never changed or deleted."""

ACTS = acts_table(TABLES)
"""Who created the ledger, recorded entries and struck them through, when and why."""

_LOCK = update(VERSION).values(version=VERSION.c.version)
LEDGERS = DatabaseKind("ledger", TABLES, VERSION.c.version, LEDGER_VERSION, {2: (ACTS,)}, ACTS, _LOCK)
"""Where ledgers are kept."""

_ROW, _Levels = Place("entry of the ledger", "use an earlier copy"), tuple[tuple[str, str], ...]


def row_of(entry: Entry, population: str) -> dict[str, Any]:
    """The row of an entry, with the name of its people as the ledger spells it."""
    levels = [[name, entry_nats_text(level)] for name, level in zip(entry.attributes, entry.levels, strict=True)]
    return {
        "population": population,
        "date": entry.date.isoformat(),
        "levels": json.dumps(levels),
        "total": entry_nats_text(entry.total),
        "sha256": entry.sha256,
        "people": entry.people,
        "same_draw": int(entry.same_draw),
        "note": entry.note,
    }


def entry_of(row: Any, struck: tuple[Struck, ...]) -> Entry:
    """The entry of a row, and how it was struck through. Raises ValueError, TypeError or LookupError for what is not understood."""
    levels = [(name, parse_nats(level)) for name, level in from_plain(_Levels, parse(row["levels"], _ROW), _ROW)]
    return Entry(
        row["population"],
        dt.date.fromisoformat(row["date"]),
        tuple(name for name, _ in levels),
        tuple(level for _, level in levels),
        parse_nats(row["total"]),
        row["sha256"],
        row["people"],
        row["note"],
        {0: False, 1: True}[row["same_draw"]],
        row["id"],
        struck,
    )
