"""Sheets to print: one page for the interviewer, and a card to cut out for each question."""

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from string import Template

from rrcore.asking.languages import Language, hard_spaces
from rrcore.asking.languages import language as language_of
from rrcore.asking.page import answer_promises, asset, policy, question_wordings
from rrcore.asking.paper.devices import Device
from rrcore.asking.paper.nearest import PaperQuestion, PaperSurvey
from rrcore.errors import InputError

PAPERS: Mapping[str, tuple[str, str]] = {"a4": ("A4", "210mm"), "letter": ("letter", "216mm")}
"""Size of paper -> (its name in CSS, its width)."""

_RUN = 3  # numbers in a row that are written as a range
_SUITS = 4
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
    lang = language_of(language)
    wordings = question_wordings(survey.mechanism.schema, title, questions)
    size, width = PAPERS[paper]
    style = Template(asset("sheet.css")).substitute(paper=size, width=width)
    texts = lang.sections["sheet"]
    return Template(asset("sheet.html")).substitute(
        {f"say_{key}": lang.html("sheet", key) for key, text in texts.items() if "{" not in text},
        language=lang.code,
        policy=policy(style),
        style=style,
        title=escape(lang.title(title.strip())),
        rows="\n".join(
            _row(survey, question, place, wording, " ".join(promised).strip(), lang)
            for place, (question, wording, promised) in enumerate(
                zip(survey.questions, wordings, answer_promises(survey.mechanism, lang), strict=True)
            )
        ),
        cards="\n".join(
            _card(survey, question, place, wording, lang)
            for place, (question, wording) in enumerate(zip(survey.questions, wordings, strict=True))
        ),
        sha256=survey.mechanism.sha256,
    )


def _row(survey: PaperSurvey, question: PaperQuestion, place: int, wording: str, promised: str, lang: Language) -> str:
    answers = ", ".join(f"<bdi>{escape(category)}</bdi>" for category in survey.mechanism.reports.attributes[place].categories)
    several = len({each.device.key for each in survey.questions}) > 1
    device = f"<p>{_use(question.device, lang)}</p>" if several else ""
    return (
        f'<tr><td><p dir="auto">{place + 1}. {escape(wording)}</p><p>{lang.html("sheet", "answers", answers=answers)}</p></td>'
        f"<td>{device}{_lists(survey, question, place, lang)}</td><td>{_promise(question, promised, lang)}</td></tr>"
    )


def _promise(question: PaperQuestion, promised: str, lang: Language) -> str:
    sentences = hard_spaces(escape(promised, quote=False))
    if question.exact:
        near = lang.html("sheet", "exactly")
    elif math.isfinite(question.cost):
        near = lang.html("sheet", "not_exactly", factor=lang.number(f"{question.cost:.2f}"))
    else:
        near = lang.html("sheet", "not_readable")
    return f"<p>{sentences}</p><p>({near})</p>"


def _card(survey: PaperSurvey, question: PaperQuestion, place: int, wording: str, lang: Language) -> str:
    device, comfort = question.device, lang.html("sheet", "safe") if survey.levels[place] is not None else ""
    drawn = _disc(device) + f'<p class="safe">{lang.html("sheet", "disc")}</p>' if device.key == "spinner" else ""
    return (
        f'<article class="card"><h2>{lang.html("sheet", "card")}</h2><p class="asked" dir="auto">{escape(wording)}</p>'
        f"<p>{_use(device, lang)} {lang.html('sheet', 'secret')}</p>{_lists(survey, question, place, lang)}"
        f'<p class="safe">{comfort}</p>{drawn}</article>'
    )


def _use(device: Device, lang: Language) -> str:
    kind, _, number = device.key.partition("-")
    return lang.html("sheet", kind, number=number) if number else lang.html("sheet", kind)


def _lists(survey: PaperSurvey, question: PaperQuestion, place: int, lang: Language) -> str:
    """What to say at which outcome, once or for each true answer."""
    categories = survey.mechanism.schema.attributes[place].categories
    reports = survey.mechanism.reports.attributes[place].categories
    found = []
    for true, steps in enumerate(question.said):
        says = [lang.html("sheet", "say", answer=f"<bdi>{escape(report)}</bdi>") for report in reports]
        lines = [(outcomes, say) for outcomes, say in zip(steps, says, strict=True) if outcomes]
        if question.truth:
            lines.append((question.truth, lang.html("sheet", "truth")))
        else:
            found.append(f"<p>{lang.html('sheet', 'if_true', answer=escape(categories[true]))}</p>")
        found.append(_list(question.device, sorted(lines), lang))
    return "".join(found)


def _list(device: Device, lines: Sequence[tuple[tuple[int, ...], str]], lang: Language) -> str:
    """One line for each thing to do; the outcomes that would take longest to name are those that are left, in the last line."""
    rules = [(outcomes_texts(device, outcomes, lang), action) for outcomes, action in lines]
    longest = max(range(len(rules)), key=lambda line: len(rules[line][0]))
    if len(rules) > 1 and len(rules[longest][0]) > _MOST_NAMED:
        rules.append(([lang.text("sheet", "otherwise")], rules.pop(longest)[1]))
    between = "; " if any("," in text for texts, _ in rules for text in texts) else ", "
    shown = ((f'<span class="outcomes">{hard_spaces(escape(between.join(texts)))}</span>', action) for texts, action in rules)
    items = "".join(f"<li>{lang.html('sheet', 'line', outcomes=outcomes, action=action)}</li>" for outcomes, action in shown)
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


def outcomes_texts(device: Device, outcomes: Sequence[int], lang: Language) -> list[str]:
    """The ``outcomes`` (positions, increasing) of ``device`` in words; numbers in a row and the four cards of a rank together.

    Examples
    --------
    >>> from rrcore.asking.languages import language
    >>> from rrcore.asking.paper import read_device
    >>> from rrcore.asking.paper.sheet import outcomes_texts
    >>> outcomes_texts(read_device("dice"), (0, 3, 4, 5, 6), language("en"))
    ['2', '5 to 8']
    >>> outcomes_texts(read_device("coins-2"), (1, 2), language("es"))
    ['cara, cruz', 'cruz, cara']
    >>> outcomes_texts(read_device("deck"), range(6), language("fr"))
    ['A', '2♠', '2♥']
    """
    labels = [device.outcomes[outcome] for outcome in outcomes]
    if device.key == "deck":
        return list(_playing_cards(labels, lang))
    if device.key.startswith("coin"):
        return [", ".join(lang.text("sheet", side) for side in label) for label in labels]
    return list(_ranges([int(number) for (number,) in labels], lang))


def _ranges(numbers: Sequence[int], lang: Language) -> Iterator[str]:
    for _, own in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        run = [number for _, number in own]
        if len(run) >= _RUN:
            yield lang.text("sheet", "range", first=run[0], last=run[-1])
        else:
            yield from map(str, run)


def _playing_cards(labels: Sequence[tuple[str, ...]], lang: Language) -> Iterator[str]:
    """Ranks of which all suits are meant by their name alone."""
    names = lang.text("sheet", "ranks").split()
    suits: dict[str, list[str]] = {}
    for rank, suit in labels:
        suits.setdefault(rank, []).append(suit)
    for rank, own in suits.items():
        name = names[int(rank) - 1]
        yield from [name] if len(own) == _SUITS else [f"{name}{suit}" for suit in own]
