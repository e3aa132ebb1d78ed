"""The editor of a table's columns: which are used, and what each becomes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import pandas as pd
import streamlit as st

from pages.shared import state, widgets
from rrcore.errors import InputError
from rrcore.table import Binning, ColumnRule, ColumnSummary, contingency, describe, is_numeric, recode_column
from rrcore.wording import count_text

_BINNING: dict[Binning, str] = {
    "none": "Each number is a category",
    "equal-count": "Groups of about the same number of people",
    "equal-width": "Intervals of equal width",
    "edges": "Edges that I type",
}
_MISSING: dict[Literal["category", "drop"], str] = {
    "category": "Missing is a category of its own",
    "drop": "Leave out people without a value",
}
_MAX_BARS = 40


def editor(work: state.Work) -> None:
    """One row per column, and below it the details of one of them."""
    assert work.table is not None
    table = work.table
    summaries = work.remember("summaries", table, lambda: describe(table))
    for problem in _apply_edits(work, st.session_state.get(_key(work), {}).get("edited_rows", {})):
        widgets.complain(f"{problem} Nothing was changed.")
    st.data_editor(
        pd.DataFrame([_row(work, summary) for summary in summaries]),
        key=_key(work),
        hide_index=True,
        disabled=["name", "categories", "missing", "distribution", "notes"],
        column_config={
            "use": st.column_config.CheckboxColumn("Use", width="small", help="Whether the column becomes an attribute."),
            "name": st.column_config.TextColumn("Name"),
            "kind": st.column_config.SelectboxColumn(
                "Kind",
                options=["nominal", "ordinal"],
                width="small",
                help="Ordinal: the order of the categories means something.",
            ),
            "categories": st.column_config.NumberColumn("Categories", width="small", format="localized"),
            "missing": st.column_config.NumberColumn(
                "Missing", width="small", format="localized", help="People without a value."
            ),
            "distribution": st.column_config.BarChartColumn("Distribution", y_min=0, help="People in each category."),
            "notes": st.column_config.TextColumn("Look at", width="large", help="Details and what to do are below the table."),
        },
    )
    _details(work, {summary.name: summary for summary in summaries})


def _key(work: state.Work) -> str:
    return f"columns_{work.version}"


def _row(work: state.Work, summary: ColumnSummary) -> dict[str, Any]:
    rule = work.rules.get(summary.name, ColumnRule(use=False))
    size, counts, kind = summary.distinct, list(summary.counts[:_MAX_BARS]), rule.kind
    if rule.use and work.dataset is not None:
        (axis,) = work.dataset.schema.axes([summary.name])
        attribute = work.dataset.schema.attributes[axis]
        size, kind = attribute.size, attribute.kind
        dataset = work.dataset
        people = work.remember(f"people_{summary.name}", work.version, lambda: contingency(dataset, [summary.name]).tolist())
        counts = people[:_MAX_BARS]
    return {
        "use": rule.use,
        "name": summary.name,
        "kind": kind,
        "categories": size,
        "missing": summary.missing,
        "distribution": counts,
        "notes": " ".join(warning.message for warning in summary.warnings),
    }


def _apply_edits(work: state.Work, edits: dict[int, dict[str, Any]]) -> list[str]:
    """Adopt what was changed in the table; returns the sentences about what could not be."""
    assert work.table is not None
    problems = []
    for row, changes in edits.items():
        name = work.table.names[int(row)]
        rule = replace(work.rules.get(name, ColumnRule(use=False)), **changes)
        try:
            work.adopt_table(work.table, {**work.rules, name: rule}, work.source)
        except InputError as error:
            problems.append(str(error))
    if edits:
        work.version += 1
    return problems


def _details(work: state.Work, summaries: dict[str, ColumnSummary]) -> None:
    assert work.table is not None
    st.markdown("**One column in detail**")
    name = st.selectbox("Column", list(summaries), key=f"detail_{hash(work.table.names)}", label_visibility="collapsed")
    summary, rule = summaries[name], work.rules.get(name, ColumnRule(use=False))
    for warning in summary.warnings:
        widgets.warn(f"{warning.message} {warning.action}")
    if not rule.use:
        st.caption("This column is not used. Tick 'Use' in the table to make it an attribute.")
        return
    left, right = st.columns(2, gap="large")
    try:
        with left:
            changed = _treatment(work, name, rule)
        with right:
            changed = _categories(work, name, changed)
        if changed != rule:
            work.adopt_table(work.table, {**work.rules, name: changed}, work.source)
            st.rerun()
    except InputError as error:
        widgets.complain(f"{error} Nothing was changed.")


def _treatment(work: state.Work, name: str, rule: ColumnRule) -> ColumnRule:
    """Missing values, bins and rare categories."""
    assert work.table is not None
    column = work.table.column(name)
    suffix = f"{name}_{work.version}"
    marks = st.text_input(
        "Texts that also mean 'missing'",
        value=", ".join(rule.missing_marks),
        key=f"marks_{suffix}",
        placeholder="for example ?, NA",
        help="Separated by commas. An empty cell is always missing; NA or None are ordinary text unless you list them here.",
    )
    rule = replace(rule, missing_marks=tuple(mark.strip() for mark in marks.split(",") if mark.strip()))
    if column.missing or rule.missing_marks:
        chosen = st.radio(
            "Missing values",
            list(_MISSING),
            index=list(_MISSING).index(rule.missing),
            format_func=_MISSING.__getitem__,
            key=f"missing_{suffix}",
        )
        rule = replace(rule, missing=chosen)
    if is_numeric(column):
        binning = st.selectbox(
            "Numbers become",
            list(_BINNING),
            index=list(_BINNING).index(rule.binning),
            format_func=_BINNING.__getitem__,
            key=f"bin_{suffix}",
        )
        rule = _bins(replace(rule, binning=binning, categories=rule.categories if binning == rule.binning else None), suffix)
    below = st.number_input(
        "Merge categories with fewer people than",
        min_value=0,
        step=10,
        value=rule.merge_below,
        key=f"merge_{suffix}",
        help="They become one category '(other)'. 0 merges nothing.",
    )
    return replace(rule, merge_below=int(below))


def _bins(rule: ColumnRule, suffix: str) -> ColumnRule:
    if rule.binning in ("equal-count", "equal-width"):
        bins = int(st.number_input("Number of groups", min_value=2, max_value=100, value=rule.bins, key=f"bins_{suffix}"))
        return replace(rule, bins=bins, categories=rule.categories if bins == rule.bins else None)
    if rule.binning == "edges":
        text = st.text_input(
            "Edges, increasing",
            value=", ".join(f"{edge:g}" for edge in rule.edges) or "0, 50, 100",
            key=f"edges_{suffix}",
            help="Separated by commas, for example 18, 30, 45, 65. Numbers outside get a category of their own.",
        )
        try:
            edges = tuple(float(part) for part in text.replace(";", ",").split(",") if part.strip())
        except ValueError:
            raise InputError(
                f"The edges '{text}' are not all numbers: separate them by commas, for example 18, 30, 45."
            ) from None
        return replace(rule, edges=edges, categories=rule.categories if edges == rule.edges else None)
    return rule


def _categories(work: state.Work, name: str, rule: ColumnRule) -> ColumnRule:
    """The list of categories, open to editing."""
    assert work.table is not None
    column = work.table.column(name)
    learned = replace(rule, categories=None)
    found, _ = recode_column(column, learned)
    declared, _ = recode_column(column, rule)
    text = st.text_area(
        "Categories, one per line, in order",
        value="\n".join(declared.categories),
        height=min(420, 60 + 24 * declared.size),
        key=f"categories_{name}_{work.version}_{hash(learned)}",
        help="Add answers that are possible but did not occur, put them in order, or delete one: its people move to '(other)'.",
    )
    st.caption(
        f"{count_text(declared.size)} categories. A list learned from private data is itself disclosed with every release: "
        "declare the answers that were possible, not only those that occurred."
    )
    wanted = tuple(line.strip() for line in text.splitlines() if line.strip())
    if not wanted:
        raise InputError(f"The list of categories of '{name}' is empty: list the possible answers, one per line.")
    if wanted == declared.categories:
        return rule
    return replace(rule, categories=None if wanted == found.categories else wanted)
