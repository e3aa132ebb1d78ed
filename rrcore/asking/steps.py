"""The screens of the respondents' form as HTML, in their order: one function each, so that a further one is a further entry."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from string import Template

from rrcore.asking.languages import Language, hard_spaces, whole_of_100
from rrcore.asking.page import answer_promises, asset, limit
from rrcore.asking.picture import Picture, declining_words, is_declining, picture_of, real_categories
from rrcore.asking.screens import Screens
from rrcore.promise.mechanism_file import MechanismFile

_MAX_RADIOS = 12  # most categories shown as radio buttons; more make a list to choose from
_COLUMNS = 20  # people in a row of the picture

_CODE = (
    '<p class="code"><label for="code">$say_code</label> <input id="code" autocomplete="off" autocapitalize="characters" '
    'spellcheck="false" maxlength="40" aria-describedby="apart uninvited"></p>\n<p id="apart">$say_code_apart</p>\n'
    '<p id="uninvited" class="notice" role="alert" hidden></p>\n'
)


@dataclass(frozen=True)
class Form:
    """What the screens are made of.

    Parameters
    ----------
    mechanism, introduction, memory, screens : as in ``respondent_form``
    lang : Language
    wordings : how each attribute is asked, in the order of the mechanism file
    places : positions of the attributes in the order in which they are asked
    origin : of the address that answers are sent to; empty for none
    invited : whether a code is asked for
    redrawn : whether what is remembered is redrawn in every wave
    """

    mechanism: MechanismFile
    lang: Language
    wordings: Sequence[str]
    places: Sequence[int]
    introduction: str = ""
    origin: str = ""
    invited: bool = False
    memory: bool = False
    redrawn: bool = False
    screens: Screens = field(default_factory=Screens)

    @cached_property
    def picture(self) -> Picture | None:
        """What picture, practice and check are about."""
        return picture_of(self.mechanism, self.screens, self.places)

    @property
    def kept(self) -> str:
        """How the keys end of sentences about what the device remembers."""
        return "_stages" if self.redrawn else "_memory" if self.memory else ""

    @property
    def steps(self) -> list[str]:
        """The names of the screens that the form has, in their order."""
        about = self.picture
        wanted = {
            "practice": self.screens.practice and about is not None,
            "quiz": self.screens.check and about is not None and about.share > 0,
        }
        return [name for name in SCREENS if wanted.get(name, True)]

    @cached_property
    def sentences(self) -> dict[str, str]:
        """All sentences of the form that have no placeholders, as HTML, each called say_ and its key."""
        return {f"say_{key}": self.lang.html("form", key) for key, text in self.lang.sections["form"].items() if "{" not in text}

    def fill(self, name: str, **values: str) -> str:
        """A file of assets/screens with the sentences and ``values`` in it."""
        return Template(asset(f"screens/{name}.html")).substitute(self.sentences, **values).rstrip("\n")


def screens_of(form: Form) -> str:
    """All screens as HTML."""
    steps = form.steps
    told = (form.lang.html("form", "step", number=str(number), all=str(len(steps))) for number in range(1, len(steps) + 1))
    return "\n".join(SCREENS[name](form, step) for name, step in zip(steps, told, strict=True))


def footer_of(form: Form) -> str:
    """What stands below every screen: the fingerprint, and one press away, where the form begins with a picture, all exact numbers."""
    identity = (
        f"<p>{form.sentences['say_fingerprint']} <code>{form.mechanism.sha256}</code></p><p>{form.sentences['say_check']}</p>"
    )
    if not form.screens.picture:
        return identity
    return f'<details id="numbers"><summary>{form.sentences["say_technical"]}</summary>\n{_exact(form)}\n{identity}\n</details>'


def interviewer_of(form: Form) -> str:
    """What the interviewer has above every screen, where the device is handed on."""
    return form.fill("interviewer") if form.screens.interviewer else ""


def _before(form: Form, step: str) -> str:
    code = Template(_CODE).substitute(form.sentences) if form.invited else ""
    introduction = form.introduction.strip()
    remembers = f"<p>{form.sentences[f'say_remembers_short{form.kept}']}</p>" if form.memory else ""
    protects = form.screens.picture and form.mechanism.certificate.total is not None
    return form.fill(
        "before",
        step=step,
        introduction=f'<p class="introduction" dir="auto">{escape(introduction)}</p>' if introduction else "",
        heading=form.sentences["say_explained" if protects else "say_before"],
        explanation=f"{_pictured(form)}\n{remembers}" if form.screens.picture else _exact(form),
        forgetful=f'<p id="forgetful" class="notice" hidden>{form.sentences["say_forgetful"]}</p>' if form.memory else "",
        code=code,
    )


def _pictured(form: Form) -> str:
    """Three sentences, the second with its picture, and what follows from the team's guess."""
    about, lang, say = form.picture, form.lang, form.sentences
    sure = say["say_some_sure" if form.mechanism.certificate.total is None else "say_nobody_sure"]
    if about is None:
        return f"<p>{say['say_chance_decides']}</p>\n<p>{say['say_told_nothing']}</p>\n<p>{sure}</p>"
    categories = form.mechanism.schema.attributes[about.place].categories
    named = {"answer": categories[about.answer], "other": categories[about.other]}
    guess = lang.counting("form", "guess", about.mistaken, common=about.common, **named) if about.common else ""
    sent = whole_of_100(about.share)
    return form.fill(
        "picture",
        wording=_wording(form),
        told=_html(lang.counting("form", "picture", about.share, **named)),
        sent="".join(map(_person, range(sent))),
        unsent="".join(map(_person, range(sent, 100))),
        number_sent=str(sent),
        answer=escape(named["answer"]),
        number_unsent=str(100 - sent),
        rest=escape(named["other"]) if len(categories) == 2 else say["say_something_else"],
        sure=sure,
        guess=f'<p dir="auto">{_html(guess)}</p>' if guess else "",
    )


def _person(number: int) -> str:
    """The outline of one of 100 people: five rows of twenty, ten and ten."""
    row, column = divmod(number, _COLUMNS)
    x, y = 16 * column + 8 * (column >= _COLUMNS // 2), 21 * row
    return f"M{x + 4} {y + 5}a4 4 0 1 1 8 0a4 4 0 1 1-8 0M{x + 2} {y + 18}v-3a6 5 0 0 1 12 0v3z"


def _exact(form: Form) -> str:
    """All that is promised, in words and numbers."""
    way = "sent" if form.origin else "taken"
    return form.fill(
        "exact",
        leaving=form.lang.html("form", f"leaves_{way}", host=_host(form)),
        remembers=f"<p>{form.sentences[f'say_remembers{form.kept}']}</p>" if form.memory else "",
        numbers="\n".join(_numbers(form.mechanism, form.wordings, form.lang)),
    )


def _practice(form: Form, step: str) -> str:
    return form.fill("practice", step=step, question=_choices("practice", *_practised(form), form.lang))


def _practised(form: Form) -> tuple[str, tuple[str, ...]]:
    """The harmless question as HTML, and its answers, one for each of the question that the picture is about."""
    about, say = form.picture, form.lang.sections["form"]
    assert about is not None
    asked = form.mechanism.schema.attributes[about.place]
    real = real_categories(asked)
    binary = len(real) == 2
    numbers = iter(range(1, asked.size + 1))
    answers = tuple(
        declining_words(form.lang)
        if code not in real
        else (say["practice_yes" if code == about.answer else "practice_no"] if binary else str(next(numbers)))
        for code in range(asked.size)
    )
    return form.sentences["say_practice_question" if binary else "say_practice_number"], answers


def _quiz(form: Form, step: str) -> str:
    question = _html(form.lang.text("form", "quiz_question", answer=_answer(form)))
    return form.fill("quiz", step=step, question=question, wording=_wording(form))


def _questions(form: Form, step: str) -> str:
    asked = (
        _choices(
            str(i),
            f'<span class="number">{number}.</span> <span id="wording{i}" dir="auto">{escape(form.wordings[i])}</span>',
            form.mechanism.schema.attributes[i].categories,
            form.lang,
        )
        for number, i in enumerate(form.places, 1)
    )
    once = form.sentences[f"say_once{form.kept}"]
    return form.fill("questions", step=step, questions="\n".join(asked), count=str(len(form.places)), once=once)


def _report(form: Form, step: str) -> str:
    say = form.sentences
    way = "sent" if form.origin else "taken"
    return form.fill(
        "report",
        step=step,
        doubt=say["say_doubt_some" if None in form.mechanism.certificate.levels else "say_doubt_any"],
        gone=say[f"say_gone{form.kept}"],
        choices=form.lang.html("form", f"choices_{way}", host=_host(form)),
        send=f'<button type="button" id="send" class="main">{say["say_send"]}</button>\n' if form.origin else "",
        hand_on=form.fill("hand_on") if form.screens.interviewer else "",
        forget=_forget(say) if form.memory else "",
    )


SCREENS: Mapping[str, Callable[[Form, str], str]] = {
    "before": _before,
    "practice": _practice,
    "quiz": _quiz,
    "questions": _questions,
    "report": _report,
}
"""The screens in the order in which respondents see them: name -> what makes its HTML of the form and "Step 2 of 5"."""


def practice_data(form: Form) -> dict[str, object]:
    """What the practice item draws by: a mechanism of one attribute, as in a mechanism file, with the chances of the picture's question."""
    about = form.picture
    if "practice" not in form.steps or about is None:
        return {}
    attribute = {"name": "practice", "categories": list(_practised(form)[1])}
    return {"mechanism": {"attributes": [attribute], "randomization": [{"attributes": ["practice"], **about.chances.alone}]}}


def quiz_data(form: Form) -> dict[str, str]:
    """What is said after either answer to the check question."""
    about, lang = form.picture, form.lang
    if "quiz" not in form.steps or about is None:
        return {}
    categories = form.mechanism.schema.attributes[about.place].categories
    named = {"answer": categories[about.answer], "other": categories[about.other]}
    because = f"{lang.counting('form', 'picture', about.share, **named)} {lang.text('form', 'quiz_because', **named)}"
    return {name: f"{lang.text('form', f'quiz_{name}')} {because}" for name in ("right", "wrong")}


def _answer(form: Form) -> str:
    assert form.picture is not None
    return form.mechanism.schema.attributes[form.picture.place].categories[form.picture.answer]


def _wording(form: Form) -> str:
    """The question that the picture is about."""
    assert form.picture is not None
    return escape(form.wordings[form.picture.place])


def _host(form: Form) -> str:
    return f"<strong>{escape(form.origin.partition('://')[2])}</strong>"


def _html(text: str) -> str:
    return hard_spaces(escape(text, quote=False))


def _forget(say: Mapping[str, str]) -> str:
    """The button that has the device forget, and what it says then."""
    told = f'<span id="forgotten" role="status" hidden>{say["say_forgotten"]}</span>'
    button = f'<button type="button" id="forget">{say["say_forget"]}</button>'
    return f'<p>{say["say_forget_when"]}</p>\n<p class="buttons">{button} {told}</p>'


def _numbers(mechanism: MechanismFile, wordings: Sequence[str], lang: Language) -> Iterator[str]:
    """What the mechanism promises: what holds for every answer once, the rest once for all questions that share it, then the record."""
    own: list[tuple[str, ...]] = list(answer_promises(mechanism, lang))
    if len(own) > 1:
        common = [len(set(sentences)) == 1 for sentences in zip(*own, strict=True)]
        if everywhere := [sentence for sentence, shared in zip(own[0], common, strict=True) if shared and sentence]:
            yield _entry([lang.text("form", "each_answer")], everywhere)
        own = [tuple("" if shared else text for text, shared in zip(texts, common, strict=True)) for texts in own]
    alike: dict[tuple[str, ...], list[str]] = {}
    for wording, texts in zip(wordings, own, strict=True):
        alike.setdefault(texts, []).append(wording)
    for texts, questions in alike.items():
        if any(texts):
            yield _entry(questions, [text for text in texts if text])
    yield _entry([lang.text("form", "whole_record")], [limit("total", mechanism.certificate.total, lang)])


def _entry(terms: Sequence[str], sentences: Sequence[str]) -> str:
    return (
        "<div>"
        + "".join(f'<dt dir="auto">{escape(term)}</dt>' for term in terms)
        + f"<dd>{_html(' '.join(sentences))}</dd></div>"
    )


def _choices(key: str, asked: str, categories: Sequence[str], lang: Language) -> str:
    """One question with its answers; the category of people who prefer not to answer stands apart, below the others."""
    missing = f'<p class="missing" id="missing{key}" hidden>{lang.html("form", "choose_one")}</p>'
    ordered = sorted(enumerate(categories), key=lambda entry: is_declining(entry[1]))
    if len(categories) > _MAX_RADIOS:
        options = "".join(f'<option value="{code}">{escape(category)}</option>' for code, category in ordered)
        return (
            f'<div class="question" id="question{key}"><label for="list{key}">{asked}</label>{missing}'
            f'<select id="list{key}" name="q{key}" required autocomplete="off" aria-describedby="missing{key}">'
            f'<option value="">{lang.html("form", "choose")}</option>{options}</select></div>'
        )
    radios = "".join(
        f'<label class="choice{" declining" if is_declining(category) else ""}">'
        f'<input type="radio" name="q{key}" value="{code}" required autocomplete="off">'
        f'<span dir="auto">{escape(category)}</span></label>'
        for code, category in ordered
    )
    return (
        f'<fieldset id="question{key}" role="radiogroup" aria-required="true" aria-describedby="missing{key}"><legend>{asked}</legend>'
        f"{missing}{radios}</fieldset>"
    )
