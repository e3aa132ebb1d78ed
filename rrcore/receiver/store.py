"""Store randomized answers in an SQLite file, without traces of people or order.

An answer is stored at a random position, and the previous content of this position moves to the end. By this inside-out shuffle of
Fisher and Yates, all orders of the answers are equally likely at any time. References are Durstenfeld (1964), Algorithm 235, and
Knuth, The Art of Computer Programming 2, 3.4.2 P. All records have the same length, so that SQLite overwrites them in place. The
journal is emptied after each transaction, and nothing else stores an order.
"""

import datetime as dt
import hashlib
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from rrcore.answers.answers import Answers
from rrcore.asking.questionnaire import Questionnaire
from rrcore.asking.survey_file import SurveyFile
from rrcore.database import DatabaseKind, insert, path_of
from rrcore.errors import InputError
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.dataset import Dataset
from rrcore.table.schema import Schema
from rrcore.table.text_table import TextColumn

STORE_VERSION = 1
"""Number of the layout of a survey's tables."""

SURVEYS = DatabaseKind(
    "survey",
    0x52525356,  # "RRSV"
    STORE_VERSION,
    (
        # One row: the survey file, and the PEM that signs invitations (none where everybody may answer). It never changes.
        "CREATE TABLE rr_survey (survey TEXT NOT NULL, key TEXT)",
        # One row: the number of answers, and the days of closing and of the present pause.
        "CREATE TABLE rr_state (answers INTEGER NOT NULL, closed TEXT, paused TEXT)",
        # Places 1 to n, each with a randomized answer, and what was asked unrandomized behind it. All records are equally long, and each
        # order of them is equally likely.
        "CREATE TABLE rr_answer (place INTEGER PRIMARY KEY, day TEXT NOT NULL, record TEXT NOT NULL)",
        # SHA-256 of the receipts of stored answers, so that none is stored twice.
        "CREATE TABLE rr_receipt (hash BLOB PRIMARY KEY) WITHOUT ROWID",
        # SHA-256 of the invitation codes, and of the blinded receipt that a code was used for, which reveals nothing about the receipt.
        "CREATE TABLE rr_code (hash BLOB PRIMARY KEY, used_for BLOB) WITHOUT ROWID",
        # Forms that were given out, by day.
        "CREATE TABLE rr_opened (day TEXT PRIMARY KEY, forms INTEGER NOT NULL) WITHOUT ROWID",
        # At most one row: where the survey was last served, under the name of that run, which /health says too; 1 once it is to end.
        "CREATE TABLE rr_served (run TEXT PRIMARY KEY, terms TEXT NOT NULL, stop INTEGER NOT NULL) WITHOUT ROWID",
    ),
    # The journal is emptied after each transaction, on disk before it is over, and what is deleted is overwritten.
    ("journal_mode = TRUNCATE", "synchronous = FULL", "secure_delete = ON", "temp_store = MEMORY"),
)
"""Where surveys are kept. No table joins an answer with a person, a code, an address or a time of day."""

_FINGERPRINT = 16  # digits that tell surveys apart
_RESERVE = 2**20
"""Bytes that must find room for the form to be given out: some thousand answers, so that who has the form open can still send it."""

Refusal = Literal["", "paused", "closed"]
"""Reason why a survey accepts no answers now. Empty if it does."""

SubmissionOutcome = Literal["stored", "known", "paused", "closed"]
"""Outcome of a submission. "known" means that its receipt was seen before, so it is acknowledged and not stored again."""


@dataclass(frozen=True)
class Submission:
    """A validated randomized answer.

    Parameters
    ----------
    codes : tuple of int, 0..a_i-1: one for each reported attribute, followed by one for each unrandomized question
    receipt : random bytes from the form
    """

    codes: tuple[int, ...] = field(repr=False)
    receipt: bytes = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Store(Questionnaire):
    """A survey in a database, from ``open_store`` or ``create_store``.

    Parameters
    ----------
    mechanism, title, introduction, questions ... : as in ``Questionnaire``
    place : str, full path of an SQLite file
    key : str, PEM of the key that signs invitations; empty if everybody may answer
    """

    place: str = field(repr=False)
    key: str = field(default="", repr=False)

    @property
    def survey(self) -> SurveyFile:
        """The questions, as a survey file."""
        return SurveyFile(self.mechanism, **self.texts, invited=bool(self.key))

    @property
    def reports(self) -> Schema:
        """The attributes and categories of the reported answers."""
        return self.mechanism.reports

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of categories of all codes in a record.

        Reports come first, followed by unrandomized questions.
        """
        return (*self.reports.sizes, *(each.size for each in self.unrandomized))

    @property
    def closed(self) -> dt.date | None:
        """The day on which the survey was closed. None while it is open."""
        with SURVEYS.reading(self.place) as connection, self._intact():
            found = _state(connection)["closed"]
            return None if found is None else dt.date.fromisoformat(found)

    @property
    def refusing(self) -> Refusal:
        """The reason why the survey accepts no answers, if any."""
        with SURVEYS.reading(self.place) as connection:
            return _refusing(_state(connection))

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the answers, computed from all receipts.

        Receipts are random, and their order does not matter.
        """
        with SURVEYS.reading(self.place) as connection:
            hashes = connection.execute("SELECT hash FROM rr_receipt ORDER BY hash")
            return hashlib.sha256(b"".join(digest for (digest,) in hashes)).hexdigest()[:_FINGERPRINT]

    def add(self, submissions: Sequence[Submission], day: dt.date) -> list[SubmissionOutcome]:
        """Store answers in one transaction.

        The answers are safe on disk when the function returns.

        Parameters
        ----------
        submissions : sequence of Submission
        day : datetime.date, the only time information that is stored

        Raises
        ------
        InputError
            If the database cannot be written. In that case, no answer is stored.
        """
        hashes = [hashlib.sha256(each.receipt).digest() for each in submissions]
        with SURVEYS.writing(self.place) as connection:
            state = _state(connection)
            n, refusing = state["answers"], _refusing(state)
            found = "SELECT 1 FROM rr_receipt WHERE hash = ?"
            known = {digest for digest in hashes if connection.execute(found, (digest,)).fetchone()}
            outcomes: list[SubmissionOutcome] = []
            fresh: dict[bytes, str] = {}
            for each, digest in zip(submissions, hashes, strict=True):
                seen = digest in known or digest in fresh
                outcomes.append("known" if seen else refusing or "stored")
                if outcomes[-1] == "stored":
                    codes = zip(each.codes, self.sizes, strict=True)
                    fresh[digest] = " ".join(str(code).zfill(len(str(size - 1))) for code, size in codes)  # equally long for all
            if fresh:
                insert(connection, "rr_receipt", [{"hash": digest} for digest in sorted(fresh)])
                _shuffle_in(connection, n, [(day.isoformat(), record) for record in fresh.values()])
                connection.execute("UPDATE rr_state SET answers = ?", (n + len(fresh),))
        return outcomes

    def opened(self, forms: int, day: dt.date) -> None:
        """Count forms that were served."""
        more = "INSERT INTO rr_opened VALUES (?, ?) ON CONFLICT (day) DO UPDATE SET forms = forms + excluded.forms"
        with SURVEYS.writing(self.place) as connection:
            connection.execute(more, (day.isoformat(), forms))

    def by_day(self) -> dict[dt.date, int]:
        """Return the number of answers by day, in order.

        Days without answers are omitted.
        """
        return self._days("SELECT day, count(*) FROM rr_answer GROUP BY day ORDER BY day")

    def begun_by_day(self) -> dict[dt.date, int]:
        """Return the number of opened forms by day."""
        return self._days("SELECT day, forms FROM rr_opened ORDER BY day")

    def _days(self, numbers: str) -> dict[dt.date, int]:
        with SURVEYS.reading(self.place) as connection, self._intact():
            return {dt.date.fromisoformat(day): number for day, number in connection.execute(numbers)}

    def answers(self, before: Answers | None = None) -> Answers:
        """Return all answers so far.

        Raises InputError if there are none.

        Unrandomized columns are "day" ("day of arrival" if a question is named "day") and each unrandomized question. Answers are
        never deleted. Days with as many answers as in ``before`` are therefore not read again.
        """
        seen = TextColumn("day", np.zeros(0, np.int32), ()) if before is None else before.groupings[0]
        known = dict(zip(seen.values, np.bincount(seen.codes).tolist(), strict=True))
        with SURVEYS.reading(self.place) as connection, self._intact():
            counts = dict(map(tuple, connection.execute("SELECT day, count(*) FROM rr_answer GROUP BY day")))
            fresh = [day for day, n in counts.items() if known.get(dt.date.fromisoformat(day).isoformat()) != n]
            wanted = f"SELECT day, record FROM rr_answer WHERE day IN ({', '.join('?' * len(fresh))}) ORDER BY place"  # nosec B608: marks alone
            rows = connection.execute(wanted, fresh).fetchall()
        if not counts:
            raise InputError(f"No answers have arrived at '{self.place}' yet. Try again later.")
        if before is not None and not fresh:
            return before
        with self._intact():
            codes = np.array([row["record"].split() for row in rows], dtype=np.int32)
            if codes.shape[1:] != (len(self.sizes),):
                raise ValueError
            if (codes < 0).any() or (codes >= np.array(self.sizes)).any():
                raise ValueError
        days = [row["day"] for row in rows]
        if before is not None:
            same = ~np.isin(seen.values, fresh)[seen.codes]
            known_before = np.column_stack([before.dataset.codes, *(column.codes for column in before.groupings[1:])])
            codes = np.concatenate([known_before[same], codes])
            days = [*(seen.values[code] for code in seen.codes[same].tolist()), *days]
        values, which = np.unique(days, return_inverse=True)
        k = len(self.reports.names)
        name = "day"
        while name in self.reports.names or name in [each.name for each in self.unrandomized]:
            name += " of arrival"
        column = TextColumn(name, which.astype(np.int32), tuple(values.tolist()))
        further = (TextColumn(each.name, codes[:, k + i], each.categories) for i, each in enumerate(self.unrandomized))
        return Answers.of(Dataset(self.reports, codes[:, :k], self.title), self.mechanism, [column, *further])

    @contextmanager
    def _intact(self) -> Iterator[None]:
        """What is not as it was written is reported in one sentence."""
        try:
            yield
        except (ValueError, TypeError, AttributeError):
            raise InputError(f"The survey '{self.place}' is damaged. Use an earlier copy.") from None

    def close(self, on: dt.date) -> None:
        """Close the survey, so that it rejects further answers.

        The file is rewritten in the order of its keys. A closed survey keeps its day.
        """
        with SURVEYS.writing(self.place) as connection:
            connection.execute("UPDATE rr_state SET closed = ? WHERE closed IS NULL", (on.isoformat(),))
        SURVEYS.vacuum(self.place)

    def pause(self, on: dt.date) -> bool:
        """Pause the survey until ``resume`` and return whether the state changed.

        Forms are not served. Rejected answers can be sent again later.

        Raises
        ------
        InputError
            If the survey is closed or cannot be written.
        """
        return self._pause(on.isoformat())

    def resume(self) -> bool:
        """Resume a paused survey and return whether the state changed.

        Raises InputError as ``pause`` does.
        """
        return self._pause(None)

    def _pause(self, since: str | None) -> bool:
        with SURVEYS.writing(self.place) as connection:
            state = _state(connection)
            if state["closed"] is not None:
                raise InputError(f"The survey at '{self.place}' is closed, so it can be neither paused nor resumed.")
            changed = (state["paused"] is None) == (since is not None)
            if changed:
                connection.execute("UPDATE rr_state SET paused = ?", (since,))
        return changed

    def fault(self) -> str:
        """Return why answers cannot be stored, or an empty string.

        The sentence does not contain the path.

        The function writes ``_RESERVE`` bytes as answers are written, and undoes this. SQLite writes to its journal and to the end
        of its file, which is then byte for byte unchanged.
        """
        try:
            with SURVEYS.writing(self.place) as connection:
                connection.execute("PRAGMA cache_size = 10")  # pages: more is written out at once
                connection.execute("UPDATE rr_state SET answers = answers")
                connection.execute("CREATE TABLE rr_trial (content BLOB)")
                connection.execute("INSERT INTO rr_trial VALUES (zeroblob(?))", (_RESERVE,))
                connection.execute("ROLLBACK")
        except InputError as error:
            return str(error).replace(f"'{self.place}'", "The database")
        return ""


def create_store(place: str, mechanism: MechanismFile, *, key: str = "", **texts: Any) -> Store:
    """Create a survey at ``place``.

    Parameters
    ----------
    place : str, path of an SQLite file that does not exist yet
    mechanism : MechanismFile
    texts : title, questions and other arguments of ``SurveyFile``
    key : as in ``Store``

    Raises
    ------
    InputError
        If the file exists already or cannot be written, or the form cannot use a text.

    Examples
    --------
    >>> import datetime, tempfile
    >>> import rrcore as rr
    >>> from rrcore.budget import build
    >>> from rrcore.promise import integer_groups
    >>> from rrcore.receiver import Submission, create_store, open_store
    >>> schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")),))
    >>> file = rr.MechanismFile(schema, integer_groups(build("independent", (2,), [1.0])))
    >>> place = tempfile.mkdtemp() + "/pilot.survey"
    >>> store = create_store(place, file, title="Pilot")
    >>> store.add([Submission((1,), b"one"), Submission((0,), b"two"), Submission((1,), b"one")], datetime.date(2026, 3, 1))
    ['stored', 'stored', 'known']
    >>> open_store(place).by_day()
    {datetime.date(2026, 3, 1): 2}
    """
    survey = SurveyFile(mechanism, invited=bool(key), **texts)

    def fill(connection: sqlite3.Connection) -> None:
        insert(connection, "rr_survey", [{"survey": survey.to_json(), "key": key or None}])
        insert(connection, "rr_state", [{"answers": 0}])

    SURVEYS.create(place, fill)
    return _store(survey, place, key)


def open_store(place: str) -> Store:
    """Open the survey at ``place``.

    Raises InputError if the file does not exist, is not a survey, has an unsupported version, or is damaged.
    """
    with SURVEYS.reading(place) as connection:
        row = connection.execute("SELECT survey, key FROM rr_survey").fetchone()
    try:
        return _store(SurveyFile.from_json(row["survey"]), place, row["key"] or "")
    except (InputError, TypeError):
        raise InputError(f"The survey '{path_of(place, 'survey')}' is damaged. Use an earlier copy.") from None


def _store(survey: SurveyFile, place: str, key: str) -> Store:
    return Store(survey.mechanism, **survey.texts, invited=survey.invited, place=str(path_of(place, "survey")), key=key)


def store_exists(place: str) -> bool:
    """Return True if there is a file at ``place``."""
    return path_of(place, "survey").exists()


def _state(connection: sqlite3.Connection) -> sqlite3.Row:
    found: sqlite3.Row | None = connection.execute("SELECT answers, closed, paused FROM rr_state").fetchone()
    if found is None:
        raise sqlite3.DatabaseError("malformed: the state is missing")
    return found


def _refusing(state: sqlite3.Row) -> Refusal:
    return "closed" if state["closed"] is not None else "paused" if state["paused"] is not None else ""


def _shuffle_in(connection: sqlite3.Connection, n: int, fresh: Sequence[tuple[str, str]]) -> None:
    """Put (day, record) each at a random one of the places so far and the next; what was there moves to that next place."""
    drawn = [1 + secrets.randbelow(n + i + 1) for i in range(len(fresh))]
    former = sorted({place for place in drawn if place <= n})
    content: dict[int, tuple[str, str]] = {}
    for place in former:
        content[place] = tuple(connection.execute("SELECT day, record FROM rr_answer WHERE place = ?", (place,)).fetchone())
    for i, (place, answer) in enumerate(zip(drawn, fresh, strict=True)):
        if place <= n + i:
            content[n + i + 1] = content[place]
        content[place] = answer
    connection.executemany(
        "UPDATE rr_answer SET day = ?, record = ? WHERE place = ?", [(*content[place], place) for place in former]
    )
    added = range(n + 1, n + len(fresh) + 1)
    connection.executemany("INSERT INTO rr_answer VALUES (?, ?, ?)", [(place, *content[place]) for place in added])
