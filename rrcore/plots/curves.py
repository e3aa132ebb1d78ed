"""Figures of a plan: privacy against accuracy and margins of error of pairs."""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
import plotly.graph_objects as go

from rrcore.budget import Accuracy, CurvePoint, recipe
from rrcore.plots.cells import hatching, heat, written
from rrcore.plots.frame import Spec, drawn, framed, label, note, scatter, shortened, ticked
from rrcore.plots.palette import Palette, mechanism_color
from rrcore.wording import amount_text, eps_text

View = Literal["error", "success", "both"]
"""Error against ε, attack success against ε, or error against attack success."""

_EPSILON, _ERROR, _SUCCESS = "ε of the whole record", "margin (points)", "guessed correctly"
_MOST_ERROR = 50.0  # percentage points, above which an estimate is no use
_LETTERS = 46  # of a row of the legend
_TICKS = tuple(mantissa * 10.0**power for power in range(-3, 4) for mantissa in (1, 2, 5))


def budget_curves_figure(
    points: Sequence[CurvePoint],
    now: Sequence[CurvePoint],
    pair: tuple[int, int],
    palette: Palette,
    *,
    view: View = "error",
    chosen: str = "",
    before: CurvePoint | None = None,
    attacked: str = "",
) -> go.Figure:
    """Draw one line for each mechanism and mark the epsilons of the plan.

    The figure of attack success against ε has a second, dashed line for an attacker who knows the other answers.

    Parameters
    ----------
    points, now : points of the curves, and points at the plan's epsilons
    pair : positions of the attributes whose margin of error is shown
    view : the quantities on the axes
    chosen : key of the plan's mechanism
    before : the plan before the last change
    attacked : name of the second attribute of the pair, which the attacker guesses
    """
    traces: list[Spec] = []
    keys, last = tuple(dict.fromkeys(point.key for point in (*points, *now))), max(now, key=lambda point: point.epsilon_total).key
    for key in keys:
        color, title = mechanism_color(key), recipe(key).title
        own: Spec = {"color": color, "size": 13 if key == chosen else 8, "line": {"color": palette.background, "width": 2}}
        for informed in (False, True) if view == "success" else (False,):
            x, y, texts = _places([point for point in points if point.key == key], pair, view, informed)
            line = {"color": color, "width": 2} | ({"dash": "dash"} if informed else {})
            hover = f"{title}{', knows the other answers' if informed else ''}: %{{customdata}}"
            traces.append(scatter(x, y, line=line, name=title, customdata=texts, hover=hover))
            x, y, texts = _places([point for point in now if point.key == key], pair, view, informed)
            # away from the lines, of which the last one is on the right
            place = f"{'top' if (key == last) != (view == 'success') else 'bottom'} {'right' if key == last else 'left'}"
            words: Spec = {"words": ["this plan"], "textposition": place, "textfont": {"color": palette.truth, "size": 12}}
            named = words if key == chosen and informed == (view == "success" and key != last) else {}
            traces.append(scatter(x, y, marker=own, customdata=texts, hover=hover, **named))
    if before is not None:
        x, y, _ = _places([before], pair, view)
        ring = {"symbol": "circle-open", "size": 13, "color": mechanism_color(before.key), "opacity": 0.5}
        traces.append(scatter(x, y, marker=ring))
    along, up = _SUCCESS if view == "both" else _EPSILON, _SUCCESS if view == "success" else _ERROR
    rows, guessed = _rows(keys), label(shortened(attacked, 14))
    rows += {"error": [], "success": [f"Guess of {guessed}. Dashed: knows the other answers"], "both": [f"Guess of {guessed}"]}[
        view
    ]
    within = [(trace["x"], trace["y"]) for trace in traces]
    seen = [[one for one, other in zip(x, y, strict=True) if up != _ERROR or other <= _MOST_ERROR] for x, y in within]
    return framed(
        traces,
        palette,
        height=172 + 16 * len(rows),
        showlegend=False,
        margin={"l": 68, "t": 4 + 16 * len(rows)},
        xaxis={"title": {"text": along, "standoff": 6}} | _axis(along, seen),
        yaxis={"title": {"text": up, "standoff": 8}, "automargin": False} | _axis(up, [y for _, y in within]),
        annotations=[
            note(0, 1, "<br>".join(rows), size=11, xref="paper", yref="paper", xanchor="left", yanchor="bottom", xshift=-64)
            | {"align": "left"}
        ],
    )


def _rows(keys: Sequence[str]) -> list[str]:
    """The legend in rows of a narrow card: plotly's own takes a row for each line there."""
    titles, rows = {key: recipe(key).title.partition(" (")[0] for key in keys}, list[list[str]]([[]])
    for key in keys:
        if sum(len(titles[each]) for each in (*rows[-1], key)) > _LETTERS:
            rows.append([])
        rows[-1].append(key)
    return [
        "&nbsp;&nbsp;".join(f'<span style="color:{mechanism_color(key)}">■</span> {titles[key]}' for key in row) for row in rows
    ]


def _places(
    points: Sequence[CurvePoint], pair: tuple[int, int], view: View, informed: bool = False
) -> tuple[list[float], list[float], list[str]]:
    """Where points are drawn, and what is shown if they are pointed at."""
    kept = [point for point in points if math.isfinite(point.margins[pair])]
    errors, totals = [100 * float(point.margins[pair]) for point in kept], [point.epsilon_total for point in kept]
    success = [float((point.informed if informed else point.success)[pair[1]]) for point in kept]
    texts = [
        f"ε = {eps_text(total)}, ±{amount_text(error, 2)} points, {100 * right:.0f}% guessed"
        for total, error, right in zip(totals, errors, success, strict=True)
    ]
    return success if view == "both" else totals, success if view == "success" else errors, texts


def _axis(what: str, values: Sequence[Sequence[float]]) -> Spec:
    """A percent axis of attack success, else a logarithmic one with few ticks; of errors what is no use is cut off."""
    if what == _SUCCESS:
        return {"tickformat": ".0%", "showgrid": False}
    known = np.array([each for one in values for each in one if each > 0] or [1.0])
    low, high = float(known.min()), min(float(known.max()), _MOST_ERROR) if what == _ERROR else float(known.max())
    ticks = [tick for tick in _TICKS if low / 1.3 <= tick <= high * 1.3]
    sign = "±" if what == _ERROR else ""
    ends = [math.log10(low / (2 if what == _ERROR else 1.3)), math.log10(max(high, 2 * low) * 1.3)]
    return {"type": "log", "range": ends, "tickvals": ticks, "ticktext": [f"{sign}{tick:g}" for tick in ticks]}


def budget_margins_figure(
    names: Sequence[str], accuracy: Accuracy, palette: Palette, *, chosen: tuple[int, int] | None = None
) -> go.Figure:
    """Draw the margins of error of all pairs in percentage points.

    A pair that is not usable is hatched. The custom data are the positions of the pair.

    If there are many attributes, the figure shows those with the largest margins. A single attribute has one cell.

    Parameters
    ----------
    names : names of the attributes
    accuracy : accuracy of the pairs
    chosen : the pair that is framed
    """
    k = len(names)
    finite = np.where(np.isfinite(accuracy.margins), accuracy.margins, 10.0)
    shown = drawn(finite)
    columns, rows = (shown[:-1], shown[1:]) if k > 1 else (shown, shown)
    place_of = {i: place for place, i in enumerate(shown)}
    pairs = [[(i, j) if i > j or k == 1 else None for j in columns] for i in rows]
    points = np.array([[100 * accuracy.margins[pair] if pair else np.nan for pair in row] for row in pairs])
    usable = np.array([[bool(pair) and bool(accuracy.usable[pair]) for pair in row] for row in pairs])
    texts = [
        [
            ""
            if pair is None
            else label(names[pair[0]] if k == 1 else f"{names[pair[1]]} × {names[pair[0]]}")
            + (f": ±{amount_text(float(value), 2)} points" if np.isfinite(value) else ": not estimable")
            + ("" if good else f"<br>not usable: above the average share of {amount_text(100 * accuracy.cells[pair], 2)}%")
            for pair, value, good in zip(row, values, goods, strict=True)
        ]
        for row, values, goods in zip(pairs, points, usable, strict=True)
    ]
    x, y = [place_of[j] for j in columns], [place_of[i] for i in rows]
    z = np.where(usable, points, np.where(np.isnan(points), np.nan, -1.0))
    top = float(points[usable].max()) if usable.any() else 1.0
    given = [
        [[pair[1], pair[0], text] if pair else None for pair, text in zip(*both, strict=True)]
        for both in zip(pairs, texts, strict=True)
    ]
    scale = [(0.0, palette.lost), (0.4999, palette.lost), (0.5, palette.sequential[0][1]), (1.0, palette.sequential[1][1])]
    ends = (-top, top)
    cells = heat(
        z, x, y, scale, ends, "points", customdata=given, hovertemplate="%{customdata[2]}<extra></extra>", showscale=False
    )
    cells |= {"xgap": 2, "ygap": 2}
    words = [
        [amount_text(float(value), 2) if 0 <= value < 100 else "" if np.isnan(value) else ">100" for value in row]
        for row in points
    ]
    numbers = written(cells, words, palette) if k <= 12 else []
    lost = [
        (column, row)
        for row, own in zip(y, zip(points, usable, strict=True), strict=True)
        for column, value, good in zip(x, *own, strict=True)
        if not np.isnan(value) and not good
    ]
    _, hatches = hatching(lost, palette, name="not usable", dense=False)
    frame: list[Spec] = []
    if chosen is not None and set(chosen) <= set(shown):
        low, high = sorted(place_of[i] for i in chosen)
        x0, x1, y0, y1 = low - 0.5, low + 0.5, high - 0.5, high + 0.5
        frame = [scatter([x0, x1, x1, x0, x0], [y0, y0, y1, y1, y0], line={"color": palette.truth, "width": 2}, cliponaxis=False)]
    return framed(
        [cells, *hatches, *frame, *numbers],
        palette,
        height=max(140, 56 + 21 * len(rows) if k <= 10 else 60 + 22 * len(rows)),
        showlegend=False,
        margin={"t": 8},
        xaxis=ticked(x, [label(names[j]) for j in columns]),
        yaxis=ticked(y, [label(names[i]) for i in rows], autorange="reversed"),
    )
