"""Who says no whatever is true of them: if some always say the same, and how many deny when they are asked directly."""

import streamlit as st

from pages.shared import widgets
from rrcore import plots
from rrcore.answers import Answers
from rrcore.estimate import DENIAL_RATES, NOT_CORRECTED, Always, denials, refusals_course
from rrcore.limits import MAX_ALWAYS
from rrcore.wording import cell_label, meaning


@widgets.complaining
def always(answers: Answers, names: list[str], *, population: bool) -> None:
    """The course of one share from nobody to ``MAX_ALWAYS``, and a sentence for one share of people."""
    st.markdown("Some people say “no” to be on the safe side, whatever a die or the form tells them. How much would that change?")
    first, second, third = st.columns(3)
    with first:
        name = widgets.select("Attribute", names, f"read_always_{hash(tuple(names))}", help=meaning("attribute"))
    reports = answers.reports.select([name]).attributes[0].categories
    categories = answers.schema.select([name]).attributes[0].categories
    with second:
        said = widgets.select("They always say", dict(enumerate(reports)), f"read_always_said_{hash(reports)}")
    others = {i: text for i, text in enumerate(categories) if text != reports[said]}
    with third:
        of = widgets.select("Share of", others, f"read_always_of_{hash((categories, said))}", at=list(others)[-1])
    taken = Always(answers.uncorrected.estimate([name]), said)
    percent = widgets.slider(
        "How many always say it (% of people)", "read_always_share", 10.0, (0.0, 100 * MAX_ALWAYS), step=1.0, format="%.0f"
    )
    x = percent / 100
    widgets.say(taken.sentence(x, of, population=population), bold=True)
    if answers.corrected_by:
        st.caption(NOT_CORRECTED)
    found = refusals_course(taken, of, population=population)
    figure = plots.refusal_intervals_figure(found, widgets.palette(), said=reports[said], of=categories[of], at=x)
    widgets.figure(figure, "read-always", alt=f"Estimated share of {categories[of]} as more people always say {reports[said]}")
    st.caption(
        "These answers cannot say how many such people there are, only how many there can be at most. The line is the share among those who "
        "follow the rules. Dashed: among everybody, if all who always say it belong to it as well, as people with something to hide would."
    )


@widgets.complaining
def directly(randomised: Answers, direct: Answers, names: list[str]) -> None:
    """Both shares, their difference with its interval, and what it says of the next survey."""
    found = denials(randomised.estimate(names), direct.estimate(names))
    attributes = found[0].randomised.schema.attributes
    texts = (cell_label([each.categories[i] for each, i in zip(attributes, one.cell, strict=True)]) for one in found)
    labels = dict(enumerate(texts))
    at = widgets.select("Answer", labels, f"read_direct_{hash((tuple(names), randomised.mechanism.sha256))}", at=len(labels) - 1)
    chosen = found[at]
    st.markdown(f"**{widgets.plain(chosen.text)}**", help=meaning("denial"))
    widgets.figure(
        plots.denial_figure(chosen, widgets.palette(), of=labels[at]), "read-direct", alt=f"Share of {labels[at]}, either way"
    )
    st.markdown(widgets.plain(chosen.advice(randomised.n + direct.n)), help=meaning("break-even denial"))
    least, most = (f"{100 * rate:.0f}" for rate in (DENIAL_RATES[0].rate, DENIAL_RATES[-1].rate))
    st.caption(
        f"In {len(DENIAL_RATES)} validation studies {least} to {most} of 100 denied what was true of them: page Budget lists them."
    )
