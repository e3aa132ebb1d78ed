"""The editor of a declared schema: questions and answers typed in the page, no data at all."""

from __future__ import annotations

import csv
from typing import Any, cast

import streamlit as st

from pages.data.source import Asked
from pages.shared import state, widgets
from rrcore.errors import InputError
from rrcore.limits import MAX_CATEGORIES, MAX_PEOPLE
from rrcore.table import Attribute, Kind, Schema

_EXAMPLE: list[dict[str, Any]] = [
    {"name": "smokes", "kind": "nominal", "categories": "no, yes"},
    {"name": "health", "kind": "ordinal", "categories": "poor, fair, good"},
    {"name": "region", "kind": "nominal", "categories": "north, south, east, west"},
]


def editor(work: state.Work, asked: Asked) -> None:
    """Type attributes and the planned number of people; the work follows as soon as they make sense."""
    people = asked.declared_people = st.number_input(
        "People expected to answer",
        min_value=1,
        max_value=MAX_PEOPLE,
        step=100,
        value=work.respondents if work.source == "declare" else asked.declared_people,
        key="declared_people",
    )
    edited = st.data_editor(
        state.editor_start("declared", work.declared or _EXAMPLE),
        key="declared",
        num_rows="dynamic",
        hide_index=True,
        column_config={
            "name": st.column_config.TextColumn("Name", required=True, help="What the question is called."),
            "kind": st.column_config.SelectboxColumn(
                "Kind",
                options=["nominal", "ordinal"],
                default="nominal",
                help="Ordinal: the order of the answers means something.",
            ),
            "categories": st.column_config.TextColumn(
                "Possible answers",
                required=True,
                width="large",
                help="Separated by commas, or just their number, for example 5.",
            ),
        },
    )
    st.caption(
        "Add a row at the bottom for another question. Separate the possible answers by commas, or type only their number."
    )
    work.declared = edited.to_dict("records")
    try:
        schema = Schema(tuple(_attribute(row) for row in work.declared if not _blank(row)))
        if work.source != "declare" or schema != work.schema or people != work.respondents:
            work.adopt_declared(schema, people)
            st.rerun()
    except InputError as error:
        widgets.complain(error)


def _blank(row: dict[str, Any]) -> bool:
    return not _text(row.get("name")) and not _text(row.get("categories"))


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _attribute(row: dict[str, Any]) -> Attribute:
    name, written = _text(row.get("name")), _text(row.get("categories"))
    if written.isdecimal() and len(written) <= 6:
        size = int(written)
        if size > MAX_CATEGORIES:
            raise InputError(f"'{name}' has {size:,} categories: at most {MAX_CATEGORIES:,} are allowed, so group its answers.")
        answers = tuple(str(i) for i in range(1, size + 1))
    else:
        (parts,) = csv.reader([" ".join(written.split())], skipinitialspace=True)  # quotes hold an answer with a comma together
        answers = tuple(part.strip() for part in parts if part.strip())
    return Attribute(name, answers, cast(Kind, _text(row.get("kind")) or "nominal"))
