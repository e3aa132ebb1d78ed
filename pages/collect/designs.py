"""Designs of the field by name: how each is done, what it gives away and costs, its paper; and those for two groups with a form each."""

import streamlit as st

from pages.shared import widgets
from rrcore.designs import (
    AMOUNT_DESIGNS,
    BLOCK_DESIGNS,
    DESIGNS,
    LATENT_DESIGNS,
    Design,
    LatentDesign,
    design_facts,
    estimate_counts,
    read_group_files,
)
from rrcore.errors import InputError
from rrcore.limits import MAX_TEXT
from rrcore.promise import MechanismFile
from rrcore.table import Attribute
from rrcore.wording import Quantity, percent

EXAMPLE = Attribute("took drugs", ("no", "yes"))
_OF_CLASSES: dict[str, Design | LatentDesign] = {**DESIGNS, **LATENT_DESIGNS}
_WITH_FILES = {key: design for key, design in LATENT_DESIGNS.items() if design.files is not None}


def look_up() -> None:
    """What there is to know of a design of one's choice, whether this page makes its files or not."""
    known = {**DESIGNS, **LATENT_DESIGNS, **AMOUNT_DESIGNS, **BLOCK_DESIGNS}
    key = widgets.select("Design", {key: design.title for key, design in known.items()}, "collect_about")
    design = known[key]
    st.markdown(widgets.plain(design.story))
    st.markdown(widgets.plain(design.costs))
    if key in _OF_CLASSES:
        tell(_OF_CLASSES[key], design.example)
    elif key in BLOCK_DESIGNS:
        st.markdown(BLOCK_DESIGNS[key].blocks(BLOCK_DESIGNS[key].numbers(design.example)).guarantee)
    st.markdown(f"Its probabilities: {widgets.plain(design.parameters)}, for example `{design.example}`.")
    st.markdown(f"Estimate: `{design.formula}`")
    widgets.caption(design.source)
    if key not in DESIGNS:
        place = (
            "Choose 'A design for two groups' above to make its two mechanism files."
            if key in _WITH_FILES
            else f"It is asked on paper or by another program; 'rrcore designs {key}' reads what came back."
        )
        st.info(place, icon=":material/info:")


def tell(design: Design | LatentDesign, text: str) -> bool:
    """What a design with these numbers gives away and how precise it is; False where the numbers cannot be, which is then said."""
    try:
        facts = design_facts(design, text)
    except InputError as error:
        widgets.complain(error)
        return False
    if facts.channel.level is None:
        widgets.warn(facts.channel.protects)
    else:
        st.markdown(widgets.plain(facts.channel.protects))
    st.markdown(widgets.plain(facts.precision))
    return True


@widgets.complaining
def choose_group(first: Attribute) -> MechanismFile | None:
    """The mechanism file of the group that is in play, at first about ``first``; None while something is missing, which is then said."""
    left, right = st.columns([2, 3], gap="large")
    with left:
        key = widgets.select("Design", {key: design.title for key, design in _WITH_FILES.items()}, "collect_group_design")
        design = _WITH_FILES[key]
        question = widgets.text("Attribute", f"collect_group_question_{hash(first)}", first.name, max_chars=MAX_TEXT)
        answers = widgets.text(
            "Its two answers",
            f"collect_group_answers_{hash(first)}",
            ", ".join(first.categories),
            max_chars=MAX_TEXT,
            help="Separated by a comma, no first.",
        )
        numbers = widgets.text(
            "Its probabilities",
            f"collect_group_numbers_{key}",
            design.example,
            max_chars=MAX_TEXT,
            help=f"{design.parameters[0].upper()}{design.parameters[1:]}. The two groups need different ones.",
        )
    with right:
        st.markdown(widgets.plain(design.story))
        st.markdown(widgets.plain(design.costs))
        if not tell(design, numbers):
            return None
        widgets.caption(design.source)
    attribute = Attribute(question.strip(), tuple(part.strip() for part in answers.split(",")))
    files = read_group_files(design, numbers, attribute)
    group = widgets.radio(
        "Form and mechanism file of",
        {place: f"Group {place + 1}" for place in range(len(files))},
        "collect_group",
        horizontal=True,
        help="Split people at random before they are asked, by a list or a coin, and give each group its own form. Keep both files.",
    )
    widgets.details("Counts have come back", "collect_group_counts", lambda: _estimate(design, numbers), icon="calculate")
    return files[group]


@widgets.complaining
def _estimate(design: LatentDesign, numbers: str) -> None:
    """Estimates from typed counts."""
    columns = st.columns(4)
    cells = [(group, report) for group in ("group 1", "group 2") for report in ("no", "yes")]
    counts = [
        column.number_input(f"Reported {report}, {group}", 0, value=0, key=f"collect_counts_{place}", persist_state="session")
        for place, ((group, report), column) in enumerate(zip(cells, columns, strict=True))
    ]
    if not any(counts):
        st.caption("Type how many people of each group reported what.")
        return
    found = estimate_counts(design.channel(design.numbers(numbers)), [counts[:2], counts[2:]])
    widgets.table(
        [
            {
                "Share of people who": one.name,
                "Estimate (95 %)": Quantity("share", one.name, "the population").estimated(one.value, *one.interval()),
                "Most likely within bounds": percent(one.likeliest),
            }
            for one in found.quantities
        ]
    )
    if found.outside:
        widgets.warn("An estimate is outside 0 to 100 %: chance, or people who did not follow the instructions.")
    if found.fit is not None:
        st.markdown(found.fit.text)
