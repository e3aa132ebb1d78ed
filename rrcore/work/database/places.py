"""Where answers, or a ledger, can be kept: the path of an SQLite file, or the URL of another database. No message contains a password.

``thing`` is what is kept there, as people call it: "ledger", or "survey".
"""

import os
import re
import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from sqlalchemy import URL, Engine, create_engine
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from rrcore.errors import InputError, reading

_PATIENCE = 10.0  # seconds to wait while another program writes to the same SQLite file
_URL = re.compile(r"[A-Za-z][\w+.-]+:")  # a drive of Windows has one letter
_IN_WORDS = (
    ("readonly", "is read-only, so nothing was written: allow writing to it and to its folder, or work on a copy"),
    ("locked", "is being written by another program: wait a moment and try again"),
    ("not a database", "is not a {thing}: check the path, or create a new one"),
    ("no such table", "is not a {thing}: check the path, or create a new one"),
    ("read-only", "is read-only, so nothing was written: allow writing to it, or work on a copy"),
    ("could not decode", "is damaged: use an earlier copy"),
    ("malformed", "is damaged: use an earlier copy"),
    ("no such column", "is damaged: use an earlier copy"),
    ("unable to open", "cannot be opened: allow reading and writing it and its folder"),
    ("no space left", "cannot be written because the disk is full: make room and try again"),
    ("full", "cannot be written because the disk is full: make room and try again"),
)


def path_of(place: str, thing: str) -> Path | None:
    """The full path of an SQLite file; None for the URL of another database. Raises InputError for neither."""
    if not place or "\0" in place:
        raise InputError(f"No place is given: type the path of a file, for example my.{thing}, or a database URL.")
    name: str | None = place
    if _URL.match(place):
        try:
            url = make_url(place)
            if place.count("@") > 1 or "://" not in place:
                raise ValueError
        except (SQLAlchemyError, ValueError):
            raise InputError(
                "The database URL is not understood: write it like postgresql+psycopg://user@host/name, with special characters of a "
                "password as %40 for @ and so on."
            ) from None
        if url.get_backend_name() != "sqlite":
            return None
        name = url.database
    if not name or name == ":memory:" or name.startswith("file:"):
        raise InputError(f"A {thing} needs a permanent file: type the path of an SQLite file.")
    try:
        return Path(name).expanduser().absolute()
    except RuntimeError:
        raise InputError("The home folder in this path is unknown: type the full path.") from None


def shown_place(place: str, thing: str) -> str:
    """The place as people may see it: a full path, or a URL without user and password. Raises InputError as ``path_of`` does."""
    path = path_of(place, thing)
    if path is not None:
        return str(path)
    url = make_url(place)
    port = "" if url.port is None else f":{url.port}"
    return f"{url.drivername}://{url.host or ''}{port}/{url.database or ''}"


def engine_of(place: str, thing: str, pragmas: Sequence[str] = ()) -> Engine:
    """An engine that keeps no connection and creates no file, with these settings of SQLite. Raises InputError where there is nothing to
    connect to.
    """
    path = path_of(place, thing)
    if path is None:
        try:
            return create_engine(_driven(place), poolclass=NullPool, hide_parameters=True)
        except (SQLAlchemyError, ImportError, ValueError, TypeError):
            kind = make_url(place).drivername
            raise InputError(
                f"The database '{kind}' cannot be used: install its driver for SQLAlchemy, or use the path of a file."
            ) from None
    with reading(path):
        if not path.exists():
            raise InputError(f"There is no {thing} '{path}': check the path, or create a new one.")
        if not path.is_file():
            raise InputError(f"'{path}' is not a file: type the path of a {thing} file.")
    return _engine_of_file(f"{path.as_uri()}?mode=rw", tuple(pragmas))  # never creates a file


# An engine keeps what it has put into the database's own words, which takes longer than asking a small file. That of a server, whose
# address has a password, is not kept beyond the session that has it.
@lru_cache(maxsize=64)
def _engine_of_file(address: str, pragmas: tuple[str, ...]) -> Engine:
    def connect() -> sqlite3.Connection:
        raw = sqlite3.connect(address, uri=True, timeout=_PATIENCE)
        for pragma in pragmas:
            raw.execute(f"PRAGMA {pragma}")
        return raw

    return create_engine("sqlite://", creator=connect, poolclass=NullPool, hide_parameters=True)


def _driven(place: str) -> URL:
    """The URL, with the driver of PostgreSQL that the extra ``receiver`` installs where it names none."""
    url = make_url(place)
    return url.set(drivername="postgresql+psycopg") if url.drivername in ("postgres", "postgresql") else url


def in_words(error: SQLAlchemyError, thing: str) -> str:
    """What went wrong. The driver's own words may hold a password, so they are never passed on."""
    reason = str(error.orig).lower() if isinstance(error, DBAPIError) else ""
    sentence = next((words.format(thing=thing) for sign, words in _IN_WORDS if sign in reason), None)
    return (
        sentence or "cannot be used: check that the database exists and runs, and that its address, user and password are right"
    )


def make_file(path: Path, thing: str) -> None:
    """An empty file that only its owner may read; one that exists is refused."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"There is no folder '{path.parent}': create it first, or give another place.") from None
    except FileExistsError:
        raise InputError(f"There is already a file '{path}': open it if it is a {thing}, or give another name.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name is not possible"
        raise InputError(f"The file {str(path)!r} cannot be made ({reason}): choose another place.") from None
