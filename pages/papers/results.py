"""What a paper says, the figure with its printed and measured numbers, and whether the two agree."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field

import pandas as pd
import streamlit as st

from pages.shared import widgets
from rrcore import plots
from rrcore.research.papers import PaperEntry, Result, Verdict, recorded_verdicts, rows_of
from rrcore.table import Dataset
from rrcore.wording import counted

_VERDICTS: dict[Verdict, tuple[str, str]] = {
    "agree": ("agrees with what is measured here", ":material/check_circle:"),
    "differ": ("differs from what is measured here", ":material/compare_arrows:"),
    "cannot be run": ("cannot be run", ":material/block:"),
}


@dataclass
class PaperResults:
    """Results of this session, how often each entry was measured, and the table UCI Adult that was uploaded last."""

    results: dict[Hashable, Result] = field(default_factory=dict)
    turns: dict[Hashable, int] = field(default_factory=dict)
    adult: Dataset | None = None

    def next_seed(self, about: Hashable) -> int:
        """0, then 1, 2, ...: the first measurement is that of the documentation."""
        self.turns[about] = self.turns.get(about, -1) + 1
        return self.turns[about]


def overview() -> str:
    """How many entries agree, in one sentence; below it, paper by paper."""
    found = recorded_verdicts()
    every = sum(found.values(), Counter[Verdict]())
    with st.expander("Paper by paper", icon=":material/table:"):
        widgets.table(
            [
                {"Paper": paper.short, "Entries": str(count.total())}
                | {name.capitalize(): str(count[name]) for name in _VERDICTS}
                for paper, count in found.items()
            ]
        )
        st.caption(
            "Measured with few repeats and seed 0. An entry, which is a table, a figure or a statement, agrees where all that was checked "
            "of it holds, and differs where one thing does not."
        )
    return (
        f"Of {every.total()} tables, figures and statements that {len(found)} papers print, **{every['agree']} agree** with what is measured "
        f"here, {every['differ']} differ in something, and {every['cannot be run']} cannot be run."
    )


def show(shelf: PaperResults, entry: PaperEntry, pieces: list[Result], *, fast: bool) -> None:
    """The newest result, or what is printed while there is none, and whether the two agree."""
    about = (entry.id, fast)
    if pieces:
        shelf.results[about] = pieces[-1]
    result = shelf.results.get(about)
    st.markdown(_verdict(entry, result))
    measured = () if result is None else result.measured
    if entry.published or measured:
        figure = plots.paper_figure(entry, measured, widgets.palette())
        widgets.figure(figure, entry.id, alt=f"{entry.place}: {entry.title}. Hollow marks are printed, filled ones are measured.")
        if entry.published:
            st.caption("Hollow marks: printed in the paper. Filled marks: measured here.")
    elif not entry.cannot:
        st.caption(
            "The text of the paper that was at hand prints no numbers here; 'Measure again' holds what it says against what is found."
        )
    st.markdown(widgets.plain(f"{entry.place}, {entry.title[0].lower()}{entry.title[1:]}. The paper: {entry.claim}"))
    _details(entry, result, fast=fast)


def _verdict(entry: PaperEntry, result: Result | None) -> str:
    name = widgets.plain(f"{entry.place} of {entry.paper.short}")
    if result is not None:
        verdict, icon = _VERDICTS[result.verdict]
        return f"{icon} **{name} {verdict}.** {widgets.plain(result.sentence)}"
    if entry.cannot:
        verdict, icon = _VERDICTS["cannot be run"]
        return f"{icon} **{name} {verdict}.** {widgets.plain(entry.cannot)}"
    return f"{name} is not measured yet: 'Measure again' does so."


def _details(entry: PaperEntry, result: Result | None, *, fast: bool) -> None:
    if result is not None and len(result.outcomes) > 1:
        st.markdown("**What was checked**")
        texts = [
            {
                "The paper says": widgets.plain(outcome.said),
                "Holds": "yes" if outcome.holds else "no",
                "Measured": widgets.plain(outcome.numbers),
            }
            for outcome in result.outcomes
        ]
        st.table(pd.DataFrame(texts).set_index("The paper says"))
    rows = rows_of(entry, () if result is None else result.measured)
    if rows:
        with st.expander("Numbers", icon=":material/table:"):
            filled = [name for name in rows[0] if any(row[name] not in ("", None) for row in rows)]
            widgets.table([{name: row[name] for name in filled} for row in rows])
            for source in dict.fromkeys(one.source for one in entry.published):
                widgets.caption(f"Printed: {source}.")
    fast = fast if result is None else result.fast
    how = "few repeats" if fast else "as many repeats as the paper or more"
    seconds = 0.0 if result is None else result.seconds
    time = counted(round(seconds), "second", "seconds") if seconds >= 1 else "less than a second"
    ran = "" if result is None else f"Measured with {how} and seed {result.seed} in {time}. "
    widgets.caption(f"{entry.paper.cited}.")
    st.caption(f"{ran}Without a browser:")
    st.code(f"rrcore papers run {entry.id}{' --fast' if fast else ''}", language=None, wrap_lines=True)
