"""Reading what people choose: a few files at a time over all sessions, in bounded processes, with progress and a way to stop."""

from collections.abc import Callable, Hashable
from functools import cache
from typing import TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.shared import jobs
from pages.shared.hosting import turns
from pages.shared.hosting.operator import operator
from pages.shared.queue import Job, Owner, Queue
from rrcore.work.bounded import Bounds, prepare, within

Value = TypeVar("Value")


def begin() -> None:
    """Have at hand what reads files, so that the first one is read as quickly as all others; to be called when a run begins."""
    prepare("rrcore.table.reading.file")


def read(name: str, key: Hashable, compute: Callable[[], Value], *, what: str = "Reading the file") -> Value | None:
    """What ``compute()`` makes of files, remembered in the session for ``key``; None where it is not (yet) there, which is shown.

    Parameters
    ----------
    name : one piece of reading of this name goes on in a session; a former one with another key ends at once
    key : what it is about
    compute : reads through ``rrcore.table``; it runs in a thread and touches nothing of the session
    what : what is done, as the beginning of a sentence

    Raises
    ------
    InputError
        What ``compute`` raises, at every run.
    """
    own = _owner()
    job = own.jobs.get(name)
    if job is None or job.about != key:
        job = _queue().start(own, name, key, lambda report: iter([compute()]))
        with turns.pages.lent():
            job.done.wait(jobs.PATIENCE)
    if job.running:
        st.fragment(_follow, run_every=0.5)(name, what)
        return None
    if job.error is not None:
        raise job.error
    if job.pieces:
        return job.pieces[0]
    st.caption(f"{what} was stopped.")
    st.button("Start again", key=f"again_{name}", on_click=forget, args=(name,), icon=":material/replay:")
    return None


def forget(name: str) -> None:
    """End the reading of that name, and let go of what it has read."""
    job = _owner().jobs.pop(name, None)
    if job is not None:
        _queue().stop(job)


def _follow(name: str, what: str) -> None:
    """How far it is, and the button that stops; the page is run again when it ends."""
    job = _owner().jobs.get(name)
    if job is None or not job.running:
        st.rerun()
    ahead = _queue().before(job)
    text = f"{what}: {job.text}" if job.text else what
    if ahead is not None:
        first = "the file" if sum(ahead) == 1 else f"one of the {sum(ahead)} files"
        text = f"{what} begins when {first} before it is read" if sum(ahead) else f"{what} is about to begin"
    st.progress(job.fraction, text=f"{text} ...")
    if st.button("Stop", key=f"stop_{name}", icon=":material/stop:"):
        _queue().stop(job)
        st.rerun()


def _work(job: Job) -> None:
    most = operator()
    with within(Bounds(most.reader_seconds, most.reader_megabytes, job.report)):
        for piece in job.produce(job.report):
            job.pieces.append(piece)


@cache
def _queue() -> Queue:
    """The files that all sessions of this server read."""
    most = operator().readers
    return Queue(_work, each=most, near=most, all=most, short=operator().reader_seconds + 1)


def _owner() -> Owner:
    if "files_read" not in st.session_state:
        run = get_script_run_ctx()
        st.session_state["files_read"] = Owner(run.session_id if run is not None else "")
    own: Owner = st.session_state["files_read"]
    return own
