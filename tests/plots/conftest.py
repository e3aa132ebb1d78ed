"""Figures are put together without plotly's check of every setting: here it checks them all. All their labels can be read, too."""

import plotly.graph_objects as go
import pytest

from tests.contrast import weak_labels


@pytest.fixture(autouse=True)
def checked(monkeypatch, request):
    if request.node.originalname == "test_what_is_drawn_without_plotlys_check_passes_it_and_means_the_same":
        yield
        return
    make, made = go.Figure.__init__, []

    def checking(self, *args, _validate=True, **more):
        make(self, *args, **more)
        made.append(self)

    monkeypatch.setattr(go.Figure, "__init__", checking)
    yield
    assert [weak for figure in made for weak in weak_labels(figure)] == []
