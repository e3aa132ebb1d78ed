"""Where the table comes from: a demo, a file, invented people, or questions without data."""

import streamlit as st

from pages.shared import widgets
from pages.shared.asked import Asked, receive, uploader
from pages.shared.mode import demo
from pages.shared.state import Source, Work
from rrcore.table import DEMOS, as_table, load_demo

_SOURCES: dict[Source, str] = {
    "demo": "Demo table",
    "upload": "Upload a file",
    "synthetic": "Invent one",
    "declare": "Declare only",
}

_SHOWN = 8


def choose(work: Work, asked: Asked) -> Source | None:
    """The source to show; None until one is chosen."""
    sources = [source for source in _SOURCES if not (demo() and source == "upload")]
    there = asked.source or ("upload" if asked.reading.asks else work.source if work.schema else None)
    chosen: Source | None = st.radio(
        "Where the table comes from",
        sources,
        index=None if there is None else sources.index(there),
        format_func=_SOURCES.__getitem__,
        key=f"source_{asked.turn}",
    )
    asked.source = None
    return chosen


def choose_demo(work: Work, asked: Asked) -> None:
    """Radio buttons over the demo tables; the work follows."""
    key = st.radio(
        "Demo table",
        list(DEMOS),
        index=list(DEMOS).index(asked.demo),
        format_func=lambda key: DEMOS[key].title,
        captions=[demo.description for demo in DEMOS.values()],
        key=f"demo_{asked.turn}",
        persist_state="session",
    )
    if key != asked.demo or work.source != "demo" or work.schema is None:
        asked.demo = key
        work.adopt_table(*as_table(load_demo(key)), source="demo")
        st.rerun()
    st.caption(f"Source: {DEMOS[key].source}")


def upload(work: Work, asked: Asked) -> None:
    """A table from a file; the work follows as soon as it is read, unless something about it has to be asked."""
    chosen = uploader("upload")
    if receive(chosen, work, asked):
        st.rerun()
    reading = asked.reading
    if chosen is not None and reading.problem:
        widgets.complain(reading.problem)
    if work.source == "upload" and work.table is not None and not reading.asks:
        asked.table = work.table, work.rules
        widgets.caption(" ".join([reading.note, *work.table.notes]))
        for reason in work.table.left_out[:_SHOWN]:
            widgets.warn(reason)
        if reading.found is not None and st.button("Change how it is read", type="tertiary", icon=":material/edit:"):
            reading.asks = True
            st.rerun()
        return
    if work.schema is not None:
        widgets.caption(f"Until a file is read, '{work.title}' stays in use.")
    if asked.table is not None and not reading.asks:
        table, rules = asked.table
        if st.button(f"Use '{widgets.plain(table.title)}' again", icon=":material/history:"):
            work.adopt_table(table, rules, source="upload")
            st.rerun()
