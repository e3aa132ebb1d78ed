"""Figures for choosing a plan.

They show saved plans by privacy and accuracy and published epsilons on a scale.
"""

import math
from collections.abc import Collection, Sequence

import plotly.graph_objects as go

from rrcore.budget.saved_comparison import SavedPlan
from rrcore.designs.deployments import Deployment
from rrcore.plots.frame import framed, label, note, scatter, upright
from rrcore.plots.palette import BLUE, ORANGE, Palette, mechanism_color
from rrcore.plots.svg import shortened
from rrcore.wording import amount_text, eps_text

_TICKS = {"tickvals": [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50], "ticktext": ["0.1", "0.2", "0.5", "1", "2", "5", "10", "20", "50"]}


def saved_plans_figure(plans: Sequence[SavedPlan], palette: Palette, *, bold: Collection[str] = ()) -> go.Figure:
    """Draw the margin of error of each plan against its whole-record epsilon.

    Both axes are logarithmic.

    Parameters
    ----------
    plans : plans to compare. Those without a mechanism or a finite margin are left out
    bold : names of plans to highlight
    """
    traces = []
    for plan in plans:
        if plan.privacy is None or not math.isfinite(plan.margin):
            continue
        name = label(shortened(plan.pin.name, 28))
        margin = 100 * plan.margin
        traces.append(
            scatter(
                [plan.privacy.total],
                [margin],
                text=[f"<b>{name}</b>" if plan.pin.name in bold else name],
                textposition="top center",
                marker={"size": 13, "color": mechanism_color(plan.option.key)},
                name=name,
                showlegend=False,
                hover=f"ε = {eps_text(plan.privacy.total)}, ±{amount_text(margin, 2)} points<extra></extra>",
            )
            | {"mode": "markers+text", "cliponaxis": False}
        )
    axes = {
        "xaxis": {"title": "ε of the whole record (log scale)", "type": "log"} | _TICKS,
        "yaxis": {"title": "95% margin of error (points)", "type": "log"} | _TICKS,
    }
    return framed(traces, palette, height=340, **axes)


def deployments_figure(deployments: Sequence[Deployment], palette: Palette, *, own: dict[str, float]) -> go.Figure:
    """Draw published epsilons as ticks on a logarithmic scale.

    Local ones are above central ones, and lines mark the plan's ``own``.
    """
    traces = []
    for row, (model, color) in enumerate({"central": ORANGE, "local": BLUE}.items()):
        found = [each for each in deployments if each.model == model and math.isfinite(each.epsilon)]
        traces.append(
            scatter(
                [each.epsilon for each in found],
                [row] * len(found),
                customdata=[f"{label(each.who)}: {label(each.what)}, per {label(each.unit)}" for each in found],
                marker={"symbol": "line-ns-open", "size": 22, "color": color, "line": {"width": 3}},
                name=model,
                showlegend=False,
                hover="%{customdata}, ε %{x:.2g}<extra></extra>",
            )
            | {"mode": "markers"}
        )
    places = {name: epsilon for name, epsilon in own.items() if epsilon > 0}
    notes = [
        note(math.log10(at), 1.5 + 0.3 * i, f"{label(name)}: ε = {eps_text(at)}", bgcolor=palette.background)
        | {"xanchor": "right" if at > 5 else "left"}
        for i, (name, at) in enumerate(places.items())
    ]
    return framed(
        traces,
        palette,
        height=250,
        shapes=[upright(epsilon, palette.text, "dot") for epsilon in places.values()],
        annotations=notes,
        xaxis={"title": "ε (log scale)", "type": "log"} | _TICKS,
        yaxis={"tickvals": [0, 1], "ticktext": ["central", "local"], "range": [-0.5, 2.1], "showgrid": False, "zeroline": False},
    )
