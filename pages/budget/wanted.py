"""Levels, what is read, people and precision in one row: any three give the fourth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.budget import safer
from pages.shared import jobs, state, widgets
from rrcore.budget import (
    Assumption,
    Plan,
    Precision,
    SmallestGroup,
    level_for_precision,
    people_for_precision,
    precision_of,
    questions_within_precision,
)
from rrcore.errors import InputError
from rrcore.limits import COARSEST_POINTS, FINEST_POINTS, MAX_PEOPLE
from rrcore.mechanisms import Mechanism
from rrcore.wording import count_text, counted, meaning, points

Sought = Literal["precision", "people", "levels", "questions", "safety"]

SOUGHT: dict[Sought, str] = {
    "precision": "How precise?",
    "people": "How many people?",
    "levels": "Which levels?",
    "questions": "What can be read?",
    "safety": "How safe?",
}
_MOST_ROWS = 200


@dataclass
class WantedPrecision:
    """What the row asks: the precision in points; the expected share in percent, None for the cautious one; groups, and that of the smallest.

    ``by`` is what people are grouped by, empty for all people; ``group`` is in percent, None for what is known or assumed of it.
    """

    points: float = 2.0
    share: float | None = None
    by: str = ""
    group: float | None = None

    def assumption(self, row: Row) -> Assumption:
        """How its intervals are meant, and of which groups."""
        group = row.smallest.share if row.smallest is not None else None if self.group is None else self.group / 100
        return Assumption(None if self.share is None else self.share / 100, row.population, group=group if row.within else None)

    @property
    def margin(self) -> float:
        """The precision as a share."""
        return self.points / 100


@dataclass(frozen=True)
class Row:
    """The row as it is filled in: what is sought, for which attributes, against whom, and where the answer goes.

    Parameters
    ----------
    names : of the joint distribution, those of ``within`` left out
    within : what people are grouped by; empty for all people
    smallest : the smallest group of the table in play, where no other share of it was typed
    """

    sought: Sought
    names: tuple[str, ...]
    population: bool
    place: DeltaGenerator
    within: tuple[str, ...] = ()
    smallest: SmallestGroup | None = None


def ask(work: state.Work) -> Row:
    """Three fields to fill in and the fourth to be answered; what is typed is taken into the work."""
    wanted, declared = state.of_page(WantedPrecision), work.dataset is None
    with st.container(border=True, key="wanted"):
        sought: Sought = st.segmented_control(
            "What do you want to know?",
            list(SOUGHT),
            default="people" if declared else "precision",
            required=True,
            format_func=SOUGHT.__getitem__,
            key=f"sought_{'declared' if declared else 'table'}",
            persist_state="session",
            help="Levels, what is read, people and precision: any three give the fourth. How safe: levels under which few people can be "
            "guessed.",
        )
        safely = sought == "safety"
        question, precision, people, share = st.columns([3, 1.4, 3, 2.8] if safely else [4, 1.6, 1.9, 1.7])
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
        each, smallest_share, whom = st.columns([4, 1.9, 3.3])
        within, smallest = _ask_groups(work, wanted, each, smallest_share)
        with whom:
            population = widgets.error_meaning("population_declared" if declared else "population", value=declared)
        place = st.container()
    if names:
        work.choose_marginal(tuple(names))
    return Row(sought, tuple(name for name in names if name not in within), population, place, within, smallest)


def _ask_groups(
    work: state.Work, wanted: WantedPrecision, each: DeltaGenerator, share: DeltaGenerator
) -> tuple[tuple[str, ...], SmallestGroup | None]:
    """What people are grouped by, and the smallest group of the table where its share is not typed."""
    by = wanted.by = widgets.select(
        "Within each",
        {"": "(all people)"} | {name: name for name in work.wishes.chosen},
        work.key("within"),
        at=wanted.by if wanted.by in work.wishes.chosen else "",
        help="Shares within each group, as in smoking by sex: those of every sex add up to 100 %. The sex of people is then taken from the "
        "joint distribution.",
        where=each,
    )
    if not by:
        return (), None
    table = work.dataset
    smallest = None if table is None else SmallestGroup.of(table.schema, [by], table.shares([by]))
    wanted.group = share.number_input(
        "Smallest group (%)",
        0.1,
        100.0,
        None,
        1.0,
        key=f"wanted_group_{by}",
        placeholder="equal" if smallest is None else f"{100 * smallest.share:.3g}",
        persist_state="session",
        help="How many of 100 people are in the smallest group that matters. Left empty, that of the table; without a table all groups "
        "are taken to be equally common.",
    )
    return (by,), smallest if wanted.group is None else None


def _ask_people(work: state.Work, wanted: WantedPrecision, people: DeltaGenerator, share: DeltaGenerator) -> None:
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
        help="The share that you expect of an answer. Left empty, it is the cautious one: the share that needs most people.",
    )


def answer(work: state.Work, row: Row, plan: Plan, mechanism: Mechanism) -> None:
    """The fourth, in one sentence, with a button that takes it into the plan."""
    wanted = state.of_page(WantedPrecision)
    assumption, axes, within = wanted.assumption(row), plan.schema.axes(row.names), plan.schema.axes(row.within)
    with row.place:
        if row.sought == "questions":
            _questions(plan, mechanism, wanted.margin, within, assumption)
            return
        if not axes:
            other = f" other than {row.within[0]}" if row.within else ""
            st.info(widgets.plain(f"Choose one to four attributes to be read{other}."), icon=":material/table_chart:")
            return
        if row.sought == "safety":
            safer.answer(work, plan, mechanism, axes, wanted.margin, assumption, within)
            return
        try:
            found = _find(row.sought, plan, mechanism, axes, within, wanted.margin, assumption)
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
        widgets.say(sentence(), bold=True, help=found.assumption_text)
        if row.smallest is not None:
            widgets.caption(row.smallest.text)
        if found.plan.levels != plan.levels:
            widgets.caption(f"Price: {found.price_text}.")
        if row.sought == "people" and found.plan.respondents != work.wishes.respondents:
            label = f"Plan for {counted(found.plan.respondents, 'person', 'people')}"
            st.button(label, key="use_people", on_click=_plan_for, args=(work, found), icon=":material/check:")
        elif row.sought == "levels" and found.plan.levels != plan.levels:
            st.button("Use these levels", key="use_levels", on_click=work.adopt_plan, args=(found.plan,), icon=":material/check:")


def _find(
    sought: Sought,
    plan: Plan,
    mechanism: Mechanism,
    axes: tuple[int, ...],
    within: tuple[int, ...],
    margin: float,
    assumption: Assumption,
) -> Precision | None:
    """None while it is sought."""
    if sought == "people":
        return people_for_precision(plan, [axes], margin, within=within, assumption=assumption, mechanism=mechanism)
    if sought == "precision":
        return precision_of(plan, [axes], within=within, assumption=assumption, mechanism=mechanism)

    seek = partial(level_for_precision, plan, [axes], margin, within=within, assumption=assumption)
    found: Precision | None = jobs.result(
        "level_for", (plan, axes, within, margin, assumption), seek, what="Looking for the levels"
    )
    return found


def _plan_for(work: state.Work, found: Precision) -> None:
    work.wish(respondents=found.plan.respondents)
    st.session_state[f"people_{work.version}"] = work.wishes.respondents


def _questions(plan: Plan, mechanism: Mechanism, margin: float, within: tuple[int, ...], assumption: Assumption) -> None:
    """Which attributes and pairs are read as precisely as wanted."""
    k = len(plan.levels) - len(within)
    if not k:
        st.info("Nothing is left to be read: add an attribute to the plan.", icon=":material/table_chart:")
        return
    seek = partial(questions_within_precision, plan, margin, within=within, assumption=assumption, mechanism=mechanism)
    reached = jobs.result(
        "questions_within",
        (plan, id(mechanism), margin, within, assumption),
        seek,
        what="Reading the distributions",
    )
    if reached is None:
        return
    of = k * (k + 1) // 2
    widgets.say(
        f"With {counted(plan.respondents, 'person', 'people')} {count_text(len(reached))} of "
        f"{counted(of, 'distribution', 'distributions')} of one or two attributes can be read to within ± {points(margin)}.",
        bold=True,
    )
    if reached:
        widgets.table([{"Distribution of": found.question, "Within": found.margin_text} for found in reached[:_MOST_ROWS]])
        groups = f" {assumption.groups_text(plan.schema.names[within[0]])}" if within else ""
        widgets.caption(assumption.text + groups)
