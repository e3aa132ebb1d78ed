"""The control item: a question whose true answer is known, by which those are counted who did not follow the instructions."""

from __future__ import annotations

from functools import partial

import streamlit as st

from pages.shared import state, widgets
from rrcore.errors import InputError
from rrcore.table import Control
from rrcore.wording import count_text, counted, meaning

_NONE = "No control item"


def section(work: state.Work) -> None:
    """Closed at first; which question it is is said below."""
    if work.schema is None:
        return
    widgets.details("A control item", "control", partial(_draw, work), icon="rule")
    if work.schema.control:
        told = f"Control item: {work.schema.control.text} for everybody."
        if work.dataset is not None and (others := work.schema.other_than_known(work.dataset.codes)):
            told += f" In this table {counted(others, 'person', 'people')} of {count_text(work.dataset.n)} gave another answer."
        st.caption(widgets.plain(told))


def _draw(work: state.Work) -> None:
    assert work.schema is not None
    widgets.caption(
        "Whoever clicks without reading moves every share. Ask one question more whose true answer you know, such as “Were you born?”: it "
        "shows how many such people there are, and Read corrects for them. It is randomised like the others, and its level counts in the "
        "total.",
        help=meaning("control item"),
    )
    attributes, declared = {attribute.name: attribute for attribute in work.schema.attributes}, work.schema.control
    left, right = st.columns(2)
    at = declared.attribute if declared else _NONE
    name = widgets.select("Known for everybody", [_NONE, *attributes], f"control_of_{work.version}", at=at, where=left)
    if name == _NONE:
        _adopt(work, None)
        return
    known = declared.answer if declared and declared.attribute == name else attributes[name].categories[-1]
    answer = widgets.select(
        "The true answer", attributes[name].categories, f"control_is_{name}_{work.version}", at=known, where=right
    )
    if declared == Control(name, answer):
        return
    if st.button("Declare", key="control_declare", icon=":material/rule:"):
        _adopt(work, Control(name, answer))


def _adopt(work: state.Work, wanted: Control | None) -> None:
    """Have this be the control item, or say why not."""
    assert work.schema is not None
    if wanted == work.schema.control:
        return
    try:
        work.declare_control(wanted)
    except InputError as error:
        widgets.complain(f"{error} Nothing was changed.")
        return
    st.rerun()
