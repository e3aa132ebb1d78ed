"""A class poll: one question, what a class of this size can learn, and the answers of its phones as they arrive."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.learn import polldesign, pollwall
from pages.learn.polled import Polled
from pages.shared import widgets
from pages.shared.hosting import roles, turns
from pages.shared.state import of_page


def show(answer: Callable[[str], None]) -> None:
    """The poll that runs or has ended; else its question and design."""
    polled = of_page(Polled)
    if polled.running is None and polled.seen is None:
        _offer_running(polled)
        wanted = polldesign.ask(answer)
        if wanted is not None:
            st.button("Start the poll", type="primary", icon=":material/play_arrow:", on_click=partial(polled.start, wanted))
        if polled.problem:
            widgets.complain(polled.problem)
        return
    pollwall.show(polled, answer)


def _offer_running(polled: Polled) -> None:
    """Polls of this computer, or of this account where others come: a page that was closed leaves its poll running."""
    if polldesign.refusal():
        return
    from rrcore.receiver.poll import running_polls

    with turns.pages.lent():
        found = running_polls()
    if roles.shared():
        own = polldesign.require()
        found = [poll for poll in found if poll.by == own]
    for poll in found:
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.markdown(f"A poll is running: “{widgets.plain(poll.question)}”", width="content")
            st.button(
                "Show it", key=f"poll_show_{poll.served.run}", on_click=partial(polled.follow, poll), icon=":material/visibility:"
            )
