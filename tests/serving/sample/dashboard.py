"""A small dashboard behind the same door, whose page keeps files of every kind."""

import streamlit as st

from pages.shared.hosting import serving

app = st.App("page.py", middleware=serving.middleware(), lifespan=serving.running, secrets=serving.secrets())
