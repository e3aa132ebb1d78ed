"""Ways into a plan: a level for each attribute, or a total and how much each attribute matters."""

import streamlit as st

from pages.budget import column
from pages.shared import guards, jobs, state, widgets
from rrcore.arrays import Floats
from rrcore.budget import Entry, check_total_weights, levels_afforded
from rrcore.channel import check_levels, lie_from_level
from rrcore.errors import InputError
from rrcore.limits import MAX_OPTIMAL_ATTRIBUTES, MAX_TOTAL, MIN_LEVEL
from rrcore.mechanisms import recipe
from rrcore.wording import Quantity, legible, level_text, meaning, percent

ENTRIES: dict[Entry, str] = {
    "levels": "A level for each attribute",
    "total": "One total, and what matters more",
    "questions": "One total, and the joint distributions wanted",
}


def choose_entry(work: state.Work) -> None:
    """What the steward starts from."""
    entry = widgets.radio(
        "Start from",
        ENTRIES,
        f"entry_{work.version}",
        at=work.wishes.entry,
        help=f"Level: {meaning('level')}\n\nTotal: {meaning('total')}\n\nJoint distributions wanted: {meaning('joint distributions wanted')}",
    )
    work.wish(entry=entry)
    if work.wishes.entry != "questions" and work.wishes.mechanism == "design":
        work.choose_safe(work.wishes.width)


def choose_attributes(work: state.Work) -> None:
    assert work.schema is not None
    chosen = widgets.several(
        "Attributes of the plan",
        work.schema.names,
        f"chosen_{work.version}",
        at=work.wishes.chosen,
        help=f"{meaning('attribute')} The optimum is solved exactly for up to {MAX_OPTIMAL_ATTRIBUTES} of them, and beyond that to within "
        "a stated gap.",
    )
    if missing := len(work.schema.names) - len(chosen):
        st.button(
            f"Add the other {missing}" if chosen else f"Add all {missing}",
            key="choose_all",
            on_click=_choose_all,
            args=(work,),
            type="tertiary",
            icon=":material/done_all:",
        )
    if not chosen:
        widgets.complain("No attribute is chosen: choose at least one.")
        st.stop()
    if tuple(chosen) != work.wishes.chosen:
        work.choose_attributes(tuple(chosen))


def _choose_all(work: state.Work) -> None:
    assert work.schema is not None
    work.choose_attributes(tuple(dict.fromkeys((*work.wishes.chosen, *work.schema.names))))
    work.version += 1


def choose_total(work: state.Work) -> None:
    total = widgets.number(
        "Total for the whole record (nats)",
        f"total_{work.version}",
        work.wishes.total,
        (MIN_LEVEL, MAX_TOTAL),
        step=0.5,
        format="%.2f",
        help=meaning("total"),
    )
    work.wish(total=total)
    st.caption(
        f"The whole record may shift the odds between any two people's answers by up to {Quantity('whole record', '').times(total)} times."
    )


def edit_levels(work: state.Work) -> None:
    """The table of levels, or of weights: what is typed is taken into the work first, so that the table shows what follows from it."""
    weighted = work.wishes.entry == "total"
    with st.container():  # of its own, so that a complaint moves nothing: a table that moves would lose the place where one types
        wrong = _take_typed(work, weighted)
    place = st.container()
    sought = weighted and _spend_total(work)
    with place:
        _table(work, weighted, wrong)
    if sought:
        st.stop()
    if weighted:
        _show_afforded(work)


def _take_typed(work: state.Work, weighted: bool) -> dict[int, str]:
    """Take what was typed into the work, and say what cannot be taken, which stays in the table until it is mended; row -> text."""
    wrong = {}
    for row, text in column.typed(key(work)).items():
        name = work.wishes.chosen[row]
        try:
            if weighted:
                (weight,) = check_total_weights([_number(text)], [name]).tolist()
                work.wish(weights={**work.wishes.weights, name: weight})
            else:
                (level,) = check_levels([_number(text)], [name]).tolist()
                work.set_levels({name: level})
        except InputError as error:
            wrong[row] = text
            widgets.complain(f"{error} The previous {'weight' if weighted else 'level'} is kept.")
    return wrong


def _table(work: state.Work, weighted: bool, wrong: dict[int, str]) -> None:
    plan = guards.need_plan(work)
    lies = lie_from_level(plan.levels, plan.schema.sizes)
    lines = []
    for i, (name, eps) in enumerate(zip(work.wishes.chosen, plan.levels, strict=True)):
        own = f"{work.wishes.weights.get(name, 1.0):g}" if weighted else level_text(eps)
        facts = ((level_text(eps),) if weighted else ()) + (percent(1 - lies[i]), Quantity("one answer", name).odds(eps))
        lines.append(column.Line(legible(name), str(plan.schema.sizes[i]), wrong.get(i, own), i in wrong, facts))
    heads = {"Attribute": meaning("attribute"), "Categories": meaning("category")}
    if weighted:
        heads["Weight"] = (
            "How much the attribute matters, relative to the others: type it, Enter moves down. Twice the weight is twice the level."
        )
        heads["Level"] = meaning("level")
    else:
        heads["Level"] = f"{meaning('level')} Type it, Enter moves down."
    heads |= {"Truth told": meaning("truth told"), "Odds up to": meaning("one answer")}
    column.show(key(work), "Weight" if weighted else "Level", lines, heads)


def _number(typed: str) -> str:
    """What was typed, with a decimal comma read as a point."""
    return typed.strip().replace(",", ".")


def key(work: state.Work) -> str:
    """A new table only where what it starts from comes from elsewhere: a table keeps what is typed into it as long as its key."""
    start = (work.version, work.wishes.chosen, work.wishes.entry, work.wishes.scale if work.wishes.entry == "levels" else 0)
    return f"levels_{hash(start)}"


def _spend_total(work: state.Work) -> bool:
    """Give every attribute the level that the total affords under the plan's mechanism; True while that is sought."""
    try:
        afforded = _afforded(work)
    except InputError as error:
        widgets.complain(f"{error} The previous levels are kept.")
        return False
    if afforded is None:
        return jobs.at_work("afforded")
    own = afforded[work.wishes.mechanism]
    if isinstance(own, str):
        widgets.complain(f"{own} The previous levels are kept.")
        return False
    work.set_levels(dict(zip(work.wishes.chosen, map(float, own), strict=True)))
    return False


def _afforded(work: state.Work) -> dict[str, Floats | str] | None:
    """Levels under each mechanism, or the sentence that says why there are none; None while they are sought."""
    assert work.schema is not None
    sizes, safeguards, total = work.schema.select(work.wishes.chosen).sizes, work.safeguards, work.wishes.total
    weights = check_total_weights([work.wishes.weights.get(name, 1.0) for name in work.wishes.chosen], work.wishes.chosen)
    keys = tuple(dict.fromkeys((work.wishes.mechanism, "kronecker", work.dial, "optimal")))
    about = (sizes, work.wishes.chosen, total, tuple(weights), safeguards)
    made: dict[str, Floats | str] = work.remember("afforded", about, dict)
    missing = tuple(name for name in keys if name not in made)
    if missing:
        asked = (sizes, total, weights, missing, safeguards)
        found = jobs.result("afforded", (about, missing), levels_afforded, *asked, what="Looking for the levels")
        if found is None:
            return None
        made |= found
    return {name: made[name] for name in keys}


def _show_afforded(work: state.Work) -> None:
    """Show what one total affords under other mechanisms."""
    afforded = _afforded(work)
    if afforded is None:
        return
    with st.expander("What other mechanisms afford for this total", icon=":material/compare_arrows:"):
        table = {"Attribute": list(work.wishes.chosen)}
        for key, levels in afforded.items():
            title = recipe(key).title
            if isinstance(levels, str):
                widgets.caption(f"{title}: {levels}")
            else:
                table[title] = [level_text(eps) for eps in levels]
        widgets.table(table)
        st.caption("Levels in nats; a higher level is a more truthful answer at the same record total.")
