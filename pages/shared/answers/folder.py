"""Answers of any size on the server: counted where they are, by what is asked of them. No record is held."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path

import streamlit as st

from pages.shared import state, tables, widgets
from pages.shared.answers.holding import HeldAnswers
from rrcore.answers import (
    SIMPLE,
    Answers,
    Arms,
    SampleColumns,
    count_answers,
    open_answers,
    read_answers,
    small_marginals,
    with_sample,
)
from rrcore.answers.formlines import LINES
from rrcore.limits import MAX_ROWS
from rrcore.promise import MechanismFile
from rrcore.work import Report

Marginals = tuple[tuple[str, ...], ...]


def choose(reading: HeldAnswers, file: MechanismFile) -> None:
    """Choose a table and have it counted; it is what is read as soon as that is done."""
    chosen = tables.choose("read_table", more=LINES)
    if chosen is None:
        return
    found = _counted("read_table", chosen, file, small_marginals(file.reports), button="Count it")
    if found is not None and (reading.table != chosen or not reading.complete):
        reading.take(Arms.of(found))
        reading.table = chosen


@widgets.complaining
def complete(answers: Answers, names: Sequence[str]) -> None:
    """Have a marginal counted that was not yet; the page is run again when it is there, and ends here before."""
    st.info(
        widgets.plain(f"{', '.join(names)} were not counted together yet: that takes one more pass over the table."),
        icon=":material/table_view:",
    )
    more = again("read_more", answers, (tuple(names),), answers.columns, button="Count them together")
    if more is None:
        return
    reading = state.of_page(HeldAnswers)
    assert reading.answers is not None, "they are those of a table"
    reading.answers = reading.answers.joined(more)
    st.rerun()


def weigh(answers: Answers, sample: SampleColumns) -> Answers:
    """The answers counted by the columns of a sample, as soon as they are; before, as they are, which is said."""
    marginals = tuple(names for names in small_marginals(answers.reports) if len(names) <= 2)
    st.caption("The table was not counted by these columns yet: that takes one more pass. Until then everybody counts alike.")
    found = again("read_sample", answers, marginals, sample, button="Count by the sample")
    if found is None:
        return answers
    state.of_page(HeldAnswers).answers = found
    st.rerun()


def groups(answers: Answers, column: str, names: Sequence[str]) -> Mapping[str, Answers] | None:
    """The answers by the values of a column that was not randomised; None while they are not counted so."""
    found = again("read_groups", answers, (tuple(names),), answers.columns, column, button="Count by this column")
    return None if found is None else with_sample(found, answers.columns).split(column)


def records(answers: Answers) -> Answers | None:
    """Every record of the table, for what goes through single ones, and how many they are; None while they are not read."""
    table = state.of_page(HeldAnswers).table
    if table is None:
        return None
    if answers.n > MAX_ROWS:
        widgets.caption(f"A regression takes at most {MAX_ROWS:,} records, and these are {answers.n:,}: choose a table of fewer.")
        return None
    widgets.caption(f"A regression goes through single records: it takes all {answers.n:,} of them, which are read for it.")
    file = answers.mechanism
    found: Answers | None = tables.count(
        "models_records", table, partial(_records, file), about=file.sha256, button="Read the records"
    )
    return found


def again(
    job: str, answers: Answers, marginals: Marginals, sample: SampleColumns = SIMPLE, by: str = "", *, button: str
) -> Answers | None:
    """The same table counted for other marginals, or by other columns; None while it is not."""
    table = state.of_page(HeldAnswers).table
    return None if table is None else _counted(job, table, answers.mechanism, marginals, sample, by, button=button)


def _counted(
    job: str,
    table: tables.Chosen,
    file: MechanismFile,
    marginals: Marginals,
    sample: SampleColumns = SIMPLE,
    by: str = "",
    *,
    button: str,
) -> Answers | None:
    counting = partial(_count, file, marginals, sample, by)
    found: Answers | None = tables.count(job, table, counting, about=(file.sha256, marginals, sample, by), button=button)
    return found


def _count(
    file: MechanismFile,
    marginals: Marginals,
    sample: SampleColumns,
    by: str,
    path: Path,
    /,
    *,
    encoding: str,
    executor: Executor | None,
    report: Report,
) -> Answers:
    given = [open_answers(path, path.name, encoding=encoding)]
    return count_answers(given, file, marginals, sample=sample, by=by, executor=executor, report=report)


def _records(file: MechanismFile, path: Path, /, *, encoding: str, executor: Executor | None, report: Report) -> Answers:
    return read_answers([(open_answers(path, path.name, encoding=encoding), path.name)], file, report=report)
