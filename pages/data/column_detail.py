"""One column in detail: missing values, intervals, categories and their names."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Literal

import pandas as pd
import streamlit as st

from pages.shared import state, widgets
from rrcore.errors import InputError
from rrcore.limits import MAX_TEXT
from rrcore.table import ColumnRule, TextColumn
from rrcore.table.recoding import recode_in_groups, recoded_counts
from rrcore.table.text_table import to_numbers
from rrcore.wording import legible

_INTERVALS = {True: "Intervals", False: "One category per number"}
_MISSING: dict[Literal["category", "drop"], str] = {
    "category": "Missing is a category",
    "drop": "Leave out people without a value",
}
_BREAKS = str.maketrans({"\n": "\u21b5", "\r": "\u240d"})


def editor(work: state.Work) -> None:
    """Choose a column, and change what becomes of it."""
    assert work.table is not None
    names = work.table.names
    first = next((i for i, name in enumerate(names) if name in work.draft.chosen), 0)
    name = st.selectbox("Column", names, first, legible, key=f"detail_{hash(names)}")
    column, rule = work.table.column(name), work.rules.get(name, ColumnRule(use=False))
    try:
        if not rule.use:
            widgets.caption(f"'{name}' is not used. Tick 'Include' in the table to make it an attribute.")
            return
        left, right = st.columns(2, gap="large")
        with left:
            changed = _called(work, column, _treatment(work, column, rule))
        with right:
            changed = _categories(work, column, changed)
        if changed != rule:
            work.adopt_table(work.table, {**work.rules, name: changed}, work.source)
            st.rerun()
    except InputError as error:
        widgets.complain(f"{error} Nothing was changed.")


def _treatment(work: state.Work, column: TextColumn, rule: ColumnRule) -> ColumnRule:
    """Missing values, intervals and rare categories."""
    suffix = f"{column.name}_{work.version}"
    marks = st.text_input(
        "Texts that mean 'missing'",
        ", ".join(rule.missing_marks),
        key=f"marks_{suffix}",
        help="Separated by commas, for example ?, NA. An empty cell is always missing.",
    )
    rule = replace(rule, missing_marks=tuple(mark.strip() for mark in marks.split(",") if mark.strip()))
    if column.missing or rule.missing_marks:
        at = list(_MISSING).index(rule.missing)
        chosen = st.radio("Missing values", list(_MISSING), at, _MISSING.__getitem__, key=f"missing_{suffix}")
        rule = replace(rule, missing=chosen)
    if to_numbers(column.values) is not None:
        binned = st.selectbox(
            "Numbers become",
            list(_INTERVALS),
            list(_INTERVALS).index(bool(rule.edges)),
            _INTERVALS.__getitem__,
            key=f"bin_{suffix}",
            help="Rounded limits reveal only orders of magnitude. Single numbers appear in every form, file and report.",
        )
        if binned != bool(rule.edges):
            rule = recode_in_groups(column, rule) if binned else replace(rule, edges=(), categories=None)
        rule = _edges(rule, suffix)
    below = st.number_input(
        "Merge categories with fewer people than",
        0,
        step=10,
        value=rule.merge_below,
        key=f"merge_{suffix}",
        help="These categories become '(other)'. 0 merges nothing.",
    )
    return replace(rule, merge_below=int(below))


def _edges(rule: ColumnRule, suffix: str) -> ColumnRule:
    if not rule.edges:
        return rule
    text = st.text_input(
        "Limits of the intervals, increasing",
        ", ".join(f"{edge:.15g}" for edge in rule.edges),
        key=f"edges_{suffix}",
        help="Separated by commas, for example 18, 30, 45, 65. The first and the last interval are open.",
    )
    try:
        edges = tuple(float(part) for part in text.replace(";", ",").split(",") if part.strip())
    except ValueError:
        raise InputError(
            f"The limits '{text}' are not all numbers. Separate numbers with commas, for example 18, 30, 45."
        ) from None
    if not edges:
        raise InputError("The list of limits is empty. Type at least one number, for example 40.")
    return replace(rule, edges=edges, categories=rule.categories if edges == rule.edges else None)


def _called(work: state.Work, column: TextColumn, rule: ColumnRule) -> ColumnRule:
    """A table in which each value can be given another name."""
    found, people = recoded_counts(column, replace(_learned(column, rule), labels=(), merge_below=0))
    values, called = found.categories, dict(rule.labels)
    names = [called.get(value, value) for value in values]
    key, table = f"called_{column.name}_{work.version}_{hash(rule)}", work.table

    def renamed(texts: Iterable[str | None]) -> ColumnRule:
        new = {value: str(label).strip() for value, label in zip(values, texts, strict=True) if label and str(label).strip()}
        labels = tuple((value, label) for value, label in new.items() if label != value)
        if labels == tuple((value, label) for value, label in called.items() if value in values and label != value):
            return rule
        other = {called.get(value, value): new.get(value, value) for value in values}
        kept = rule.categories and tuple(dict.fromkeys(other.get(category, category) for category in rule.categories))
        return replace(rule, labels=labels, categories=kept)

    def take() -> None:  # so that a change counts in a table of names that is just replaced
        edits = st.session_state.get(key, {}).get("edited_rows", {})
        changed = renamed([edits.get(i, {}).get("name", name) for i, name in enumerate(names)])
        if table is not None and table is work.table:
            with suppress(InputError):  # which the page shows
                work.adopt_table(table, {**work.rules, column.name: changed}, work.source)

    edited = st.data_editor(
        pd.DataFrame({"value": [legible(value) for value in values], "name": names, "people": people}),
        key=key,
        on_change=take,
        hide_index=True,
        disabled=["value", "people"],
        height=min(320, 38 + 36 * len(values)),
        column_config={
            "value": st.column_config.TextColumn("Value"),
            "name": st.column_config.TextColumn(
                "Name", max_chars=MAX_TEXT, help="Values with the same name become one category."
            ),
            "people": st.column_config.NumberColumn("People", format="localized", width="small"),
        },
    )
    return renamed(edited["name"])


def _learned(column: TextColumn, rule: ColumnRule) -> ColumnRule:
    """The rule by which categories are those that occur. If only one does, the declared ones stay."""
    return rule if len(column.values) < 2 else replace(rule, categories=None)


def _categories(work: state.Work, column: TextColumn, rule: ColumnRule) -> ColumnRule:
    """The list of categories, open to editing."""
    learned = _learned(column, rule)
    found, _ = recoded_counts(column, learned)
    declared, _ = recoded_counts(column, rule)
    lines = {category.translate(_BREAKS): category for category in declared.categories}
    shown = "\n".join(category.translate(_BREAKS) for category in declared.categories)
    text = st.text_area(
        "Categories, one per line, in order",
        shown,
        height=min(420, 60 + 24 * declared.size),
        key=f"categories_{column.name}_{work.version}_{hash(learned)}",
        help="List the answers that were possible, not only those that occurred. People in a deleted category move to '(other)'.",
    )
    if text == shown:
        return rule
    wanted = tuple(lines.get(line.strip(), line.strip()) for line in text.split("\n") if line.strip())
    if not wanted:
        raise InputError(f"The list of categories of '{column.name}' is empty. List the possible answers, one per line.")
    if wanted == declared.categories:
        return rule
    return replace(rule, categories=None if wanted == found.categories else wanted)
