"""Data for the script of a form.

The data contain the practice question, notes about reports, and the texts of each language.
"""

from html import escape

from rrcore.asking.content import Form
from rrcore.asking.languages import hard_spaces
from rrcore.asking.picture import declining_words, real_categories, report_notes


def script_texts(form: Form) -> dict[str, object]:
    """Return the texts of the script in one language."""
    mechanism, lang = form.mechanism, form.lang
    randomized = range(form.randomized)
    notes = [report_notes(mechanism, i, lang, form.shown[i]) if form.screens.picture else [] for i in randomized]
    reported = zip(mechanism.schema.attributes, mechanism.reports.attributes, form.shown, strict=False)
    shown = [own if report == asked else [lang.reported(each) for each in report.categories] for asked, report, own in reported]
    shown += form.shown[len(shown) :]
    return {
        "title": form.translated[0],
        "direction": lang.direction,
        "practice": practice_question(form)[1] if "practice" in form.steps else [],
        "notes": [*notes, *([lang.text("form", "sent_as_is")] for _ in form.unrandomized)],
        "shown": shown,
        "texts": _required(form),
    }


_REQUIRED = {
    "sending sent sent_to error_from unconfirmed closed paused too_many invitation_failed invitation_unanswered": "origin",
    "invitation_missing invitation_used invitation_unknown": "invited",
}
"""Texts of the script -> the property of the form that they need."""


def _required(form: Form) -> dict[str, str]:
    """Return the texts that the script of this form can show."""
    unused = {key for keys, needed in _REQUIRED.items() if not getattr(form, needed) for key in keys.split()}
    return {key: text for key, text in form.lang.sections["script"].items() if key not in unused}


def practice_question(form: Form) -> tuple[str, list[str]]:
    """Return the practice question as HTML, with its answers.

    The practice question has one answer for each answer to the question of the picture.
    """
    about, say = form.picture, form.lang.sections["form"]
    assert about is not None
    asked = form.mechanism.schema.attributes[about.place]
    real = real_categories(asked)
    binary = len(real) == 2
    numbers = iter(range(1, asked.size + 1))
    answers = [
        declining_words(form.lang)
        if code not in real
        else (say["practice_yes" if code == about.answer else "practice_no"] if binary else str(next(numbers)))
        for code in range(asked.size)
    ]
    return form.sentences["say_practice_question" if binary else "say_practice_number"], answers


def practice_data(form: Form) -> dict[str, object]:
    """Return the mechanism of the practice question.

    The mechanism has one attribute and the probabilities of the picture's question.
    """
    about = form.picture
    if "practice" not in form.steps or about is None:
        return {}
    attribute = {"name": "practice", "categories": practice_question(form)[1]}
    return {"attributes": [attribute], "randomization": [{"attributes": ["practice"], **about.chances.alone}]}


def as_html(text: str) -> str:
    """Return a text as HTML, with its non-breaking spaces."""
    return hard_spaces(escape(text, quote=False))
