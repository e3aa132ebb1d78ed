"""Whether a ledger is whole: its layout, SQLite's own check, and that its entries and its record of acts fit. Nothing is written."""

from __future__ import annotations

from rrcore.errors import InputError
from rrcore.ledger.store import Ledger
from rrcore.ledger.tables import LAYOUT, THING
from rrcore.work.database.condition import Condition, damage


def check_ledger(place: str) -> Condition:
    """Look at all of a ledger.

    Raises
    ------
    InputError
        If there is none, it cannot be reached, or its layout is that of a newer program.
    """
    ledger = Ledger(place.strip())
    with ledger.reading() as connection:
        version, problems = LAYOUT.found(connection, ledger.shown), damage(connection)
    if not problems:
        try:
            known = {entry.id for entry in ledger.entries()}
            lost = sorted({act.entry for act in ledger.acts() if act.entry is not None} - known)
            problems = [f"Its record of acts is about entry {number}, which is gone: use an earlier copy." for number in lost]
        except InputError as error:
            problems = [str(error)]
    return Condition(THING, ledger.shown, version, LAYOUT.newest, tuple(problems))
