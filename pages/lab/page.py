"""Lab: an index of its tools, and one tab for each."""

import streamlit as st

from pages.lab import compare, keyvalue, papers, synthesize
from pages.shared import widgets

st.caption(
    "**Compare methods**: errors of published methods on your table · **Synthesize**: a synthetic table from randomized answers "
    "(LoPub) · **Key-value**: ratings under local differential privacy · **Papers**: printed results of five papers, measured again"
)
widgets.page(
    "Lab", {"Compare methods": compare.show, "Synthesize": synthesize.show, "Key-value": keyvalue.show, "Papers": papers.show}
)
