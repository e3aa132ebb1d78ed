"""Collected answers on page Analyze: one drop zone for every kind of file, what is loaded, and how people were sampled."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.shared import jobs, marked, state, uploads, widgets
from rrcore.answers import (
    NIGERIA_SOURCE,
    Answers,
    SampleColumns,
    nigeria,
    sampling_columns,
    unmatched_sentences,
    with_sample,
)
from rrcore.auditing import check_answers
from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_BYTES
from rrcore.promise import MechanismFile, epsilon_line
from rrcore.receiver.collected import read_collected
from rrcore.reports import analysis_code
from rrcore.table import INVENTED
from rrcore.wording import counted

_GLANCE = 8
"""Sets of attributes of each width that are compared with the mechanism file at once."""


@dataclass
class HeldAnswers:
    """The mechanism file and the answers that Analyze shows.

    Parameters
    ----------
    file : MechanismFile or None
    answers : Answers or None
    names : tuple of str
        The files that they were read from.
    turn : int
        Grows with every change, so that the drop zone is empty again.
    """

    file: MechanismFile | None = None
    answers: Answers | None = None
    names: tuple[str, ...] = ()
    turn: int = 0

    def start(self, file: MechanismFile | None, answers: Answers | None = None, *names: str) -> None:
        """Show these answers in place of the others."""
        self.file, self.answers, self.names = file, answers, names or ("released.csv",)
        self.turn += 1

    @property
    def sample_survey(self) -> bool:
        """Whether it is the survey that comes with the program."""
        return self.file is not None and self.file.sha256 == nigeria().mechanism.sha256


def mechanism() -> MechanismFile | None:
    """The mechanism file that is loaded, with its line; the drop zone and None until there is one."""
    held = state.of_page(HeldAnswers)
    if held.file is None:
        _drop(held)
        return None
    _line(held)
    return held.file


def begin() -> tuple[Answers, Callable[[str], None], DeltaGenerator, DeltaGenerator]:
    """Return the loaded answers, what writes the headline, and columns for choices and results. End the page if there are no answers."""
    held = state.of_page(HeldAnswers)
    if held.answers is None:
        _drop(held)
        st.stop()
    _line(held)
    answer = widgets.headline()
    _warn(held.answers)
    left, right = st.columns([1, 3], gap="large")
    return held.answers, answer, left, right


def take_away(answers: Answers, csv: Callable[[], str], file: str, names: Sequence[str] = (), **about: str) -> str:
    """Draw the buttons that give estimates as CSV and as Python. Return the Python."""
    held = state.of_page(HeldAnswers)
    code = analysis_code(() if held.sample_survey else held.names, names, answers.columns, **about)
    with st.container(horizontal=True):
        widgets.download("Download CSV", csv, file, type="tertiary", icon=":material/table:")
        widgets.copy_as_python(code)
    return code


def _drop(held: HeldAnswers) -> None:
    """The drop zone, and what is wrong with the files in it."""
    widgets.headline()("Upload randomized answers to estimate the true percentages.")
    with widgets.card(
        "Collected answers", hint="Upload the files that you received. No true answers are needed, and none can be recovered."
    ):
        files = uploads.choose_files(
            "Release archive, answers with mechanism file, or survey database",
            key=f"analyze_files_{held.turn}",
            max_upload_size=MAX_FILE_BYTES // 2**20,
            help="Upload the ZIP from Release, a .survey file, or answers together with mechanism.json. Answers can be a "
            "CSV, XLSX or Parquet file, or text copied from the form. RR Workbench keeps the files in this session's "
            "memory.",
        )
        messages = st.container()
    if files:
        key = (held.file and held.file.sha256, tuple(each.file_id for each in files))
        try:
            given = [(each.getvalue(), each.name) for each in files]
            with messages:
                found = jobs.read("answers", key, read_collected, given, held.file, what="Reading the answers")
        except InputError as error:
            with messages:
                widgets.complain(error)
            found = None
        if found is not None and (found != (held.file, None)):
            held.start(*found, *(each.name for each in files))
            jobs.forget("answers")
            st.rerun()
    if held.file is not None:
        messages.info("The mechanism file is loaded. Add the answers.", icon=":material/upload_file:")
    if st.button("Try a real survey", icon=":material/science:", type="tertiary", help=NIGERIA_SOURCE):
        survey = nigeria()
        held.start(survey.mechanism, survey, survey.title)
        st.rerun()


def _line(held: HeldAnswers) -> None:
    """What is loaded, its privacy, and the button that replaces it."""
    assert held.file is not None
    answers, k = held.answers, len(held.file.schema.names)
    with st.container(horizontal=True, vertical_alignment="center"):
        people = [counted(answers.n, "person", "people")] if answers is not None else []
        parts = [", ".join(held.names), *people, counted(k, "attribute", "attributes")]
        st.markdown(widgets.plain(" · ".join(parts)), width="content")
        if answers is not None and (rejected := (*answers.rejected, *answers.unmatched)):
            with st.popover(f"{counted(sum(each.rows for each in rejected), 'row', 'rows')} left out", type="tertiary"):
                widgets.table([{"Reason": each.reason, "Rows": each.rows, "First": each.first} for each in rejected])
        st.button("Replace", type="tertiary", icon=":material/upload_file:", on_click=held.start, args=(None,))
        st.caption(epsilon_line(held.file), width="content")


def _warn(answers: Answers) -> None:
    """Mark a simulation, and warn if the answers do not fit the mechanism file."""
    marked.tell(answers.mark)
    if answers.title == INVENTED:
        marked.tell_invented()
    few, many = unmatched_sentences(answers)
    for warning in many:
        widgets.warn(warning)
    for note in (*few, *answers.notes):
        widgets.caption(note)
    if answers.mark:
        return
    work = state.current()
    rng = work.rng("glance at answers")
    audit = work.remember("read_audit", id(answers), lambda: check_answers(answers, marginals=_GLANCE, rng=rng))
    if audit.shares.caught:
        widgets.warn(f"These answers do not fit their mechanism file, so the estimates are wrong. {audit.shares.sentence}")


def sampled(answers: Answers) -> Answers:
    """The answers with the weights, strata and clusters that are chosen; unchanged if they cannot be used, which is shown."""
    names = [column.name for column in answers.groupings]
    if not names:
        return answers
    work, key = state.current(), hash(tuple(names))
    numbers = work.remember("read_numbers", id(answers), lambda: sampling_columns(answers))
    with st.expander("Weights and clusters", icon=":material/groups:"):
        weights, strata, clusters = (
            widgets.select(label, {"": "(none)"} | {name: name for name in offered}, f"analyze_{label}_{key}")
            for label, offered in (("Weights", numbers), ("Strata", names), ("Clusters", names))
        )
    columns = SampleColumns(weights, strata, clusters)
    if columns.simple:
        return answers
    try:
        return work.remember("read_sample", (id(answers), columns), lambda: with_sample(answers, columns))
    except InputError as error:
        widgets.complain(f"{error} These estimates are unweighted.")
        return answers
