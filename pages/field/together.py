"""Several surveys that ask the same, each by a mechanism file of its own, seen together."""

from __future__ import annotations

import streamlit as st

from pages.field.opening import OpenSurvey
from pages.shared import widgets
from pages.shared.hosting.shelves import shelf
from rrcore.errors import InputError
from rrcore.limits import MAX_GROUP_FILES, MAX_PEOPLE
from rrcore.receiver.field import SurveySoFar
from rrcore.receiver.together import SurveysTogether
from rrcore.wording import count_text, percent


def show(opened: OpenSurvey, survey: SurveySoFar, name: str) -> None:
    """Choose other surveys, and what the answers to one question say in each and together."""
    kept = shelf("survey")
    own = kept.named(opened.path)
    others = [each for each in kept.names() if each != own]
    if not others:
        st.caption(
            "There is no other survey here. Those in the same folder can be seen together with this one if they ask the same."
        )
        return
    chosen = widgets.several("Other surveys that ask the same", others, "field_others", most=MAX_GROUP_FILES - 1)
    weighed = widgets.checkbox(
        "Say how many people each stands for",
        "field_weighed",
        help="For example the number of people of each region. Else each stands for as many as have answered it.",
    )
    if not chosen:
        return
    try:
        surveys = {own or survey.title: survey} | {each: opened.beside(kept.place(each)) for each in chosen}
        weights = tuple(_weight(each) for each in surveys) if weighed else ()
        found = SurveysTogether(tuple(surveys.values()), weights).watch([name])
    except InputError as error:
        widgets.complain(kept.said(error))
        return
    categories = found.each[0].schema.attributes[0].categories
    rows = [
        {"Survey": called, "Answers": count_text(int(watched.n[-1])), "Stands for": percent(float(part))}
        | {category: watched.share_text((i,)) for i, category in enumerate(categories)}
        for called, watched, part in zip(surveys, found.each, found.parts, strict=True)
    ]
    whole = {"Survey": "Together", "Answers": count_text(sum(int(each.n[-1]) for each in found.each)), "Stands for": percent(1.0)}
    widgets.table([*rows, whole | {category: found.share_text((i,)) for i, category in enumerate(categories)}])
    st.caption(
        f"In {100 * found.confidence:.0f} of 100 surveys the intervals of an answer in this table hold all at once, at every look, whatever "
        "mechanism file each survey has; they are wider than those of one survey alone, since they share the error."
    )


def _weight(name: str) -> float:
    return widgets.number(f"People that “{name}” stands for", f"field_weight_{name}", 1000, (1, MAX_PEOPLE), step=100)
