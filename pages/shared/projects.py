"""A session's work as a project, and a project put back into a session: what saving, opening, undoing and reloading share."""

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from pages.shared import uploads, widgets
from pages.shared.saved_plans import Pins
from pages.shared.state import DECLARED, Work, current, first_epsilon, of_page
from pages.shared.uploads import Asked
from rrcore.asking.typed_questions import write_questions
from rrcore.budget import Invention, Origin, Project
from rrcore.errors import InputError
from rrcore.limits import MAX_DOCUMENT_BYTES
from rrcore.simulation import make_table
from rrcore.table import DEMOS, INVENTED, Dataset, TextTable, as_table, load_demo, recode

_SHOWING = ("declared", "declared_people")
"""Widgets of the Data page that show the work under a key without a version: they start again when a project is opened."""

_INVENTION = {
    "invented_people": "people",
    "invented_attributes": "attributes",
    "invented_categories": "categories",
    "invented_v": "cramers_v",
}
"""The form of an invented table on the Data page: its keys, and what they are called there."""


def taken(work: Work) -> Project | None:
    """The work as a project; None where there is nothing yet that could be carried out, such as a plan without attributes."""
    if work.schema is None:
        return None
    schema, draft, origin, pinned = work.schema, work.draft, _origin(work), of_page(Pins).pinned

    def made() -> Project:
        inside = set(schema.names).issuperset
        questions, combinations = (tuple(filter(inside, asked)) for asked in (draft.questions, draft.floor_marginals))
        known = replace(draft, questions=questions, floor_marginals=combinations)
        return Project(origin, schema, known, pinned)

    try:
        return work.remember("project", (origin, schema, draft, pinned), made)
    except InputError:
        return None


def demo_of(work: Work) -> str:
    """The key of the current demo table."""
    return next(key for key, demo in DEMOS.items() if demo.title == work.title)


def names_given(table: TextTable) -> dict[str, str]:
    """Return the columns that were renamed: the name that was read and the name now."""
    return {column.read_as: column.name for column in table.columns if column.read_as not in ("", column.name)}


def _origin(work: Work) -> Origin:
    if work.awaited is not None:
        return work.awaited
    names = {} if work.table is None else names_given(work.table)
    about: dict[str, Any] = {"rules": dict(work.rules), "names": names}
    if work.source == "upload" and work.table is not None:
        seen = [] if work.schema is None else [a.name for a in work.schema.attributes if (a.name, a.categories) in work.may_leave]
        return Origin("upload", work.title, columns=work.table.names, seen=tuple(seen), **about)
    if work.title == INVENTED:  # what stands for the answers of nobody is not kept, what was declared is
        return Origin("declare", INVENTED, **about)
    if work.source == "synthetic":
        return Origin("synthetic", work.title, invention=of_page(Asked).invented, **about)
    if work.source == "demo":
        return Origin("demo", work.title, demo_of(work), **about)
    return Origin("declare", work.title)


def put(work: Work, project: Project, table: TextTable | None = None) -> None:
    """Make ``project`` the current one: its table, made again or ``table``, its plan and its saved plans.

    The answers of an upload are in no project. If neither ``table`` nor the current table has them, its schema counts as declared,
    and the file is awaited.

    Raises
    ------
    InputError
        If the project's table cannot be made, or lacks an attribute of the plan; nothing is changed then.
    """
    origin = project.origin
    table = table or _at_hand(work, origin)
    dataset: Dataset | None = None
    schema = project.schema
    if table is not None:
        same = table is work.table and work.dataset is not None and dict(origin.rules) == work.rules
        dataset = work.dataset if same else recode(table, origin.rules)
        assert dataset is not None
        schema = dataset.schema
        Project(origin, schema, project.draft)  # has what the plan names, or says what not
    work.source, work.title, work.dropped = origin.source, origin.title, ""
    if origin.source == "declare" and origin.title == INVENTED:
        work.source, work.title = ("declare", DECLARED) if table is None else ("synthetic", INVENTED)
    work.table, work.dataset, work.schema = table, dataset, schema
    work.rules = dict(origin.rules) if table is not None else {}
    work.awaited = origin if origin.source == "upload" and table is None else None
    if work.awaited is not None:
        work.title = f"{origin.title}, to be uploaded again"
    work.declared = write_questions(schema) if origin.source == "declare" else None
    work.note_learned(schema, origin.rules)
    work.may_leave.update((each.name, each.categories) for each in project.schema.attributes if each.name in origin.seen)
    epsilon = {name: project.draft.epsilon.get(name, first_epsilon(schema)) for name in schema.names}
    work.draft = replace(project.draft, epsilon=epsilon)
    work.version += 1
    of_page(Pins).pinned = project.pins
    _have_data_page_follow(origin)


def _at_hand(work: Work, origin: Origin) -> TextTable | None:
    """The table of ``origin``, if it can be made or is the current one."""
    if origin.source == "demo":
        return as_table(load_demo(origin.demo))[0].renamed(origin.names)
    if origin.source == "synthetic" and origin.invention is not None:
        return as_table(make_table(origin.invention))[0].renamed(origin.names)
    if origin.source == "upload":
        known = of_page(Asked).table
        for table in (work.table if work.source == "upload" else None, known[0] if known else None):
            if table is not None and table.title == origin.title and table.names == origin.columns:
                return table
    return None


def _have_data_page_follow(origin: Origin) -> None:
    asked = of_page(Asked)
    for key in _SHOWING:
        st.session_state.pop(key, None)
    if isinstance(origin.invention, Invention):
        asked.invented = origin.invention
        for key, name in _INVENTION.items():
            st.session_state[key] = getattr(origin.invention, name)


def open_project(project: Project) -> None:
    """Load an opened project. Raises InputError, and changes nothing, if that fails."""
    put(current(), project)


def missing_upload(work: Work) -> str:
    """Which file is to be uploaded again, and what happens then; empty where none is."""
    if work.awaited is None:
        return ""
    in_file = {new: old for old, new in work.awaited.names.items()}
    used = [in_file.get(name, name) for name, rule in work.awaited.rules.items() if rule.use]
    listed = ", ".join(used[:6]) + (f" and {len(used) - 6} more" if len(used) > 6 else "")
    return (
        f"This project uses the file '{work.awaited.title}'. RR Workbench stores no tables, so upload it again on Data (columns {listed}). "
        "The plan and the rules for its columns are kept."
    )


@dataclass
class OpenedProject:
    """What became of the last project file that was chosen: whether it was just opened and not shown yet, and what was wrong with it."""

    fresh: bool = False
    problem: str = ""


def open_button() -> None:
    """Open a saved project. As soon as it is read, Budget or Data is shown."""
    with st.popover("Open a saved project", icon=":material/folder_open:"):
        uploads.choose_file(
            "A project file",
            type=["json"],
            key="project_file",
            on_change=_read,  # before the page: widgets that are there already could not be given other values
            max_upload_size=MAX_DOCUMENT_BYTES // 2**20,
            help="A project file from the Save menu. It replaces your present work. Undo brings that work back.",
        )
        opened, work = of_page(OpenedProject), current()
        if opened.problem:
            widgets.complain(opened.problem)
    if opened.fresh:
        opened.fresh = False
        st.toast(f"Opened: {widgets.plain(work.title)}", icon=":material/folder_open:")
        st.switch_page("pages/data/page.py" if work.awaited is not None else "pages/budget/page.py", query_params={})


def _read() -> None:
    """Open the project of the chosen file."""
    chosen, opened = st.session_state["project_file"], of_page(OpenedProject)
    opened.fresh, opened.problem = False, ""
    if chosen is None:
        return
    try:
        open_project(Project.from_json(chosen.getvalue()))
        opened.fresh = True
    except InputError as error:
        opened.problem = f"{error} Nothing was changed."
