"""The report before collection, for an ethics board: what is asked and how, what it protects, what can be learnt, and how to check it."""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from xml.etree.ElementTree import Element

from rrcore.budget import People, Verdict
from rrcore.errors import InputError
from rrcore.estimate import margin
from rrcore.promise import MechanismFile, stated_truthful_shares
from rrcore.report.front import BLANK, Front, check_wordings
from rrcore.report.page import INTERNAL, bullets, document, html, section, table, versions
from rrcore.report.precision import cautious, precision
from rrcore.report.protection import observer, promises, protection
from rrcore.table import Dataset
from rrcore.wording import and_text, counted, percent, points, unbroken

_MOST_MATRIX = 12  # categories of a matrix that is printed
_LONGEST_FRACTION = 12  # characters; longer ones are told in percent


def report_before(
    file: MechanismFile,
    front: Front = BLANK,
    *,
    people: int,
    wordings: Mapping[str, str] = {},
    truth: Dataset | None = None,
    form: str = "",
) -> str:
    """The report before collection as one HTML file that loads nothing.

    Parameters
    ----------
    file : MechanismFile, how answers will be randomised
    front : title, author, organisation, date and reasons
    people : how many will be asked, at least 1
    wordings : attribute -> how it is asked; its name where that is left out or blank
    truth : Dataset with the attributes of ``file``, for an internal report that also says what follows from true shares
    form : fingerprint of the form that people answer, as ``form_fingerprint`` gives it; empty where there is none yet

    Raises
    ------
    InputError
        For no people, a question that is too long, or a table with other attributes.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.answers import nigeria
    >>> from rrcore.report import Front
    >>> page = rr.report_before(nigeria().mechanism, Front(title="Niger Delta"), people=2500)
    >>> page.startswith("<!doctype html>"), "at most 5.00 times" in page
    (True, True)
    """
    if people < 1:
        raise InputError(f"The number of people is {people}: give at least 1.")
    if truth is not None:
        truth = truth.select(file.schema.names)
        if truth.schema.sizes != file.schema.sizes:
            raise InputError("The table has other categories than the mechanism file: give the table that the file was made for.")
    asked = check_wordings(wordings, file.schema)
    known = People(file.schema, people) if truth is None else People(truth)
    said = "Questions, their possible answers, and how often chance leaves an answer alone"
    parts = [
        _short(file, people),
        section("Before it leaves", bullets([unbroken(each) for each in Verdict.of(file, known).sentences()])),
        section("What is asked", table(said, *asked_table(file, asked), numbers=1)),
        _design(file),
        protection(file),
        observer(file, people, truth),
        precision(file, people, truth),
        _beyond(),
        _check(file, form),
    ]
    return document(
        front,
        name="Report before collection",
        about=f"What {counted(people, 'person', 'people')} will be asked, how their answers are randomised, and what that protects.",
        mark="" if truth is None else INTERNAL,
        why="this document holds numbers computed from true answers. Do not hand it out.",
        parts=parts,
        sha256=file.sha256,
    )


def _short(file: MechanismFile, people: int) -> Element:
    k = len(file.schema.names)
    errors = [cautious(file, i, people) for i in range(k)]
    widest = float(margin(max(errors)))  # of errors that are all known
    sentences = [
        f"{counted(people, 'person is', 'people are')} asked {counted(k, 'question', 'questions')}. Chance replaces some of the answers, by "
        "fixed probabilities, before they are used: no released answer can be taken at its word.",
        *promises(file),
        f"Precision: whatever the true answers are, the share of any one answer is read to within ± {points(widest)}, 95 % of the time."
        if not math.isnan(sum(errors))
        else "Precision: not every answer can be read; see below.",
    ]
    return section("In short", bullets(sentences))


def asked_table(file: MechanismFile, asked: tuple[str, ...]) -> tuple[list[str], list[list[str]]]:
    """What is asked and how often an answer is reported as it is: headings and rows, without columns that would be empty.

    Parameters
    ----------
    asked : how each attribute is asked, as ``check_wordings`` gives it
    """
    rows = [
        [
            wording,
            "" if wording == attribute.name else attribute.name,
            ", ".join(attribute.categories),
            "" if reports == attribute else ", ".join(reports.categories),
            truthful_text(truthful),
        ]
        for wording, attribute, reports, truthful in zip(
            asked, file.schema.attributes, file.reports.attributes, stated_truthful_shares(file), strict=True
        )
    ]
    heads = ["Question as asked", "Attribute", "Possible answers", "Possible reports", "Reported truthfully"]
    shown = [
        i for i, head in enumerate(heads) if not head.startswith(("Attribute", "Possible reports")) or any(row[i] for row in rows)
    ]
    return [heads[i] for i in shown], [[row[i] for i in shown] for row in rows]


def truthful_text(shares: tuple[Fraction, Fraction] | None) -> str:
    """How often an answer is reported as it is, from the least to the most, as ``stated_truthful_shares`` has it."""
    if shares is None:
        return "no report is an answer"
    low, high = (percent(float(end)) for end in shares)
    return low if low == high else f"{low} to {high}"


def design_sentences(file: MechanismFile) -> list[str]:
    """How answers are randomised, in words."""
    names = file.schema.names
    together = [[names[i] for i in places] for places, _ in file.groups if len(places) > 1]
    alone = [names[places[0]] for places, _ in file.groups if len(places) == 1]
    sentences = [f"Chance decides for {_listed(group)} jointly which of one person's answers are replaced." for group in together]
    if alone:
        sentences.append(
            f"{_listed(alone)} {'is' if len(alone) == 1 else 'are each'} randomised independently of every other answer."
        )
    if any(weights.rows is None for _, weights in file.groups):
        sentences.append("An answer that is replaced becomes any of the other possible answers, each with the same probability.")
    sentences.append(
        "The probabilities are whole numbers in the mechanism file, and draws are made from them exactly, with random bits from the "
        "operating system or from the respondent's own browser: there is no seed by which anyone could repeat or undo them."
    )
    return sentences


def _design(file: MechanismFile) -> Element:
    matrices = (table(said, heads, rows, numbers=len(heads) - 1) for said, heads, rows in matrix_tables(file))
    return section("How answers are randomised", bullets(design_sentences(file)), _signed(file), matrices)


def _signed(file: MechanismFile) -> Iterator[Element]:
    texts = [f"{what}: {text}" for what, text in (("Made by", file.made_by), ("Note", file.note)) if text.strip()]
    if texts:
        yield html("p", ". ".join(texts), kind="typed", dir="auto")


def matrix_tables(file: MechanismFile) -> Iterator[tuple[str, Sequence[str], list[list[str]]]]:
    """The probability of each report, of attributes that have a matrix of their own: captions, headings and rows."""
    for places, weights in file.groups:
        if weights.rows is not None and len(weights.rows) <= _MOST_MATRIX:
            attribute, reports = file.schema.attributes[places[0]], file.reports.attributes[places[0]]
            if reports.size > attribute.size:  # one row for each report, since they are many
                heads, lines = (
                    ("Report", *attribute.categories),
                    zip(reports.categories, zip(*weights.rows, strict=True), strict=True),
                )
            else:
                heads, lines = ("True answer", *reports.categories), zip(attribute.categories, weights.rows, strict=True)
            rows = [[label, *(_chance(weight, weights.whole) for weight in line)] for label, line in lines]
            what = "released answer" if reports == attribute else "report"
            yield f"'{attribute.name}': probability of each {what}", heads, rows


def _chance(weight: int, whole: int) -> str:
    exact = str(Fraction(weight, whole))
    return exact if len(exact) <= _LONGEST_FRACTION else percent(weight / whole)


def _beyond() -> Element:
    return section(
        "What it does not protect",
        bullets(
            [
                "That someone took part. Randomization hides answers, not who gave them.",
                "Anything collected beside these answers that is not randomised, such as a place or a date.",
                "People who are asked again: a second randomization of the same answers adds to what the first gave away. A ledger of "
                "releases keeps count.",
                "Against a form or a program that does not randomise as the mechanism file says. The checks below are for that.",
            ]
        ),
    )


def _check(file: MechanismFile, form: str) -> Element:
    promise = file.certificate
    return section(
        "How to check it",
        html(
            "p",
            "Everything above about protection follows from the mechanism file, which holds no answers. With it and the program RR Workbench "
            "anyone can verify this report:",
        ),
        bullets(
            [
                [
                    html("code", "rrcore certify --mechanism mechanism.json"),
                    " prints the certificate below, in exact arithmetic.",
                ],
                [
                    html("code", "rrcore audit --mechanism mechanism.json"),
                    " runs the randomization many times and tries to break the promise.",
                ],
                [
                    "The fingerprint of the file must be ",
                    html("code", file.sha256),
                    " (SHA-256, as the file itself and the certificate say).",
                ],
                ["The form names the same fingerprint at its end. ", *_of_form(form)],
            ]
        ),
        html("h3", "Certificate"),
        html("pre", promise.text(file.schema.names), tabindex="0"),
        html("p", f"{versions()}.", kind="note"),
        new_page=True,
    )


def _of_form(form: str) -> list[str | Element]:
    """How to check that a form is the one that was published."""
    if form:
        return ["The form is the one of this report where its own SHA-256 is ", html("code", form), ": save it, and compare."]
    return [
        "That the form is the one that was published shows its own SHA-256: the page Collect and ",
        html("code", "rrcore form"),
        " print it for the survey team to publish, and whoever saves the form can compare.",
    ]


def _listed(names: list[str]) -> str:
    return and_text([f"'{name}'" for name in names])
