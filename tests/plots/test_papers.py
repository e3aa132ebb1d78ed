"""Figures of papers: hollow for what is printed, filled for what is measured, one panel for each part, on the paper's axes."""

from rrcore.plots import DARK, LIGHT, paper_figure
from rrcore.plots.keyvalue import PROTOCOL_LOOKS
from rrcore.plots.papers import looks_of
from rrcore.plots.schemes import scheme_look
from rrcore.research.papers import ENTRIES, PaperEntry, Series
from rrcore.research.papers.entry import Axis, Paper

PAPER = Paper("toy", "Toy", "A toy", "Nobody", None)


def entry(*published, **more):
    axes = Axis("people", log=True), Axis("error", "points", log=True)
    return PaperEntry("toy-1", PAPER, "Figure 1", "a", "b", axes, published, cannot="Nobody can.", **more)


def test_printed_marks_are_hollow_and_measured_ones_filled_in_the_same_colour():
    printed, measured = (
        Series("<a>", (1, 2), (3.0, 4.0), source="Table I"),
        Series("<a>", (1, 2), (3.5, 4.5), low=(3, 4), high=(5, 6)),
    )
    figure = paper_figure(entry(printed), [measured], LIGHT)
    hollow, filled = figure.data
    assert (hollow.name, filled.name) == ("&lt;a&gt;, printed", "&lt;a&gt;")
    assert hollow.marker.symbol == f"{filled.marker.symbol}-open"
    assert hollow.marker.color == filled.marker.color
    assert (hollow.line.dash, filled.line.dash) == ("dot", "solid")
    assert list(filled.error_y.array) == [1.5, 1.5]
    assert list(filled.error_y.arrayminus) == [0.5, 0.5]
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("people", "error (points)")


def test_parts_are_panels_and_a_series_is_listed_once():
    series = [Series(name, (1, 2), (1.0, 2.0), panel) for panel in ("a", "b", "c") for name in ("x", "y")]
    figure = paper_figure(entry(), series, DARK)
    assert [note.text for note in figure.layout.annotations] == ["a", "b", "c"]
    assert [trace.showlegend for trace in figure.data] == [True, True, False, False, False, False]
    assert len({trace.xaxis for trace in figure.data}) == 3


def test_rows_of_a_table_are_named_marks_without_a_line():
    figure = paper_figure(entry(bars=True), [Series("x", ("one", "two"), (1.0, 2.0))], LIGHT)
    assert figure.data[0].mode == "markers"
    assert figure.layout.xaxis.type == "category"


def test_every_series_of_an_entry_has_a_look_of_its_own():
    looks = looks_of(["Kronecker", "Heuristic", "Kronecker, debiased", "Heuristic, debiased", "x", "y"])
    assert len(set(looks.values())) == len({colour for colour, _ in looks.values()}) == 6
    for one in ENTRIES.values():
        names = list(dict.fromkeys(series.name for series in one.published))
        assert len(set(looks_of(names).values())) == len(names)


def test_schemes_and_protocols_have_the_colours_of_other_pages():
    looks = looks_of(["RR-Ind-Joint", "RR-Independent", "RR-Joint", "KVUE"])
    assert [looks[name][0] for name in ("RR-Ind-Joint", "RR-Independent", "RR-Joint")] == [
        scheme_look(key)[0] for key in ("rr-ind-joint", "rr-independent", "rr-joint")
    ]
    assert looks["KVUE"] == PROTOCOL_LOOKS["kvue"]
