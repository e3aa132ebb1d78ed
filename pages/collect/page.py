"""Collect: from a plan to a mechanism file and a form in which respondents randomise their own answers."""

from __future__ import annotations

import streamlit as st

from pages.collect import accuracy, certificate, formstep, source
from pages.shared import documents, state, widgets

work = state.current()
answer = widgets.header("Collect", "How can people answer so that nobody but themselves ever holds their true answers?")

st.subheader("1. How answers are randomised", anchor=False)
made = source.choose(work)
if made is None:
    st.caption("The next steps appear once there is a mechanism.")
    st.stop()
work.made_file = made

st.subheader("2. Mechanism file and certificate", anchor=False)
certificate.show(made)
accuracy.show(work, made)
documents.before(work, made, work.respondents)

st.subheader("3. Form for the respondents", anchor=False)
formstep.show(made)

st.subheader("4. Answers", anchor=False)
st.markdown(
    "Answers come back as small files, as lines of text or, where you typed an address, at your server. Put them together as they are: "
    "many files, or all lines in one file. If you already hold a table of true answers, `rrcore collect` randomises it with the "
    "operating system's entropy, once and for all."
)
st.page_link("pages/read/page.py", label="Next: read the answers", icon=":material/arrow_forward:")
