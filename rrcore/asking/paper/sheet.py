"""Sheets to print: one page for the interviewer, and a card to cut out for each question."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from string import Template

from rrcore.asking.languages import Language, hard_spaces
from rrcore.asking.languages import language as language_of
from rrcore.asking.page import asked, asset, policy
from rrcore.asking.paper.devices import Device
from rrcore.asking.paper.instructions import outcomes_texts
from rrcore.asking.paper.nearest import PaperQuestion, PaperSurvey
from rrcore.asking.promises import answer_promises
from rrcore.errors import InputError

PAPERS: Mapping[str, tuple[str, str]] = {"a4": ("A4", "210mm"), "letter": ("letter", "216mm")}
"""Size of paper -> (its name in CSS, its width)."""

_MOST_NAMED = 3  # outcomes, or ranges of them, that are named before "anything else" is clearer


def sheets(survey: PaperSurvey, *, title: str, questions: Mapping[str, str] = {}, language: str = "en", paper: str = "a4") -> str:
    """The sheets as one HTML file to be printed, in black and white.

    Parameters
    ----------
    survey : PaperSurvey, by ``nearest``
    title, questions : as in ``respondent_form``
    language : a key of ``rrcore.asking.LANGUAGES``
    paper : a key of ``PAPERS``

    Raises
    ------
    InputError
        For texts that ``respondent_form`` refuses, an unknown language or an unknown size of paper.

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> from rrcore.asking.paper import nearest, read_device, sheets
    >>> survey = nearest(nigeria().mechanism, read_device("die"))
    >>> "2 to 5</span>: give your true answer" in sheets(survey, title="Niger Delta")
    True
    """
    if paper not in PAPERS:
        raise InputError(f"There is no paper '{paper[:40]}': choose among {', '.join(PAPERS)}.")
    spoken = language_of(language)
    wordings = asked(survey.mechanism, title, questions)
    size, width = PAPERS[paper]
    style = Template(asset("sheet.css")).substitute(paper=size, width=width)
    texts = spoken.sections["sheet"]
    return Template(asset("sheet.html")).substitute(
        {f"say_{key}": spoken.html("sheet", key) for key, text in texts.items() if "{" not in text},
        language=spoken.code,
        policy=policy(style),
        style=style,
        title=escape(title.strip()),
        rows="\n".join(
            _row(survey, question, place, wording, " ".join(promised).strip(), spoken)
            for place, (question, wording, promised) in enumerate(
                zip(survey.questions, wordings, answer_promises(survey.mechanism, spoken), strict=True)
            )
        ),
        cards="\n".join(
            _card(survey, question, place, wording, spoken)
            for place, (question, wording) in enumerate(zip(survey.questions, wordings, strict=True))
        ),
        sha256=survey.mechanism.sha256,
    )


def _row(survey: PaperSurvey, question: PaperQuestion, place: int, wording: str, promised: str, spoken: Language) -> str:
    answers = ", ".join(f"<bdi>{escape(category)}</bdi>" for category in survey.mechanism.reports.attributes[place].categories)
    return (
        f'<tr><td><p dir="auto">{place + 1}. {escape(wording)}</p><p>{spoken.html("sheet", "answers", answers=answers)}</p></td>'
        f"<td>{_lists(survey, question, place, spoken)}</td><td>{_promise(question, promised, spoken)}</td></tr>"
    )


def _promise(question: PaperQuestion, promised: str, spoken: Language) -> str:
    sentences = hard_spaces(escape(promised, quote=False))
    if question.exact:
        near = spoken.html("sheet", "exactly")
    elif math.isfinite(question.cost):
        near = spoken.html("sheet", "not_exactly", factor=spoken.number(f"{question.cost:.2f}"))
    else:
        near = spoken.html("sheet", "not_readable")
    return f"<p>{sentences}</p><p>({near})</p>"


def _card(survey: PaperSurvey, question: PaperQuestion, place: int, wording: str, spoken: Language) -> str:
    device = question.device
    drawn = _disc(device) + f'<p class="safe">{spoken.html("sheet", "disc")}</p>' if device.key == "spinner" else ""
    return (
        f'<article class="card"><h2>{spoken.html("sheet", "card")}</h2><p class="asked" dir="auto">{escape(wording)}</p>'
        f"<p>{_use(device, spoken)} {spoken.html('sheet', 'secret')}</p>{_lists(survey, question, place, spoken)}"
        f'<p class="safe">{_comfort(survey, place, spoken)}</p>{drawn}</article>'
    )


def _comfort(survey: PaperSurvey, place: int, spoken: Language) -> str:
    return spoken.html("sheet", "safe") if survey.levels[place] is not None else ""


def _use(device: Device, spoken: Language) -> str:
    kind, _, number = device.key.partition("-")
    return spoken.html("sheet", kind, number=number) if number else spoken.html("sheet", kind)


def _lists(survey: PaperSurvey, question: PaperQuestion, place: int, spoken: Language) -> str:
    """What to say at which outcome, once or for each true answer."""
    categories = survey.mechanism.schema.attributes[place].categories
    reports = survey.mechanism.reports.attributes[place].categories
    found = []
    for true, steps in enumerate(question.said):
        lines = [(outcomes, _say(report, spoken)) for outcomes, report in zip(steps, reports, strict=True) if outcomes]
        if question.truth:
            lines.append((question.truth, spoken.html("sheet", "truth")))
        else:
            found.append(f"<p>{spoken.html('sheet', 'if_true', answer=escape(categories[true]))}</p>")
        found.append(_list(question.device, sorted(lines), spoken))
    return "".join(found)


def _say(report: str, spoken: Language) -> str:
    return spoken.html("sheet", "say", answer=f"<bdi>{escape(report)}</bdi>")


def _list(device: Device, lines: Sequence[tuple[tuple[int, ...], str]], spoken: Language) -> str:
    """One line for each thing to do; the outcomes that would take longest to name are those that are left, in the last line."""
    told = [(outcomes_texts(device, outcomes, spoken), action) for outcomes, action in lines]
    longest = max(range(len(told)), key=lambda line: len(told[line][0]))
    if len(told) > 1 and len(told[longest][0]) > _MOST_NAMED:
        told.append(([spoken.text("sheet", "otherwise")], told.pop(longest)[1]))
    between = "; " if any("," in text for texts, _ in told for text in texts) else ", "
    shown = ((f'<span class="outcomes">{hard_spaces(escape(between.join(texts)))}</span>', action) for texts, action in told)
    items = "".join(f"<li>{spoken.html('sheet', 'line', outcomes=outcomes, action=action)}</li>" for outcomes, action in shown)
    return f"<ul>{items}</ul>"


def _disc(device: Device) -> str:
    """A disc of numbered sectors, the first from the top clockwise."""
    whole, at = device.whole, 0
    parts = []
    for (number,), chances in zip(device.outcomes, device.chances, strict=True):
        start, middle = at / whole, (at + chances / 2) / whole
        at += chances
        x, y = _at(start, 48)
        parts.append(f'<line x1="50" y1="50" x2="{x}" y2="{y}" stroke="#000" stroke-width="0.6"/>')
        x, y = _at(middle, 36)
        parts.append(f'<text x="{x}" y="{y}">{number}</text>')
    rim = '<circle cx="50" cy="50" r="48" fill="none" stroke="#000" stroke-width="0.8"/><circle cx="50" cy="50" r="1"/>'
    return f'<svg class="spinner" viewBox="0 0 100 100" aria-hidden="true">{rim}{"".join(parts)}</svg>'


def _at(turn: float, radius: float) -> tuple[str, str]:
    """Coordinates at part ``turn`` of the way around, clockwise from the top."""
    angle = 2 * math.pi * turn
    return f"{50 + radius * math.sin(angle):.3f}", f"{50 - radius * math.cos(angle):.3f}"
