"""Where a ledger is kept: an SQLite file.

Every call opens the file, does its work in one transaction and closes it again: nothing stays open, and two programs may write to the
same ledger at a time. Who writes has the file to itself, so that what is checked is still so when it is written.
"""

from __future__ import annotations

import datetime as dt
import getpass
import json
import sqlite3
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from rrcore.database import DatabaseKind, insert, path_of
from rrcore.documents import decode
from rrcore.errors import InputError
from rrcore.ledger.entry import Entry, Struck, check_date, entry_nats_text, entry_populations, parse_nats, people_key
from rrcore.ledger.totals import (
    Planned,
    Spent,
    check_first_draw,
    check_repeat,
    check_strike,
    promise,
    total_after_release,
    total_spent,
)
from rrcore.limits import MAX_LEDGER_ENTRIES, MAX_TEXT

LEDGER_VERSION = 1
"""Number of the layout of a ledger's tables."""

LEDGERS = DatabaseKind(
    "ledger",
    0x52524C47,  # "RRLG"
    LEDGER_VERSION,
    (
        # What was released. Rows are added, and never changed or deleted; no number is given twice.
        "CREATE TABLE rr_release (id INTEGER PRIMARY KEY AUTOINCREMENT, population TEXT NOT NULL, date TEXT NOT NULL, levels TEXT NOT NULL, "
        "total TEXT NOT NULL, sha256 TEXT NOT NULL, people INTEGER, same_draw INTEGER NOT NULL, note TEXT NOT NULL)",
        # Entries that were struck through: by whom, when and why.
        "CREATE TABLE rr_struck (entry INTEGER NOT NULL, at TEXT NOT NULL, who TEXT NOT NULL, why TEXT NOT NULL, "
        "never_happened INTEGER NOT NULL)",
    ),
)
"""Where ledgers are kept."""


@dataclass(frozen=True)
class Ledger:
    """Releases recorded in one place. Names, dates, fingerprints and totals only, never an answer.

    Parameters
    ----------
    place : str
        Path of an SQLite file. ``Ledger.open`` checks that a ledger is there.
    """

    place: str = field(repr=False)

    @classmethod
    def open(cls, place: str, *, create: bool = False) -> Ledger:
        """The ledger at ``place``. Nothing is written but by ``create``, which makes a new one and takes over nothing that exists.

        Raises
        ------
        InputError
            If there is none (or, with ``create``, something already), or if it is something else, damaged or of another version.
        """
        ledger = cls(str(path_of(place, "ledger")))
        if create:
            LEDGERS.create(ledger.place)
        ledger.entries()
        return ledger

    def entries(self, population: str | None = None) -> tuple[Entry, ...]:
        """Everything recorded, or what is about ``population``, in the order in which it was recorded."""
        with LEDGERS.reading(self.place) as connection:
            found = self._read(connection)
        return found if population is None else total_spent(found, population).entries

    def populations(self) -> tuple[str, ...]:
        """The groups of people."""
        return entry_populations(self.entries())

    def spent(self, population: str, attributes: Sequence[str] | None = None) -> Spent:
        """What the releases about ``population`` promise together; see ``rrcore.ledger.totals``."""
        return total_spent(self.entries(), population, attributes)

    def planned(self, entry: Entry) -> Planned:
        """What one more release would add, as ``total_after_release`` says. Nothing is written."""
        return total_after_release(self.entries(), entry)

    def add(self, entry: Entry) -> Entry:
        """Record a release; returns it with its number, and with the name of its people as it is spelt in the ledger already.

        Raises
        ------
        InputError
            If it claims to be the same released answers as an earlier entry and there is none, or nothing can be written.
        """
        with self.adding(entry) as recorded:
            return recorded

    @contextmanager
    def adding(self, entry: Entry, *, once: bool = False) -> Iterator[Entry]:
        """Record a release as ``add`` does, but only if the block ends well: for what is released in it.

        ``once`` refuses a second draw of answers that the ledger has by the same mechanism.
        """
        with LEDGERS.writing(self.place) as connection:
            known = self._read(connection)
            if once:
                check_first_draw(known, entry)
            yield self._add(connection, known, entry)

    def add_once(self, entry: Entry) -> Entry:
        """The entry of the same mechanism, people, day and note that is there already, else ``add``, also where two do it at once.

        One that was declared never to have happened is none.
        """
        with LEDGERS.writing(self.place) as connection:
            known = self._read(connection)
            there = (other for other in known if other.happened and _is_one_release(other, entry))
            return next(there, None) or self._add(connection, known, entry)

    def check_new(self, entry: Entry) -> None:
        """Raise what ``add`` would raise for this entry now. Nothing is written."""
        self._check_new(self.entries(), entry)

    def _check_new(self, known: Sequence[Entry], entry: Entry) -> None:
        check_date(entry.date)
        if len(known) >= MAX_LEDGER_ENTRIES:
            raise InputError(f"The ledger '{self.place}' has {len(known):,} entries, which is the limit: start a new one.")
        check_repeat(known, entry)

    def _add(self, connection: sqlite3.Connection, known: Sequence[Entry], entry: Entry) -> Entry:
        self._check_new(known, entry)
        key = people_key(entry.population)
        spelt = next((other.population for other in known if people_key(other.population) == key), entry.population)
        number = insert(connection, "rr_release", [_row(entry, spelt)]).lastrowid
        return replace(entry, id=number, population=spelt, struck=())

    def strike(self, number: int, why: str, *, never_happened: bool = False) -> Entry:
        """Strike an entry through: it stays to be read, with who did it, when and why. Returns it as it is then.

        What was released still counts in the sum, unless ``never_happened`` declares that there was no such release. An entry that is
        struck through may be declared so later; neither is ever taken back, and a release that happened after all is recorded anew.

        Raises
        ------
        InputError
            If there is no such entry, no reason is given, it is struck through already, or a later entry is the same released answers.
        """
        said = _reason(why)
        with LEDGERS.writing(self.place) as connection:
            entry = check_strike(self._read(connection), number, never_happened)
            struck = Struck(dt.datetime.now(dt.UTC).replace(microsecond=0), this_user(), said, never_happened)
            row = {
                "entry": number,
                "at": struck.at.isoformat(),
                "who": struck.who,
                "why": said,
                "never_happened": int(never_happened),
            }
            insert(connection, "rr_struck", [row])
            return replace(entry, struck=(*entry.struck, struck))

    def _read(self, connection: sqlite3.Connection) -> tuple[Entry, ...]:
        number: Any = "unknown"
        try:
            found, drawn, struck = [], set(), dict[object, tuple[Struck, ...]]()
            for row in connection.execute("SELECT * FROM rr_struck ORDER BY rowid"):
                number = row["entry"]
                at = dt.datetime.fromisoformat(row["at"])
                each = Struck(at, row["who"], row["why"], {0: False, 1: True}[row["never_happened"]])
                struck[number] = (*struck.get(number, ()), each)
            rows = connection.execute("SELECT * FROM rr_release ORDER BY id")
            for row in rows:
                number = row["id"]
                entry = _entry(row, struck.get(number, ()))
                if not entry.same_draw:
                    drawn.add(promise(entry))
                elif promise(entry) not in drawn:
                    raise ValueError
                found.append(entry)
            return tuple(found)
        except (ValueError, TypeError, LookupError, RecursionError):
            raise InputError(
                f"The ledger '{self.place}' has an entry that is not understood, number {str(number)[:20]}: it was changed by other means, "
                "so use an earlier copy."
            ) from None


def _is_one_release(one: Entry, other: Entry) -> bool:
    """Whether two entries are about one release."""
    first, second = ((each.sha256, people_key(each.population), each.date, each.note) for each in (one, other))
    return first == second


def this_user() -> str:
    """The name of the account that this program runs under."""
    try:
        return _line(getpass.getuser())
    except (OSError, KeyError, ImportError):  # an account without a name
        return "somebody at this computer"


def _reason(text: str) -> str:
    """Why something is done, on one line. Raises InputError where nothing is said, or too much."""
    line = _line(unicodedata.normalize("NFC", text))
    if not line:
        raise InputError("It is not said why: give the reason in a few words, which everybody can read who opens this.")
    if len(line) > MAX_TEXT:
        raise InputError(f"The reason has {len(line):,} characters: use at most {MAX_TEXT}.")
    return line


def _line(text: str) -> str:
    """On one line, without what cannot be shown."""
    shown = (sign for sign in text if sign.isspace() or unicodedata.category(sign) not in ("Cc", "Cs", "Cf"))
    return " ".join("".join(shown).split())


def _row(entry: Entry, population: str) -> dict[str, object]:
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


def _entry(row: sqlite3.Row, struck: tuple[Struck, ...]) -> Entry:
    """The entry of a row, and how it was struck through. Raises ValueError, TypeError or LookupError for what is not understood."""
    pairs = decode(row["levels"], tuple[tuple[str, str], ...], "entry of the ledger", "use an earlier copy")
    levels = [(name, parse_nats(level)) for name, level in pairs]
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
