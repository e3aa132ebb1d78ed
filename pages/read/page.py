"""Read: estimates from answers that were collected, with nobody's true answer anywhere."""

from __future__ import annotations

from functools import partial

import streamlit as st

from pages.read import always, direct, exports, followed, ordered, pairs, shares, waves
from pages.shared import readings, state, widgets
from pages.shared.answers import folder, sample, upload
from pages.shared.answers.holding import Reading
from rrcore.answers import Answers, MarginalSummary, summarise_marginal, too_wide_to_summarise
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate import finding_from_answers, merged_shares
from rrcore.limits import MAX_PAGE_CELLS, MAX_PAGE_MARGINAL
from rrcore.table import check_cells
from rrcore.wording import meaning

SECTIONS = {
    "joint": "In numbers",
    "order": "In order",
    "within": "Within groups",
    "column": "By another column",
    "pairs": "What goes together",
    "followed": "Who did not follow",
    "always": "If some always say no",
    "waves": "Compared with an earlier wave",
}


def choose_marginal(answers: Answers) -> list[str]:
    names = answers.mechanism.schema.names
    chosen = widgets.several(
        "Joint distribution of",
        names,
        f"read_marginal_{hash(names)}",
        at=names[:2],
        most=MAX_PAGE_MARGINAL,
        help=f"{meaning('joint distribution')} One to four attributes: the more, the smaller the groups and the larger the error.",
    )
    if not chosen:
        st.info("Choose one to four attributes to read.", icon=":material/table_chart:")
        st.stop()
    return chosen


def read_marginal(work: state.Work, answers: Answers, names: list[str]) -> MarginalSummary | None:
    """What the answers say about ``names``; None where nothing can be read, which is then said."""
    axes = answers.mechanism.schema.axes(names)
    try:
        check_cells([answers.mechanism.schema.sizes[i] for i in axes], most=MAX_PAGE_CELLS)
        if not answers.knows(names):
            folder.complete(answers, names)
            return None
        return work.remember("read_marginal", (id(answers), axes), partial(summarise_marginal, answers, names))
    except InputError as error:
        widgets.complain(error)
        if isinstance(error, NotIdentifiableError) and len(names) == 1:
            for one in merged_shares(answers, names[0]):
                st.markdown(f"- {widgets.plain(one.sentence)}")
        return None


work = state.current()
answer = widgets.header("Read", "What do collected answers say, when each of them may be a lie?")

left, right, answers = upload.beside(work)
with left:
    answers = followed.corrected(work, sample.choose(work, answers))
    with st.expander("More", icon=":material/tune:"):
        population = widgets.error_meaning("read_population", value=True)
        reading = readings.choose("read", population=population)
    chosen = choose_marginal(answers)  # directly above the figure where columns stand on top of each other
with right:
    upload.warn(work, answers)
    found = read_marginal(work, answers, chosen)
    if found is not None:
        shown = reading.of(found.estimate)
        weighted = answers.sample is not None and answers.sample.weighted
        answer(
            widgets.plain(finding_from_answers(found.schema, shown.shares, shown.interval, found.estimate.n, weighted=weighted))
        )
        shares.figure(found, shown, population=population)
    elif answers.knows(chosen) and too_wide_to_summarise(answers, chosen):
        answer("So many attributes at a time are read from the model of all pairs, without intervals.")
        shares.modelled(answers, chosen)
    upload.counts(answers)
    if found is not None:
        sample.tell(answers, found)
        followed.tell(answers, found)

directly = state.of_page(Reading).directly
sections = SECTIONS if directly is None else SECTIONS | {"direct": "Asked directly"}
section = widgets.section("Look at", sections, "read_section")
if section == "pairs":
    pairs.show(answers)
if found is None:
    st.stop()
if section == "order":
    ordered.show(answers, chosen, reading)
elif section == "within":
    shares.within(found, population=population)
elif section == "column":
    shares.by_column(answers, chosen, population=population)
elif section == "followed":
    followed.show(answers, found, population=population)
elif section == "always":
    always.show(answers, chosen, population=population)
elif section == "direct" and directly is not None:
    direct.show(answers, directly, chosen)
elif section == "waves":
    waves.show(work, answers, chosen)
elif section == "joint":
    shares.joint(found, reading, shown)
    shares.more_answers(found)
st.divider()
exports.show(answers, found, pairs.found(answers), reading)
