"""Start: the passenger's answers and the bars as HTML. Texts are escaped, and only positions are computed."""

from dataclasses import dataclass
from html import escape

from rrcore.arrays import Floats
from rrcore.plots.palette import CSS_VARIABLES
from rrcore.simulation import Demonstration
from rrcore.wording import count_text, estimate_text, minus, percent

LAST = 24
"""Passengers in the strip, at most."""
FLOOR, CEILING = -0.06, 0.8
"""Shares at the lower and upper edge of the bars. Bars and intervals beyond are cut off and marked."""


@dataclass(frozen=True)
class Bars:
    """Shares of Sex by Survived: ndarrays of shape (2, 2)."""

    truth: Floats
    released: Floats
    estimate: Floats
    low: Floats
    high: Floats


def passenger(survey: Demonstration, i: int, *, turning: bool) -> str:
    """Draw the answers of person ``i`` (from 0), a wheel for each, and which earlier answers were replaced."""
    schema, kept = survey.people.schema, survey.kept
    heads = '<div class="head"></div><div class="head">true answer</div><div class="head"></div><div class="head">recorded</div>'
    rows = []
    for j, attribute in enumerate(schema.attributes):
        true, recorded = (attribute.categories[table.codes[i, j]] for table in (survey.people, survey.release.dataset))
        fate = "unchanged" if kept[i, j] else "replaced"
        wheel = f'<div class="wheel" style="--turn:{survey.luck[i, j]:.4f}turn"><b></b></div>'
        rows.append(
            f'<div class="question">{escape(attribute.name)}</div><div class="answer">{escape(true)}</div>'
            f'<div class="luck">{wheel}<span class="fate {fate}">{fate}</span></div><div class="answer sent">{escape(recorded)}</div>'
        )
    first = max(0, i + 1 - LAST)
    marks = "".join(
        f'<span class="person{" now" if person == i else ""}">'
        + "".join(f'<i class="{"unchanged" if each else "replaced"}"></i>' for each in kept[person])
        + "</span>"
        for person in range(first, i + 1)
    )
    answers = kept[first : i + 1]
    text = f"{count_text(int(answers.sum()))} of these answers unchanged, {count_text(int((~answers).sum()))} replaced"
    return (
        f'<div class="idea" style="{CSS_VARIABLES};--unchanged:{survey.unchanged:.4f}turn">'
        f'<div class="life{" turning" if turning else ""}">{heads}{"".join(rows)}</div>'
        f'<div class="strip" role="img" aria-label="{escape(text)}">{marks}</div>'
        f'<div class="note"><i class="unchanged"></i>{count_text(int(answers.sum()))} unchanged<i class="replaced"></i>'
        f"{count_text(int((~answers).sum()))} replaced</div></div>"
    )


def bars(now: Bars, before: Bars) -> str:
    """Draw three bars for each cell, which grow from where they were before."""
    zero = _place(0.0)
    groups, texts = [], []
    for cell in ((0, 0), (0, 1), (1, 0), (1, 1)):
        name = f"{('Male', 'Female')[cell[0]]}, {('died', 'survived')[cell[1]]}"
        low, high = float(now.low[cell]), float(now.high[cell])
        bottom, top = _place(low), _place(high)
        columns = "".join(
            _bar(kind, float(getattr(now, kind)[cell]), float(getattr(before, kind)[cell]), above)
            for kind, above in (("truth", zero), ("released", zero), ("estimate", top))
        )
        cut = f"{' cut-low' if low < FLOOR else ''}{' cut-high' if high > CEILING else ''}"
        whisker = f'<u class="whisker{cut}" style="bottom:{bottom:.2f}%;height:{top - bottom:.2f}%"></u>'
        groups.append(
            f'<div class="group"><div class="field" style="--zero:{zero:.2f}%">{columns}{whisker}</div><div class="name">{name}</div></div>'
        )
        texts.append(
            f"{name}: truth {percent(float(now.truth[cell]))}, randomized {percent(float(now.released[cell]))}, "
            f"estimate {estimate_text(float(now.estimate[cell]), low, high)}"
        )
    key = "".join(f'<span><i class="{kind}"></i>{text}</span>' for kind, text in _KEY.items())
    return (
        f'<div class="idea" style="{CSS_VARIABLES}"><div class="key">{key}</div>'
        f'<div class="bars" role="img" aria-label="{escape("; ".join(texts))}">{"".join(groups)}</div></div>'
    )


_KEY = {"truth": "truth", "released": "randomized", "estimate": "estimate with 95% CI"}


def _bar(kind: str, share: float, before: float, above: float) -> str:
    """Draw a bar from zero to ``share``, with its number on top or at least as high as ``above``."""
    zero, place, was = _place(0.0), _place(share), _place(before)
    low, high = min(zero, place), max(zero, place)
    size = high - low
    grow = abs(was - zero) / size if size > 0.01 else 1.0
    shape = f"bottom:{low:.2f}%;height:{size:.2f}%;--from:{grow:.3f}"
    return (
        f'<div class="slot"><div class="bar {kind}{" below" if share < 0 else ""}" style="{shape}"></div>'
        f'<span class="value" style="bottom:{max(high, above):.2f}%">{_number(share)}</span></div>'
    )


def _number(share: float) -> str:
    return minus(f"{100 * share:.1f}")


def _place(share: float) -> float:
    """Return the height of a share in percent of the figure, at the edge if it lies beyond."""
    return 100 * (min(max(share, FLOOR), CEILING) - FLOOR) / (CEILING - FLOOR)
