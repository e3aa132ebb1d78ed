"""Starting a survey: how phones reach it is asked in plain words, and its server is started as a process of its own."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

import streamlit as st

from pages.field.opening import OpenSurvey
from pages.shared import names, state, surveys, verdicts, widgets
from pages.shared.directory import Directory
from pages.shared.mode import refuse_in_demo
from rrcore.asking import SurveyFile
from rrcore.errors import need
from rrcore.promise import MechanismFile
from rrcore.receiver import Store, create_store, store_exists

if TYPE_CHECKING:
    from rrcore.receiver.running import Served

WAYS = {
    "here": "This computer only, to try it out",
    "room": "Phones in the network of this room",
    "server": "Anybody, through a server with https",
}
_LONGEST = 40  # characters of a file's name that are taken from a title
_TERMINAL = """rrcore serve --survey survey.json --db pilot.survey"""


def invite(work: state.Work, opened: OpenSurvey) -> None:
    """The survey in play, how phones are to reach it, and the button that starts it; beside it the way by a terminal."""
    st.markdown("**Start a survey**")
    file = surveys.mechanism(work)
    if file is None:
        if not surveys.of_plan():
            st.caption("The plan in play is not what randomises the answers, as Collect has it: choose or type there what is.")
            st.page_link("pages/collect/page.py", label="Go to Collect", icon=":material/arrow_back:")
        return
    asked = ", ".join(surveys.order(file.schema.names)[:4]) + (", ..." if len(file.schema.names) > 4 else "")
    widgets.caption(f"Asks about {asked}.")
    st.page_link("pages/collect/page.py", label="Wording and preview on Collect", icon=":material/arrow_back:")
    surveys.ask_title(st.container())
    _ask(work, opened, file)
    widgets.details("With a terminal instead", "field_terminal", lambda: _terminal(work, file), icon="terminal")


def _ask(work: state.Work, opened: OpenSurvey, file: MechanismFile) -> None:
    way = ask_way()
    surveys.ask_invited()
    if not (names.settled(work, [file.schema], "the form leaves") and (not surveys.of_plan() or verdicts.meant(work, file))):
        return
    survey = surveys.in_play_or_complain(work, file)
    if survey is not None and st.button("Start this survey", type="primary", icon=":material/play_arrow:", key="field_start"):
        with st.spinner("The server starts."):
            _start(opened, survey, way)
        st.rerun()


def ask_way() -> tuple[str, str]:
    """How phones reach it: which of the ``WAYS``, and the address that was typed."""
    way = widgets.radio("Who can reach it?", WAYS, "field_way")
    if way == "room":
        from rrcore.receiver.launch import address_in_network

        address = widgets.text("This computer's address in that network", "field_room", address_in_network())
        st.caption("Phones warn once about a certificate that nobody else has signed: people accept it and go on.")
        return way, address
    if way == "server":
        address = widgets.text("Address that people will open", "field_address", placeholder="https://survey.example.org")
        return way, address
    return way, ""


def terms(store: Store, way: str, address: str) -> Served:
    """Where the server will listen, and what people are given. Raises InputError where that cannot be."""
    from rrcore.receiver import launch

    if way == "room":
        return launch.in_room(store, address)
    return launch.behind(address) if way == "server" else launch.here(launch.free_port("127.0.0.1"))


def _start(opened: OpenSurvey, survey: SurveyFile, way: tuple[str, str]) -> None:
    """Make the survey, start its server and show both."""
    with opened.attempt() as kept:
        require()
        if way[0] == "server":
            survey.form(address=f"{way[1].strip().rstrip('/')}/answers")  # before a survey is made
        opened.show(make(survey, kept))
    if not opened.problem:
        start(opened, *way)


def require() -> None:
    """Raise InputError in a demo, or if what a server needs is not installed."""
    refuse_in_demo()
    for library in ("starlette", "uvicorn", "cryptography", "segno"):
        need(library, "The receiver", extra="receiver")


def make(survey: SurveyFile, kept: Directory) -> Store:
    """A new survey in the directory, called like its title."""
    from rrcore.receiver.blind import new_key

    key = new_key() if survey.invited else ""
    return create_store(_free_name(survey.title, kept), survey.mechanism, **survey.texts, key=key)


def start(opened: OpenSurvey, way: str = "", address: str = "") -> None:
    """Start the server of the survey that is open: the way that is given, or as it was served before."""
    from rrcore.receiver.launch import start_server
    from rrcore.receiver.running import served_of

    with opened.attempt():
        require()
        store = opened.store
        known = None if way else served_of(store)
        start_server(store, known or terms(store, way, address))


def _free_name(title: str, kept: Directory) -> str:
    """A place in the directory that is called like the title, and is free."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    stem = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")[:_LONGEST].strip("-") or "survey"
    number = 1
    while store_exists(place := kept.new(stem if number == 1 else f"{stem}-{number}")):
        number += 1
    return place


def _terminal(work: state.Work, file: MechanismFile) -> None:
    st.markdown("Save the survey file, and start its server in the same folder:")
    st.code(_TERMINAL, language=None, wrap_lines=True)
    survey = surveys.in_play_or_complain(work, file)
    if survey is not None and names.settled(work, [file.schema], "the file leaves"):
        with st.container(horizontal=True):
            widgets.download("Download survey file", survey.to_json, "survey.json")
            widgets.download("Download mechanism file", file.to_json, "mechanism.json")
