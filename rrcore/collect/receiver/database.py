"""The database of a survey: reached in one transaction at a time, with one sentence where that fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, event, inspect, select
from sqlalchemy.exc import SQLAlchemyError

from rrcore.collect.receiver.places import engine_of, in_words, path_of, shown_place
from rrcore.collect.receiver.tables import STORE_VERSION, SURVEY
from rrcore.errors import InputError

THING = "survey"
"""What people call what is kept."""

PRAGMAS = ("journal_mode = TRUNCATE", "synchronous = FULL", "secure_delete = ON", "temp_store = MEMORY")
"""How SQLite writes: its journal is emptied after each transaction, on disk before it is over, and what is deleted is overwritten."""


def store_exists(place: str) -> bool:
    """Whether there is a survey at ``place``. Raises InputError where there is something else."""
    place = place.strip()
    path = path_of(place, THING)
    if path is not None:
        return path.exists()
    with connected(place) as connection:
        return inspect(connection).has_table(SURVEY.name)


@contextmanager
def transaction(place: str) -> Iterator[Connection]:
    """A connection to what is known to be a survey of this version, in one transaction."""
    with connected(place) as connection:
        if not inspect(connection).has_table(SURVEY.name):
            raise InputError(f"'{shown_place(place, THING)}' is not a survey: check the place, or start a new one.")
        version = connection.execute(select(SURVEY.c.version)).scalar_one()
        if version != STORE_VERSION:
            raise InputError(
                f"The survey '{shown_place(place, THING)}' has version {version} and this program knows version {STORE_VERSION}: it was "
                "made by a newer program, so update this one."
            )
        yield connection


@contextmanager
def connected(place: str, **options: Any) -> Iterator[Connection]:
    """A connection, in one transaction unless ``options`` say otherwise; whatever goes wrong is told in one sentence without a password."""
    engine = engine_of(place, THING)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare)
    try:
        with engine.execution_options(**options).begin() as connection:
            yield connection
    except SQLAlchemyError as error:
        raise InputError(f"'{shown_place(place, THING)}' {in_words(error, THING)}.") from None
    finally:
        engine.dispose()


def _prepare(connection: Any, _: object) -> None:
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def new_file(path: Path) -> None:
    """An empty file that only its owner may read; one that exists is refused."""
    try:
        path.open("xb").close()
        path.chmod(0o600)
    except FileNotFoundError:
        raise InputError(f"There is no folder '{path.parent}': create it first, or give another place.") from None
    except FileExistsError:
        raise InputError(f"There is already a file '{path}': open it if it is a survey, or give another name.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name is not possible"
        raise InputError(f"The file {str(path)!r} cannot be made ({reason}): choose another place.") from None
