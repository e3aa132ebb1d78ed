"""Whether answers can be stored: the database is read and written now and then, and the form is given out only while that works."""

from sqlalchemy import text, update

from rrcore.errors import InputError
from rrcore.receiver.tables import STATE, SURVEYS

RESERVE = 2**20
"""Bytes that must find room for the form to be given out: some thousand answers, so that who has the form open can still send it."""


def fault_of(place: str) -> str:
    """Why no answer can be stored in the survey at ``place``, in one sentence without the place; empty where one can."""
    try:
        try_writing(place)
    except InputError as error:
        return str(error).replace(f"'{SURVEYS.shown(place)}'", "The database")
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
    with SURVEYS.transaction(place) as connection:
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("PRAGMA cache_size = 10")  # pages: more is written out at once
            # begins a transaction, and nobody else writes from here on
            connection.execute(update(STATE).values(answers=STATE.c.answers))
            connection.exec_driver_sql("CREATE TABLE rr_trial (content BLOB)")
            connection.exec_driver_sql(f"INSERT INTO rr_trial VALUES (zeroblob({RESERVE}))")
        else:
            if connection.execute(text("SELECT current_setting('transaction_read_only')")).scalar_one() != "off":
                raise InputError(f"'{SURVEYS.shown(place)}' is read-only, so nothing can be written: allow writing to it.")
            for setting in ("work_mem = '64kB'", "temp_tablespaces = ''"):
                connection.exec_driver_sql(f"SET LOCAL {setting}")
            rows = f"SELECT repeat(n::text, 1024) AS row FROM generate_series(1, {RESERVE // 4096}) AS n ORDER BY row"
            connection.exec_driver_sql(f"SELECT max(row) FROM ({rows} OFFSET 0) AS sorted").scalar_one()
        connection.rollback()
