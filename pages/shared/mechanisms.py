"""The mechanism in play: one of those that exist at the plan's levels, or one that a file says."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.shared import guards, jobs, state, widgets
from rrcore.budget import Option, Plan, compare
from rrcore.collect import MechanismFile, integer_groups
from rrcore.errors import InputError
from rrcore.limits import MAX_MECHANISM_BYTES
from rrcore.mechanisms import MECHANISMS, Mechanism
from rrcore.wording import counted, odds_text, total_text


def options(work: state.Work, plan: Plan) -> tuple[Option, ...]:
    """The mechanisms side by side for ``plan``. While they are made the page stops here, with progress and a way to stop it;
    once stopped, what needs no solving is there.
    """
    keys = work.option_keys(plan)
    made = jobs.result(
        "options",
        (plan.schema, plan.levels, plan.safeguards, plan.questions),
        lambda report: compare(plan, keys, report=report),
        what="Designing the mechanisms",
    )
    if made is None:
        if jobs.at_work("options"):
            st.stop()
        return compare(plan, ("kronecker",) if plan.questions else ("kronecker", "joint", "published"))
    return made


def choose(work: state.Work, choices: Sequence[Option]) -> tuple[Option, Mechanism]:
    """Radio buttons over the mechanisms that exist at these levels, the same on every page; the chosen one."""
    available = {option.key: (option, option.mechanism) for option in choices if option.mechanism is not None}
    if work.mechanism not in available:
        refused = next((option for option in choices if option.key == work.mechanism), None)
        work.mechanism = next(name for name in ("design", state.RECOMMENDED, "kronecker") if name in available)
        if refused is not None:
            widgets.warn(f"{refused.title} does not exist for these levels, so {available[work.mechanism][0].title} is used.")
    st.radio(
        "Mechanism of the plan",
        list(available),
        format_func=lambda key: available[key][0].title + (" (recommended)" if key == state.RECOMMENDED else ""),
        captions=[_caption(option, mechanism) for option, mechanism in available.values()],
        help="How the lies of one respondent are drawn. "
        + " ".join(f"{MECHANISMS[key].title}: {MECHANISMS[key].summary}" for key in available if key in MECHANISMS),
        **state.shown(work, "mechanism"),
    )
    return available[work.mechanism]


def _caption(option: Option, mechanism: Mechanism) -> str:
    parts = [f"total {total_text(mechanism.total_level)}, odds up to × {odds_text(mechanism.total_level)}"]
    if option.key != "kronecker" and option.key != "design":
        parts.append(f"**{option.saving_text}**" if option.violations else option.saving_text)
    if option.lost_pairs:
        parts.append(f"**{counted(option.lost_pairs, 'pair', 'pairs')} lost**")
    if option.weak_pairs:
        parts.append(f"**{counted(option.weak_pairs, 'pair', 'pairs')} weakened**")
    return ", ".join(parts)


def planned(work: state.Work) -> MechanismFile | None:
    """The mechanism of the plan in play, in integers; None where it cannot be written so, which is then said."""
    plan = guards.need_plan(work)
    option, mechanism = choose(work, options(work, plan))
    try:
        return work.remember(
            "planned_file",
            (work.version, plan.with_mechanism(option.key)),
            lambda: MechanismFile(plan.schema, integer_groups(mechanism)),
        )
    except InputError as error:
        widgets.complain(error)
        return None


def uploaded(work: state.Work, key: str, present: MechanismFile | None = None) -> MechanismFile | None:
    """The mechanism file that is chosen, else ``present``; None where the chosen one cannot be used, which is then said."""
    chosen = st.file_uploader(
        "Mechanism file",
        type=["json"],
        key=key,
        max_upload_size=MAX_MECHANISM_BYTES // 2**20,
        help="A file saved by 'Download mechanism file'. It holds no answers.",
    )
    if chosen is None:
        return present
    try:
        return work.remember(f"file_{key}", chosen.file_id, lambda: MechanismFile.from_bytes(chosen.getvalue()))
    except InputError as error:
        widgets.complain(error)
        return None
