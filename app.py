"""What is served: the pages of navigation.py, behind a guard. Run with ``rrcore app`` or ``streamlit run app.py``."""

from functools import partial

import streamlit as st

from pages.shared import jobs, server

app = st.App(
    "navigation.py",
    routes=[server.SCRIPT.route(), server.LESSON.route()],
    middleware=server.middleware(),
    lifespan=partial(server.running, workers=jobs.workers),
)
