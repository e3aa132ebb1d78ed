"""How a file is read: one decision for each thing in doubt, the first rows as they are read, and all other options."""

from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from pages.shared import widgets
from pages.shared.state import Work
from pages.shared.uploads import UploadReading
from rrcore.errors import InputError
from rrcore.limits import PREVIEW_COLUMNS, PREVIEW_ROWS
from rrcore.table import ReadOptions
from rrcore.table.opening import InspectedFile
from rrcore.table.reading.encoding import ENCODINGS, UncertainEncodingError
from rrcore.wording import legible

_LONGEST = 60
_ABOVE = 2
_LOOKED_AT = 50  # values of a column that may be counts or weights
_SIGNS = {"": "Automatic", ",": "Comma (3,5)", ".": "Point (3.5)"}


def ask(work: Work, reading: UploadReading) -> None:
    """Show the decisions about a file. Nothing is used before it is accepted."""
    try:
        if reading.changed and not reading.read("table"):
            return
    except InputError as error:
        assert reading.found is not None
        reading.changed, reading.found = False, replace(reading.found, table=None, problem=error)
    found = reading.found
    assert found is not None
    with widgets.card(
        f"How '{widgets.plain(found.title)}' is read", hint="Decide each question. The rows below show the result."
    ):
        if found.problem:
            widgets.complain(found.problem)
        _decisions(reading, found)
        if reading.changed:
            st.rerun()
        with st.container(horizontal=True):
            if st.button("Use this table", type="primary", disabled=found.table is None):
                try:
                    reading.use(work)
                except InputError as error:
                    widgets.complain(error)
                else:
                    st.rerun()
            if work.schema is not None and st.button(f"Keep '{widgets.plain(work.title)}'", type="tertiary"):
                reading.asks = False
                st.rerun()
        _preview(found)


def _decisions(reading: UploadReading, found: InspectedFile) -> None:
    """One widget for each option in doubt, with the reason, and the others behind an expander."""
    options = found.guess.options
    now: dict[str, Any] = {name: reading.given.get(name, getattr(options, name)) for name in vars(options)}
    now["fix_names"] = reading.given.get("fix_names", True)
    doubts = {each.option: each.why for each in found.guess.proposed if not each.sure}
    draw = _widgets(found, now)
    given: dict[str, Any] = {}
    for option, why in doubts.items():
        row = st.columns([3, 2], vertical_alignment="center")
        with row[0]:
            widgets.say(why)
        if option in draw:
            with row[1]:
                given[option] = draw[option]()
    if more := [option for option in draw if option not in doubts and (option != "fix_names" or option in reading.given)]:
        with st.expander("All options", expanded=not doubts):
            for i, column in enumerate(st.columns(3)):
                with column:
                    given |= {option: draw[option]() for option in more[i::3]}
    for option, value in given.items():
        if value != now[option]:
            reading.give(option, value)


def _widgets(found: InspectedFile, now: dict[str, Any]) -> dict[str, Any]:
    """What draws the widget of each option that matters for this file, and returns its value."""
    head, table = found.content.head(found.guess.options.sheet), found.table
    numbers = [c.name for c in table.columns if all(map(_numeric, c.values[:_LOOKED_AT]))] if table is not None else []
    doubts = [each.error.candidates for each in found.guess.proposed if isinstance(each.error, UncertainEncodingError)]
    encodings = ["", *(name for doubt in doubts for name in doubt), "mixed", *ENCODINGS, now["encoding"]]
    most = 5 if table is None else max(table.n - 1, now["totals"])

    def key(option: str) -> str:
        return f"read_{option}_{now[option]}"

    def choice(option: str, label: str, choices: list[str], none: str = "Automatic", **more: Any) -> Any:
        choices = list(dict.fromkeys([*choices, now[option]]))
        titles = {name: legible(name) or none for name in choices} | (_SIGNS if option == "decimal" else {})
        more |= {"key": key(option), "format_func": lambda name: titles.get(name, name)}
        return st.selectbox(label, choices, choices.index(now[option]), **more)

    def whole(option: str, label: str, low: int, high: int) -> int:
        return int(st.number_input(label, low, high, min(max(now[option], low), high), key=key(option)))

    def codes() -> tuple[str, ...]:
        typed = st.text_input(
            "Missing codes", ", ".join(now["missing_codes"]), key=key("missing_codes"), placeholder="-99, refused"
        )
        return tuple(code.strip() for code in typed.split(",") if code.strip())

    drawn: dict[str, Any] = {}
    if len(found.content.sheets) > 1:
        drawn["sheet"] = lambda: choice("sheet", "Sheet", list(found.content.sheets))
    if found.kind == "text":
        drawn["encoding"] = lambda: choice("encoding", "Encoding", encodings, accept_new_options=True)
    if head:
        drawn["start"] = lambda: whole("start", "Table starts in row", head[0][0], head[-1][0])
        drawn["header"] = lambda: st.checkbox("This row has column names", now["header"], key=key("header"))
    if head and now["header"]:
        drawn["skip"] = lambda: whole("skip", "Rows to skip below the names", 0, 20)
    drawn["fix_names"] = lambda: st.checkbox("Repair column names", now["fix_names"], key="read_fix_names")
    drawn["counts"] = lambda: choice("counts", "This column holds counts", ["", *numbers], "None: each row is one person")
    drawn["weights"] = lambda: choice("weights", "This column holds weights", ["", *numbers], "None")
    drawn["totals"] = lambda: whole("totals", "Rows of totals at the end", 0, most)
    drawn["decimal"] = lambda: choice("decimal", "Decimal sign", list(_SIGNS))
    drawn["missing_codes"] = codes
    return drawn


def _numeric(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()


def _preview(found: InspectedFile) -> None:
    """The first cells of some rows as text, and what each row is used as."""
    options, head = found.guess.options, found.content.head(found.guess.options.sheet)
    if head:
        first = next(i for i, (number, _) in enumerate(head) if number >= options.start)
        shown = list(enumerate(head))[max(0, first - _ABOVE) : first + PREVIEW_ROWS]
        rows = [[f"{number:,}", _used_as(options, i - first), *cells] for i, (number, cells) in shown]
        names = ["row", "used as"]
    elif found.table is not None:
        codes = zip(*(column.codes[:PREVIEW_ROWS].tolist() for column in found.table.columns), strict=True)
        texts = [column.values for column in found.table.columns]
        rows = [[known[code] if code >= 0 else "" for code, known in zip(row, texts, strict=True)] for row in codes]
        names = list(map(legible, found.table.names))
    else:
        return
    width = min(PREVIEW_COLUMNS, max(map(len, rows)))
    names = [*names[:width], *(str(i - 1) for i in range(len(names), width))]
    cells = [[legible(cell[:_LONGEST]) for cell in [*row, *[""] * width][:width]] for row in rows]
    st.dataframe(pd.DataFrame(cells, columns=names), hide_index=True, height=min(320, 38 + 36 * len(rows)))


def _used_as(options: ReadOptions, below: int) -> str:
    """What the row is that is ``below`` rows below the first one of the table."""
    if below < 0:
        return "title"
    if not options.header or below > options.skip:
        return "answers"
    return "names" if below == 0 else "left out"
