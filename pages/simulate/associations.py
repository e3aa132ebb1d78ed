"""Tab Associations: how strongly attributes are associated, estimated from randomized data and in other ways."""

from dataclasses import dataclass, field
from functools import partial
from itertools import product
from statistics import mode

import numpy as np
import pandas as pd
import streamlit as st

from pages.shared import guards, jobs, state, widgets
from pages.simulate.estimates import mechanism_of
from rrcore import plots
from rrcore.arrays import Floats, cell_numbers
from rrcore.association import (
    DependenceEstimate,
    PairTables,
    cluster_attributes,
    estimate_secretly,
    measure_pairs,
    run_secure_sum,
)
from rrcore.budget import Plan
from rrcore.limits import MAX_CLUSTER_CELLS, MAX_SECRET_PEOPLE
from rrcore.mechanisms import Blocks
from rrcore.simulation import dependence_after_release, generator
from rrcore.table import Dataset
from rrcore.wording import cell_label, count_text, eps_text, minus, percent

_PARTIES, _MODULUS = 5, 97
TRUE = "Truth"


@dataclass
class Found:
    """The last estimates, which stay in the figure until there are new ones, and the attributes that they are about."""

    about: object = None
    estimates: list[DependenceEstimate] = field(default_factory=list)


def show() -> None:
    work = state.current()
    guards.need_chosen(work, "An association needs two attributes")
    guards.need_plan(work)
    st.fragment(_tab)()


def _tab() -> None:
    work, answer = state.current(), widgets.headline()
    table, plan, last = guards.need_chosen(work), guards.need_plan(work), state.of_page(Found)
    mechanism = mechanism_of(work, plan)
    about = (work.answers, work.draft.chosen)
    truth = work.remember("true_associations", about, lambda: _true(table))
    left, right = st.columns([1, 3], gap="large")
    with left:
        place = widgets.place("association_place")
        st.button("Randomize again", on_click=work.draw_again, type="primary", width="stretch")
        exact = _jointly(work, table, plan)
    with right:
        seek = partial(dependence_after_release, table, mechanism, rng=generator(work.draft.seed))
        found = jobs.result("associations", (about, plan, work.draft.seed), seek, what="Estimating associations")
    if found is not None:
        last.about, last.estimates = about, found
    elif last.about == about:
        found = last.estimates
    if found is None:
        return
    known = [*found, *exact]
    maps = {one.title: one.v for one in found} | {TRUE: truth} | {one.title: one.v for one in exact}
    shown = widgets.select("Show", list(maps), "association_view", where=place)
    with right:
        answer(widgets.plain(found[0].sentence(truth)))
        chance = found[0].chance if shown == found[0].title else None
        figure = plots.dependence_map(maps[shown], table.schema.names, widgets.palette(), chance=chance)
        widgets.figure(figure, "association", alt="Cramér's V of every pair of attributes", truth=shown == TRUE)
        if note := plots.drawn_note(table.k, "attributes of the most associated pairs"):
            st.caption(note)
    _methods(known, truth)
    _clusters(table, plan, found[0].v)
    widgets.details("How respondents compute a joint sum", "joint_sum", partial(_joint_sum, work, table), icon="communication")


def _true(table: Dataset) -> Floats:
    return measure_pairs(PairTables.count(table.codes, table.schema.sizes))


def _jointly(work: state.Work, table: Dataset, plan: Plan) -> list[DependenceEstimate]:
    """The estimates for which respondents compute sums jointly, as far as they are there."""
    jobs.on_demand(
        "joint_sums",
        (work.answers, plan.schema, plan.epsilon, work.draft.seed),
        partial(estimate_secretly, table, plan.epsilon, rng=work.rng("secure sum routes")),
        button="Compare with joint sums",
        icon=":material/lock:",
        disabled=table.n > MAX_SECRET_PEOPLE,
        help=f"Simulates at most {count_text(MAX_SECRET_PEOPLE)} respondents who compute sums together without a trusted party.",
        what="The simulation of joint sums",
        show=lambda pieces: None,
    )
    return [] if jobs.at_work("joint_sums") else jobs.pieces("joint_sums")


def _methods(known: list[DependenceEstimate], truth: Floats) -> None:
    """How near each method comes to the truth, and what it costs."""
    hint = (
        "Compare how well each method orders the pairs of attributes, and which ε it needs. The first two methods use the randomized "
        "answers alone."
    )
    with widgets.card("Methods", hint=hint):
        widgets.prose_table(
            [
                {
                    "Method": one.title,
                    "Rank correlation with the truth": minus(f"{rank:.2f}"),
                    "Median error of Cramér's V": minus(f"{error:+.3f}"),
                    "ε of the record": "no bound" if np.isinf(one.cost) else eps_text(one.cost),
                    "Messages": count_text(one.messages),
                }
                for one in known
                for rank, error in [one.agreement(truth)]
            ]
        )


def _clusters(table: Dataset, plan: Plan, v: Floats) -> None:
    """Clusters of attributes that could be randomized jointly."""
    names, sizes = table.schema.names, table.schema.sizes
    hint = "Attributes of one cluster are randomized jointly, which preserves their associations. The ε of the record stays the same."
    with widgets.card("Clusters", hint=hint):
        left, right = st.columns([1, 3], gap="large")
        with left:
            least = widgets.slider("Smallest Cramér's V in a cluster", "cluster_least", 0.3, (0.0, 1.0), step=0.05)
            cells = widgets.number("Combinations per cluster, at most", "cluster_cells", 100, (2, MAX_CLUSTER_CELLS))
        clusters = cluster_attributes(v, sizes, max_cells=cells, min_dependence=least)
        made = Blocks.rr_clusters(sizes, plan.epsilon, clusters)
        with right:
            widgets.prose_table(
                [
                    {
                        "Cluster": ", ".join(names[i] for i in members),
                        "Combinations": count_text(table.schema.select([names[i] for i in members]).cells),
                        "ε": eps_text(part.epsilon_total),
                        "Unchanged": percent(float(1 - part.lies.max())),
                    }
                    for members, part in zip(clusters, made.parts, strict=True)
                ]
            )


def _joint_sum(work: state.Work, table: Dataset) -> None:
    """Every message of the first few people, who count how many of them gave one pair of answers."""
    asked, people = table.select(table.schema.names[:2]), range(1, min(_PARTIES, table.n) + 1)
    numbers = cell_numbers(asked.codes[: len(people)], asked.schema.sizes).tolist()
    cell = mode(numbers)
    inputs = np.array([[int(number == cell)] for number in numbers])
    transcript = run_secure_sum(inputs, rng=work.rng("secure sum"), modulus=_MODULUS)
    answers = cell_label(list(product(*(attribute.categories for attribute in asked.schema.attributes)))[cell])
    shown = pd.DataFrame(transcript.shares[:, :, 0], columns=[f"To {other}" for other in people])
    shown.insert(0, "Person", list(people))
    shown.insert(1, "Own number", inputs[:, 0])
    shown["Announces"] = transcript.broadcasts[:, 0]
    widgets.table(shown)
    widgets.caption(
        f"Each person has the number 1 for the answers “{answers}” and 0 for all others. Each person sends everyone a random share, and the "
        f"shares of one person add up to 0. Then each person announces the own number plus all shares received. The announced numbers add "
        f"up to {transcript.total[0]} modulo {_MODULUS}. They reveal nothing else."
    )
