"""The Save menu: project file, saved plans, reports, script, notebook and link, each made when it is pressed."""

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import streamlit as st

from pages.shared import category_names, mechanisms, plan_link, saved_plans, simulation_code, undo, widgets
from pages.shared.state import Work
from rrcore.answers import Answers, MarginalSummary
from rrcore.association.estimates import Pairs
from rrcore.budget import Plan
from rrcore.errors import InputError
from rrcore.limits import MAX_REASONS, MAX_TEXT
from rrcore.mark import check_unmarked, marks_in, simulated_file_name, warning
from rrcore.mechanisms import Mechanism
from rrcore.promise import MechanismFile
from rrcore.reports import (
    BLANK,
    RANDOMIZED,
    TRUE,
    Front,
    notebook,
    questions_after,
    report_after,
    report_before,
    script,
    trial_code,
)
from rrcore.table import INVENTED

_KEY = "offered_documents"


@dataclass
class Offered:
    """What a page adds to the Save menu.

    Parameters
    ----------
    file, people, form : the mechanism file, sample size and fingerprint of the form that a survey uses
    answers, found, code, pairs : randomized answers, the estimates shown, Python that makes them, and a function that gives associations
    """

    file: MechanismFile | None = None
    people: int = 0
    form: str = ""
    answers: Answers | None = None
    found: MarginalSummary | None = None
    code: str = ""
    pairs: Callable[[], Pairs | None] = lambda: None


def begin() -> None:
    """Forget what the page offered in its last run."""
    st.session_state[_KEY] = Offered()


def offer_survey(file: MechanismFile, people: int, form: str = "") -> None:
    """Have the report before collection describe this mechanism file and form instead of the plan."""
    offered: Offered = st.session_state[_KEY]
    offered.file, offered.people, offered.form = file, people, form


def offer_findings(answers: Answers, found: MarginalSummary, code: str, pairs: Callable[[], Pairs | None] = lambda: None) -> None:
    """Offer a report, a script and a notebook about randomized answers instead of a simulation."""
    offered: Offered = st.session_state[_KEY]
    offered.answers, offered.found, offered.code, offered.pairs = answers, found, code, pairs


def menu(work: Work) -> Callable[[], None]:
    """Draw the menu, in the popover of the header, before the page runs: a page that stops early shows it too.

    The function that it returns adds what the page offered.
    """
    plan, mechanism = _planned(work)
    front = _front()
    if plan is not None and undo.settled():
        _item("Project file", undo.project_json(), "project.json", "save", on_click=widgets.end_tutorial)
        st.button(
            "Save plan", key="save_plan", on_click=saved_plans.save, args=(work,), type="tertiary", icon=":material/bookmark_add:"
        )
    reports = st.container()
    if plan is not None:
        widgets.details("Title, author and reasons of reports", "documents_front", _type_front, icon="edit_note")
        plan_link.show_link(work)

    def finish() -> None:
        offered: Offered = st.session_state[_KEY]
        with reports:
            if plan is None and offered.file is None and offered.answers is None:
                st.caption("There is nothing to save yet. Choose a table first.")
            _before(work, offered, plan, mechanism, front)
            if offered.answers is not None:
                _findings(work, offered, front)
            elif plan is not None and mechanism is not None and work.dataset is not None:
                _simulation(work, plan, front)

    return finish


def _planned(work: Work) -> tuple[Plan | None, Mechanism | None]:
    """The plan and its mechanism, as far as they are known without waiting."""
    try:
        plan = work.plan() if work.schema is not None else None
    except InputError:
        return None, None
    option = None if plan is None else mechanisms.known(work, plan)
    return plan, None if option is None else option.mechanism


def _item(label: str, make: Callable[[], str], name: str, icon: str, *, on_click: Callable[[], None] | None = None) -> None:
    st.download_button(
        label, make, name, widgets.mime(name), on_click=on_click or "ignore", type="tertiary", icon=f":material/{icon}:"
    )


def _before(work: Work, offered: Offered, plan: Plan | None, mechanism: Mechanism | None, front: Front) -> None:
    """The report before collection, about the survey's file if there is one, otherwise about the plan."""
    file, people = offered.file, offered.people
    try:
        if file is None and plan is not None and mechanism is not None:
            file, people = mechanisms.in_integers(work, plan, mechanism), plan.n
        check_unmarked(marks_in([work.title]), "A report for an ethics board")
    except InputError:
        return
    if file is not None and category_names.settled(work, [file.schema], "the report is made"):
        made = partial(report_before, file, front, people=people, wordings=work.draft.wording, form=offered.form)
        _item("Report for the ethics board", made, "report-before-collection.html", "description")


def _findings(work: Work, offered: Offered, front: Front) -> None:
    answers, found, pairs, wordings = offered.answers, offered.found, offered.pairs, work.draft.wording
    assert answers is not None

    def report() -> str:
        return report_after(answers, questions_after(answers, found), pairs(), front, wordings=wordings)

    if not answers.mark:
        name = "rehearsal-of-findings.html" if answers.title == INVENTED else "report-of-findings.html"
        _item("Report of findings", report, name, "description")
    first = warning(answers.mark) if answers.mark else RANDOMIZED
    _code(lambda: script(offered.code, first, front), "analysis")


def _simulation(work: Work, plan: Plan, front: Front) -> None:
    """The code that simulates again."""
    if work.title != INVENTED:  # invented answers were drawn once, for this session
        _code(lambda: script(trial_code(simulation_code.trial(work, plan)), TRUE, front), simulated_file_name("trial"))


def _code(make: Callable[[], str], name: str) -> None:
    _item("Script", make, f"{name}.py", "code")
    _item("Notebook", lambda: notebook(make()), f"{name}.ipynb", "menu_book")


def _front() -> Front:
    """What was typed for the head of every report."""
    title, author, organization, reasons = (
        st.session_state.get(f"document_{name}") or "" for name in ("title", "author", "organization", "reasons")
    )
    date = st.session_state.get("document_date", dt.date.today())
    try:
        return Front(title, author, organization, date.isoformat() if isinstance(date, dt.date) else "", reasons)
    except InputError as error:
        widgets.complain(error)
        return BLANK


def _type_front() -> None:
    widgets.text("Title", "document_title", max_chars=MAX_TEXT)
    widgets.text("Author", "document_author", max_chars=MAX_TEXT)
    widgets.text("Organization", "document_organization", max_chars=MAX_TEXT)
    st.date_input("Date", key="document_date", format="YYYY-MM-DD", persist_state="session")
    st.text_area(
        "Reasons",
        key="document_reasons",
        max_chars=MAX_REASONS,
        persist_state="session",
        help="Why you ask these questions, and why you chose these values of ε.",
    )
