"""Work that may take long: done in a thread of its own, with progress and a way to stop, so that the page stays responsive."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import streamlit as st

from rrcore.progress import Report

__all__ = ["PATIENCE", "Stream", "at_work", "finished", "follow", "result", "stop", "stream"]

Value = TypeVar("Value")

PATIENCE = 0.4
"""Seconds that a page waits before it shows progress instead of the result."""

_JOBS = "jobs"
_STREAMS = "streams"


class _StoppedError(Exception):
    """Raised inside a job that is no longer wanted."""


@dataclass
class _Job:
    """One computation: how far it is, and what became of it."""

    key: Hashable
    fraction: float = 0.0
    text: str = ""
    value: Any = None
    error: Exception | None = None
    wanted: bool = True
    done: threading.Event = field(default_factory=threading.Event)

    def report(self, fraction: float, text: str) -> None:
        if not self.wanted:
            raise _StoppedError
        self.fraction, self.text = fraction, text

    def run(self, compute: Callable[[Report], Any]) -> None:
        try:
            self.value = compute(self.report)
        except _StoppedError:
            pass
        except Exception as error:  # handed over to the page, which shows it
            self.error = error
        self.done.set()


def result(name: str, key: Hashable, compute: Callable[[Report], Value], *, what: str = "The calculation") -> Value | None:
    """What ``compute(report)`` returns, remembered in the session for ``key``; None while it is at work or after it was stopped.

    While it is at work, progress and a button to stop it take the place of the result; the page is run again when it is
    done. Exceptions of ``compute`` are raised here. A new key stops the work for the old one.
    """
    jobs: dict[str, _Job] = st.session_state.setdefault(_JOBS, {})
    job = jobs.get(name)
    fresh = job is None or job.key != key
    if job is None or job.key != key:
        if job is not None:
            job.wanted = False
        job = jobs[name] = _Job(key)
        threading.Thread(target=job.run, args=(compute,), daemon=True).start()
    if job.wanted and not job.done.wait(PATIENCE if fresh else 0):
        _watch(name)
        return None
    if not job.wanted:
        st.caption(f"{what} was stopped.")
        st.button("Start again", key=f"again_{name}", on_click=jobs.pop, args=(name,), icon=":material/replay:")
        return None
    if job.error is not None:
        raise job.error
    return cast(Value, job.value)


@st.fragment(run_every=0.3)
def _watch(name: str) -> None:
    """Progress of a job, a few times a second, and the button that stops it."""
    job: _Job = st.session_state[_JOBS][name]
    if job.done.is_set() or not job.wanted:
        st.rerun()
    st.progress(min(1.0, max(0.0, job.fraction)), text=f"{job.text or 'At work'} ...")
    if st.button("Stop", key=f"stop_{name}", icon=":material/stop:"):
        job.wanted = False
        st.rerun()


def finished(name: str, key: Hashable) -> Any:
    """What the job called ``name`` returned for ``key``; None while there is no such result."""
    job = st.session_state.get(_JOBS, {}).get(name)
    return job.value if job is not None and job.key == key and job.done.is_set() else None


def at_work(name: str) -> bool:
    """Whether the job called ``name`` is still at work."""
    job = st.session_state.get(_JOBS, {}).get(name)
    return job is not None and job.wanted and not job.done.is_set()


@dataclass
class Stream:
    """Long work that hands over one piece after another: what is finished stays, also when it is stopped.

    Parameters
    ----------
    about : what it was started for
    pieces : what it has handed over so far
    """

    about: Any
    pieces: list[Any] = field(default_factory=list)
    job: _Job = field(default_factory=lambda: _Job(None))

    @property
    def running(self) -> bool:
        """Whether more may come."""
        return self.job.wanted and not self.job.done.is_set()

    @property
    def stopped(self) -> bool:
        """Whether it was stopped before its end."""
        return not self.job.wanted

    @property
    def error(self) -> Exception | None:
        """What ended it early."""
        return self.job.error


def stream(name: str, about: Any, produce: Callable[[Report], Iterable[Any]]) -> None:
    """Start to collect what ``produce(report)`` hands over, in a thread; ``follow(name)`` finds it. Former work of that name ends."""
    streams: dict[str, Stream] = st.session_state.setdefault(_STREAMS, {})
    if name in streams:
        streams[name].job.wanted = False
    new = streams[name] = Stream(about)

    def collect(report: Report) -> None:
        for piece in produce(report):
            new.pieces.append(piece)

    threading.Thread(target=new.job.run, args=(collect,), daemon=True).start()
    new.job.done.wait(PATIENCE)


def follow(name: str) -> Stream | None:
    """The work of that name, at work or ended; None where none was started in this session."""
    return cast("Stream | None", st.session_state.get(_STREAMS, {}).get(name))


def stop(name: str) -> None:
    """Have the work of that name end at its next report."""
    st.session_state[_STREAMS][name].job.wanted = False
