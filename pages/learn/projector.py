"""What a class sees on the wall: a bar for every answer, its interval and, where it was revealed, the true share. Texts are escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from rrcore.arrays import Floats
from rrcore.plots.palette import CSS_VARIABLES
from rrcore.wording import Quantity

if TYPE_CHECKING:
    from rrcore.receiver.poll import PollSoFar

_KEY = {
    "released": "sent by the phones",
    "estimate": "estimate of the true share",
    "interval": "95 % interval",
    "truth": "show of hands",
}


def wall(seen: PollSoFar, before: PollSoFar, *, hands: Sequence[float] = ()) -> str:
    """The bars of ``seen``, which grow from those ``before``; ``hands`` are the shares of each answer in a show of hands."""
    shares, low, high = seen.interval
    was, was_low, was_high = before.interval
    rows, told = [], []
    for i, name in enumerate(seen.design.answers):
        value = (
            Quantity("share", name, "these people").estimated(float(shares[i]), float(low[i]), float(high[i])) if seen.n else ""
        )
        drawn = [
            _piece("released", 0, seen.released[i], 0, before.released[i]),
            _piece("estimate", 0, shares[i], 0, was[i]) if seen.n else "",
            _piece("interval", low[i], high[i], was_low[i], was_high[i]),
            f'<i class="truth" style="left:{100 * hands[i]:.2f}%"></i>' if len(hands) else "",
        ]
        rows.append(
            f'<div class="name">{escape(name)}</div><div class="field">{"".join(drawn)}</div><div class="value">{escape(value)}</div>'
        )
        told.append(f"{name}: {value or 'nothing known'}")
    key = "".join(f'<span><i class="{kind}"></i>{text}</span>' for kind, text in _KEY.items() if kind != "truth" or len(hands))
    marks = "".join(f'<span style="left:{each}%">{each} %</span>' for each in (0, 50, 100))
    return (
        f'<div class="wall" style="{CSS_VARIABLES}"><div class="rows" role="img" aria-label="{escape("; ".join(told))}">{"".join(rows)}'
        f'<div></div><div class="marks">{marks}</div><div></div></div><div class="key">{key}</div></div>'
    )


def count(text: str) -> str:
    """How many have answered, in large letters."""
    return f'<div class="wall" style="{CSS_VARIABLES}"><div class="count">{escape(text)}</div></div>'


def address(text: str) -> str:
    """What is typed into a phone, in letters as large as the column allows, on one line as long as it is short."""
    return f'<div class="wall" style="{CSS_VARIABLES};--letters:{min(len(text), 32)}"><div class="address">{escape(text)}</div></div>'


def _piece(kind: str, low: Floats | float, high: Floats | float, was_low: Floats | float, was_high: Floats | float) -> str:
    """A part of the scale from ``low`` to ``high``, which grows from where it was."""
    now = f"left:{100 * float(low):.2f}%;width:{100 * float(high - low):.2f}%"
    return (
        f'<i class="{kind}" style="{now};--left:{100 * float(was_low):.2f}%;--width:{100 * float(was_high - was_low):.2f}%"></i>'
    )
