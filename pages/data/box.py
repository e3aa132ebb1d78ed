"""How an upload is read: every option with its proposal in one box, above the first rows; nothing is used before it is accepted."""

from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from pages.shared import widgets
from pages.shared.state import Work
from pages.shared.uploaded import UploadReading
from rrcore.asking.typed import question_rules, unfinished_questions
from rrcore.errors import InputError
from rrcore.limits import PREVIEW_COLUMNS, PREVIEW_ROWS
from rrcore.table import ReadOptions
from rrcore.table.opening import InspectedFile
from rrcore.table.reading.encoding import ENCODINGS, UncertainEncodingError
from rrcore.wording import counted, legible

_LONGEST = 60
_ABOVE = 3
_LOOKED_AT = 50  # values of a column that may be counts or weights
_DECIMALS = {"": "Found out", ",": "Comma (3,5)", ".": "Point (3.5)"}


def ask(work: Work, reading: UploadReading) -> None:
    """The box of an upload whose options are in doubt, or are to be changed."""
    try:
        if reading.changed and not reading.read("table"):
            return
    except InputError as error:
        assert reading.found is not None
        reading.changed, reading.found = False, replace(reading.found, table=None, problem=error)
    found = reading.found
    assert found is not None
    st.markdown(f"**How should '{widgets.plain(found.title)}' be read?**")
    widgets.caption(" ".join(each.why for each in found.guess.proposed))
    if found.problem:
        widgets.complain(found.problem)
    _options(reading, found)
    if reading.changed:
        st.rerun()
    _preview(found)
    possible = ""
    if reading.lone:
        widgets.caption("Everybody gave the same answers. Add the other possible answers to the questions that you use.")
        possible = st.text_area("Possible answers, one question a line", unfinished_questions(reading.lone), key="lone_answers")
    with st.container(horizontal=True):
        if st.button("Use this table", type="primary", disabled=found.table is None):
            try:
                reading.use(work, question_rules(reading.lone, possible) if reading.lone else None)
            except InputError as error:
                widgets.complain(error)
            else:
                st.rerun()
        if work.schema is not None and st.button(f"Keep '{widgets.plain(work.title)}'", type="tertiary"):
            reading.asks = False
            st.rerun()


def _options(reading: UploadReading, found: InspectedFile) -> None:
    """Widgets for the options of reading that matter for this file."""
    now: dict[str, Any] = {
        name: reading.given.get(name, getattr(found.guess.options, name)) for name in vars(found.guess.options)
    }
    asked = {each.option for each in found.guess.proposed} | set(reading.given)
    head = found.content.head(found.guess.options.sheet)
    left, middle, right = st.columns(3)
    given: dict[str, Any] = {}

    def key(name: str) -> str:
        return f"read_{name}_{now.get(name, '')}"

    with left:
        if len(found.content.sheets) > 1:
            at = found.content.sheets.index(now["sheet"])
            given["sheet"] = st.selectbox("Sheet", found.content.sheets, index=at, format_func=legible, key=key("sheet"))
        if found.kind == "text":
            doubts = [each.error.candidates for each in found.guess.proposed if isinstance(each.error, UncertainEncodingError)]
            encodings = list(
                dict.fromkeys(["", *(name for doubt in doubts for name in doubt), "mixed", *ENCODINGS, now["encoding"]])
            )
            at = encodings.index(now["encoding"])
            given["encoding"] = st.selectbox(
                "Encoding",
                encodings,
                index=at,
                format_func=lambda name: name or "Found out",
                key=key("encoding"),
                accept_new_options=True,
                help="Type the name of any encoding that Python knows.",
            )
        if head:
            numbers = (head[0][0], head[-1][0])
            given["start"] = st.number_input(
                "Table starts in row", *numbers, min(max(now["start"], numbers[0]), numbers[1]), key=key("start")
            )
        signs = list(_DECIMALS)
        given["decimal"] = st.selectbox(
            "Decimal sign", signs, index=signs.index(now["decimal"]), format_func=_DECIMALS.__getitem__, key=key("decimal")
        )
    with middle:
        if head:
            given["header"] = st.checkbox(
                "This row holds names", now["header"], key=key("header"), help="Otherwise it is an answer."
            )
            if now["header"]:
                given["skip"] = st.number_input("Rows below the names to leave out", 0, 20, min(now["skip"], 20), key=key("skip"))
            if "fix_names" in asked:
                wanted = reading.given.get("fix_names", True)
                given["fix_names"] = st.checkbox("Mend the names", wanted, key="read_fix_names", help="Otherwise mend the file.")
        most = 5 if found.table is None else max(found.table.n - 1, now["totals"])
        given["totals"] = st.number_input("Last rows that are totals", 0, most, min(now["totals"], most), key=key("totals"))
    with right:
        columns = (
            [] if found.table is None else [c.name for c in found.table.columns if all(map(_numeric, c.values[:_LOOKED_AT]))]
        )
        for name, label, none in (
            ("counts", "Number of people in each row", "One person"),
            ("weights", "Sampling weights", "None"),
        ):
            names = list(dict.fromkeys(["", *columns, now[name]]))
            given[name] = st.selectbox(
                label,
                names,
                index=names.index(now[name]),
                format_func=lambda column, none=none: legible(column) if column else none,  # type: ignore[misc]
                key=key(name),
            )
        codes = st.text_input(
            "Missing codes", ", ".join(now["missing_codes"]), key=key("missing_codes"), help="For example: -99, refused"
        )
        given["missing_codes"] = tuple(code.strip() for code in codes.split(",") if code.strip())
    for name, value in given.items():
        if value != (reading.given.get("fix_names", True) if name == "fix_names" else now[name]):
            reading.give(name, value)


def _numeric(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()


def _preview(found: InspectedFile) -> None:
    """The first cells of some rows as text, with what each row is taken for."""
    options, head = found.guess.options, found.content.head(found.guess.options.sheet)
    if head:
        first = next(i for i, (number, _) in enumerate(head) if number >= options.start)
        shown = head[max(0, first - _ABOVE) : first + PREVIEW_ROWS]
        rows = [
            (f"{number:,}", _taken_as(options, i - first), *cells)
            for i, (number, cells) in enumerate(shown, max(0, first - _ABOVE))
        ]
        titles = ["row", "taken as"]
    elif found.table is not None:
        columns = found.table.columns
        rows = [
            tuple("" if c.codes[i] < 0 else c.values[c.codes[i]] for c in columns)
            for i in range(min(PREVIEW_ROWS, found.table.n))
        ]
        titles = list(found.table.names)
    else:
        return
    width = min(PREVIEW_COLUMNS + 2, max(map(len, rows)))
    names = [legible(name) for name in titles[:width]] + [_letter(i - 2) for i in range(len(titles), width)]
    st.dataframe(
        pd.DataFrame([[_cell(row[i]) if i < len(row) else "" for i in range(width)] for row in rows], columns=names),
        hide_index=True,
    )
    if (wider := max(map(len, rows)) - width) > 0:
        st.caption(f"{counted(wider, 'more column is', 'more columns are')} not shown.")
    if options.names:
        widgets.caption("Columns: " + ", ".join(name for name in options.names[:PREVIEW_COLUMNS] if name))


def _taken_as(options: ReadOptions, below: int) -> str:
    """What the row is that stands so many rows below the first one of the table."""
    if below < 0:
        return "title"
    if not options.header or below > options.skip:
        return "answer"
    return "names" if below == 0 else "left out"


def _cell(text: str) -> str:
    return legible(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}...")


def _letter(number: int) -> str:
    """What spreadsheets call a column: A, B, ..., Z, AA."""
    return (_letter(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)
