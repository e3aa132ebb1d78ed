"""Whether the database of a survey is whole: its layout, SQLite's own check, and what its tables say of each other. Nothing is written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, func, select

from rrcore.receiver.opening import open_store
from rrcore.receiver.tables import ANSWERS, RECEIPTS, STATE, SURVEYS
from rrcore.wording import counted
from rrcore.work.database.kind import Condition


def check_survey(place: str) -> Condition:
    """Look at all of a survey.

    Raises
    ------
    InputError
        If there is none, it cannot be reached, or its layout is that of a newer program.
    """
    return SURVEYS.condition(place.strip(), lambda connection: list(_contradictions(connection)), lambda: _read(place.strip()))


def _contradictions(connection: Connection) -> Iterable[str]:
    states = connection.execute(select(STATE.c.answers)).scalars().all()
    if len(states) != 1:
        yield f"Its state has {counted(len(states), 'row', 'rows')} and should have one: use an earlier copy."
        return
    n = states[0]
    there, last = connection.execute(select(func.count(), func.max(ANSWERS.c.place)).select_from(ANSWERS)).one()
    receipts = connection.execute(select(func.count()).select_from(RECEIPTS)).scalar_one()
    if (there, last or 0) != (n, n):
        yield f"It says that {counted(n, 'answer', 'answers')} came and holds {there:,}: use an earlier copy."
    if receipts != n:
        yield f"It holds {counted(n, 'answer', 'answers')} and the receipts of {receipts:,}: use an earlier copy."


def _read(place: str) -> Sequence[str]:
    """Read all of it: what that fails at is raised."""
    store = open_store(place)
    days, _, _, _ = store.by_day(), store.begun_by_day(), store.closed, store.acts()
    if days:
        store.answers()
    return ()
