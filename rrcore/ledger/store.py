"""Store a ledger in an SQLite file.

Every call opens the file, runs one transaction and closes the file. Two programs can therefore use the same ledger. A program that
writes locks the file, so that its checks still hold when it writes.
"""

from __future__ import annotations

import datetime as dt
import getpass
import json
import sqlite3
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
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
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.trailer import Trailer

LEDGER_VERSION = 1
"""Number of the layout of a ledger's tables."""

LEDGERS = DatabaseKind(
    "ledger",
    0x52524C47,  # "RRLG"
    LEDGER_VERSION,
    (
        # What was released. Rows are added, and never changed or deleted; no number is given twice.
        "CREATE TABLE rr_release (id INTEGER PRIMARY KEY AUTOINCREMENT, population TEXT NOT NULL, date TEXT NOT NULL, epsilon TEXT NOT NULL, "
        "total TEXT NOT NULL, sha256 TEXT NOT NULL, people INTEGER, same_draw INTEGER NOT NULL, note TEXT NOT NULL)",
        # Entries that were struck through: by whom, when and why.
        "CREATE TABLE rr_struck (entry INTEGER NOT NULL, at TEXT NOT NULL, who TEXT NOT NULL, why TEXT NOT NULL, "
        "never_happened INTEGER NOT NULL)",
    ),
)
"""Where ledgers are kept."""


@dataclass(frozen=True)
class Ledger:
    """A ledger of releases: names, dates, fingerprints and ε, but no answers.

    Parameters
    ----------
    place : str
        Path of an SQLite file. ``Ledger.open`` checks that the file is a ledger.
    """

    place: str = field(repr=False)

    @classmethod
    def open(cls, place: str, *, create: bool = False) -> Ledger:
        """Open the ledger at ``place``.

        Nothing is written, except that ``create`` makes a new ledger. Existing files are never overwritten.

        Raises
        ------
        InputError
            If the file does not exist (or already exists, with ``create``), is not a ledger, is damaged, or has an unsupported version.
        """
        ledger = cls(str(path_of(place, "ledger")))
        if create:
            LEDGERS.create(ledger.place)
        ledger.entries()
        return ledger

    def entries(self, population: str | None = None) -> tuple[Entry, ...]:
        """Return all entries, or those about ``population``, in the order of recording."""
        with LEDGERS.reading(self.place) as connection:
            found = self._read(connection)
        return found if population is None else total_spent(found, population).entries

    def populations(self) -> tuple[str, ...]:
        """Return the groups of people."""
        return entry_populations(self.entries())

    def spent(self, population: str, attributes: Sequence[str] | None = None) -> Spent:
        """Return the combined privacy loss of the releases about ``population``.

        See ``rrcore.ledger.totals``.
        """
        return total_spent(self.entries(), population, attributes)

    def planned(self, entry: Entry) -> Planned:
        """Return what one more release would add, as ``total_after_release`` does.

        Nothing is written.
        """
        return total_after_release(self.entries(), entry)

    def add(self, entry: Entry) -> Entry:
        """Record a release and return its entry with its number.

        The returned name of the group is spelled as in the ledger.

        Raises
        ------
        InputError
            If the entry claims to repeat an earlier release that is not in the ledger, or if the ledger cannot be written.
        """
        with self.adding(entry) as recorded:
            return recorded

    @contextmanager
    def adding(self, entry: Entry, *, once: bool = False) -> Iterator[Entry]:
        """Record a release as ``add`` does, but only if the block ends without an error.

        Publish the release inside the block. ``once`` rejects a second draw of the same answers by the same mechanism.
        """
        with LEDGERS.writing(self.place) as connection:
            known = self._read(connection)
            if once:
                check_first_draw(known, entry)
            yield self._add(connection, known, entry)

    def recording(
        self, mechanism: MechanismFile, population: str, *, again: bool = False
    ) -> Callable[[Trailer], AbstractContextManager[Entry]]:
        """Return a function for ``randomize_stream`` that records a complete release.

        Parameters
        ----------
        mechanism : MechanismFile
        population : str
            The group of people.
        again : bool
            Whether the same answers may be randomized again with the same file.

        Raises
        ------
        InputError
            If this would be an unintended second draw.
        """
        entry = Entry.of(mechanism, population=population, date=dt.date.today(), people=1)
        if not again:
            check_first_draw(self.entries(), entry)
        return lambda trailer: self.adding(replace(entry, people=trailer.rows, note=f"draw {trailer.draw}"), once=not again)

    def add_once(self, entry: Entry) -> Entry:
        """Add the entry unless the same release is recorded already.

        The same release has the same mechanism, people, day and note. This also works if two programs add it at once. Entries
        of releases that never happened are ignored.
        """
        with LEDGERS.writing(self.place) as connection:
            known = self._read(connection)
            there = (other for other in known if other.happened and _is_one_release(other, entry))
            return next(there, None) or self._add(connection, known, entry)

    def check_new(self, entry: Entry) -> None:
        """Raise the error that ``add`` would raise for this entry.

        Nothing is written.
        """
        self._check_new(self.entries(), entry)

    def _check_new(self, known: Sequence[Entry], entry: Entry) -> None:
        check_date(entry.date)
        if len(known) >= MAX_LEDGER_ENTRIES:
            raise InputError(f"The ledger '{self.place}' has {len(known):,} entries, which is the maximum. Create a new ledger.")
        check_repeat(known, entry)

    def _add(self, connection: sqlite3.Connection, known: Sequence[Entry], entry: Entry) -> Entry:
        self._check_new(known, entry)
        key = people_key(entry.population)
        spelt = next((other.population for other in known if people_key(other.population) == key), entry.population)
        number = insert(connection, "rr_release", [_row(entry, spelt)]).lastrowid
        return replace(entry, id=number, population=spelt, struck=())

    def strike(self, number: int, why: str, *, never_happened: bool = False) -> Entry:
        """Mark an entry as wrong and return the marked entry.

        The entry stays in the ledger with the person, the time and the reason.

        The release still counts in the sum, unless ``never_happened`` declares that it never happened. This can also be declared
        later. Neither can be undone. If the release did happen, record it again.

        Raises
        ------
        InputError
            If the entry does not exist or is already marked, if the reason is missing, or if a later entry repeats the same answers.
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
                f"Entry {str(number)[:20]} of the ledger '{self.place}' cannot be read, because another program changed it. Use "
                "an earlier copy."
            ) from None


def _is_one_release(one: Entry, other: Entry) -> bool:
    """Whether two entries are about one release."""
    first, second = ((each.sha256, people_key(each.population), each.date, each.note) for each in (one, other))
    return first == second


def this_user() -> str:
    """Return the name of the account that runs this program."""
    try:
        return _line(getpass.getuser())
    except (OSError, KeyError, ImportError):  # an account without a name
        return "somebody at this computer"


def _reason(text: str) -> str:
    """Return a reason on one line.

    Raises InputError if the reason is empty or too long.
    """
    line = _line(unicodedata.normalize("NFC", text))
    if not line:
        raise InputError("The reason is missing. Enter it in a few words. Everyone who opens this ledger can read it.")
    if len(line) > MAX_TEXT:
        raise InputError(f"The reason has {len(line):,} characters. Use at most {MAX_TEXT}.")
    return line


def _line(text: str) -> str:
    """On one line, without what cannot be shown."""
    shown = (sign for sign in text if sign.isspace() or unicodedata.category(sign) not in ("Cc", "Cs", "Cf"))
    return " ".join("".join(shown).split())


def _row(entry: Entry, population: str) -> dict[str, object]:
    """The row of an entry, with the name of its people as the ledger spells it."""
    epsilon = [[name, entry_nats_text(level)] for name, level in zip(entry.attributes, entry.epsilon, strict=True)]
    return {
        "population": population,
        "date": entry.date.isoformat(),
        "epsilon": json.dumps(epsilon),
        "total": entry_nats_text(entry.total),
        "sha256": entry.sha256,
        "people": entry.people,
        "same_draw": int(entry.same_draw),
        "note": entry.note,
    }


def _entry(row: sqlite3.Row, struck: tuple[Struck, ...]) -> Entry:
    """The entry of a row, and how it was struck through. Raises ValueError, TypeError or LookupError for what is not understood."""
    pairs = decode(row["epsilon"], tuple[tuple[str, str], ...], "entry of the ledger", "use an earlier copy")
    epsilon = [(name, parse_nats(level)) for name, level in pairs]
    return Entry(
        row["population"],
        dt.date.fromisoformat(row["date"]),
        tuple(name for name, _ in epsilon),
        tuple(level for _, level in epsilon),
        parse_nats(row["total"]),
        row["sha256"],
        row["people"],
        row["note"],
        {0: False, 1: True}[row["same_draw"]],
        row["id"],
        struck,
    )
