"""Every figure of a page has the buttons that save it, and hands over what is clicked."""

import plotly.graph_objects as go
import streamlit as st

from pages.shared import components
from rrcore.plots import LIGHT


def test_every_figure_has_its_buttons(session):
    session.go("keyvalue").set("number_input", "Users", 1_000)
    mounted = [one.proto.component_name for one in session.at.get("bidi_component")]
    assert mounted.count("rr_workbench.save_figure") == len(session.figures) == 1
    assert "key-frequencies" in session.figures


def test_a_point_that_is_clicked_is_handed_over(monkeypatch):
    drawn, picked = [], []
    monkeypatch.setattr(components, "_figure", lambda **given: drawn.append(given))
    state = {"figure": {"clicked": (3, "a")}}
    monkeypatch.setattr(st, "session_state", state)
    for handler in (picked.append, None):
        components.drawing("figure", go.Figure(), LIGHT, alt="", on_click=handler)
    for each in drawn:
        each["on_clicked_change"]()
    assert picked == [[3, "a"]]
    state["figure"] = {}
    drawn[0]["on_clicked_change"]()
    assert len(picked) == 1
