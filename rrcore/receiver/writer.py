"""A single writer that batches answers into transactions.

Answers that arrive during a transaction are written together in the next one.
"""

import asyncio
import datetime as dt
from collections.abc import Callable

from rrcore.errors import InputError
from rrcore.limits import MAX_WAITING_ANSWERS
from rrcore.receiver.store import Store, Submission, SubmissionOutcome

_MOST = 500  # answers in one transaction
_SECONDS = 30  # that a sender waits: what is stored after that is known when it is sent again


class Writer:
    """A writer that stores answers in order and confirms each to its sender.

    An answer is confirmed when it is safe on disk.

    Parameters
    ----------
    store : Store
    today : function that returns the day to store with an answer
    failed : called when writing fails
    """

    def __init__(self, store: Store, today: Callable[[], dt.date], failed: Callable[[], None] = lambda: None) -> None:
        self._store, self._today, self._failed = store, today, failed
        self._waiting: list[tuple[Submission, asyncio.Future[SubmissionOutcome]]] = []
        self._forms = 0
        self._some = asyncio.Event()
        self._stopping = False

    async def submit(self, submission: Submission) -> SubmissionOutcome:
        """Store one answer.

        Raises InputError if storing fails. The sender can try again, because a receipt is stored only once.
        """
        if len(self._waiting) >= MAX_WAITING_ANSWERS:
            raise InputError("Too many answers are arriving at once. Try again in a minute.")
        done: asyncio.Future[SubmissionOutcome] = asyncio.get_running_loop().create_future()
        self._waiting.append((submission, done))
        self._some.set()
        return await asyncio.wait_for(done, _SECONDS)

    def count_form(self) -> None:
        """Count a form that was served."""
        self._forms += 1
        self._some.set()

    def stop(self) -> None:
        """Let ``run`` end as soon as no answers are waiting."""
        self._stopping = True
        self._some.set()

    async def run(self) -> None:
        """Write answers until stopped."""
        while self._waiting or self._forms or not self._stopping:
            await self._some.wait()
            self._some.clear()
            forms, self._forms = self._forms, 0
            if forms:
                await self._count(forms)
            while self._waiting:
                batch, self._waiting = self._waiting[:_MOST], self._waiting[_MOST:]
                await self._write(batch)

    async def _count(self, forms: int) -> None:
        try:
            await asyncio.to_thread(self._store.opened, forms, self._today())
        except Exception:  # nobody waits for it: with the next, if there is one
            self._failed()
            self._forms += 0 if self._stopping else forms

    async def _write(self, batch: list[tuple[Submission, asyncio.Future[SubmissionOutcome]]]) -> None:
        try:
            outcomes = await asyncio.to_thread(self._store.add, [submission for submission, _ in batch], self._today())
        except Exception as error:  # the sender learns it, and tries again
            self._failed()
            for _, done in batch:
                if not done.done():
                    done.set_exception(error)
            return
        for (_, done), outcome in zip(batch, outcomes, strict=True):
            if not done.done():  # else the sender has gone
                done.set_result(outcome)
