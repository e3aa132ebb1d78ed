"""Read: estimates from answers that were collected, with nobody's true answer anywhere."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from pages.read import ordered, pairs, shares
from pages.shared import documents, readings, state, widgets
from pages.shared.answers import sample, upload
from rrcore.answers import (
    Answers,
    MarginalSummary,
    PairSummary,
    pair_summaries,
    summarise_marginal,
    summary_dict,
    too_wide_to_summarise,
)
from rrcore.arrays import check_cells
from rrcore.documents import encode
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate import estimate_csv, finding_from_answers, merged_shares
from rrcore.limits import MAX_PAGE_CELLS, MAX_PAGE_MARGINAL
from rrcore.wording import file_stem, meaning

_FEW = 12  # attributes whose pairs are looked at for a document without having been asked for
SECTIONS = {
    "joint": "In numbers",
    "order": "In order",
    "within": "Within groups",
    "column": "By another column",
    "pairs": "What goes together",
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
        return work.remember("read_marginal", (id(answers), axes), partial(summarise_marginal, answers, names))
    except InputError as error:
        widgets.complain(error)
        if isinstance(error, NotIdentifiableError) and len(names) == 1:
            for one in merged_shares(answers, names[0]):
                st.markdown(f"- {widgets.plain(one.sentence)}")
        return None


def take_away(answers: Answers, found: MarginalSummary, known: Sequence[PairSummary], reading: readings.Reading) -> None:
    """Documents, and download buttons for the shares and for everything that was found."""
    k, population, simultaneous = len(answers.mechanism.schema.names), reading.population, reading.at_once

    def every_pair() -> Sequence[PairSummary]:
        return known or (pair_summaries(answers) if 1 < k <= _FEW else ())

    st.markdown("**Take it away**")
    documents.after(
        state.current(),
        answers,
        found,
        every_pair,
        population=population,
        simultaneous=simultaneous,
    )
    name = file_stem("-".join(found.schema.names))
    with st.container(horizontal=True):
        widgets.download(
            "Shares (CSV)",
            partial(estimate_csv, found.estimate, population=population, simultaneous=simultaneous, mark=answers.mark),
            f"shares-{name}.csv",
            type="tertiary",
            icon=":material/table:",
        )
        widgets.download(
            "Everything (JSON)",
            lambda: encode(summary_dict(answers, [found], every_pair(), population=population, simultaneous=simultaneous)),
            f"shares-{name}.json",
            type="tertiary",
            icon=":material/data_object:",
        )
    if not known and k > _FEW:
        st.caption("Open 'What goes together' first to have it in the report, the code and the JSON as well.")


work = state.current()
answer = widgets.header("Read", "What do collected answers say, when each of them may be a lie?")

left, right, answers = upload.beside(work)
with left:
    answers = sample.choose(work, answers)
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
    elif too_wide_to_summarise(answers, chosen):
        answer("So many attributes at a time are read from the model of all pairs, without intervals.")
        shares.modelled(answers, chosen)
    upload.counts(answers)
    if found is not None:
        sample.tell(answers, found)

section = widgets.section("Look at", SECTIONS, "read_section")
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
elif section == "joint":
    shares.joint(found, reading)
    shares.more_answers(found)
st.divider()
take_away(answers, found, pairs.found(answers), reading)
