"""Whether answers can be stored: the database is read and written now and then, and the form is given out only while that works."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from sqlalchemy import Connection, text, update

from rrcore.collect.receiver.database import THING, transaction
from rrcore.collect.receiver.places import shown_place
from rrcore.collect.receiver.tables import STATE
from rrcore.errors import InputError

RESERVE = 2**20
"""Bytes that must find room for the form to be given out: some thousand answers, so that who has the form open can still send it."""

_FRESH = 5.0  # seconds that a finding holds


class Health:
    """What was found when the database of a survey was last tried.

    Parameters
    ----------
    place : str, of the survey
    clock : seconds, from any start
    """

    def __init__(self, place: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._place, self._clock = place, clock
        self._trying = threading.Lock()
        self._found, self._until = "", float("-inf")

    def fault(self) -> str:
        """Why no answer can be stored, in one sentence without the place; empty where one can. It is tried anew every few seconds.

        Whoever asks while somebody tries is told what was found before, so that nobody waits for a database that hangs but one.
        """
        if self._clock() >= self._until and self._trying.acquire(blocking=False):
            try:
                self._found = self._try()
                self._until = self._clock() + _FRESH
            finally:
                self._trying.release()
        return self._found

    def doubt(self) -> None:
        """Have it tried anew when it is next asked for: something failed."""
        self._until = float("-inf")

    def _try(self) -> str:
        try:
            try_writing(self._place)
        except InputError as error:
            return str(error).replace(f"'{shown_place(self._place, THING)}'", "The database")
        return ""


def try_writing(place: str) -> None:
    """Read the survey at ``place``, and write ``RESERVE`` bytes where its answers go, all of which is undone.

    Nothing is left of it. SQLite writes to its journal and to the end of its file, which then is byte for byte what it was. PostgreSQL writes
    a file of a sort that does not fit into memory, since a row would take a transaction number: given at every look, these would
    be a clock beside the numbers of answers.

    Raises
    ------
    InputError
        If the survey cannot be read or written, or the disk is full.
    """
    with transaction(place) as connection:
        if connection.dialect.name == "sqlite":
            _write_to_file(connection)
        else:
            _write_beside(connection, place)
        connection.rollback()


def _write_to_file(connection: Connection) -> None:
    connection.exec_driver_sql("PRAGMA cache_size = 10")  # pages: more is written out at once
    connection.execute(update(STATE).values(answers=STATE.c.answers))  # begins a transaction, and nobody else writes from here on
    connection.exec_driver_sql("CREATE TABLE rr_trial (content BLOB)")
    connection.exec_driver_sql(f"INSERT INTO rr_trial VALUES (zeroblob({RESERVE}))")


def _write_beside(connection: Connection, place: str) -> None:
    if connection.execute(text("SELECT current_setting('transaction_read_only')")).scalar_one() != "off":
        raise InputError(f"'{shown_place(place, THING)}' is read-only, so nothing can be written: allow writing to it.")
    for setting in ("work_mem = '64kB'", "temp_tablespaces = ''"):
        connection.exec_driver_sql(f"SET LOCAL {setting}")
    rows = f"SELECT repeat(n::text, 1024) AS row FROM generate_series(1, {RESERVE // 4096}) AS n ORDER BY row"
    connection.exec_driver_sql(f"SELECT max(row) FROM ({rows} OFFSET 0) AS sorted").scalar_one()
