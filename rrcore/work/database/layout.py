"""Layouts of the databases of surveys and ledgers: each has a number, every earlier one is read, and the newest is written.

Reading changes nothing. The first act that needs a table which an earlier layout lacks makes it, in the transaction of that act, which has
the database to itself: an interrupted change leaves the earlier layout, and of two programs that come at once the second finds it done.
A later layout only ever adds tables, so that nobody who reads meanwhile is in the way, or held up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Column, Connection, Table, Update, inspect, select, update

from rrcore.errors import InputError
from rrcore.work.database.acts import record_act


@dataclass(frozen=True)
class Layout:
    """The layouts of one kind of database.

    Parameters
    ----------
    thing : what people call what is kept: "survey", or "ledger"
    version : the column, in a table of one row, that holds the number of the layout
    newest : int, the number that this program writes
    added : number -> the tables that came with it
    acts : the table of the record of acts, one of those
    lock : a change that changes nothing, and after which nobody else writes until the transaction ends
    """

    thing: str
    version: Column[int]
    newest: int
    added: Mapping[int, Sequence[Table]]
    acts: Table
    lock: Update

    def found(self, connection: Connection, shown: str) -> int:
        """The number of the layout at ``shown``. Raises InputError for what is none, is damaged, or belongs to a newer program."""
        if not inspect(connection).has_table(self.version.table.name):
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

    def renew(self, connection: Connection, shown: str, who: str) -> None:
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
