"""What one session had and has chosen, to be taken back and saved: small values, tables by reference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace

import streamlit as st

from pages.shared import category_names, projects
from pages.shared.state import Work, current, of_page
from rrcore.budget import Draft, Project
from rrcore.errors import InputError
from rrcore.table import TextTable

_MOST_UNDONE = 50  # changes that can be taken back, one after the other
_MOST_TABLES = 4  # different tables that are kept for it: they may be large
_LOOKED_AT = {"marginal", "seed"}
_CALLED = {
    "the table": {"table"},
    "the attributes": {"chosen"},
    "the mode": {"entry"},
    "the values of ε": {"epsilon"},
    "the total budget": {"total", "weights"},
    "the workload": {"questions"},
    "the mechanism": {"mechanism", "width"},
    "the constraints": {"floor", "floor_marginals", "slacks"},
    "the sample size": {"n"},
    "the premise of the margins of error": {"population"},
    "the wording of questions": {"wording"},
    "the saved plans": {"pins"},
}
"""What Undo says of draft, and of what else it takes back."""


@dataclass(frozen=True)
class Moment:
    """Everything chosen at one moment, and the table it is about."""

    project: Project
    table: TextTable | None

    @property
    def held(self) -> int:
        """Which answers are held in memory for it: those of a table and of the same with other names are the same."""
        return 0 if self.table is None else id(self.table.columns[0].codes)

    def changes(self, other: Moment) -> list[str]:
        """What differs from ``other``, in words; what is only looked at, or follows from something else, does not count."""
        mine, theirs = self.project, other.project
        differing = {each.name for each in fields(Draft) if getattr(mine.draft, each.name) != getattr(theirs.draft, each.name)}
        differing -= _LOOKED_AT
        if "entry" in differing or mine.draft.entry == "total":
            differing -= {"epsilon"}
        if "questions" not in (mine.draft.entry, theirs.draft.entry):
            differing -= {"questions"}
        if self.table is not other.table or replace(mine.origin, seen=()) != replace(theirs.origin, seen=()):
            differing |= {"table"}
        elif mine.schema != theirs.schema:
            differing |= {"chosen"}
        if mine.pins != theirs.pins:
            differing |= {"pins"}
        named = [what for what, names in _CALLED.items() if names & differing]
        return named if differing <= set().union(*_CALLED.values()) else [*named, "other choices"]


@dataclass
class History:
    """The moments before each change, and the present one.

    ``settling`` while a page adapts what was just taken back; ``running`` from the start of a run to its end; ``said`` is to be shown.
    """

    past: list[Moment] = field(default_factory=list)
    now: Moment | None = None
    settling: bool = False
    running: bool = False
    said: str = ""

    def record(self, work: Work) -> None:
        """Notice what changed since the last call."""
        project = projects.taken(work)
        if project is not None:
            self.keep(Moment(project, work.table))

    def keep(self, moment: Moment) -> None:
        """Make ``moment`` the present one, and keep the one before where something changed."""
        if self.now is not None and not self.settling and moment.changes(self.now):
            self.past = [*self.past, self.now][-_MOST_UNDONE:]
            while len({one.held for one in self.past}) > _MOST_TABLES:
                del self.past[0]
        self.now, self.settling = moment, False

    def undo(self) -> None:
        """Take back the last change."""
        work = current()
        self.said = "There is nothing to undo"
        while self.past and self.now is not None:
            before = self.past.pop()
            draft, what = before.project.draft, ", ".join(self.now.changes(before))
            shown = work.draft.marginal if set(work.draft.marginal) <= set(draft.chosen) else draft.marginal
            try:
                project = replace(before.project, draft=replace(draft, marginal=shown, seed=work.draft.seed))
                projects.put(work, project, before.table)
            except InputError:
                continue
            self.settling, self.said = True, f"Undone: {what}"
            return


def begin() -> None:
    """Notice what a run that was stopped before its end has changed; to be called at the start of every run."""
    history = of_page(History)
    if history.running or history.now is None:
        history.record(current())
    history.running = True


def end() -> None:
    """Notice what the run that ends here has changed."""
    history = of_page(History)
    history.record(current())
    history.running = False


def undo_button() -> None:
    """Takes back the last change, on whatever page it was made."""
    history = of_page(History)
    st.button(
        "Undo",
        key="undo",
        on_click=history.undo,
        type="tertiary",
        icon=":material/undo:",
        help="Undo the last change to the table, the plan or the saved plans.",
    )
    if history.said:
        st.toast(history.said, icon=":material/undo:")
        history.said = ""


def settled() -> bool:
    """Return True if the project may be saved. Otherwise ask about names of categories that come from an upload."""
    now = of_page(History).now
    return now is not None and category_names.settled(
        current(), [now.project.schema, *(pin.plan.schema for pin in now.project.pins.pins)], "saving", rules=True
    )


def project_json() -> Callable[[], str]:
    """Return a function that gives the project file, as the work is when the function is called."""
    history = of_page(History)  # now, since a download is made outside of the session
    return lambda: "" if history.now is None else history.now.project.to_json()
