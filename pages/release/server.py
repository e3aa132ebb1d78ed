"""A table on the server is released where it lies, into the operator's folder of releases: stopped, it is taken up by whoever goes on."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import streamlit as st

from pages.release import draws
from pages.release.draws import Earlier, agreed
from pages.shared import jobs, state, tables, widgets
from pages.shared.asked import Asked, CountedTable
from pages.shared.hosting import roles
from pages.shared.hosting.operator import operator
from pages.shared.opened import offer_entry
from rrcore.errors import InputError
from rrcore.promise import MechanismFile
from rrcore.promise.release_folder import WantedRelease, give_up, release_into
from rrcore.promise.releases import KeptRelease, Kind, Releases
from rrcore.report import handover_pages
from rrcore.table.stream import recoder
from rrcore.wording import count_text, counted, date_text
from rrcore.work import LostError

JOB = "release_on_server"
_KINDS: dict[Kind, str] = {"csv": "CSV", "parquet": "Parquet"}


def offered(work: state.Work) -> bool:
    """Whether the table in play stands on the server, or is a sample of one there, and the operator has a folder for releases."""
    return _table(work) is not None


def earlier(work: state.Work, *, begun: bool) -> list[Earlier]:
    """The releases on the server of the table that the one in play is a sample of; also those that are ``begun``, or not."""
    table = _table(work)
    if table is None:
        return []
    name, releases = table.chosen.name, _releases()
    return _earlier(releases.others(name, "") if begun else releases.of(name))


def made_by(work: state.Work, file: MechanismFile) -> KeptRelease | None:
    """The last release of it on the server by ``file``."""
    table = _table(work)
    made = [] if table is None else _releases().of(table.chosen.name)
    return next((each for each in made[::-1] if each.mechanism == file and each.trailer is not None), None)


def offer(work: state.Work, file: MechanismFile, meant: bool) -> None:
    """All that there is to a release of the table in play, where it lies on the server and the operator has a folder for releases.

    What was begun goes on by its own mechanism file; another one begins by ``file`` only where that is ``meant``.
    """
    table = _table(work)
    if table is None:
        return
    st.markdown(f"**All {counted(table.people, 'person', 'people')} of '{widgets.plain(table.chosen.name)}', on the server**")
    if refused := roles.refusal("release_tables"):
        st.info(refused, icon=":material/lock:")
        return
    if jobs.at_work(JOB):
        jobs.watch(JOB, "The release")
        return
    name, releases = table.chosen.name, _releases()
    made, begun = releases.of(name), releases.unfinished(name)
    _ended(begun)
    _show_made(made)
    for each in begun:
        _go_on(work, table, each, releases.others(name, each.name))
    if begun and meant:
        with st.expander("Begin another release instead", icon=":material/warning:"):
            _new(work, file, table, [*made, *begun])
    elif meant:
        _new(work, file, table, made)


def _table(work: state.Work) -> CountedTable | None:
    """The table on the server that the one in play is a sample of, where it can be released."""
    asked = state.of_page(Asked)
    return asked.counted if operator().releases and asked.shows_counted(work) else None


def _releases() -> Releases:
    return Releases(Path(operator().releases))


def _go_on(work: state.Work, table: CountedTable, begun: KeptRelease, others: Sequence[KeptRelease]) -> None:
    """What goes on with a release that was stopped, whoever began it."""
    name = widgets.plain(begun.name)
    if begun.busy:
        st.caption(f"'{name}', {_when(begun)}, is being made now, in another tab.")
        st.button("Look again", key=f"server_look_{begun.name}", icon=":material/refresh:")
        return
    st.markdown(f"**'{name}'**, {_when(begun)}, was stopped. What is finished of it is kept.")
    sure = _agreed(work, begun.mechanism, others, begun.name)
    st.button(
        f"Go on with '{name}'",
        key=f"server_go_on_{begun.name}",
        type="secondary" if others else "primary",
        icon=":material/resume:",
        disabled=not sure,
        on_click=_start if sure else None,
        args=(table, WantedRelease.again(begun, len(others))),
        help="By the mechanism file, the intervals and the names that it was begun with.",
    )
    with st.expander(f"Give '{name}' up", icon=":material/delete:"):
        st.markdown(
            "What is drawn of it is deleted, and it no longer adds to the price of other releases. Who began it and who gave it up stays on "
            "record."
        )
        unseen = widgets.checkbox("Nobody was given any of it", f"server_unseen_{begun.name}")
        st.button(
            "Give it up",
            key=f"server_give_up_{begun.name}",
            icon=":material/delete:",
            disabled=not unseen,
            on_click=_give_up if unseen else None,
            args=(begun,),
        )


@widgets.complaining
def _new(work: state.Work, file: MechanismFile, table: CountedTable, others: Sequence[KeptRelease]) -> None:
    """What asks for a name, and the button that begins."""
    sample, key = work.table, (work.version, file.schema, table.chosen)
    assert sample is not None
    # what becomes of the columns, as chosen on the Data page
    coder = work.remember("server_coder", key, lambda: recoder(sample, work.rules, file.schema.names, table.edges))
    sure = _agreed(work, file, others, "")
    stem = table.chosen.name.partition(".")[0]
    name = st.text_input(
        "Name of the release",
        _releases().free_name(f"{stem[:40]} {dt.date.today():%Y-%m-%d}"),
        key=f"server_name_{table.chosen.name}_{len(others)}",
    )
    kind = st.radio("As", list(_KINDS), format_func=_KINDS.__getitem__, key="server_kind", horizontal=True)
    if coder.leaving_out:
        listed = ", ".join(f"'{widgets.plain(each)}'" for each in coder.leaving_out)
        widgets.caption(f"Whoever gave no answer to {listed} is left out, as chosen on the Data page.")
    wanted = WantedRelease(file, name, table.chosen.name, kind, coder, table.chosen.encoding, len(others))
    whom = "the others" if coder.leaving_out else f"all {counted(table.people, 'person', 'people')}"
    st.button(
        f"Release {whom} on the server",
        key="server_release",
        type="primary" if work.drawn_from is not None and not others else "secondary",
        icon=":material/shuffle:",
        disabled=not sure,
        on_click=_start if sure else None,
        args=(table, wanted),
        help="By the exact sampler, with the operating system's entropy. The table is read where it lies, and what is finished is kept when "
        "it is stopped.",
    )


def _agreed(work: state.Work, file: MechanismFile, others: Sequence[KeptRelease], name: str) -> bool:
    """Whether that release is wanted beside the others, at its price."""
    own = draws.earlier(state.of_page(draws.Draws).about(work.title))
    begun = sum(not each.finished for each in others)
    released = len(others) - begun + len(own)
    reasons = [f"this table was released {'once' if released == 1 else f'{released} times'}"] if released else []
    if begun:
        which = "another release of" if begun == 1 else f"{begun} other releases of"
        reasons.append(f"{which} {'it' if released else 'this table'} {'is' if begun == 1 else 'are'} begun")
    why = ", and ".join(reasons)
    return agreed(
        file,
        [*_earlier(others), *own],
        f"{why[:1].upper()}{why[1:]}: this is one more about the same people, and whoever sees all learns more.",
        "I want another release on the server, at that price",
        f"server_sure_{name}_{len(others)}_{len(own)}",
    )


def _earlier(kept: Sequence[KeptRelease]) -> list[Earlier]:
    return [Earlier(each.mechanism, each.began, None if each.trailer is None else each.trailer.rows) for each in kept]


def _start(table: CountedTable, wanted: WantedRelease) -> None:
    """Begin, or go on, in the background; for who may, whatever the page showed."""
    if jobs.at_work(JOB):
        return
    try:
        who = roles.require("release_tables")
        path = tables.unchanged(table.chosen, " on the Data page")
        doing = partial(release_into, _releases(), replace(wanted, by=who), pages=handover_pages)
        jobs.start(JOB, (table.chosen.name, wanted.name), partial(tables.apart, doing, path, operator().scheduler))
    except InputError as error:
        st.session_state["server_problem"] = str(error)


def _give_up(begun: KeptRelease) -> None:
    """Delete what is drawn of it; for who may, whatever the page showed."""
    try:
        give_up(_releases(), begun, by=roles.require("release_tables"))
    except InputError as error:
        st.session_state["server_problem"] = str(error)


def _ended(begun: Sequence[KeptRelease]) -> None:
    """How the last work of this session ended, if not well."""
    problem = st.session_state.pop("server_problem", None)
    if problem:
        widgets.complain(problem)
    job = jobs.find(JOB)
    if job is None:
        return
    if isinstance(job.error, LostError) and job.error.why != "memory":
        why = "took longer than one calculation may here" if job.error.why == "time" else "was cut off"
        rest = "What is finished of it is kept: go on with it." if begun else "Nothing of it was finished: begin it again."
        widgets.complain(f"The release {why}. {rest}")
    elif isinstance(job.error, InputError):
        widgets.complain(job.error)
    elif job.error is not None and job.wanted:
        raise job.error
    elif not job.wanted and not begun:
        st.caption("The release was stopped before anything was drawn.")


def _when(kept: KeptRelease) -> str:
    return f"begun on {date_text(kept.began)}{f' by {widgets.plain(kept.by)}' if kept.by else ''}"


def _show_made(made: list[KeptRelease]) -> None:
    """The releases that stand in the folder, and the last one for the ledger."""
    for each in made:
        name = f"**'{widgets.plain(each.name)}'**"
        if each.trailer is None:
            st.markdown(f"{name}, {_when(each)}, was finished; its table is no longer there.")
            continue
        st.markdown(
            f"{name} stands on the server: {count_text(each.trailer.rows)} randomised records ({_KINDS[each.kind]}), with their mechanism "
            f"file and certificate, {_when(each)}."
        )
    refused = roles.refusal("keep_ledgers") if made else ""
    if refused:
        widgets.caption(refused)
    elif made:
        people = made[-1].trailer.rows if made[-1].trailer is not None else None
        offer_entry("Record it in the ledger", made[-1].mechanism, people, "server_ledger")
