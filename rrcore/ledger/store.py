"""Where a ledger is kept: an SQLite file, or any database that SQLAlchemy reaches.

Every call opens the database, does its work in one transaction and closes it again: nothing stays open, and two programs may write to the
same ledger at a time. Writing starts by locking the one row that holds the version, so that what is checked is still so when it is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from sqlalchemy import Connection, insert, select

from rrcore.errors import InputError
from rrcore.ledger.entry import Entry, Struck, check_date, entry_populations, people_key
from rrcore.ledger.tables import ACTS, LEDGER_VERSION, LEDGERS, RELEASES, VERSION, entry_of, row_of
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
from rrcore.limits import MAX_LEDGER_ENTRIES
from rrcore.work.database.acts import Act, acts_of, reason, record_act, this_user
from rrcore.work.database.kind import Condition

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
            LEDGERS.create(
                ledger.place, ledger.by, lambda connection: connection.execute(insert(VERSION).values(version=LEDGER_VERSION))
            )
        ledger.entries()
        return ledger

    @property
    def shown(self) -> str:
        """The place as people may see it: a full path, or a URL without user and password."""
        return LEDGERS.shown(self.place)

    def entries(self, population: str | None = None) -> tuple[Entry, ...]:
        """Everything recorded, or what is about ``population``, in the order in which it was recorded."""
        with LEDGERS.transaction(self.place) as connection:
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
        with LEDGERS.acting(self.place, self.by) as connection:
            known = self._read(connection)
            if once:
                check_first_draw(known, entry)
            yield self._add(connection, known, entry)

    def add_once(self, entry: Entry, *, noted: Sequence[str] = ()) -> Entry:
        """The entry of the same mechanism, people, day and note that is there already, else ``add``, also where two do it at once.

        One that was declared never to have happened is none. ``noted`` are other notes under which the same release may be there.
        """
        same = [entry, *(replace(entry, note=note) for note in noted)]
        with LEDGERS.acting(self.place, self.by) as connection:
            known = self._read(connection)
            there = (other for other in known if other.happened and any(_is_one_release(other, each) for each in same))
            return next(there, None) or self._add(connection, known, entry)

    def check_new(self, entry: Entry) -> None:
        """Raise what ``add`` would raise for this entry now. Nothing is written."""
        self._check_new(self.entries(), entry)

    def _check_new(self, known: Sequence[Entry], entry: Entry) -> None:
        check_date(entry.date)
        if len(known) >= MAX_LEDGER_ENTRIES:
            raise InputError(f"The ledger '{self.shown}' has {len(known):,} entries, which is the limit: start a new one.")
        check_repeat(known, entry)

    def _add(self, connection: Connection, known: Sequence[Entry], entry: Entry) -> Entry:
        self._check_new(known, entry)
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
        with LEDGERS.acting(self.place, self.by) as connection:
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
        with LEDGERS.transaction(self.place) as connection:
            return self._acts(connection)

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


def check_ledger(place: str) -> Condition:
    """Whether a ledger is whole: its layout, SQLite's own check, and that its entries and its record of acts fit. Nothing is written.

    Raises
    ------
    InputError
        If there is none, it cannot be reached, or its layout is that of a newer program.
    """
    ledger = Ledger(place.strip())

    def lost() -> list[str]:
        known = {entry.id for entry in ledger.entries()}
        gone = sorted({act.entry for act in ledger.acts() if act.entry is not None} - known)
        return [f"Its record of acts is about entry {number}, which is gone: use an earlier copy." for number in gone]

    return LEDGERS.condition(ledger.place, lambda connection: (), lost)


def _is_one_release(one: Entry, other: Entry) -> bool:
    """Whether two entries are about one release."""
    first, second = ((each.sha256, people_key(each.population), each.date, each.note) for each in (one, other))
    return first == second


def _struck(act: Act) -> Struck:
    return Struck(act.at, act.who, act.why, act.act == "entry never happened")
