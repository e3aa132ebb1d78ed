"""Results as a document: printed numbers beside measured ones, and a verdict for every entry. Nothing in it depends on when it was made."""

import math
from collections.abc import Iterable

from rrcore.research.papers.checks import number
from rrcore.research.papers.entry import PaperEntry, Position, Series
from rrcore.research.papers.running import Result
from rrcore.wording import counted

PRINTED = "printed"
"""Ends the heads of columns that hold numbers of the paper."""

_MOST_ROWS = 40


def document(results: Iterable[Result]) -> str:
    """Markdown with a table of contents by verdict and one section an entry, in the order of the results.

    Where a result depends on the machine only its verdict is written.
    """
    found = list(results)
    how = "few repeats (`--fast`)" if all(result.fast for result in found) else "as many repeats as the papers"
    seeds = ", ".join(sorted({str(result.seed) for result in found}))
    lines = [
        "# Papers, measured again",
        "",
        "Tables, figures and statements of five papers: what is printed beside what functions of this program measure, and whether the two "
        f"agree. Written by `rrcore papers run` with {how} and seed {seeds}; nothing below is typed by hand.",
        "",
        *_overview(found),
    ]
    last = None
    for result in found:
        if result.entry.paper != last:
            last = result.entry.paper
            lines += [f"## {last.short}", "", f"{last.cited}.", ""]
        lines += [published_part(result.entry), "", *_measured_part(result), ""]
    return "\n".join(lines).rstrip() + "\n"


def _overview(results: list[Result]) -> list[str]:
    papers = list(dict.fromkeys(result.entry.paper for result in results))
    lines = ["| Paper | entries | agree | differ | cannot be run |", "|---|--:|--:|--:|--:|"]
    for paper in papers:
        own = [result.verdict for result in results if result.entry.paper == paper]
        lines.append(
            f"| {paper.short} | {len(own)} | {own.count('agree')} | {own.count('differ')} | {own.count('cannot be run')} |"
        )
    return [*lines, ""]


def published_part(entry: PaperEntry) -> str:
    """The part of an entry's section that does not depend on measurements: heading, claim, axes and printed numbers.

    Examples
    --------
    >>> from rrcore.research.papers import find
    >>> print(published_part(find("optimized-figure-2")).splitlines()[0])
    ### Figure 2: The heuristic's total as a multiple of the optimum, against the sum of the levels { #optimized-figure-2 }
    """
    lines = [
        f"### {entry.place}: {entry.title} {{ #{entry.id} }}",
        "",
        f"*The paper:* {entry.claim}",
        "",
        f"*Across:* {entry.x.label}. *Shown:* {entry.y.label}.",
    ]
    for one in entry.published:
        shown = ", ".join(f"{place_text(place)}: {exact(y)}" for place, y in zip(one.x, one.y, strict=True))
        panel = f", {one.panel}" if one.panel else ""
        lines += ["", f"*Printed, {one.name}{panel}* ({one.source}): {shown}."]
    return "\n".join(lines)


def _measured_part(result: Result) -> list[str]:
    lines = []
    if result.entry.of_machine:
        lines += [
            f"**Verdict: {result.verdict}.** Seconds depend on the machine: `rrcore papers run {result.entry.id}` measures them."
        ]
        return lines
    for panel in dict.fromkeys(one.panel for one in result.measured):
        own = [one for one in result.measured if one.panel == panel]
        lines += [*_table(result.entry, panel, own), ""]
    if len(result.outcomes) <= 1:
        return [*lines, f"**Verdict: {result.verdict}.** {result.sentence}"]
    held = sum(outcome.holds for outcome in result.outcomes)
    lines += [f"**Verdict: {result.verdict}.** {held} of {len(result.outcomes)} statements hold.", ""]
    lines += [f"- {outcome.said}: {'yes' if outcome.holds else 'no'}; {outcome.numbers}." for outcome in result.outcomes]
    return lines


def _table(entry: PaperEntry, panel: str, measured: list[Series]) -> list[str]:
    published = [one for one in entry.published if one.panel == panel]
    places = list(dict.fromkeys(place for one in (*published, *measured) for place in one.x))
    heads = [f"{entry.x.title}{f' ({panel})' if panel else ''}", *(one.name for one in measured)]
    heads += [f"{one.name}, {PRINTED}" for one in published]
    rows = [f"| {' | '.join(heads)} |", f"|---|{'--:|' * (len(heads) - 1)}"]
    for place in places[:_MOST_ROWS]:
        cells = [number(one.at(place)) if place in one.x else "" for one in measured]
        cells += [exact(one.at(place)) if place in one.x else "" for one in published]
        rows.append(f"| {' | '.join([place_text(place), *cells])} |")
    if len(places) > _MOST_ROWS:
        rows += ["", f"... and {counted(len(places) - _MOST_ROWS, 'row', 'rows')} more."]
    return rows


def place_text(place: Position) -> str:
    """A place on an axis: 3 -> "3", 0.5 -> "0.5"."""
    return place if isinstance(place, str) else f"{place:,.10g}"


def exact(value: float) -> str:
    """A printed number with the digits that it has."""
    return "none" if math.isnan(value) else f"{value:,.10g}"
