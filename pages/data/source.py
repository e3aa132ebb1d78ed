"""Where the table comes from: a demo, a file, or a table on the server, which is counted where it is while a sample is in play."""

from dataclasses import replace
from typing import Literal

import streamlit as st

from pages.shared import tables, widgets
from pages.shared.asked import Asked, CountedTable, receive, uploader
from pages.shared.state import Source, Work
from rrcore.table import DEMOS, as_table, load_demo
from rrcore.table.stream import Look, look_through
from rrcore.wording import count_text, counted

Chosen = Source | Literal["server"]
"""Where a table comes from, as the page asks."""

_SOURCES: dict[Chosen, str] = {
    "demo": "Demo table",
    "upload": "Upload a file",
    "synthetic": "Invent one",
    "server": "Table on the server",
    "declare": "Declare only",
}


def choose(work: Work, asked: Asked, *, server: bool = False) -> Chosen:
    """The source to show; ``server`` offers tables on the server, too."""
    sources = [each for each in _SOURCES if server or each != "server"]
    there: Chosen = "server" if server and asked.shows_counted(work) else work.source
    chosen = st.radio(
        "Where the table comes from",
        sources,
        index=sources.index(asked.source or ("upload" if asked.reading.asks else there)),
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
    if key != asked.demo or work.source != "demo":
        asked.demo = key
        work.adopt_table(*as_table(load_demo(key)), source="demo")
        st.rerun()
    st.caption(f"Source: {DEMOS[key].source}")


def upload(work: Work, asked: Asked) -> None:
    """A table from a file; the work follows as soon as it is read, and whatever is in doubt is asked first."""
    chosen = uploader("upload")
    if receive(chosen, work, asked):
        st.rerun()
    reading = asked.reading
    if chosen is not None and reading.problem:
        widgets.complain(reading.problem)
    if work.source == "upload" and work.table is not None and not reading.asks:
        asked.table = work.table, work.rules
        widgets.caption(" ".join([reading.note, *work.table.notes]))
        if reading.note and st.button("Change how it is read", type="tertiary", icon=":material/edit:"):
            reading.question = "start"
            st.rerun()
        return
    widgets.caption(f"Until a file is read, '{work.title}' stays in use.")
    if asked.table is not None and not reading.asks:
        table, rules = asked.table
        if st.button(f"Use '{widgets.plain(table.title)}' again", icon=":material/history:"):
            work.adopt_table(table, rules, source="upload")
            st.rerun()


def choose_on_server(work: Work, asked: Asked) -> None:
    """Choose a table and have it counted; the work follows as soon as that is done."""
    chosen = tables.choose("server_table")
    if chosen is None:
        return
    look = tables.count("server_table", chosen, look_through)
    if look is None:
        widgets.caption(f"Until a table is counted, '{work.title}' stays in use.")
    elif asked.counted is None or asked.counted.chosen != chosen:
        _adopt(work, asked, look, chosen)
        st.rerun()
    elif asked.shows_counted(work):
        _tell_counted(look)
    elif st.button(f"Use '{widgets.plain(look.sample.title)}' again", icon=":material/history:"):
        _adopt(work, asked, look, chosen)
        st.rerun()


def _adopt(work: Work, asked: Asked, look: Look, about: tables.Chosen) -> None:
    """Plan for all people, with the sample of them as the table in play."""
    table, rules = as_table(look.sample)
    rules = {name: replace(rule, declared=name not in look.learned) for name, rule in rules.items()}
    work.adopt_table(replace(table, drawn_from=look.n if look.sample.n < look.n else None), rules, source="upload")
    work.wish(respondents=look.n)
    asked.counted = CountedTable(about, look.n, work.title, look.edges)


def _tell_counted(look: Look) -> None:
    """What is in play of it, and what is not."""
    sentences = [f"{counted(look.n, 'person', 'people')} on the server."]
    if look.sample.n < look.n:
        sentences.append(
            f"In play are {count_text(look.sample.n)} of them, drawn at random: shares on the pages are theirs, and the plan is for all."
        )
    if look.left_out:
        sentences.append(
            f"Left out, since they cannot be attributes: {', '.join(look.left_out[:8])}{', ...' if len(look.left_out) > 8 else '.'}"
        )
    widgets.caption(" ".join([*sentences, *look.notes]))
