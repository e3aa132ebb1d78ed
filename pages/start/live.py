"""The live example: one passenger of the Titanic whose answers are kept or replaced, and estimates from all passengers."""

from dataclasses import dataclass

import streamlit as st

from pages.shared import state
from pages.start import picture
from rrcore.simulation import demonstrate
from rrcore.table import load_demo
from rrcore.wording import count_text, eps_text, estimate_text, percent

NAMES = ("Sex", "Survived")
CELL = (1, 1)
"""The share in the headline: female, survived."""
SAMPLES = (100, 200, 500, 1_000, 2_201, 5_000, 10_000, 20_000, 50_000, 100_000)


@dataclass
class Seen:
    """The passenger on display (from 1), whether the wheels turn, and the bars before the last change."""

    passenger: int = 24
    turning: bool = True
    bars: picture.Bars | None = None

    def next(self) -> None:
        """Ask another passenger."""
        self.passenger += 1
        self.turning = True


@st.fragment
def show(work: state.Work) -> None:
    """Show two cards: one passenger, and the estimates from all of them."""
    seen = state.of_page(Seen)
    one, all_ = st.container(key="live").columns([5, 7])
    with one.container(border=True, height="stretch", key="one"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            heading = st.container(width="content")
            st.button("Next passenger", on_click=seen.next, icon=":material/casino:")
        unchanged = st.slider(
            "Answers unchanged",
            55,
            99,
            75,
            1,
            "%d%%",
            key="unchanged",
            help="Probability that the true answer is recorded. Otherwise the other answer is recorded.",
            persist_state="session",
            bind="query-params",
        )
        privacy = st.container()
        passenger = st.container()
    with all_.container(border=True, height="stretch", key="all"):
        found = st.container()
        n = st.select_slider(
            "Sample size",
            SAMPLES,
            SAMPLES[4],
            format_func=count_text,
            key="asked",
            help="Number of passengers drawn from the 2,201 aboard, with replacement.",
            persist_state="session",
            bind="query-params",
        )
        figure = st.container()
    survey = demonstrate(load_demo("titanic"), NAMES, unchanged / 100, n, rng=work.rng("start"))
    mechanism = survey.release.mechanism
    seen.passenger = seen.passenger if seen.passenger <= n else 1
    heading.header(f"Passenger {count_text(seen.passenger)}", anchor=False)
    privacy.markdown(
        f"ε = {eps_text(float(mechanism.epsilon[0]))} per answer, {eps_text(mechanism.epsilon_total)} for the whole record",
        help="ε bounds how much a recorded answer can change anyone's belief about the true one. A smaller ε means more privacy.",
    )
    passenger.html(picture.passenger(survey, seen.passenger - 1, turning=seen.turning))
    seen.turning = False
    estimate = survey.release.estimate(NAMES)
    bars = picture.Bars(
        load_demo("titanic").shares(NAMES), estimate.released, estimate.shares, *estimate.interval(population=True)
    )
    found.header(_found(bars), anchor=False)
    figure.html(picture.bars(bars, seen.bars or bars))
    seen.bars = bars


def _found(bars: picture.Bars) -> str:
    """Write the heading above the bars."""
    share, low, high, truth = (float(edge[CELL]) for edge in (bars.estimate, bars.low, bars.high, bars.truth))
    estimated = estimate_text(share, low, high)
    return f"Female, survived: estimate {estimated}, truth {percent(truth)}"
