"""Levels, questions, people and precision in one row: any three give the fourth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.budget import safer
from pages.shared import guessing, jobs, state, widgets
from rrcore.budget import (
    Assumption,
    Plan,
    Precision,
    level_for_precision,
    people_for_precision,
    precision_of,
    questions_within_precision,
)
from rrcore.errors import InputError
from rrcore.limits import COARSEST_POINTS, FINEST_POINTS, MAX_PEOPLE
from rrcore.mechanisms import Mechanism
from rrcore.wording import count_text, counted, meaning, points
from rrcore.work import Report

Sought = Literal["precision", "people", "levels", "questions", "safety"]

SOUGHT: dict[Sought, str] = {
    "precision": "How precise?",
    "people": "How many people?",
    "levels": "Which levels?",
    "questions": "Which questions?",
    "safety": "How safe?",
}
_MOST_ROWS = 200


@dataclass
class Wanted:
    """What the row asks: the precision in points, and the expected share in percent, None for the cautious one."""

    points: float = 2.0
    share: float | None = None

    def assumption(self, population: bool) -> Assumption:
        """How its intervals are meant."""
        return Assumption(None if self.share is None else self.share / 100, population)

    @property
    def margin(self) -> float:
        """The precision as a share."""
        return self.points / 100


@dataclass(frozen=True)
class Row:
    """The row as it is filled in: what is sought, for which attributes, against whom, and where the answer goes."""

    sought: Sought
    names: tuple[str, ...]
    population: bool
    place: DeltaGenerator


def ask(work: state.Work) -> Row:
    """Three fields to fill in and the fourth to be answered; what is typed is taken into the work."""
    wanted, declared = state.of_page(Wanted), work.dataset is None
    with st.container(border=True, key="wanted"):
        sought: Sought = st.segmented_control(
            "What do you want to know?",
            list(SOUGHT),
            default="people" if declared else "precision",
            required=True,
            format_func=SOUGHT.__getitem__,
            key=f"sought_{'declared' if declared else 'table'}",
            persist_state="session",
            help="Levels, questions, people and precision: any three give the fourth. How safe: levels under which few people can be "
            "guessed.",
        )
        safely = sought == "safety"
        question, precision, people, share, whom = st.columns([3, 1.4, 3, 2.8, 2.6] if safely else [4, 1.6, 1.9, 1.7, 2.6])
        with question:
            names = widgets.marginal(
                work.wishes.chosen,
                work.wishes.marginal,
                work.key("question"),
                help="One to four attributes: every share of it is meant.",
            )
        wanted.points = widgets.number(
            "± points",
            "wanted_points",
            wanted.points,
            (FINEST_POINTS, COARSEST_POINTS),
            step=0.5,
            format="%.4g",
            disabled=sought == "precision",
            help=f"{meaning('interval')} Half its width, in percentage points: ± 2 means that 20 % is read as 18 to 22 %.",
            where=precision,
        )
        if safely:
            safer.ask(people, share)
        else:
            _ask_people(work, wanted, people, share)
        with whom:
            population = widgets.error_meaning("population_declared" if declared else "population", value=declared)
        place = st.container()
    if names:
        work.choose_marginal(tuple(names))
    return Row(sought, tuple(names), population, place)


def _ask_people(work: state.Work, wanted: Wanted, people: DeltaGenerator, share: DeltaGenerator) -> None:
    key, present = f"people_{work.version}", work.wishes.respondents
    work.wish(respondents=widgets.number("People", key, present, (1, MAX_PEOPLE), step=100, help=meaning("people"), where=people))
    wanted.share = share.number_input(
        "Expected share (%)",
        0.0,
        100.0,
        wanted.share,
        1.0,
        key="wanted_share",
        placeholder="cautious",
        persist_state="session",
        help="The share that you expect of the answer in question. Left empty, it is the cautious one: the share that needs most people.",
    )


def answer(work: state.Work, row: Row, plan: Plan, mechanism: Mechanism) -> None:
    """The fourth, in one sentence, with a button that takes it into the plan."""
    wanted = state.of_page(Wanted)
    assumption, axes = wanted.assumption(row.population), plan.schema.axes(row.names)
    with row.place:
        if row.sought == "questions":
            _questions(plan, mechanism, wanted.margin, assumption)
            return
        if not axes:
            st.info("Choose one to four attributes to be read.", icon=":material/table_chart:")
            return
        if row.sought == "safety":
            safer.answer(work, plan, mechanism, axes, wanted.margin, assumption)
            return
        try:
            found = _find(row.sought, plan, mechanism, axes, wanted.margin, assumption)
        except InputError as error:
            widgets.complain(error)
            return
        if found is None:
            return
        sentence = {
            "people": found.people_sentence,
            "levels": found.level_sentence,
            "precision": found.precision_sentence,
        }[row.sought]
        st.markdown(f"**{widgets.plain(sentence())}**", help=found.assumption_text)
        if found.plan.levels != plan.levels:
            widgets.caption(f"Price: {found.price_text}.")
        widgets.caption(guessing.risk(work, plan, mechanism).sentence())
        if row.sought == "people" and found.plan.respondents != work.wishes.respondents:
            label = f"Plan for {counted(found.plan.respondents, 'person', 'people')}"
            st.button(label, key="use_people", on_click=_plan_for, args=(work, found), icon=":material/check:")
        elif row.sought == "levels" and found.plan.levels != plan.levels:
            st.button("Use these levels", key="use_levels", on_click=work.adopt_plan, args=(found.plan,), icon=":material/check:")


def unbroken(text: str) -> str:
    """``text`` with every factor on one line."""
    return text.replace("× ", "×\u00a0")


def _find(
    sought: Sought, plan: Plan, mechanism: Mechanism, axes: tuple[int, ...], margin: float, assumption: Assumption
) -> Precision | None:
    """None while it is sought."""
    if sought == "people":
        return people_for_precision(plan, [axes], margin, assumption=assumption, mechanism=mechanism)
    if sought == "precision":
        return precision_of(plan, [axes], assumption=assumption, mechanism=mechanism)

    def seek(report: Report) -> Precision:
        return level_for_precision(plan, [axes], margin, assumption=assumption, report=report)

    return jobs.result("level_for", (plan, axes, margin, assumption), seek, what="Looking for the levels")


def _plan_for(work: state.Work, found: Precision) -> None:
    work.wish(respondents=found.plan.respondents)
    st.session_state[f"people_{work.version}"] = work.wishes.respondents


def _questions(plan: Plan, mechanism: Mechanism, margin: float, assumption: Assumption) -> None:
    """Which attributes and pairs are read as precisely as wanted."""
    seek = partial(questions_within_precision, plan, margin, assumption=assumption, mechanism=mechanism)
    reached = jobs.result(
        "questions_within", (plan, id(mechanism), margin, assumption), lambda report: seek(), what="Reading the questions"
    )
    if reached is None:
        return
    k = len(plan.levels)
    of = k * (k + 1) // 2
    st.markdown(
        f"**With {counted(plan.respondents, 'person', 'people')} {count_text(len(reached))} of {counted(of, 'question', 'questions')} about "
        f"one or two attributes can be read to within ± {points(margin)}.**"
    )
    if reached:
        widgets.table([{"Question": found.question, "Within": found.margin_text} for found in reached[:_MOST_ROWS]])
        widgets.caption(assumption.text)
