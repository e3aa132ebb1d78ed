"""Tab Estimates: the table is randomized once, and its joint distribution is estimated and compared with the truth."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from pages.shared import guards, jobs, mechanisms, simulation_code, state, widgets
from rrcore import plots
from rrcore.arrays import Floats, check_cells
from rrcore.budget import Plan
from rrcore.errors import InputError
from rrcore.estimate import Estimate, Release, estimate_csv, estimate_table, written_cells
from rrcore.limits import MAX_PAGE_CELLS, MAX_PAGE_ROWS, REPEATS
from rrcore.mark import simulated_file_name, simulation_mark
from rrcore.mechanisms import Mechanism
from rrcore.reports import trial_code
from rrcore.reports.findings import finding_next_to_truth
from rrcore.simulation import Repeat, Repeats, repeat_perturbation, simulate
from rrcore.table import INVENTED, Dataset
from rrcore.wording import eps_text, percent
from rrcore.writing import simulated_table

_GRID = (*(i / 20 for i in range(2, 20)), *(i / 10 for i in range(10, 30)), *(i / 2 for i in range(6, 17)))
"""Values of ε that can be tried next to the plan's own: steps of .05 up to 1, of .1 up to 3, of .5 up to 8."""


def show() -> None:
    work = state.current()
    guards.need_chosen(work)
    guards.need_plan(work)
    st.fragment(_trial)()


def _trial() -> None:
    """Everything on the tab: a change of its controls runs nothing else of the page."""
    work, answer = state.current(), widgets.headline()
    left, right = st.columns([1, 3], gap="large")
    with left:
        names = _marginal(work)
        plan, mechanism = _tried(work)
        view = widgets.select("Show", ("Chart", "Chart with shrinkage", "Heat map", "Table"), "simulate_view")
        st.button("Randomize again", on_click=work.draw_again, type="primary", width="stretch")
        repeats = _repeats(work, plan, mechanism, names)
    table = guards.need_chosen(work)
    schema, population = table.schema.select(names), work.draft.population
    with right:
        st.header("Truth and estimate", anchor=False)
        release = _release(work, plan, mechanism)
        try:
            check_cells(schema.sizes, most=MAX_PAGE_CELLS)
            truth, estimate = table.shares(names), release.estimate(names)
        except InputError as error:
            widgets.complain(error)
            return
        if repeats:
            found = Repeats.collect(repeats)
            answer(
                f"{percent(found.coverage)} of the confidence intervals of {len(repeats)} randomizations contain the true proportion."
            )
            name = f"mean of {len(repeats)} estimates and middle 95% of them"
            _chart(estimate, found.mean, truth, interval=found.middle, name=name, confidence=None)
        else:
            interval = estimate.interval(population=population)
            answer(finding_next_to_truth(truth, estimate.shares, interval))
            _view(view, estimate, truth, interval, population=population)
            if estimate.shares.min() < 0:
                st.caption("An unbiased estimate can fall below 0% if the true proportion is small.")
    with st.container(horizontal=True, vertical_alignment="center"):
        if work.title != INVENTED:  # invented answers were drawn once, for this session
            trial = simulation_code.trial(work, plan)
            widgets.copy_as_python(work.remember("trial_code", trial, partial(trial_code, trial)))
        _downloads(work, release, estimate, truth)
    st.caption("This is a simulation with a known seed. Do not publish it. To publish randomized data, go to Release.")


def _marginal(work: state.Work) -> tuple[str, ...]:
    """The joint distribution that is estimated."""
    names = widgets.marginal(work.draft.chosen, work.draft.marginal, work.key("marginal"))
    if not names:
        st.info("Choose one to four attributes.", icon=":material/table_chart:")
        st.stop()
    work.choose_marginal(tuple(names))
    return work.draft.marginal


def _tried(work: state.Work) -> tuple[Plan, Mechanism]:
    """The plan with the ε of the slider, which changes nothing, and its mechanism."""
    plan = guards.need_plan(work)
    own = plan.budget if plan.budget is not None else max(plan.epsilon)
    tried = st.select_slider(
        "Try another ε (does not change the plan)",
        sorted({own, *_GRID}),
        own,
        format_func=eps_text,
        key=f"try_epsilon_{work.version}_{own}",
    )
    plan = plan.scaled(tried / own) if tried != own else plan
    mechanism = mechanism_of(work, plan)
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.caption(f"Whole record: ε = {eps_text(mechanism.epsilon_total)}", width="content")
        if tried != own and st.button("Use this ε", type="tertiary"):
            _use(work, plan)
    if len(set(plan.epsilon)) > 1:
        epsilon = dict(zip(plan.schema.names, plan.epsilon, strict=True))
        each = ", ".join(f"{name} {eps_text(epsilon[name])}" for name in work.draft.marginal)
        widgets.caption(f"The slider shows the largest ε. All change by the same factor: {each}.")
    return plan, mechanism


def _use(work: state.Work, plan: Plan) -> None:
    """Make what is tried the plan, and say so."""
    if plan.budget is not None:
        work.change(total=plan.budget)
    else:
        work.set_epsilon(dict(zip(plan.schema.names, plan.epsilon, strict=True)))
    st.toast("The plan now has this ε. Undo restores the previous one.", icon=":material/check:")
    st.rerun()


def mechanism_of(work: state.Work, plan: Plan) -> Mechanism:
    """The mechanism of ``plan``, made once for every ε."""
    for option in mechanisms.options(work, plan, keys=(plan.key,)):
        if option.key == plan.key and option.mechanism is not None:
            return option.mechanism
        widgets.complain(f"{option.title}: {option.refusal} Choose another mechanism on Budget.")
    st.stop()


def _people(work: state.Work) -> tuple[Dataset, int | None]:
    """Whose answers are randomized: the table's people, or as many drawn from them as the plan is for (the number)."""
    table, n = guards.need_chosen(work), work.simulated
    return (table, None) if n == table.n else (table.resample(n, rng=work.rng("people")), n)


def _release(work: state.Work, plan: Plan, mechanism: Mechanism) -> Release[Mechanism]:
    about = (work.answers, plan, work.draft.n, work.draft.seed)
    return work.remember("simulated", about, lambda: simulate(_people(work)[0], mechanism, rng=work.draft.seed))


def _view(view: str, estimate: Estimate, truth: Floats, interval: tuple[Floats, Floats], *, population: bool) -> None:
    """The estimates as a chart, a heat map or a table. Shrinkage takes longer, so it is computed only on request."""
    if view == "Table":
        columns = {"Truth": "truth", "Randomized": "randomized", "Estimate (95% CI)": "estimate"}
        table = estimate_table(estimate, truth, population=population, projections=False)
        widgets.table(written_cells(estimate.schema, table, columns))
    elif view == "Heat map":
        figure = plots.marginal_map(estimate.schema, estimate.shares, widgets.palette())
        widgets.figure(figure, "estimates-map", alt="Estimated proportion of every combination")
    else:
        closest = estimate.closest() if view == "Chart with shrinkage" else None
        others = {} if closest is None else {closest.name: closest.shares}
        _chart(estimate, estimate.shares, truth, interval=interval, randomized=estimate.released, others=others)


def _chart(estimate: Estimate, shares: Floats, truth: Floats, **about: Any) -> None:
    """One row for each combination, the largest first."""
    place, cells, most = st.container(), min(truth.size, MAX_PAGE_ROWS), plots.MOST_CELLS
    if cells > most and st.toggle(f"Show {'all ' if cells == truth.size else ''}{cells} rows", key="simulate_all"):
        most = cells
    with place:
        figure = plots.marginal_figure(estimate.schema, shares, widgets.palette(), most=most, truth=truth, **about)
        widgets.figure(figure, "estimates", alt="Truth, randomized data and estimate of every combination", truth=True)


def _repeats(work: state.Work, plan: Plan, mechanism: Mechanism, names: Sequence[str]) -> list[Repeat]:
    """The estimates of ``REPEATS`` randomizations once they were asked for and are there."""
    population = work.draft.population
    about = (work.answers, plan, work.draft.n, work.draft.seed, tuple(names), population)
    job = jobs.find("repeats")
    if job is None or job.about != about:
        people, n = guards.need_chosen(work), work.simulated if population else None
        draw = partial(repeat_perturbation, people, mechanism, names, REPEATS, n=n, rng=work.rng("repeats"))
        st.button(f"Repeat {REPEATS} times", on_click=jobs.start, args=("repeats", about, draw), width="stretch")
        return []
    jobs.watch("repeats", "Repeating")
    if not job.running:
        st.button("Show one randomization", on_click=jobs.forget, args=("repeats",), width="stretch")
    return [] if job.running else job.pieces


def _downloads(work: state.Work, release: Release[Mechanism], estimate: Estimate, truth: Floats) -> None:
    seed = work.draft.seed
    with st.popover("Download", icon=":material/download:", type="tertiary"):
        for label, kind in (("Simulated data (CSV)", "csv"), ("Simulated data (Parquet)", "parquet")):
            made = partial(simulated_table, release.dataset, seed, kind)
            widgets.download(label, made, simulated_file_name(f"data.{kind}"), type="tertiary")
        table = partial(estimate_csv, estimate, truth, population=work.draft.population, mark=simulation_mark(seed))
        name = simulated_file_name("estimate.csv", truth=True)
        widgets.download("Estimates and truth (CSV)", table, name, type="tertiary")
