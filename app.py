"""RR Workbench: page configuration and navigation. Run with ``streamlit run app.py``."""

import streamlit as st

from pages.shared import pins, state

st.set_page_config(page_title="RR Workbench", page_icon="assets/icon.svg", layout="wide")

state.keep_uploads_in_memory()
state.mark_navigated()
page = st.navigation(
    [
        st.Page("pages/start.py", title="Start", default=True),
        st.Page("pages/data.py", title="Data", url_path="data"),
        st.Page("pages/budget.py", title="Budget", url_path="budget"),
        st.Page("pages/plans.py", title="Plans", url_path="plans"),
        st.Page("pages/perturb.py", title="Perturb & estimate", url_path="perturb"),
        st.Page("pages/dependence.py", title="Dependence", url_path="dependence"),
        st.Page("pages/compare.py", title="Compare", url_path="compare"),
        st.Page("pages/synthesize.py", title="Synthesize", url_path="synthesize"),
        st.Page("pages/keyvalue.py", title="Key-value", url_path="keyvalue"),
        st.Page("pages/collect.py", title="Collect", url_path="collect"),
        st.Page("pages/read.py", title="Read", url_path="read"),
        st.Page("pages/audit.py", title="Audit", url_path="audit"),
        st.Page("pages/ledger.py", title="Ledger", url_path="ledger"),
    ],
    position="top",
)
page.run()
pins.pin_if_asked()
