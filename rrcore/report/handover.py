"""Two short pages that go with released answers: for whoever is given them, and for the board that lets them go."""

import datetime as dt
import math
from collections.abc import Sequence
from xml.etree.ElementTree import Element

from rrcore.errors import check_number
from rrcore.promise import (
    MechanismFile,
    Ratio,
    Rehearsal,
    certified_nats,
    stated_nats,
    stated_truthful_shares,
    unreleased_columns_sentence,
)
from rrcore.report.before import truthful_text
from rrcore.report.front import Front
from rrcore.report.page import REHEARSAL, bullets, document, html, section, table
from rrcore.table import Schema
from rrcore.wording import counted, date_text, exact_odds_text

_NEARLY = 99.9  # in 100; above it a number would be read as certainty, or rounded up to it


def handover_pages(
    file: MechanismFile, people: int, *, kept: Schema | None = None, made: dt.date | None = None, rehearsal: Rehearsal = ""
) -> dict[str, str]:
    """The pages "for-recipients.html" and "for-the-board.html", by these names; each is one HTML file that loads nothing.

    Nothing in them depends on an answer, true or released.

    Parameters
    ----------
    file : MechanismFile, by which the answers are randomised
    people : int, how many people's answers are released
    kept : Schema of columns that leave beside them as they are; None for none
    made : the day of the release; today by default
    rehearsal : "" for people of flesh and blood; else the pages are marked as those of a rehearsal

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> pages = handover_pages(nigeria().mechanism, 2457)
    >>> list(pages)
    ['for-recipients.html', 'for-the-board.html']
    >>> "from 50 in 100 to 83.4 in 100" in pages["for-the-board.html"]
    True
    """
    check_number("The number of people", people, 1, whole=True)
    front = Front(date=date_text(made or dt.date.today()))
    mark = REHEARSAL if rehearsal else ""
    why = f"the people of this release are of the {rehearsal} table." if rehearsal else ""
    what = f"{counted(people, 'person', 'people')} and {counted(len(file.schema.names), 'question', 'questions')}"
    return {
        "for-recipients.html": document(
            front,
            name="Released answers: for recipients",
            about=f"Randomised answers of {what}: what this file is, how to read it, and what must not be done with it.",
            parts=[_is(file, kept), _read(), _must_not(), _check(file)],
            sha256=file.sha256,
            mark=mark,
            why=why,
        ),
        "for-the-board.html": document(
            front,
            name="Released answers: for the board",
            about=f"What leaves about {what}, what that gives away at most, whom it does not protect, and a line to sign.",
            parts=[_decision(file, people, kept), _check(file)],
            sha256=file.sha256,
            mark=mark,
            why=why,
        ),
    }


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
        "The last row says how many there are, by which a file that was cut short is known. Rows may be sorted; leave none out and add none.",
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


def _decision(file: MechanismFile, people: int, kept: Schema | None) -> Element:
    promise = file.certificate
    rows = [
        _row("One answer, seen alone", promise.levels, file.schema.names),
        _row(
            "One answer, where the whole released row is seen and all other true answers are known",
            promise.leakage,
            file.schema.names,
        ),
        _row("The whole row, between any two people's answers", [promise.total], []),
    ]
    heads = ["What somebody sees", "Belief, at most", "Odds, at most", "Nats"]
    return html(
        "section",
        html("h2", "What leaves, and what it gives away"),
        html(
            "p",
            f"One row for each of {counted(people, 'person', 'people')}, randomised once, with these columns and no others, but for "
            "rr_release: its last row names the draw and says how many rows there are.",
        ),
        _columns(file, kept),
        table(
            "What the release gives away about a person, at most, also where it is known whose row is whose",
            heads,
            rows,
            numbers=3,
        ),
        html("h3", "Whom it does not protect"),
        bullets(_unprotected(file, kept)),
        html("h3", "Decision"),
        html("p", f"This release may leave, once, with the mechanism file whose SHA-256 begins with {file.sha256[:16]}."),
        _signature(),
        kind="box",
    )


def _row(what: str, ratios: Sequence[Ratio], names: Sequence[str]) -> list[str]:
    spent = stated_nats(ratios)
    largest = spent.index(max(spent))
    ratio = ratios[largest]
    alike = len({"" if each is None else exact_odds_text(each) for each in ratios}) == 1
    where = "" if alike else f" (largest for '{names[largest]}')"
    if ratio is None:
        return [what + where, "from 50 in 100 to certainty", "no limit", "no limit"]
    after = 100 * ratio / (1 + ratio)
    text = f"{math.ceil(10 * after) / 10:g}" if after <= _NEARLY else "nearly 100"
    return [what + where, f"from 50 in 100 to {text} in 100", f"{exact_odds_text(ratio)} times", certified_nats(ratio)]


def _unprotected(file: MechanismFile, kept: Schema | None) -> list[str]:
    sentences = [
        "Whoever is in the table is not hidden: that a person took part can be known from elsewhere.",
        "What is true of a group is learnt, and holds for everybody in it, also for those who took no part.",
        "Nobody is protected from those who hold the table of true answers, nor once it leaks: keep it apart, or delete it.",
        "The numbers above are those of one release. People whose answers left before, or will again, are protected less: the sum counts.",
    ]
    if kept is not None:
        sentences.insert(0, unreleased_columns_sentence(kept.names))
    if file.certificate.total is None:
        sentences.insert(0, "People whose released row rules some true answers out: for them there is no limit.")
    return sentences


def _signature() -> Element:
    heads = ["Name", "Function", "Date", "Signature"]
    head = html("tr", (html("th", text, scope="col") for text in heads))
    return html("table", html("thead", head), html("tbody", html("tr", (html("td") for _ in heads))), kind="keep signature")


def _check(file: MechanismFile) -> Element:
    return section(
        "How to check it",
        html(
            "p",
            "check.py beside this page computes what the release gives away anew from mechanism.json, in exact fractions, with nothing but "
            "Python, and without the program that made it. It prints the SHA-256 of the mechanism file, which must be the one above.",
        ),
        html("pre", "python check.py"),
    )
