"""What is in doubt about an upload, asked with a preview; nothing is in play until it is answered.

Its encoding, where its table starts and ends, rows of other widths, columns that cannot be used, and answers that nobody gave.
"""

from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import streamlit as st

from pages.shared import encodings, widgets
from pages.shared.state import Work
from pages.shared.uploaded import Question, UploadReading
from rrcore.errors import InputError
from rrcore.limits import PREVIEW_COLUMNS, PREVIEW_ROWS
from rrcore.table import Guess, Layout, guess_layout, one_valued_questions, question_rules, unfinished_questions
from rrcore.wording import counted, legible

_LONGEST = 60
_ABOVE = 3
_SHOWN = 8


def ask(work: Work, reading: UploadReading) -> None:
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


def _ask_about_encoding(work: Work, reading: UploadReading) -> None:
    assert reading.undecided is not None
    upload = reading.undecided
    chosen = encodings.ask(upload.name, upload.doubt, "upload", beside=lambda: _keep(work, reading))
    if chosen:
        reading.want(Layout(encoding=chosen))
        st.rerun()


def _ask_about_rows(work: Work, reading: UploadReading) -> None:
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
        _keep(work, reading)


def _ask_about_columns(work: Work, reading: UploadReading) -> None:
    table, layout = reading.found()
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
        _keep(work, reading)


def _ask_for_answers(work: Work, reading: UploadReading) -> None:
    table, _ = reading.found()
    columns = one_valued_questions(table.columns)
    st.markdown(
        f"**Everybody in '{widgets.plain(table.title)}' gave the same answers.** Which others were possible? With a single answer there is "
        "nothing to randomise; one that could have been given, but was not, is as much a part of the question."
    )
    text = st.text_area(
        "Possible answers, one question a line",
        value=unfinished_questions(columns),
        height=max(120, min(60 + 25 * len(columns), 400)),
        key="lone_answers",
        help="Add the other possible answers behind the one that was given, separated by commas. Questions left as they are stay out.",
    )
    with st.container(horizontal=True):
        if st.button("Use these answers", type="primary"):
            try:
                reading.use(work, question_rules(columns, text))
            except InputError as error:
                widgets.complain(error)
            else:
                st.rerun()
        _keep(work, reading)


def _keep(work: Work, reading: UploadReading) -> None:
    """The button that goes on with the table in use instead."""
    if work.schema is not None and st.button(f"Keep '{widgets.plain(work.title)}'", type="tertiary"):
        reading.question = ""
        st.rerun()


def _ask_where_it_starts(work: Work, reading: UploadReading) -> None:
    file, _ = reading.looked()
    st.markdown(f"**Where do the answers in '{widgets.plain(file.title)}' start?**")
    guess = reading.guess = _looked_at_again(reading)
    layout, export = guess.layout, guess.export
    widgets.caption(guess.why)
    head = file.content.head(layout.sheet)
    first = next(i for i, (number, _) in enumerate(head) if number == layout.start)
    shown = head[max(0, first - _ABOVE) : first + PREVIEW_ROWS]
    _preview(
        ("row", "", *map(_letter, range(len(head[first][1])))),
        [(f"{number:,}", _taken_as(number, guess), *cells) for number, cells in shown],
    )
    place = "First row" if first == 0 else f"Row {layout.start:,}"
    taken: Layout | None = None
    with st.container(horizontal=True):
        if export is not None and st.button(f"Use it as an export of {export.tool}", type="primary"):
            taken = layout
        if st.button(f"{place} holds names", type="primary" if guess.layout.names and export is None else "secondary"):
            taken, reading.guess = replace(layout, names=True, skip=0), replace(guess, export=None)
        if st.button(
            f"{place} is already an answer",
            type="secondary" if guess.layout.names else "primary",
            help="The columns are then called Column 1, Column 2 and so on; names can be given below the table.",
        ):
            taken, reading.guess = replace(layout, names=False, skip=0), replace(guess, export=None)
        _keep(work, reading)
    if export is not None:
        _explain(guess)
    if taken is not None:
        reading.want(taken)
        st.rerun()


def _taken_as(number: int, guess: Guess) -> str:
    """What a row above the first answer would be."""
    below = number - guess.layout.start
    if below < 0:
        return "title"
    if below == 0:
        return "names" if guess.export else "names?"
    return "skipped" if below <= guess.layout.skip else ""


def _looked_at_again(reading: UploadReading) -> Guess:
    """The guess for the sheet and the row that the user chooses, where there is a choice."""
    file, guess = reading.looked()
    content = file.content
    if len(content.sheets) > 1:
        at = content.sheets.index(reading.sheet or guess.layout.sheet)
        sheet = st.selectbox("Sheet", content.sheets, index=at, format_func=legible, key="reading_sheet")
        if sheet != (reading.sheet or guess.layout.sheet):
            reading.sheet, reading.start = sheet, 0
    sheet = reading.sheet or guess.layout.sheet
    rows = content.head(sheet)
    found = guess_layout(file, sheet=sheet, start=reading.start)
    if content.sheets or found.layout.start > rows[0][0] or reading.start:
        numbers = [number for number, _ in rows]
        start = st.selectbox(
            "The table starts in row",
            numbers[:200],
            index=min(numbers.index(found.layout.start), 199),
            key=f"reading_start_{hash(sheet)}",
            help="The row with the names, or with the first answers where there are no names.",
        )
        if start != found.layout.start:
            reading.start = int(start)
            found = guess_layout(file, sheet=sheet, start=reading.start)
    return found


def _explain(guess: Guess) -> None:
    """What is done with an export."""
    export, done = guess.export, []
    assert export is not None
    if export.skip:
        rows = (
            "The row below the names is not a person"
            if export.skip == 1
            else f"The {export.skip} rows below the names are not people"
        )
        done.append(f"{rows} and {'is' if export.skip == 1 else 'are'} left out.")
    if export.names:
        old, new = next(iter(export.names.items()))
        done.append(
            f"{counted(len(export.names), 'column gets a plainer name', 'columns get plainer names')}, such as '{new}' for '{old[:60]}'."
        )
    if export.questions:
        done.append("The wording of the questions is kept beside their names.")
    if export.interview:
        some = ", ".join(export.interview[:6]) + (", ..." if len(export.interview) > 6 else "")
        count = counted(len(export.interview), "column", "columns")
        done.append(f"{count} about the interview, or that repeat others, are not in play at first: {some}.")
    widgets.caption("As an export: " + " ".join(done))


def _ask_about_the_end(work: Work, reading: UploadReading) -> None:
    (table, layout), count = reading.found(), reading.last
    rows = "Is the last row a person?" if count == 1 else f"Are the last {count} rows people?"
    st.markdown(f"**{rows}** They look like totals or a note." if count > 1 else f"**{rows}** It looks like a total or a note.")
    shown = range(max(0, table.n - count - 3), table.n)
    _preview(
        ("number", "", *table.names),
        [
            (
                f"{row + 1:,}",
                "?" if row >= table.n - count else "",
                *("" if c.codes[row] < 0 else c.values[c.codes[row]] for c in table.columns),
            )
            for row in shown
        ],
    )
    with st.container(horizontal=True):
        out = st.button("Leave it out" if count == 1 else "Leave them out", type="primary")
        kept = st.button("Keep it: a person" if count == 1 else "Keep them: people")
    if out or kept:
        reading.ends_known = True
        reading.want(replace(layout, leave_last=0 if kept else count))
        st.rerun()


def _preview(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """The first cells of some rows as text."""
    width = min(PREVIEW_COLUMNS + 2, max(map(len, rows)))
    names = [legible(name) for name in head[:width]] + [_letter(i - 2) for i in range(len(head), width)]
    cut = [[_cell(row[i]) if i < len(row) else "" for i in range(width)] for row in rows]
    different = [name if names.index(name) == i else f"{name} ({i})" for i, name in enumerate(names)]
    st.dataframe(pd.DataFrame(cut, columns=different), hide_index=True)
    wider = max(map(len, rows)) - width
    if wider > 0:
        st.caption(f"{counted(wider, 'more column is', 'more columns are')} not shown.")


def _cell(text: str) -> str:
    return legible(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}...")


def _letter(number: int) -> str:
    """What spreadsheets call a column: A, B, ..., Z, AA."""
    return (_letter(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)


_QUESTIONS: dict[Question, Callable[[Work, UploadReading], None]] = {
    "encoding": _ask_about_encoding,
    "start": _ask_where_it_starts,
    "uneven": _ask_about_rows,
    "columns": _ask_about_columns,
    "end": _ask_about_the_end,
    "answers": _ask_for_answers,
}
