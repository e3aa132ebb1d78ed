"""Safeguards: accuracy floors and leakage caps that the optimum must keep."""

import streamlit as st

from pages.budget import questions
from pages.shared import state, widgets
from rrcore.limits import MAX_FLOOR, MAX_PROGRAMME_ATTRIBUTES, MAX_SLACK, MIN_FLOOR
from rrcore.wording import meaning, odds_text


def section(work: state.Work) -> None:
    """Floors and caps, and where they take effect."""
    with st.expander("Safeguards of my own", icon=":material/shield:", expanded=work.wishes.mechanism == "safeguarded"):
        if len(work.wishes.chosen) < 2:
            st.caption("With a single attribute there is nothing to safeguard: the optimum is Kronecker.")
            return
        st.caption(
            "The mechanisms that are safe for joint distributions keep all of them as accurate as Kronecker does. Here you can ask for "
            "less or more, and protect an answer even from someone who knows all the others. What you set becomes the mechanism "
            "'Optimum with safeguards'."
        )
        if len(work.wishes.chosen) > MAX_PROGRAMME_ATTRIBUTES:
            st.caption(
                f"With more than {MAX_PROGRAMME_ATTRIBUTES} attributes only a floor on all pairs can be kept; choose fewer attributes "
                "for leakage caps and for floors on chosen combinations."
            )
        before = work.wishes
        _floor(work)
        _caps(work)
        wishes = work.wishes
        same = (wishes.floor, wishes.floor_marginals, wishes.slacks) == (before.floor, before.floor_marginals, before.slacks)
        if not same and (wishes.floor is not None or wishes.slacks):
            work.wish(mechanism="safeguarded")


def _floor(work: state.Work) -> None:
    wishes = work.wishes
    wanted = widgets.checkbox(
        "Keep an accuracy floor",
        f"floored_{work.version}",
        value=wishes.floor is not None,
        help=meaning("accuracy floor"),
    )
    if not wanted:
        work.wish(floor=None, floor_marginals=())
        return
    floor = widgets.number(
        "Floor (1 = as accurate as Kronecker)", f"floor_{work.version}", wishes.floor or 1.0, (MIN_FLOOR, MAX_FLOOR), step=0.1
    )
    work.wish(floor=floor)
    if len(wishes.chosen) <= MAX_PROGRAMME_ATTRIBUTES:
        sets, asked = questions.offered(wishes.chosen, (2, 3), wishes.floor_marginals)
        ticked = widgets.several(
            "For these combinations",
            sets,
            work.key("floor_sets"),
            at=asked,
            placeholder="all pairs",
            help="Pairs and triples that the floor is for. Leave it empty for all pairs.",
        )
        work.wish(floor_marginals=tuple(ticked))


def _caps(work: state.Work) -> None:
    chosen, slacks = work.wishes.chosen, work.wishes.slacks
    if len(chosen) > MAX_PROGRAMME_ATTRIBUTES:
        work.wish(slacks={})
        return
    capped = widgets.several(
        "Cap the leakage of",
        chosen,
        work.key("capped"),
        at=[name for name in chosen if name in slacks],
        placeholder="none",
        help=f"{meaning('leakage')} That may be more than the level says; a cap limits by how much.",
    )
    known = {name: slacks.get(name, 1.0) for name in capped}
    own = len(capped) > 1 and widgets.checkbox(
        "A separate cap for each", f"own_caps_{work.version}", value=len(set(known.values())) > 1
    )
    if own:
        known = {
            name: _slack(f"'{name}' above its level, at most (nats)", f"{work.version}_{name}", known[name]) for name in capped
        }
    elif capped:
        slack = _slack("Leakage above the level, at most (nats)", f"{work.version}", next(iter(known.values())))
        known = dict.fromkeys(capped, slack)
        st.caption(f"Others known: odds at most {odds_text(slack)} times what the level alone allows.")
    work.wish(slacks=known)


def _slack(label: str, key: str, slack: float) -> float:
    return widgets.number(label, f"slack_{key}", slack, (0.0, MAX_SLACK), step=0.25)
