"""Where a ledger is kept: an SQLite file, or any database that SQLAlchemy reaches.

Every call opens the database, does its work in one transaction and closes it again: nothing stays open, and two programs may write to the
same ledger at a time. Writing starts by locking the one row that holds the version, so that what is checked is still so when it is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from sqlalchemy import Connection, insert, inspect, select
from sqlalchemy.exc import SQLAlchemyError

from rrcore.errors import InputError
from rrcore.ledger.composition import (
    Planned,
    Spent,
    check_first_draw,
    check_repeat,
    check_strike,
    plan_release,
    populations,
    promise,
    spent,
)
from rrcore.ledger.entry import Entry, Struck, check_date, people_key
from rrcore.ledger.tables import ACTS, LAYOUT, LEDGER_VERSION, RELEASES, TABLES, THING, VERSION, entry_of, row_of
from rrcore.limits import MAX_LEDGER_ENTRIES
from rrcore.work.database.acts import Act, acts_of, reason, record_act, this_user
from rrcore.work.database.places import engine_of, in_words, make_file, path_of, shown_place

__all__ = ["LEDGER_VERSION", "Ledger"]


@dataclass(frozen=True)
class Ledger:
    """Releases recorded in one place. Names, dates, fingerprints and totals only, never an answer.

    Parameters
    ----------
    place : str
        Path of an SQLite file, or an SQLAlchemy URL such as "postgresql+psycopg://user@host/name". The driver of a database other than
        SQLite must be installed. ``Ledger.open`` checks that a ledger is there.
    by : str, who acts, for the record of acts; by default the account that the program runs under
    """

    place: str = field(repr=False)
    by: str = field(default_factory=this_user, repr=False, compare=False)

    @classmethod
    def open(cls, place: str, *, create: bool = False, by: str = "") -> Ledger:
        """The ledger at ``place``. Nothing is written but by ``create``, which makes a new one and takes over nothing that exists.

        Raises
        ------
        InputError
            If there is none (or, with ``create``, something already), if it is something else, damaged or made by a newer version, or
            if it cannot be reached. No message contains a password.
        """
        ledger = cls(place.strip(), by or this_user())
        if create:
            ledger._create()
        ledger.entries()
        return ledger

    @property
    def shown(self) -> str:
        """The place as people may see it: a full path, or a URL without user and password."""
        return shown_place(self.place, THING)

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
        """The entry of the same mechanism, people, day and note that is there already, else ``add``, also where two do it at once.

        One that was declared never to have happened is none.
        """
        with self._transaction(write=True) as connection:
            known = self._read(connection)
            return next((other for other in known if other.happened and _alike(other, entry)), None) or self._add(
                connection, known, entry
            )

    def _add(self, connection: Connection, known: Sequence[Entry], entry: Entry) -> Entry:
        check_date(entry.date)
        if len(known) >= MAX_LEDGER_ENTRIES:
            raise InputError(f"The ledger '{self.shown}' has {len(known):,} entries, which is the limit: start a new one.")
        check_repeat(known, entry)
        key = people_key(entry.population)
        spelt = next((other.population for other in known if people_key(other.population) == key), entry.population)
        made = connection.execute(insert(RELEASES).values(**row_of(entry, spelt)))
        assert made.inserted_primary_key is not None
        number = int(made.inserted_primary_key[0])
        record_act(connection, ACTS, self.by, "entry recorded", entry=number)
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
        said = reason(why)
        with self._transaction(write=True) as connection:
            entry = check_strike(self._read(connection), number, never_happened)
            act = record_act(
                connection,
                ACTS,
                self.by,
                "entry never happened" if never_happened else "entry struck through",
                entry=number,
                why=said,
            )
            return replace(entry, struck=(*entry.struck, _struck(act)))

    def acts(self) -> tuple[Act, ...]:
        """The record of acts; empty in a ledger of a version that kept none."""
        with self._transaction() as connection:
            return self._acts(connection)

    def _create(self) -> None:
        path = path_of(self.place, THING)
        if path is None:
            self._make_tables()
            return
        make_file(path, THING)
        try:
            self._make_tables()
        except InputError:
            path.unlink()
            raise

    def _make_tables(self) -> None:
        with self._connection() as connection:
            if any(inspect(connection).has_table(table.name) for table in TABLES.sorted_tables):
                raise InputError(f"There is already a ledger at '{self.shown}': open it.")
            TABLES.create_all(connection, checkfirst=False)
            connection.execute(insert(VERSION).values(version=LEDGER_VERSION))
            record_act(connection, ACTS, self.by, "created")

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection to what is known to be a ledger, to look at."""
        with self._transaction() as connection:
            yield connection

    @contextmanager
    def _transaction(self, *, write: bool = False) -> Iterator[Connection]:
        """A connection to what is known to be a ledger, which no one else changes meanwhile if ``write``."""
        with self._connection() as connection:
            LAYOUT.found(connection, self.shown)
            if write:
                LAYOUT.renew(connection, self.shown, self.by)
            yield connection

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        engine = engine_of(self.place, THING)
        try:
            with engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise InputError(f"'{self.shown}' {in_words(error, THING)}.") from None
        finally:
            engine.dispose()

    def _acts(self, connection: Connection) -> tuple[Act, ...]:
        try:
            return acts_of(connection, ACTS)
        except (ValueError, TypeError):
            raise InputError(f"The record of acts of '{self.shown}' was changed by other means: use an earlier copy.") from None

    def _strikes(self, connection: Connection) -> dict[object, tuple[Struck, ...]]:
        found: dict[object, tuple[Struck, ...]] = {}
        for act in self._acts(connection):
            if act.act in ("entry struck through", "entry never happened"):
                found[act.entry] = (*found.get(act.entry, ()), _struck(act))
        return found

    def _read(self, connection: Connection) -> tuple[Entry, ...]:
        rows = connection.execute(select(RELEASES).order_by(RELEASES.c.id)).mappings()
        number: object = "unknown"
        try:
            found, drawn, struck = [], set(), self._strikes(connection)
            for row in rows:
                number = row["id"]
                entry = entry_of(row, struck.get(number, ()))
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


def _struck(act: Act) -> Struck:
    return Struck(act.at, act.who, act.why, act.act == "entry never happened")
