"""Widgets that more than one page shows."""

import mimetypes
import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import pandas as pd
import plotly.graph_objects as go
import pyarrow as pa
import streamlit as st
from pandas.api.types import is_numeric_dtype
from streamlit.delta_generator import DeltaGenerator

from pages.shared import marked
from pages.shared.components import drawing, save_menu
from pages.shared.mode import demo
from rrcore import plots
from rrcore.errors import InputError
from rrcore.limits import MAX_PAGE_MARGINAL
from rrcore.mark import TRUE_SHARES, simulated_file_name
from rrcore.wording import legible, unbroken

Choice = TypeVar("Choice")
Number = TypeVar("Number", int, float)
_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")
Choices = Mapping[Choice, str] | Sequence[Choice]
"""What is chosen among: key -> title, or the titles."""

_ONE_BY_ONE: dict[str, Any] = {"select_all": False, "filter_mode": "contains", "wrap": True}
"""Lists of which several are chosen: one press adds one, and the chosen ones stand below each other rather than out of sight."""

_MIME = mimetypes.types_map | {
    ".ipynb": "application/x-ipynb+json",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def palette() -> plots.Palette:
    """The palette of the page's present theme."""
    return plots.DARK if st.context.theme.type == "dark" else plots.LIGHT


_SIGNS = re.compile(r"([\\`*\[\]$<~#|]|&(?=#?\w+;)|(?<!\w)_|_(?!\w)|:(?=[\w/]))")
_FIRST = re.compile(r"^(?:(>|[-+](?=[-\s]*$|\s))|(\d+)([.)])(?=\s|$))")
_PARTED = re.compile(r"(?i)www(?=\.)|https?(?=\\?:)|(?<=[\w.+-])(?=@\w)|(?<=:)(?=[\w+-]*[a-z+])[\w+-]+(?=\\?:|/)")


def plain(text: str) -> str:
    """``text`` on one line, with what Markdown would interpret in names made harmless.

    What looks like an address, an emoji or an icon would become one even with escapes: an empty text of another size parts it, which
    neither shows nor is copied. Signs that cannot be seen are written as their numbers.
    """
    text = legible(" ".join(text.split()))
    text = _FIRST.sub(lambda start: f"\\{start[1]}" if start[1] else f"{start[2]}\\{start[3]}", _SIGNS.sub(r"\\\1", text))
    return _PARTED.sub(r"\g<0>:small[]", text)


def say(text: str) -> None:
    """A sentence that may hold names from a file; no sign stands alone on a line."""
    st.markdown(unbroken(plain(text)))


def caption(text: str, *, help: str | None = None) -> None:
    """Small print that may hold names from a file; no sign stands alone on a line."""
    st.caption(unbroken(plain(text)), help=help)


def warn(text: str) -> None:
    """A warning that may hold names from a file; nothing if there is no text."""
    if text:
        st.warning(unbroken(plain(text)), icon=":material/warning:")


def complain(error: Exception | str) -> None:
    """Show what is wrong, in the words of the error."""
    st.error(unbroken(plain(str(error))), icon=":material/error:")


def complaining(section: Callable[_Given, _Made]) -> Callable[_Given, _Made | None]:
    """``section``, which ends where something is wrong: that is shown then, and None returned."""

    @wraps(section)
    def made(*args: _Given.args, **more: _Given.kwargs) -> _Made | None:
        try:
            return section(*args, **more)
        except InputError as error:
            complain(error)
            return None

    return made


def page(title: str, tabs: Mapping[str, Callable[[], None]]) -> None:
    """Draw the tabs of a page (title -> what draws it). Only the open one is run, and the address names it."""
    if len(tabs) == 1:
        for show in tabs.values():
            show()
        return
    boxes = st.tabs(list(tabs), key=f"{title.lower()}_tab", on_change="rerun", bind="query-params")
    for box, show in zip(boxes, tabs.values(), strict=True):
        if box.open:
            with box:
                show()


def place(key: str) -> DeltaGenerator:
    """A container that has its room, by ``first.css``, before it has something to show."""
    box = st.container(key=key, gap=None)
    box.html("<span></span>")
    return box


def headline() -> Callable[[str], None]:
    """The place of the one sentence that answers the page's question.

    Returns what writes it, as Markdown, as soon as it is known. It begins with the mark of a simulation where the page shows one.
    """
    marked.begin()
    # no st.empty: the sentence before stands until there is another, and nothing below it moves
    box = place("answer")

    def answer(sentence: str) -> None:
        box.markdown(unbroken(f"**{marked.said()}** {sentence}" if marked.said() else sentence))

    return answer


def card(title: str, *, hint: str = "", key: str | None = None) -> DeltaGenerator:
    """A framed part of a page with a heading (h2), to be used by ``with``.

    ``hint`` says in at most 25 words what to decide here and why. It shows while the tutorial is on.
    """
    box = st.container(border=True, key=key)
    box.header(title, anchor=False)
    _hint(box, hint)
    return box


def card_with_row(title: str, *, hint: str = "") -> tuple[DeltaGenerator, DeltaGenerator]:
    """A ``card``, and the row of its heading, which has room for controls."""
    box = st.container(border=True)
    row = box.container(horizontal=True, vertical_alignment="center")
    row.header(title, anchor=False, width="stretch")
    _hint(box, hint)
    return box, row


def _hint(box: DeltaGenerator, hint: str) -> None:
    if hint and tutorial():
        box.caption(hint)


def tutorial() -> bool:
    """Whether hints show: the switch in the header."""
    return bool(st.session_state.get("tutorial", demo()))


def end_tutorial() -> None:
    """Switch the hints off, to be called when something was saved."""
    st.session_state["tutorial"] = False


def copy_as_python(code: str) -> None:
    """A button that shows the few lines of Python with the same result."""
    with st.popover("Copy as Python", icon=":material/code:", type="tertiary"):
        st.code(code, language="python")


def figure(
    fig: go.Figure, name: str, *, alt: str, truth: bool = False, on_click: Callable[[list[Any]], None] | None = None
) -> None:
    """Show a figure, with a menu below that saves it as PNG or SVG under its ``name``.

    ``truth`` is for figures of true shares: what is saved then says so in its name and in the picture. Where points are to be clicked,
    ``on_click`` is called with the custom data of one, before the page is run again.
    """
    key = f"figure_{name}"
    drawing(key, _marked(fig), palette(), alt=alt, on_click=on_click)
    file, mark = (simulated_file_name(name, truth=True), TRUE_SHARES) if truth else (marked.named(name), marked.present())
    save_menu(key, file, about=alt, ground=palette().background, mark=mark)


def _marked(fig: go.Figure) -> go.Figure:
    """The figure; with the mark of a simulation above it where the page shows one, and above the legend: one of many lines, as on a phone,
    reaches to the top, but ``figure.js`` leaves its first line empty.
    """
    if mark := marked.present():
        above = fig.layout.margin.t if fig.layout.margin.t is not None else 40
        place = {"x": 0, "xref": "paper", "y": 1, "yref": "container", "yanchor": "top", "pad": {"t": 6}}
        fig.update_layout(title={"text": mark, "font": {"size": 12}} | place, margin_t=above + 28)
    return fig


def download(
    label: str,
    data: str | Callable[[], str | bytes],
    file_name: str,
    *,
    icon: str = ":material/download:",
    where: Any = st,
    **more: Any,
) -> None:
    """A button that saves ``data``, made when it is pressed, as a file of the kind that its name ends in.

    The server keeps the file in memory until its page no longer shows it.
    """
    make = data if callable(data) else lambda: data
    where.download_button(label, make, marked.named(file_name), mime(file_name), on_click="ignore", icon=icon, **more)


def mime(file_name: str) -> str:
    """The media type of a file by its ending."""
    return _MIME[Path(file_name).suffix]


def table(rows: Any, *, columns: Mapping[str, Any] | None = None) -> None:
    """A table of rows or columns, without row numbers, in which a cell may have nothing; ``columns`` as Streamlit configures them."""
    texts = _texts(rows)
    if mark := marked.present():
        st.caption(mark)
    shown = legible_frame(pd.DataFrame(rows)) if texts is None else texts
    height = min(400, 37 + 35 * max(1, len(shown)))  # from the start, so that nothing below moves
    st.dataframe(shown, hide_index=True, column_config=columns, placeholder="\N{EN DASH}", height=height)


def prose_table(rows: Sequence[Mapping[str, str]]) -> None:
    """A table with sentences in its cells, which are wrapped; the first column names the rows."""
    if mark := marked.present():
        st.caption(mark)
    shown = pd.DataFrame([{name: plain(cell) for name, cell in row.items()} for row in rows])
    st.table(shown.set_index(shown.columns[0]))


def swipe(name: str) -> None:
    """Below a table that is wider than a phone, what to do there; nothing on wider screens (``page.css``)."""
    st.container(key=f"swipe_{name}").caption("Scroll the table to see more columns.")


def _texts(rows: Any) -> pa.Table | None:
    """A table that holds nothing but text, legible, as it is sent: by way of pandas it takes seven times as long. None for others."""
    if isinstance(rows, pd.DataFrame):
        return None
    columns = rows if isinstance(rows, Mapping) else {name: [row.get(name) for row in rows] for row in rows for name in row}
    all_texts = all(
        isinstance(column, list | tuple) and all(isinstance(cell, str) for cell in column) for column in columns.values()
    )
    if not columns or not all_texts:
        return None
    names = [legible(name) for name in columns]
    cells = [[legible(cell) for cell in column] for column in columns.values()]
    return pa.table(cells, names=names if len(set(names)) == len(names) else list(columns))


def legible_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """``frame`` with all its texts legible."""

    def shown(cell: Any) -> Any:
        return legible(cell) if isinstance(cell, str) else cell

    cells = frame.apply(lambda column: column if is_numeric_dtype(column) else column.map(shown))
    named = cells.rename(columns=shown, index=shown)
    return named if named.columns.is_unique else cells


def details(label: str, key: str, draw: Callable[[], None], *, icon: str) -> None:
    """What is there for who wants to know more: closed at first, and drawn only while it is open."""
    box = st.expander(label, key=key, on_change="rerun", icon=f":material/{icon}:")
    if box.open:
        with box:
            draw()


def section(label: str, sections: Mapping[str, str], key: str) -> str:
    """Which of the ``sections`` (key -> title) of a page is shown, at first the first one; its address says it too."""
    return st.segmented_control(
        label,
        list(sections),
        default=next(iter(sections)),
        required=True,
        format_func=sections.__getitem__,
        label_visibility="collapsed",
        key=key,
        persist_state="session",
        bind="query-params",
    )


def number(label: str, key: str, value: Number, within: tuple[Number, Number], *, where: Any = st, **more: Any) -> Number:
    """A number ``within`` the least and the most, at first ``value`` or the nearest to it.

    Like all below it outlives a visit to another page, and takes what Streamlit's own widget takes ``more``.
    """
    low, high = within
    _forget_outside(key, low, high)
    number = where.number_input(label, low, high, min(max(value, low), high), key=key, persist_state="session", **more)
    return cast(Number, number)


def slider(label: str, key: str, value: float, within: tuple[float, float], **more: Any) -> float:
    """A number on a scale ``within`` the least and the most, at first ``value`` or the nearest to it."""
    low, high = within
    _forget_outside(key, low, high)
    return float(st.slider(label, low, high, min(max(value, low), high), key=key, persist_state="session", **more))


def _forget_outside(key: str, low: float, high: float) -> None:
    """A number that was chosen when others were possible, or that an opened project brought, is forgotten where it is not possible."""
    known = st.session_state.get(key)
    if known is not None and not (type(known) is type(low) and low <= known <= high):
        del st.session_state[key]


def radio(label: str, choices: Choices[Choice], key: str, *, at: Choice | None = None, **more: Any) -> Choice:
    """One of the ``choices`` (key -> title), at first the one ``at`` or the first, as radio buttons."""
    return cast(Choice, st.radio(label, **_choosing(choices, key, at), **more))


def select(label: str, choices: Choices[Choice], key: str, *, at: Choice | None = None, where: Any = st, **more: Any) -> Choice:
    """One of the ``choices`` in a list that opens."""
    return cast(Choice, where.selectbox(label, **_choosing(choices, key, at), **more))


def _choosing(choices: Choices[Choice], key: str, at: Choice | None) -> dict[str, Any]:
    return {"index": 0 if at is None else list(choices).index(at)} | _offering(choices, key)


def _offering(choices: Choices[Choice], key: str) -> dict[str, Any]:
    title = choices.__getitem__ if isinstance(choices, Mapping) else str
    return {"options": list(choices), "format_func": lambda one: legible(title(one)), "key": key, "persist_state": "session"}


def several(
    label: str,
    choices: Choices[Choice],
    key: str,
    *,
    at: Sequence[Choice] = (),
    most: int | None = None,
    where: Any = st,
    **more: Any,
) -> list[Choice]:
    """Any of the ``choices``, at most ``most``, at first those ``at``."""
    offered = _offering(choices, key) | _ONE_BY_ONE | more
    return cast(list[Choice], where.multiselect(label, default=at, max_selections=most, **offered))


def marginal(names: Sequence[str], at: Sequence[str], key: str, *, help: str | None = None) -> list[str]:
    """The attributes of a joint distribution, at first those ``at`` that are among the ``names``; a visit elsewhere ends it."""
    known = [name for name in at if name in names][:MAX_PAGE_MARGINAL]
    return st.multiselect(
        "Joint distribution of", names, known, legible, key=key, help=help, max_selections=MAX_PAGE_MARGINAL, **_ONE_BY_ONE
    )


def checkbox(label: str, key: str, *, value: bool = False, help: str | None = None) -> bool:
    """A box to tick."""
    return st.checkbox(label, value, key=key, help=help, persist_state="session")


def text(label: str, key: str, value: str = "", *, where: Any = st, **more: Any) -> str:
    """One line of text."""
    return cast(str, where.text_input(label, value, key=key, persist_state="session", **more))
