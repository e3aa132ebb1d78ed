"""Widgets that more than one page shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import plotly.graph_objects as go
import streamlit as st

from pages.shared import jobs
from pages.shared.state import RECOMMENDED, Work, keep, keep_choice
from rrcore import plots
from rrcore.budget import Option, Plan, compare
from rrcore.mechanisms import MECHANISMS
from rrcore.wording import count, counted, odds, total

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
            parts.append(f"planned for {count(work.respondents)}")
        slot.caption(f"In play: {', '.join(parts)}")

    in_play()
    st.markdown(question)
    return in_play


def figure(fig: go.Figure, name: str, *, alt: str) -> None:
    """Show a figure with a download of it as a self-contained HTML file."""
    st.plotly_chart(fig, key=f"figure_{name}", config=_QUIET, alt=alt)
    _figure_download(fig, name)


def clickable_figure(fig: go.Figure, name: str, *, alt: str) -> list[object] | None:
    """The same, with points to click. Returns the custom data of the point that is clicked, None while none is."""
    key = f"figure_{name}"
    st.plotly_chart(fig, key=key, config=_QUIET, alt=alt, on_select="rerun", selection_mode="points")
    _figure_download(fig, name)
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


def scale_slider(work: Work, key: str) -> None:
    """One slider that multiplies every level. ``key`` differs from page to page, as Streamlit asks."""
    work.scale = st.slider(
        "Scale all levels",
        min_value=0.1,
        max_value=3.0,
        step=0.05,
        format="× %.2f",
        **keep(key, work.scale),
        help="Multiplies every level. Left: answers are more random and better protected. Right: more truthful.",
    )


def error_choice(work: Work, key: str, *, fixed: bool = False) -> bool:
    """Whether errors are meant against the population the people come from. ``fixed``: they are, there is no choice."""
    if not fixed:
        work.population = error_meaning(key, work.population)
    return fixed or work.population


def error_meaning(key: str, value: bool) -> bool:
    """Radio buttons for what errors are against: True for the population, False for the people themselves."""
    meanings = {False: "these people (randomization only)", True: "the population they come from"}
    return bool(
        st.radio(
            "Errors are against",
            format_func=meanings.get,
            **keep_choice(key, list(meanings), value),
            help="These people: only the lies add error. The population: the chance of who was asked adds to it.",
        )
    )


def options(work: Work, plan: Plan) -> tuple[Option, ...]:
    """The mechanisms side by side for ``plan``. While they are made the page stops here, with progress and a way to stop it;
    once stopped, what needs no solving is there.
    """
    keys = work.option_keys(plan)
    made = jobs.result(
        "options",
        (plan.schema, plan.levels, plan.safeguards, plan.questions),
        lambda report: compare(plan, keys, report=report),
        what="Designing the mechanisms",
    )
    if made is None:
        if jobs.at_work("options"):
            st.stop()
        return compare(plan, ("kronecker",) if plan.questions else ("kronecker", "joint", "published"))
    return made


def follow_choice(work: Work, key: str) -> None:
    """Take over what was just chosen in ``mechanism_choice``, for what a page makes of it before that is drawn."""
    work.mechanism = st.session_state.get(f"{key}_{work.mechanism_turn}", work.mechanism)


def mechanism_choice(work: Work, choices: Sequence[Option], key: str) -> Option:
    """Radio buttons over the mechanisms that exist at these levels; returns the chosen one. ``key`` as in ``scale_slider``."""
    available = {option.key: option for option in choices if option.mechanism is not None}
    if work.mechanism not in available:
        refused = next((option for option in choices if option.key == work.mechanism), None)
        work.choose_mechanism(next(name for name in ("design", RECOMMENDED, "kronecker") if name in available))
        if refused is not None:
            warn(f"{refused.title} does not exist for these levels, so {available[work.mechanism].title} is used.")
    key = f"{key}_{work.mechanism_turn}"
    if st.session_state.get(key) not in available:
        st.session_state.pop(key, None)
    work.mechanism = st.radio(
        "Mechanism of the plan",
        format_func=lambda key: available[key].title + (" (recommended)" if key == RECOMMENDED else ""),
        captions=[_caption(option) for option in available.values()],
        **keep_choice(key, list(available), work.mechanism),
        help="How the lies of one respondent are drawn. "
        + " ".join(f"{MECHANISMS[key].title}: {MECHANISMS[key].summary}" for key in available if key in MECHANISMS),
    )
    return available[work.mechanism]


def _caption(option: Option) -> str:
    assert option.mechanism is not None
    cost = option.mechanism.total_level
    parts = [f"total {total(cost)}, odds up to × {odds(cost)}"]
    if option.key != "kronecker" and option.key != "design":
        parts.append(f"**{option.saving_text}**" if option.violations else option.saving_text)
    if option.lost_pairs:
        parts.append(f"**{counted(option.lost_pairs, 'pair', 'pairs')} lost**")
    if option.weak_pairs:
        parts.append(f"**{counted(option.weak_pairs, 'pair', 'pairs')} weakened**")
    return ", ".join(parts)
