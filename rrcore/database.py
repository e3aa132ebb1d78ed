"""Create, open and check the SQLite files of surveys and ledgers.

Each operation is one transaction, after which the file is closed.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from rrcore.errors import InputError, reading

_PATIENCE = 10.0  # seconds to wait while another program writes to the same file
_IN_WORDS = (
    ("readonly", "is read-only, so nothing was written. Allow writing to it and to its folder, or work on a copy"),
    ("locked", "is being written by another program. Wait a moment and try again"),
    ("not a database", "is not a {thing}. Check the path, or create a new one"),
    ("could not decode", "is damaged. Use an earlier copy"),
    ("malformed", "is damaged. Use an earlier copy"),
    ("no such", "is damaged. Use an earlier copy"),
    ("unable to open", "cannot be opened. Allow reading and writing of the file and its folder"),
    ("full", "cannot be written because the disk is full. Free some space, and try again"),
)


def path_of(place: str, thing: str) -> Path:
    """Return the full path of a survey or a ledger.

    Raises InputError if the path does not name a permanent file.
    """
    name = place.strip()
    if not name or "\0" in name or name == ":memory:" or "://" in name:
        raise InputError(f"This is not the path of a file. Enter a path, for example my.{thing}.")
    try:
        return Path(name).expanduser().absolute()
    except RuntimeError:
        raise InputError("The home folder in this path is unknown. Enter the full path.") from None


@dataclass(frozen=True)
class DatabaseKind:
    """A kind of database: surveys or ledgers.

    Parameters
    ----------
    thing : "survey" or "ledger"
    number : SQLite's application_id, which identifies files of this kind
    version : SQLite's user_version, which identifies the layout that this program reads and writes
    layout : statements that create the tables
    pragmas : settings of SQLite
    """

    thing: str
    number: int
    version: int
    layout: tuple[str, ...]
    pragmas: tuple[str, ...] = ()

    def create(self, place: str, fill: Callable[[sqlite3.Connection], object] = lambda connection: None) -> None:
        """Create a file at ``place`` with the rows that ``fill`` writes.

        Only the owner may read the file.

        Raises
        ------
        InputError
            If the file exists already or cannot be written. In that case, no file is left behind.
        """
        path = path_of(place, self.thing)
        _make_file(path, self.thing)
        try:
            with self._connected(path) as connection:
                connection.execute("BEGIN IMMEDIATE")
                for statement in (
                    f"PRAGMA application_id = {self.number}",
                    f"PRAGMA user_version = {self.version}",
                    *self.layout,
                ):
                    connection.execute(statement)
                fill(connection)
                connection.execute("COMMIT")
        except InputError:
            path.unlink()
            raise

    @contextmanager
    def reading(self, place: str) -> Iterator[sqlite3.Connection]:
        """Read a consistent state of the database at ``place``.

        Raises InputError if the file is not such a database or is damaged.
        """
        with self._transaction(place, "BEGIN") as connection:
            yield connection

    @contextmanager
    def writing(self, place: str) -> Iterator[sqlite3.Connection]:
        """Write to the database at ``place`` in one transaction.

        Other programs cannot write until the block ends. An error in the block undoes all changes.
        """
        with self._transaction(place, "BEGIN IMMEDIATE") as connection:
            yield connection

    def vacuum(self, place: str) -> None:
        """Rewrite the file in the order of its keys, without traces of deleted data."""
        with self._connected(path_of(place, self.thing)) as connection:
            connection.execute("VACUUM")

    @contextmanager
    def _transaction(self, place: str, begin: str) -> Iterator[sqlite3.Connection]:
        path = path_of(place, self.thing)
        with self._connected(path) as connection:
            connection.execute(begin)
            self._check(connection, path)
            yield connection
            if connection.in_transaction:
                connection.execute("COMMIT")

    def _check(self, connection: sqlite3.Connection, path: Path) -> None:
        number, version = (connection.execute(f"PRAGMA {each}").fetchone()[0] for each in ("application_id", "user_version"))
        if number != self.number:
            raise InputError(f"'{path}' is not a {self.thing}. Check the path, or create a new one.")
        if version != self.version:
            raise InputError(
                f"The {self.thing} '{path}' has version {version}, but this program reads version {self.version}. Use the "
                "program that created it."
            )
        created = {None, "CREATE TABLE sqlite_sequence(name,seq)", *self.layout}
        if not {sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master")} <= created:
            # a view or a generated column can compute forever, or fill the memory
            raise InputError(
                f"The {self.thing} '{path}' is damaged. It contains other tables than a {self.thing}. Use an earlier copy."
            )

    @contextmanager
    def _connected(self, path: Path) -> Iterator[sqlite3.Connection]:
        with reading(path):
            if not path.exists():
                raise InputError(f"There is no {self.thing} '{path}'. Check the path, or create a new one.")
            if not path.is_file():
                raise InputError(f"'{path}' is not a file. Enter the path of a {self.thing} file.")
        address = f"{path.as_uri()}?mode=rw"  # never creates a file
        try:
            with closing(sqlite3.connect(address, uri=True, timeout=_PATIENCE, isolation_level=None)) as connection:
                connection.row_factory = sqlite3.Row
                for pragma in self.pragmas:
                    connection.execute(f"PRAGMA {pragma}")
                yield connection
        except sqlite3.Error as error:
            raise InputError(f"'{path}' {_in_words(error, self.thing)}.") from None


def insert(connection: sqlite3.Connection, table: str, rows: Sequence[dict[str, object]]) -> sqlite3.Cursor:
    """Insert rows that all have the same columns."""
    names = list(rows[0])
    statement = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"  # nosec B608: names are ours
    if len(rows) == 1:
        return connection.execute(statement, list(rows[0].values()))
    return connection.executemany(statement, [list(row.values()) for row in rows])


def _in_words(error: sqlite3.Error, thing: str) -> str:
    reason = str(error).lower()
    sentence = next((words.format(thing=thing) for sign, words in _IN_WORDS if sign in reason), None)
    return sentence or "cannot be used. Check that its disk works"


def _make_file(path: Path, thing: str) -> None:
    """Make an empty file that only its owner may read. Refuse one that exists."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"There is no folder '{path.parent}'. Create it first, or choose another place.") from None
    except FileExistsError:
        raise InputError(f"The file '{path}' already exists. Open it if it is a {thing}, or choose another name.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name is invalid"
        raise InputError(f"The file {str(path)!r} cannot be created ({reason}). Choose another place.") from None
