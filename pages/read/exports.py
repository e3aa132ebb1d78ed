"""What was read, as files."""

from __future__ import annotations

import json
from collections.abc import Sequence

import streamlit as st

from pages.shared import widgets
from rrcore.collect import Answers, MarginalSummary, PairSummary, collection_dict
from rrcore.estimate import estimate_csv
from rrcore.report import report_after


def show(answers: Answers, found: MarginalSummary, pairs: Sequence[PairSummary], *, population: bool) -> None:
    """Download buttons for the shares, for everything found so far, and for a report."""
    name = "-".join(found.schema.names)[:60]
    csv, data, report = st.columns(3)
    widgets.download(
        "Shares (CSV)",
        lambda: estimate_csv(found.estimate, population=population),
        f"shares-{name}.csv",
        type="tertiary",
        icon=":material/table:",
        where=csv,
    )
    widgets.download(
        "Everything (JSON)",
        lambda: json.dumps(collection_dict(answers, [found], pairs, population=population), ensure_ascii=False, indent=1),
        f"shares-{name}.json",
        type="tertiary",
        icon=":material/data_object:",
        where=data,
    )
    widgets.download(
        "Report (HTML)",
        lambda: report_after(answers, [found], pairs, population=population),
        "report.html",
        type="tertiary",
        icon=":material/description:",
        help="A short report as one file: what was promised, what was found, how it was read. No single record is in it.",
        where=report,
    )
    if not pairs and len(answers.mechanism.schema.names) > 1:
        st.caption("Open 'What goes together' first to have it in the JSON and the report as well.")
