"""Guards: a page that lacks what it needs says so, links to where it is made, and stops."""

from __future__ import annotations

import streamlit as st

from pages.shared.projects import missing_upload
from pages.shared.state import Work
from pages.shared.widgets import complain, plain
from rrcore.budget import Plan
from rrcore.errors import InputError
from rrcore.table import Dataset


def need_dataset(work: Work) -> Dataset:
    """The dataset, or an explanation and the way to one."""
    if work.dataset is None and work.awaited is not None:
        st.info(plain(missing_upload(work)), icon=":material/upload_file:")
        st.page_link("pages/data/page.py", label="Go to Data", icon=":material/arrow_back:")
        st.stop()
    if work.dataset is None:
        st.info(
            "This page compares estimates with true answers, so it needs a table. Your declared plan is kept: "
            "choose a demo table or upload one on the Data page.",
            icon=":material/table:",
        )
        st.page_link("pages/data/page.py", label="Go to Data", icon=":material/arrow_back:")
        st.stop()
    return work.dataset


def need_chosen(work: Work, lacking: str = "") -> Dataset:
    """The attributes of the plan; where ``lacking`` says what a single one lacks, at least two of them, or the way to more."""
    dataset = need_dataset(work)
    chosen = work.remember("chosen", (work.version, work.wishes.chosen), lambda: dataset.select(work.wishes.chosen))
    if lacking and chosen.k < 2:
        st.info(f"{lacking}: choose at least two on the Budget page.", icon=":material/info:")
        st.page_link("pages/budget/page.py", label="Go to Budget", icon=":material/arrow_back:")
        st.stop()
    return chosen


def need_plan(work: Work) -> Plan:
    """The plan, or the sentence that says what is wrong with it."""
    try:
        return work.plan()
    except InputError as error:
        complain(error)
        st.stop()
