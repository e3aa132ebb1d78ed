"""Undo: what was in play before each change, for one session; small values, tables by reference."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import streamlit as st

from pages.shared import projects
from pages.shared.state import Work, current, of_page
from rrcore.budget import Project
from rrcore.errors import InputError
from rrcore.table import TextTable

_MOST_UNDONE = 50  # changes that can be taken back, one after the other
_MOST_TABLES = 4  # different tables that are kept for it: they may be large


@dataclass(frozen=True)
class Moment:
    """What was in play: everything chosen, and the table it is about."""

    project: Project
    table: TextTable | None

    def changes(self, other: Moment) -> list[str]:
        """What differs from ``other``, in words; what is only looked at, or follows from something else, does not count."""
        mine, theirs = self.project.wishes, other.project.wishes
        table = self.table is not other.table or self.project.origin != other.project.origin
        found = {
            "the table in play": table,
            "the attributes": mine.chosen != theirs.chosen or (not table and self.project.schema != other.project.schema),
            "the way into the plan": mine.entry != theirs.entry,
            "the levels": mine.entry == theirs.entry != "total" and (mine.levels, mine.scale) != (theirs.levels, theirs.scale),
            "the total": (mine.total, mine.weights) != (theirs.total, theirs.weights),
            "the questions": mine.questions != theirs.questions and "questions" in (mine.entry, theirs.entry),
            "the mechanism": (mine.mechanism, mine.width) != (theirs.mechanism, theirs.width),
            "the safeguards": (mine.floor, mine.floor_marginals, mine.slacks)
            != (theirs.floor, theirs.floor_marginals, theirs.slacks),
            "the number of people": mine.respondents != theirs.respondents,
            "the wording of questions": mine.wording != theirs.wording,
            "the pinned plans": self.project.pins != other.project.pins,
        }
        return [what for what, differs in found.items() if differs]


@dataclass
class History:
    """The moments before each change, and the present one; ``settling`` while a page adapts what was just taken back."""

    past: list[Moment] = field(default_factory=list)
    now: Moment | None = None
    settling: bool = False

    def record(self, work: Work) -> None:
        """Notice what changed since the last call."""
        project = projects.taken(work)
        if project is not None:
            self.keep(Moment(project, work.table))

    def keep(self, moment: Moment) -> None:
        """Make ``moment`` the present one, and keep the one before where something changed."""
        if self.now is not None and not self.settling and moment.changes(self.now):
            self.past = [*self.past, self.now][-_MOST_UNDONE:]
            while len({id(one.table) for one in self.past}) > _MOST_TABLES:
                del self.past[0]
        self.now, self.settling = moment, False

    @property
    def last(self) -> str:
        """What the last change was about, in words; empty where there was none."""
        return ", ".join(self.now.changes(self.past[-1])) if self.past and self.now is not None else ""

    def undo(self) -> None:
        """Take back the last change."""
        work = current()
        while self.past:
            before = self.past.pop()
            wishes = before.project.wishes
            shown = work.marginal if set(work.marginal) <= set(wishes.chosen) else wishes.marginal
            try:
                project = replace(before.project, wishes=replace(wishes, marginal=shown, seed=work.seed))
                projects.put(work, project, before.table)
            except InputError:
                continue
            self.settling = True
            return


def record() -> None:
    """Notice what the run that ends here has changed."""
    of_page(History).record(current())


def undo_button() -> None:
    """Takes back the last change, on whatever page it was made."""
    history = of_page(History)
    last = history.last
    st.button(
        "Undo",
        key="undo",
        on_click=history.undo,
        disabled=not last,
        type="tertiary",
        icon=":material/undo:",
        help=f"Takes back the last change: {last}." if last else "There is nothing to take back.",
    )
