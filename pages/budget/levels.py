"""Ways into a plan: a level for each attribute, or a total and how much each attribute matters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from pages.shared import guards, jobs, state, widgets
from rrcore.arrays import Floats
from rrcore.budget import check_weights, levels_for_total, untouched_warning
from rrcore.channel import check_levels, lie_probability
from rrcore.errors import InputError
from rrcore.limits import MAX_OPTIMAL_ATTRIBUTES, MAX_TOTAL
from rrcore.mechanisms import build, recipe
from rrcore.progress import Report
from rrcore.wording import level_text, odds_text, percent

ENTRIES: dict[state.Entry, str] = {
    "levels": "I give each attribute a level",
    "total": "I give one total, and what matters more",
    "questions": "I give one total and my questions",
}


@dataclass
class Edits:
    """How often the table of levels was edited: each time a new editor takes over."""

    count: int = 0


def choose_entry(work: state.Work) -> None:
    """What the steward starts from."""
    work.entry = widgets.radio(
        "How do you start?",
        ENTRIES,
        f"entry_{work.version}",
        at=work.entry,
        help="A level says how much one answer may give away; the total, what the whole record may. Questions are joint "
        "distributions that you want to estimate well.",
    )
    if work.entry != "questions" and work.mechanism == "design":
        work.choose_safe(work.width)


def choose_attributes(work: state.Work) -> None:
    assert work.schema is not None
    chosen = widgets.several(
        "Attributes of the plan",
        work.schema.names,
        f"chosen_{work.version}",
        at=work.chosen,
        help=f"The optimum is solved exactly for up to {MAX_OPTIMAL_ATTRIBUTES} attributes, and beyond that to within a stated gap.",
    )
    if not chosen:
        widgets.complain("No attribute is chosen: choose at least one.")
        st.stop()
    if tuple(chosen) != work.chosen:
        work.choose_attributes(tuple(chosen))
        work.choose_marginal(tuple(name for name in work.marginal if name in chosen))


def choose_total(work: state.Work) -> None:
    work.total = widgets.number(
        "Total for the whole record (nats)",
        f"total_{work.version}",
        work.total,
        (0.01, MAX_TOTAL),
        step=0.5,
        format="%.2f",
        help="Whatever anyone knows, the whole record then shifts the odds between any two people's answers by at most e to this power.",
    )
    st.caption(f"The whole record may shift the odds between any two people's answers by up to {odds_text(work.total)} times.")


def edit_levels(work: state.Work) -> None:
    """The table of levels, or of weights. An edit is taken into the work first, so that the table can show what follows from it."""
    weighted = work.entry == "total"
    edits = st.session_state.get(_key(work), {}).get("edited_rows", {})
    for row, change in edits.items():
        name = work.chosen[int(row)]
        try:
            if weighted:
                (work.weights[name],) = check_weights([_number(change.get("weight"))], [name]).tolist()
            else:
                (typed,) = check_levels([_number(change.get("eps"))], [name])
                work.set_level(name, float(typed))
        except InputError as error:
            widgets.complain(f"{error} The previous {'weight' if weighted else 'level'} was kept.")
    if edits:
        state.of_page(Edits).count += 1
    if weighted:
        _spend_total(work)
    plan = guards.need_plan(work)
    lies = lie_probability(plan.levels, plan.schema.sizes)
    columns = {
        "attribute": plan.schema.names,
        "categories": plan.schema.sizes,
        "weight": [f"{work.weights.get(name, 1.0):g}" for name in work.chosen],
        "eps": [level_text(eps) for eps in plan.levels],
        "truth": [percent(1 - lie) for lie in lies],
        "odds": [f"× {odds_text(eps)}" for eps in plan.levels],
    }
    if not weighted:
        del columns["weight"]
    editable = "weight" if weighted else "eps"
    st.data_editor(
        pd.DataFrame(columns),
        key=_key(work),
        hide_index=True,
        disabled=[column for column in columns if column != editable],
        column_config={
            "attribute": st.column_config.TextColumn("Attribute"),
            "categories": st.column_config.NumberColumn("Categories", width="small"),
            "weight": st.column_config.TextColumn(
                "Weight",
                width="small",
                help="How much the attribute matters, relative to the others; double-click to change. Twice the weight is twice the level.",
            ),
            "eps": st.column_config.TextColumn(  # text: a number column would clamp or drop what is typed without a word
                "eps",
                width="small",
                help="The level of the attribute, in nats"
                + ("" if weighted else "; double-click to change")
                + ". 1.0 means: seeing this answer can shift anyone's odds about it by at most 2.7 times.",
            ),
            "truth": st.column_config.TextColumn(
                "Truth told", width="small", help="How often the reported answer is the true one."
            ),
            "odds": st.column_config.TextColumn(
                "Odds up to", width="small", help="The most by which seeing this one answer can shift anyone's odds about it."
            ),
        },
    )
    if weighted:
        _show_afforded(work)


def _number(typed: object) -> object:
    """What was typed, with a decimal comma read as a point."""
    return typed.strip().replace(",", ".") if isinstance(typed, str) else typed


def _key(work: state.Work) -> str:
    """A new editor after every edit, and whenever what it shows comes from elsewhere."""
    stamp = (
        work.version,
        work.chosen,
        work.scale,
        work.entry,
        work.total,
        work.mechanism,
        state.of_page(Edits).count,
    )
    return f"levels_{hash(stamp)}"


def _spend_total(work: state.Work) -> None:
    """Give every attribute the level that the total affords under the plan's mechanism."""
    try:
        afforded = _afforded(work)
    except InputError as error:
        widgets.complain(f"{error} The previous levels are kept.")
        return
    if afforded is None:
        if jobs.at_work("afforded"):
            st.stop()
        return
    own = afforded[work.mechanism]
    if isinstance(own, str):
        widgets.complain(f"{own} The previous levels are kept.")
        return
    for name, eps in zip(work.chosen, own, strict=True):
        work.levels[name] = float(eps) / work.scale


def _afforded(work: state.Work) -> dict[str, Floats | str] | None:
    """Levels under each mechanism, or the sentence that says why there are none; None while they are sought."""
    assert work.schema is not None
    sizes, safeguards, total = work.schema.select(work.chosen).sizes, work.safeguards, work.total
    weights = check_weights([work.weights.get(name, 1.0) for name in work.chosen], work.chosen)
    keys = tuple(dict.fromkeys((work.mechanism, "kronecker", work.dial, "optimal")))

    def seek(report: Report) -> dict[str, Floats | str]:
        found: dict[str, Floats | str] = {}
        for done, key in enumerate(keys):
            told, make = jobs.part(report, done, len(keys), recipe(key).title), partial(build, key, safeguards=safeguards)
            try:
                found[key] = levels_for_total(sizes, total, weights, mechanism=make, report=told).levels
            except InputError as error:
                found[key] = str(error)
        return found

    stamp = (sizes, work.chosen, total, tuple(weights), keys, safeguards)
    return jobs.result("afforded", stamp, seek, what="Looking for the levels")


def _show_afforded(work: state.Work) -> None:
    """The same total under other mechanisms."""
    afforded = _afforded(work)
    if afforded is None:
        return
    assert work.schema is not None
    widgets.warn(untouched_warning(work.schema.select(work.chosen).sizes, work.total))
    with st.expander("What other mechanisms afford for this total", icon=":material/compare_arrows:"):
        table = {"Attribute": list(work.chosen)}
        for key, levels in afforded.items():
            title = recipe(key).title
            if isinstance(levels, str):
                widgets.caption(f"{title}: {levels}")
            else:
                table[title] = [level_text(eps) for eps in levels]
        widgets.table(table)
        st.caption("Levels in nats; a higher level is a more truthful answer at the same record total.")
