"""A short page that goes with released answers, for recipients."""

import datetime as dt
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from rrcore.progress import Report, part, quiet
from rrcore.promise import (
    MechanismFile,
    Rehearsal,
    ReleasedTable,
    release_table,
    stated_truthful_shares,
    unreleased_columns_sentence,
)
from rrcore.report.before import truthful_text
from rrcore.report.front import Front
from rrcore.report.page import REHEARSAL, bullets, document, html, section, table
from rrcore.table import Dataset, Schema
from rrcore.wording import counted, date_text


def handover_pages(
    file: MechanismFile, people: int, *, kept: Schema | None = None, made: dt.date | None = None, rehearsal: Rehearsal = ""
) -> dict[str, str]:
    """Return the page "for-recipients.html" by this name: one HTML file that loads nothing.

    Nothing in it depends on an answer, true or randomized.

    Parameters
    ----------
    file : MechanismFile, by which the answers are randomised
    people : int, how many people's answers are released
    kept : Schema of columns that leave beside them as they are; None for none
    made : the day of the release; today by default
    rehearsal : "" for people of flesh and blood; else the page is marked as that of a rehearsal

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> list(handover_pages(nigeria().mechanism, 2457))
    ['for-recipients.html']
    """
    front = Front(date=date_text(made or dt.date.today()))
    what = f"{counted(people, 'person', 'people')} and {counted(len(file.schema.names), 'question', 'questions')}"
    return {
        "for-recipients.html": document(
            front,
            name="Released answers: for recipients",
            about=f"Randomised answers of {what}: what this file is, how to read it, and what must not be done with it.",
            parts=[_is(file, kept), _read(), _must_not(), _check()],
            sha256=file.sha256,
            mark=REHEARSAL if rehearsal else "",
            why=f"the people of this release are of the {rehearsal} table." if rehearsal else "",
        )
    }


def released_archive(
    file: MechanismFile, answers: Dataset, kept: Dataset | None, draw: int, rehearsal: Rehearsal, *, report: Report = quiet
) -> Iterator[tuple[ReleasedTable, bytes]]:
    """Randomize answers by ``release_table`` and yield the release with its archive, which holds ``handover_pages``."""
    released = release_table(file, answers, known=kept, draw=draw, rehearsal=rehearsal, report=part(report, 0, 2))
    beside = None if kept is None else kept.schema
    pages = handover_pages(file, answers.n, kept=beside, made=released.made.date(), rehearsal=rehearsal)
    yield released, released.to_zip(pages=pages, report=part(report, 1, 2))


def _is(file: MechanismFile, kept: Schema | None) -> Element:
    return section(
        "What this file is",
        html(
            "p",
            "Each row stands for one person. Before the answers left, chance replaced some of them by others, with fixed probabilities, and "
            "nobody can tell which: no row says what a person answered.",
        ),
        *([] if kept is None else [html("p", unreleased_columns_sentence(kept.names))]),
        _columns(file, kept),
    )


def _columns(file: MechanismFile, kept: Schema | None) -> Element:
    """What leaves: columns, their categories, and how often chance leaves an answer alone."""
    rows = [
        [reported.name, ", ".join(reported.categories), truthful_text(truthful)]
        for reported, truthful in zip(file.reports.attributes, stated_truthful_shares(file), strict=True)
    ]
    rows += [[each.name, ", ".join(each.categories), "always"] for each in (kept.attributes if kept else ())]
    heads = ["Column", "Categories", "As it was answered"]
    return table("Columns, their categories, and how often chance leaves an answer as it was", heads, rows, numbers=1)


def _read() -> Element:
    sentences = [
        "Do not count the rows as they stand: shares of the released answers are not those of the true ones. They are computed back, each "
        "with an interval, from the table and mechanism.json: on page Read of RR Workbench, or by the command below with the table's name.",
        "Keep mechanism.json with the table: without it, it cannot be read.",
        "One row holds the number of rows, which shows whether a file was cut short. You may sort rows. Leave none out and add none.",
    ]
    return section("How to read it", bullets(sentences), html("pre", "rrcore read --mechanism mechanism.json --in released.csv"))


def _must_not() -> Element:
    sentences = [
        "Do not take any row at its word, about anybody, in anybody's favour or disfavour.",
        "Do not look for a person in it, and do not put it together with names, addresses or other tables about the same people.",
        "Do not put it together with another release about the same people: what both give away adds up, and the promise is that of one.",
        "Do not ask for another draw: each one costs the people in it some of their protection.",
        "Do not pass it on without this page, mechanism.json and the certificate.",
    ]
    return section("What must not be done with it", bullets(sentences))


def _check() -> Element:
    return section(
        "How to check it",
        html(
            "p",
            "check.py beside this page computes what the release gives away anew from mechanism.json, in exact fractions, with nothing but "
            "Python, and without the program that made it. It prints the SHA-256 of the mechanism file, which must be the one above.",
        ),
        html("pre", "python check.py"),
    )
