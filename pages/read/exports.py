"""What was read, as files."""

from __future__ import annotations

import json
from collections.abc import Sequence

import streamlit as st

from rrcore.collect import Answers, MarginalSummary, PairSummary, collection_dict
from rrcore.estimate import estimate_csv
from rrcore.report import html_report


def show(answers: Answers, found: MarginalSummary, pairs: Sequence[PairSummary], *, population: bool) -> None:
    """Download buttons for the shares, for everything found so far, and for a report."""
    name = "-".join(found.schema.names)[:60]
    csv, data, report = st.columns(3)
    csv.download_button(
        "Shares (CSV)",
        lambda: estimate_csv(found.estimate, population=population),
        file_name=f"shares-{name}.csv",
        mime="text/csv",
        type="tertiary",
        icon=":material/table:",
        on_click="ignore",
    )
    data.download_button(
        "Everything (JSON)",
        lambda: json.dumps(collection_dict(answers, [found], pairs, population=population), ensure_ascii=False, indent=1),
        file_name=f"shares-{name}.json",
        mime="application/json",
        type="tertiary",
        icon=":material/data_object:",
        on_click="ignore",
    )
    report.download_button(
        "Report (HTML)",
        lambda: html_report(answers, [found], pairs, population=population),
        file_name="report.html",
        mime="text/html",
        type="tertiary",
        icon=":material/description:",
        on_click="ignore",
        help="A short report as one file: what was promised, what was found, how it was read. No single record is in it.",
    )
    if not pairs and len(answers.mechanism.schema.names) > 1:
        st.caption("Open 'What goes together' first to have it in the JSON and the report as well.")
