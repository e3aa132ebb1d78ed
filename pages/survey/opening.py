"""Which survey the tab shows, and how one is opened."""

import os
from dataclasses import dataclass, field

import streamlit as st

from pages.shared.opened import Opened
from rrcore.cli.dashboard import SURVEY_VARIABLE
from rrcore.receiver import Store, open_store
from rrcore.receiver.monitoring import SurveySoFar


@dataclass
class OpenSurvey(Opened):
    """The survey that is shown.

    Parameters
    ----------
    closed, unrecorded : what was reported when it was closed, and whether no history has it
    unclosed : what last went wrong when a user wanted to close it
    tried : the run of its server that answered at the address that respondents get
    started : whether it was started a moment ago, so that its tab opens
    wanted : whether a click asks for a start that has not begun
    """

    path: str = field(default_factory=lambda: os.environ.get(SURVEY_VARIABLE, ""))
    closed: tuple[str, ...] = ()
    unrecorded: bool = False
    tried: str = ""
    started: bool = False
    wanted: bool = False
    unclosed: str = ""
    thing = "survey"
    called = "survey"
    _store: Store | None = None
    _last: SurveySoFar | None = None

    def open(self) -> None:
        """Show the chosen survey."""
        with self.attempt() as kept:
            self.show(open_store(kept.place(str(st.session_state.get("survey_chosen", "")))))

    def show(self, store: Store) -> None:
        """Show this survey."""
        self.leave()
        self.path, self._store = store.place, store

    def leave(self) -> None:
        """Show no survey."""
        self.path = self.problem = self.tried = self.unclosed = ""
        self.closed, self.unrecorded, self.started = (), False, False
        self._store = self._last = None

    @property
    def store(self) -> Store:
        """Where the answers are. Raises InputError if there is none."""
        if self._store is None:
            self._store = open_store(self.path)
        return self._store

    def look(self) -> SurveySoFar:
        """The survey now. Raises InputError if it cannot be read."""
        self._last = SurveySoFar.of(self.store, before=self._last)
        return self._last
