"""Data: choose, upload, invent or declare a table; decide what each column becomes."""

import streamlit as st

from pages.data import columns, declare, invented, source
from pages.shared import projects, state
from pages.shared.widgets import header, plain
from rrcore.wording import count_text, counted

work = state.current()
asked = state.of_page(source.Asked)
answer = header("Data", "Which questions are asked, and what can be answered to each?")

left, right = st.columns([1, 3], gap="large")
with left:
    chosen = source.choose(work, asked)
    if chosen == "demo":
        source.choose_demo(work, asked)
    elif chosen == "upload":
        source.upload(work, asked)
    elif chosen == "synthetic":
        invented.invent(work, asked)
with right:
    if chosen == "declare":
        declare.editor(work, asked)
    elif work.table is not None:
        columns.editor(work)
    else:
        declared = "No table is loaded: the declared plan is in use. Upload a file to replace it."
        st.info(plain(projects.missing_upload(work)) or declared, icon=":material/upload_file:")

    if work.schema is not None:
        combinations = work.schema.cells
        how_many = count_text(combinations) if combinations < 10**12 else f"10^{len(str(combinations)) - 1} or more"
        parts = (
            counted(len(work.schema.names), "attribute", "attributes"),
            f"{how_many} combinations",
            counted(work.respondents if work.dataset is None else work.dataset.n, "person", "people"),
        )
        st.markdown(f"**{', '.join(parts)}{' planned' if work.dataset is None else ''}**")
        st.page_link("pages/budget/page.py", label="Next: set the budget", icon=":material/arrow_forward:")
