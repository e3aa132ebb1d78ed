"""The mechanism in play: one of those that exist at the plan's levels, or one that a file says."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary

import streamlit as st

from pages.shared import guards, jobs, state, uploads, widgets
from rrcore.budget import Option, Plan, compare
from rrcore.estimate import Weakest
from rrcore.limits import MAX_DOCUMENT_BYTES, MAX_INSTANT_ATTRIBUTES
from rrcore.mechanisms import Mechanism, recipe, recommended_recipe, safe_recipe_width
from rrcore.promise import MechanismFile, integer_groups
from rrcore.wording import counted, meaning

_MOST_MADE = 1_000  # of at most eight attributes: some kilobytes each
_made: OrderedDict[Hashable, Option] = OrderedDict()
_making: dict[Hashable, threading.Event] = {}
_PATIENCE = 5.0  # seconds after which a page makes by itself what another one does not finish
_followed: WeakKeyDictionary[Mechanism, dict[Callable[[Mechanism], Any], Any]] = WeakKeyDictionary()
_lock = threading.Lock()

Value = TypeVar("Value")


def options(work: state.Work, plan: Plan, *, without: Sequence[str] = ()) -> tuple[Option, ...]:
    """The mechanisms side by side for ``plan``, each made once, but those ``without``. While they are made the page stops here, with
    progress and a way to stop it; once stopped, what needs no solving is there.
    """
    keys, about = tuple(key for key in work.option_keys(plan) if key not in without), depends_on(plan)
    made: dict[str, Option] = work.remember("options", about, dict)
    missing = tuple(key for key in keys if key not in made)
    if missing and _at_once(plan):
        made |= {key: _once(plan, key) for key in missing}
    elif missing:
        found = jobs.result("options", (about, missing), compare, plan, missing, what="Designing the mechanisms")
        if found is None:
            if jobs.at_work("options"):
                st.stop()
            return compare(plan, ("kronecker",) if plan.questions else ("kronecker", "joint", "published"))
        made |= {option.key: option for option in found}
    return tuple(made[key] for key in keys)


def known(work: state.Work, plan: Plan) -> Option | None:
    """The plan's own mechanism if it was made already, or can be at once; None where making it would keep the page waiting."""
    about, job = depends_on(plan), jobs.find("options")
    made: dict[str, Option] = work.remember("options", about, dict)
    asked = job is not None and job.about[0] == about  # at work, or stopped: what is missing stays what it was
    if plan.mechanism not in made and not asked and _at_once(plan):
        made[plan.mechanism] = _once(plan, plan.mechanism)
    return made.get(plan.mechanism)


def _at_once(plan: Plan) -> bool:
    """Whether mechanisms for ``plan`` are made while the page waits: a thread of their own would only make many people wait longer."""
    return plan.questions is None and len(plan.levels) <= MAX_INSTANT_ATTRIBUTES


def _once(plan: Plan, key: str) -> Option:
    """One mechanism for ``plan``, made at most once for everybody on this server: it follows from numbers of categories and from levels
    alone, and nothing else of a plan is kept. A class that moves the same sliders waits for each position once.
    """
    about = (key, plan.schema.sizes, plan.levels, plan.safeguards, plan.closeness)
    with _lock:
        if about in _made:
            _made.move_to_end(about)
            return _made[about]
        others = _making.get(about)
        ours = _making.setdefault(about, threading.Event())
    if others is not None:  # somebody waits for the same: two would take twice as long
        others.wait(_PATIENCE)
        with _lock:
            if about in _made:
                return _made[about]
    try:
        (option,) = compare(plan, (key,))
        if option.mechanism is not None:  # a refusal names attributes, which are this session's own
            with _lock:
                _made[about] = option
                while len(_made) > _MOST_MADE:
                    _made.popitem(last=False)
    finally:
        with _lock:
            _making.pop(about, None)
        ours.set()
    return option


def following(mechanism: Mechanism, compute: Callable[[Mechanism], Value]) -> Value:
    """What follows from ``mechanism`` alone, computed once for everybody whose mechanism it is, for as long as it is there."""
    with _lock:
        known = _followed.setdefault(mechanism, {})
    if compute not in known:
        known[compute] = compute(mechanism)
    return cast(Value, known[compute])


def depends_on(plan: Plan) -> Hashable:
    """Everything that the mechanisms for a plan depend on."""
    return plan.schema, plan.levels, plan.safeguards, plan.questions, plan.closeness


Available = dict[str, tuple[Option, Mechanism]]


def choose(work: state.Work, choices: Sequence[Option]) -> tuple[Option, Mechanism]:
    """Radio buttons over the mechanisms that exist at these levels, and the chosen one: the full choice, as on Budget.

    Those that are safe for joint distributions are one entry with a slider, beside the optimum, which is safe for 1 attribute.
    """
    available = _available(work, choices)
    _buttons(work, available)
    return available[work.wishes.mechanism]


def in_play(work: state.Work, choices: Sequence[Option]) -> tuple[Option, Mechanism]:
    """One line with the name of the chosen mechanism and what it saves, its price being in the strip above; ``choose`` opens from it.
    Everywhere but on Budget.
    """
    available = _available(work, choices)
    with st.container(horizontal=True, vertical_alignment="center", key="mechanism_line"):
        st.markdown(":small[Mechanism]", help=meaning("mechanism"), width="content")
        with st.popover("Change", type="tertiary", icon=":material/tune:", key="change_mechanism"):
            _buttons(work, available)
    option, mechanism = available[work.wishes.mechanism]
    text = ", ".join(filter(None, [option.gain_text, *_losses(option)]))
    st.markdown(f":small[**{option.title}**{': ' if text else ''}{text}]")
    return option, mechanism


def _available(work: state.Work, choices: Sequence[Option]) -> Available:
    """The mechanisms that exist, by name. Where that of the plan does not, another is taken, which is said."""
    available = {option.key: (option, option.mechanism) for option in choices if option.mechanism is not None}
    if work.wishes.mechanism not in available:
        refused = next((option for option in choices if option.key == work.wishes.mechanism), None)
        work.wish(mechanism=next(name for name in ("design", work.dial, "kronecker") if name in available))
        if refused is not None:
            widgets.warn(f"{refused.title}: {refused.refusal} {available[work.wishes.mechanism][0].title} is used instead.")
    return available


def _buttons(work: state.Work, available: Available) -> None:
    wishes = work.wishes
    asked = (wishes.marginal, *wishes.floor_marginals, *(wishes.questions if wishes.entry == "questions" else ()))
    best = recommended_recipe(len(wishes.chosen), max(map(len, asked)))
    st.radio(
        "Mechanism of the plan",
        list(available),
        format_func=lambda key: _title(key) + (" (recommended)" if key == best else ""),
        captions=[_caption(option) for option, _ in available.values()],
        help=f"{meaning('mechanism')} "
        + " ".join(f"{recipe(key).title}: {recipe(key).summary}" for key in available if not recipe(key).needs),
        **state.shown("mechanism", wishes.mechanism, lambda chosen: work.wish(mechanism=chosen)),
    )
    if safe_recipe_width(work.wishes.mechanism) is not None and len(work.wishes.chosen) > 1:
        _dial(work, safe_recipe_width(best) or 1)
    if remark := work.plan().remark:
        st.caption(remark)
        st.button("Search for the least total", on_click=lambda: work.wish(closeness="full"), icon=":material/search:")


def _title(key: str) -> str:
    """The name of an entry; those that are safe for joint distributions say for which."""
    width = safe_recipe_width(key)
    if width is None or width == 1:
        return recipe(key).title
    known = " (pair\N{NON-BREAKING HYPHEN}safe)" if width == 2 else ""
    return f"Safe for joint distributions of up to {counted(width, 'attribute', 'attributes')}{known}"


def _dial(work: state.Work, best: int) -> None:
    """For how many attributes the mechanism is safe; ``best`` is recommended."""
    width, k = safe_recipe_width(work.wishes.mechanism) or 1, len(work.wishes.chosen)
    key = f"safe_for_{k}"
    st.session_state[key] = width
    st.slider(
        "Safe for joint distributions of up to ... attributes",
        1,
        k,
        key=key,
        on_change=lambda: work.choose_safe(st.session_state[key]),
        help=f"{meaning('safe')} 1 is the optimum, 2 pair-safe, {k} keeps everything; the larger, the higher the record's total.",
    )
    known = {1: "The optimum: what attributes have in common may be lost.", k: "Everything is kept (all-safe)."}
    wider = f"Joint distributions of more than {width} attributes may be read less accurately than from independent answers."
    said = known.get(width, wider)
    st.caption(said if width == best else f"{said} Recommended: {best}.")


def warn_weak(work: state.Work, names: Sequence[str], found: Weakest | None, key: str) -> None:
    """Say where the marginal over ``names`` is read less accurately than from independent answers, with a way to mend it."""
    if found is None or not found.worse:
        return
    widgets.warn(found.sentence(names))
    if work.wishes.entry != "questions":
        st.button(
            f"Make it safe for {counted(found.width, 'attribute', 'attributes')}",
            key=key,
            on_click=work.choose_safe,
            args=(found.width,),
            icon=":material/shield:",
        )


def _caption(option: Option) -> str:
    price = f"**{option.price_text}**" if option.violations else option.price_text
    return "; ".join([price, *_losses(option)])


def _losses(option: Option) -> list[str]:
    """What it fails to keep."""
    kinds = ((option.lost_pairs, "lost"), (option.weak_pairs, "weakened"))
    return [f"**{counted(number, 'pair', 'pairs')} {what}**" for number, what in kinds if number]


@widgets.complaining
def planned(work: state.Work) -> MechanismFile | None:
    """The mechanism of the plan in play, in integers; None where it cannot be written so, which is then said."""
    plan = guards.need_plan(work)
    option, mechanism = in_play(work, options(work, plan))
    return in_integers(work, plan.with_mechanism(option.key), mechanism)


def in_integers(work: state.Work, plan: Plan, mechanism: Mechanism) -> MechanismFile:
    """The mechanism of ``plan`` as a file, made once. Raises InputError where it cannot be written in integers."""
    return work.remember(
        "planned_file", plan, lambda: MechanismFile(plan.schema, following(mechanism, integer_groups), note=plan.remark)
    )


@widgets.complaining
def uploaded(work: state.Work, key: str, present: MechanismFile | None = None) -> MechanismFile | None:
    """The mechanism file that is chosen, else ``present``; None where the chosen one cannot be used, which is then said."""
    chosen = uploads.choose_file(
        "Mechanism file",
        type=["json"],
        key=key,
        max_upload_size=MAX_DOCUMENT_BYTES // 2**20,
        help=f"{meaning('mechanism file')} It is saved by 'Download mechanism file'.",
    )
    if chosen is None:
        return present
    return work.remember(f"file_{key}", chosen.file_id, lambda: MechanismFile.from_json(chosen.getvalue()))
