"""Step 3: the form that respondents open in their own browser."""

from __future__ import annotations

import streamlit as st

from pages.shared import state, widgets
from rrcore.collect import MechanismFile, respondent_form
from rrcore.errors import InputError
from rrcore.limits import MAX_TEXT


def show(file: MechanismFile) -> None:
    """Texts and address of the form, and its download."""
    st.markdown(
        "One HTML file that asks the questions, randomises the answers in the respondent's browser by the integers above, and shows what "
        "leaves before it leaves. It works without a network; the true answers are neither stored nor sent."
    )
    left, right = st.columns(2)
    title = widgets.text("Title of the form", "form_title", "Survey", max_chars=MAX_TEXT, where=left)
    address = widgets.text(
        "Address that answers are sent to (may stay empty)",
        "form_address",
        placeholder="https://example.org/answers",
        help="Empty: respondents download or copy their randomised answers, and the form can send nothing. With an address they may also "
        "send them there, by POST, as one line of JSON; your server has to allow that to pages of any origin (Access-Control-Allow-Origin).",
        where=right,
    )
    introduction = left.text_area(
        "Introduction", max_chars=4 * MAX_TEXT, value="", key="form_introduction", persist_state="session", height=120
    )
    with right:
        names = list(file.schema.names)
        key = f"form_questions_{hash(file.schema.names)}"
        edited = st.data_editor(
            state.editor_start(key, [{"attribute": name, "question": name} for name in names]),
            key=key,
            hide_index=True,
            disabled=["attribute"],
            column_config={
                "attribute": st.column_config.TextColumn("Attribute"),
                "question": st.column_config.TextColumn("How it is asked", width="large"),
            },
        )
    questions = {
        str(name): str(text) for name, text in zip(edited["attribute"], edited["question"], strict=True) if isinstance(text, str)
    }
    try:
        form = respondent_form(file, title=title, introduction=introduction, questions=questions, address=address.strip())
    except InputError as error:
        widgets.complain(error)
        return
    widgets.download("Download form", lambda: form, "form.html", icon=":material/edit_document:")
    st.caption("Open it in any browser and answer it once yourself before you hand it out.")
