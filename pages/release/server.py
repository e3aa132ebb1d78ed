"""A table on the server is released where it lies, into the operator's folder of releases: stopped, it is taken up by whoever goes on."""

from __future__ import annotations

import datetime as dt
from concurrent.futures import Executor
from functools import partial
from pathlib import Path

import streamlit as st

from pages.data.source import Asked
from pages.shared import jobs, state, widgets
from pages.shared.hosting import roles, tables
from pages.shared.hosting.operator import operator
from rrcore.collect import MechanismFile
from rrcore.collect.releases import Kept, Kind, Releases
from rrcore.errors import InputError
from rrcore.ledger import Entry, plan_release
from rrcore.wording import count_text, counted, legible
from rrcore.work import Report

JOB = "release_on_server"
_KINDS: dict[Kind, str] = {"csv": "CSV", "parquet": "Parquet"}


def offer(work: state.Work, file: MechanismFile) -> None:
    """All that there is to a release of the table in play, where it lies on the server and the operator has a folder for releases."""
    asked = state.of_page(Asked)
    if not operator().releases or asked.counted is None or not asked.shows_counted(work):
        return
    chosen, people, _ = asked.counted
    st.markdown(f"**All {counted(people, 'person', 'people')} of '{widgets.plain(chosen.name)}', on the server**")
    if refused := roles.refusal("release_tables"):
        st.info(refused, icon=":material/lock:")
        return
    if jobs.at_work(JOB):
        jobs.watch(JOB, "The release")
        return
    _ended()
    releases = Releases(Path(operator().releases))
    made, begun = releases.of(chosen.name), releases.unfinished(chosen.name)
    _show_made(work, made)
    sure = True
    if made:
        widgets.warn(
            f"This table was released {'once' if len(made) == 1 else f'{len(made)} times'}, and a new draw is another release about the same "
            f"people: whoever sees all learns more. {_price(made, begun[0].mechanism if begun else file)}"
        )
        sure = widgets.checkbox("I want another release on the server, at that price", f"server_sure_{chosen.name}_{len(made)}")
    for each in begun:
        st.caption(f"'{widgets.plain(each.name)}', begun on {each.began:%Y-%m-%d}, was stopped. What is finished of it is kept.")
        st.button(
            f"Go on with '{widgets.plain(each.name)}'",
            key=f"server_go_on_{each.name}",
            icon=":material/resume:",
            disabled=not sure,
            on_click=_start,
            args=(chosen, each.mechanism, each.name, each.kind, len(made)),
        )
    if not begun:
        _new(work, file, chosen, people, len(made), sure)


def _new(work: state.Work, file: MechanismFile, chosen: tables.Chosen, people: int, known: int, sure: bool) -> None:
    """What asks for a name, and the button that begins."""
    stem = chosen.name.partition(".")[0]
    name = st.text_input(
        "Name of the release", f"{stem[:40]} {dt.date.today():%Y-%m-%d}", key=f"server_name_{chosen.name}_{known}"
    )
    kind = st.radio("As", list(_KINDS), format_func=_KINDS.__getitem__, key="server_kind", horizontal=True)
    st.button(
        f"Release all {counted(people, 'person', 'people')} on the server",
        key="server_release",
        type="primary" if work.drawn_from is not None and not known else "secondary",
        icon=":material/shuffle:",
        disabled=not sure,
        on_click=_start,
        args=(chosen, file, name, kind, known),
        help="By the exact sampler, with the operating system's entropy. The table is read where it lies, and what is finished is kept when "
        "it is stopped.",
    )


def _start(chosen: tables.Chosen, file: MechanismFile, name: str, kind: Kind, known: int) -> None:
    """Begin, or go on, in the background; for who may, whatever the page showed."""
    if jobs.at_work(JOB):
        return
    try:
        roles.require("release_tables")
        path = tables.place(chosen.name)
        if tables.now(chosen.name, path) != chosen:
            raise InputError(f"'{chosen.name}' has changed since it was counted: count it again on the Data page.")
        doing = partial(_release, Path(operator().releases), file, name, chosen.name, kind, known)
        jobs.start(JOB, (chosen.name, name), partial(tables.apart, doing, path, operator().scheduler))
    except InputError as error:
        st.session_state["server_told"] = str(error)


def _release(
    folder: Path,
    file: MechanismFile,
    name: str,
    table: str,
    kind: Kind,
    known: int,
    path: Path,
    /,
    *,
    executor: Executor | None,
    report: Report,
) -> str:
    """The job: the same function as anybody else's."""
    made = Releases(folder).release(file, path, name, table=table, kind=kind, earlier=known, executor=executor, report=report)
    return made.name


def _ended() -> None:
    """How the last work of this session ended, if not well."""
    told = st.session_state.pop("server_told", None)
    if told:
        widgets.complain(told)
    job = jobs.find(JOB)
    if job is None:
        return
    if isinstance(job.error, InputError):
        widgets.complain(job.error)
    elif job.error is not None and job.wanted:
        raise job.error
    elif not job.wanted:
        st.caption("The release was stopped; what is finished is kept.")


def _show_made(work: state.Work, made: list[Kept]) -> None:
    """The releases that stand in the folder, and the last one for the ledger."""
    for each in made:
        rows = each.word.rows if each.word is not None else 0
        st.markdown(
            f"**'{widgets.plain(each.name)}'** stands on the server: {count_text(rows)} randomised records ({_KINDS[each.kind]}), with their "
            f"mechanism file and certificate, begun on {each.began:%Y-%m-%d}."
        )
    refused = roles.refusal("keep_ledgers") if made else ""
    if refused:
        widgets.caption(refused)
    elif made and st.button("Record it in the ledger", key="server_ledger", icon=":material/menu_book:"):
        last = made[-1]
        work.made_file = last.mechanism
        st.session_state["ledger_source"] = "made"
        st.session_state["ledger_people"] = last.word.rows if last.word is not None else None
        st.switch_page("pages/ledger/page.py")


def _price(made: list[Kept], file: MechanismFile) -> str:
    """What one more draw gives away together with those that there are."""
    before = [
        Entry.of(
            each.mechanism, population="these people", date=each.began, people=each.word.rows if each.word is not None else None
        )
        for each in made
    ]
    return legible(
        plan_release(before, Entry.of(file, population="these people", date=dt.date.today(), people=None)).sentences()[0]
    )
