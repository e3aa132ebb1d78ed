"""Work that may take long: done in worker processes, with progress and a button that stops it."""

import weakref
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import streamlit as st

from pages.shared import widgets
from pages.shared.mode import limit
from rrcore.errors import InputError
from rrcore.jobs import Job, LostError, Pool
from rrcore.limits import (
    DEMO_JOB_MEGABYTES,
    DEMO_JOB_SECONDS,
    MAX_JOB_MEGABYTES,
    MAX_JOB_SECONDS,
    MAX_READING_MEGABYTES,
    MAX_READING_SECONDS,
)

Show = Callable[[list[Any]], None]

PATIENCE = 0.4
"""Seconds that a page waits before it shows progress instead of the result."""

# what most jobs need; pyarrow imports pandas
_MODULES = ("pandas", "rrcore.table.opening", "rrcore.budget", "rrcore.answers", "rrcore.simulation")

# Every file is read by a fresh process, since a hostile file may change the process that reads it.
READING = Pool(2, seconds=MAX_READING_SECONDS, megabytes=MAX_READING_MEGABYTES, jobs=1, preload=_MODULES)
CALCULATING = Pool(
    seconds=limit(MAX_JOB_SECONDS, DEMO_JOB_SECONDS),
    megabytes=limit(MAX_JOB_MEGABYTES, DEMO_JOB_MEGABYTES),
    nice=10,
    preload=_MODULES,
)


class _Session:
    """The jobs of a session by their names."""

    def __init__(self) -> None:
        self.jobs: dict[str, Job] = {}
        weakref.finalize(self, _stop_all, self.jobs)


def _stop_all(jobs: dict[str, Job]) -> None:
    for job in jobs.values():
        job.stop()


def _jobs() -> dict[str, Job]:
    if "jobs" not in st.session_state:
        st.session_state["jobs"] = _Session()
    session: _Session = st.session_state["jobs"]
    return session.jobs


@contextmanager
def workers() -> Iterator[None]:
    """Have the workers run meanwhile, so that the first job does not wait for them."""
    pools = (CALCULATING, READING)
    for pool in pools:
        pool.warm()
    try:
        yield
    finally:
        for pool in pools:
            pool.close()


def find(name: str) -> Job | None:
    """Return the job of that name, None if this session has started none."""
    return _jobs().get(name)


def start(name: str, about: Hashable, function: Callable[..., Any], *args: Any, pool: Pool | None = None) -> None:
    """Call ``function(*args)`` of ``rrcore`` in a worker. The former job of that name ends at once."""
    forget(name)
    job = (pool or CALCULATING).start(function, *args)
    job.about = about
    _jobs()[name] = job
    job.wait(PATIENCE)


def forget(name: str) -> None:
    """End the job of that name, and let go of what it has found."""
    job = _jobs().pop(name, None)
    if job is not None:
        job.stop()


def ensure(name: str, about: Hashable, function: Callable[..., Any], *args: Any, pool: Pool | None = None) -> Job:
    """``start``, unless the job of that name is about the same, at work or ended."""
    job = find(name)
    if job is None or job.about != about:
        start(name, about, function, *args, pool=pool)
    return _jobs()[name]


def watch(name: str, what: str, show: Show = lambda pieces: None) -> None:
    """Show how far the job is and ``show(pieces)``, now and then while it is at work; or how it ended, if not by itself.

    A job can be stopped and started again; its pieces stay. An InputError is shown in one sentence, any other exception is raised.
    """
    job = _jobs()[name]
    job.what = what
    if job.running:
        st.fragment(_follow, run_every=0.5)(name, show)
        return
    error = job.error
    if job.stopped:
        st.caption(f"{what} was stopped.{' The finished part is shown.' if job.pieces else ''}")
    elif isinstance(error, InputError):
        widgets.complain(error)
    if job.stopped or isinstance(error, LostError):
        again = partial(start, name, job.about, *job.call, pool=job.pool)
        st.button("Start again", key=f"again_{name}", on_click=again, icon=":material/replay:")
    show(job.pieces)
    if error is not None and not isinstance(error, InputError):
        raise error


def _follow(name: str, show: Show) -> None:
    """Progress, the button that stops, and what is known so far; the page is run again when the job ends."""
    job = find(name)
    if job is None or not job.running:
        st.rerun()
    st.progress(min(1.0, max(0.0, job.fraction)), text=f"{': '.join(filter(None, (job.what, job.text)))} ...")
    if st.button("Stop", key=f"stop_{name}", icon=":material/stop:"):
        job.stop()
        st.rerun()
    show(job.pieces)


def result(name: str, key: Hashable, function: Callable[..., Any], *args: Any, what: str = "The calculation") -> Any:
    """Return ``function(*args)``, remembered in the session for ``key``; None while it is not there, which is shown.

    Parameters
    ----------
    name : one job of this name is at work in a session
    key : what it is about
    function : of ``rrcore``; of one that yields, the result is the list of its pieces
    args : what can be pickled
    what : what is done, as the beginning of a sentence
    """
    ensure(name, key, function, *args)
    watch(name, what)
    return finished(name, key)


def read(name: str, key: Hashable, function: Callable[..., Any], *args: Any, what: str = "Reading the file") -> Any:
    """``result`` of a function that reads an uploaded file, with the limits for that.

    Raises
    ------
    InputError
        What the function raises, at every run.
    """
    job = ensure(name, key, function, *args, pool=READING)
    job.what = what
    if isinstance(error := job.error, InputError):
        raise error
    watch(name, what)
    return finished(name, key)


def on_demand(
    name: str,
    about: Hashable,
    function: Callable[..., Any],
    *args: Any,
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
        st.button(button, icon=icon, on_click=start, args=(name, about, function, *args), help=help, disabled=disabled)
        show([])


def finished(name: str, key: Hashable) -> Any:
    """Return what the job of that name has found for ``key``; None while there is no such result."""
    job = find(name)
    return job.result if job is not None and job.about == key else None


def pieces(name: str) -> list[Any]:
    """Return what the job of that name has found so far."""
    job = find(name)
    return [] if job is None else job.pieces


def at_work(name: str) -> bool:
    """Return whether the job of that name is at work."""
    job = find(name)
    return job is not None and job.running
