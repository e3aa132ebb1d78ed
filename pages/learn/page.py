"""Learn: ten chapters to play, alone or with a class, and to take away as one file; and a poll that the class answers on its phones."""

from functools import partial

import streamlit as st

from pages.learn import polldesign, pollwall
from pages.learn.polled import Polled
from pages.shared import components, state, widgets
from pages.shared.mode import demo
from pages.shared.server import LESSON
from rrcore.learn import QUESTION, lesson
from rrcore.limits import MAX_TEXT

SECTIONS = {"chapters": "Ten chapters", "poll": "Class poll"}


def offer_running(polled: Polled) -> None:
    """Polls of this computer: a page that was closed leaves its poll running."""
    if polldesign.lacking():
        return
    from rrcore.receiver.poll import running_polls

    found = running_polls()
    for poll in found:
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.markdown(f"A poll is running: “{widgets.plain(poll.question)}”", width="content")
            st.button(
                "Show it", key=f"poll_show_{poll.served.run}", on_click=partial(polled.follow, poll), icon=":material/visibility:"
            )


answer = widgets.header(
    "Learn", "How does chance protect an answer, and what does that cost? Ten chapters to play, alone or before a class."
)
polled = state.of_page(Polled)
has_poll = polled.running is not None or polled.seen is not None
if not has_poll and not demo():
    offer_running(polled)
if has_poll:  # it has the page to itself
    pollwall.show(polled, answer)
elif not demo() and widgets.section("Learn by", SECTIONS, "learn_section") == "poll":
    wanted = polldesign.ask(answer)
    if wanted is not None:
        st.button("Start the poll", type="primary", icon=":material/play_arrow:", on_click=partial(polled.start, wanted))
    if polled.problem:
        widgets.complain(polled.problem)
else:
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    question = widgets.text(
        "Sensitive question in the chapters",
        "lesson_question",
        where=left,
        placeholder=QUESTION,
        max_chars=MAX_TEXT,
        help="To be answered with yes or no. The chapters below and the files use it; nobody's answer is ever asked for in them.",
    ).strip()
    right.link_button("Open in a tab", LESSON.address(), icon=":material/open_in_new:", width="stretch")
    dark = st.context.theme.type == "dark"
    components.lesson("lesson", LESSON.address(), question, title="Randomized response in ten chapters", dark=dark)
    st.markdown("**Take the chapters away**: one file that students open at home, without a network.")
    widgets.download("HTML file", partial(lesson, question), "learn.html")
