"""The verdict before anything leaves, in one box, and the question whether a plan that nobody chose is meant."""

import datetime as dt

import streamlit as st

from pages.shared import jobs, state, widgets
from pages.shared.opened import OpenLedger
from pages.shared.state import DEFAULT_LEVEL, Source, Work
from rrcore.budget import People, Verdict
from rrcore.errors import InputError
from rrcore.ledger import Entry, Ledger, entry_populations, total_after_release
from rrcore.mechanisms import recommended_recipe
from rrcore.promise import MechanismFile
from rrcore.table import Dataset
from rrcore.wording import level_text, unbroken

MEANT = "This is what I want"
"""What is ticked for a plan that nobody chose."""

REHEARSED: tuple[Source, ...] = ("demo", "synthetic")
"""Tables whose release is a rehearsal."""

_ICONS = {"risk": "visibility", "little": "warning", "learnt": "lock_open", "leaves": "logout", "again": "repeat"}


def show(
    work: Work,
    file: MechanismFile,
    about: Dataset | int,
    *,
    columns: int | None = None,
    kept: Dataset | None = None,
    again: str = "",
) -> bool:
    """The verdict on a release by ``file`` of these answers, or of so many people who will give some; False while it is worked out.

    ``kept`` is what leaves beside these answers as it is, ``again`` what this release adds to earlier ones that are known of.
    """
    people = about if isinstance(about, int) else about.n
    asked = People(file.schema, people) if isinstance(about, int) else People(about, kept=kept)
    names = None if kept is None else kept.schema.names
    key = (file.sha256, people, columns, work.answers if isinstance(about, Dataset) else None, names)
    found = jobs.result("verdict", key, Verdict.of, file, asked, columns, what="Counting who could be guessed")
    if found is None:
        return False
    with st.container(border=True, key="verdict"):
        st.markdown("**Before it leaves**")
        for sentence in found.guessed:
            _line("risk", sentence)
        if not found.risks:
            _line("risk", "How many people could be guessed is not counted here; the odds are in the figure.")
        again = _in_ledger(file) or again or found.again
        texts = (("little", found.little), ("learnt", found.learnt), ("leaves", found.leaves), ("again", again))
        for kind, sentence in texts:
            if sentence:
                _line(kind, sentence)
    return True


def _in_ledger(file: MechanismFile) -> str:
    """What this release adds to what the open ledger holds about these people; empty where none is open, or they are not in it."""
    opened = state.of_page(OpenLedger)
    if not opened.path:
        return ""
    try:
        entries = Ledger(opened.path).entries()
    except InputError:  # which page Ledger says
        return ""
    groups = entry_populations(entries)
    if not groups:
        return ""
    group = widgets.select(
        "These people in the open ledger",
        {"": "not in it"} | {name: name for name in groups},
        f"verdict_group_{hash(groups)}",
        help="What this release adds is then counted from the ledger's entries about them.",
    )
    if not group:
        return ""
    return total_after_release(entries, Entry.of(file, population=group, date=dt.date.today())).sentences()[0]


def known(work: Work, file: MechanismFile) -> Dataset | None:
    """The answers of the table in play to what ``file`` asks, where it has them."""
    table = work.dataset
    if table is None or not set(file.schema.attributes) <= set(table.schema.attributes):
        return None
    return work.remember("verdict_answers", (work.answers, file.schema.names), lambda: table.select(file.schema.names))


def _line(kind: str, sentence: str) -> None:
    text = f":material/{_ICONS[kind]}: {unbroken(widgets.plain(sentence))}"
    st.markdown(f":orange[{text}]" if kind in ("little", "learnt") else text)


def meant(work: Work, file: MechanismFile) -> bool:
    """Whether what ``file`` does was chosen: levels that every table begins with are asked about before anything is released by them.

    Of people who do not exist, or are known to everybody, nothing is released.
    """
    if work.source in REHEARSED:
        return True
    wishes = work.wishes
    first = all(wishes.levels.get(name) == DEFAULT_LEVEL for name in file.schema.names) and wishes.scale == 1
    if not first or wishes.entry != "levels" or wishes.mechanism != recommended_recipe(len(wishes.chosen)):
        return True
    st.caption(
        f"Nobody has chosen this plan yet: level {level_text(DEFAULT_LEVEL)} for every attribute is what every table begins with. Budget "
        "finds levels by who could be guessed, or by how precise answers must be."
    )
    return widgets.checkbox(MEANT, f"meant_{work.version}_{hash(wishes.chosen)}")
