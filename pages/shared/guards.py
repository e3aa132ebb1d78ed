"""Guards: a page that lacks what it needs says so, links to where it is made, and stops."""

from typing import NoReturn

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
        _send(missing_upload(work), "Data", icon="upload_file")
    if work.dataset is None:
        lacking = "This page compares estimates with true answers, so it needs a table."
        _send(
            f"{lacking} Choose a demo table or upload your own on Data. RR Workbench keeps your described questions.",
            "Data",
            icon="table",
        )
    return work.dataset


def need_chosen(work: Work, lacking: str = "") -> Dataset:
    """The attributes of the plan; where ``lacking`` says what a single one lacks, at least two of them, or the way to more."""
    dataset = need_dataset(work)
    chosen = work.remember("chosen", (work.version, work.draft.chosen), lambda: dataset.select(work.draft.chosen))
    if lacking and chosen.k < 2:
        _send(f"{lacking}. Choose at least two attributes on Budget.", "Budget", icon="info")
    return chosen


def _send(why: str, page: str, *, icon: str) -> NoReturn:
    """Say what is missing and where to get it, and end the page."""
    st.header("Something is missing", anchor=False)
    st.info(plain(why), icon=f":material/{icon}:")
    st.page_link(f"pages/{page.lower()}/page.py", label=f"Go to {page}", icon=":material/arrow_back:")
    st.stop()


def need_plan(work: Work) -> Plan:
    """The plan, or the sentence that says what is wrong with it."""
    if work.schema is None:
        _send("Choose a table or describe questions first.", "Data", icon="table")
    try:
        return work.plan()
    except InputError as error:
        complain(error)
        st.stop()
