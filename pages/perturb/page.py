"""Perturb & estimate: one simulated release of the table, and what can be read from it."""

from functools import partial

import pandas as pd
import streamlit as st

from pages.perturb import repeats
from pages.shared import documents, guards, mechanisms, readings, state, widgets
from pages.shared.mode import demo
from rrcore import plots
from rrcore.arrays import Floats, check_cells
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate import (
    METRICS,
    PROJECTIONS,
    Estimate,
    Release,
    count_outside,
    coverage,
    estimate_csv,
    estimate_table,
    exact_blend,
    expected_shrunk_error,
    finding_beside_truth,
    metric_text,
    simulated_csv,
    simulated_file_name,
    simulated_parquet,
    simulation_mark,
    widest_margin,
    written_cell_column,
    written_cells,
)
from rrcore.limits import HOPELESS, MAX_PAGE_CELLS, MAX_ROWS, MAX_SEED, MIN_FACTOR, USELESS_MARGIN
from rrcore.schemes import perturb
from rrcore.table import Dataset, Schema
from rrcore.wording import count_text, meaning, percent

# Heading -> a column of the table of cells.
_BEFORE = {"truth": "truth", "released": "released", "shrinkage (95 %)": "shrinkage", "unbiased estimate (95 %)": "estimate"}


def choose_marginal(work: state.Work) -> tuple[str, ...]:
    names = widgets.marginal(
        work.wishes.chosen,
        work.wishes.marginal,
        work.key("marginal"),
        help="One to four attributes: the more, the smaller the groups and the larger the error.",
    )
    if not names:
        st.info("Choose one to four attributes to compare.", icon=":material/table_chart:")
        st.stop()
    work.choose_marginal(tuple(names))
    return work.wishes.marginal


def rarely_changed(work: state.Work, dataset: Dataset) -> readings.Reading:
    """What is tried, and how it is read: the number of people, the seed, the meaning of errors, the estimate that comes first."""
    with st.expander("More", icon=":material/tune:"):
        people = widgets.number(
            "What if the number of people were",
            f"whatif_{work.version}",
            min(work.wishes.people, MAX_ROWS),
            (1, MAX_ROWS),
            step=100,
            help=f"The table has {count_text(dataset.n)}. Another number draws that many people from it, with replacement, and "
            f"errors are then against the population. {meaning('population')}",
        )
        work.wish(people=people)
        seed = state.shown("seed", work.wishes.seed, lambda chosen: work.wish(seed=chosen))
        st.number_input("Seed", min_value=0, max_value=MAX_SEED, step=1, help=meaning("seed"), **seed)
        population = work.wishes.people != dataset.n or widgets.error_meaning()
        return readings.choose("perturb", population=population)


def show_one_life(dataset: Dataset, release: Release) -> None:
    """One respondent's answers: true, lied about or not, released."""
    person = widgets.number(f"Person (1 to {count_text(dataset.n)})", "person", 1, (1, dataset.n), step=1)
    true, released = dataset.codes[person - 1], release.dataset.codes[person - 1]
    attributes = dataset.schema.attributes
    widgets.table(
        {
            "Attribute": [a.name for a in attributes],
            "True answer": [a.categories[c] for a, c in zip(attributes, true, strict=True)],
            "What happened": ["kept" if t == r else "replaced at random" for t, r in zip(true, released, strict=True)],
            "Released": [a.categories[c] for a, c in zip(attributes, released, strict=True)],
        }
    )
    st.caption("Only the last column leaves the respondent. Nobody who reads it can tell which answers were replaced.")


def show_maps(schema: Schema, truth: Floats, estimate: Estimate, shown: readings.Shown) -> None:
    maps = plots.marginal_heatmaps(schema, truth, estimate.released, shown.shares, widgets.palette())
    widgets.figure(maps, "heat-maps", alt="Heat maps of truth, released, estimate and difference", truth=True)


def warn_too_few(estimate: Estimate, population: bool) -> None:
    if widest_margin(estimate.interval(population=population)) > USELESS_MARGIN:
        widgets.warn(
            "Too few respondents: the 95 % intervals are wider than the whole range of shares, so these estimates say nothing. "
            "Choose fewer attributes, raise the levels or ask more people."
        )


def show_cells(schema: Schema, truth: Floats, estimate: Estimate, reading: readings.Reading, shown: readings.Shown) -> None:
    """Every cell: truth, both estimates with their intervals, and beside them what the projections make of the unbiased one."""
    table = estimate_table(estimate, truth, population=reading.population, simultaneous=reading.at_once)
    texts = written_cells(schema, table, _BEFORE)
    texts["outside"] = ["below 0 %" if share < 0 else "above 100 %" if share > 1 else "" for share in table["estimate"]]
    widgets.table(texts | {name: written_cell_column(table, f"{name} projection") for name in PROJECTIONS})
    note_outside(estimate.shares)


def note_outside(shares: Floats) -> None:
    if outside := count_outside(shares):
        st.caption(
            f":material/info: {outside} of {shares.size} unbiased estimates lie outside 0 to 100 %, as they may. "
            "They are shown as they are; the projections put them back."
        )


def show_metrics(truth: Floats, estimate: Estimate, population: bool) -> None:
    """Every error measure for the released shares, the unbiased estimate and its projections."""
    closest = estimate.closest()
    columns = {"released": estimate.released, closest.name: closest.shares, "unbiased estimate": estimate.shares}
    columns |= {name: project(estimate.shares) for name, project in PROJECTIONS.items()}
    texts = [
        {column: metric_text(name, measure(truth, shares)) for column, shares in columns.items()}
        for name, measure in METRICS.items()
    ]
    table = pd.DataFrame(texts, index=list(METRICS))
    covered = [percent(coverage(truth, *one.interval(population=population))) for one in (closest, estimate)]
    table.loc["95 % intervals that cover the truth"] = ["", *covered, *[""] * len(PROJECTIONS)]
    st.dataframe(table, width="stretch")
    st.caption("The Hellinger distance is not defined for negative shares.")


work = state.current()
answer = widgets.header("Perturb & estimate", "If everyone's answers are randomised by this plan, what can still be seen?")
table = guards.need_dataset(work)

left, right = st.columns([1, 3], gap="large")
with left:
    names = choose_marginal(work)
    mechanism_line = st.container()
    reading = rarely_changed(work, table)
    widgets.scale_slider(work)  # directly above the figure where columns stand on top of each other
    widgets.draw_again(work)
    with mechanism_line:
        plan = guards.need_plan(work)
        option, mechanism = mechanisms.in_play(work, mechanisms.options(work, plan))
population, resampled = reading.population, work.wishes.people != table.n
chosen = guards.need_chosen(work)
people = work.remember(
    "people",
    (work.version, work.wishes.chosen, work.wishes.people, work.wishes.seed),
    lambda: chosen.resample(work.wishes.people, rng=work.rng("people")) if resampled else chosen,
)
release = work.remember(
    "release",
    (work.version, plan.with_mechanism(option.key), work.wishes.people, work.wishes.seed),
    lambda: perturb(people, mechanism, rng=work.rng()),
)
schema = table.schema.select(names)
estimate = None
with right:
    try:
        check_cells(schema.sizes, most=MAX_PAGE_CELLS)
        truth = table.shares(names)
        estimate = release.estimate(names)
    except NotIdentifiableError as error:
        widgets.complain(error)
        st.caption(
            f"No numbers are shown, because none could be trusted: with a factor |mu| below {MIN_FACTOR:g} more than "
            f"{count_text(HOPELESS)} people would be needed before what these attributes have in common rose above the noise."
        )
    except InputError as error:
        widgets.complain(error)
    if estimate is not None:
        shown = reading.of(estimate)
        answer(widgets.plain(finding_beside_truth(schema, truth, shown.shares, shown.interval, estimate.n)))
        warn_too_few(estimate, population)
        mechanisms.warn_weak(work, names, estimate.weakest, "safe_for_marginal")
        readings.draw(schema, estimate, shown, "truth-and-estimate", truth=truth)
        if resampled:
            st.caption(
                f"Truth: shares among all {count_text(table.n)} people. Released and estimate: {count_text(work.wishes.people)} "
                f"people drawn from them."
            )
        if reading.first == "shrinkage":
            trade = exact_blend(truth, estimate.channel, estimate.n, population=population)
            shrunk = expected_shrunk_error(estimate.channel, estimate.n, shares=truth, population=population)
            readings.explain(trade, truth.size, len(names), option.title, shrunk=shrunk)
        st.markdown("**Details**")
        about = (schema, truth, estimate)
        widgets.details(
            "Truth, released, estimate and difference on one scale",
            "perturb_maps",
            partial(show_maps, *about, shown),
            icon="grid_on",
        )
        widgets.details(
            "Every combination in numbers", "perturb_cells", partial(show_cells, *about, reading, shown), icon="table_rows"
        )
        widgets.details("How close is it?", "perturb_metrics", partial(show_metrics, *about[1:], population), icon="straighten")
        repeats.section(work, chosen, mechanism, names, truth, work.wishes.people if population else None)
    widgets.details("The life of one answer", "perturb_life", partial(show_one_life, people, release), icon="person")

st.divider()
st.caption(
    "The release is simulated: whoever knows the seed can undo it. It is for trying things out, not for publishing real answers."
)
if not demo():
    st.page_link("pages/release/page.py", label="Release for real instead", icon=":material/shuffle:")
with st.container(horizontal=True):
    as_csv = partial(simulated_csv, release.dataset, work.wishes.seed)
    widgets.download("Simulated release (CSV)", as_csv, simulated_file_name("release.csv"))
    as_parquet = partial(simulated_parquet, release.dataset, work.wishes.seed)
    widgets.download("The same as Parquet", as_parquet, simulated_file_name("release.parquet"), type="tertiary")
    if estimate is not None:
        mark = simulation_mark(work.wishes.seed)
        marked = partial(estimate_csv, estimate, population=population, simultaneous=reading.at_once, mark=mark)
        widgets.download("Estimate (CSV)", marked, simulated_file_name("estimate.csv"))
        widgets.download(
            "Estimate beside the truth (CSV)",
            partial(marked, truth=truth),
            simulated_file_name("estimate.csv", truth=True),
            type="tertiary",
            help="Holds true shares, and says so: for yourself, not for publishing.",
        )
    if not work.unsettled([plan.schema]):  # else it is asked on Budget
        widgets.download("Plan (JSON)", partial(plan.with_mechanism(option.key).to_json, mechanism), "plan.json")
if estimate is not None:
    documents.trial(work, plan.with_mechanism(option.key), release, population=population, simultaneous=reading.at_once)
