"""Answers of any size on the server: counted where they are, since counts are all that estimates need. No record is held."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path

import streamlit as st

from pages.shared import state, tables, widgets
from pages.shared.answers.holding import Reading
from rrcore.answers import CountedAnswers, count_answers, count_groups, small_marginals
from rrcore.errors import InputError
from rrcore.promise import MechanismFile
from rrcore.table.stream import open_stream
from rrcore.work import Report

Marginals = tuple[tuple[str, ...], ...]


def choose(reading: Reading, file: MechanismFile) -> None:
    """Choose a table and have it counted; it is what is read as soon as that is done."""
    chosen = tables.choose("read_table")
    if chosen is None:
        return
    found = tables.count("read_table", chosen, partial(_count, file, small_marginals(file.reports)), about=file.sha256)
    if found is not None and (reading.table != chosen or not reading.complete):
        reading.answers, reading.table = found, chosen


def complete(answers: CountedAnswers, names: Sequence[str]) -> None:
    """Have a marginal counted that was not yet; the page is run again when it is there, and ends here before."""
    reading = state.of_page(Reading)
    if reading.table is None:
        return
    st.info(
        widgets.plain(f"{', '.join(names)} were not counted together yet: that takes one more pass over the table."),
        icon=":material/table_view:",
    )
    marginals = (tuple(names),)
    more = tables.count(
        "read_more",
        reading.table,
        partial(_count, answers.mechanism, marginals),
        about=(answers.mechanism.sha256, marginals),
        button="Count them together",
    )
    if more is None:
        return
    try:
        reading.answers = answers.joined(more)
    except InputError as error:
        widgets.complain(error)
        return
    st.rerun()


def groups(answers: CountedAnswers, column: str, names: Sequence[str]) -> Mapping[str, CountedAnswers] | None:
    """The answers by the values of a column that was not randomised; None while they are not counted so."""
    reading = state.of_page(Reading)
    if reading.table is None:
        return None
    marginals = (tuple(names),)
    found: Mapping[str, CountedAnswers] | None = tables.count(
        "read_groups",
        reading.table,
        partial(_groups, answers.mechanism, column, marginals),
        about=(answers.mechanism.sha256, column, marginals),
        button="Count by this column",
    )
    return found


def _count(
    file: MechanismFile, marginals: Marginals, path: Path, /, *, encoding: str, executor: Executor | None, report: Report
) -> CountedAnswers:
    return count_answers([open_stream(path, encoding=encoding)], file, marginals, executor=executor, report=report)


def _groups(
    file: MechanismFile,
    column: str,
    marginals: Marginals,
    path: Path,
    /,
    *,
    encoding: str,
    executor: Executor | None,
    report: Report,
) -> dict[str, CountedAnswers]:
    return count_groups([open_stream(path, encoding=encoding)], file, column, marginals, executor=executor, report=report)
