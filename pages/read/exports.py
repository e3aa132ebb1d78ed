"""What was read, as files and documents."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from pages.shared import documents, readings, state, widgets
from pages.shared.answers.holding import Reading
from rrcore.answers import Answers, MarginalSummary, PairSummary, pair_summaries, summary_dict
from rrcore.estimate import estimate_csv
from rrcore.table.plain import json_text
from rrcore.wording import file_stem

_FEW = 12  # attributes whose pairs are looked at for a document without having been asked for


def show(answers: Answers, found: MarginalSummary, pairs: Sequence[PairSummary], reading: readings.Reading) -> None:
    """Documents, and download buttons for the shares and for everything that was found."""
    k, population = len(answers.mechanism.schema.names), reading.population

    def every_pair() -> Sequence[PairSummary]:
        return pairs or (pair_summaries(answers) if 1 < k <= _FEW else ())

    st.markdown("**Take it away**")
    documents.after(
        state.current(),
        answers,
        found,
        every_pair,
        population=population,
        simultaneous=reading.at_once,
        directly=state.of_page(Reading).directly,
    )
    name = file_stem("-".join(found.schema.names))
    with st.container(horizontal=True):
        widgets.download(
            "Shares (CSV)",
            partial(estimate_csv, found.estimate, population=population, mark=answers.mark),
            f"shares-{name}.csv",
            type="tertiary",
            icon=":material/table:",
        )
        widgets.download(
            "Everything (JSON)",
            lambda: json_text(summary_dict(answers, [found], every_pair(), population=population), indent=1),
            f"shares-{name}.json",
            type="tertiary",
            icon=":material/data_object:",
        )
    if not pairs and k > _FEW:
        st.caption("Open 'What goes together' first to have it in the report, the code and the JSON as well.")
