"""Starting a survey: how phones reach it, and its server as a process that outlives the dashboard."""

from __future__ import annotations

import re
import unicodedata
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from pages.shared import state, widgets
from pages.shared.directory import Directory
from pages.shared.mode import refuse_in_demo
from pages.survey.opening import OpenSurvey
from rrcore.asking import SurveyFile
from rrcore.errors import need
from rrcore.receiver import Store, create_store, store_exists

if TYPE_CHECKING:
    from rrcore.receiver.server_status import Served

WAYS = {
    "here": "This computer only",
    "room": "Phones in this network",
    "server": "Everybody, through your https server",
}
_LONGEST = 40  # characters of a file's name that are taken from a title


def offer(survey: SurveyFile) -> None:
    """How phones reach the survey, and the button that starts it."""
    opened, way = state.of_page(OpenSurvey), ask_way()
    # a callback, so that the click counts even if this run is interrupted by another change
    begin = partial(setattr, opened, "wanted", True)
    st.button("Start the survey", type="primary", icon=":material/play_arrow:", key="field_start", on_click=begin)
    if opened.wanted:
        with st.spinner("The server starts."):
            opened.wanted = False
            _start(opened, survey, way)
            opened.started = not opened.problem
        if opened.started:
            st.rerun()
    opened.show_problem()


def ask_way() -> tuple[str, str]:
    """How phones reach it: one of the ``WAYS``, and the address that was typed."""
    way = widgets.radio("Who can reach the form?", WAYS, "field_way", horizontal=True)
    if way == "room":
        from rrcore.receiver.launch import address_in_network

        help = "This computer signs the certificate, so phones warn once. Respondents accept the warning."
        return way, widgets.text("This computer's address in the network", "field_room", address_in_network(), help=help)
    if way == "server":
        return way, widgets.text("Address that respondents open", "field_address", placeholder="https://survey.example.org")
    return way, ""


def _terms(store: Store, way: str, address: str) -> Served:
    """Where the server will listen, and which address people get. Raises InputError if that cannot be."""
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
        opened.show(_make(survey, kept))
    if not opened.problem:
        start(opened, *way)


def require() -> None:
    """Raise InputError in a demo, or if what a server needs is not installed."""
    refuse_in_demo()
    for library in ("starlette", "uvicorn", "cryptography", "segno"):
        need(library, "The receiver")


def _make(survey: SurveyFile, kept: Directory) -> Store:
    """A new survey in the directory, named after its title."""
    from rrcore.receiver.blind_signatures import new_key

    key = new_key() if survey.invited else ""
    return create_store(_free_name(survey.title, kept), survey.mechanism, **survey.texts, key=key)


def start(opened: OpenSurvey, way: str = "", address: str = "") -> None:
    """Start the server of the open survey: in the way that is given, or as it was served before."""
    from rrcore.receiver.launch import start_server
    from rrcore.receiver.server_status import served_of

    with opened.attempt():
        require()
        store = opened.store
        known = None if way else served_of(store)
        start_server(store, known or _terms(store, way, address))


def _free_name(title: str, kept: Directory) -> str:
    """A free place in the directory, named after the title."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    stem = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")[:_LONGEST].strip("-") or "survey"
    number = 1
    while store_exists(place := kept.new(stem if number == 1 else f"{stem}-{number}")):
        number += 1
    return place
