"""Databases of one kind, surveys or ledgers: how they are made, opened, renewed and checked, each in one transaction that nothing outlives.

Each layout of a kind has a number: every earlier one is read, and the newest is written. Reading changes nothing. The first act that needs
a table which an earlier layout lacks makes it, in the transaction of that act, which has the database to itself: an interrupted change leaves
the earlier layout, and of two programs that come at once the second finds it done. A later layout only ever adds tables, so that nobody
who reads meanwhile is in the way, or held up.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Connection, MetaData, Table, Update, inspect, select, text, update
from sqlalchemy.exc import SQLAlchemyError

from rrcore.errors import InputError
from rrcore.work.database.acts import record_act
from rrcore.work.database.places import engine_of, in_words, make_file, path_of, shown_place


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


@contextmanager
def connected(place: str, thing: str, pragmas: Sequence[str] = (), **options: Any) -> Iterator[Connection]:
    """A connection to the database at ``place``, whatever it holds, in one transaction unless ``options`` say otherwise.

    Parameters
    ----------
    place : str, path of an SQLite file or URL
    thing : what people call what is kept there
    pragmas : settings of SQLite
    options : of SQLAlchemy's ``execution_options``

    Raises
    ------
    InputError
        Where that fails: one sentence without a password.
    """
    engine = engine_of(place, thing, pragmas)
    try:
        with engine.execution_options(**options).begin() as connection:
            yield connection
    except SQLAlchemyError as error:
        raise InputError(f"'{shown_place(place, thing)}' {in_words(error, thing)}.") from None


@dataclass(frozen=True)
class DatabaseKind:
    """One kind of database.

    Parameters
    ----------
    thing : what people call what is kept: "survey", or "ledger"
    tables : MetaData, those of the newest layout
    version : the column, in a table of one row, that holds the number of the layout
    newest : int, the number that this program writes
    added : number -> the tables that came with it
    acts : the table of the record of acts, one of those
    lock : a change that changes nothing, and after which nobody else writes until the transaction ends
    pragmas : how SQLite writes
    """

    thing: str
    tables: MetaData
    version: Column[int]
    newest: int
    added: Mapping[int, Sequence[Table]]
    acts: Table
    lock: Update
    pragmas: tuple[str, ...] = ()

    def shown(self, place: str) -> str:
        """The place as people may see it: a full path, or a URL without user and password."""
        return shown_place(place, self.thing)

    @contextmanager
    def connected(self, place: str, **options: Any) -> Iterator[Connection]:
        """A connection to what may be such a database, in one transaction unless ``options`` say otherwise. Raises InputError."""
        with connected(place, self.thing, self.pragmas, **options) as connection:
            yield connection

    @contextmanager
    def transaction(self, place: str) -> Iterator[Connection]:
        """A connection to what is known to be such a database of a layout that this program knows, in one transaction."""
        with self.connected(place) as connection:
            self.found(connection, self.shown(place))
            yield connection

    @contextmanager
    def acting(self, place: str, who: str) -> Iterator[Connection]:
        """A ``transaction`` for what goes into the record of acts: it has the newest layout then, and nobody else writes."""
        with self.transaction(place) as connection:
            self._renew(connection, self.shown(place), who)
            yield connection

    def exists(self, place: str) -> bool:
        """Whether there is such a database, or a file, at ``place``. Raises InputError where that cannot be told."""
        path = path_of(place, self.thing)
        if path is not None:
            return path.exists()
        with self.connected(place) as connection:
            return self.is_in(connection)

    def is_in(self, connection: Connection) -> bool:
        """Whether a database is of this kind."""
        return inspect(connection).has_table(self.version.table.name)

    def create(self, place: str, who: str, fill: Callable[[Connection], object], advice: str = "open it") -> None:
        """A new one at ``place``: a file that only its owner may read, or tables in a database that has none of them.

        Parameters
        ----------
        place : str
        who : for the record of acts
        fill : puts the first rows into its tables
        advice : what to do where there is one already

        Raises
        ------
        InputError
            If there is something already, or it cannot be reached; nothing is left behind then.
        """
        path = path_of(place, self.thing)
        if path is not None:
            make_file(path, self.thing)
        try:
            with self.connected(place) as connection:
                if any(inspect(connection).has_table(table.name) for table in self.tables.sorted_tables):
                    raise InputError(f"There is already a {self.thing} at '{self.shown(place)}': {advice}.")
                self.tables.create_all(connection, checkfirst=False)
                fill(connection)
                record_act(connection, self.acts, who, "created")
        except InputError:
            if path is not None:
                path.unlink()
            raise

    def found(self, connection: Connection, shown: str) -> int:
        """The number of the layout at ``shown``. Raises InputError for what is none, is damaged, or belongs to a newer program."""
        if not self.is_in(connection):
            start = "start" if self.thing == "survey" else "create"
            raise InputError(f"'{shown}' is not a {self.thing}: check the place, or {start} a new one.")
        rows = connection.execute(select(self.version)).scalars().all()
        if len(rows) != 1 or type(rows[0]) is not int or rows[0] < 1:
            raise InputError(f"The {self.thing} '{shown}' is damaged: use an earlier copy.")
        if rows[0] > self.newest:
            raise InputError(
                f"The {self.thing} '{shown}' has version {rows[0]} and this program knows version {self.newest}: it was made by a newer "
                "program, so update this one."
            )
        return rows[0]

    def condition(self, place: str, look: Callable[[Connection], Sequence[str]], read: Callable[[], Sequence[str]]) -> Condition:
        """Whether the one at ``place`` is whole. Nothing is written.

        Parameters
        ----------
        place : str
        look : what is wrong with its rows, a sentence each, beside what SQLite finds wrong with its file
        read : what reading all of it fails at, where nothing else is wrong; an InputError of it is such a sentence

        Raises
        ------
        InputError
            If there is none, it cannot be reached, or its layout is that of a newer program.
        """
        with self.transaction(place) as connection:
            version = self.found(connection, self.shown(place))
            problems = [*_damage(connection), *look(connection)]
        if not problems:
            try:
                problems = list(read())
            except InputError as error:
                problems = [str(error)]
        return Condition(self.thing, self.shown(place), version, self.newest, tuple(problems))

    def _renew(self, connection: Connection, shown: str, who: str) -> None:
        """Have the newest layout, and the database to oneself until the transaction of ``connection`` ends."""
        connection.execute(self.lock)
        before = self.found(connection, shown)
        if before == self.newest:
            return
        for number in range(before + 1, self.newest + 1):
            for table in self.added[number]:
                table.create(connection)
        connection.execute(update(self.version.table).values({self.version.name: self.newest}))
        record_act(connection, self.acts, who, "layout changed", why=f"version {before} to {self.newest}")


def _damage(connection: Connection) -> list[str]:
    """What SQLite finds wrong with its own file; PostgreSQL sees to that by itself."""
    if connection.dialect.name != "sqlite":
        return []
    found = connection.execute(text("PRAGMA integrity_check(1)")).scalars().all()
    return [] if found == ["ok"] else ["SQLite finds its file damaged: use an earlier copy."]
