"""Whether the database of a survey is whole: its layout, SQLite's own check, and what its tables say of each other. Nothing is written."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, func, select

from rrcore.errors import InputError
from rrcore.receiver.database import THING, transaction
from rrcore.receiver.opening import open_store
from rrcore.receiver.tables import ANSWERS, LAYOUT, RECEIPTS, STATE
from rrcore.wording import counted
from rrcore.work.database.condition import Condition, damage
from rrcore.work.database.places import shown_place


def check_survey(place: str) -> Condition:
    """Look at all of a survey.

    Raises
    ------
    InputError
        If there is none, it cannot be reached, or its layout is that of a newer program.
    """
    place = place.strip()
    shown = shown_place(place, THING)
    with transaction(place) as connection:
        version = LAYOUT.found(connection, shown)
        problems = [*damage(connection), *_contradictions(connection)]
    if not problems:
        problems = list(_read(place))
    return Condition(THING, shown, version, LAYOUT.newest, tuple(problems))


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


def _read(place: str) -> Iterable[str]:
    """What reading all of it fails at."""
    try:
        store = open_store(place)
        days, _, _, _ = store.by_day(), store.begun_by_day(), store.closed, store.acts()
        if days:
            store.answers()
    except InputError as error:
        yield str(error)
