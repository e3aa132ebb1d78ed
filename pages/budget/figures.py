"""The two cards below: privacy against accuracy, and the margin of error of every pair."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from pages.budget import mechanism as mechanism_card
from pages.shared import jobs, state, widgets
from rrcore import plots
from rrcore.budget import CurvePoint, Option, Plan, accuracy, equal_terms, recipe, trace_curves
from rrcore.mechanisms import Mechanism
from rrcore.wording import eps_text

_VIEWS: dict[str, str] = {"error": "Error and ε", "success": "Attack and ε", "both": "Error and attack", "each": "Each attribute"}


@dataclass
class Drawn:
    """What the curves showed last: their points and what these are about, the plan and its point, and the point of the plan before."""

    about: Hashable = None
    points: list[CurvePoint] = field(default_factory=list)
    plan: Plan | None = None
    point: CurvePoint | None = None
    before: CurvePoint | None = None

    def follow(self, plan: Plan, point: CurvePoint) -> CurvePoint | None:
        """Return the point of the plan before the last change."""
        if self.plan != plan:
            self.plan, self.before = plan, self.point
        self.point = point
        return self.before


def curves(work: state.Work, plan: Plan, options: Sequence[Option], pair: tuple[int, int]) -> list[CurvePoint]:
    """Draw one line for each mechanism, and mark this plan. The lines are traced once for all common factors of the ε.

    Return their points.
    """
    hint = "Lower and further left is better. Compare the lines at the same ε."
    with widgets.card("Privacy against accuracy", hint=hint, key="curves_card"):
        mechanism = next(option.mechanism for option in options if option.key == plan.key)
        assert mechanism is not None
        views = (
            _VIEWS if max(plan.epsilon) > min(plan.epsilon) else {key: title for key, title in _VIEWS.items() if key != "each"}
        )
        place = st.container()
        view = widgets.section("View", views, "budget_view")
        with place:
            if view == "each" and "each" in views:
                _each(plan, mechanism)
                return []
            population, keys = work.draft.population, tuple(option.key for option in options)
            now = [
                CurvePoint.of(plan.with_(mechanism=option.key), option.mechanism, population=population)
                for option in options
                if option.mechanism is not None
            ]
            points = _points(work, plan, keys)
            own = next(point for point in now if point.key == plan.key)
            before = _drawn(work, plan).follow(plan, own)
            about: dict[str, Any] = {"view": view, "chosen": plan.key, "before": before, "attacked": plan.schema.names[pair[1]]}
            figure = plots.budget_curves_figure(points, now, pair, widgets.palette(), **about)
            widgets.figure(
                figure,
                "privacy-against-accuracy",
                alt="Margin of error against ε of the whole record, one line for each mechanism",
            )
    return points


def _points(work: state.Work, plan: Plan, keys: tuple[str, ...]) -> list[CurvePoint]:
    """The points of the lines; those of the plan before while they are traced, and none for a workload."""
    if plan.budget is not None:
        return []
    mean = sum(plan.epsilon) / len(plan.epsilon)
    shape = (plan.schema.sizes, tuple(round(epsilon / mean, 6) for epsilon in plan.epsilon), plan.n, plan.safeguards)
    about = (shape, keys, work.draft.population)
    drawn = _drawn(work, plan)
    if drawn.about != about:
        jobs.ensure("curves", about, trace_curves, plan, keys, work.draft.population)
        jobs.watch("curves", "Tracing the lines")
        found = jobs.finished("curves", about)
        if found is not None:
            drawn.about, drawn.points = about, found
    return drawn.points


def _drawn(work: state.Work, plan: Plan) -> Drawn:
    return work.remember("drawn_curves", plan.schema, Drawn)


def _each(plan: Plan, mechanism: Mechanism) -> None:
    """What each attribute reveals, without and with knowing the other answers."""
    figure = plots.certificate_figure(
        plan.schema.names, plan.epsilon, mechanism.epsilon_informed.tolist(), mechanism.epsilon_total, widgets.palette()
    )
    widgets.figure(
        figure, "each-attribute", alt="What each attribute reveals alone and to an attacker who knows the other answers"
    )


def equal(points: Sequence[CurvePoint], pair: tuple[int, int], total: float, margin: float) -> None:
    """For teachers: the mechanisms at the ε of this plan, and at its margin of error."""
    if not points or margin >= 10:
        return
    with st.popover("Compare at equal accuracy or privacy", type="tertiary", icon=":material/balance:"):
        found = equal_terms(points, pair, total, margin)
        st.caption("These values are interpolated between the points of the lines.")
        widgets.table(
            {
                "Mechanism": [recipe(key).title for key in found],
                f"95% margin at ε = {eps_text(total)}": [f"±{100 * each:.2g}" if each < 10 else "" for each, _ in found.values()],
                f"ε at ±{100 * margin:.2g}": [eps_text(each) if each < 1000 else "" for _, each in found.values()],
            }
        )


def pairs(work: state.Work, plan: Plan, mechanism: Mechanism, pair: tuple[int, int]) -> None:
    """Draw the margin of error of every pair. A click chooses the pair."""
    hint = "A hatched pair needs more people, fewer attributes or a larger ε. Click a pair to choose it."
    box, heading = widgets.card_with_row("Margin of error by pair", hint=hint)
    with box:
        names, found = plan.schema.names, accuracy(plan, mechanism, population=work.draft.population)
        whose = "the population" if work.draft.population else "these people"
        heading.caption(f"95%, percentage points, for {whose}. Hatched: not usable.", width="content")
        figure = plots.budget_margins_figure(names, found, widgets.palette(), chosen=pair)
        widgets.figure(
            figure,
            "margin-of-error",
            alt="Margin of error of every pair of attributes",
            on_click=lambda picked: mechanism_card.take_pair(work, plan, picked[:2]),
        )
        if note := plots.drawn_note(len(names), "attributes with the largest margins"):
            st.caption(note)
