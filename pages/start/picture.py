"""What the start page draws in HTML: the passenger's answers and the bars. Texts are escaped; nothing is computed but where things stand."""

from dataclasses import dataclass
from html import escape

from rrcore.arrays import Floats
from rrcore.plots.palette import CSS_VARIABLES
from rrcore.schemes import Demonstration
from rrcore.wording import Quantity, count_text, minus, percent, unbroken

LAST = 24
"""How many passengers the strip shows at most."""
FLOOR, CEILING = -0.06, 0.8
"""Shares at the lower and upper edge of the bars, the same for every setting; what leaves them is cut off and marked."""


@dataclass(frozen=True)
class Bars:
    """Shares of Sex by Survived: ndarrays of shape (2, 2)."""

    truth: Floats
    released: Floats
    estimate: Floats
    low: Floats
    high: Floats


def passenger(survey: Demonstration, i: int, *, turning: bool) -> str:
    """The answers of person ``i`` (from 0), the wheel of each, what is released, and the fates of those before."""
    schema, kept = survey.people.schema, survey.kept
    heads = '<div class="head"></div><div class="head">true answer</div><div class="head"></div><div class="head">all that is sent</div>'
    rows = []
    for j, attribute in enumerate(schema.attributes):
        true, sent = (attribute.categories[table.codes[i, j]] for table in (survey.people, survey.release.dataset))
        fate = "kept" if kept[i, j] else "replaced"
        wheel = f'<div class="wheel" style="--turn:{survey.luck[i, j]:.4f}turn"><b></b></div>'
        rows.append(
            f'<div class="question">{escape(attribute.name)}</div><div class="answer">{escape(true)}</div>'
            f'<div class="luck">{wheel}<span class="fate {fate}">{fate}</span></div><div class="answer sent">{escape(sent)}</div>'
        )
    first = max(0, i + 1 - LAST)
    marks = "".join(
        f'<span class="person{" now" if person == i else ""}">'
        + "".join(f'<i class="{"kept" if each else "replaced"}"></i>' for each in kept[person])
        + "</span>"
        for person in range(first, i + 1)
    )
    answers = kept[first : i + 1]
    text = f"{count_text(int(answers.sum()))} of these answers kept, {count_text(int((~answers).sum()))} replaced"
    return (
        f'<div class="idea" style="{CSS_VARIABLES};--told:{survey.told:.4f}turn">'
        f'<div class="life{" turning" if turning else ""}">{heads}{"".join(rows)}</div>'
        f'<div class="strip" role="img" aria-label="{escape(text)}">{marks}</div>'
        f'<div class="note"><i class="kept"></i>{count_text(int(answers.sum()))} kept<i class="replaced"></i>'
        f"{count_text(int((~answers).sum()))} replaced: only this page knows which</div></div>"
    )


def found(text: str) -> str:
    """What is found, in words, above the bars."""
    return f'<div class="idea" style="{CSS_VARIABLES}"><div class="found">{escape(unbroken(text))}</div></div>'


def bars(now: Bars, before: Bars) -> str:
    """A group of three bars for each cell, which grow from where they were before."""
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
            f"{name}: truth {percent(float(now.truth[cell]))}, sent {percent(float(now.released[cell]))}, "
            f"estimate {Quantity('share', name, 'the population').estimated(float(now.estimate[cell]), low, high)}"
        )
    key = "".join(f'<span><i class="{kind}"></i>{text}</span>' for kind, text in _KEY.items())
    return (
        f'<div class="idea" style="{CSS_VARIABLES}"><div class="key">{key}</div>'
        f'<div class="bars" role="img" aria-label="{escape("; ".join(texts))}">{"".join(groups)}</div></div>'
    )


_KEY = {"truth": "truth", "released": "sent", "estimate": unbroken("estimate, with 95 % interval")}


def _bar(kind: str, share: float, before: float, above: float) -> str:
    """A bar from zero to ``share``, its number on top or at least as high as ``above`` (a place)."""
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
    """How far up a share stands, in percent of the height; at the edge if it lies beyond."""
    return 100 * (min(max(share, FLOOR), CEILING) - FLOOR) / (CEILING - FLOOR)
