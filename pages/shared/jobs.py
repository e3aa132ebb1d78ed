"""Work that may take long: done in a process of its own, with progress and a way to stop, so that everybody's pages stay responsive."""

from collections.abc import Callable, Hashable, Iterator
from typing import Any, TypeVar, cast

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.shared import widgets
from pages.shared.hosting import login, turns
from pages.shared.queue import Job, Owner, Queue
from rrcore.errors import InputError
from rrcore.receiver.pace import network
from rrcore.wording import counted
from rrcore.work import LostError, Produce, Report, prepare_worker

Value = TypeVar("Value")
Show = Callable[[list[Any]], None]

PATIENCE = 0.4
"""Seconds that a page waits before it shows progress instead of the result."""

QUEUE = Queue()
"""The jobs of all sessions of this server."""

_ROOMS = ("answers", "audit", "budget", "dependence", "designs", "promise", "schemes")
_RESEARCH = ("keyvalue", "lopub", "papers")


def begin() -> None:
    """Begin a run, of which nothing is shown yet."""
    owner().shown.clear()
    get_ready()


def get_ready() -> None:
    """Have everything at hand that jobs use, so that the first one starts as quickly as all others."""
    prepare_worker(
        ["cloudpickle", "scipy.stats", *(f"rrcore.{room}" for room in _ROOMS), *(f"rrcore.research.{room}" for room in _RESEARCH)]
    )


def owner() -> Owner:
    """Whose jobs are started, found and shown: this session."""
    if "jobs" not in st.session_state:
        run = get_script_run_ctx()
        st.session_state["jobs"] = Owner(
            run.session_id if run is not None else "", login.user(), network(str(st.context.ip_address or ""))
        )
    own: Owner = st.session_state["jobs"]
    return own


def take_over(former: Owner) -> None:
    """Go on with the jobs of a session whose page was loaded anew, which is this one now."""
    QUEUE.move(former, owner())


def find(name: str) -> Job | None:
    """The job of that name, waiting, at work or ended; None where none was started in this session."""
    return owner().jobs.get(name)


def start(name: str, about: Any, produce: Produce) -> None:
    """Collect what ``produce(report)`` hands over, in another process. Former work of that name ends at once.

    ``produce`` is sent to that process with all that it refers to: to no more than it needs, so to no ``Work`` of a session.
    """
    job = QUEUE.start(owner(), name, about, produce)
    with turns.pages.lent():
        job.done.wait(PATIENCE)


def stop(name: str) -> None:
    """End the job of that name if it is at work, or waits."""
    job = find(name)
    if job is not None and job.running:
        QUEUE.stop(job)


def ensure(name: str, about: Any, produce: Produce) -> None:
    """``start``, unless the job of that name is about the same, at work or ended."""
    job = find(name)
    if job is None or job.about != about:
        start(name, about, produce)


def watch(name: str, what: str, show: Show = lambda pieces: None) -> None:
    """Show how far the job is and ``show(pieces)``, now and then while it is at work; or how it ended, if not by itself.

    A job can be stopped and started again; its pieces stay. An InputError is shown in one sentence, any other exception is raised.
    """
    job = owner().jobs[name]
    job.what = what
    owner().shown.add(name)
    if job.running:
        st.fragment(_follow, run_every=0.5)(name, show)
        return
    if not job.wanted:
        st.caption(f"{what} was stopped{'; what is finished is shown' if job.pieces else ''}.")
    elif isinstance(job.error, InputError):
        widgets.complain(job.error)
    if not job.wanted or isinstance(job.error, LostError):
        again = (name, job.about, job.produce)
        st.button("Start again", key=f"again_{name}", on_click=start, args=again, icon=":material/replay:")
    show(list(job.pieces))
    if job.error is not None and not isinstance(job.error, InputError):
        raise job.error


def _follow(name: str, show: Show) -> None:
    """Progress, the button that stops, and what is known so far; the page is run again when the job ends."""
    job = find(name)
    if job is None or not job.running:
        st.rerun()
    st.progress(min(1.0, max(0.0, job.fraction)), text=f"{_waiting(job) or job.text or 'At work'} ...")
    if _waiting(job):
        st.caption(_rule(job))
    if st.button("Stop", key=f"stop_{name}", icon=":material/stop:"):
        QUEUE.stop(job)
        st.rerun()
    show(list(job.pieces))


def show_others() -> None:
    """What goes on in this session though the page shows nothing of it, with a way to stop it; to be called when a run ends."""
    for name, job in owner().jobs.items():
        if job.running and name not in owner().shown:
            what, waiting = f"{job.what[:1].lower()}{job.what[1:]}", _waiting(job)
            text = f"{waiting}: {what}" if waiting else f"Also at work: {what}, {100 * job.fraction:.0f} % done"
            st.caption(text, width="content")
            st.button("Stop", key=f"stop_other_{name}", on_click=QUEUE.stop, args=(job,), type="tertiary", icon=":material/stop:")


def _waiting(job: Job) -> str:
    """What the job waits for, in words; empty where it does not wait."""
    before = QUEUE.before(job)
    if before is None:
        return ""
    whose = zip(before, ("of yours", "of others"), strict=True)
    texts = [counted(number, f"calculation {of}", f"calculations {of}") for number, of in whose if number]
    return f"Waiting for {' and '.join(texts)}, place {QUEUE.place_in_line(job)} in line" if texts else "Waiting"


def _rule(job: Job) -> str:
    """Why the job waits, in a sentence: who is next, and which places are kept for what."""
    all, for_long = QUEUE.places
    if job.long and for_long < all:
        places = counted(for_long, "place", "places")
        return f"It takes longer than {QUEUE.short:.0f} seconds, so it begins anew when one of the {places} for long calculations is free."
    kept = (
        f", and {all - for_long} of the {all} places is kept for those of up to {QUEUE.short:.0f} seconds"
        if for_long < all
        else ""
    )
    kept = kept.replace("places is", "places are") if all - for_long > 1 else kept
    return f"Whoever has fewest calculations at work is next{kept}."


def result(name: str, key: Hashable, compute: Callable[[Report], Value], *, what: str = "The calculation") -> Value | None:
    """What ``compute(report)`` returns, remembered in the session for ``key``; None where it is not (yet) there, which is shown."""

    def produce(report: Report) -> Iterator[Value]:
        yield compute(report)

    ensure(name, key, produce)
    watch(name, what)
    return finished(name, key)


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


def apart(make: Callable[[], Value]) -> Callable[[], Value]:
    """``make`` for a download whose making may take long, in another process: what it refers to is sent there."""
    own = owner()
    return lambda: cast(Value, QUEUE.make(own, lambda report: [make()]))


def pieces(name: str) -> list[Any]:
    """What the job of that name has handed over so far."""
    job = find(name)
    return [] if job is None else list(job.pieces)


def at_work(name: str) -> bool:
    """Whether the job of that name is at work."""
    job = find(name)
    return job is not None and job.running
