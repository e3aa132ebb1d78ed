"""A poll that runs, or has ended: address and QR code, a show of hands, the randomised answers to take away, and the wall.

On the wall stand a bar for every answer, its interval and, where it was revealed, the true share. Texts are escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from pages.learn.polled import HANDS, Polled
from pages.shared import widgets
from rrcore.arrays import Floats
from rrcore.asking import qr_code
from rrcore.plots.palette import CSS_VARIABLES
from rrcore.wording import Quantity, count_text

if TYPE_CHECKING:
    from rrcore.receiver.poll import PollSoFar

_KEY = {
    "released": "sent by the phones",
    "estimate": "estimate of the true share",
    "interval": "95 % interval",
    "truth": "show of hands",
}
_SECONDS = 2  # between two looks
_ASSETS = Path(__file__).parents[2] / "assets"


def show(polled: Polled, answer: Callable[[str], None]) -> None:
    """The poll, on the page or on the wall."""
    st.html(_ASSETS / "poll.css")
    if polled.wall:
        st.html(_ASSETS / "wall.css")
    with st.container(key="poll_running"):
        st.markdown(f"## {widgets.plain(polled.question)}")
        left, right = st.columns([2, 5], gap="large")
        if polled.running is not None:
            with left:
                _address(polled)
        with right if polled.running is not None else st.container():
            st.fragment(_look, run_every=_SECONDS if polled.running is not None else None)(polled)
    if polled.problem:
        widgets.complain(polled.problem)
    answer("" if polled.wall else _told(polled))
    _act(polled)


def _told(polled: Polled) -> str:
    if polled.running is not None:
        return "The poll is running: its answers stay on this computer until you end it."
    return "The poll has ended, and nothing of it is kept: what you see here goes when you start another one or close this page."


def _address(polled: Polled) -> None:
    assert polled.running is not None
    address = polled.running.served.address
    st.image(qr_code(address), width="stretch" if polled.wall else 260, alt=f"QR code of {address}")
    st.html(_typed(address))
    if polled.running.exposed:
        widgets.caption("Not encrypted: whoever controls this network could change the form, and can read randomised answers.")
    if "://localhost" in address:
        st.caption("Only this computer can open it.")


@widgets.complaining
def _look(polled: Polled) -> None:
    """One look: how many answered, the bars, and what a poll without protection would have taken."""
    seen = polled.look()
    hands: int | None = st.session_state.get(HANDS)
    two = len(seen.design.answers) == 2
    shown = [1 - hands / seen.n, hands / seen.n] if hands is not None and two and hands <= seen.n > 0 else []
    st.html(_large(f"{count_text(seen.n)} of {count_text(seen.design.people)} have answered"))
    st.html(_bars(seen, polled.before or seen, hands=shown))
    st.markdown(widgets.plain(f"{seen.sentence()} {seen.unprotected()}"))
    twice = seen.twice()
    widgets.warn(twice)
    if shown and hands is not None:
        st.markdown(widgets.plain(seen.revealed(hands)))
    if polled.running is not None and not (twice and polled.wall):  # a wall has room for one of them
        st.caption(
            "The interval holds for one look, the last: decide beforehand when that is. Of many looks, one misses more often."
        )


def _act(polled: Polled) -> None:
    """The wall, the end, a show of hands, and what is to be kept."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if polled.wall:
            st.button("Leave the wall", icon=":material/close_fullscreen:", on_click=polled.turn)
        else:
            st.button("Show on the wall", icon=":material/present_to_all:", on_click=polled.turn)
        if polled.running is not None:
            st.button("End the poll", icon=":material/stop:", on_click=polled.end, help="All that it has stored is deleted.")
            return
        st.button("New poll", icon=":material/add:", on_click=polled.forget)
        assert polled.seen is not None
        if polled.seen.n and len(polled.seen.design.answers) == 2:
            st.number_input(
                f"Hands raised for “{polled.seen.design.answers[-1]}”",
                0,
                polled.seen.n,
                None,
                key=HANDS,
                width=260,
                help="Only if the class agrees: a raised hand is an answer without protection. The number is kept nowhere.",
            )
    if polled.seen.n and not polled.wall:
        widgets.details("Keep the randomised answers", "poll_keep", partial(_keep, polled.seen), icon="download")


def _keep(seen: PollSoFar) -> None:
    answers = seen.answers
    assert answers is not None
    st.caption("True answers never left the phones: these are the randomised ones, in random order, to be read on page Read.")
    with st.container(horizontal=True):
        widgets.download("Randomised answers", answers.dataset.to_csv, "answers.csv")
        widgets.download("Mechanism file", answers.mechanism.to_json, "mechanism.json")


def _bars(seen: PollSoFar, before: PollSoFar, *, hands: Sequence[float] = ()) -> str:
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


def _large(text: str) -> str:
    """How many have answered, in large letters."""
    return f'<div class="wall" style="{CSS_VARIABLES}"><div class="count">{escape(text)}</div></div>'


def _typed(text: str) -> str:
    """What is typed into a phone, in letters as large as the column allows, on one line as long as it is short."""
    return f'<div class="wall" style="{CSS_VARIABLES};--letters:{min(len(text), 32)}"><div class="address">{escape(text)}</div></div>'


def _piece(kind: str, low: Floats | float, high: Floats | float, was_low: Floats | float, was_high: Floats | float) -> str:
    """A part of the scale from ``low`` to ``high``, which grows from where it was."""
    now = f"left:{100 * float(low):.2f}%;width:{100 * float(high - low):.2f}%"
    return (
        f'<i class="{kind}" style="{now};--left:{100 * float(was_low):.2f}%;--width:{100 * float(was_high - was_low):.2f}%"></i>'
    )
