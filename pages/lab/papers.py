"""Papers: printed values of five papers next to ours, from the results that the library stores."""

import streamlit as st

from pages.shared import widgets
from rrcore import plots
from rrcore.papers import PAPERS, stored_results

_EVERY = "All"


def show() -> None:
    """Show the checks of one paper."""
    results = stored_results()
    counts = [results.counts(key) for key in PAPERS]
    widgets.headline()(
        f"**{sum(agree for agree, _ in counts)} of {sum(every for _, every in counts)}** printed values and claims of five papers agree "
        "with our measurements."
    )
    left, right = st.columns([2, 5])
    with left, widgets.card("Paper", hint="A value agrees if our measurement is in the allowed range."):
        key = widgets.select("Paper", {key: one.short for key, one in PAPERS.items()}, "papers_paper")
        paper, checks = PAPERS[key], results.checks[key]
        places = [_EVERY, *dict.fromkeys(one.place for one in checks)]
        place = widgets.select("Table or figure", places, f"papers_place_{key}")
        differing = widgets.checkbox("Only differences", "papers_differing")
    shown = [one for one in checks if place in (_EVERY, one.place) and not (differing and one.agrees)]
    with right, widgets.card(paper.short):
        agree, every = results.counts(key)
        st.markdown(f"**{agree} of {every}** values and claims of this paper agree.")
        figure = plots.checks_figure(shown, widgets.palette())
        if figure is not None:
            widgets.figure(figure, f"papers-{key}", alt=f"Measured against printed values of {paper.short}")
        widgets.table([one.row for one in shown])
        widgets.caption(f"{paper.cited}.")
        for note in paper.notes:
            widgets.caption(note)
        st.code(f"rrcore papers run {key}", language=None)
