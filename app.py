"""RR Workbench: page configuration and navigation. Run with ``rrcore app`` or ``streamlit run app.py``."""

from pathlib import Path

import streamlit as st

from pages.shared import pins, state

st.set_page_config(page_title="RR Workbench", page_icon=Path(__file__).parent / "assets" / "icon.svg", layout="wide")

state.keep_uploads_in_memory()
page = st.navigation(
    [
        st.Page("pages/start/page.py", title="Start", default=True),
        st.Page("pages/data/page.py", title="Data", url_path="data"),
        st.Page("pages/budget/page.py", title="Budget", url_path="budget"),
        st.Page("pages/plans/page.py", title="Plans", url_path="plans"),
        st.Page("pages/perturb/page.py", title="Perturb & estimate", url_path="perturb"),
        st.Page("pages/dependence/page.py", title="Dependence", url_path="dependence"),
        st.Page("pages/compare/page.py", title="Compare", url_path="compare"),
        st.Page("pages/synthesize/page.py", title="Synthesize", url_path="synthesize"),
        st.Page("pages/keyvalue/page.py", title="Key-value", url_path="keyvalue"),
        st.Page("pages/collect/page.py", title="Collect", url_path="collect"),
        st.Page("pages/read/page.py", title="Read", url_path="read"),
        st.Page("pages/audit/page.py", title="Audit", url_path="audit"),
        st.Page("pages/ledger/page.py", title="Ledger", url_path="ledger"),
        st.Page("pages/papers/page.py", title="Papers", url_path="papers"),
    ],
    position="top",
)
page.run()
pins.pin_if_asked()
