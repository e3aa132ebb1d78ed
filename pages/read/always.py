"""What the estimate would be if some people always say the same, whatever they are asked."""

from __future__ import annotations

import streamlit as st

from pages.shared import widgets
from rrcore import plots
from rrcore.answers import Answers
from rrcore.estimate import NOT_CORRECTED, Always, refusals_course
from rrcore.limits import MAX_ALWAYS
from rrcore.wording import meaning


@widgets.complaining
def show(answers: Answers, names: list[str], *, population: bool) -> None:
    """The course of one share from nobody to ``MAX_ALWAYS``, and a sentence for one share of people."""
    st.markdown("Some people say “no” to be on the safe side, whatever a die or the form tells them. How much would that change?")
    first, second, third = st.columns(3)
    with first:
        name = widgets.select("Attribute", names, f"read_always_{hash(tuple(names))}", help=meaning("attribute"))
    reports = answers.reports.select([name]).attributes[0].categories
    categories = answers.schema.select([name]).attributes[0].categories
    with second:
        said = widgets.select("They always say", range_of(reports), f"read_always_said_{hash(reports)}")
    others = {i: text for i, text in range_of(categories).items() if text != reports[said]}
    with third:
        of = widgets.select("Share of", others, f"read_always_of_{hash((categories, said))}", at=list(others)[-1])
    always = Always(answers.uncorrected.estimate([name]), said)
    percent = widgets.slider(
        "How many always say it (% of people)", "read_always_share", 10.0, (0.0, 100 * MAX_ALWAYS), step=1.0, format="%.0f"
    )
    x = percent / 100
    widgets.say(always.sentence(x, of, population=population), bold=True)
    if answers.corrected_by:
        st.caption(NOT_CORRECTED)
    found = refusals_course(always, of, population=population)
    figure = plots.refusal_intervals_figure(found, widgets.palette(), said=reports[said], of=categories[of], at=x)
    widgets.figure(figure, "read-always", alt=f"Estimated share of {categories[of]} as more people always say {reports[said]}")
    st.caption(
        "These answers cannot say how many such people there are, only how many there can be at most. The line is the share among those who "
        "follow the rules. Dashed: among everybody, if all who always say it belong to it as well, as people with something to hide would."
    )


def range_of(categories: tuple[str, ...]) -> dict[int, str]:
    """Number -> category."""
    return dict(enumerate(categories))
