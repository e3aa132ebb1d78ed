"""Where a ledger is kept: an SQLite file, or any database that SQLAlchemy reaches.

Every call opens the database, does its work in one transaction and closes it again: nothing stays open, and two programs may write to the
same ledger at a time. Writing starts by locking the one row that holds the version, so that what is checked is still so when it is written.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    delete,
    insert,
    inspect,
    select,
    update,
)
from sqlalchemy.exc import SQLAlchemyError

from rrcore.collect.receiver.places import engine_of, in_words, path_of, shown_place
from rrcore.errors import InputError
from rrcore.ledger.composition import Planned, Spent, check_first_draw, check_repeat, plan_release, populations, promise, spent
from rrcore.ledger.entry import Entry, check_date, parse_nats, people_key, written_nats
from rrcore.limits import MAX_LEDGER_ENTRIES, MAX_TEXT
from rrcore.table.plain import Place, from_plain, parse

LEDGER_VERSION = 1
"""Number of the layout of the two tables below."""

_THING = "ledger"
_ROW, _Levels = Place("entry of the ledger", "use an earlier copy"), tuple[tuple[str, str], ...]
_TABLES = MetaData()
_VERSION = Table("rr_ledger", _TABLES, Column("version", Integer, primary_key=True, autoincrement=False))
_RELEASES = Table(
    "rr_release",
    _TABLES,
    Column("id", Integer, primary_key=True),
    Column("population", String(MAX_TEXT), nullable=False),
    Column("date", String(10), nullable=False),
    Column("levels", Text, nullable=False),  # JSON: [name of an attribute, its level in nats] each
    Column("total", String(20), nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("people", BigInteger),
    Column("same_draw", Integer, nullable=False),  # 0 or 1
    Column("note", String(MAX_TEXT), nullable=False),
    sqlite_autoincrement=True,  # the number of a removed entry is not given again
)
_LOCK = update(_VERSION).values(version=_VERSION.c.version)


@dataclass(frozen=True)
class Ledger:
    """Releases recorded in one place. Names, dates, fingerprints and totals only, never an answer.

    Parameters
    ----------
    place : str
        Path of an SQLite file, or an SQLAlchemy URL such as "postgresql+psycopg://user@host/name". The driver of a database other than
        SQLite must be installed. ``Ledger.open`` checks that a ledger is there.
    """

    place: str = field(repr=False)

    @classmethod
    def open(cls, place: str, *, create: bool = False) -> Ledger:
        """The ledger at ``place``. Nothing is written but by ``create``, which makes a new one and takes over nothing that exists.

        Raises
        ------
        InputError
            If there is none (or, with ``create``, something already), if it is something else, damaged or made by a newer version, or
            if it cannot be reached. No message contains a password.
        """
        ledger = cls(place.strip())
        if create:
            ledger._create()
        ledger.entries()
        return ledger

    @property
    def shown(self) -> str:
        """The place as people may see it: a full path, or a URL without user and password."""
        return shown_place(self.place, _THING)

    def entries(self, population: str | None = None) -> tuple[Entry, ...]:
        """Everything recorded, or what is about ``population``, in the order in which it was recorded."""
        with self._transaction() as connection:
            found = self._read(connection)
        return found if population is None else spent(found, population).entries

    def populations(self) -> tuple[str, ...]:
        """The groups of people."""
        return populations(self.entries())

    def spent(self, population: str, attributes: Sequence[str] | None = None) -> Spent:
        """What the releases about ``population`` promise together; see ``rrcore.ledger.composition``."""
        return spent(self.entries(), population, attributes)

    def planned(self, entry: Entry, *, memoised: bool = False) -> Planned:
        """What one more release would add, as ``plan_release`` says. Nothing is written."""
        return plan_release(self.entries(), entry, memoised=memoised)

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
        """The same, and recorded only if the block ends well: for what is released in it.

        ``once`` refuses a second draw of answers that the ledger has by the same mechanism.
        """
        with self._transaction(write=True) as connection:
            known = self._read(connection)
            if once:
                check_first_draw(known, entry)
            yield self._add(connection, known, entry)

    def add_once(self, entry: Entry) -> Entry:
        """The entry of the same mechanism, people, day and note that is there already, else ``add``, also where two do it at once."""
        with self._transaction(write=True) as connection:
            known = self._read(connection)
            return next((other for other in known if _alike(other, entry)), None) or self._add(connection, known, entry)

    def _add(self, connection: Connection, known: Sequence[Entry], entry: Entry) -> Entry:
        check_date(entry.date)
        if len(known) >= MAX_LEDGER_ENTRIES:
            raise InputError(f"The ledger '{self.shown}' has {len(known):,} entries, which is the limit: start a new one.")
        check_repeat(known, entry)
        key = people_key(entry.population)
        spelt = next((other.population for other in known if people_key(other.population) == key), entry.population)
        made = connection.execute(insert(_RELEASES).values(**_row(entry, spelt)))
        assert made.inserted_primary_key is not None
        return replace(entry, id=int(made.inserted_primary_key[0]), population=spelt)

    def remove(self, number: int) -> None:
        """Take back the entry recorded last, for one that was recorded by mistake.

        Only the last one: what is published cannot be taken back, and no later entry may rest on one that is gone.
        """
        with self._transaction(write=True) as connection:
            known = self._read(connection)
            if not known or known[-1].id != number:
                last = f"the last one is number {known[-1].id}" if known else "there is none"
                raise InputError(f"Entry {number} was not removed: only the entry recorded last can be taken back, and {last}.")
            connection.execute(delete(_RELEASES).where(_RELEASES.c.id == number))

    def _create(self) -> None:
        path = path_of(self.place, _THING)
        if path is None:
            self._make_tables()
            return
        try:
            path.open("xb").close()
        except (FileNotFoundError, NotADirectoryError):
            raise InputError(f"There is no folder '{path.parent}': create it first, or give another place.") from None
        except FileExistsError:
            raise InputError(f"There is already a file '{path}': open it if it is a ledger, or give another name.") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "its name is not possible"
            raise InputError(f"The file {str(path)!r} cannot be made ({reason}): choose another place.") from None
        try:
            self._make_tables()
        except InputError:
            path.unlink()
            raise

    def _make_tables(self) -> None:
        with self._connection() as connection:
            if any(inspect(connection).has_table(table.name) for table in _TABLES.sorted_tables):
                raise InputError(f"There is already a ledger at '{self.shown}': open it.")
            _TABLES.create_all(connection, checkfirst=False)
            connection.execute(insert(_VERSION).values(version=LEDGER_VERSION))

    @contextmanager
    def _transaction(self, *, write: bool = False) -> Iterator[Connection]:
        """A connection to what is known to be a ledger of this version, which no one else changes meanwhile if ``write``."""
        with self._connection() as connection:
            if not inspect(connection).has_table(_VERSION.name):
                raise InputError(f"'{self.shown}' is not a ledger: check the place, or create a new one.")
            if write:
                connection.execute(_LOCK)
            found = connection.execute(select(_VERSION.c.version)).scalars().all()
            if len(found) != 1 or type(found[0]) is not int or found[0] < 1:
                raise InputError(f"The ledger '{self.shown}' is damaged: use an earlier copy.")
            if found[0] > LEDGER_VERSION:
                raise InputError(
                    f"The ledger '{self.shown}' has version {found[0]} and this program knows version {LEDGER_VERSION}: it was made by a "
                    "newer program, so update this one."
                )
            yield connection

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        engine = engine_of(self.place, _THING)
        try:
            with engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise InputError(f"'{self.shown}' {in_words(error, _THING)}.") from None
        finally:
            engine.dispose()

    def _read(self, connection: Connection) -> tuple[Entry, ...]:
        rows = connection.execute(select(_RELEASES).order_by(_RELEASES.c.id)).mappings()
        number: object = "unknown"
        try:
            found, drawn = [], set()
            for row in rows:
                number = row["id"]
                entry = _entry(row)
                if not entry.same_draw:
                    drawn.add(promise(entry))
                elif promise(entry) not in drawn:
                    raise ValueError
                found.append(entry)
            return tuple(found)
        except (ValueError, TypeError, LookupError, RecursionError):
            raise InputError(
                f"The ledger '{self.shown}' has an entry that is not understood, number {str(number)[:20]}: it was changed by other means, "
                "so use an earlier copy."
            ) from None


def _alike(one: Entry, other: Entry) -> bool:
    """Whether two entries are about one release."""
    first, second = ((each.sha256, people_key(each.population), each.date, each.note) for each in (one, other))
    return first == second


def _row(entry: Entry, population: str) -> dict[str, Any]:
    levels = [[name, written_nats(level)] for name, level in zip(entry.attributes, entry.levels, strict=True)]
    return {
        "population": population,
        "date": entry.date.isoformat(),
        "levels": json.dumps(levels),
        "total": written_nats(entry.total),
        "sha256": entry.sha256,
        "people": entry.people,
        "same_draw": int(entry.same_draw),
        "note": entry.note,
    }


def _entry(row: Any) -> Entry:
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
    )
