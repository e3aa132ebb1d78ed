"""How safe: levels that keep the people who can be guessed few, and what that leaves to be read."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.shared import guessing, jobs, state, widgets
from rrcore.budget import (
    Assumption,
    Knows,
    Plan,
    Precision,
    Risk,
    WithinRisk,
    level_for_precision,
    levels_within_risk,
    people_for_precision,
    precision_of,
    risk_of,
    risk_of_thousand,
)
from rrcore.errors import InputError
from rrcore.mechanisms import Mechanism
from rrcore.wording import count_text, points
from rrcore.work import Report, part

OBSERVERS: dict[Knows, str] = {
    "answer": "sees one answer",
    "record": "sees the whole record",
    "others": "knows all other answers",
}
_ALLOWED = (500.0, 200.0, 100.0, 50.0, 20.0, 10.0, 5.0, 2.0, 1.0, 0.5, 0.2, 0.1)


@dataclass
class Safety:
    """How many of 1,000 people may be guessed, and who guesses; whether that was just changed, so that levels are to follow."""

    allowed: float = 10.0
    knows: Knows = "others"
    moved: bool = False

    def move(self) -> None:
        """Levels are to follow."""
        self.moved = True


@dataclass(frozen=True)
class _Found:
    """Levels that are safe enough, how precise they are, and what would bring the precision that is wanted."""

    within: WithinRisk
    precision: Precision
    ways: tuple[str, ...]


def ask(number: DeltaGenerator, observer: DeltaGenerator) -> None:
    """How many may be guessed, and by whom."""
    safety = state.of_page(Safety)
    with number:
        safety.allowed = st.select_slider(
            "Make it safer: at most",
            _ALLOWED,
            safety.allowed,
            format_func=lambda allowed: f"{allowed:g} of 1,000",
            key="risk_allowed",
            persist_state="session",
            on_change=safety.move,
            help="People of whom an answer can be guessed with 95 % certainty because of the plan, and could not be before: of every "
            "attribute at most so many. Levels follow; Undo brings the former ones back.",
        )
    safety.knows = widgets.select(
        "Guessed by someone who",
        OBSERVERS,
        "risk_knows",
        at=safety.knows,
        help="All of them know how common answers are among these people. Where nobody has answered yet, all answers are taken to be equally "
        "common.",
        where=observer,
    )


def answer(
    work: state.Work,
    plan: Plan,
    mechanism: Mechanism,
    axes: tuple[int, ...],
    margin: float,
    assumption: Assumption,
    groups: tuple[int, ...],
) -> None:
    """The levels that keep that, how precise they are, and a button that takes them into the plan."""
    safety, people = state.of_page(Safety), guessing.people(work, plan)
    share, knows, declared = safety.allowed / 1000, safety.knows, work.dataset is None

    def seek(report: Report) -> _Found | str:
        try:
            within = levels_within_risk(plan, share, knows, people=people, report=part(report, 0, 2))
        except InputError as error:
            return str(error)
        precision = precision_of(within.plan, [axes], within=groups, assumption=assumption)
        ways = []
        if precision.margin > margin:
            with suppress(InputError):  # no level is enough
                closer = level_for_precision(
                    plan, [axes], margin, within=groups, assumption=assumption, report=part(report, 1, 2)
                )
                ways.append(
                    f"{risk_of_thousand(risk_of(closer.mechanism, people, knows).share)} of 1,000 people who can be guessed"
                )
            with suppress(InputError):  # nor any number of people
                asked = people_for_precision(within.plan, [axes], margin, within=groups, assumption=assumption)
                ways += [f"{count_text(asked.plan.respondents)} people"] * declared
        return _Found(within, precision, tuple(ways))

    found = jobs.result(
        "levels_within", (plan, share, knows, axes, groups, margin, assumption, id(people)), seek, what="Looking for the levels"
    )
    if found is None:
        return
    if isinstance(found, str):
        widgets.complain(found)
        return
    present = guessing.risk(work, plan, mechanism, knows).share
    other = found.within.differs(plan)
    if safety.moved and other:
        safety.moved = False
        work.adopt_plan(found.within.plan)
        st.rerun()
    safety.moved = False
    widgets.say(found.within.risk.sentence(), bold=True)
    precision = found.precision
    if precision.margin <= margin:
        st.caption(widgets.plain(precision.precision_sentence()))
    else:
        read = precision.precision_sentence()
        if precision.margin >= 0.5:
            read = f"Nothing can then be read about {precision.question}."
        how = (
            f" That would take {' or '.join(found.ways)}." if found.ways else " Fewer attributes, or fewer categories, cost less."
        )
        widgets.warn(f"{read} You wanted ± {points(margin)}.{how}")
    if other:
        label = f"Use these levels ({risk_of_thousand(present)} of 1,000 now)"
        st.button(label, key="use_safer", on_click=work.adopt_plan, args=(found.within.plan,), icon=":material/check:")
    _observers(work, plan, mechanism)


def _observers(work: state.Work, plan: Plan, mechanism: Mechanism) -> None:
    """What each of those who guess can, of the plan in play: people who could be guessed without any release stand apart."""
    people = guessing.people(work, plan)

    def show(found: Sequence[Risk]) -> None:
        risks = {risk.knows: risk for risk in (*found, *(guessing.risk(work, plan, mechanism, knows) for knows in at_once))}
        widgets.table(
            [
                {
                    "Someone who": title,
                    "can guess, of 1,000 people": risks[knows].number if knows in risks else "not counted yet",
                    "attribute": risks[knows].name if knows in risks else "",
                    "another, without any release": risks[knows].without if knows in risks else "",
                }
                for knows, title in OBSERVERS.items()
            ]
        )

    at_once = [knows for knows in OBSERVERS if knows != "record" or people.summed]
    if people.summed:
        show([])
        return

    def count(report: Report) -> Iterator[Risk]:
        yield risk_of(mechanism, people, "record", report=report)

    jobs.on_demand(
        "risk_record",
        (plan, work.answers),
        count,
        button="Count for the whole record, too",
        icon=":material/visibility:",
        what="Counting who could be guessed",
        show=show,
        help="So many combinations are possible that releases are drawn: it takes a while.",
    )
