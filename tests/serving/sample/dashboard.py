"""A small dashboard behind the same door, whose page keeps files of every kind."""

from functools import partial

import streamlit as st

from pages.shared.hosting import serving

running = partial(serving.running, get_ready=lambda: None)  # its page calculates nothing
app = st.App("page.py", middleware=serving.middleware(), lifespan=running, secrets=serving.secrets())
