"""How accurately answers that are randomised like this will be read."""

from __future__ import annotations

import streamlit as st

from pages.shared import state, widgets
from rrcore.estimate import expected_error, margin, weakest, weakest_of_each_order
from rrcore.limits import MAX_PAGE_MARGINAL, MAX_PEOPLE
from rrcore.promise import MechanismFile
from rrcore.wording import counted, meaning, points


def show(work: state.Work, file: MechanismFile) -> tuple[str, int]:
    """Expected error of a joint distribution of one's choice, and what is read less accurately than from independent answers.

    Returns what is expected of the chosen one in a sentence, empty while none is chosen, and for how many people.
    """
    st.markdown("**What the answers will tell**")
    left, right = st.columns(2)
    with left:
        names = widgets.marginal(
            file.schema.names, work.wishes.marginal or file.schema.names[:2], f"collect_marginal_{hash(file.schema.names)}"
        )
    with right:
        people = widgets.number(
            "People who answer",
            f"collect_people_{work.version}",
            work.wishes.respondents,
            (1, MAX_PEOPLE),
            step=100,
            help=meaning("people"),
        )
    told = _joint(file, names, people) if names else ""
    for axes, found in weakest_of_each_order(file, MAX_PAGE_MARGINAL):
        if found.worse and set(axes) != set(file.schema.axes(names)):
            widgets.caption(
                f"Of joint distributions of {counted(len(axes), 'attribute', 'attributes')} the weakest: "
                + found.sentence([file.schema.names[i] for i in axes])
            )
    return told, people


def _joint(file: MechanismFile, names: list[str], people: int) -> str:
    """The sentence for the joint distribution of ``names``, and a warning where it is read less accurately than it might be."""
    channel = file.marginal_channel(file.schema.axes(names))
    found = weakest(channel)
    what = widgets.plain(" × ".join(names))
    told = f"{what} cannot be read: its answers are as good as pure noise."
    if not channel.lost():
        error = expected_error(channel, people, population=True)
        told = f"With {counted(people, 'person', 'people')} expect a share of {what} to be off by about {points(error)}"
        st.markdown(f"{told} (95 % of the time within {points(float(margin(error)))}), for a uniform guess of the shares.")
        told += "."
    if found is not None and found.worse:
        widgets.warn(found.sentence(names))
    elif channel.lost():
        st.warning(told, icon=":material/warning:")
    return told
