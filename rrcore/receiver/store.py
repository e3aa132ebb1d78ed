"""Where a receiver keeps randomised answers: an SQLite file, or PostgreSQL. Rows say nothing about people, and their order says nothing.

An answer is put at a random place, whose former content moves to the end: the inside-out shuffle of Fisher and Yates (Durstenfeld 1964,
Algorithm 235; Knuth, The Art of Computer Programming 2, 3.4.2 P), so that at any time each order of the answers is equally likely. Records
are equally long, so that SQLite writes them over each other. Its journal is emptied after each transaction, and nothing else keeps an order.
PostgreSQL keeps former versions of rows, transaction numbers and a log that its administrator can read; see docs/howto/receiver.md.
"""

import datetime as dt
import hashlib
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from sqlalchemy import Connection, Select, bindparam, delete, func, insert, inspect, select, text, update

from rrcore.answers.answers import Answers
from rrcore.asking.questionnaire import Questionnaire
from rrcore.asking.survey_file import SurveyFile
from rrcore.errors import InputError
from rrcore.receiver.tables import ACTS, ANSWERS, CODES, LOCK, OPENED, PAUSED, RECEIPTS, STATE, SURVEYS
from rrcore.table.dataset import Dataset
from rrcore.table.reading import TextColumn
from rrcore.table.schema import Schema, free_name
from rrcore.work.database.acts import Act, Doing, acts_of, record_act, this_user
from rrcore.work.database.places import path_of

_MANY = 500  # places asked for in one statement
_FINGERPRINT = 16  # digits that tell surveys apart
_BY_DAY = select(ANSWERS.c.day, func.count().label("answers")).group_by(ANSWERS.c.day).order_by(ANSWERS.c.day)

Refusal = Literal["", "paused", "closed"]
"""Why a survey takes no answers at present; empty where it does."""

SubmissionOutcome = Literal["stored", "known", "paused", "closed"]
"""What became of a submission: "known" is one whose receipt was seen before, so that it is acknowledged and not stored again."""


@dataclass(frozen=True)
class Submission:
    """One randomised answer, checked.

    Parameters
    ----------
    codes : tuple of int, 0..a_i-1: one for each attribute of what is reported, and behind them one for each unrandomised question
    receipt : bytes, drawn at random by the form
    """

    codes: tuple[int, ...] = field(repr=False)
    receipt: bytes = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Store(Questionnaire):
    """One survey in one database. ``open_store`` and ``create_store`` of ``opening`` make it.

    Parameters
    ----------
    mechanism, title, introduction, questions ... : as in ``Questionnaire``; a survey that was made before there were screens has none
    place : str, path of an SQLite file or a URL such as "postgresql://user@host/name"
    key : str, PEM of the key that signs invitations; empty where everybody may answer
    by : str, who acts, for the record of acts; by default the account that the program runs under
    """

    place: str = field(repr=False)
    key: str = field(default="", repr=False)
    by: str = field(default_factory=this_user, repr=False, compare=False)

    @property
    def shown(self) -> str:
        """The place as people may see it: a full path, or a URL without user and password."""
        return SURVEYS.shown(self.place)

    @property
    def survey(self) -> SurveyFile:
        """What is asked, as a survey file."""
        return SurveyFile(self.mechanism, **self.texts, invited=bool(self.key))

    @property
    def reports(self) -> Schema:
        """What is reported: the attributes and categories that answers are made of."""
        return self.mechanism.reports

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of categories of all codes of a record: of reports, then of unrandomised questions."""
        return (*self.reports.sizes, *(each.size for each in self.unrandomised))

    @property
    def closed(self) -> dt.date | None:
        """The day on which the survey was closed; None while it takes answers."""
        with SURVEYS.transaction(self.place) as connection, self._intact():
            found = connection.execute(select(STATE.c.closed)).scalar_one()
            return None if found is None else dt.date.fromisoformat(found)

    @property
    def refusing(self) -> Refusal:
        """Whether the survey takes answers, and if not, why."""
        with SURVEYS.transaction(self.place) as connection:
            return _refusing(connection, connection.execute(select(STATE.c.closed)).scalar_one())

    @property
    def fingerprint(self) -> str:
        """What tells the answers of this survey from those of any other: of all receipts, which are random, and in no order."""
        with SURVEYS.transaction(self.place) as connection:
            hashes = connection.execute(select(RECEIPTS.c.hash).order_by(RECEIPTS.c.hash)).scalars()
            return hashlib.sha256(b"".join(map(bytes, hashes))).hexdigest()[:_FINGERPRINT]

    @property
    def keeps_order(self) -> bool:
        """Whether the database keeps of each row which transaction wrote it, until the tables are written anew: PostgreSQL does."""
        return path_of(self.place, "survey") is None

    def add(self, submissions: Sequence[Submission], day: dt.date) -> list[SubmissionOutcome]:
        """Store answers, all in one transaction; when it returns they are safe on disk.

        Parameters
        ----------
        submissions : sequence of Submission
        day : datetime.date, the only time that is kept

        Raises
        ------
        InputError
            If the database cannot be written; nothing was stored then.
        """
        hashes = [hashlib.sha256(each.receipt).digest() for each in submissions]
        with SURVEYS.transaction(self.place) as connection:
            connection.execute(LOCK)
            n, closed = connection.execute(select(STATE.c.answers, STATE.c.closed)).one()
            refusing = _refusing(connection, closed)
            known = set(connection.execute(select(RECEIPTS.c.hash).where(RECEIPTS.c.hash.in_(hashes))).scalars())
            outcomes: list[SubmissionOutcome] = []
            fresh: dict[bytes, str] = {}
            for each, digest in zip(submissions, hashes, strict=True):
                seen = digest in known or digest in fresh
                outcomes.append("known" if seen else refusing or "stored")
                if outcomes[-1] == "stored":
                    codes = zip(each.codes, self.sizes, strict=True)
                    fresh[digest] = " ".join(str(code).zfill(len(str(size - 1))) for code, size in codes)  # equally long for all
            if fresh:
                connection.execute(insert(RECEIPTS), [{"hash": digest} for digest in sorted(fresh)])
                _shuffle_in(connection, n, [(day.isoformat(), record) for record in fresh.values()])
                connection.execute(update(STATE).values(answers=n + len(fresh)))
        return outcomes

    def opened(self, forms: int, day: dt.date) -> None:
        """Count forms that were given out."""
        with SURVEYS.transaction(self.place) as connection:
            connection.execute(LOCK)
            more = update(OPENED).where(OPENED.c.day == day.isoformat()).values(forms=OPENED.c.forms + forms)
            if not connection.execute(more).rowcount:
                connection.execute(insert(OPENED).values(day=day.isoformat(), forms=forms))

    def by_day(self) -> dict[dt.date, int]:
        """Number of answers by day, in the order of days; days without any are left out."""
        return self._days(_BY_DAY)

    def begun_by_day(self) -> dict[dt.date, int]:
        """Number of forms that were opened, by day."""
        return self._days(select(OPENED.c.day, OPENED.c.forms).order_by(OPENED.c.day))

    def _days(self, numbers: Select[tuple[str, int]]) -> dict[dt.date, int]:
        with SURVEYS.transaction(self.place) as connection, self._intact():
            rows: Sequence[Any] = connection.execute(numbers).all()
            return {dt.date.fromisoformat(day): number for day, number in rows}

    def answers(self, before: Answers | None = None) -> Answers:
        """The answers so far; InputError if there is none.

        Columns that were not randomised are "day" ("day of arrival" beside a question "day"), and each unrandomised question. Answers are
        never taken back: those of days that have as many as they had ``before`` are taken from there, and not read again.
        """
        seen = TextColumn("day", np.zeros(0, np.int32), ()) if before is None else before.groupings[0]
        known = dict(zip(seen.values, np.bincount(seen.codes).tolist(), strict=True))
        with SURVEYS.transaction(self.place) as connection:
            counts: dict[str, int] = {row.day: row.answers for row in connection.execute(_BY_DAY)}
            fresh = [day for day, n in counts.items() if known.get(day) != n]
            wanted = select(ANSWERS.c.day, ANSWERS.c.record).where(ANSWERS.c.day.in_(fresh)).order_by(ANSWERS.c.place)
            rows = connection.execute(wanted).all()
        if not counts:
            raise InputError(f"No answer has arrived at '{self.shown}' yet: come back when there are some.")
        if before is not None and not fresh:
            return before
        with self._intact():
            codes = np.array([record.split() for _, record in rows], dtype=np.int32)
            if codes.shape[1:] != (len(self.sizes),):
                raise ValueError
            if (codes < 0).any() or (codes >= np.array(self.sizes)).any():
                raise ValueError
        days = [day for day, _ in rows]
        if before is not None:
            same = ~np.isin(seen.values, fresh)[seen.codes]
            known_before = np.column_stack([before.dataset.codes, *(column.codes for column in before.groupings[1:])])
            codes = np.concatenate([known_before[same], codes])
            days = [*(seen.values[code] for code in seen.codes[same].tolist()), *days]
        values, which = np.unique(days, return_inverse=True)
        k = len(self.reports.names)
        name = free_name("day", " of arrival", (*self.reports.names, *(each.name for each in self.unrandomised)))
        column = TextColumn(name, which.astype(np.int32), tuple(values.tolist()))
        beside = (TextColumn(each.name, codes[:, k + i], each.categories) for i, each in enumerate(self.unrandomised))
        return Answers(Dataset(self.reports, codes[:, :k], self.title), self.mechanism, (column, *beside))

    def acts(self) -> tuple[Act, ...]:
        """The record of acts; empty in a survey of a version that kept none."""
        with SURVEYS.transaction(self.place) as connection, self._intact():
            return acts_of(connection, ACTS)

    @contextmanager
    def _intact(self) -> Iterator[None]:
        """What is not as it was written is told in one sentence."""
        try:
            yield
        except (ValueError, TypeError, AttributeError):
            raise InputError(f"The survey '{self.shown}' is damaged: use an earlier copy.") from None

    def close(self, on: dt.date) -> None:
        """Close the survey: later answers are refused, and all tables are written anew, once more where that was interrupted.

        A closed one keeps its day. Whether somebody may is asked before, see ``rrcore.receiver.closingkey``.
        """
        with SURVEYS.acting(self.place, self.by) as connection:
            still_open = update(STATE).where(STATE.c.closed.is_(None)).values(closed=on.isoformat())
            if connection.execute(still_open).rowcount:
                record_act(connection, ACTS, self.by, "closed")
        self.rewrite()

    def pause(self, on: dt.date) -> bool:
        """Take no answers until ``resume``: forms are not given out, and what is sent can be sent again later. Returns whether that is new.

        Raises
        ------
        InputError
            If the survey is closed, or cannot be written.
        """
        return self._change(lambda connection: connection.execute(insert(PAUSED).values(day=on.isoformat())), "paused", "")

    def resume(self) -> bool:
        """Take answers again after a ``pause``. Returns whether that is new; InputError as there."""
        return self._change(lambda connection: connection.execute(delete(PAUSED)), "resumed", "paused")

    def _change(self, change: Callable[[Connection], object], act: Doing, before: Refusal) -> bool:
        """Change what is as ``before``, and record it."""
        with SURVEYS.acting(self.place, self.by) as connection:
            found = _refusing(connection, connection.execute(select(STATE.c.closed)).scalar_one())
            if found == before:
                change(connection)
                record_act(connection, ACTS, self.by, act)
        if found == "closed":
            raise InputError(f"The survey at '{self.shown}' is closed for good: it can be neither paused nor resumed.")
        return found == before

    def rewrite(self) -> None:
        """Write what could hold traces of an order anew, in one transaction, and let go of what it was before."""
        written = (ANSWERS, RECEIPTS, CODES)
        with SURVEYS.transaction(self.place) as connection:
            connection.execute(LOCK)
            for table in written:
                rows = connection.execute(select(table).order_by(*table.primary_key.columns)).mappings().all()
                connection.execute(delete(table))
                if rows:
                    connection.execute(insert(table), [dict(row) for row in rows])
        with SURVEYS.connected(self.place, isolation_level="AUTOCOMMIT") as connection:
            whole = connection.dialect.name == "sqlite"
            connection.execute(text("VACUUM" if whole else f"VACUUM FULL {', '.join(table.name for table in written)}"))


def _refusing(connection: Connection, closed: str | None) -> Refusal:
    if closed is not None:
        return "closed"
    there = inspect(connection).has_table(PAUSED.name)  # in a survey of this layout
    return "paused" if there and connection.execute(select(PAUSED)).first() is not None else ""


def _shuffle_in(connection: Connection, n: int, fresh: Sequence[tuple[str, str]]) -> None:
    """Put (day, record) each at a random one of the places so far and the next; what was there moves to that next place."""
    drawn = [1 + secrets.randbelow(n + i + 1) for i in range(len(fresh))]
    former = sorted({place for place in drawn if place <= n})
    content: dict[int, tuple[str, str]] = {}
    for start in range(0, len(former), _MANY):
        wanted = select(ANSWERS).where(ANSWERS.c.place.in_(former[start : start + _MANY]))
        content |= {place: (day, record) for place, day, record in connection.execute(wanted)}
    for i, (place, answer) in enumerate(zip(drawn, fresh, strict=True)):
        if place <= n + i:
            content[n + i + 1] = content[place]
        content[place] = answer
    changed = [{"old": place, "day": content[place][0], "record": content[place][1]} for place in former]
    if changed:
        connection.execute(update(ANSWERS).where(ANSWERS.c.place == bindparam("old")), changed)
    added = range(n + 1, n + len(fresh) + 1)
    connection.execute(
        insert(ANSWERS), [{"place": place, "day": content[place][0], "record": content[place][1]} for place in added]
    )
