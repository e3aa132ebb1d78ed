"""A poll that runs, or has ended: address and QR code, and a wall with a bar and an interval for every answer. Texts are escaped."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from pages.learn.polled import Polled
from pages.shared import widgets
from rrcore.asking import qr_code
from rrcore.plots.palette import CSS_VARIABLES
from rrcore.wording import Quantity, count_text

if TYPE_CHECKING:
    from rrcore.receiver.poll import PollSoFar

_KEY = {"released": "sent by the phones", "estimate": "estimate of the true share", "interval": "95% interval"}
_SECONDS = 2  # between two looks
_ASSETS = Path(__file__).parents[2] / "assets"


def show(polled: Polled, answer: Callable[[str], None]) -> None:
    """The poll, on the page or on the wall."""
    st.html(_ASSETS / "poll.css")
    if polled.wall:
        st.html(_ASSETS / "wall.css")
    with st.container(key="poll_running"):
        st.markdown(f"## {widgets.plain(polled.question)}")
        if polled.running is not None:
            left, right = st.columns([2, 5], gap="large")
            with left:
                _address(polled)
        else:
            right = st.container()
        with right:
            st.fragment(_look, run_every=_SECONDS if polled.running is not None else None)(polled)
    if polled.problem:
        widgets.complain(polled.problem)
    state = "is running" if polled.running is not None else "has ended, and its answers are deleted"
    answer("" if polled.wall else f"The poll {state}.")
    _act(polled)


def _address(polled: Polled) -> None:
    assert polled.running is not None
    address = polled.running.served.address
    st.image(qr_code(address), width="stretch" if polled.wall else 260, alt=f"QR code of {address}")
    st.html(_large(f'<div class="address">{escape(address)}</div>', f";--letters:{min(len(address), 32)}"))
    if polled.running.exposed:
        widgets.caption(
            "Not encrypted. Somebody who controls this network could change the form, and can read randomized answers."
        )


@widgets.complaining
def _look(polled: Polled) -> None:
    """One look: how many answered, the bars and the estimate."""
    seen = polled.look()
    st.html(_large(f'<div class="count">{count_text(seen.n)} of {count_text(seen.design.people)} have answered</div>'))
    st.html(_bars(seen))
    st.markdown(widgets.plain(seen.sentence()))
    widgets.warn(seen.twice())
    if polled.running is not None:
        st.caption("The interval holds for one look. Decide beforehand when that is.")


def _act(polled: Polled) -> None:
    """The wall, the end, and the randomized answers to download."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if polled.wall:
            st.button("Leave the wall", icon=":material/close_fullscreen:", on_click=polled.turn)
        else:
            st.button("Show on the wall", icon=":material/present_to_all:", on_click=polled.turn)
        if polled.running is not None:
            st.button("End the poll", icon=":material/stop:", on_click=polled.end, help="This deletes what it stored.")
            return
        st.button("New poll", icon=":material/add:", on_click=polled.forget)
    if polled.seen is not None and polled.seen.n and not polled.wall:
        widgets.details("Keep the randomized answers", "poll_keep", partial(_keep, polled.seen), icon="download")


def _keep(seen: PollSoFar) -> None:
    answers = seen.answers
    assert answers is not None
    with st.container(horizontal=True):
        widgets.download("Randomized answers", answers.dataset.to_csv, "answers.csv")
        widgets.download("Mechanism file", answers.mechanism.to_json, "mechanism.json")


def _bars(seen: PollSoFar) -> str:
    """A bar and an interval for every answer."""
    rows, told = [], []
    for name, released, share, low, high in zip(seen.design.answers, seen.released, *seen.interval, strict=True):
        ends = float(share), float(low), float(high)
        value = Quantity("share", name, "these people").estimated(*ends) if seen.n else ""
        drawn = _piece("released", 0, released) + (_piece("estimate", 0, share) if seen.n else "") + _piece("interval", low, high)
        rows.append(
            f'<div class="name">{escape(name)}</div><div class="field">{drawn}</div><div class="value">{escape(value)}</div>'
        )
        told.append(f"{name}: {value or 'nothing known'}")
    key = "".join(f'<span><i class="{kind}"></i>{text}</span>' for kind, text in _KEY.items())
    marks = "".join(f'<span style="left:{each}%">{each}%</span>' for each in (0, 50, 100))
    return _large(
        f'<div class="rows" role="img" aria-label="{escape("; ".join(told))}">{"".join(rows)}'
        f'<div></div><div class="marks">{marks}</div><div></div></div><div class="key">{key}</div>'
    )


def _large(content: str, style: str = "") -> str:
    return f'<div class="wall" style="{CSS_VARIABLES}{style}">{content}</div>'


def _piece(kind: str, low: float, high: float) -> str:
    """A part of the scale from ``low`` to ``high``."""
    return f'<i class="{kind}" style="left:{100 * low:.2f}%;width:{100 * (high - low):.2f}%"></i>'
