"""What the papers say about these schemes, and what is measured here."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from rrcore.papers import FINDINGS


def show() -> None:
    """One line a finding."""
    with st.expander("What the papers say, measured again", icon=":material/menu_book:"):
        st.table(
            pd.DataFrame(
                [
                    {"Paper": each.paper, "What it says": each.claim, "Measured here": each.measured, "Holds": each.verdict}
                    for each in FINDINGS
                ]
            ).set_index("Paper")
        )
        st.caption("On the eight categorical columns of UCI Adult (32,561 people), which are not part of the workbench.")
