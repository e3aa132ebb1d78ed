"""What a paper says, beside what is measured here."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from rrcore.papers import Finding


def show(findings: Sequence[Finding], note: str) -> None:
    """One line per finding."""
    with st.expander("What the papers say, measured again", icon=":material/menu_book:"):
        st.table(
            pd.DataFrame(
                [
                    {"Paper": each.paper, "What it says": each.claim, "Measured here": each.measured, "Holds": each.verdict}
                    for each in findings
                ]
            ).set_index("Paper")
        )
        st.caption(note)
