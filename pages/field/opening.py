"""Which survey the page shows, and how one is started."""

import datetime as dt
import os
from dataclasses import dataclass, field

import streamlit as st

from pages.shared import state, widgets
from pages.shared.directory import directory
from pages.shared.opened import Opened
from rrcore.commands.app import SURVEY_VARIABLE
from rrcore.receiver import Store, open_store
from rrcore.receiver.field import SurveySoFar, invented_survey


@dataclass
class OpenSurvey(Opened):
    """The survey that the page shows, or an invented one; what was said when it was closed, and whether no ledger holds it; the run of its
    server that was found to answer at the address that people are given; the question and precision that the last look had not reached;
    what last went wrong when it was to be closed; the ledger that was open when one was last offered."""

    path: str = field(default_factory=lambda: os.environ.get(SURVEY_VARIABLE, ""))
    invented: SurveySoFar | None = None
    closed: tuple[str, ...] = ()
    unrecorded: bool = False
    tried: str = ""
    waited_for: tuple[object, ...] = ()
    unclosed: str = ""
    offered: str = ""
    thing = "survey"
    _store: Store | None = None
    _last: SurveySoFar | None = None

    def open(self) -> None:
        """Show the chosen survey."""
        with self.attempt() as kept:
            self.show(open_store(kept.place(str(st.session_state.get("field_chosen", "")))))

    def show(self, store: Store) -> None:
        """Show this survey."""
        self.leave()
        self.path, self._store = store.place, store

    def try_invented(self) -> None:
        """Show a survey that nobody answered."""
        self.problem = ""
        self.invented = invented_survey(dt.date.today(), rng=state.current().rng("invented survey"))

    def leave(self) -> None:
        """Show no survey."""
        self.path = self.problem = self.tried = self.unclosed = ""
        self.closed, self.unrecorded = (), False
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
    kept = directory("survey")
    names = kept.names()
    if names:
        widgets.select("Survey", names, "field_chosen")
    else:
        widgets.caption(
            f"There is no .survey file in {kept.folder}.",
            help="Start the dashboard where the survey is, or name its file with rrcore app --survey.",
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
