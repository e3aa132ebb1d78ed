"""How the people behind the answers were drawn: which columns say so, and what is known of the population."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import streamlit as st

from pages.shared import jobs, state, uploads, widgets
from rrcore.answers import (
    Answers,
    KnownTotals,
    MarginalSummary,
    SampleColumns,
    about_sample,
    read_totals,
    sampling_columns,
    with_sample,
)
from rrcore.errors import InputError
from rrcore.estimate.sample import Lonely
from rrcore.limits import MAX_FILE_BYTES
from rrcore.wording import counted, meaning

_NONE = ""
_LONELY: tuple[Lonely, ...] = get_args(Lonely)
_LONELY_HELP = (
    "One cluster alone, or one person where there are no clusters, does not show how much its stratum varies. Refuse: say which "
    "stratum it is, so that strata can be merged. Centre: take its distance from the mean of all. Certain: it was sure to be drawn, so it "
    "adds no error."
)


@dataclass
class Known:
    """Totals of the population that were uploaded: they outlive a visit to another page."""

    sizes: tuple[KnownTotals, ...] = ()
    turn: int = 0

    def forget(self) -> None:
        """Begin anew."""
        self.sizes = ()
        self.turn += 1


def choose(work: state.Work, answers: Answers) -> Answers:
    """The answers with the sample that is chosen; as they are where nothing is, or where it cannot be, which is then said."""
    names = list(answers.beside)
    if not names:
        return answers
    numbers = work.remember("read_numbers", id(answers), lambda: sampling_columns(answers))
    with st.expander("The sample", icon=":material/groups:"):
        st.caption(
            "Was everybody as likely to be asked? Then leave this as it is. Otherwise say which columns tell how people were drawn."
        )
        key = f"{hash(tuple(names))}"
        weights = _column("Weights", numbers, f"read_weights_{key}", "all alike")
        strata = _column("Strata", names, f"read_strata_{key}", "none")
        lonely = widgets.select("A stratum with one cluster", _LONELY, "read_lonely", help=_LONELY_HELP) if strata else "refuse"
        clusters = _column("Clusters", names, f"read_clusters_{key}", "none")
        sizes = _sizes() if widgets.checkbox("More about the population", "read_sample_more") else None
        columns = SampleColumns(weights, strata, clusters, sizes, lonely)
    if columns.simple:
        return answers
    try:
        return work.remember("read_sample", (id(answers), columns), lambda: with_sample(answers, columns))
    except InputError as error:
        widgets.complain(f"{error} Until then the answers are read as if everybody had been as likely to be asked.")
        return answers


def tell(answers: Answers, found: MarginalSummary) -> None:
    """What the design of the sample costs, and how many records lack answers."""
    for sentence in about_sample(answers, found.estimate):
        widgets.caption(sentence)
    if found.estimate.n < answers.n:
        widgets.caption(f"{counted(found.estimate.n, 'record has', 'records have')} all answers that are read here.")


def _column(label: str, names: Sequence[str], key: str, none: str) -> str:
    """One column, or none of them."""
    return widgets.select(label, {_NONE: f"({none})"} | {name: name for name in names}, key, help=meaning(label.lower()))


def _sizes() -> KnownTotals | None:
    """Sizes of a finite population."""
    known = state.of_page(Known)
    known.sizes = (
        _totals(
            "Population sizes",
            f"read_sizes_{known.turn}",
            "A table with the column of the strata and a column 'total': how many clusters, or people where there are no clusters, the "
            "population has in each. Leave it out where the population is large.",
        )
        or known.sizes
    )
    if not known.sizes:
        return None
    st.caption("A table of population sizes is in use.")
    st.button("Forget the totals", on_click=known.forget, type="tertiary", icon=":material/close:")
    return known.sizes[0]


def _totals(label: str, key: str, help: str) -> tuple[KnownTotals, ...]:
    """The totals of the files that are chosen now."""
    files = uploads.choose_files(label, key, help=help, max_upload_size=MAX_FILE_BYTES // 2**20)
    try:
        found = [
            jobs.read(f"{key}_{i}", file.file_id, read_totals, file.getvalue(), file.name, what="Reading the totals")
            for i, file in enumerate(files)
        ]
        return tuple(totals for totals in found if totals is not None)
    except InputError as error:
        widgets.complain(error)
        return ()
