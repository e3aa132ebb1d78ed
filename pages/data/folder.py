"""Tables on the server, of any size: they are counted where they are, and a sample is in play."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages.shared import tables, widgets
from pages.shared.asked import Asked, Counted
from pages.shared.state import Work
from rrcore.table import as_table
from rrcore.table.stream import Look, look_through
from rrcore.wording import count_text, counted


def choose(work: Work, asked: Asked) -> None:
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
        _told(look)
    elif st.button(f"Use '{widgets.plain(look.sample.title)}' again", icon=":material/history:"):
        _adopt(work, asked, look, chosen)
        st.rerun()


def _adopt(work: Work, asked: Asked, look: Look, about: tables.Chosen) -> None:
    """Plan for all people, with the sample of them as the table in play."""
    table, rules = as_table(look.sample)
    rules = {name: replace(rule, declared=name not in look.learned) for name, rule in rules.items()}
    work.adopt_table(replace(table, drawn_from=look.n if look.sample.n < look.n else None), rules, source="upload")
    work.wish(respondents=look.n)
    asked.counted = Counted(about, look.n, work.title, look.edges)


def _told(look: Look) -> None:
    """What is in play of it, and what is not."""
    said = [f"{counted(look.n, 'person', 'people')} on the server."]
    if look.sample.n < look.n:
        said.append(
            f"In play are {count_text(look.sample.n)} of them, drawn at random: shares on the pages are theirs, and the plan is for all."
        )
    if look.left_out:
        said.append(
            f"Left out, since they cannot be attributes: {', '.join(look.left_out[:8])}{', ...' if len(look.left_out) > 8 else '.'}"
        )
    widgets.caption(" ".join([*said, *look.notes]))
