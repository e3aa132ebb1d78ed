"""The table of a table's columns: which are in play, what each becomes, and advice that fits, at one press."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from pages.data import detail
from pages.shared import names, state, widgets
from rrcore.errors import InputError
from rrcore.limits import MAX_TEXT
from rrcore.table import ColumnRule, TextColumn, TextTable, advise, recode
from rrcore.table.recoding import Advice
from rrcore.wording import counted, legible

_MAX_BARS = 40
_SHOWN = 4
_MOST_OFFERED = 50  # pieces of advice, the first few of them at once
_MOST_REASONS = 50
_FEW = 8  # rows to look at


def editor(work: state.Work) -> None:
    """One row per column; below it advice, and the details of one of them."""
    for problem in _apply_edits(work, st.session_state.get(_key(work), {}).get("edited_rows", {})):
        widgets.complain(f"{problem} Nothing was changed.")
    assert work.table is not None
    table = work.table
    advice = {column.name: advise(column, _rule(work, column.name)) for column in table.columns}
    able = tuple(name for name in table.names if _rule(work, name).use or not advice[name])
    st.markdown(widgets.plain(_in_play(work, able)))
    _use_all(work, able)
    if unnamed := sum(name == f"Column {i}" for i, name in enumerate(table.names, 1)):
        one = unnamed == 1
        widgets.warn(
            f"{counted(unnamed, 'column has', 'columns have')} no name of {'its' if one else 'their'} own: type "
            f"{'one' if one else 'names'} into the table, since names stand in every form, certificate and report."
        )
    rows = pd.DataFrame([_row(work, column, advice[column.name]) for column in table.columns])
    reasons = {name: note for name, note in zip(table.names, rows["notes"], strict=True) if note}
    st.data_editor(
        rows.drop(columns=[name for name in ("question", "notes") if not rows[name].any()]),
        key=_key(work),
        hide_index=True,
        disabled=["question", "categories", "missing", "distribution", "notes"],
        column_config={
            "in play": st.column_config.CheckboxColumn(
                "In play", width="small", help="Whether the column is one of the questions that are planned for."
            ),
            "name": st.column_config.TextColumn(
                "Name",
                required=True,
                max_chars=MAX_TEXT,
                help="As it stands in forms, certificates and reports: type another one here.",
            ),
            "question": st.column_config.TextColumn("Asked as"),
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
            "notes": st.column_config.TextColumn("Look at", width="large"),
        },
    )
    widgets.swipe("columns")
    offered = [one for found in advice.values() for one in found if one.rule is not None]
    _advise(work, offered)
    seen = {(one.column, one.message) for one in offered[:_MOST_OFFERED]}
    _tell({name: reason for name, reason in reasons.items() if (name, reason) not in seen})
    names.beside_columns(work)
    widgets.details(f"{_FEW} of the rows", "data_rows", lambda: _some_rows(work, table), icon="table_rows")
    with st.expander("One column in detail: groups, missing values, categories and what they are called"):
        detail.editor(work, advice)


def _use_all(work: state.Work, able: tuple[str, ...]) -> None:
    """A button that plans for every column that can be an attribute as it is, where some of them are not in play."""
    assert work.table is not None
    if set(able) <= set(work.wishes.chosen):
        return
    which = "" if len(able) == len(work.table.names) else " that can be used"
    if st.button(f"Use all {len(able)} columns{which}", key="data_use_all", icon=":material/select_all:"):
        try:
            rules = {name: replace(_rule(work, name), use=True) for name in able}
            work.adopt_table(work.table, {**work.rules, **rules}, work.source)
        except InputError as error:
            widgets.complain(f"{error} Nothing was changed.")
            return
        work.choose_attributes(able)
        work.version += 1
        st.rerun()


def _tell(reasons: Mapping[str, str]) -> None:
    """What the last column of the table says, in full, since a cell shows its beginning only."""
    if not reasons:
        return
    with st.expander(f"{counted(len(reasons), 'column', 'columns')} to look at, and why", icon=":material/rule:"):
        for name, reason in list(reasons.items())[:_MOST_REASONS]:
            st.markdown(f"**{widgets.plain(name)}:** {widgets.plain(reason)}")
        if len(reasons) > _MOST_REASONS:
            st.caption(f"And {len(reasons) - _MOST_REASONS} more, which the table has.")


def _some_rows(work: state.Work, table: TextTable) -> None:
    """A few rows as they were read, drawn at random, for this session alone."""
    chosen = np.sort(work.rng("rows to look at").choice(table.n, min(_FEW, table.n), replace=False))
    widgets.table({column.name: [_cell(column, int(column.codes[row])) for row in chosen] for column in table.columns})
    st.caption(
        "Drawn at random, as they were read; an empty cell is a missing value. They are shown in this session, and kept nowhere."
    )


def _cell(column: TextColumn, code: int) -> str:
    return column.values[code] if code >= 0 else ""


def _key(work: state.Work) -> str:
    return f"columns_{work.version}"


def _rule(work: state.Work, name: str) -> ColumnRule:
    return work.rules.get(name, ColumnRule(use=False))


def _in_play(work: state.Work, able: tuple[str, ...]) -> str:
    """How many of the columns are in play, and why not the others; "" where all are. Attributes can be those that are ``able``."""
    assert work.table is not None
    every, chosen = work.table.names, set(work.wishes.chosen)
    more = [name for name in able if name not in chosen]
    unable = [name for name in every if name not in able]
    if not more and not unable:
        return ""
    text = f"{len(chosen)} of {len(every)} columns are in play"
    if more:
        at_first = ", at first the first that can be" if chosen == set(able[: state.FIRST_CHOICE]) else ""
        text += f"{at_first}: every answer that is given adds to what a record gives away. {_some(more)} can be too"
    if unable:
        text += f". {_some(unable)} {'is' if len(unable) == 1 else 'are'} left out, for the reason in the last column"
    return f"{text}. Tick or untick them here."


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:_SHOWN])
    return shown + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


def _row(work: state.Work, column: TextColumn, advice: tuple[Advice, ...]) -> dict[str, Any]:
    rule = _rule(work, column.name)
    size, counts, kind = len(column.values), column.counts[:_MAX_BARS].tolist(), rule.kind
    if rule.use and work.dataset is not None:
        (axis,) = work.dataset.schema.axes([column.name])
        attribute = work.dataset.schema.attributes[axis]
        size, kind = attribute.size, attribute.kind
        dataset = work.dataset
        people = work.remember(f"people_{column.name}", work.version, lambda: dataset.counts([column.name]).tolist())
        counts = people[:_MAX_BARS]
    notes = [one.message for one in advice]
    if rule.use and rule.edges:
        notes.append(f"{len(column.values):,} numbers in {len(rule.edges) + 1} intervals.")
    if not rule.use and not notes:
        notes.append("Not in play.")
    return {
        "in play": column.name in work.wishes.chosen,
        "name": legible(column.name),
        "question": legible(column.question),
        "kind": kind,
        "categories": size,
        "missing": column.missing,
        "distribution": counts,
        "notes": " ".join(notes),
    }


def _apply_edits(work: state.Work, edits: dict[int, dict[str, Any]]) -> list[str]:
    """Adopt what was changed in the table; returns the sentences about what could not be."""
    assert work.table is not None
    problems = []
    for row, changes in edits.items():
        name = work.table.names[int(row)]
        rule = _rule(work, name)
        if "name" in changes:
            try:
                name = rename_column(work, name, str(changes["name"] or ""))
            except InputError as error:
                problems.append(str(error))
                continue
        if not {"kind", "in play"} & set(changes):
            continue
        if "kind" in changes:
            rule = replace(rule, kind=changes["kind"])
        wanted = changes.get("in play", rule.use)
        try:
            if wanted and name not in work.wishes.chosen and "in play" in changes:
                adopt(work, name, replace(rule, use=True))
                work.choose_attributes(tuple(n for n in work.table.names if n in {*work.wishes.chosen, name}))
            else:
                adopt(work, name, replace(rule, use=wanted))
        except InputError as error:
            problems.append(str(error))
    if edits:
        work.version += 1
    return problems


def rename_column(work: state.Work, old: str, new: str) -> str:
    """Call a column ``new``, keeping its treatment, its level and all that was asked about it; gives the name as it stands then.

    Raises InputError, and changes nothing, where another column has that name, or it is empty or too long.
    """
    assert work.table is not None
    place = work.table.names.index(old)
    table = work.table.renamed({work.table.columns[place].read_as or old: new})
    name = table.names[place]
    rules = {name if key == old else key: rule for key, rule in work.rules.items()}
    dataset = recode(table, rules)

    def renamed(asked: Any) -> Any:
        """What is asked for, by the new name: values by names of attributes, names, or tuples of names."""
        if isinstance(asked, Mapping):
            return {name if known == old else known: value for known, value in asked.items()}
        if isinstance(asked, tuple):
            return tuple(name if known == old else renamed(known) for known in asked)
        return asked

    work.table, work.schema = table, dataset.schema
    work.wish(**{each.name: renamed(getattr(work.wishes, each.name)) for each in fields(work.wishes)})
    work.adopt_table(table, rules, work.source)
    return name


def adopt(work: state.Work, name: str, rule: ColumnRule) -> None:
    """Treat the column by that rule. Raises InputError, and changes nothing, where that leaves no table."""
    assert work.table is not None
    work.adopt_table(work.table, {**work.rules, name: rule}, work.source)


def _advise(work: state.Work, advice: list[Advice]) -> None:
    """What can be done about columns at one press, each beside its name."""
    for i, one in enumerate(advice[:_SHOWN]):
        _one(work, one, i)
    if len(advice) > _SHOWN:
        with st.expander(f"{counted(len(advice) - _SHOWN, 'more column', 'more columns')} to look at"):
            for i, one in enumerate(advice[_SHOWN:_MOST_OFFERED], _SHOWN):
                _one(work, one, i)


def _one(work: state.Work, one: Advice, number: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"advice_{number}"):
        st.markdown(f"**{widgets.plain(one.column)}:** {widgets.plain(one.message)}", width="content")
        if one.rule is not None and st.button(one.action, key=f"advise_{work.version}_{number}"):
            try:
                adopt(work, one.column, one.rule)
            except InputError as error:
                widgets.complain(f"{error} Nothing was changed.")
                return
            if one.column not in work.wishes.chosen and one.rule.use and work.table is not None:
                work.choose_attributes(tuple(n for n in work.table.names if n in {*work.wishes.chosen, one.column}))
                work.version += 1
            st.rerun()
