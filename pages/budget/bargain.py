"""What the whole record costs under each mechanism, what each attribute gives away, and what can be estimated."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from pages.shared import mechanisms, state, widgets
from rrcore import plots
from rrcore.budget import Option, Plan
from rrcore.estimate import Weakest, margin, weakest_interactions
from rrcore.limits import HOPELESS, MAX_PAGE_MARGINAL, MIN_FACTOR, USELESS_MARGIN
from rrcore.mechanisms import Mechanism, expected_pair_errors, recipe, safe_recipe_width
from rrcore.wording import EVEN_WITHIN, Quantity, count_text, counted, meaning, percent, quantity_target, total_text

_OTHERS = ("closed-form", "joint", "published")
"""What is there to compare with: no plan needs them."""


def show_totals(work: state.Work, plan: Plan) -> tuple[tuple[Option, ...], Option, Mechanism]:
    """Totals side by side, and the choice of the plan's mechanism; the others beside the three that matter are made on demand.

    Returns the options that are shown, the chosen one, and its mechanism.
    """
    st.markdown("**The whole record costs**")
    figure, choice = st.container(), st.container()
    others, key = [name for name in work.option_keys(plan) if name in _OTHERS], "more_mechanisms"
    if work.wishes.mechanism in _OTHERS:
        st.session_state[key] = True
    titles = ", ".join(recipe(name).title for name in others)
    more = bool(others) and widgets.checkbox("More mechanisms", key, help=f"Also {titles}: to compare with.")
    with figure:
        options = mechanisms.options(work, plan, without=() if more else _OTHERS)
        optimum = next((option.mechanism for option in options if option.key == "optimal"), None)
        bound = optimum.lower_bound if optimum is not None else None
        totals = plots.budget_totals_figure(options, widgets.palette(), lower_bound=bound)
        widgets.figure(totals, "record-level-budget", alt="Total of each mechanism")
    with choice:
        option, mechanism = mechanisms.choose(work, options)
    widgets.details("How they were found, and what is missing", "bargain_found", partial(_remarks, options), icon="info")
    return options, option, mechanism


def _remarks(options: Sequence[Option]) -> None:
    for option in options:
        widgets.caption(_remark(option))


def _remark(option: Option) -> str:
    """How one mechanism was found and what it fails to keep, or why it is missing."""
    mechanism, title = option.mechanism, option.title
    if mechanism is None:
        return f"{title}: {option.refusal}"
    if option.violations:
        return (
            f"{title}: {mechanism.method}. It exceeds {counted(len(option.violations), 'level', 'levels')}, the worst by "
            f"{total_text(option.excess)} "
            "nats: see 'The published algorithm'."
        )
    if option.key == "joint" and not option.meets_levels:
        return f"{title} keeps or randomises the whole record, so it stays below the levels of some attributes."
    if safe_recipe_width(option.key) is not None or option.key == "safeguarded":
        found = f"{title}: {mechanism.method or 'nothing better than Kronecker was found'}; {_proof(option.key, mechanism)}."
        return f"{found} Tried: {' '.join(mechanism.tried)}" if len(mechanism.tried) > 1 else found
    if option.key == "closed-form":
        return (
            f"{title}: {'its optimality test holds' if mechanism.is_optimal else 'its optimality test fails: not the optimum'}."
        )
    return f"{title}: {mechanism.method or recipe(option.key).summary}"


def _proof(key: str, mechanism: Mechanism) -> str:
    width = safe_recipe_width(key) or 0
    kept = f" that keeps joint distributions of up to {width} attributes as accurate as Kronecker" if width > 1 else ""
    if key == "safeguarded":
        kept = " that keeps your safeguards"
    if mechanism.gap is None:
        return "how close that is to the least possible is not known"
    if mechanism.is_optimal:
        return f"proved: no mechanism with these levels{kept} costs less"
    return f"no mechanism with these levels can be more than {total_text(mechanism.gap)} nats cheaper"


def section(
    work: state.Work, plan: Plan, options: tuple[Option, ...], option: Option, mechanism: Mechanism, population: bool
) -> None:
    """Privacy beside accuracy for the plan, then all mechanisms for a question of the steward's own."""
    left, right = st.columns(2, gap="large")
    with left:
        show_privacy(plan, option, mechanism)
    with right:
        show_accuracy(plan, option, mechanism, population)
    show_orders(plan, mechanism)
    show_side_by_side(work, plan, options, population)


def show_privacy(plan: Plan, option: Option, mechanism: Mechanism) -> None:
    """The three numbers of each attribute."""
    st.markdown("**What each attribute gives away**")
    alone = [abs(eps) for eps in mechanism.levels]  # below 0 where a lie is the likelier answer, which gives away as much
    figure = plots.certificate_figure(
        plan.schema.names, alone, mechanism.leakage.tolist(), mechanism.total_level, widgets.palette()
    )
    widgets.figure(figure, "leakage", alt="By how much one answer, and the others known, can shift odds about each attribute")
    if note := plots.drawn_note(mechanism.k, "attributes with the largest leakage"):
        st.caption(note)
    names = plan.schema.names
    whole = Quantity("whole record", option.title).both(mechanism.total_level)
    widgets.table(
        {
            "Attribute": names,
            "One answer": [Quantity("one answer", name).both(eps) for name, eps in zip(names, alone, strict=True)],
            "Others known": [
                Quantity("others known", name).both(eps) for name, eps in zip(names, mechanism.leakage, strict=True)
            ],
            "Whole record": [whole] * mechanism.k,
        }
    )
    widgets.caption(
        f"One answer: {meaning('one answer')} Others known: {meaning('others known')} Whole record: {meaning('whole record')} All "
        "rounded up."
    )


def show_accuracy(plan: Plan, option: Option, mechanism: Mechanism, population: bool) -> None:
    """Expected error of every pair, before any answer is collected."""
    st.markdown("**What you will be able to estimate**")
    names = plan.schema.names
    errors = expected_pair_errors(mechanism, plan.respondents, population=population)
    figure = plots.budget_pair_errors_figure(names, margin(errors), widgets.palette())
    widgets.figure(figure, "expected-error", alt="Expected error of the joint distribution of every pair")
    source = "randomization and from who was asked" if population else "randomization alone"
    widgets.caption(
        f"95 % of the time a share is within so many points, by the {source}, for {counted(plan.respondents, 'person', 'people')}, if all "
        f"answers are equally common. {_weakest(option, names)} "
        f"{plots.drawn_note(len(names), 'attributes whose pairs have the largest errors')}"
    )
    if option.lost_pairs:
        lost = [f"{names[i]} and {names[j]}" for i in range(len(names)) for j in range(i) if not math.isfinite(errors[i, j])]
        widgets.warn(
            f"Under this mechanism {'; '.join(lost[:3])}{' and others' if len(lost) > 3 else ''} are reported in a way that "
            "erases how they go together: no estimate of them is possible. Choose a mechanism safe for 2 attributes or more, or raise "
            "the levels."
        )
    if option.weak_pairs and option.weakest_pair is not None:
        first, second, _ = option.weakest_pair
        times = option.respondents_factor((first, second), plan.respondents, population=population)
        widgets.warn(
            f"{counted(option.weak_pairs, 'pair keeps', 'pairs keep')} less than half of what Kronecker keeps of what they have in common"
            + (
                f": for the same error {names[first]} with {names[second]} needs {times:.1f} times as many people. "
                if times > 1
                else ". "
            )
            + "If such a pair matters, choose a mechanism safe for 2 attributes or more."
        )


def _weakest(option: Option, names: tuple[str, ...]) -> str:
    if option.weakest_pair is None or option.lost_pairs:
        return ""
    first, second, ratio = option.weakest_pair
    turned = ", with its direction turned round (the estimate turns it back)" if ratio < 0 else ""
    return (
        f"Of what two attributes have in common, {names[first]} with {names[second]} keep the least: {percent(abs(ratio))} of what they "
        f"keep under Kronecker{turned}."
    )


def show_orders(plan: Plan, mechanism: Mechanism) -> None:
    """For pairs, triples and so on, what the mechanism in play keeps worst."""
    rows = [
        {
            "Joint distributions of": counted(len(axes), "attribute", "attributes"),
            "What they have in common survives worst for": " × ".join(plan.schema.names[i] for i in axes),
            "Beside independent answers": f"× {found.ratio:.2f}",
            "Error of its shares": f"× {found.error_ratio:.2f}" if math.isfinite(found.error_ratio) else "cannot be read",
            "Reading it is": "less accurate" if found.worse else "no less accurate",
        }
        for axes, found in mechanisms.following(mechanism, _weakest_of_each_order)
    ]
    if rows:
        st.markdown("**Which joint distributions are kept**")
        widgets.table(rows)


def _weakest_of_each_order(mechanism: Mechanism) -> tuple[tuple[tuple[int, ...], Weakest], ...]:
    return weakest_interactions(mechanism, MAX_PAGE_MARGINAL)


def show_side_by_side(work: state.Work, plan: Plan, options: tuple[Option, ...], population: bool) -> None:
    """Every mechanism's cost, leakage and weakest pair, and its expected error for a marginal of the steward's choice."""
    st.markdown(f"**Side by side, for {widgets.plain(' × '.join(work.wishes.marginal))}**")
    names = work.wishes.marginal
    axes = plan.schema.axes(names)
    there = [option for option in options if option.mechanism is not None]
    errors = [option.error(axes, plan.respondents, population=population) if names else None for option in there]
    weak = [option.weakest(axes) for option in there]
    meant = [Quantity("share", f"{option.title}, {' × '.join(names)}", quantity_target(population)) for option in there]
    rows = [_option_row(*each) for each in zip(there, errors, meant, strict=True)]
    if any(found is not None and found.worse for found in weak):
        for row, found in zip(rows, weak, strict=True):
            row["Beside independent answers"] = "" if found is None else found.text
    widgets.table(rows)
    for option, error, found in zip(there, errors, weak, strict=True):
        if option.key == work.wishes.mechanism:
            mechanisms.warn_weak(work, names, found, "safe_for_question")
        if option.key == work.wishes.mechanism and error is not None and margin(error) > USELESS_MARGIN:
            widgets.warn(
                f"Too few people: under {option.title} the 95 % intervals of these shares would be wider than the whole range. "
                "Choose fewer attributes, raise the levels or ask more people."
            )
    sentences = (
        []
        if len(plan.levels) == 1
        else [
            f"Mu is {meaning('mu').replace('The', 'the', 1)} 'Not identifiable' means a factor below {MIN_FACTOR:.6f}, so that not even "
            f"{count_text(HOPELESS)} people would do."
        ]
    )
    if names:
        cells = plan.schema.select(names).cells
        sentences.append(
            f"{counted(cells, 'combination', 'combinations')}, an average of {percent(1 / cells)} each: an error larger than that "
            "means too few people for this joint distribution."
        )
    st.caption(" ".join(sentences))


def _option_row(option: Option, error: float | None, share: Quantity) -> dict[str, Any]:
    """``error`` of a share of the question; None without a question, NaN where it cannot be estimated."""
    assert option.mechanism is not None
    row = {
        "Mechanism": option.title,
        **option.price.columns,
        "Saving": option.saving_text,
    }
    if option.smallest_pair_factor is not None:
        row["Smallest mu of a pair"] = f"{option.smallest_pair_factor:.3f}"
    if error is not None:
        row[EVEN_WITHIN] = share.within(float(margin(error)))
    return row
