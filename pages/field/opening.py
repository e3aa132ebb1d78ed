"""Which survey the page shows, and how one is started."""

from __future__ import annotations

import datetime as dt
import os
from dataclasses import dataclass, field

import streamlit as st

from pages.shared import guards, mechanisms, names, state, widgets
from pages.shared.hosting.shelves import hosted, shelf
from pages.shared.opened import Opened
from rrcore.commands.app import SURVEY_VARIABLE
from rrcore.receiver import Store, open_store
from rrcore.receiver.field import SurveySoFar, invented_survey

_SERVE = """rrcore serve --mechanism mechanism.json --db pilot.survey --title "My survey\""""


@dataclass
class OpenSurvey(Opened):
    """The survey that the page shows; an invented one instead; what was said when it was closed."""

    path: str = field(default_factory=lambda: os.environ.get(SURVEY_VARIABLE, ""))
    invented: SurveySoFar | None = None
    closed: tuple[str, ...] = ()
    thing = "survey"
    _store: Store | None = None
    _last: SurveySoFar | None = None

    def open(self) -> None:
        """Show the chosen survey."""
        with self.attempt() as kept:
            path = kept.place(str(st.session_state.get("field_chosen", "")))
            self._store = open_store(path)
            self.path = path

    def try_invented(self) -> None:
        """Show a survey that nobody answered."""
        self.problem = ""
        self.invented = invented_survey(dt.date.today(), rng=state.current().rng("invented survey"))

    def leave(self) -> None:
        """Show no survey."""
        self.path, self.problem, self.closed = "", "", ()
        self.invented = self._store = self._last = None

    @property
    def store(self) -> Store:
        """Where the answers are. Raises InputError where there is none."""
        if self._store is None:
            self._store = open_store(self.path)
        return self._store

    def look(self) -> SurveySoFar:
        """The survey now. Raises InputError where it cannot be read."""
        if self.invented is not None:
            return self.invented
        self._last = SurveySoFar.of(self.store, before=self._last)
        return self._last


def ask(opened: OpenSurvey) -> None:
    """Where the survey is."""
    st.markdown("**A survey that is running**")
    kept = shelf("survey")
    names = kept.names()
    if names:
        widgets.select("Survey", names, "field_chosen")
    elif kept.folder is None:
        st.caption("The operator of this dashboard has set no folder for surveys.")
    elif hosted():
        st.caption("There is no survey in the folder that the operator of this dashboard chose.")
    else:
        widgets.caption(
            f"There is no file whose name ends in .survey in {kept.folder}: start the dashboard where the survey is, or name its file with "
            "rrcore app --survey."
        )
    with st.container(horizontal=True):
        if names:
            st.button("Open", type="primary", icon=":material/folder_open:", on_click=opened.open)
        st.button(
            "Try an invented survey",
            icon=":material/science:",
            type="tertiary",
            on_click=opened.try_invented,
            help="Some hundred answers that nobody gave, by day, to see what this page shows.",
        )
    opened.show_problem()


def invite(work: state.Work) -> None:
    """How a survey is started: the mechanism file in play, and the command that serves it."""
    st.markdown("**Start one**")
    st.markdown(
        "A small server gives out the form and keeps the answers, each randomised in the respondent's browser before it is sent. Save the "
        "mechanism file, and start the server in the same folder:"
    )
    st.code(_SERVE, language=None, wrap_lines=True)
    file = work.made_file
    if file is not None:
        st.caption("The mechanism file made on Collect:")
    else:
        st.caption("The mechanism of the plan in play; page Collect tells what it promises, and has more choices:")
        guards.need_plan(work)
        file = mechanisms.planned(work)
    leaves = file is not None and names.settled(work, [file.schema], "the file leaves")
    with st.container(horizontal=True, vertical_alignment="center"):
        if file is not None and leaves:
            widgets.download("Download mechanism file", file.to_json, "mechanism.json")
        st.page_link("pages/collect/page.py", label="Go to Collect", icon=":material/arrow_back:")
