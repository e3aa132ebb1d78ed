"""The screens of the form as HTML, with one function for each screen."""

from collections.abc import Callable, Mapping, Sequence
from html import escape

from rrcore.asking.content import Form
from rrcore.asking.languages import Language, whole_of_100
from rrcore.asking.picture import is_declining
from rrcore.asking.script_data import as_html, practice_question
from rrcore.asking.shared_parts import is_exposed, promise_entries

_MAX_RADIOS = 12  # questions with more categories have a list
_COLUMNS = 20  # people in a row of the picture


def screens_of(form: Form) -> str:
    """Return all screens as HTML."""
    steps = form.steps
    return "\n".join(SCREENS[name](form, _step(form, steps, name)) for name in steps)


def _step(form: Form, steps: Sequence[str], name: str) -> str:
    """Return the number of a screen, such as "Step 2 of 5", as HTML."""
    return form.lang.html("form", "step", number=str(1 + steps.index(name)), all=str(len(steps)))


def footer_of(form: Form) -> str:
    """Return the footer of every screen.

    The footer shows the fingerprint. If the form begins with a picture, a button opens all exact numbers.
    """
    identity = (
        f"<p>{form.sentences['say_fingerprint']} <code>{form.mechanism.sha256}</code></p><p>{form.sentences['say_check']}</p>"
    )
    if not form.screens.picture:
        return identity
    return f'<details id="numbers"><summary>{form.sentences["say_technical"]}</summary>\n{_exact(form)}\n{identity}\n</details>'


def interviewer_of(form: Form) -> str:
    """Return the interviewer's header of every screen, if the device is passed on."""
    return form.fill("interviewer", language=form.lang.code, direction=form.lang.direction) if form.screens.interviewer else ""


def _before(form: Form, step: str) -> str:
    introduction, hidden = escape(form.translated[1]) or "&nbsp;", "" if form.translated[1] else " hidden"
    protects = form.screens.picture and form.mechanism.certificate.epsilon_total is not None
    return form.fill(
        "before",
        step=step,
        introduction=f'<p class="introduction" dir="auto"{hidden}>{introduction}</p>' if form.introduced else "",
        heading=form.sentences["say_explained" if protects else "say_before"],
        explanation=_pictured(form) if form.screens.picture else _exact(form),
        exposed=f'<p class="notice">{form.sentences["say_exposed"]}</p>\n' if is_exposed(form.origin) else "",
        code=form.fill("code") + "\n" if form.invited else "",
    )


def _pictured(form: Form) -> str:
    """Return the explanation with the picture, and a sentence about the team's guess."""
    about, lang, say = form.picture, form.lang, form.sentences
    sure = say["say_some_sure" if form.mechanism.certificate.epsilon_total is None else "say_nobody_sure"]
    if about is None:
        return f"<p>{say['say_chance_decides']}</p>\n<p>{say['say_not_an_answer']}</p>\n<p>{sure}</p>{form.exception}"
    named = form.named
    guess = lang.counting("form", "guess", about.mistaken, common=about.common, **named) if about.common else ""
    sent = whole_of_100(about.share)
    return form.fill(
        "picture",
        wording=form.wording,
        statement=as_html(lang.counting("form", "picture", about.share, **named)),
        sent="".join(map(_person, range(sent))),
        unsent="".join(map(_person, range(sent, 100))),
        number_sent=str(sent),
        answer=escape(named["answer"]),
        number_unsent=str(100 - sent),
        rest=escape(named["other"]) if len(form.shown[about.place]) == 2 else say["say_something_else"],
        sure=sure,
        guess=f'<p dir="auto">{as_html(guess)}</p>' if guess else "",
        exception=form.exception,
    )


def _person(number: int) -> str:
    """Return the outline of one of 100 people, in five rows of twenty with a gap in the middle."""
    row, column = divmod(number, _COLUMNS)
    x, y = 16 * column + 8 * (column >= _COLUMNS // 2), 21 * row
    return f"M{x + 4} {y + 5}a4 4 0 1 1 8 0a4 4 0 1 1-8 0M{x + 2} {y + 18}v-3a6 5 0 0 1 12 0v3z"


def _exact(form: Form) -> str:
    """Return the long explanation with all limits."""
    way = "sent" if form.origin else "taken"
    further = [form.lang.text("form", "total_without")] if form.unrandomized else []
    return form.fill(
        "exact",
        leaving=form.lang.html("form", f"leaves_{way}", host=_host(form)),
        numbers="\n".join(promise_entries(form.mechanism, form.wordings[: form.randomized], form.lang, further)),
        exception=form.exception,
    )


def _practice(form: Form, step: str) -> str:
    return form.fill("practice", step=step, question=_choices("practice", *practice_question(form), form.lang))


def _questions(form: Form, step: str) -> str:
    as_is = f'<p class="as-is">{form.sentences["say_sent_as_is"]}</p>'
    asked = (
        _choices(
            str(i),
            f'<span class="number">{number}.</span> <span id="wording{i}" dir="auto">{escape(form.wordings[i])}</span>',
            form.asked.attributes[i].categories,
            form.lang,
            shown=form.shown[i],
            note=as_is if i >= form.randomized else "",
        )
        for number, i in enumerate(form.places, 1)
    )
    say = form.sentences
    return form.fill(
        "questions",
        step=step,
        heading=say["say_practice_mine" if len(form.places) == 1 else "say_questions"],
        questions="\n".join(asked),
        count=str(len(form.places)),
        once=say["say_once"],
    )


def _report(form: Form, step: str) -> str:
    say = form.sentences
    way = "sent" if form.origin else "taken"
    return form.fill(
        "report",
        step=step,
        exception=form.exception,
        doubt=say["say_doubt_some" if None in form.mechanism.certificate.epsilon else "say_doubt_any"],
        gone=say["say_gone"],
        choices=form.lang.html("form", f"choices_{way}", host=_host(form)),
        send=f'<button type="button" id="send" class="main">{say["say_send"]}</button>\n' if form.origin else "",
        hand_on=form.fill("hand_on") if form.screens.interviewer else "",
    )


SCREENS: Mapping[str, Callable[[Form, str], str]] = {
    "before": _before,
    "practice": _practice,
    "questions": _questions,
    "report": _report,
}
"""The screens in order: name -> function that returns the HTML from the form and the number of the step."""


def _host(form: Form) -> str:
    """Return the host that receives answers, as HTML."""
    return escape(form.origin.partition("://")[2])


def _choices(
    key: str, asked: str, categories: Sequence[str], lang: Language, *, shown: Sequence[str] = (), note: str = ""
) -> str:
    """Return one question with its answers, as HTML.

    The answers are as ``shown``. The option not to answer is separate, below the others. The ``note`` is HTML above the
    answers.
    """
    apart = " unrandomized" if note else ""
    missing = note + f'<p class="missing" id="missing{key}" hidden>{lang.html("form", "choose_one")}</p>'
    texts = shown or categories
    ordered = sorted(enumerate(categories), key=lambda entry: is_declining(entry[1]))
    if len(categories) > _MAX_RADIOS:
        options = "".join(f'<option value="{code}">{escape(texts[code])}</option>' for code, _ in ordered)
        return (
            f'<div class="question{apart}" id="question{key}"><label for="list{key}">{asked}</label>{missing}'
            f'<select id="list{key}" name="q{key}" required autocomplete="off" aria-describedby="missing{key}">'
            f'<option value="">{lang.html("form", "choose")}</option>{options}</select></div>'
        )
    radios = "".join(
        f'<label class="choice{" declining" if is_declining(category) else ""}">'
        f'<input type="radio" name="q{key}" value="{code}" required autocomplete="off">'
        f'<span dir="auto">{escape(texts[code])}</span></label>'
        for code, category in ordered
    )
    return (
        f'<fieldset class="choices{apart}" id="question{key}" role="radiogroup" aria-required="true" aria-describedby="missing{key}">'
        f"<legend>{asked}</legend>"
        f"{missing}{radios}</fieldset>"
    )
