"""Designs of the field by name: how each is done, what it gives away and costs, and the paper it is from."""

from __future__ import annotations

import streamlit as st

from pages.shared import widgets
from rrcore.designs import AMOUNT_DESIGNS, BLOCK_DESIGNS, DESIGNS, LATENT_DESIGNS, Design, LatentDesign, design_facts
from rrcore.errors import InputError


def choose() -> None:
    """What there is to know of a design of one's choice, whether this page makes its files or not."""
    known = {**DESIGNS, **LATENT_DESIGNS, **AMOUNT_DESIGNS, **BLOCK_DESIGNS}
    key = widgets.select("Design", {key: design.title for key, design in known.items()}, "collect_about")
    design = known[key]
    st.markdown(widgets.plain(design.story))
    st.markdown(widgets.plain(design.costs))
    if isinstance(design, Design | LatentDesign):
        tell(design, design.example)
    elif key in BLOCK_DESIGNS:
        st.markdown(BLOCK_DESIGNS[key].blocks(BLOCK_DESIGNS[key].numbers(design.example)).guarantee)
    st.markdown(f"Its probabilities: {widgets.plain(design.parameters)}, for example `{design.example}`.")
    st.markdown(f"Estimate: `{design.formula}`")
    widgets.caption(design.source)
    if key not in DESIGNS:
        has_files = isinstance(design, LatentDesign) and design.files is not None
        place = (
            "Choose 'A design for two groups' above to make its two mechanism files."
            if has_files
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
