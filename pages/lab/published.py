"""The published heuristic on the plan: requested and achieved ε of each attribute, next to the lowest total ε."""

import streamlit as st

from pages.shared import jobs, state, widgets
from rrcore.budget import Plan, build, recipe
from rrcore.mechanisms import Heuristic, Mechanism
from rrcore.wording import counted, eps_text, epsilon_text, total_text


def show(work: state.Work, plan: Plan) -> None:
    """Show the heuristic with the attributes in the order of the columns, or in a shuffled order."""
    k = len(plan.epsilon)
    turn = int(
        widgets.number(
            "Order of the attributes",
            "lab_order",
            0,
            (0, 1000),
            help="0 keeps the order of the columns. The result of the heuristic depends on the order.",
        )
    )
    order = list(range(k)) if turn == 0 else work.rng("order of attributes", turn).permutation(k).tolist()
    sizes, epsilon = [plan.schema.sizes[i] for i in order], [plan.epsilon[i] for i in order]
    found = Heuristic.from_epsilon(sizes, epsilon)
    optimum: Mechanism | None = jobs.result(
        "lab_optimum", (plan.schema, plan.epsilon), build, "optimal", plan.schema.sizes, plan.epsilon
    )
    number = len(found.violations)
    exceeded = counted(number, "attribute exceeds", "attributes exceed") if number else "No attribute exceeds"
    lowest = f" {recipe('optimal').title} needs {eps_text(optimum.epsilon_total)} and keeps every requested ε." if optimum else ""
    st.markdown(
        f"The heuristic needs ε = {eps_text(found.epsilon_total)} for the whole record. **{exceeded}** the requested ε.{lowest}"
    )
    bad = set(found.violations)
    widgets.table(
        {
            "Attribute": [plan.schema.names[i] for i in order],
            "Requested ε": [epsilon_text(eps) for eps in epsilon],
            "Achieved ε": [total_text(eps) for eps in found.epsilon],
            "Requested ε kept": ["no" if i in bad else "yes" for i in range(k)],
        }
    )
