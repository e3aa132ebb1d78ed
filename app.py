"""RR Workbench: page configuration and navigation. Run with ``streamlit run app.py``."""

import streamlit as st

from pages.shared import pins, state

st.set_page_config(page_title="RR Workbench", page_icon="assets/icon.svg", layout="wide")

state.keep_uploads_in_memory()
state.mark_navigated()
page = st.navigation(
    [
        st.Page("pages/start.py", title="Start", icon=":material/home:", default=True),
        st.Page("pages/data.py", title="Data", icon=":material/table:", url_path="data"),
        st.Page("pages/budget.py", title="Budget", icon=":material/balance:", url_path="budget"),
        st.Page("pages/plans.py", title="Plans", icon=":material/push_pin:", url_path="plans"),
        st.Page("pages/perturb.py", title="Perturb & estimate", icon=":material/shuffle:", url_path="perturb"),
        st.Page("pages/dependence.py", title="Dependence", icon=":material/hub:", url_path="dependence"),
        st.Page("pages/compare.py", title="Compare", icon=":material/compare_arrows:", url_path="compare"),
        st.Page("pages/synthesize.py", title="Synthesize", icon=":material/auto_awesome_mosaic:", url_path="synthesize"),
        st.Page("pages/collect.py", title="Collect", icon=":material/move_to_inbox:", url_path="collect"),
        st.Page("pages/read.py", title="Read", icon=":material/query_stats:", url_path="read"),
        st.Page("pages/audit.py", title="Audit", icon=":material/fact_check:", url_path="audit"),
        st.Page("pages/ledger.py", title="Ledger", icon=":material/menu_book:", url_path="ledger"),
    ],
    position="top",
)
page.run()
pins.pin_if_asked()
