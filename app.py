"""What is served: the pages of navigation.py, behind a door. Run with ``rrcore app`` or ``streamlit run app.py``."""

from functools import partial

import streamlit as st

from pages.shared import jobs
from pages.shared.hosting import metrics, serving
from pages.shared.hosting.given import LESSON, SCRIPT

metrics.tell(jobs.QUEUE)
running = partial(serving.running, get_ready=jobs.get_ready)
app = st.App(
    "navigation.py",
    routes=[SCRIPT.route(), LESSON.route()],
    middleware=serving.middleware(),
    lifespan=running,
    secrets=serving.secrets(),
)
