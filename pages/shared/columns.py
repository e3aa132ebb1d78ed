"""The editor of a table's columns: which are used, and what each becomes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from pages.shared import state
from rrcore.describe import ColumnSummary, describe
from rrcore.errors import InputError
from rrcore.recoding import ColumnRule, is_numeric, recode_column
from rrcore.wording import count

_BINNING = {
    "none": "Each number is a category",
    "equal-count": "Groups with about equally many people",
    "equal-width": "Intervals of equal width",
    "edges": "Edges that I type",
}
_MAX_BARS = 40


def editor(work: state.Work) -> None:
    """One row a column, and below it the details of one of them."""
    assert work.table is not None
    table = work.table
    summaries = work.remember("summaries", id(table), lambda: describe(table))
    key = f"columns_{work.version}"
    _apply_edits(work, st.session_state.get(key, {}).get("edited_rows", {}))
    key = f"columns_{work.version}"
    _show_problem()
    st.data_editor(
        pd.DataFrame([_row(work, summary) for summary in summaries]),
        key=key,
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


def _row(work: state.Work, summary: ColumnSummary) -> dict[str, Any]:
    rule = work.rules.get(summary.name, ColumnRule(use=False))
    size, counts, kind = summary.distinct, list(summary.counts[:_MAX_BARS]), rule.kind
    if rule.use and work.dataset is not None:
        (axis,) = work.dataset.schema.axes([summary.name])
        attribute = work.dataset.schema.attributes[axis]
        size, kind = attribute.size, attribute.kind
        people = work.remember(
            f"people_{summary.name}", work.version, lambda: pd.Series(work.dataset.codes[:, axis]).value_counts().sort_index()
        )
        counts = [int(people.get(code, 0)) for code in range(min(size, _MAX_BARS))]
    return {
        "use": rule.use,
        "name": summary.name,
        "kind": kind,
        "categories": size,
        "missing": summary.missing,
        "distribution": counts,
        "notes": " ".join(warning.message for warning in summary.warnings),
    }


def _apply_edits(work: state.Work, edits: dict[int, dict[str, Any]]) -> None:
    assert work.table is not None
    for row, changes in edits.items():
        name = work.table.names[int(row)]
        _try_rule(work, name, replace(work.rules.get(name, ColumnRule(use=False)), **changes))


def _try_rule(work: state.Work, name: str, rule: ColumnRule) -> None:
    """Adopt ``rule`` for the column; if it cannot be carried out, keep everything and remember why."""
    assert work.table is not None
    st.session_state.pop("column_problem", None)
    try:
        work.adopt_table(work.table, {**work.rules, name: rule}, work.source)
    except InputError as error:
        st.session_state["column_problem"] = str(error)
        work.version += 1


def _show_problem() -> None:
    if "column_problem" in st.session_state:
        st.error(st.session_state["column_problem"] + " Nothing was changed.", icon=":material/error:")


def _details(work: state.Work, summaries: dict[str, ColumnSummary]) -> None:
    assert work.table is not None
    st.markdown("**One column in detail**")
    name = st.selectbox("Column", list(summaries), key=f"detail_{id(work.table)}", label_visibility="collapsed")
    summary, rule = summaries[name], work.rules.get(name, ColumnRule(use=False))
    for warning in summary.warnings:
        st.warning(f"{warning.message} {warning.action}", icon=":material/warning:")
    if not rule.use:
        st.caption("This column is not used. Tick 'Use' in the table to make it an attribute.")
        return
    left, right = st.columns(2, gap="large")
    with left:
        changed = _treatment(work, name, rule)
    with right:
        changed = _categories(work, name, changed)
    if changed != rule:
        _try_rule(work, name, changed)
        st.rerun()


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
        help="Separated by commas. An empty cell is always missing; NA or None are ordinary texts unless you list them here.",
    )
    rule = replace(rule, missing_marks=tuple(mark.strip() for mark in marks.split(",") if mark.strip()))
    if column.missing or rule.missing_marks:
        treatments = {"category": "Missing is a category of its own", "drop": "Leave out people without a value"}
        chosen = st.radio(
            "Missing values",
            list(treatments),
            index=list(treatments).index(rule.missing),
            format_func=treatments.get,
            key=f"missing_{suffix}",
        )
        rule = replace(rule, missing=chosen)
    if is_numeric(column):
        binning = st.selectbox(
            "Numbers become",
            list(_BINNING),
            index=list(_BINNING).index(rule.binning),
            format_func=_BINNING.get,
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
            edges = tuple(float(part) for part in text.split(",") if part.strip())
        except ValueError:
            st.error(
                f"The edges '{text}' are not all numbers: separate them by commas, for example 18, 30, 45.",
                icon=":material/error:",
            )
            return replace(rule, edges=rule.edges or (0.0, 50.0, 100.0))
        return replace(rule, edges=edges, categories=rule.categories if edges == rule.edges else None)
    return rule


def _categories(work: state.Work, name: str, rule: ColumnRule) -> ColumnRule:
    """The list of categories, open to editing."""
    assert work.table is not None
    column = work.table.column(name)
    try:
        found, _ = recode_column(column, replace(rule, categories=None))
        declared, _ = recode_column(column, rule)
    except InputError:
        return rule
    text = st.text_area(
        "Categories, one a line, in order",
        value="\n".join(declared.categories),
        height=min(420, 60 + 24 * declared.size),
        key=f"categories_{name}_{work.version}",
        help="Add answers that are possible but did not occur, put them in order, or delete one: its people move to '(other)'.",
    )
    st.caption(
        f"{count(declared.size)} categories. A list learned from private data is itself disclosed with every release: "
        "declare the answers that were possible, not only those that occurred."
    )
    wanted = tuple(line.strip() for line in text.splitlines() if line.strip())
    if wanted == declared.categories:
        return rule
    return replace(rule, categories=None if wanted == found.categories else wanted)
