"""Budget, tab Plan: ε in, what each mechanism costs the whole record and how accurate results will be out."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.budget import attributes, constraints, figures
from pages.budget import mechanism as mechanism_card
from pages.shared import browser_tab, guards, jobs, mechanisms, projects, state, undo, verdict, widgets
from rrcore.budget import Plan, accuracy, largest_epsilon_not_weak, smallest_epsilon_usable


@st.fragment
def show() -> None:
    """Draw the page from its attributes on: everything else follows from them.

    A fragment answers a move of the slider a quarter sooner than the whole script. So it ends as the script does.
    """
    work = state.current()
    top = widgets.place("verdict_place")
    left, right = st.container(key="plan").columns([5, 8])
    with left:
        attributes.card(work)
    with right:
        hint = "Choose how answers are randomized. The longer the bar, the more a record reveals."
        box, row = widgets.card_with_row("Mechanism", hint=hint)
        with box:
            plan = guards.need_plan(work)
            options = mechanisms.options(work, plan)
        option, mechanism = mechanisms.in_play(work, options)
        plan = plan.with_(mechanism=option.key)
        with row, st.container(horizontal=True, vertical_alignment="center", width="content"):
            if several := len(plan.epsilon) > 1:
                st.caption("Pair", width="content")
            pair = mechanism_card.choose_pair(work, plan, label_visibility="collapsed", width=190)
        with row, st.container(horizontal=True, vertical_alignment="center", width="content"):
            st.caption("Sample size", width="content")
            mechanism_card.ask_people(work)
        with box:
            mechanism_card.table(work, plan, options, pair)
            guessed = st.container() if work.dataset is None else widgets.place("guessed")
        if several:
            figures.pairs(work, plan, mechanism, pair)
    with top, verdict.show(plan, mechanism):
        _searches(work, plan, pair)
    with left:
        points = figures.curves(work, plan, options, pair)
    st.caption(mechanism_card.NOT_COVERED)
    constraints.section(work)
    margin = accuracy(plan, mechanism, population=work.draft.population).margins[pair]
    with st.container(horizontal=True):
        figures.equal(points, pair, mechanism.epsilon_total, float(margin))
        widgets.copy_as_python(_code(work, plan))
    work.seen_plan = work.plan()
    with guessed:  # last, since it takes longest
        mechanism_card.people_guessed(work, plan, mechanism)
    undo.end()
    browser_tab.end("tab_plan")


def _searches(work: state.Work, plan: Plan, pair: tuple[int, int]) -> None:
    """Two buttons that look for ε, and what they have found."""
    moderate = partial(largest_epsilon_not_weak, rows=work.draft.rows_per_person)
    _search(work, plan, "Find largest ε with moderate protection", "shield", moderate)
    if pair[0] != pair[1]:
        usable = partial(smallest_epsilon_usable, pair=pair, population=work.draft.population)
        _search(work, plan, "Find smallest ε for a usable pair", "straighten", usable)
    job = jobs.find("search_epsilon")
    if job is not None and job.about == plan:
        jobs.watch("search_epsilon", "The search for ε")
        found: Plan | None = jobs.finished("search_epsilon", plan)
        if found is not None:
            jobs.forget("search_epsilon")
            work.adopt_plan(found)
            st.rerun()


def _search(work: state.Work, plan: Plan, label: str, icon: str, search: Callable[[Plan], Plan]) -> None:
    start = partial(jobs.start, "search_epsilon", plan, search, plan)
    st.button(label, icon=f":material/{icon}:", type="tertiary", on_click=start)


def _code(work: state.Work, plan: Plan) -> str:
    """The lines of Python that give the same plan."""
    source = f'rr.load_demo("{projects.demo_of(work)}")' if work.source == "demo" else 'rr.read_table("table.csv")'
    levels, alike = dict(zip(plan.schema.names, plan.epsilon, strict=True)), len(set(plan.epsilon)) == 1
    epsilon = f"{plan.epsilon[0]:g}" if alike else repr({name: round(each, 4) for name, each in levels.items()})
    given = f"budget={plan.budget:g}, workload={list(plan.workload)}" if plan.budget is not None else f"epsilon={epsilon}"
    how = f', mechanism="{plan.mechanism}"' + (f", preserve={plan.preserve}" if plan.preserve else "")
    return "\n".join(
        [
            "import rrcore as rr",
            f"table = {source}.select({list(plan.schema.names)})",
            f"plan = rr.Plan(table, {given}, n={plan.n}{how})",
            "print(plan.compare())",
            "mechanism = plan.build()",
        ]
    )
