"""The idea, live: one passenger of the Titanic whose answers are kept or replaced, and what can be read from all of them."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from pages.shared import address, state
from pages.start import picture
from rrcore.estimate import Estimate, widest_margin
from rrcore.limits import USELESS_MARGIN
from rrcore.schemes import Demonstration, demonstrate
from rrcore.table import load_demo
from rrcore.wording import Quantity, count_text, level_text, meaning, odds_text, percent, points

NAMES = ("Sex", "Survived")
CELL = (1, 1)
"""The share that is told in words: female, survived."""
CROWDS = (100, 200, 500, 1_000, 2_201, 5_000, 10_000, 20_000, 50_000, 100_000)
TOLD = (55, 75, 99)
"""Least, first and most truth told, in percent."""
_STYLE = Path(__file__).parents[2] / "assets" / "start.css"


@dataclass
class Seen:
    """What is on show: the passenger (from 1), whether the wheels turn for them, and the bars before the last change."""

    passenger: int = 24
    turning: bool = True
    bars: picture.Bars | None = None

    def next(self) -> None:
        """Ask another one."""
        self.passenger += 1
        self.turning = True


def show(work: state.Work) -> None:
    """Title and the two halves: one passenger, and all of them."""
    st.html(_STYLE)
    with st.container(key="hero", gap="small"):
        st.title("Any answer may be a lie. The shares still come out.", anchor=False)
        st.markdown(
            "With randomized response, chance decides whether your answer or another is sent. No answer proves anything about its sender, "
            "yet the group can be counted."
        )
    _live(work)


@st.fragment
def _live(work: state.Work) -> None:
    seen = state.of_page(Seen)
    left, right = st.container(key="sliders").columns([5, 7], gap="medium")
    truthful = left.slider(
        "Truth told",
        TOLD[0],
        TOLD[2],
        TOLD[1],
        1,
        "%d %%",
        key="told",
        help=f"{meaning('truth told')} Otherwise another answer is sent in its place.",
        persist_state="session",
        bind="query-params",
    )
    people = right.select_slider(
        "People asked",
        CROWDS,
        CROWDS[4],
        format_func=count_text,
        key="asked",
        help=f"{meaning('people')} They are drawn from the 2,201 aboard, each possibly more than once.",
        persist_state="session",
        bind="query-params",
    )
    one, all_ = st.container(key="live").columns([5, 7], gap="medium")
    with one.container(border=True, height="stretch", key="one"):
        top = st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center")
        price = st.container()
        passenger = st.container()
    with all_.container(border=True, height="stretch", key="all"):
        sentence = st.container()
        figure = st.container()
        width = st.container()
    with st.popover("Link to these sliders", icon=":material/link:", type="tertiary"):
        st.markdown("This link opens both sliders as they stand.")
        address.show_address(f"told={truthful}&asked={count_text(people)}")
    survey = demonstrate(load_demo("titanic"), NAMES, truthful / 100, people, rng=work.rng("start"))
    if seen.passenger > people:
        seen.passenger = 1
    top.header(f"Passenger {count_text(seen.passenger)}", anchor=False, width="content")
    top.button("Next passenger", on_click=seen.next, icon=":material/casino:")
    passenger.html(picture.passenger(survey, seen.passenger - 1, turning=seen.turning))
    seen.turning = False
    price.markdown(_price(survey), help=f"Level ε = {level_text(float(survey.release.mechanism.levels[0]))}. {meaning('level')}")
    estimate = survey.release.estimate(NAMES)
    closest = estimate.closest()
    truth = load_demo("titanic").shares(NAMES)
    bars = picture.Bars(truth, estimate.released, closest.shares, *closest.interval(population=True))
    sentence.html(picture.found(_found(bars, estimate)))
    figure.html(picture.bars(bars, seen.bars or bars))
    seen.bars = bars
    margin = points(widest_margin(estimate.interval(population=True)))
    width.markdown(f"Each share is within **{margin}** of the truth, 95 times in 100.", help=meaning("interval"))


def _price(survey: Demonstration) -> str:
    mechanism = survey.release.mechanism
    one, both = (odds_text(level) for level in (float(mechanism.levels[0]), mechanism.total_level))
    return f"One answer shifts anyone's odds by at most **×\u00a0{one}**, both together by **×\u00a0{both}**."


def _found(bars: picture.Bars, estimate: Estimate) -> str:
    """The sentence above the bars, in plain text."""
    share, low, high, truth = (float(edge[CELL]) for edge in (bars.estimate, bars.low, bars.high, bars.truth))
    if widest_margin(estimate.interval(population=True)) > USELESS_MARGIN:
        return f"{count_text(estimate.n)} people say nothing yet: ask more, or keep more answers."
    about = "Female and survived"
    return f"{about}: {Quantity('share', about, 'the population').estimated(share, low, high)}, in truth {percent(truth)}"
