"""A consistent copy of a survey or a ledger while others write to it: of all that was acknowledged when it began, and nothing half.

An SQLite file is copied by SQLite itself (its online backup), which holds up writers for as long as reading the file takes. PostgreSQL
is copied out of one snapshot, which holds up nobody, into an SQLite file, so that a copy is one file whatever it comes from. The other way
round, an SQLite file can be copied into an empty database. The copy of a file is written anew: places that were free, and the order
in which rows came to theirs, are not in it.
"""

import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, MetaData, create_engine, insert, inspect, select, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from rrcore.errors import InputError
from rrcore.work.database.kind import DatabaseKind, connected
from rrcore.work.database.places import path_of
from rrcore.work.newfile import UnwrittenError, check_new_file
from rrcore.work.newfile import place as give_name

_MANY = 5_000  # rows that are copied at a time


def back_up(place: str, out: str, kind: DatabaseKind) -> None:
    """Copy what is at ``place`` to ``out``, with its layout as it is.

    Parameters
    ----------
    place : str, path of an SQLite file or URL
    out : str, path of a file that does not exist yet, which only its owner may read; or URL of a database without such tables
    kind : DatabaseKind, surveys or ledgers

    Raises
    ------
    InputError
        If there is none at ``place``, or ``out`` is taken or cannot be written. Nothing is left behind then.
    """
    target = path_of(out, kind.thing)
    if target is None:
        with _snapshot(place, kind) as old, connected(out, kind.thing) as new:
            if any(inspect(new).has_table(table.name) for table in kind.tables.sorted_tables):
                raise InputError(f"There is already a {kind.thing} at '{kind.shown(out)}': give an empty database.")
            _copy_rows(old, new, kind.tables)
        return
    check_new_file(target)
    part = target.with_name(f".{secrets.token_hex(12)}.part")
    try:
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with _snapshot(place, kind) as old:
            if old.dialect.name == "sqlite":
                with _written_or_refused(target), closing(sqlite3.connect(part, isolation_level=None)) as copy:
                    copy.execute("PRAGMA synchronous = OFF")
                    source = old.connection.driver_connection
                    assert isinstance(source, sqlite3.Connection)
                    source.backup(copy)
                    copy.execute("PRAGMA journal_mode = MEMORY")
                    copy.execute("VACUUM")
            else:
                engine = create_engine(f"sqlite:///{part}", poolclass=NullPool, hide_parameters=True)
                with _written_or_refused(target), engine.begin() as new:
                    _copy_rows(old, new, kind.tables)
        with part.open("rb+") as written:
            os.fsync(written.fileno())
        give_name(part, target)
    except FileExistsError:
        check_new_file(target)
        raise
    except OSError as error:
        raise _unwritten(target, error.strerror) from error
    finally:
        for left in (part, part.with_name(f"{part.name}-journal")):
            left.unlink(missing_ok=True)


@contextmanager
def _snapshot(place: str, kind: DatabaseKind) -> Iterator[Connection]:
    """A connection that sees what is at ``place`` now, whatever others write meanwhile."""
    still: dict[str, Any] = (
        {} if path_of(place, kind.thing) else {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    )
    with connected(place, kind.thing, **still) as connection:
        kind.found(connection, kind.shown(place))
        yield connection


def _copy_rows(old: Connection, new: Connection, tables: MetaData) -> None:
    """All rows, in the order of their keys; a table that an earlier layout lacks is not made."""
    for table in tables.sorted_tables:
        if not inspect(old).has_table(table.name):
            continue
        table.create(new)
        rows = old.execution_options(yield_per=_MANY).execute(select(table).order_by(*table.primary_key.columns))
        for some in rows.mappings().partitions():
            new.execute(insert(table), [dict(row) for row in some])
        if new.dialect.name == "postgresql" and table.autoincrement_column is not None:
            number, last = (
                table.autoincrement_column.name,
                f"pg_get_serial_sequence('{table.name}', '{table.autoincrement_column.name}')",
            )
            # the next number
            new.execute(text(f"SELECT setval({last}, coalesce(max({number}), 0) + 1, false) FROM {table.name}"))


@contextmanager
def _written_or_refused(target: Path) -> Iterator[None]:
    """What keeps the copy from being written, in one sentence."""
    try:
        yield
    except (sqlite3.Error, SQLAlchemyError) as error:
        raise _unwritten(target, str(error.orig if isinstance(error, DBAPIError) else error)) from None


def _unwritten(target: Path, reason: str | None) -> UnwrittenError:
    return UnwrittenError(f"The copy '{target}' cannot be written ({reason}): make room, or choose another place.")
