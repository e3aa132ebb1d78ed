"""One column in detail: its name, how it is treated, its categories and what they are called."""

from dataclasses import replace
from typing import Literal

import pandas as pd
import streamlit as st

from pages.shared import state, widgets
from rrcore.asking.typed import one_valued_questions, question_rules, write_question
from rrcore.errors import InputError
from rrcore.limits import MAX_TEXT
from rrcore.table import ColumnRule, TextColumn, TextTable
from rrcore.table.recoding import Advice, recode_in_groups, recoded_counts
from rrcore.table.text_table import to_numbers
from rrcore.wording import count_text, legible, meaning

_INTERVALS = {
    True: "Intervals with rounded edges, or edges that I type",
    False: "Each number is a category",
}
_TOLD = {
    True: "Edges are proposed as round numbers from where eight of ten people are: they tell the order of magnitude, and nobody's number. "
    "Both ends are open, and every interval is there whether or not somebody is in it.",
    False: "Whoever gets a form, a file or a report reads every number that somebody gave, the lowest and the highest among them.",
}
"""What the names of categories that are made so give away."""
_MISSING: dict[Literal["category", "drop"], str] = {
    "category": "Missing is a category of its own",
    "drop": "Leave out people without a value",
}
_BREAKS = str.maketrans({"\n": "\u21b5", "\r": "\u240d"})


def editor(work: state.Work, advice: dict[str, tuple[Advice, ...]]) -> None:
    """Choose a column; see and change what becomes of it."""
    assert work.table is not None
    first = next((i for i, name in enumerate(advice) if name in work.wishes.chosen), 0)
    name = st.selectbox(
        "Column",
        list(advice),
        index=first,
        format_func=legible,
        key=f"detail_{hash(work.table.names)}",
        label_visibility="collapsed",
        help=meaning("column"),
    )
    column, rule = work.table.column(name), work.rules.get(name, ColumnRule(use=False))
    if column.question:
        widgets.caption(column.question)
    for one in advice[name]:
        widgets.warn(one.message)
    try:
        if not rule.use:
            _unused(work, work.table, column)
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


def _unused(work: state.Work, table: TextTable, column: TextColumn) -> None:
    """A column that is no attribute; one with a single answer becomes one when others are declared."""
    name = column.name
    if not one_valued_questions([column]):
        st.caption("This column is not used. Tick 'In play' in the table to make it an attribute.")
        return
    text = st.text_input(
        f"Possible answers of {widgets.plain(name)}",
        value=write_question(name, column.values).removeprefix(write_question(name, ())),
        key=f"lone_{name}_{work.version}",
        help="Separated by commas. Everybody gave the same one: with the others that were possible, the column can be an attribute.",
    )
    if st.button("Use these answers"):
        question = write_question(name, ()) + text
        work.adopt_table(table, {**work.rules, **question_rules([column], question)}, work.source)
        work.choose_attributes(tuple(n for n in table.names if n in {*work.wishes.chosen, name}))
        work.version += 1
        st.rerun()


def _treatment(work: state.Work, column: TextColumn, rule: ColumnRule) -> ColumnRule:
    """Missing values, bins and rare categories."""
    suffix = f"{column.name}_{work.version}"
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
    if to_numbers(column.values) is not None:
        binned = st.selectbox(
            "Numbers become",
            list(_INTERVALS),
            index=list(_INTERVALS).index(bool(rule.edges)),
            format_func=_INTERVALS.__getitem__,
            key=f"bin_{suffix}",
        )
        st.caption(_TOLD[binned])
        if binned != bool(rule.edges):
            rule = recode_in_groups(column, rule) if binned else replace(rule, edges=(), categories=None)
        rule = _edges(rule, suffix)
    below = st.number_input(
        "Merge categories with fewer people than",
        min_value=0,
        step=10,
        value=rule.merge_below,
        key=f"merge_{suffix}",
        help="They become one category '(other)'. 0 merges nothing.",
    )
    return replace(rule, merge_below=int(below))


def _edges(rule: ColumnRule, suffix: str) -> ColumnRule:
    if not rule.edges:
        return rule
    text = st.text_input(
        "Edges, increasing",
        value=", ".join(f"{edge:.15g}" for edge in rule.edges),
        key=f"edges_{suffix}",
        help="Separated by commas, for example 18, 30, 45, 65. Numbers below the first, and from the last on, have one, too.",
    )
    try:
        edges = tuple(float(part) for part in text.replace(";", ",").split(",") if part.strip())
    except ValueError:
        raise InputError(f"The edges '{text}' are not all numbers: separate them by commas, for example 18, 30, 45.") from None
    if not edges:
        raise InputError("The list of edges is empty. Type at least one number, for example 40.")
    return replace(rule, edges=edges, categories=rule.categories if edges == rule.edges else None)


def _called(work: state.Work, column: TextColumn, rule: ColumnRule) -> ColumnRule:
    """What values are called: a table in which each can be given another name."""
    found, people = recoded_counts(column, replace(_learned(column, rule), labels=(), merge_below=0))
    values = found.categories
    called = dict(rule.labels)
    start = pd.DataFrame(
        {
            "value": [legible(value) for value in values],
            "called": [called.get(value, value) for value in values],
            "people": people,
        }
    )
    edited = st.data_editor(
        start,
        key=f"called_{column.name}_{work.version}_{hash(rule)}",
        hide_index=True,
        disabled=["value", "people"],
        height=min(320, 38 + 36 * len(values)),
        column_config={
            "value": st.column_config.TextColumn("Value"),
            "called": st.column_config.TextColumn("Is called", max_chars=MAX_TEXT, help="Two values with one name become one."),
            "people": st.column_config.NumberColumn("People", format="localized", width="small"),
        },
    )
    new = {
        value: str(label).strip() for value, label in zip(values, edited["called"], strict=True) if label and str(label).strip()
    }
    labels = tuple((value, label) for value, label in new.items() if label != value)
    if labels == tuple((value, label) for value, label in called.items() if value in values and label != value):
        return rule
    other = {called.get(value, value): new.get(value, value) for value in values}
    kept = rule.categories and tuple(dict.fromkeys(other.get(category, category) for category in rule.categories))
    return replace(rule, labels=labels, categories=kept)


def _on_one_line(category: str) -> str:
    """A category in a list that has one a line."""
    return category.translate(_BREAKS)


def _learned(column: TextColumn, rule: ColumnRule) -> ColumnRule:
    """The rule by which categories are those that occur; where only one does, the declared ones stay."""
    return rule if one_valued_questions([column]) else replace(rule, categories=None)


def _categories(work: state.Work, column: TextColumn, rule: ColumnRule) -> ColumnRule:
    """The list of categories, open to editing."""
    name = column.name
    learned = _learned(column, rule)
    found, _ = recoded_counts(column, learned)
    declared, _ = recoded_counts(column, rule)
    lines = {_on_one_line(category): category for category in declared.categories}
    shown = "\n".join(map(_on_one_line, declared.categories))
    text = st.text_area(
        "Categories, one per line, in order",
        value=shown,
        height=min(420, 60 + 24 * declared.size),
        key=f"categories_{name}_{work.version}_{hash(learned)}",
        help="Add answers that are possible but did not occur, put them in order, or delete one: its people move to '(other)'.",
    )
    st.caption(
        f"{count_text(declared.size)} categories. A list learned from private data is itself disclosed with every release: "
        "declare the answers that were possible, not only those that occurred."
    )
    if text == shown:
        return rule
    wanted = tuple(lines.get(line.strip(), line.strip()) for line in text.split("\n") if line.strip())
    if not wanted:
        raise InputError(f"The list of categories of '{name}' is empty: list the possible answers, one per line.")
    if wanted == declared.categories:
        return rule
    return replace(rule, categories=None if wanted == found.categories else wanted)
