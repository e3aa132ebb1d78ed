"""Figures of plans: what records cost, which pairs survive, and what pinned plans buy."""

import math
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from rrcore.arrays import Floats
from rrcore.budget import Option, Tradeoff
from rrcore.estimate import margin
from rrcore.limits import USELESS_MARGIN
from rrcore.plots.cells import hatching, heat, written
from rrcore.plots.frame import Spec, bar, drawn, framed, label, note, shortened, ticked, upright
from rrcore.plots.palette import Palette, mechanism_colour
from rrcore.wording import EVEN_WITHIN, Quantity, amount_text, points, total_text

_LETTERS = 22  # longer names are cut in a figure
_BETWEEN = 0.06  # of the width, between totals and errors


def _option_bar(option: Option, place: int | str, length: float, text: str, hover: str, **more: Any) -> Spec:
    """What a mechanism costs or buys: crossed where levels are exceeded, striped where they are not met, with ``text`` at its end."""
    pattern = {"pattern": {"shape": "x" if option.violations else "" if option.meets_levels else "/"}}
    beside: Spec = {"text": [text], "textposition": "outside", "cliponaxis": False, "showlegend": False}
    return bar([place], [length], mechanism_colour(option.key), marker=pattern, hover=hover, **beside, **more)


def budget_totals_figure(options: Sequence[Option], palette: Palette, *, lower_bound: float | None = None) -> go.Figure:
    """Record-level budget of every option that exists, as bars, with the certified lower bound as a line.

    Beside the saving stands its price: by how many times someone who knows the other answers can shift odds about one of them.

    Parameters
    ----------
    options : as ``compare`` returns them
    lower_bound : nats, optional; no mechanism with these levels can cost less
    """
    traces, costs = [], []
    for option in options[::-1]:
        if option.mechanism is None:
            continue
        cost = option.mechanism.total_level
        saving = "" if option.key in ("kronecker", "design") else f"  ({option.saving_text})"
        alone, known, record = option.price.parts
        text = f"{record.removeprefix('whole record ')}{saving}<br>{known}"
        hover = f"{option.title}: {alone}, {known}, {record}; {total_text(cost)} nats"
        traces.append(_option_bar(option, option.title, cost, text, hover, constraintext="none", textfont={"size": 12}))
        costs.append(cost)
    least = {}
    if lower_bound is not None:
        least["shapes"] = [
            upright(lower_bound, palette.text, "dot", yref="y", y0=row - 0.5, y1=row + 0.5)
            for row, cost in enumerate(costs)  # not through the number beside a bar that ends before it
            if cost >= lower_bound - 1e-9
        ]
        least["annotations"] = [note(lower_bound, 1, "none with these levels can be below", yref="paper", yanchor="bottom")]
    return framed(
        traces,
        palette,
        height=90 + 52 * len(traces),
        bargap=0.35,
        xaxis={"title": "whole record: total (nats)", "range": [0, max(costs) * 1.75], "showgrid": False},
        yaxis={"showgrid": False},
        **least,
    )


def budget_pair_errors_figure(names: Sequence[str], errors: Floats, palette: Palette) -> go.Figure:
    """95 % margin of every pair's joint distribution (diagonal: of every attribute alone); hatched where nothing can be read.

    Of more than ``MAX_DRAWN`` attributes those of the pairs with the largest errors.

    Parameters
    ----------
    errors : ndarray of shape (k, k), shares, NaN where not identifiable; above ``USELESS_MARGIN`` it is as good as that
    """
    chosen = drawn(np.where(np.isnan(errors), np.inf, errors))
    errors, names = errors[np.ix_(chosen, chosen)], [label(names[i]) for i in chosen]
    k = len(chosen)
    places = list(range(k))
    readable = errors <= USELESS_MARGIN
    shown = np.where(np.tri(k, dtype=bool) & readable, 100 * errors, np.nan)
    labels = [[f"{names[i]} alone" if i == j else f"{names[i]} with {names[j]}" for j in places] for i in places]
    text = [[Quantity("share", labels[row][column]).within(errors[row, column]) for column in places] for row in places]
    ends = (0, float(np.nanmax(shown)) if np.isfinite(shown).any() else 1.0)
    entry = {
        "customdata": np.dstack([labels, text]),
        "hovertemplate": f"%{{customdata[0]}}<br>{EVEN_WITHIN}: %{{customdata[1]}}<extra></extra>",
    }
    cells = heat(shown, places, places, palette.sequential, ends, "points", **entry, xgap=2, ygap=2)
    numbers = [[amount_text(value, 2) for value in row] for row in shown]
    lost = [(column, row) for row in places for column in range(row + 1) if not readable[row, column]]
    shapes, hatches = hatching(lost, palette)
    return framed(
        [cells, *(written(cells, numbers, palette.sequential, ends) if k <= 10 else []), *hatches],
        palette,
        height=180 + 34 * k,
        shapes=shapes,
        xaxis=ticked(places, names),
        yaxis=ticked(places, names, autorange="reversed"),
    )


def budget_plans_figure(bargains: Sequence[Tradeoff], palette: Palette, *, bold: Collection[str] = ()) -> go.Figure:
    """Record total of every plan as bars, and beside them half the 95 % interval of a share where that is known; one row a plan.

    Plans without a mechanism are left out. Bars are crossed where levels are exceeded and striped where they are not met.

    Parameters
    ----------
    bargains : as ``bargain`` makes them, from top to bottom
    bold : names of plans to stand out
    """
    shown = [bargain for bargain in bargains if bargain.option.mechanism is not None]
    errors = [100 * float(margin(bargain.error)) for bargain in shown if math.isfinite(bargain.error)]
    rows, names = list(range(len(shown)))[::-1], []
    traces, unknown = [], []
    for row, bargain in zip(rows, shown, strict=True):
        name, total, option = label(bargain.pin.name), total_text(bargain.total), bargain.option
        hover = name.replace("%", "&#37;")  # plotly would read %{...} in a name
        hover += f": {option.title}<br>{option.price.text}; {total} nats"
        traces.append(_option_bar(option, row, bargain.total, total, hover, name=name, xaxis="x", yaxis="y"))
        if math.isfinite(bargain.error):
            within = float(margin(bargain.error))
            text, hover = points(within).removesuffix(" points"), f"{hover}<br>{EVEN_WITHIN}: {points(within)}"
            traces.append(_option_bar(option, row, 100 * within, text, hover, name=name, xaxis="x2", yaxis="y2"))
        elif errors:
            unknown.append(note(0, row, " not identifiable", xanchor="left", xref="x2", yref="y2"))
        short = label(shortened(bargain.pin.name, _LETTERS))
        names.append(f"<b>{short}</b>" if bargain.pin.name in bold else short)
    upwards = {"range": [-0.6, len(shown) - 0.4], "showgrid": False, "zeroline": False, "domain": [0.0, 1.0]}
    within_title = f"{EVEN_WITHIN.replace(' if ', '<br>if ').replace(' common', '<br>common')} (points)"
    lengths = {"whole record:<br>total (nats)": [bargain.total for bargain in shown]} | ({within_title: errors} if errors else {})
    width, axes = (1 - _BETWEEN) / 2 if errors else 1.0, {}
    for column, (title, own) in enumerate(lengths.items()):  # with room for the number at the end of the longest bar
        one, start = "2" if column else "", column * (width + _BETWEEN)
        along = {"title": title, "range": [0, 1.3 * max(own, default=1.0)], "showgrid": False, "nticks": 4}
        axes[f"xaxis{one}"] = along | {"anchor": f"y{one}", "domain": [start, start + width]}
        entry = {"matches": "y", "showticklabels": False} if column else {"tickvals": rows, "ticktext": names}
        axes[f"yaxis{one}"] = upwards | {"anchor": f"x{one}"} | entry
    return framed(traces, palette, height=130 + 40 * len(shown), bargap=0.35, annotations=unknown, margin={"b": 80}, **axes)
