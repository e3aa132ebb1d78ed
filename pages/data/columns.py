"""What each column becomes: one row for each, the questions about them in one box, and one column in detail."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from pages.data import column_detail
from pages.shared import category_names, state, widgets
from pages.shared.uploads import Asked
from rrcore.errors import InputError
from rrcore.limits import MAX_TEXT
from rrcore.table import ColumnRule, TextColumn, TextTable, advise, recode
from rrcore.table.recoding import Advice
from rrcore.wording import counted, legible

_MAX_BARS = 40
_SHOWN = 4
_MOST = 50  # questions
_Question = tuple[str, Callable[[], None] | None]

_KINDS = {"nominal": "nominal", "ordinal": "ordinal"}
_ROW_KINDS = {"counts": "This column holds counts", "weights": "This column holds weights"}


@dataclass
class Refused:
    """What was wrong with changes in the table of columns that the page has not shown yet."""

    problems: list[str] = field(default_factory=list)


def show(work: state.Work, problems: list[str]) -> None:
    """Show the columns, and what was wrong with the last changes."""
    assert work.table is not None
    with widgets.card(
        "Columns",
        hint="Each included column adds to what a record reveals. Ordinal means that the categories have an order.",
    ):
        for problem in problems:
            widgets.complain(f"{problem} Nothing was changed.")
        _table(work, work.table.columns)
        able = tuple(name for name, advice in _advice(work).items() if _rule(work, name).use or not advice)
        if not set(able) <= set(work.draft.chosen) and st.button(f"Include all {len(able)} usable columns", key="include_all"):
            _try(partial(_include, work, {name: replace(_rule(work, name), use=True) for name in able}))


def details(work: state.Work) -> None:
    """What becomes of one column, behind an expander."""
    widgets.details("One column in detail", "data_detail", lambda: column_detail.editor(work), icon="tune")


def _advice(work: state.Work) -> dict[str, tuple[Advice, ...]]:
    assert work.table is not None
    return {column.name: advise(column, _rule(work, column.name)) for column in work.table.columns}


def _table(work: state.Work, columns: tuple[TextColumn, ...]) -> None:
    rows = pd.DataFrame([_row(work, column) for column in columns])
    if not rows["question"].any():
        rows = rows.drop(columns="question")
    kinds = _KINDS | (_ROW_KINDS if work.source == "upload" else {})
    st.data_editor(
        rows,
        key=_key(work),
        on_change=partial(_take, work, _key(work), work.table),  # so that changes count in a table that is just replaced
        hide_index=True,
        height=min(400, 37 + 35 * len(rows)),
        disabled=["question", "categories", "missing", "distribution"],
        column_config={
            "include": st.column_config.CheckboxColumn("Include", width="small"),
            "name": st.column_config.TextColumn("Name", required=True, max_chars=MAX_TEXT),
            "question": st.column_config.TextColumn("Question"),
            "kind": st.column_config.SelectboxColumn("Kind", options=list(kinds), format_func=lambda kind: kinds[str(kind)]),
            "categories": st.column_config.NumberColumn("Categories", width="small", format="localized"),
            "missing": st.column_config.NumberColumn("Missing", width="small", format="localized"),
            "distribution": st.column_config.BarChartColumn("Distribution", y_min=0, help="People in each category."),
        },
    )
    widgets.swipe("columns")


def _row(work: state.Work, column: TextColumn) -> dict[str, Any]:
    rule = _rule(work, column.name)
    size, counts, kind = len(column.values), column.counts[:_MAX_BARS].tolist(), rule.kind
    if rule.use and work.dataset is not None:
        dataset = work.dataset
        (attribute,) = dataset.schema.select([column.name]).attributes
        size, kind = attribute.size, attribute.kind
        people = work.remember(f"people_{column.name}", work.version, lambda: dataset.counts([column.name]).tolist())
        counts = people[:_MAX_BARS]
    return {
        "include": column.name in work.draft.chosen,
        "name": legible(column.name),
        "question": legible(column.question),
        "kind": kind,
        "categories": size,
        "missing": column.missing,
        "distribution": counts,
    }


def questions(work: state.Work) -> None:
    """Show one line for each thing to decide about the table, with what settles it at one press."""
    assert work.table is not None
    asked: list[_Question] = [(text, None) for text in filter(None, [work.dropped and f"{work.dropped} Undo brings it back."])]
    unnamed = sum(name == f"Column {i}" for i, name in enumerate(work.table.names, 1))
    if unnamed:
        asked.append((f"{counted(unnamed, 'column has', 'columns have')} no name. Type names into the table above.", None))
    if work.schema is not None and work.unsettled([work.schema]):
        asked.append(("", partial(category_names.beside_columns, work)))
    found = [one for several in _advice(work).values() for one in several]
    for one in sorted(found, key=lambda one: one.rule is None):
        asked.append((f"'{one.column}': {one.message}", partial(_button, work, one) if one.rule is not None else None))
    asked += [(reason, None) for reason in work.table.left_out]
    if not asked:
        return
    with widgets.card(
        "Questions about the file", key="data_questions", hint="Each question needs one decision. A button applies the proposal."
    ):
        _lines(asked[:_SHOWN])
        if len(asked) > _SHOWN:
            with st.expander(f"{len(asked) - _SHOWN} more"):
                _lines(asked[_SHOWN:_MOST])


def _lines(asked: list[_Question]) -> None:
    for text, decide in asked:
        with st.container(horizontal=True, vertical_alignment="center"):
            if text:
                st.markdown(widgets.plain(text))
            if decide is not None:
                decide()


def _button(work: state.Work, one: Advice) -> None:
    if one.rule is not None and st.button(one.action, key=f"advise_{work.version}_{one.column}_{one.code}"):
        _try(partial(_include if one.rule.use else _adopt, work, {one.column: one.rule}))


def _try(change: Callable[[], None]) -> None:
    """Make a change and run the page again, or show why it cannot be made."""
    try:
        change()
    except InputError as error:
        widgets.complain(f"{error} Nothing was changed.")
    else:
        st.rerun()


def _adopt(work: state.Work, rules: dict[str, ColumnRule]) -> None:
    assert work.table is not None
    work.adopt_table(work.table, {**work.rules, **rules}, work.source)


def _include(work: state.Work, rules: dict[str, ColumnRule]) -> None:
    """Treat columns by these rules, and plan for them."""
    assert work.table is not None
    _adopt(work, rules)
    work.choose_attributes(tuple(name for name in work.table.names if name in {*work.draft.chosen, *rules}))
    work.version += 1


def _key(work: state.Work) -> str:
    return f"columns_{work.version}"


def _rule(work: state.Work, name: str) -> ColumnRule:
    return work.rules.get(name, ColumnRule(use=False))


def apply_edits(work: state.Work) -> list[str]:
    """Adopt what was changed in the table of columns. Return what was wrong with changes since the last call."""
    _take(work, _key(work), work.table)
    refused = state.of_page(Refused)
    problems, refused.problems = refused.problems, []
    return problems


def _take(work: state.Work, key: str, table: TextTable | None) -> None:
    """Adopt the changes in the table of columns with this key, which shows the columns of ``table``."""
    edits = st.session_state.get(key, {}).get("edited_rows", {})
    if table is None or work.table is None or table.columns[0].codes is not work.table.columns[0].codes:
        return
    for row, changes in edits.items():
        try:
            _apply(work, work.table.columns[int(row)], changes)
        except InputError as error:
            state.of_page(Refused).problems.append(str(error))
    if edits:
        work.version += 1


def _apply(work: state.Work, column: TextColumn, changes: dict[str, Any]) -> None:
    name = column.name
    if "name" in changes:
        name = rename_column(work, name, str(changes["name"] or ""))
    if (kind := changes.get("kind")) in _ROW_KINDS:
        reading = state.of_page(Asked).reading
        if reading.found is None:
            raise InputError("The file is no longer in this session. Upload it again.")
        reading.give(str(kind), column.read_as or column.name)
        reading.asks = True
        return
    rule = replace(_rule(work, name), kind=kind) if kind else _rule(work, name)
    wanted = changes.get("include")
    if wanted:
        _include(work, {name: replace(rule, use=True)})
    elif kind or wanted is not None:
        _adopt(work, {name: replace(rule, use=rule.use if wanted is None else False)})


def rename_column(work: state.Work, old: str, new: str) -> str:
    """Call a column ``new``, and keep all that was decided about it. Return its name.

    Raises InputError, and changes nothing, if another column has that name, or it is empty or too long.
    """
    assert work.table is not None
    place = work.table.names.index(old)
    table = work.table.renamed({work.table.columns[place].read_as or old: new})
    name = table.names[place]
    rules = {name if key == old else key: rule for key, rule in work.rules.items()}
    work.table, work.schema = table, recode(table, rules).schema
    work.draft = work.draft.renamed(old, name)
    work.adopt_table(table, rules, work.source)
    return name
