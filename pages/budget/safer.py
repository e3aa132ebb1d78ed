"""How safe: levels that keep the people who can be guessed few, and what that leaves to be read."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.shared import guessing, jobs, state, widgets
from rrcore.budget import Assumption, Knows, Plan, Risk, risk_of, risk_of_thousand, safer_levels
from rrcore.mechanisms import Mechanism
from rrcore.wording import count_text, points

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
    key = (plan, share, knows, axes, groups, margin, assumption, id(people))
    seek = partial(safer_levels, plan, share, knows, axes, margin, people=people, within=groups, assumption=assumption)
    found = jobs.result("levels_within", key, seek, what="Looking for the levels")
    if found is None:
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
        ways = [] if found.risk is None else [f"{risk_of_thousand(found.risk)} of 1,000 people who can be guessed"]
        if declared and found.people is not None:
            ways.append(f"{count_text(found.people)} people")
        how = f" That would take {' or '.join(ways)}." if ways else " Fewer attributes, or fewer categories, cost less."
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
    jobs.on_demand(
        "risk_record",
        (plan, work.answers),
        risk_of,
        mechanism,
        people,
        "record",
        button="Count for the whole record, too",
        icon=":material/visibility:",
        what="Counting who could be guessed",
        show=show,
        help="So many combinations are possible that releases are drawn: it takes a while.",
    )
