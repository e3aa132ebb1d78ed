"""Documents to take away: what is typed for them once, and the buttons that give them."""

import datetime as dt
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.shared import mechanisms, projects, state, widgets
from pages.shared.asked import Asked
from rrcore.answers import Answers, MarginalSummary, PairSummary, nigeria, summarise_marginal
from rrcore.budget import Plan
from rrcore.errors import InputError
from rrcore.estimate import Release, simulated_file_name
from rrcore.limits import MAX_REASONS, MAX_TEXT
from rrcore.mark import check_unmarked, marks_in, warning
from rrcore.mechanisms import Mechanism
from rrcore.promise import MechanismFile
from rrcore.report import (
    BLANK,
    RANDOMISED,
    TRUE,
    Front,
    Step,
    TableSource,
    Trial,
    notebook,
    questions_after,
    reading_steps,
    report_after,
    report_before,
    script,
    trial_steps,
)
from rrcore.table import INVENTED, Dataset

_REPORT = ":material/description:"


def before(work: state.Work, file: MechanismFile, people: int, *, form: str = "") -> None:
    """The report before collection; where a table is in play that the file fits, also the internal one with what follows from it.

    ``form`` is the fingerprint of the form that people answer, empty where there is none.
    """
    try:
        check_unmarked(marks_in([work.title]), "A report for an ethics board")
    except InputError as error:
        widgets.caption(str(error))
        return
    row, front = _desk()
    made = partial(report_before, file, front, people=people, wordings=work.wishes.wording, form=form)
    name = "report-before-collection.html"
    _report(
        row,
        "Report for the ethics board",
        made,
        name,
        "What is asked and how, what it protects, what an observer could learn, how precise it will be, and how to check it: one file "
        "that opens in any browser and prints as a PDF. Beside the names of categories, nothing in it is computed from true answers.",
    )
    if (truth := _fitting(work, file)) is not None:
        help = "The same with what follows from the true shares of the table in play. Its name and its first line say so."
        _report(row, "Internal report", partial(made, truth=truth), name, help, internal=True)


def before_plan(work: state.Work, plan: Plan, mechanism: Mechanism) -> None:
    """Offer the documents before a survey for a plan, where it can be written in integers."""
    file = _written(work, plan, mechanism)
    if file is not None and not work.unsettled([plan.schema]):  # else it is asked above
        before(work, file, plan.respondents)


def after(
    work: state.Work,
    answers: Answers,
    found: MarginalSummary,
    pairs: Callable[[], Sequence[PairSummary]],
    *,
    population: bool,
    simultaneous: bool,
) -> None:
    """The report of findings, and the code or command that reads the same answers again."""
    row, front = _desk()
    wordings, names = work.wishes.wording, found.schema.names

    def report(internal: bool) -> str:
        marginals = questions_after(answers, found)
        return report_after(
            answers,
            marginals,
            pairs(),
            front,
            wordings=wordings,
            population=population,
            internal=internal,
            simultaneous=simultaneous,
        )

    def steps() -> tuple[Step, ...]:
        survey = answers.mechanism.sha256 == nigeria().mechanism.sha256
        return reading_steps(
            answers.mechanism,
            names,
            survey=survey,
            columns=answers.columns,
            population=population,
            simultaneous=simultaneous,
            pairs=bool(pairs()),
        )

    _findings(row, answers, report)
    _code(row, steps, warning(answers.mark) if answers.mark else RANDOMISED, front, "reading")


def trial(work: state.Work, plan: Plan, release: Release[Mechanism], *, population: bool, simultaneous: bool) -> None:
    """A report of a simulated release, and the code that simulates it again; all of it is computed from true answers and says so."""
    assert work.dataset is not None
    st.markdown("**Take it away**")
    row, front = _desk()
    table, marginal, wordings = work.dataset, work.wishes.marginal, work.wishes.wording
    file = _written(work, plan, release.mechanism)

    def report() -> str:
        assert file is not None
        answers = Answers(release.dataset, file)
        marginals = questions_after(answers, summarise_marginal(answers, marginal))
        return report_after(
            answers,
            marginals,
            (),
            front,
            wordings=wordings,
            population=population,
            truth=table,
            simultaneous=simultaneous,
        )

    if file is not None:
        help = "What the simulated answers say, beside the truth. It is for yourself: its name and its first line say so."
        _report(row, "Report of this trial (internal)", report, simulated_file_name("findings.html", truth=True), help)
    if work.title == INVENTED:
        return  # they were drawn once, for this session
    drawn = work.wishes.people if work.wishes.people != table.n else None

    asked = state.of_page(Asked)  # now: a download is made where there is no session

    def steps() -> tuple[Step, ...]:
        return trial_steps(
            Trial(_source(work, asked), table.n, plan, marginal, work.wishes.seed, drawn, population, simultaneous)
        )

    _code(row, steps, TRUE, front, simulated_file_name("trial"))


def _findings(row: DeltaGenerator, answers: Answers, report: Callable[[bool], str]) -> None:
    """Buttons for the report after collection: for handing out, which marked answers are not, and internal."""
    invented = answers.title == INVENTED
    name = "rehearsal-of-findings.html" if invented else "report-of-findings.html"
    try:
        check_unmarked(answers.mark, "A report for handing out")
    except InputError as error:
        st.caption(str(error))
    else:
        _report(
            row,
            "Report of findings",
            partial(report, False),
            name,
            "Findings in words first, then every question with intervals, what cannot be said, and the method: one file that opens in "
            "any browser and prints as a PDF. No single record is in it.",
        )
    if not invented:
        help = "The same with the names of the files, and where rows were left out."
        _report(row, "Internal report", partial(report, True), name, help, internal=True)


def _report(row: DeltaGenerator, label: str, make: Callable[[], str], name: str, help: str, *, internal: bool = False) -> None:
    """A button for a report, which is made in another process; an internal one says so in its name, and stands back."""
    kind, name = ("tertiary", f"internal-{name}") if internal else ("secondary", name)
    widgets.download(label, make, name, type=kind, icon=_REPORT, help=help, where=row)


def _code(row: DeltaGenerator, steps: Callable[[], Sequence[Step]], first: str, front: Front, name: str) -> None:
    """Buttons for the script and the notebook."""
    help = "Gives the numbers on this page again, to the last digit shown. It needs Python and this program"
    quiet: dict[str, Any] = {"type": "tertiary", "where": row}
    made, icon = (lambda: script(steps(), first, front)), ":material/code:"
    widgets.download("Script", made, f"{name}.py", icon=icon, help=f"{help}.", **quiet)
    made, icon, help = (lambda: notebook(steps(), first, front)), ":material/menu_book:", f"{help}, with its extra 'notebooks'."
    widgets.download("Notebook", made, f"{name}.ipynb", icon=icon, help=help, **quiet)


def _desk() -> tuple[DeltaGenerator, Front]:
    """A row for buttons, and below it what is typed for all documents of this session."""
    row = st.container(horizontal=True)
    widgets.details("Title, author and reasons of documents", "documents_front", _type_front, icon="edit_note")
    title, author, organisation, reasons = (
        st.session_state.get(f"document_{name}") or "" for name in ("title", "author", "organisation", "reasons")
    )
    date = st.session_state.get("document_date", dt.date.today())
    try:
        return row, Front(title, author, organisation, date.isoformat() if isinstance(date, dt.date) else "", reasons)
    except InputError as error:
        widgets.complain(error)
        return row, BLANK


def _type_front() -> None:
    st.caption("They stand at the head of every document of this session. What is left empty is left out.")
    left, right = st.columns(2)
    widgets.text("Title", "document_title", max_chars=MAX_TEXT, where=left)
    widgets.text("Author", "document_author", max_chars=MAX_TEXT, where=right)
    widgets.text("Organisation", "document_organisation", max_chars=MAX_TEXT, where=left)
    right.date_input("Date", key="document_date", format="YYYY-MM-DD", persist_state="session")
    st.text_area(
        "Reasons",
        key="document_reasons",
        max_chars=MAX_REASONS,
        persist_state="session",
        placeholder="Why these questions are asked, and why these levels were chosen",
    )


def _written(work: state.Work, plan: Plan, mechanism: Mechanism) -> MechanismFile | None:
    """The mechanism of ``plan`` in integers; None where it cannot be written so, which is then said."""
    try:
        return mechanisms.in_integers(work, plan, mechanism)
    except InputError as error:
        widgets.caption(f"There is no report, since it is about a mechanism file. {error}")
        return None


def _fitting(work: state.Work, file: MechanismFile) -> Dataset | None:
    """The table in play with the attributes of ``file``, if it has them with the same categories."""
    table = work.dataset
    if table is None or not set(file.schema.names) <= set(table.schema.names):
        return None
    chosen = table.schema.select(file.schema.names)
    same = all(one.categories == other.categories for one, other in zip(chosen.attributes, file.schema.attributes, strict=True))
    return table if same else None


def _source(work: state.Work, asked: Asked) -> TableSource:
    """Where the table in play comes from."""
    if work.source == "demo":
        return TableSource(demo=projects.demo_of(work), rules=work.rules)
    if work.source == "synthetic":
        return TableSource(invention=asked.invented, rules=work.rules)
    assert work.table is not None
    found = asked.reading.found
    if found is None:
        return TableSource(file=f"{work.title}.csv", rules=work.rules)
    names = dict(zip(asked.reading.names, work.table.names, strict=True))
    ending = {"workbook": "xlsx", "Parquet file": "parquet"}.get(found.kind, "csv")
    return TableSource(file=f"{work.title}.{ending}", layout=asked.reading.options, names=names, rules=work.rules)
