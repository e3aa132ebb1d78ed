"""What is served: the pages of navigation.py, behind a guard. Run with ``rrcore app`` or ``streamlit run app.py``."""

from functools import partial

import streamlit as st

from pages.shared import jobs, served_files, server

app = st.App(
    "navigation.py",
    routes=[served_files.SCRIPT.route(), served_files.LESSON.route()],
    middleware=server.middleware(),
    lifespan=partial(server.running, workers=jobs.workers),
)
