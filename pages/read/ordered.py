"""An ordered attribute: how many are at each category or before it, where the middle is, and the mean."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import streamlit as st

from pages.shared import readings, state, widgets
from rrcore import plots
from rrcore.answers import Answers
from rrcore.estimate import OrderedSummary, has_order, ordered_scores, ordered_summary
from rrcore.limits import MAX_SCORE
from rrcore.table import MISSING, Attribute
from rrcore.wording import file_stem, meaning

_MEANS = {"ranks": "their ranks: 1, 2, 3, ...", "numbers": "numbers that I see and can change"}


@dataclass
class Numbers:
    """What categories stand for in a mean, as it was typed last: by attribute; None where nothing was."""

    of: dict[Attribute, tuple[float | None, ...]] = field(default_factory=dict)


@widgets.complaining
def show(answers: Answers, names: Sequence[str], reading: readings.Reading) -> None:
    """Cumulative shares of one of the chosen attributes as a sentence, a figure and a table; its quartiles and mean."""
    attributes = {each.name: each for each in answers.mechanism.schema.attributes if has_order([each])}
    chosen = [name for name in names if name in attributes]
    if not chosen:
        _say_what_to_do(list(attributes))
        return
    name = chosen[0]
    if len(chosen) > 1:
        key = f"read_ordered_{hash(tuple(chosen))}"
        name = widgets.select(
            "Attribute in order", chosen, key, help=f"{meaning('attribute')} Of one with an order its cumulative shares are read."
        )
    below, numbers = st.empty(), _numbers(attributes[name])
    estimate = answers.estimate([name])
    shares = None if reading.first == "unbiased" else estimate.closest().shares
    found = ordered_summary(estimate, numbers, shares=shares, population=reading.population)
    with below.container():
        _draw(found)
    st.markdown(widgets.plain(found.mean_sentence))
    csv = partial(found.to_csv, mark=answers.mark)
    widgets.download("In order (CSV)", csv, f"in-order-{file_stem(name)}.csv", type="tertiary", icon=":material/table:")


def _say_what_to_do(ordered: Sequence[str]) -> None:
    if ordered:
        known = ", ".join(ordered[:6]) + (", ..." if len(ordered) > 6 else "")
        sentence = f"None of the chosen attributes has an order. Choose one that has, under “Joint distribution of”: {known}."
    else:
        sentence = (
            "None of these attributes has an order of three categories or more, as far as their mechanism file says. Declare the kind of "
            "such an attribute as ordinal on Data, before a mechanism file is made."
        )
    st.info(widgets.plain(sentence), icon=":material/info:")


def _draw(found: OrderedSummary) -> None:
    if MISSING in found.attribute.categories:
        last = found.attribute.categories[-1] == MISSING
        widgets.warn(
            f"“{MISSING}” counts here as {'the last of the order' if last else 'a step of the order'}, though it is none: median, quartiles "
            "and mean include the people without a value. Leave them out on Data, before a mechanism file is made, to read the order of the "
            "others."
        )
    st.markdown(f"**{widgets.plain(found.sentence)}**")
    figure = plots.ordered_intervals_figure(found, widgets.palette())
    widgets.figure(figure, "read-in-order", alt=f"Share at each category of {found.attribute.name} or before it, and the median")
    st.markdown(widgets.plain(found.quartiles_sentence))
    widgets.table(found.texts())
    st.caption(
        "Each 95 % interval holds by itself. Median and quartiles lie between the categories that the intervals of the shares do not "
        "contradict."
    )


def _numbers(attribute: Attribute) -> list[float] | None:
    """What the categories stand for in the mean; None for their ranks, also while numbers are missing, which is then said."""
    if widgets.radio("Mean of", _MEANS, f"read_mean_{hash(attribute)}", horizontal=True) == "ranks":
        return None
    known, key = state.of_page(Numbers).of, f"read_numbers_{hash(attribute)}"
    start = known.get(attribute, ordered_scores(attribute))
    rows = [{"category": name, "number": number} for name, number in zip(attribute.categories, start, strict=True)]
    edited = st.data_editor(
        state.editor_start(key, rows).astype({"number": "float64"}),
        key=key,
        hide_index=True,
        disabled=["category"],
        column_config={
            "category": st.column_config.TextColumn("Category"),
            "number": st.column_config.NumberColumn("Stands for", min_value=-MAX_SCORE, max_value=MAX_SCORE),
        },
    )
    st.caption("Proposed: the number that a category's name is, or the middle of a band with two ends. Change what does not fit.")
    typed = tuple(None if value != value else float(value) for value in edited["number"])
    known[attribute] = typed
    numbers = [value for value in typed if value is not None]
    if len(numbers) == attribute.size:
        return numbers
    missing = attribute.categories[typed.index(None)]
    widgets.warn(f"Type a number for “{missing}”: bands with an open end have no middle. Until then the mean is of ranks.")
    return None
