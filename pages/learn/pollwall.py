"""The wall of a class poll in HTML: address, QR code, and a bar and an interval for every answer. Texts are escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import streamlit as st

from pages.shared import widgets
from pages.shared.components import ASSETS
from rrcore.asking import qr_code
from rrcore.plots.palette import CSS_VARIABLES
from rrcore.wording import count_text, estimate_text

if TYPE_CHECKING:
    from rrcore.receiver.poll import PollSoFar

_KEY = {"released": "randomized answers", "estimate": "estimate", "interval": "95% confidence interval"}


def styles(*, wall: bool) -> None:
    """Load the styles of a poll, and those of one that fills the screen."""
    st.html(ASSETS / "poll.css")
    if wall:
        st.html(ASSETS / "wall.css")


def address(place: str, *, exposed: bool, wall: bool) -> None:
    """Show where phones reach the poll."""
    st.image(qr_code(place), width="stretch" if wall else 260, alt=f"QR code of {place}")
    st.html(_large(f'<div class="address">{escape(place)}</div>', f";--letters:{min(len(place), 32)}"))
    if exposed:
        widgets.caption("Not encrypted. Somebody who controls this network could change the form.")


def bars(seen: PollSoFar) -> None:
    """Show how many answered, and a bar and an interval for every answer."""
    rows, described = [], []
    for name, released, share, low, high in zip(seen.design.answers, seen.released, *seen.interval, strict=True):
        ends = float(share), float(low), float(high)
        value = estimate_text(*ends) if seen.n else ""
        drawn = _piece("released", 0, released) + (_piece("estimate", 0, share) if seen.n else "") + _piece("interval", low, high)
        rows.append(
            f'<div class="name">{escape(name)}</div><div class="field">{drawn}</div><div class="value">{escape(value)}</div>'
        )
        described.append(f"{name}: {value or 'no answers yet'}")
    key = "".join(f'<span><i class="{kind}"></i>{text}</span>' for kind, text in _KEY.items())
    marks = "".join(f'<span style="left:{each}%">{each}%</span>' for each in (0, 50, 100))
    count = f'<div class="count">{count_text(seen.n)} of {count_text(seen.design.people)} have answered</div>'
    st.html(
        _large(
            f'{count}<div class="rows" role="img" aria-label="{escape("; ".join(described))}">{"".join(rows)}'
            f'<div></div><div class="marks">{marks}</div><div></div></div><div class="key">{key}</div>'
        )
    )


def _large(content: str, style: str = "") -> str:
    return f'<div class="wall" style="{CSS_VARIABLES}{style}">{content}</div>'


def _piece(kind: str, low: float, high: float) -> str:
    """Draw a part of the scale from ``low`` to ``high``."""
    return f'<i class="{kind}" style="left:{100 * low:.2f}%;width:{100 * (high - low):.2f}%"></i>'
