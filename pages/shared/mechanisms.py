"""The mechanism of the plan: one of those that exist at the plan's levels, or one that a file says."""

import threading
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary

import streamlit as st

from pages.shared import guards, jobs, state, uploads, widgets
from rrcore.budget import Option, Plan, build, compare, recipe
from rrcore.errors import InputError
from rrcore.limits import MAX_DOCUMENT_BYTES, MAX_INSTANT_ATTRIBUTES
from rrcore.mechanisms import Mechanism, Safeguards
from rrcore.promise import MechanismFile, integer_groups

_followed: WeakKeyDictionary[Mechanism, dict[Callable[[Mechanism], Any], Any]] = WeakKeyDictionary()
_lock = threading.Lock()

Value = TypeVar("Value")


def options(work: state.Work, plan: Plan, *, keys: Sequence[str] = ()) -> tuple[Option, ...]:
    """Return the mechanisms ``keys``, by default the independent, the preserving, the lowest-total and the plan's own, each made once.

    While they are made the page stops here, with progress and a way to stop it. Once stopped, independent randomization is left.
    """
    wanted, about = keys or ("independent", "workload", work.dial, "optimal", plan.key), depends_on(plan)
    keys = tuple(key for key in work.option_keys(plan) if key in wanted)
    made: dict[str, Option] = work.remember("options", about, dict)
    missing = tuple(key for key in keys if key not in made)
    if missing and _at_once(plan):
        made |= {key: _once(plan, key) for key in missing}
    elif missing:
        found = jobs.result("options", (about, missing), compare, plan, missing, what="Designing the mechanisms")
        if found is None:
            if jobs.at_work("options"):
                st.stop()
            return compare(plan, ("independent",))
        made |= {option.key: option for option in found}
    return tuple(made[key] for key in keys)


def known(work: state.Work, plan: Plan) -> Option | None:
    """The plan's own mechanism if it was made already, or can be at once; None where making it would keep the page waiting."""
    about, job = depends_on(plan), jobs.find("options")
    made: dict[str, Option] = work.remember("options", about, dict)
    asked = job is not None and job.about[0] == about  # at work, or stopped: what is missing stays what it was
    if plan.key not in made and not asked and _at_once(plan):
        made[plan.key] = _once(plan, plan.key)
    return made.get(plan.key)


def _at_once(plan: Plan) -> bool:
    """Whether mechanisms for ``plan`` are made while the page waits: a thread of their own would only make many people wait longer."""
    return not plan.workload and len(plan.epsilon) <= MAX_INSTANT_ATTRIBUTES


def _once(plan: Plan, key: str) -> Option:
    """One mechanism for ``plan``, or why there is none."""
    try:
        made = _made(key, plan.schema.sizes, plan.epsilon, plan.safeguards)
    except InputError:
        return compare(plan, (key,))[0]  # says why with the names of the attributes
    return Option(key, recipe(key).title, made)


@st.cache_resource(max_entries=1_000, show_spinner=False)
def _made(key: str, sizes: tuple[int, ...], epsilon: tuple[float, ...], safeguards: Safeguards) -> Mechanism:
    """One mechanism, made once for everybody on this server, who may move the same sliders. It has numbers only, and no names."""
    return build(key, sizes, epsilon, safeguards=safeguards)


def following(mechanism: Mechanism, compute: Callable[[Mechanism], Value]) -> Value:
    """What follows from ``mechanism`` alone, computed once for everybody whose mechanism it is, for as long as it is there."""
    with _lock:
        known = _followed.setdefault(mechanism, {})
    if compute not in known:
        known[compute] = compute(mechanism)
    return cast(Value, known[compute])


def depends_on(plan: Plan) -> Hashable:
    """Everything that the mechanisms for a plan depend on."""
    return plan.schema, plan.epsilon, plan.safeguards, plan.budget, plan.workload


def in_play(work: state.Work, choices: Sequence[Option]) -> tuple[Option, Mechanism]:
    """Return the plan's mechanism. Where it cannot be had, another one is taken, and a warning says so."""
    available = {option.key: (option, option.mechanism) for option in choices if option.mechanism is not None}
    if work.draft.mechanism not in available:
        refused = next((option for option in choices if option.key == work.draft.mechanism), None)
        work.change(mechanism=next(name for name in ("workload", work.dial, "independent") if name in available))
        if refused is not None:
            widgets.warn(
                f"{refused.title} is not possible. {refused.refusal} RR Workbench uses {recipe(work.draft.mechanism).title}."
            )
    return available[work.draft.mechanism]


@widgets.complaining
def planned(work: state.Work) -> MechanismFile | None:
    """The mechanism of the plan, in integers; None where it cannot be written so, which is then said."""
    plan = guards.need_plan(work)
    option, mechanism = in_play(work, options(work, plan))
    return in_integers(work, plan.with_(mechanism=option.key), mechanism)


def in_integers(work: state.Work, plan: Plan, mechanism: Mechanism) -> MechanismFile:
    """The mechanism of ``plan`` as a file, made once. Raises InputError where it cannot be written in integers."""
    return work.remember("planned_file", plan, lambda: MechanismFile(plan.schema, following(mechanism, integer_groups)))


@widgets.complaining
def uploaded(work: state.Work, key: str, present: MechanismFile | None = None) -> MechanismFile | None:
    """The mechanism file that is chosen, else ``present``; None where the chosen one cannot be used, which is then said."""
    chosen = uploads.choose_file(
        "Mechanism file",
        type=["json"],
        key=key,
        max_upload_size=MAX_DOCUMENT_BYTES // 2**20,
        help="Upload a file saved by 'Download mechanism file'. It contains the randomization probabilities and their certificate.",
    )
    if chosen is None:
        return present
    return work.remember(f"file_{key}", chosen.file_id, lambda: MechanismFile.from_json(chosen.getvalue()))
