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
    assert [axis for figure in made for axis in named_axes(figure) if figure.layout[axis].type != "category"] == []


def named_axes(figure):
    """The axes along which there are names: without a type plotly takes "01-06" for a date and "10" for a number."""
    for trace in figure.data:
        for way in "xy":
            if any(isinstance(place, str) for place in (trace[way] if way in trace and trace[way] is not None else ())):
                yield (trace[f"{way}axis"] or way).replace(way, f"{way}axis")
