"""The database of a survey: reached in one transaction at a time, with one sentence where that fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, event, inspect
from sqlalchemy.exc import SQLAlchemyError

from rrcore.errors import InputError
from rrcore.receiver.tables import LAYOUT, SURVEY
from rrcore.work.database.places import engine_of, in_words, path_of, shown_place

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
    """A connection to what is known to be a survey of a layout that this program knows, in one transaction."""
    with connected(place) as connection:
        LAYOUT.found(connection, shown_place(place, THING))
        yield connection


@contextmanager
def acting(place: str, who: str) -> Iterator[Connection]:
    """The same for what goes into the record of acts: the survey has the newest layout then, and nobody else writes."""
    with connected(place) as connection:
        LAYOUT.found(connection, shown_place(place, THING))
        LAYOUT.renew(connection, shown_place(place, THING), who)
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
