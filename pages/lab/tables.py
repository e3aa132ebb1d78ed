"""The true answers that the Lab randomizes: those of the table, or invented ones for a declared plan."""

import streamlit as st

from pages.shared import guards, state, table_choice
from rrcore.budget import Plan
from rrcore.simulation import invented_answers
from rrcore.table import Dataset
from rrcore.wording import counted


def need_people(work: state.Work) -> tuple[Dataset, Plan]:
    """Return the answers and the plan, or say what is missing; the page ends then."""
    if work.schema is None:
        table_choice.choose_first(work, "Lab")
        st.stop()
    plan = guards.need_plan(work)
    if work.dataset is not None or work.awaited is not None:
        return guards.need_chosen(work, "The Lab needs a joint distribution"), plan
    n = work.simulated
    st.caption(f"RR Workbench invents the answers of {counted(n, 'person', 'people')}, because you have no table yet.")
    about = (plan.schema, n, work.draft.seed)
    return work.remember("lab_people", about, lambda: invented_answers(plan.schema, n, rng=work.rng("invented"))), plan
