"""Read: estimates from answers that were collected, with nobody's true answer anywhere."""

from __future__ import annotations

from functools import partial

import streamlit as st

from pages.read import exports, pairs, shares, upload
from pages.shared import readings, state, widgets
from rrcore.collect import Answers, summarise_marginal
from rrcore.errors import InputError
from rrcore.limits import MAX_PAGE_CELLS, MAX_PAGE_MARGINAL
from rrcore.table import check_cells

SECTIONS = {"joint": "Shares", "within": "Within groups", "column": "By another column", "pairs": "What goes together"}


def choose_marginal(answers: Answers) -> list[str]:
    names = answers.mechanism.schema.names
    chosen = widgets.several(
        "Joint distribution of",
        names,
        f"read_marginal_{hash(names)}",
        at=names[:2],
        most=MAX_PAGE_MARGINAL,
        help="One to four attributes. The more, the smaller the groups and the larger the error.",
    )
    if not chosen:
        st.info("Choose one to four attributes to read.", icon=":material/table_chart:")
        st.stop()
    return chosen


work = state.current()
answer = widgets.header("Read", "What do collected answers say, when each of them may be a lie?")

left, right = st.columns([1, 3], gap="large")
with left:
    answers = upload.choose(work)
if answers is None:
    with right:
        upload.invite()
    st.stop()
with left:
    chosen = choose_marginal(answers)
    population = widgets.error_meaning("read_population", value=True)
    reading = readings.choose("read", population=population)
with right:
    upload.counts(answers)
    section = widgets.section("Look at", SECTIONS, "read_section")
    try:
        check_cells([answers.mechanism.schema.sizes[i] for i in answers.mechanism.schema.axes(chosen)], most=MAX_PAGE_CELLS)
        key = (id(answers), tuple(chosen))
        found = work.remember("read_marginal", key, partial(summarise_marginal, answers, chosen))
    except InputError as error:
        widgets.complain(error)
        st.stop()
    if section == "pairs":
        pairs.show(answers)
    elif section == "within":
        shares.within(found, population=population)
    elif section == "column":
        shares.by_column(answers, chosen, population=population)
    else:
        shares.joint(found, reading)
        shares.more_answers(found)
    st.divider()
    exports.show(answers, found, pairs.found(answers), reading)
