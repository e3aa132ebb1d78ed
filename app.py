"""What is served: the pages of navigation.py, behind a door. Run with ``rrcore app`` or ``streamlit run app.py``."""

import streamlit as st

from pages.shared.hosting import metrics, serving

metrics.tell()
app = st.App("navigation.py", middleware=serving.middleware(), lifespan=serving.running, secrets=serving.secrets())
