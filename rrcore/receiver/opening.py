"""A new survey in a database, one that is there, and whether it is whole: what its layout, SQLite and its tables say of each other."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, get_type_hints

from sqlalchemy import Connection, func, insert, select

from rrcore.asking.questionnaire import TEXTS, Questionnaire
from rrcore.asking.screens import PLAIN
from rrcore.asking.survey_file import SurveyFile
from rrcore.errors import InputError
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.receiver.codes import code_hash
from rrcore.receiver.store import Store
from rrcore.receiver.tables import ANSWERS, CLOSING_KEY, RECEIPTS, STATE, STORE_VERSION, SURVEY, SURVEYS
from rrcore.table.plain import Place, from_plain, parse, to_plain
from rrcore.wording import counted
from rrcore.work.database.kind import Condition


def create_store(place: str, mechanism: MechanismFile, *, key: str = "", closing_key: str = "", **texts: Any) -> Store:
    """A new survey at ``place``.

    Parameters
    ----------
    place : str, path of an SQLite file that does not exist yet, or URL of a database without a survey
    mechanism : MechanismFile
    texts : title, questions, and whatever else ``SurveyFile`` holds, by its names
    key : as in ``Store``
    closing_key : from ``new_code``; only its hash is stored. Without one the survey can be closed on the command line alone

    Raises
    ------
    InputError
        If there is something already, it cannot be reached, or a text does not do for the form.

    Examples
    --------
    >>> import datetime, tempfile
    >>> import rrcore as rr
    >>> from rrcore.receiver import Submission, create_store, open_store
    >>> schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")),))
    >>> file = rr.MechanismFile(schema, rr.integer_groups(rr.build("kronecker", (2,), [1.0])))
    >>> place = tempfile.mkdtemp() + "/pilot.survey"
    >>> store = create_store(place, file, title="Pilot")
    >>> store.add([Submission((1,), b"one"), Submission((0,), b"two"), Submission((1,), b"one")], datetime.date(2026, 3, 1))
    ['stored', 'stored', 'known']
    >>> open_store(place).by_day()
    {datetime.date(2026, 3, 1): 2}
    """
    place = place.strip()
    asked = SurveyFile(mechanism, invited=bool(key), **texts)
    made = Store(mechanism, **asked.texts, invited=asked.invited, place=place, key=key)

    def fill(connection: Connection) -> None:
        kept = json.dumps(_texts_to_plain(asked))
        row = {"version": STORE_VERSION, "mechanism": mechanism.to_json(), "texts": kept, "key": key or None}
        connection.execute(insert(SURVEY).values(**row))
        connection.execute(insert(STATE).values(answers=0))
        if closing_key:
            connection.execute(insert(CLOSING_KEY).values(hash=code_hash(closing_key)))

    SURVEYS.create(place, made.by, fill, "open it, or give another place")
    return made


_TEXTS = Place("texts of the survey", "use an earlier copy")
_ALWAYS = ("title", "introduction", "questions", "language")  # programs before screens want these


def _texts_to_plain(asked: Questionnaire) -> dict[str, Any]:
    """The texts as they are stored: without those that are as in a survey that was made before there were screens."""
    before = Questionnaire(asked.mechanism, "", screens=PLAIN).texts
    return {name: to_plain(value) for name, value in asked.texts.items() if name in _ALWAYS or value != before[name]}


def _texts_from_plain(document: Any) -> dict[str, Any]:
    """What ``_texts_to_plain`` wrote, by name. Raises InputError, TypeError or KeyError for anything else."""
    kinds = get_type_hints(Questionnaire)
    there = [name for name in TEXTS if name in document or name in _ALWAYS]
    return {"screens": PLAIN} | {name: from_plain(kinds[name], document[name], _TEXTS[name]) for name in there}


def open_store(place: str) -> Store:
    """The survey at ``place``.

    Raises
    ------
    InputError
        If there is none, it is something else or made by a newer version, or it cannot be reached. No message contains a password.
    """
    place = place.strip()
    with SURVEYS.transaction(place) as connection:
        row = connection.execute(select(SURVEY)).mappings().one()
    try:
        texts = _texts_from_plain(parse(row["texts"], _TEXTS))
        mechanism, key = MechanismFile.from_json(row["mechanism"]), row["key"] or ""
        return Store(mechanism, **texts, invited=bool(key), place=place, key=key)
    except (InputError, TypeError, KeyError):
        raise InputError(f"The survey '{SURVEYS.shown(place)}' is damaged: use an earlier copy.") from None


def store_exists(place: str) -> bool:
    """Whether there is a survey at ``place``. Raises InputError where there is something else."""
    return SURVEYS.exists(place.strip())


def check_survey(place: str) -> Condition:
    """Whether all of a survey is whole. Nothing is written.

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
