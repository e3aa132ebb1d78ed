"""The pinned plans in one table, one column per plan."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from pages.shared import widgets
from rrcore.budget import EXCEEDED, SHORTFALL, Tradeoff
from rrcore.estimate import margin
from rrcore.mechanisms import PROVED, Mechanism
from rrcore.wording import EVEN_WITHIN, Quantity, count_text, level_text, total_text

_HEADS = 270  # pixels of what the rows are called
_WIDTH = 190  # pixels of one plan: enough for the longest words that stand in its column


def show(bargains: Sequence[Tradeoff], names: tuple[str, ...]) -> None:
    """What every plan costs and buys; ``names``: the marginal whose error is shown."""
    attributes = list(dict.fromkeys(name for one in bargains for name in one.pin.plan.schema.names))
    columns = {one.pin.name: facts(one, names) | levels(one, attributes) for one in bargains}
    st.dataframe(
        widgets.legible_frame(pd.DataFrame(columns).fillna("").rename_axis("Plan")),
        height="content",
        column_config={"_index": st.column_config.TextColumn(width=_HEADS)}
        | {name: st.column_config.TextColumn(width=_WIDTH) for name in columns},
    )
    st.caption(
        "Levels and totals in nats, totals rounded up. Beside Kronecker: the total compared with randomising every answer on its own "
        "at the same levels. The level of an attribute is the one that was asked, and the one that the "
        "mechanism gives where that differs."
    )


def facts(one: Tradeoff, names: tuple[str, ...]) -> dict[str, str]:
    """What a plan costs and buys, by the heading of its row."""
    option, plan = one.option, one.pin.plan
    mechanism = option.mechanism
    rows = {"Mechanism": option.title, "People": count_text(plan.respondents)}
    if mechanism is None:
        return rows | {"Whole record": "cannot be carried out"}
    rows |= option.price.columns
    if names:
        rows[EVEN_WITHIN] = Quantity("share", f"{one.pin.name}, {' × '.join(names)}").within(float(margin(one.error)))
    found = option.weakest(plan.schema.axes(names)) if names else None
    if found is not None and found.worse:
        rows["Beside independent answers"] = found.text
    rows["Beside Kronecker"] = "" if option.key in ("kronecker", "design") else option.saving_text
    rows["Could cost less by"] = room(mechanism)
    rows["Pairs lost"] = str(option.lost_pairs or "none")
    rows["Pairs weakened"] = str(option.weak_pairs or "none")
    rows["Levels exceeded"] = str(len(option.violations) or "none")
    return rows


def room(mechanism: Mechanism) -> str:
    """How far the total may be above the least of its kind."""
    if mechanism.gap is None:
        return "not known"
    return "nothing, proved" if mechanism.gap <= PROVED else f"at most {total_text(mechanism.gap)}"


def levels(one: Tradeoff, attributes: Sequence[str]) -> dict[str, str]:
    """The level of every one of ``attributes``: asked, and given where that differs."""
    plan, mechanism = one.pin.plan, one.option.mechanism
    rows = {f"Level of {name}": "not in the plan" for name in attributes}
    for i, (name, asked) in enumerate(zip(plan.schema.names, plan.levels, strict=True)):
        if mechanism is None:
            rows[f"Level of {name}"] = level_text(asked)
        elif plan.mechanism == "design":
            rows[f"Level of {name}"] = f"{total_text(abs(mechanism.levels[i]))}, designed"  # below 0 where lies prevail
        elif -SHORTFALL < mechanism.levels[i] - asked <= EXCEEDED:
            rows[f"Level of {name}"] = level_text(asked)
        else:
            rows[f"Level of {name}"] = f"{level_text(asked)} asked, {total_text(mechanism.levels[i])} given"
    return rows
