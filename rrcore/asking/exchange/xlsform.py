"""The survey as an XLSForm, the workbook that ODK, KoboToolbox and Enketo make their forms from.

The true answers are asked in a group of their own. When the respondent confirms, each reported answer is calculated once from the true
one and from chance; as soon as all of them are there, the group is no longer relevant, and what is not relevant is not submitted (ODK XForms
specification, "relevant"). The draws are in that group as well: with a draw and a reported answer one could tell the true one. Reported
answers are set by the event of confirming and not as a calculation that follows the true answers, so that they stay when these go. They
are required: a program that does not know such events cannot submit the form, with the true answers still in it. What is submitted is
filled up to one length, since an encrypted connection hides what is sent and not how much.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rrcore.asking.exchange.draws import HALF_DRAW, below, check_drawable, chosen, listed, position
from rrcore.asking.languages import Language
from rrcore.asking.languages import language as language_of
from rrcore.asking.page import question_wordings
from rrcore.asking.translation import AS_TYPED, Translation
from rrcore.asking.unrandomised import all_asked
from rrcore.errors import InputError, need
from rrcore.limits import MAX_TEXT
from rrcore.promise.coder import choice_names, question_names
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.weights import LieWeights
from rrcore.table.schema import Attribute, Schema

RANDOMNESS = (
    "Chance in such a form is the device's ordinary random number generator, which is good enough for statistics but not made to keep "
    "secrets: somebody who controls the device, or watches it while the form is filled in, can find the true answers out. What is submitted "
    "holds neither the true answers nor the draws."
)
"""How good the randomness of such a form is, in plain words."""

_LONGEST_CELL = 32_000  # characters; a workbook holds 32,767
_UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

Row = dict[str, str]


def xlsform(
    mechanism: MechanismFile,
    *,
    title: str,
    introduction: str = "",
    questions: Mapping[str, str] = {},
    languages: Sequence[str] = ("en",),
    unrandomised: Sequence[Attribute] = (),
    translations: Mapping[str, Translation] = {},
) -> bytes:
    """The survey as an XLSForm (.xlsx), to be uploaded to ODK Central, KoboToolbox or an Enketo server.

    Parameters
    ----------
    mechanism, title, introduction, questions, unrandomised, translations : as in ``respondent_form``
        Unrandomised questions stand before the others, with a hint that says so.
    languages : keys of ``rrcore.asking.LANGUAGES``, the first one the form's own
        What is given here and the categories stand in the column of every language as they are translated, or to be translated there.

    Raises
    ------
    InputError
        For texts that a form cannot hold, or a mechanism that it cannot draw (``check_drawable``).

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> from rrcore.asking.exchange import xlsform
    >>> xlsform(nigeria().mechanism, title="Survey", languages=["en", "fr"])[:2]
    b'PK'
    """
    check_drawable(mechanism)
    if not languages:
        raise InputError("The form has no language: choose at least one.")
    texts = [language_of(code) for code in languages]
    asked = all_asked(mechanism.schema, unrandomised)
    typed = [_Typed.of(translations.get(code, AS_TYPED), asked, title, introduction, questions) for code in languages]
    attributes = *asked.attributes, *mechanism.reports.attributes
    for text in [title, *(c for each in attributes for c in each.categories), *(text for own in typed for text in own.texts)]:
        if _UNWRITABLE.search(text) or "${" in text or len(text) > 4 * MAX_TEXT:
            raise InputError(
                f"The text {text[:40]!r} cannot stand in an XLSForm: leave out '${{' and signs that cannot be printed."
            )
    survey = list(_survey(mechanism, asked, typed, texts))
    longest = max(len(text) for row in survey for text in row.values())
    if longest > _LONGEST_CELL:
        raise InputError(
            "This mechanism is too large for an XLSForm, whose formulas have to fit into one cell each: choose Kronecker, or hand out the "
            "respondents' form."
        )
    settings = {
        "form_title": texts[0].title(title.strip()),
        "form_id": f"rr_{mechanism.sha256[:12]}",
        "version": mechanism.sha256[:12],
        "default_language": _tag(texts[0]),
    }
    return _workbook({"survey": survey, "choices": list(_choices(mechanism, asked, typed, texts)), "settings": [settings]})


@dataclass(frozen=True)
class _Typed:
    """What the team typed, in one language: the introduction, how each attribute is asked, and its categories."""

    introduction: str
    wordings: list[str]
    shown: list[tuple[str, ...]]

    @classmethod
    def of(cls, typed: Translation, asked: Schema, title: str, introduction: str, questions: Mapping[str, str]) -> _Typed:
        told, above, worded = typed.over(title, introduction, questions)
        return cls(above.strip(), question_wordings(asked, told, worded, above), [typed.shown(each) for each in asked.attributes])

    @property
    def texts(self) -> Iterator[str]:
        """All of it."""
        yield from (self.introduction, *self.wordings)
        for texts in self.shown:
            yield from texts


def _survey(mechanism: MechanismFile, asked: Schema, typed: list[_Typed], texts: list[Language]) -> Iterator[Row]:
    every = question_names(asked)
    names, beside = every[: len(mechanism.schema.names)], every[len(mechanism.schema.names) :]
    wordings = [list(each) for each in zip(*(own.wordings for own in typed), strict=True)]
    if any(own.introduction for own in typed):
        yield {"type": "note", "name": "rr_introduction"} | _repeated("label", [own.introduction for own in typed], texts)
    explanation = "explanation_some_sure" if mechanism.certificate.total is None else "explanation"
    yield {"type": "note", "name": "rr_explanation"} | _translated("label", explanation, texts)
    for i, name in enumerate(beside, len(names)):
        asked_as = {"type": f"select_one list_{i + 1}", "name": name, "required": "yes"}
        yield asked_as | _repeated("label", wordings[i], texts) | _translated("hint", "sent_as_is", texts, "form")
    yield {"type": "begin_group", "name": "rr_private", "relevant": "${rr_done} = ''"} | _translated("label", "private", texts)
    for i, name in enumerate(names):
        asked_as = {"type": f"select_one list_{i + 1}", "name": f"{name}_true", "required": "yes"}
        yield asked_as | _repeated("label", wordings[i], texts)
    formulas: dict[str, str] = {}
    for group, (places, weights) in enumerate(mechanism.groups, 1):
        own = [(f"{names[place]}_true", choice_names(mechanism.schema.attributes[place])) for place in places]
        if weights.rows is not None:
            yield from _draw_rows(f"rr_{group}")
            reports = choice_names(mechanism.reports.attributes[places[0]])
            formulas[names[places[0]]] = _by_row(f"rr_{group}", *own[0], reports, weights.rows)
            continue
        assert isinstance(weights, LieWeights)
        yield from _draw_rows(f"rr_{group}")
        sets = [*(lies for lies, _ in weights.lies), "u" * len(places)]
        which = chosen(f"rr_{group}", [*(weight for _, weight in weights.lies), weights.uniform])
        yield {"type": "calculate", "name": f"rr_{group}_lies", "calculation": listed(sets, which)}
        for i, (true, choices) in enumerate(own):
            if len(choices) > 2 or weights.uniform:
                yield from _draw_rows(f"rr_{group}_{i + 1}")
            formulas[names[places[i]]] = _by_lies(f"rr_{group}", i, true, choices, anew=bool(weights.uniform))
    yield {"type": "end_group"}
    answered = " and ".join(f"${{{name}_true}} != ''" for name in names)
    confirm = {"type": "select_one rr_agreed", "name": "rr_confirm", "required": "yes", "relevant": answered}
    yield confirm | _translated("label", "confirm", texts) | _translated("hint", "confirm_hint", texts)
    yield {"type": "begin_group", "name": "rr_reported", "appearance": "field-list"} | _translated("label", "reported", texts)
    for i, name in enumerate(names):
        kept = f"if(${{{name}}} != '', ${{{name}}}, {formulas[name]})"
        unlike = mechanism.reports.attributes[i] != mechanism.schema.attributes[i]
        reported = {
            "type": f"select_one list_{i + 1}{'_reports' if unlike else ''}",
            "name": name,
            "readonly": "yes",
            "required": "yes",
            "trigger": "${rr_confirm}",
        }
        yield reported | {"calculation": kept} | _repeated("label", wordings[i], texts)
    yield {"type": "end_group"}
    done = " and ".join(f"${{{name}}} != ''" for name in names)
    yield {"type": "calculate", "name": "rr_done", "calculation": f"if({done}, 'yes', '')"}
    submitted = [*mechanism.reports.attributes, *asked.attributes[len(names) :]]
    yield {"type": "calculate", "name": "rr_filled", "calculation": _filled(submitted, every)}
    yield {"type": "calculate", "name": "rr_mechanism", "calculation": f"'{mechanism.sha256}'"}


def _filled(attributes: Sequence[Attribute], names: Sequence[str]) -> str:
    """As many letters as what is submitted is shorter than the longest, and one more: an empty element would be written shorter."""
    longest = 1 + sum(max(map(len, choice_names(attribute))) for attribute in attributes)
    return f"substr('{'x' * longest}', 0, {longest}{''.join(f' - string-length(${{{name}}})' for name in names)})"


def _draw_rows(name: str) -> Iterator[Row]:
    for half in "ab":
        yield {"type": "calculate", "name": f"{name}{half}", "calculation": HALF_DRAW}


def _by_row(drawn: str, true: str, choices: Sequence[str], reports: Sequence[str], rows: Sequence[Sequence[int]]) -> str:
    """The reported answer by the row of the true one."""
    formula = "''"
    for choice, row in reversed(list(zip(choices, rows, strict=True))):
        formula = f"if(${{{true}}} = '{choice}', {listed(reports, chosen(drawn, row))}, {formula})"
    return formula


def _by_lies(group: str, i: int, true: str, choices: Sequence[str], *, anew: bool) -> str:
    """The reported answer as the drawn lie set says: kept, another one, or any."""
    size, own = len(choices), f"{group}_{i + 1}"
    lot = f"substr(${{{group}_lies}}, {i}, {i + 1})"
    shifted = f"({position(true, choices)} + 1 + {below(own, size - 1)}) mod {size}"
    lie = listed(choices, shifted)
    if anew:
        lie = f"if({lot} = '1', {lie}, {listed(choices, below(own, size))})"
    return f"if({lot} = '0', ${{{true}}}, {lie})"


def _choices(mechanism: MechanismFile, asked: Schema, typed: list[_Typed], texts: list[Language]) -> Iterator[Row]:
    reports = (*mechanism.reports.attributes, *asked.attributes[len(mechanism.schema.names) :])
    for i, (true, reported) in enumerate(zip(asked.attributes, reports, strict=True)):
        labels = zip(choice_names(true), *(own.shown[i] for own in typed), strict=True)
        for name, *shown in labels:
            yield {"list_name": f"list_{i + 1}", "name": name} | _repeated("label", shown, texts)
        for name, report in zip(choice_names(reported), reported.categories, strict=True) if reported != true else ():
            shown = [own.reported(report) for own in texts]
            yield {"list_name": f"list_{i + 1}_reports", "name": name} | _repeated("label", shown, texts)
    yield {"list_name": "rr_agreed", "name": "yes"} | _translated("label", "agreed", texts)


def _tag(texts: Language) -> str:
    return f"{texts.name} ({texts.code})"


def _translated(column: str, key: str, texts: Sequence[Language], section: str = "xlsform") -> Row:
    """One of our own texts in every language."""
    return {f"{column}::{_tag(each)}": each.text(section, key) for each in texts}


def _repeated(column: str, typed: Sequence[str], texts: Sequence[Language]) -> Row:
    """What the team typed, in every language."""
    return {f"{column}::{_tag(each)}": text for each, text in zip(texts, typed, strict=True)}


def _workbook(sheets: Mapping[str, Sequence[Row]]) -> bytes:
    openpyxl = need("openpyxl", "An XLSForm")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        columns = list(dict.fromkeys(name for row in rows for name in row))
        for number, values in enumerate([dict(zip(columns, columns, strict=True)), *rows], 1):
            for place, column in enumerate(columns, 1):
                if text := values.get(column, ""):
                    cell = sheet.cell(number, place, text)
                    cell.data_type = "s"  # a text that begins with = is no formula of the workbook
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()
