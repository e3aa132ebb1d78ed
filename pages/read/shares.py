"""Estimated shares: of everybody, within groups of randomised answers, and by a column that was not randomised."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice, product

import numpy as np
import pandas as pd
import streamlit as st

from pages.shared import jobs, readings, widgets
from rrcore import plots
from rrcore.answers import Answers, MarginalSummary, summarise_groups, summarise_model
from rrcore.answers.alone import alone_sentence
from rrcore.errors import InputError
from rrcore.estimate import count_outside, widest_margin, written_cell_column, written_cells
from rrcore.limits import MANY_CATEGORIES, USELESS_MARGIN
from rrcore.wording import Quantity, cell_label, count_text, counted, legible, meaning, percent, points, quantity_target, unbroken

_LISTED = 6  # columns
_APART = 0.0005  # shares that differ by less are told as the same


def figure(found: MarginalSummary, shown: readings.Shown, *, population: bool) -> None:
    """Released and estimated shares with intervals, and what is wrong with them where something is."""
    estimate, schema = found.estimate, found.schema
    if widest_margin(estimate.interval(population=population)) > USELESS_MARGIN:
        widgets.warn(
            "Too few answers: the 95 % intervals are wider than the whole range of shares, so these estimates say nothing. Choose fewer "
            "attributes, or collect more answers."
        )
    if found.note:
        widgets.warn(found.note)
    likeliest = {} if found.likelihood is None else {"EM (likeliest shares)": found.likelihood.shares}
    readings.draw(schema, estimate, replace(shown, beside=likeliest | shown.beside), "read-shares")


def modelled(answers: Answers, names: Sequence[str]) -> None:
    """What the model of all pairs says where the attributes cannot be inverted together."""
    model = jobs.result("read_model", id(answers), answers.model, what="Reading all pairs")
    if model is None:
        return
    found = summarise_model(answers, names, model)
    widgets.caption(f"{found.note} The table has all {count_text(found.shares.size)} combinations, the figure the largest.")
    bars = plots.marginal_bars(found.schema, None, None, found.shares, None, widgets.palette(), name="model of all pairs")
    widgets.figure(bars, "read-model", alt="Share of each combination in the model of all pairs")
    widgets.table(written_cells(found.schema, found.table(), {"Model of all pairs": "model"}))


def joint(found: MarginalSummary, reading: readings.Reading) -> None:
    """Every combination in numbers: by shrinkage, by inversion, with intervals, and by EM beside them."""
    estimate = found.estimate
    if reading.first == "shrinkage":
        readings.explain(estimate.trade, estimate.shares.size, len(found.schema.names))
        if (apart := estimate.closest().disagreement) >= _APART:
            st.caption(
                f"Read with one attribute less, sums of these shares differ by up to {points(apart)}: not all parts fit together."
            )
    if outside := count_outside(estimate.shares):
        st.caption(
            f":material/info: {outside} of {estimate.shares.size} unbiased estimates lie outside 0 to 100 %, as they may. They are "
            "shown as they are; shrinkage and EM stay between."
        )
    table = found.table(population=reading.population, simultaneous=reading.at_once)
    both = {"Shrinkage (95 %)": "shrinkage", "Unbiased (95 %)": "estimate"}
    columns = {"Released (weighted)" if estimate.weighted else "Released": "released people"}
    columns |= {name: both[name] for name in sorted(both, reverse=reading.first == "unbiased")}
    columns |= {"EM": "EM"}
    widgets.table(written_cells(found.schema, table, columns))
    if estimate.beside is None:
        st.caption("What was reported, which is not the answers themselves:")
        reports = found.reports()
        people = {"Released": written_cell_column(reports, "released people")}
        widgets.table({name: reports[name] for name in list(reports)[: len(found.schema.names)]} | people)
    if found.likelihood is not None:
        ended = "converged" if found.likelihood.converged else "was stopped before it converged"
        st.caption(
            f"Unbiased estimate: {meaning('unbiased estimate')} EM finds the shares that make the released answers likeliest: always between "
            f"0 and 100 %, but not unbiased. It {ended} after {counted(found.likelihood.iterations, 'iteration', 'iterations')}."
        )


def more_answers(found: MarginalSummary) -> None:
    """How many answers an error of one's choice would take."""
    wanted = widgets.number(
        "How many answers for an error of at most (points)",
        "read_wanted",
        3.0,
        (0.01, 50.0),
        step=0.5,
        help="95 % intervals of every share above reach at most this far to each side.",
    )
    try:
        people, n = found.estimate.people_for(wanted / 100), found.estimate.n
    except InputError as error:  # of one answer: nothing was done wrong, so it is no complaint
        widgets.caption(str(error))
        return
    now = widest_margin(found.estimate.interval(population=True))
    if people <= n:
        st.markdown(
            unbroken(f"Reached: with {count_text(n)} answers no share is off by more than ± {points(now)} (95 % of the time).")
        )
    else:
        st.markdown(
            unbroken(
                f"**{count_text(people - n)} more answers**, {count_text(people)} in all. Now the widest interval is ± {points(now)}."
            )
        )


def within(found: MarginalSummary, *, population: bool) -> None:
    """Shares among people with the same answers to some of the attributes."""
    names = list(found.schema.names)
    if len(names) < 2:
        st.info(
            "Choose at least two attributes: one makes the groups, the other is looked at within them.", icon=":material/info:"
        )
        return
    given = st.selectbox(
        "Among people with the same true answer to", names, format_func=legible, key=f"read_given_{hash(tuple(names))}"
    )
    table = found.conditional_table([given], population=population)
    answers = dict(zip(names, table.values(), strict=False))
    rows = pd.DataFrame({name: answers[name] for name in [given, *(name for name in names if name != given)]})
    shares, margins = table["share within the group"], table["margin"]
    rows["Share within the group (95 %)"] = [
        "too few to tell" if share is None else f"{percent(share)} ± {points(half)}"
        for share, half in zip(shares, margins, strict=True)
    ]
    widgets.table(rows.sort_values(given, kind="stable", key=lambda column: column.map(_order(found, given))))
    st.caption(
        "Estimated shares add up to 100 % in every group. The answers that make the groups were randomised as well, which the intervals "
        "take into account. Groups whose own share may be 0 are left out."
    )


def by_column(answers: Answers, names: Sequence[str], *, population: bool) -> None:
    """Show an estimate for each value of a column that was not randomised."""
    columns = _columns(answers)
    _tell_crowded(answers)
    if not columns:
        st.info(
            "The answers came without other columns that have few values. A table with, for example, a region that was not randomised could "
            "be read region by region here.",
            icon=":material/info:",
        )
        return
    widgets.caption(alone_sentence([column for column in answers.groupings if column.name in columns]))
    column = st.selectbox(
        "By", columns, format_func=legible, key=f"read_by_{hash(tuple(columns))}", help="A column that was not randomised."
    )
    _groups(answers, answers.split(column), names, population=population)


def _columns(answers: Answers) -> list[str]:
    """Columns that make groups, as far as is known before they are counted."""
    others = [column for column in answers.groupings if column.name != answers.columns.weights]
    return [column.name for column in others if 1 < len(column.values) <= MANY_CATEGORIES]


def _tell_crowded(answers: Answers) -> None:
    """Which columns have more values than are read, and what to do."""
    crowded = [column.name for column in answers.groupings if len(column.values) > MANY_CATEGORIES]
    if crowded:
        listed = ", ".join(crowded[:_LISTED]) + (f" and {len(crowded) - _LISTED} more" if len(crowded) > _LISTED else "")
        widgets.caption(
            f"By columns of more than {MANY_CATEGORIES} different values answers are not read here ({listed}): group or round the values "
            "before the table is chosen."
        )


@widgets.complaining
def _groups(answers: Answers, parts: Mapping[str, Answers], names: Sequence[str], *, population: bool) -> None:
    """The share of one combination in each group, drawn and in numbers."""
    schema = answers.mechanism.schema.select(names)
    cells = list(product(*(attribute.categories for attribute in schema.attributes)))
    cell = st.selectbox(
        "Share of",
        cells,
        index=len(cells) - 1,
        format_func=lambda one: legible(cell_label(one)),
        key=f"read_cell_{hash(tuple(cells))}",
    )
    if len(parts) > MANY_CATEGORIES:
        st.caption(f"The first {MANY_CATEGORIES} of {counted(len(parts), 'group', 'groups')} are shown.")
        parts = dict(islice(parts.items(), MANY_CATEGORIES))
    found = summarise_groups(parts, names, cell, population=population)
    labels = [f"{one.value} ({counted(one.n, 'answer', 'answers')})" for one in found]
    shares, low, high = (np.array([getattr(one, what) for one in found]) for what in ("share", "low", "high"))
    figure = plots.group_intervals_figure(labels, shares, (low, high), widgets.palette(), of=cell_label(cell))
    widgets.figure(figure, "read-groups", alt=f"Estimated share of {cell_label(cell)} in each group")
    share = Quantity("share", cell_label(cell), quantity_target(population))
    widgets.table({"Group": labels, "Share (95 %)": [share.estimated(one.share, one.low, one.high) for one in found]})


def _order(found: MarginalSummary, name: str) -> dict[str, int]:
    (attribute,) = found.schema.select([name]).attributes
    return {category: code for code, category in enumerate(attribute.categories)}
