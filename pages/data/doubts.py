"""What else is in doubt about an upload: its encoding, rows of other widths, columns that cannot be used, and answers that nobody gave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from pages.data.asking import ask_about_the_end, ask_where_it_starts, keep
from pages.shared import encodings, widgets
from pages.shared.state import Work
from pages.shared.uploaded import Question, Reading
from rrcore.errors import InputError
from rrcore.table import Layout, declared_rules, lone_answers, one_valued
from rrcore.wording import counted

_SHOWN = 8


def ask(work: Work, reading: Reading) -> None:
    """The question that is open, with a button for each answer; or how far reading has come, once it is answered."""
    if reading.wanted is not None:
        try:
            if reading.go_on(work):
                st.rerun()
            return
        except InputError as error:
            widgets.complain(error)
    if reading.question:
        _QUESTIONS[reading.question](work, reading)


def _ask_about_encoding(work: Work, reading: Reading) -> None:
    assert reading.undecided is not None
    upload = reading.undecided
    chosen = encodings.ask(upload.name, upload.doubt, "upload", beside=lambda: keep(work, reading))
    if chosen:
        reading.want(Layout(encoding=chosen))
        st.rerun()


def _ask_about_rows(work: Work, reading: Reading) -> None:
    assert reading.opened is not None
    found, layout = reading.opened.uneven, reading.opened.layout
    assert found is not None
    assert layout is not None
    rows = "A row does not fit" if found.rows == 1 else f"{counted(found.rows, 'row', 'rows')} do not fit"
    st.markdown(f"**{rows} the columns of '{widgets.plain(reading.opened.file.title)}'.** {widgets.plain(str(found))}")
    st.caption(
        "Which value belongs to which column cannot be known in such a row. Mend the file and choose it again, or go on without these "
        "people: estimates then speak of the others only."
    )
    with st.container(horizontal=True):
        if st.button("Leave it out" if found.rows == 1 else "Leave them out", type="primary"):
            reading.want(replace(layout, leave_uneven=True))
            st.rerun()
        keep(work, reading)


def _ask_about_columns(work: Work, reading: Reading) -> None:
    assert reading.opened is not None
    table, layout = reading.opened.table, reading.opened.layout
    assert table is not None
    assert layout is not None
    left, rest = len(table.left_out), len(table.columns)
    columns = "One column cannot be used" if left == 1 else f"{left} columns cannot be used"
    st.markdown(f"**{columns}, {counted(rest, 'other one can', 'others can')}.**")
    for reason in table.left_out[:_SHOWN]:
        widgets.warn(reason)
    if left > _SHOWN:
        st.caption(f"and {left - _SHOWN} more.")
    with st.container(horizontal=True):
        if st.button("Use the other column" if rest == 1 else f"Use the other {rest} columns", type="primary"):
            reading.rest = True
            reading.want(layout)
            st.rerun()
        keep(work, reading)


def _ask_for_answers(work: Work, reading: Reading) -> None:
    assert reading.opened is not None
    table = reading.opened.table
    assert table is not None
    columns = one_valued(table.columns)
    st.markdown(
        f"**Everybody in '{widgets.plain(table.title)}' gave the same answers.** Which others were possible? With a single answer there is "
        "nothing to randomise; one that could have been given, but was not, is as much a part of the question."
    )
    text = st.text_area(
        "Possible answers, one question a line",
        value=lone_answers(columns),
        height=max(120, min(60 + 25 * len(columns), 400)),
        key="lone_answers",
        help="Add the other possible answers behind the one that was given, separated by commas. Questions left as they are stay out.",
    )
    with st.container(horizontal=True):
        if st.button("Use these answers", type="primary"):
            try:
                reading.use(work, declared_rules(columns, text))
            except InputError as error:
                widgets.complain(error)
            else:
                st.rerun()
        keep(work, reading)


_QUESTIONS: dict[Question, Callable[[Work, Reading], None]] = {
    "encoding": _ask_about_encoding,
    "start": ask_where_it_starts,
    "uneven": _ask_about_rows,
    "columns": _ask_about_columns,
    "end": ask_about_the_end,
    "answers": _ask_for_answers,
}
