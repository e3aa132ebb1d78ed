"""What was and is in play, for one session, to be taken back and saved: small values, tables by reference."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

import streamlit as st

from pages.shared import names, projects, widgets
from pages.shared.state import Work, current, of_page
from rrcore.budget import Project, Wishes
from rrcore.errors import InputError
from rrcore.table import TextTable

_MOST_UNDONE = 50  # changes that can be taken back, one after the other
_MOST_TABLES = 4  # different tables that are kept for it: they may be large
_LOOKED_AT = {"marginal", "seed", "people"}
_CALLED = {
    "the table in play": {"table"},
    "the attributes": {"chosen"},
    "the way into the plan": {"entry"},
    "the levels": {"levels", "scale"},
    "the total": {"total", "weights"},
    "the joint distributions wanted": {"questions"},
    "the mechanism": {"mechanism", "width", "closeness"},
    "the safeguards": {"floor", "floor_marginals", "slacks"},
    "the number of people": {"respondents"},
    "the wording of questions": {"wording"},
    "the pinned plans": {"pins"},
}
"""What Undo says of wishes, and of what else it takes back."""


@dataclass(frozen=True)
class Moment:
    """What was in play: everything chosen, and the table it is about."""

    project: Project
    table: TextTable | None

    @property
    def held(self) -> int:
        """Which answers are held in memory for it: those of a table and of the same with other names are the same."""
        return 0 if self.table is None else id(self.table.columns[0].codes)

    def changes(self, other: Moment) -> list[str]:
        """What differs from ``other``, in words; what is only looked at, or follows from something else, does not count."""
        mine, theirs = self.project, other.project
        differing = {each.name for each in fields(Wishes) if getattr(mine.wishes, each.name) != getattr(theirs.wishes, each.name)}
        differing -= _LOOKED_AT
        if "entry" in differing or mine.wishes.entry == "total":
            differing -= {"levels", "scale"}
        if "questions" not in (mine.wishes.entry, theirs.wishes.entry):
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

    ``settling`` while a page adapts what was just taken back; ``running`` from the start of a run to its end; ``said`` is to be told.
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
        self.said = "There is nothing to take back"
        while self.past and self.now is not None:
            before = self.past.pop()
            wishes, what = before.project.wishes, ", ".join(self.now.changes(before))
            shown = work.wishes.marginal if set(work.wishes.marginal) <= set(wishes.chosen) else wishes.marginal
            try:
                project = replace(before.project, wishes=replace(wishes, marginal=shown, seed=work.wishes.seed))
                projects.put(work, project, before.table)
            except InputError:
                continue
            self.settling, self.said = True, f"As before: {what}"
            return

    def saved(self) -> str:
        """The project file of what is in play."""
        return "" if self.now is None else self.now.project.to_json()


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
        help="Takes back the last change of table, attributes, levels, mechanism or pinned plans, on whatever page it was made.",
    )
    if history.said:
        st.toast(history.said, icon=":material/undo:")
        history.said = ""


def save_button() -> None:
    """Saves what is in play as one file."""
    now = of_page(History).now
    if now is not None and not names.settled(
        current(), [now.project.schema, *(pin.plan.schema for pin in now.project.pins.pins)], "saving", rules=True
    ):
        return
    widgets.download("Save project", of_page(History).saved, "project.json", key="save_project")
    st.caption(
        "Questions, plan, pinned plans and most choices on single pages as one file, to be opened on Start or Plans again. It holds no "
        "answers; of an uploaded table it holds the names of the columns and the categories."
    )
