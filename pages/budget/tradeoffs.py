"""Trade-offs: what more accuracy, less leakage or a larger total would cost. A click on a point makes it the plan."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import plotly.graph_objects as go
import streamlit as st

from pages.shared import jobs, state, widgets
from rrcore import plots
from rrcore.budget import (
    FrontierPoint,
    Option,
    Plan,
    accuracy_frontier,
    error_frontiers,
    frontier_errors_by_width,
    leakage_frontier,
    leakage_frontier_slacks,
    safe_frontier,
    safe_frontier_widths,
)
from rrcore.limits import MAX_PROGRAMME_ATTRIBUTES
from rrcore.mechanisms import Kronecker, Mechanism, offered_recipes, recipe, safe_recipe_width
from rrcore.wording import counted, meaning

GAMMAS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5)
SCALES = (0.2, 0.3, 0.45, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 2.5)
KINDS = {
    "safe": "What is kept safe",
    "accuracy": "Total against accuracy",
    "leakage": "Total against leakage",
    "error": "Error against total",
}


def section(
    work: state.Work, plan: Plan, options: Sequence[Option], option: Option, mechanism: Mechanism, population: bool
) -> None:
    """One of three live figures."""
    st.caption("Every point is a plan: click one to adopt it. The ring is the plan in play.")
    if len(plan.levels) < 2:
        st.info("Trade-offs are between attributes: choose at least two.", icon=":material/info:")
        return
    kind = widgets.section("Trade-off", KINDS, "budget_tradeoff")
    if kind == "safe":
        _safe(work, plan, option, mechanism, population)
    elif kind == "error":
        _errors(work, plan, option, mechanism, population)
    elif kind == "leakage":
        _leakage(work, plan, options, option, mechanism)
    else:
        _accuracy(work, plan, option, mechanism)


def _safe(work: state.Work, plan: Plan, option: Option, mechanism: Mechanism, population: bool) -> None:
    """Total, leakage and error for every width of the joint distributions that are kept, each point as soon as it is found."""
    names = widgets.marginal(plan.schema.names, work.wishes.marginal, work.key("safe_marginal"))
    axes = plan.schema.axes(names)
    widths = safe_frontier_widths(len(plan.levels))

    def show(trade: list[FrontierPoint]) -> None:
        width = safe_recipe_width(option.key)
        current = None if width is None else (float(width), mechanism.total_level)
        kronecker = Kronecker.from_levels(plan.schema.sizes, plan.levels)
        figure = plots.safe_frontier_figure(trade, widgets.palette(), kronecker=kronecker, current=current)
        _clickable(work, figure, "safe", [point.plan for point in trade])
        if axes:
            errors = frontier_errors_by_width(trade, axes, population=population)
            alt = f"What a share of {' with '.join(names)} is off by, against w"
            widgets.figure(
                plots.frontier_errors_by_width_figure(errors, widgets.palette(), current=width), "error-by-width", alt=alt
            )

    jobs.ensure("trade_safe", (plan.schema, plan.levels, plan.respondents), safe_frontier, plan, widths)
    jobs.watch("trade_safe", "Tracing the trade-off", show)
    st.caption(
        f"Safe: {meaning('safe')} 1 is the optimum, 2 pair-safe; wider ones cost more. Leakage: {meaning('leakage')}"
        + (
            " Typically off by: expected of a share of the attributes above if all their combinations are equally common."
            if axes
            else ""
        )
        + (f" Traced up to {widths[-1]}: with so many attributes each takes long." if len(widths) < len(plan.levels) else "")
    )


def _accuracy(work: state.Work, plan: Plan, option: Option, mechanism: Mechanism) -> None:
    marginals = plan.safeguards.marginals
    what = "the combinations of your safeguards" if marginals else "every pair"
    trade = _trade("accuracy", plan, GAMMAS, partial(accuracy_frontier, plan, GAMMAS, marginals))
    if trade is None:
        return
    current = {"optimal": 0.0, "pair-safe": 1.0, "kronecker": 1.0, "safeguarded": plan.safeguards.floor or 0.0}.get(option.key)
    figure = plots.frontier_figure(
        trade,
        widgets.palette(),
        axis="accuracy floor, as a multiple of Kronecker's",
        current=None if current is None else (current, mechanism.total_level),
        ends=("optimum", ""),
    )
    _clickable(work, figure, "accuracy", [point.plan for point in trade])
    st.caption(
        f"Accuracy: the factor by which what attributes have in common survives, for {what}, beside Kronecker's. 0 asks for nothing, "
        "1 is pair-safe."
    )
    _say_refused(trade)


def _leakage(work: state.Work, plan: Plan, options: Sequence[Option], option: Option, mechanism: Mechanism) -> None:
    if len(plan.levels) > MAX_PROGRAMME_ATTRIBUTES:
        st.info(f"Leakage caps are kept for at most {MAX_PROGRAMME_ATTRIBUTES} attributes: choose fewer.", icon=":material/info:")
        return
    slacks = leakage_frontier_slacks(options)
    trade = _trade("leakage", plan, slacks, partial(leakage_frontier, plan, slacks))
    if trade is None:
        return
    figure = plots.frontier_figure(
        trade,
        widgets.palette(),
        axis="leakage above the level of any attribute, at most (nats)",
        current=(option.slack, mechanism.total_level),
        ends=("Kronecker", "optimum" if plan.safeguards.floor is None else "optimum with your floor"),
    )
    _clickable(work, figure, "leakage", [point.plan for point in trade])
    st.caption(f"Leakage: {meaning('leakage')} At 0 nats above the levels only Kronecker is left.")
    _say_refused(trade)


def _errors(work: state.Work, plan: Plan, option: Option, mechanism: Mechanism, population: bool) -> None:
    names = widgets.marginal(plan.schema.names, work.wishes.marginal, work.key("tradeoff_marginal"))
    if not names:
        st.info("Choose one to four attributes.", icon=":material/table_chart:")
        return
    axes = plan.schema.axes(names)
    keys = [key for key in offered_recipes(len(plan.levels), option.key) if key != "published"]
    trace = partial(error_frontiers, plan, keys, axes, SCALES, population=population)
    stamp = (plan.schema, plan.levels, plan.respondents, axes, population, tuple(keys))
    curves: dict[str, list[FrontierPoint]] | None = jobs.result("errors", stamp, trace, what="Tracing the errors")
    if curves is None:
        return
    error = option.error(axes, plan.respondents, population=population)
    figure = plots.frontier_errors_figure(curves, widgets.palette(), current=(error, mechanism.total_level))
    plans = {f"{key}:{number}": point.plan for key, curve in curves.items() for number, point in enumerate(curve)}
    _clickable(work, figure, "errors", plans)
    lost = [recipe(key).title for key in keys if key not in curves]
    widgets.caption(
        f"95 % of the time a share is within that, for {counted(plan.respondents, 'person', 'people')}, if all answers are equally common; "
        f"all levels of the plan are scaled from × {SCALES[0]:g} to × {SCALES[-1]:g}. Compare the lines at the same total: lower is better."
        + (f" Not identifiable or not possible, so without a line: {', '.join(lost)}." if lost else "")
    )


def _trade(
    name: str, plan: Plan, values: Sequence[float], points: Callable[..., Iterator[FrontierPoint]]
) -> list[FrontierPoint] | None:
    """All points, found one after the other in the background."""
    stamp = (plan.schema, plan.levels, plan.respondents, plan.safeguards, tuple(values))  # whole plans, which a click adopts
    found: list[FrontierPoint] | None = jobs.result(f"trade_{name}", stamp, points, what="Tracing the trade-off")
    return found


def _clickable(work: state.Work, figure: go.Figure, name: str, plans: Sequence[Plan] | dict[str, Plan]) -> None:
    """The figure; a click on a point adopts its plan."""
    alt = "Total of the record against what is traded for it, plan by plan"
    widgets.figure(figure, f"trade-{name}", alt=alt, on_click=lambda picked: work.adopt_plan(plans[picked[0]]))


def _say_refused(trade: Sequence[FrontierPoint]) -> None:
    refused = next((point.refusal for point in trade if point.refusal), "")
    if refused:
        widgets.caption(refused)
