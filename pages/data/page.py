"""Data: choose, upload, invent or declare a table; decide what each column becomes."""

import streamlit as st

from pages.shared import columns, declare, state, synthetic
from pages.shared.widgets import caption, complain, header, plain
from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_BYTES
from rrcore.table import DEMOS, as_table, default_rule, load_demo, read_text_table
from rrcore.wording import count, counted

SOURCES = {"demo": "Demo table", "upload": "Upload a file", "synthetic": "Make one up", "declare": "Declare only"}


def choose_demo(work: state.Work) -> None:
    key = st.radio(
        "Demo table",
        format_func=lambda key: DEMOS[key].title,
        captions=[demo.description for demo in DEMOS.values()],
        **state.keep_choice("demo", list(DEMOS), work.demo),
    )
    if key != work.demo or work.source != "demo":
        work.demo = key
        work.adopt_table(*as_table(load_demo(key)), source="demo")
        st.rerun()
    st.caption(f"Source: {DEMOS[key].source}")


def upload(work: state.Work) -> None:
    chosen = st.file_uploader(
        "A table with one row per person",
        key="upload",
        help=f"CSV, TSV, semicolon CSV, any of them gzipped, XLSX or Parquet, up to {MAX_FILE_BYTES // 2**20} MB. "
        "It stays in this session's memory: it is not written to disk and not sent anywhere else.",
    )
    if chosen is not None and chosen.file_id != work.upload_id:
        work.upload_id, work.upload_problem = chosen.file_id, ""
        try:
            with st.spinner("Reading the table..."):
                table = read_text_table(chosen.getvalue(), chosen.name)
                work.adopt_table(table, {c.name: default_rule(c, table.n) for c in table.columns}, source="upload")
        except InputError as error:
            work.upload_problem = str(error)
        st.rerun()
    if chosen is not None and work.upload_problem:
        complain(work.upload_problem)
    if work.source == "upload" and work.table is not None:
        for note in work.table.notes:
            caption(note)
        return
    caption(f"Until a file is read, '{work.title}' stays in use.")
    if work.uploaded is not None:
        table, rules = work.uploaded
        if st.button(f"Use '{plain(table.title)}' again", icon=":material/history:"):
            work.adopt_table(table, rules, source="upload")
            st.rerun()


work = state.current()
in_play = header("Data", "Which questions are asked, and what can be answered to each?", work)

left, right = st.columns([1, 3], gap="large")
with left:
    source = st.radio(
        "Where the table comes from",
        format_func=SOURCES.get,
        **state.keep_choice(f"source_{work.source_turn}", list(SOURCES), work.asked_source or work.source),
    )
    work.asked_source = None
    if source == "demo":
        choose_demo(work)
    elif source == "upload":
        upload(work)
    elif source == "synthetic":
        synthetic.invent(work)
with right:
    if source == "declare":
        declare.editor(work)
    elif work.table is not None:
        columns.editor(work)
    else:
        st.info("No table is loaded: the declared plan is in use. Upload a file to replace it.", icon=":material/upload_file:")

    if work.schema is not None:
        combinations = work.schema.cells
        how_many = count(combinations) if combinations < 10**12 else f"10^{len(str(combinations)) - 1} or more"
        parts = (
            counted(len(work.schema.names), "attribute", "attributes"),
            f"{how_many} combinations",
            counted(work.respondents if work.dataset is None else work.dataset.n, "person", "people"),
        )
        st.markdown(f"**{', '.join(parts)}{' planned' if work.dataset is None else ''}**")
        st.page_link("pages/budget/page.py", label="Next: set the budget", icon=":material/arrow_forward:")
in_play()
