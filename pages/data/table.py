"""The tab Table: where the table comes from, some of its rows, and what each column becomes."""

from dataclasses import replace

import numpy as np
import streamlit as st

from pages.data import columns, reading
from pages.shared import projects, state, widgets
from pages.shared.mode import limit
from pages.shared.table_choice import BUDGET, open_demo
from pages.shared.uploads import Asked, choose_table
from rrcore.errors import InputError
from rrcore.limits import DEMO_ROWS, MAX_CATEGORIES, MAX_ROWS, MAX_ROWS_PER_PERSON, MAX_SYNTHETIC_ATTRIBUTES, PREVIEW_COLUMNS
from rrcore.simulation import make_table
from rrcore.table import DEMOS, TextTable, as_table
from rrcore.wording import amount_text, counted

_ROWS = 6


def show() -> None:
    work, asked = state.current(), state.of_page(Asked)
    problems = columns.apply_edits(work)  # first, so that nothing below the headline moves
    line, onward = st.columns([4, 1], vertical_alignment="center")
    with line:
        widgets.headline()(_sentence(work, asking=asked.reading.asks))
    if work.schema is not None and not asked.reading.asks:
        with onward:
            _to_budget()
    _source(work, asked)
    if asked.reading.asks:
        reading.ask(work, asked.reading)
    elif work.table is not None:
        left, right = st.columns([2, 3])
        with left:
            _rows(work, work.table)
        with right:
            columns.show(work, problems)
        columns.questions(work)
        columns.details(work)
    elif work.schema is not None:
        text = projects.missing_upload(work) or "RR Workbench uses the questions that you described until you open a table."
        st.info(widgets.plain(text), icon=":material/table:")


def _to_budget() -> None:
    if st.button("Set the budget", key="to_budget", type="primary", icon=":material/arrow_forward:", width="stretch"):
        st.switch_page(BUDGET, query_params={})


def _sentence(work: state.Work, *, asking: bool) -> str:
    if asking:
        kept = "" if work.schema is None else f" '{widgets.plain(work.title)}' stays in use until then."
        return f"**Check how the file is read.**{kept}"
    if work.schema is None:
        return "**Choose a table.** Each row is one person, each column an attribute."
    people = work.draft.n if work.dataset is None else work.dataset.n
    cells, rows = work.schema.select(work.draft.chosen).cells, work.draft.rows_per_person
    each = f"{amount_text(people / cells, 2)} people" if people > cells else "at most one person"
    covers = "and each row is one person" if rows == 1 else f"so a person with {rows} rows has {rows} times that ε"
    return (
        f"**{counted(people, 'person', 'people')}, {counted(len(work.draft.chosen), 'attribute', 'attributes')}.** "
        f"A combination of answers has {each} on average. ε protects one row, {covers}."
    )


def _source(work: state.Work, asked: Asked) -> None:
    """Where the table comes from, and how many rows are one person's."""
    with widgets.card("Source", key="source", hint="Upload your own table, or try a demo table. It stays in this session."):
        own, others, unit = st.columns([2, 1, 1])
        with own:
            _upload(work, asked)
        with others:
            _demo(work, asked)
            with st.popover("Invent a table", type="tertiary", icon=":material/casino:"):
                _invent(work, asked)
        with unit:
            if work.schema is not None:
                st.number_input(
                    "Rows per person, at most",
                    1,
                    MAX_ROWS_PER_PERSON,
                    help="Usually 1. If a person can have several rows, RR Workbench multiplies ε by this number.",
                    **state.shown("rows_per_person", work.draft.rows_per_person, lambda rows: work.change(rows_per_person=rows)),
                )
            _reread(work, asked)


def _upload(work: state.Work, asked: Asked) -> None:
    if choose_table("upload", work, asked):
        st.rerun()
    if work.source == "upload" and work.table is not None:
        asked.table = work.table, work.rules
        if said := " ".join(filter(None, [asked.reading.note, *work.table.notes])):
            widgets.caption(said)


def _reread(work: state.Work, asked: Asked) -> None:
    """Offer to change how the file in use is read."""
    reread = work.source == "upload" and asked.reading.found is not None and not asked.reading.asks
    if reread and st.button("Change how the file is read", type="tertiary", icon=":material/edit:"):
        asked.reading.asks = True
        st.rerun()


def _demo(work: state.Work, asked: Asked) -> None:
    known = next((key for key, each in DEMOS.items() if work.source == "demo" and each.title == work.title), None)
    demo = st.selectbox(
        "Demo table",
        list(DEMOS),
        index=None if known is None else list(DEMOS).index(known),
        format_func=lambda key: DEMOS[key].title,
        placeholder="Choose one",
        key=f"demo_{known}",
    )
    if demo is not None and demo != known:
        asked.reading.asks = False
        open_demo(work, demo)
        st.rerun()


def _invent(work: state.Work, asked: Asked) -> None:
    known = asked.invented
    wanted = replace(
        known,
        people=widgets.number("Sample size", "invented_people", known.people, (2, limit(MAX_ROWS, DEMO_ROWS)), step=1000),
        attributes=widgets.number("Attributes", "invented_attributes", known.attributes, (2, MAX_SYNTHETIC_ATTRIBUTES)),
        categories=widgets.number("Categories per attribute", "invented_categories", known.categories, (2, MAX_CATEGORIES)),
        cramers_v=widgets.slider(
            "Association of neighboring attributes (Cramér's V)", "invented_v", known.cramers_v, (0.0, 1.0), step=0.01
        ),
    )
    if st.button("Make table", type="primary"):
        try:
            work.adopt_table(*as_table(make_table(wanted)), source="synthetic")
        except InputError as error:
            widgets.complain(error)
            return
        asked.invented = wanted
        st.rerun()


def _rows(work: state.Work, table: TextTable) -> None:
    """Some rows as they were read, drawn at random."""
    with widgets.card("Some rows", hint="Check that each row is one person and each column holds what you expect."):
        rows = np.sort(work.rng("rows to look at").choice(table.n, min(_ROWS, table.n), replace=False))
        widgets.table(
            {
                column.name: [column.values[code] if code >= 0 else "" for code in column.codes[rows].tolist()]
                for column in table.columns[:PREVIEW_COLUMNS]
            }
        )
