"""Should you randomise at all? What denial would have to cost, either way's interval, published rates, and a split sample."""

import streamlit as st

from pages.shared import state, widgets
from rrcore import plots
from rrcore.budget import Plan
from rrcore.errors import InputError
from rrcore.estimate import DENIAL_RATES, BreakEven, SplitSample
from rrcore.limits import MAX_DIRECTLY
from rrcore.mechanisms import Mechanism
from rrcore.wording import count_text, meaning, unbroken

_SHARE, _DENIAL = 10.0, 5.0
"""What is compared at first: the share that is expected, in percent, and what is denied of it, in points."""


def show(work: state.Work, plan: Plan, mechanism: Mechanism) -> None:
    """One sentence, and beside it a switch for the rest."""
    names = dict(enumerate(plan.schema.names))
    axis = int(st.session_state.get(_key(plan, "attribute"), 0))
    categories = dict(enumerate(plan.schema.attributes[axis].categories))
    at = int(st.session_state.get(_key(plan, f"category_{axis}"), len(categories) - 1))
    share = float(st.session_state.get("direct_share", _SHARE)) / 100
    found, problem = None, ""
    try:
        found = BreakEven.of(mechanism.marginal_channel((axis,)), at, people=plan.respondents, share=share)
    except InputError as error:
        problem = str(error)
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.markdown(unbroken(f"{_title(found)}."), width="content")
        compared = st.toggle("Compare", key="budget_direct", persist_state="session", help=meaning("break-even denial"))
    if not compared:
        return
    with st.container(border=True, key="direct"):
        denial = _choose(plan, names, axis, categories) / 100
        if found is None:
            widgets.complain(problem)
            return
        label = f"{names[axis]}: {categories[at]}"
        _compare(found, min(denial, found.share), label)
        _scale()


def _title(found: BreakEven | None) -> str:
    if found is None:
        return "Asked at random, this share cannot be read at all"
    if found.never:
        return "Asked directly, this comes out closer even if all deny"
    return f"Asked directly, more than {found.denial_text} must deny before this pays"


def _key(plan: Plan, what: str) -> str:
    return f"direct_{what}_{hash(plan.schema)}"


def _choose(plan: Plan, names: dict[int, str], axis: int, categories: dict[int, str]) -> float:
    """The share that is meant, and what may be denied of it, in points."""
    first, second, third, fourth = st.columns(4)
    widgets.select("Attribute", names, _key(plan, "attribute"), help=meaning("attribute"), where=first)
    widgets.select("Answer", categories, _key(plan, f"category_{axis}"), at=len(categories) - 1, where=second)
    widgets.number("Expected share (%)", "direct_share", _SHARE, (0.1, 99.9), step=1.0, where=third)
    return widgets.number(
        "Denial (points)", "direct_denial", _DENIAL, (0.1, 99.9), step=1.0, help=meaning("denial"), where=fourth
    )


def _compare(found: BreakEven, denial: float, label: str) -> None:
    """Either way for all people, and the two splits."""
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown(f"**{widgets.plain(found.sentence)}**", help=meaning("break-even denial"))
        figure = plots.direct_ways_figure(found, denial, widgets.palette(), of=label)
        widgets.figure(figure, "direct-or-randomised", alt=f"Interval of {label}, asked directly and randomised")
        told = f"if {100 * denial:.3g} of the {100 * found.share:.3g} in 100 whom it is true of deny when they are asked directly"
        st.caption(f"Expected 95 % intervals of {count_text(found.people)} people, {told}.")
    with right:
        st.markdown("**Let the survey find out**", help=meaning("split sample"))
        try:
            best = SplitSample.fewest_people(found, denial)
            least = SplitSample.fewest_directly(found, denial) if best.people <= found.people else None
        except InputError as error:
            widgets.complain(error)
            return
        for split in (best, least):
            if split is not None:
                st.markdown(f"- {widgets.plain(split.text)}")
        if least is None:
            return
        number = least.of_100
        st.button(
            f"Ask {number} of 100 directly",
            key="use_split",
            icon=":material/call_split:",
            on_click=_use,
            args=(number,),
            disabled=number > MAX_DIRECTLY,
            help="The form on page Collect then deals people out, and tells those whom it asks directly, before anything else, that "
            "nothing protects them.",
        )


def _use(number: int) -> None:
    st.session_state["form_directly"] = number
    st.toast(
        f"The form asks {number} of 100 people directly, without protection. Page Collect shows it.", icon=":material/call_split:"
    )


def _scale() -> None:
    """What was denied elsewhere."""
    st.markdown("**What people denied in validation studies**")
    rows = [
        {"Asked": each.what, "Denied of 100": round(100 * each.rate), "Measured": each.measured, "Source": each.source}
        for each in DENIAL_RATES
    ]
    widgets.table(rows)
    st.caption(
        "Denied of 100 people whom it is true of. A scale, and no estimate for yours: that depends on what is asked, and by whom."
    )
