"""Ways to find dependence without seeing answers, compared with the truth."""

import math
from functools import partial
from itertools import combinations

import pandas as pd
import streamlit as st

from pages.shared import jobs, state, widgets
from rrcore import plots
from rrcore.arrays import Floats
from rrcore.budget import Plan
from rrcore.dependence import (
    NEIGHBOURS,
    DependenceEstimate,
    estimate_secretly,
)
from rrcore.limits import MAX_MARKS, MAX_SECRET_PEOPLE
from rrcore.mechanisms import Mechanism
from rrcore.schemes import dependence_after_release
from rrcore.table import Dataset
from rrcore.wording import amount_range_text, count_text, minus, total_text

_WIDE = 0.5  # an interval of V as wide as this says next to nothing


def released_routes(work: state.Work, dataset: Dataset, plan: Plan, mechanism: Mechanism) -> list[DependenceEstimate] | None:
    """The two routes that need nothing but the release; None while they are at work."""
    seek = partial(dependence_after_release, dataset, mechanism, rng=work.rng())
    found: list[DependenceEstimate] | None = jobs.result(
        "routes", (work.answers, plan, work.wishes.seed), seek, what="Looking for dependence"
    )
    return found


def show(work: state.Work, dataset: Dataset, plan: Plan, routes: list[DependenceEstimate], truth: Floats) -> None:
    """The ``routes``, and once a button asks for them also those by secure sum, which take a while: found against true, and their cost."""
    jobs.on_demand(
        "secret_routes",
        (work.answers, plan.schema, plan.levels, work.wishes.seed),
        partial(estimate_secretly, dataset, plan.levels, rng=work.rng("secure sum routes")),
        button="Add the routes by secure sum (4.2, 4.3)",
        icon=":material/lock:",
        disabled=dataset.n > MAX_SECRET_PEOPLE,
        help="Simulates a secure sum for every combination of every pair, which takes some seconds; for at most "
        f"{count_text(MAX_SECRET_PEOPLE)} people.",
        what="The simulation of secure sums",
        show=lambda pieces: _compare(dataset, [*routes, *pieces], truth),
    )


def _compare(dataset: Dataset, routes: list[DependenceEstimate], truth: Floats) -> None:
    """Found against true, then what every route costs."""
    names = dataset.schema.names
    figure = plots.dependence_agreement_figure(truth, routes, names, widgets.palette())
    widgets.figure(figure, "agreement", alt="Dependence found by each route against the true one", truth=True)
    st.caption(
        (
            "One mark per pair"
            if math.comb(len(names), 2) <= MAX_MARKS
            else f"The {MAX_MARKS:,} most dependent pairs, one mark for each pair"
        )
        + " of attributes; on the dotted line, what was found is the truth. Bars: 95 % intervals from the pair's own "
        "release; the estimate itself also uses what all pairs have in common and how strong dependence is among them. Under strong "
        "protection, strong dependence may come out too weak: any value in the interval is plausible."
    )
    rows = []
    for route in routes:
        rank, bias = route.agreement(truth)
        rows.append(
            {
                "Route": route.title,
                "Rank correlation": "" if math.isnan(rank) else minus(f"{rank:.2f}"),
                "Median error": "" if math.isnan(bias) else minus(f"{bias:+.3f}"),
                "Cost (nats)": "no bound" if math.isinf(route.cost) else total_text(route.cost),
                "Cost as published": "no bound" if math.isinf(route.claimed) else total_text(route.claimed),
                "Numbers sent": f"{route.messages:.3g}" if route.messages >= 10**7 else count_text(route.messages),
            }
        )
    widgets.table(rows)
    st.markdown("\n".join(f"- {route.title}: {route.note[0].lower()}{route.note[1:]}" for route in routes))
    st.caption(
        "Rank correlation: whether the order of the pairs is right, 1 at best. Cost: what finding out gives away about one respondent, by "
        "sequential composition: the levels of everything that is sent are added. Routes other than the debiased one come before the "
        "release they are for, so their cost is added to its total. Numbers sent: by all parties together, everybody with everybody in a "
        f"secure sum; simulated here with {NEIGHBOURS} partners on each side of a ring, which gives the same sums."
    )


def table(dataset: Dataset, found: DependenceEstimate, truth: Floats) -> None:
    """Every pair in numbers."""
    names = dataset.schema.names
    assert found.low is not None
    assert found.high is not None
    rows = []
    for i, j in combinations(range(dataset.k), 2):
        low, high = found.low[i, j], found.high[i, j]
        value, _, ends = amount_range_text(found.v[i, j], low, high).partition(" ")
        known = not math.isnan(found.v[i, j])
        rows.append(
            {
                "Pair": f"{names[i]} with {names[j]}",
                "True V": f"{truth[i, j]:.3f}",
                "Found": value if known else "not identifiable",
                "95 % interval": ends.strip("()") if known else "",
                "Note": "its own release says next to nothing" if high - low > _WIDE else "",
            }
        )
    with st.expander("Every pair in numbers", icon=":material/table_rows:"):
        widgets.table(pd.DataFrame(rows).sort_values("True V", ascending=False))
