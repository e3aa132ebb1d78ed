"""Budget: a level for each attribute, what the whole record costs, and what can be estimated."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from pages.shared import guards, state, widgets
from rrcore import plots
from rrcore.budget import Option, Plan
from rrcore.errors import InputError
from rrcore.estimate import expected_error, expected_pair_errors, lost_interactions, margin
from rrcore.levels import check_levels
from rrcore.limits import (
    HOPELESS,
    MAX_OPTIMAL_ATTRIBUTES,
    MAX_PAGE_ATTRIBUTES,
    MAX_PAGE_MARGINAL,
    MAX_PEOPLE,
    MIN_FACTOR,
    USELESS_MARGIN,
)
from rrcore.mechanisms import Mechanism, Optimal
from rrcore.wording import count, counted, level, odds, percent, points, total


def choose_attributes(work: state.Work) -> None:
    assert work.schema is not None
    chosen = st.multiselect(
        "Attributes of the plan",
        work.schema.names,
        max_selections=MAX_PAGE_ATTRIBUTES,
        key=state.keep(f"chosen_{work.version}", list(work.chosen)),
        help=f"The optimum is solved exactly for up to {MAX_OPTIMAL_ATTRIBUTES} attributes.",
    )
    if not chosen:
        st.error("No attribute is chosen: choose at least one.", icon=":material/error:")
        st.stop()
    if tuple(chosen) != work.chosen:
        work.chosen = tuple(chosen)
        work.choose_marginal(tuple(name for name in work.marginal if name in chosen))


def edit_levels(work: state.Work) -> None:
    """The table of levels. An edit is taken into the work first, so that the table can show what follows from it."""
    assert work.schema is not None
    edits = st.session_state.get(levels_key(work), {}).get("edited_rows", {})
    for row, change in edits.items():
        name = work.chosen[int(row)]
        try:
            (typed,) = check_levels([_number(change.get("eps"))], [name])
            work.set_level(name, float(typed))
        except InputError as error:
            widgets.complain(f"{error} The former level was kept.")
    if edits:
        st.session_state["level_edits"] = st.session_state.get("level_edits", 0) + 1
    plan = guards.need_plan(work)
    truthful = plan.with_mechanism("kronecker").build()
    st.data_editor(
        pd.DataFrame(
            {
                "attribute": plan.schema.names,
                "categories": plan.schema.sizes,
                "eps": [level(eps) for eps in plan.levels],
                "truth": [percent(1 - lie) for lie in truthful.lies],
                "odds": [f"× {odds(eps)}" for eps in plan.levels],
            }
        ),
        key=levels_key(work),
        hide_index=True,
        disabled=["attribute", "categories", "truth", "odds"],
        column_config={
            "attribute": st.column_config.TextColumn("Attribute"),
            "categories": st.column_config.NumberColumn("Categories", width="small"),
            "eps": st.column_config.TextColumn(  # text: a number column would clamp or drop what is typed without a word
                "eps",
                width="small",
                help="The level of the attribute, in nats; double-click to change. 1.0 means: seeing this answer can shift anyone's "
                "odds about it by at most 2.7 times.",
            ),
            "truth": st.column_config.TextColumn(
                "Truth told", width="small", help="How often the reported answer is the true one."
            ),
            "odds": st.column_config.TextColumn(
                "Odds up to", width="small", help="The most by which seeing this one answer can shift anyone's odds about it."
            ),
        },
    )


def _number(typed: object) -> object:
    """What was typed, with a decimal comma read as a point."""
    return typed.strip().replace(",", ".") if isinstance(typed, str) else typed


def levels_key(work: state.Work) -> str:
    """A new editor after every edit, and whenever what it shows comes from elsewhere."""
    stamp = (work.version, work.chosen, work.scale, st.session_state.get("level_edits", 0))
    return f"levels_{hash(stamp)}"


def show_totals(work: state.Work, options: tuple[Option, ...]) -> Option:
    """Totals side by side, and the choice of the plan's mechanism."""
    st.markdown("**The whole record costs**")
    optimum = next((o.mechanism for o in options if isinstance(o.mechanism, Optimal)), None)
    figure = plots.totals_figure(options, widgets.palette(), lower_bound=optimum.lower_bound if optimum else None)
    widgets.figure(figure, "record-level-budget", alt="Record-level budget of each mechanism")
    option = widgets.mechanism_choice(work, options, "budget_mechanism")
    for other in options:
        if other.mechanism is None:
            widgets.caption(other.refusal)
        elif other.key == "closed-form":
            verdict = "is the optimum here" if other.mechanism.is_optimal else "is not the optimum here"
            st.caption(f"The closed form {verdict} (its optimality test {'holds' if other.mechanism.is_optimal else 'fails'}).")
        elif isinstance(other.mechanism, Optimal) and not other.mechanism.is_optimal:
            st.caption(f"At these levels the optimum is only known to within {other.mechanism.gap:.1g} nats.")
        elif not other.meets_levels:
            st.caption("RR-Joint keeps or randomises the whole record, so it stays below the levels of some attributes.")
    return option


def show_privacy(plan: Plan, option: Option, mechanism: Mechanism) -> None:
    """The three numbers of each attribute."""
    st.markdown("**What each attribute gives away**")
    figure = plots.leakage_figure(plan.schema.names, mechanism, plots.MECHANISM_COLOURS[option.key], widgets.palette())
    widgets.figure(figure, "leakage", alt="Level alone and leakage in the full record of each attribute")
    st.dataframe(
        pd.DataFrame(
            {
                "Attribute": plan.schema.names,
                "Alone": [f"{total(eps)}  (× {odds(eps)})" for eps in mechanism.levels],
                "In the full record": [f"{total(eps)}  (× {odds(eps)})" for eps in mechanism.leakage],
                "Whole record": [f"{total(mechanism.total_level)}  (× {odds(mechanism.total_level)})"] * mechanism.k,
            }
        ),
        hide_index=True,
    )
    highest = int(mechanism.leakage.argmax())
    name = plan.schema.names[highest]
    widgets.caption(
        f"Alone: seeing the answer to '{name}' can shift anyone's odds about it by at most {odds(mechanism.levels[highest])} times. "
        f"In the full record: someone who sees the whole record and already knows the other answers can shift their odds about it by "
        f"up to {odds(mechanism.leakage[highest])} times. Whole record: whatever they know, it shifts the odds between any two people's "
        f"answers by at most {odds(mechanism.total_level)} times. All in nats, rounded up."
    )


def show_accuracy(plan: Plan, option: Option, mechanism: Mechanism, population: bool) -> None:
    """Expected error of every pair, before any answer is collected."""
    st.markdown("**What you will be able to estimate**")
    names = plan.schema.names
    errors = expected_pair_errors(mechanism, plan.respondents, population=population)
    figure = plots.pair_error_figure(names, errors, widgets.palette())
    widgets.figure(figure, "expected-error", alt="Expected error of the joint distribution of every pair")
    source = "randomization and of who was asked" if population else "randomization alone"
    widgets.caption(
        f"Standard error of a share in points, from the {source}, for {count(plan.respondents)} people and a uniform guess "
        f"of the shares. {_weakest(option, names)}"
    )
    if option.lost_pairs:
        lost = [f"{names[i]} and {names[j]}" for i in range(len(names)) for j in range(i) if not errors[i, j] < float("inf")]
        widgets.warn(
            f"Under this mechanism {'; '.join(lost[:3])}{' and others' if len(lost) > 3 else ''} are reported in a way that "
            "erases how they go together: no estimate of them is possible. Choose Kronecker, or raise the levels."
        )
    if option.weak_pairs and option.weakest_pair is not None:
        first, second, _ = option.weakest_pair
        kronecker = expected_pair_errors(option.kronecker, plan.respondents, population=population)
        times = (errors[first, second] / kronecker[first, second]) ** 2
        widgets.warn(
            f"{counted(option.weak_pairs, 'pair keeps', 'pairs keep')} less than half of the interaction that Kronecker keeps"
            + (
                f": for the same error {names[first]} with {names[second]} needs {times:.1f} times as many people. "
                if times > 1
                else ". "
            )
            + "If such a pair matters, choose Kronecker."
        )


def _weakest(option: Option, names: tuple[str, ...]) -> str:
    if option.weakest_pair is None or option.lost_pairs:
        return ""
    first, second, ratio = option.weakest_pair
    turned = ", with its direction turned round (the estimate turns it back)" if ratio < 0 else ""
    return (
        f"The weakest pair, {names[first]} with {names[second]}, keeps {percent(abs(ratio))} of the interaction "
        f"that Kronecker keeps{turned}."
    )


def show_side_by_side(work: state.Work, plan: Plan, options: tuple[Option, ...], population: bool) -> None:
    """Every mechanism's cost, leakage and weakest pair, and its expected error for a marginal of the steward's choice."""
    st.markdown("**Side by side, for a question of your own**")
    names = st.multiselect(
        "Joint distribution of",
        plan.schema.names,
        default=[name for name in work.marginal if name in plan.schema.names],
        max_selections=MAX_PAGE_MARGINAL,
        key=f"question_{work.version}_{hash(work.chosen)}",
        help="One to four attributes: the last two columns say how far off their shares will be.",
    )
    if names:
        work.choose_marginal(tuple(names))
    axes = plan.schema.axes(names)
    st.dataframe(
        pd.DataFrame([_option_row(option, axes, plan, population) for option in options if option.mechanism]), hide_index=True
    )
    chosen = next(option for option in options if option.key == work.mechanism)
    if names and chosen.mechanism is not None:
        channel = chosen.mechanism.marginal_channel(axes)
        if (
            not lost_interactions(channel)
            and margin(expected_error(channel, plan.respondents, population=population)) > USELESS_MARGIN
        ):
            widgets.warn(
                f"Too few people: under {chosen.title} the 95 % intervals of these shares would be wider than the whole range. "
                "Choose fewer attributes, raise the levels or ask more people."
            )
    sentences = [
        "The mu of a pair is the factor by which what two attributes have in common survives the randomization: 1 means "
        f"untouched, 0 erased. 'Not identifiable' means a factor below {MIN_FACTOR:g}, so that not even "
        f"{count(HOPELESS)} people would do."
    ]
    if names:
        cells = plan.schema.select(names).cells
        sentences.append(
            f"{counted(cells, 'combination', 'combinations')}, an average of {percent(1 / cells)} each: an error larger than that "
            "means too few people for this question."
        )
    st.caption(" ".join(sentences))


def _option_row(option: Option, axes: tuple[int, ...], plan: Plan, population: bool) -> dict[str, Any]:
    mechanism = option.mechanism
    assert mechanism is not None
    row = {
        "Mechanism": option.title,
        "Record total": f"{total(mechanism.total_level)}  (× {odds(mechanism.total_level)})",
        "Saving": option.saving_text,
        "Largest leakage": f"{total(mechanism.leakage.max())}  (× {odds(mechanism.leakage.max())})",
    }
    if option.smallest_pair_factor is not None:
        row["Smallest mu of a pair"] = f"{option.smallest_pair_factor:.3f}"
    if axes:
        channel = mechanism.marginal_channel(axes)
        if lost_interactions(channel):
            return {**row, "Off by about": "not identifiable", "95 % within": "not identifiable"}
        error = expected_error(channel, plan.respondents, population=population)
        row |= {"Off by about": f"± {points(error)}", "95 % within": f"± {points(margin(error))}"}
    return row


work = state.current()
in_play = widgets.header(
    "Budget", "What does the whole record cost if these are the levels you want, and what can you learn for it?", work
)

left, right = st.columns([5, 6], gap="large")
with left:
    choose_attributes(work)
    widgets.scale_slider(work, "budget_scale")
    edit_levels(work)
    work.respondents = int(
        st.number_input(
            "People", min_value=1, max_value=MAX_PEOPLE, step=100, key=state.keep(f"people_{work.version}", work.respondents)
        )
    )
    population = widgets.error_choice(work, "budget_population")
in_play()
plan = guards.need_plan(work)
options = work.options(plan)
with right:
    option = show_totals(work, options)
plan = plan.with_mechanism(work.mechanism)
assert option.mechanism is not None

left, right = st.columns(2, gap="large")
with left:
    show_privacy(plan, option, option.mechanism)
with right:
    show_accuracy(plan, option, option.mechanism, population)
show_side_by_side(work, plan, options, population)

st.divider()
st.download_button(
    "Download plan",
    data=plan.to_json,
    file_name="plan.json",
    mime="application/json",
    on_click="ignore",
    icon=":material/download:",
    help="Attributes, levels and mechanism as a JSON file. It contains no answers.",
)
if work.dataset is not None:
    st.page_link("pages/perturb.py", label="Next: perturb and estimate", icon=":material/arrow_forward:")
else:
    st.caption("To try the plan on answers, load a demo table or upload one on the Data page.")
