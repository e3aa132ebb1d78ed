"""Work that may take long: done in a thread of its own, with progress and a way to stop, so that the page stays responsive."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import streamlit as st

from pages.shared import turns, widgets
from rrcore.errors import InputError
from rrcore.work import Report

Value = TypeVar("Value")
Produce = Callable[[Report], Iterable[Any]]
Show = Callable[[list[Any]], None]

PATIENCE = 0.4
"""Seconds that a page waits before it shows progress instead of the result."""


class _StoppedError(Exception):
    """Raised inside a job that is no longer wanted."""


@dataclass
class Job:
    """One computation: what it is about, how far it is, and the pieces that it has handed over so far."""

    about: Any
    produce: Produce
    pieces: list[Any] = field(default_factory=list)
    fraction: float = 0.0
    text: str = ""
    error: Exception | None = None
    wanted: bool = True
    done: threading.Event = field(default_factory=threading.Event)

    @property
    def running(self) -> bool:
        """Whether more may come."""
        return self.wanted and not self.done.is_set()

    def report(self, fraction: float, text: str) -> None:
        """Take in how far it is. Raises inside the job once that is no longer wanted."""
        if not self.wanted:
            raise _StoppedError
        self.fraction, self.text = fraction, text

    def run(self) -> None:
        """Collect the pieces until the end, an error, or a report while it is no longer wanted."""
        try:
            for piece in self.produce(self.report):
                self.pieces.append(piece)
        except _StoppedError:
            pass
        except Exception as error:  # handed over to the page, which shows it
            self.error = error
        self.done.set()


def find(name: str) -> Job | None:
    """The job of that name, at work or ended; None where none was started in this session."""
    return _jobs().get(name)


def start(name: str, about: Any, produce: Produce) -> None:
    """Collect what ``produce(report)`` hands over, in a thread. Former work of that name ends at its next report."""
    former = find(name)
    if former is not None:
        former.wanted = False
    job = _jobs()[name] = Job(about, produce)
    threading.Thread(target=job.run, daemon=True).start()
    with turns.pages.lent():
        job.done.wait(PATIENCE)


def ensure(name: str, about: Any, produce: Produce) -> None:
    """``start``, unless the job of that name is about the same, at work or ended."""
    job = find(name)
    if job is None or job.about != about:
        start(name, about, produce)


def watch(name: str, what: str, show: Show = lambda pieces: None) -> None:
    """Show how far the job is and ``show(pieces)``, now and then while it is at work; or how it ended, if not by itself.

    A job can be stopped and started again; its pieces stay. An InputError is shown in one sentence, any other exception is raised.
    """
    job = _jobs()[name]
    if job.running:
        st.fragment(_follow, run_every=0.5)(name, show)
        return
    if not job.wanted:
        st.caption(f"{what} was stopped{'; what is finished is shown' if job.pieces else ''}.")
        again = (name, job.about, job.produce)
        st.button("Start again", key=f"again_{name}", on_click=start, args=again, icon=":material/replay:")
    elif isinstance(job.error, InputError):
        widgets.complain(job.error)
    show(list(job.pieces))
    if job.error is not None and not isinstance(job.error, InputError):
        raise job.error


def _follow(name: str, show: Show) -> None:
    """Progress, the button that stops, and what is known so far; the page is run again when the job ends."""
    job = _jobs()[name]
    if not job.running:
        st.rerun()
    st.progress(min(1.0, max(0.0, job.fraction)), text=f"{job.text or 'At work'} ...")
    if st.button("Stop", key=f"stop_{name}", icon=":material/stop:"):
        job.wanted = False
        st.rerun()
    show(list(job.pieces))


def result(name: str, key: Hashable, compute: Callable[[Report], Value], *, what: str = "The calculation") -> Value | None:
    """What ``compute(report)`` returns, remembered in the session for ``key``; None where it is not (yet) there, which is shown."""

    def produce(report: Report) -> Iterator[Value]:
        yield compute(report)

    ensure(name, key, produce)
    watch(name, what)
    return finished(name, key)


def part(report: Report, done: int, of: int, about: str = "") -> Report:
    """A report for one of ``of`` parts of the work, ``done`` of which are finished; it says what the part is ``about`` first."""
    return lambda fraction, text: report((done + min(fraction, 1.0)) / of, ": ".join(filter(None, (about, text))))


def on_demand(
    name: str,
    about: Hashable,
    produce: Produce,
    *,
    button: str,
    icon: str,
    what: str,
    show: Show,
    help: str | None = None,
    disabled: bool = False,
) -> None:
    """``watch`` for pieces that a button asks for: until it is clicked for ``about``, the button and ``show([])``."""
    job = find(name)
    if job is not None and job.about == about:
        watch(name, what, show)
    else:
        st.button(button, icon=icon, on_click=start, args=(name, about, produce), help=help, disabled=disabled)
        show([])


def finished(name: str, key: Hashable) -> Any:
    """What the job called ``name`` returned for ``key``; None while there is no such result."""
    job = find(name)
    return job.pieces[0] if job is not None and job.about == key and not job.running and job.pieces else None


def at_work(name: str) -> bool:
    """Whether the job of that name is at work."""
    job = find(name)
    return job is not None and job.running


def _jobs() -> dict[str, Job]:
    jobs: dict[str, Job] = st.session_state.setdefault("jobs", {})
    return jobs
