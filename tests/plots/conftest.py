"""Figures are put together without plotly's check of every setting: here it checks them all."""

import plotly.graph_objects as go
import pytest


@pytest.fixture(autouse=True)
def checked(monkeypatch, request):
    if request.node.originalname == "test_what_is_drawn_without_plotlys_check_passes_it_and_means_the_same":
        return
    make = go.Figure.__init__
    monkeypatch.setattr(go.Figure, "__init__", lambda self, *args, _validate=True, **more: make(self, *args, **more))
