"""Widgets that more than one page shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from pages.shared.state import Work
from rrcore import plots
from rrcore.wording import count_text, counted

_QUIET = {"displaylogo": False, "displayModeBar": False}


def palette() -> plots.Palette:
    """The palette of the page's present theme."""
    return plots.DARK if st.context.theme.type == "dark" else plots.LIGHT


def plain(text: str) -> str:
    """``text`` on one line, with what Markdown would interpret in names made harmless."""
    return re.sub(r"([\\`*\[\]$<~#|]|(?<!\w)_|_(?!\w)|:(?=[\w/]))", r"\\\1", " ".join(text.split()))


def caption(text: str) -> None:
    """Small print that may hold names from a file."""
    st.caption(plain(text))


def warn(text: str) -> None:
    """A warning that may hold names from a file."""
    st.warning(plain(text), icon=":material/warning:")


def complain(error: Exception | str) -> None:
    """Show what is wrong, in the words of the error."""
    st.error(plain(str(error)), icon=":material/error:")


def header(title: str, question: str, work: Work, *, action: Callable[[], None] | None = None) -> Callable[[], None]:
    """Title, what is in play, and the question the page answers; ``action`` puts a button at the right of the title.

    Returns a function that writes what is in play anew, for a page to call once its widgets have changed the work.
    """
    left, right = st.columns([5, 1], vertical_alignment="bottom") if action is not None else (st.container(), None)
    with left:
        st.title(title, anchor=False)
        slot = st.empty()
    if right is not None and action is not None:
        with right:
            action()

    def in_play() -> None:
        people = work.dataset.n if work.dataset is not None else work.respondents
        parts = [plain(work.title), counted(len(work.chosen), "attribute", "attributes"), counted(people, "person", "people")]
        if people != work.respondents:
            parts.append(f"planned for {count_text(work.respondents)}")
        slot.caption(f"In play: {', '.join(parts)}")

    in_play()
    st.markdown(question)
    return in_play


def figure(fig: go.Figure, name: str, *, alt: str) -> None:
    """Show a figure with a download of it as a self-contained HTML file."""
    st.plotly_chart(fig, key=f"figure_{name}", config=_QUIET, alt=alt)
    _figure_download(fig, name)


def clickable_figure(fig: go.Figure, name: str, *, alt: str) -> list[Any] | None:
    """The same, with points to click. Returns the custom data of the point that is clicked, None while none is."""
    key = f"figure_{name}"
    st.plotly_chart(fig, key=key, config=_QUIET, alt=alt, on_select="rerun", selection_mode="points")
    _figure_download(fig, name)
    return clicked(key)


def clicked(key: str) -> list[Any] | None:
    """The custom data of the point that is clicked in the figure called ``key``, None while none is."""
    picked = [point["customdata"] for point in st.session_state[key]["selection"]["points"] if "customdata" in point]
    return list(picked[0]) if picked else None


def _figure_download(fig: go.Figure, name: str) -> None:
    colours = palette()
    st.download_button(
        "Figure (HTML)",
        data=lambda: plots.to_html(fig, colours),
        file_name=f"{name}.html",
        mime="text/html",
        key=f"download_{name}",
        on_click="ignore",
        type="tertiary",
        icon=":material/download:",
        help="The figure as one file that opens in any browser, without a network.",
    )


def section(label: str, sections: Mapping[str, str], key: str, *, default: str = "") -> str:
    """Which of the ``sections`` (key -> title) of a page is shown, at first ``default`` or the first one; its address says it too."""
    return st.segmented_control(
        label,
        list(sections),
        default=default or next(iter(sections)),
        required=True,
        format_func=sections.__getitem__,
        label_visibility="collapsed",
        key=key,
        persist_state="session",
        bind="query-params",
    )


def scale_slider(work: Work) -> None:
    """One slider that multiplies every level, the same on every page."""
    work.scale = st.slider(
        "Scale all levels",
        min_value=0.1,
        max_value=3.0,
        value=work.scale,
        step=0.05,
        format="× %.2f",
        key=f"scale_{work.version}",
        persist_state="session",
        help="Multiplies every level. Left: answers are more random and better protected. Right: more truthful.",
    )


def draw_again(work: Work) -> None:
    """A button that simulates with the next seed."""
    st.button("Draw again", on_click=work.draw_again, icon=":material/refresh:", help="Randomise all answers anew.")


def error_meaning(key: str = "population", *, value: bool = False) -> bool:
    """Radio buttons for what errors are against: True for the population, False for the people themselves."""
    meanings = {False: "these people (randomization only)", True: "the population they come from"}
    return st.radio(
        "Errors are against",
        list(meanings),
        index=int(value),
        format_func=meanings.__getitem__,
        key=key,
        persist_state="session",
        help="These people: only the lies add error. The population: the chance of who was asked adds to it.",
    )
