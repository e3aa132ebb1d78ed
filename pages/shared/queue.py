"""Who computes when: jobs wait for one of the few places at work, belong to a session, and end with its tab."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from weakref import WeakSet

import cloudpickle
from streamlit import runtime

import pages
from pages.shared.hosting.operator import operator
from pages.shared.hosting.sessions import GRACE
from rrcore.work import Produce, Worker

# what a function of a page does is sent along: a worker imports neither pages nor Streamlit
cloudpickle.register_pickle_by_value(pages)

_MOST_MADE = 2  # downloads that are made at a time
_LOOK = 0.5  # seconds between two looks at which tabs are open


class StoppedError(Exception):
    """Raised to a job that is no longer wanted."""


@dataclass(eq=False)
class Owner:
    """Whose jobs these are: Streamlit's identifier of the session, who is logged in and from which address, empty where there is none; its
    jobs by their names, which of them are shown, and the downloads that are being made for it."""

    session: str = ""
    user: str = ""
    address: str = ""
    jobs: dict[str, Job] = field(default_factory=dict)
    shown: set[str] = field(default_factory=set)
    made: set[Job] = field(default_factory=set)

    @property
    def person(self) -> object:
        """Whoever has as many places as one may have: who is logged in, with all their tabs; else the session."""
        return self.user or self

    @property
    def house(self) -> object:
        """Whoever shares the places that one address may have: who is logged in counts by himself."""
        return self.user or self.address or self


@dataclass(eq=False)
class Job:
    """One computation: what it is about, whose it is, how far it is, and the pieces that it has handed over so far."""

    about: Any
    produce: Produce
    owner: Owner
    what: str = "A calculation"
    pieces: list[Any] = field(default_factory=list)
    fraction: float = 0.0
    text: str = ""
    error: Exception | None = None
    wanted: bool = True
    long: bool = False
    put_back: bool = False
    since: float = 0.0
    number: int = 0
    worker: Worker | None = None
    done: threading.Event = field(default_factory=threading.Event)

    @property
    def running(self) -> bool:
        """Whether more may come: it is at work, or waits for that."""
        return self.wanted and not self.done.is_set()

    def report(self, fraction: float, text: str) -> None:
        """Take in how far it is. Raises once the job is no longer wanted."""
        if not self.wanted or self.put_back:
            raise StoppedError
        self.fraction, self.text = fraction, text


def work_apart(job: Job) -> None:
    """Collect the pieces of ``job`` from a process of its own, until the end, an error or the limits that the operator set."""
    most = operator()
    job.worker = Worker(job.produce, megabytes=most.job_megabytes)
    if not job.wanted:  # stopped meanwhile
        job.worker.close()
        return
    for piece in job.worker.pieces(seconds=most.job_seconds, report=job.report):
        job.pieces.append(piece)


class Queue:
    """The jobs of all sessions. At most so many of one person, of one address, and of all, are at work; who has fewest there is next, and
    who came first. A quarter of the places is kept for short jobs: one that takes longer gives its place up where the
    others are taken by long ones,
    and begins anew when one of those is free. What it computes does not depend on that.

    Parameters
    ----------
    work : does a job to its end, and raises what ends it otherwise
    each, near, all : most jobs at work at a time, of one person, of one address and of all; the operator's where None
    short : seconds after which a job is long; the operator's where None
    is_open : whether the session of that identifier has a tab that is open
    """

    def __init__(
        self,
        work: Callable[[Job], None] = work_apart,
        *,
        each: int | None = None,
        near: int | None = None,
        all: int | None = None,
        short: float | None = None,
        is_open: Callable[[str], bool] | None = None,
    ) -> None:
        self._work, self._each, self._near, self._all, self._is_open = work, each, near, all, is_open or _is_open
        self._short, self._numbers = short, count(1)
        self._lock = threading.RLock()
        self._waiting: list[Job] = []
        self._at_work: list[Job] = []
        self._owners: WeakSet[Owner] = WeakSet()
        self._guarded = False
        self._making = threading.Semaphore(_MOST_MADE)
        self.ended: Callable[[Exception], None] = lambda error: None

    def make(self, owner: Owner, produce: Produce) -> Any:
        """The one piece of ``produce``, waited for: for a download, which is made when it is pressed. Raises StoppedError where its tab
        was closed meanwhile."""
        job = Job("a download", produce, owner)
        with self._lock:
            owner.made.add(job)
            self._follow(owner)
        try:
            with self._making:
                self._work(job)
        except Exception:
            if job.wanted:
                raise
        finally:
            with self._lock:
                owner.made.discard(job)
        if not job.wanted:
            raise StoppedError
        return job.pieces[0]

    def start(self, owner: Owner, name: str, about: Any, produce: Produce) -> Job:
        """Do ``produce`` as the job of that name as soon as there is a place; its former one ends at once."""
        former = owner.jobs.get(name)
        if former is not None:
            self.stop(former)
        with self._lock:
            job = owner.jobs[name] = Job(about, produce, owner, number=next(self._numbers))
            self._waiting.append(job)
            self._fill()
            self._follow(owner)
        return job

    def _follow(self, owner: Owner) -> None:
        """End what ``owner`` has begun when its tab is gone."""
        self._owners.add(owner)
        if not self._guarded:
            self._guarded = True
            threading.Thread(target=self._guard, daemon=True).start()

    def stop(self, job: Job) -> None:
        """End a job at once; its pieces stay."""
        with self._lock:
            job.wanted = False
            if job in self._waiting:
                self._waiting.remove(job)
                job.done.set()
            self._leave(job)
        if job.worker is not None:
            job.worker.end()

    def before(self, job: Job) -> tuple[int, int] | None:
        """How many jobs of the same person, and of others, a job waits for; None where it does not wait."""
        with self._lock:
            if job not in self._waiting:
                return None
            ahead = [*self._at_work, *(each for each in self._waiting if each.number < job.number)]
            own = sum(each.owner.person == job.owner.person for each in ahead)
            full = len(self._at_work) >= self.places[0] or job.long
            return own, len(ahead) - own if full else 0

    def move(self, former: Owner, owner: Owner) -> None:
        """Give the jobs of a session whose tab has gone to the one that takes its place; where both have one, nothing moves."""
        if former is owner or self._is_open(former.session):
            return
        with self._lock:
            moved, former.jobs = former.jobs, {}
            for job in moved.values():
                job.owner = owner
            begun = [owner.jobs[name] for name in moved.keys() & owner.jobs.keys()]
            owner.jobs |= moved
            self._owners.add(owner)
        for job in begun:
            self.stop(job)

    def place_in_line(self, job: Job) -> int:
        """How many waiting jobs are to begin before it, and itself."""
        with self._lock:
            return sorted(self._waiting, key=self._turn()).index(job) + 1 if job in self._waiting else 0

    @property
    def load(self) -> tuple[int, int]:
        """How many jobs are at work, and how many wait."""
        with self._lock:
            return len(self._at_work), len(self._waiting)

    @property
    def short(self) -> float:
        """Seconds after which a job is long."""
        return self._short or operator().short_job_seconds

    @property
    def places(self) -> tuple[int, int]:
        """How many places there are, and how many of them long jobs may have."""
        all = self._all or operator().jobs_in_all
        return all, all if all == 1 else all - max(1, all // 4)

    def _turn(self) -> Callable[[Job], tuple[int, int, int]]:
        houses, persons = (Counter(getattr(job.owner, by) for job in self._at_work) for by in ("house", "person"))
        return lambda job: (houses[job.owner.house], persons[job.owner.person], job.number)

    def _fill(self) -> None:
        """Put waiting jobs to work while there are places."""
        each, near = self._each or operator().jobs_per_user, self._near or operator().jobs_per_address
        all, for_long = self.places
        while len(self._at_work) < all:
            turn = self._turn()
            long = sum(job.long for job in self._at_work) < for_long
            able = [job for job in self._waiting if turn(job)[0] < near and turn(job)[1] < each and (long or not job.long)]
            if not able:
                return
            job = min(able, key=turn)
            self._waiting.remove(job)
            self._at_work.append(job)
            job.since = time.monotonic()
            threading.Thread(target=self._do, args=(job,), daemon=True).start()

    def _look_at_long(self) -> None:
        """Have jobs that take long know it, and give up places that are kept for short ones."""
        with self._lock:
            new = [job for job in self._at_work if not job.long and time.monotonic() - job.since > self.short]
            for job in new:
                job.put_back = sum(each.long for each in self._at_work) >= self.places[1]
                job.long = True
        for job in new:
            if job.put_back and job.worker is not None:
                job.worker.end()

    def _leave(self, job: Job) -> None:
        with self._lock:
            if job in self._at_work:
                self._at_work.remove(job)
                self._fill()

    def _do(self, job: Job) -> None:
        try:
            self._work(job)
        except StoppedError:
            pass
        except Exception as error:  # handed over to the page, which shows it
            job.error = error if job.wanted else None
        else:
            job.put_back = False
        if self._begins_anew(job):
            return
        if job.error is not None:
            self.ended(job.error)
        self._leave(job)
        job.done.set()

    def _begins_anew(self, job: Job) -> bool:
        with self._lock:
            if not (job.put_back and job.wanted):
                return False
            job.put_back, job.error, job.worker, job.fraction, job.text, job.pieces = False, None, None, 0.0, "", []
            self._waiting.append(job)
            self._leave(job)
        return True

    def _guard(self) -> None:
        """End the jobs and downloads of tabs that were closed, a little later, since a page that is loaded anew takes them over."""
        away: dict[Owner, float] = {}
        while True:
            time.sleep(_LOOK)
            self._look_at_long()
            with self._lock:
                gone = [owner for owner in self._owners if not self._is_open(owner.session)]
                away = {owner: away.get(owner, time.monotonic()) for owner in gone}
                ended = [owner for owner, since in away.items() if time.monotonic() - since > GRACE]
                self._owners -= set(ended)
                self._guarded = len(self._owners) > 0
                jobs = [job for owner in ended for job in (*owner.jobs.values(), *owner.made)]
                jobs.sort(key=self._at_work.__contains__)  # those that wait first, or one would begin in the place of another
                for owner in ended:
                    owner.jobs = {}
            for job in jobs:
                self.stop(job)
            if not self._guarded:
                return


def _is_open(session: str) -> bool:
    return not runtime.exists() or runtime.get_instance().is_active_session(session)
