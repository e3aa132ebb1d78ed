"""Synthesize: a table rebuilt from randomized answers, next to the true one."""

from functools import partial

import streamlit as st

from pages.lab import tables
from pages.shared import jobs, state, widgets
from rrcore import plots
from rrcore.limits import MAX_EPSILON
from rrcore.mark import simulated_file_name
from rrcore.papers.lopub import (
    SOURCES,
    Filters,
    LopubCollection,
    compare_edges,
    half_l1_by_width,
    simulate_collection,
)
from rrcore.table import Dataset
from rrcore.wording import counted, eps_text, points
from rrcore.writing import simulated_table

_LEAST = 0.1
_HINT = (
    "Choose the estimator of the joint distributions. It estimates a few attributes at a time and combines them into one table."
)


def show() -> None:
    work = state.current()
    answer = widgets.headline()
    people, plan = tables.need_people(work)
    left, right = st.columns([2, 5])
    with left, widgets.card("Method", hint=_HINT):
        source = widgets.select("Joint distributions from", SOURCES, "synthesize_source")
        usual = max(_LEAST, round(sum(plan.epsilon) / len(plan.epsilon), 2))
        eps = widgets.slider("ε per answer", f"synthesize_eps_{usual:g}", usual, (_LEAST, min(MAX_EPSILON, 10.0)), step=0.1)
        phi = widgets.slider(
            "Dependency degree φ",
            "synthesize_phi",
            0.2,
            (0.05, 0.6),
            step=0.05,
            help="Pairs with a weaker association get no edge in the dependency graph.",
        )
        names = widgets.marginal(people.schema.names, work.draft.marginal, f"synthesize_marginal_{work.version}")
    filters = Filters(4, (128,) * people.k)
    about = (work.answers, work.draft.chosen, source, eps, work.draft.seed)
    with right, widgets.card("True and synthetic shares", key="lab_synthesis"):
        collect = partial(simulate_collection, source, people, eps, filters=filters, rng=work.rng("collection"))
        found = jobs.result("synthesize_collected", about, collect, what="Estimating every pair")
        if found is None:
            return
        made = jobs.result(
            "synthesize_made",
            (about, phi),
            partial(found.synthesize, phi, people.n, rng=work.rng("synthesis")),
            what="Building the synthetic table",
        )
        if made is None:
            return
        errors = work.remember("synthesize_errors", id(made), lambda: _errors(work, found, made))
        answer(_sentence(found, made, errors, phi))
        _compare(found.train, made, names or people.schema.names[:1])
    with widgets.card("Distance from the true table"):
        widgets.table(
            [{"Number of attributes": str(w), "Mean total variation distance": points(error)} for w, error in errors.items()]
        )
        widgets.download(
            "Download synthetic table",
            partial(simulated_table, made, work.draft.seed, truth=source == "truth"),
            simulated_file_name("synthetic.csv", truth=source == "truth"),
        )


def _errors(work: state.Work, found: LopubCollection, made: Dataset) -> dict[int, float]:
    widths = [w for w in (1, 2, 3, 4) if w <= made.k]
    return half_l1_by_width(found.train, made, widths, rng=work.rng("synthetic errors"))


def _sentence(found: LopubCollection, made: Dataset, errors: dict[int, float], phi: float) -> str:
    """Return the distance on pairs, the dependencies that were found, and the privacy loss, as Markdown."""
    edges, price = compare_edges(found.graph(phi), found.true_graph(phi)), found.source.price
    strong = len(edges.correct) + len(edges.lost)
    every = counted(strong, "strong association", "strong associations")
    spent = (
        f"At ε = {eps_text(price.alone)} per answer and {eps_text(price.total)} for the whole record"
        if price
        else "Without protection"
    )
    error = points(errors[2], "percentage points")
    return f"{spent}, the synthetic distribution of a pair differs from the true one by **{error}** on average. " + (
        f"The method finds {len(edges.correct)} of the {every}." if strong else "The true table has no strong association."
    )


def _compare(true: Dataset, synthetic: Dataset, names: tuple[str, ...] | list[str]) -> None:
    shares = [table.shares(names) for table in (true, synthetic)]
    schema, name = true.schema.select(names), "synthetic"
    figure = plots.marginal_figure(schema, shares[1], widgets.palette(), truth=shares[0], name=name)
    widgets.figure(figure, "synthetic-marginal", alt=f"True and synthetic shares of {', '.join(names)}", truth=True)
    if shares[0].size > plots.MOST_CELLS:
        st.caption(f"The figure shows the {plots.MOST_CELLS} largest of {shares[0].size} combinations.")
