"""What all that asks people has in common, on a screen or on paper: checked texts, what is promised, and pages that load nothing else."""

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from html import escape
from pathlib import Path

from rrcore.asking.languages import Language, hard_spaces
from rrcore.errors import InputError
from rrcore.limits import MAX_TEXT
from rrcore.promise.certificate import Ratio
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.statement import stated_truthful_shares
from rrcore.table.schema import Schema

_ASSETS = Path(__file__).parent / "assets"


def asset(name: str) -> str:
    """The text of a file in assets/."""
    return (_ASSETS / name).read_text(encoding="utf-8")


def question_wordings(schema: Schema, title: str, questions: Mapping[str, str], introduction: str = "") -> list[str]:
    """How each attribute is asked, in their order: by its name where ``questions`` has nothing for it.

    Raises
    ------
    InputError
        For an empty or too long title, a too long question, a question about no attribute, or half a character.
    """
    schema.axes(questions)
    for name, text in questions.items():
        if len(text) > MAX_TEXT:
            raise InputError(f"The question about '{name}' has {len(text)} characters: use at most {MAX_TEXT}.")
    texts = {"title": title, "introduction": introduction} | {
        f"question about '{name}'": text for name, text in questions.items()
    }
    for where, text in texts.items():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise InputError(f"The {where} holds half a character (a lone surrogate): retype it.") from None
    if not title.strip() or len(title) > MAX_TEXT:
        raise InputError(f"The title of the form has {len(title.strip())} characters: give one of 1 to {MAX_TEXT}.")
    return [questions.get(name, "").strip() or name for name in schema.names]


def policy(style: str, scripts: Sequence[str] = (), origin: str = "") -> str:
    """The content security policy of a page: its own style and scripts, requests to ``origin`` where there is one, and nothing else."""
    none = "'none'"
    allowed = f"script-src {' '.join(map(_hash, scripts)) or none}; style-src {_hash(style)}; connect-src {origin or none}"
    return f"default-src {none}; {allowed}; form-action {none}; base-uri {none}"


def _hash(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode('utf-8')).digest()).decode('ascii')}'"


def is_exposed(origin: str) -> bool:
    """Whether what comes from there, and goes there, can be read and changed on the way."""
    host = origin.removeprefix("http://").partition(":")[0]
    return origin.startswith("http://") and host not in ("localhost", "127.0.0.1")


def answer_promises(mechanism: MechanismFile, lang: Language) -> list[tuple[str, str, str]]:
    """About each answer: how often it is true, how far it can move odds alone, and in the whole record.

    The last sentence is empty where the whole record gives away no more about it.
    """
    promise = mechanism.certificate
    return [
        (_truth_sentence(share, lang), limit("shift", level, lang), "" if leakage == level else limit("leak", leakage, lang))
        for share, level, leakage in zip(stated_truthful_shares(mechanism), promise.levels, promise.leakage, strict=True)
    ]


def limit(what: str, ratio: Ratio, lang: Language) -> str:
    """How far odds can move: ``what`` is "shift" (one answer alone), "leak" (one answer in the whole record) or "total" (the record)."""
    if ratio is None:
        return lang.text("form", f"{what}_unbounded")
    return lang.text("form", what, factor=lang.factor(ratio))


def _truth_sentence(share: tuple[Fraction, Fraction] | None, lang: Language) -> str:
    if share is None:
        return lang.text("form", "told_nothing")
    low, high = (lang.percent(float(end)) for end in share)
    if low == high:
        return lang.text("form", "told", share=low)
    return lang.text("form", "told_between", low=low, high=high)


def promise_entries(
    mechanism: MechanismFile, wordings: Sequence[str], lang: Language, beside: Sequence[str] = ()
) -> Iterator[str]:
    """What the mechanism promises: what holds for every answer once, the rest once for all questions that share it, then the record.

    Sentences ``beside`` follow what is said of the record.
    """
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
    yield _entry([lang.text("form", "whole_record")], [limit("total", mechanism.certificate.total, lang), *beside])


def _entry(terms: Sequence[str], sentences: Sequence[str]) -> str:
    return (
        "<div>"
        + "".join(f'<dt dir="auto">{escape(term)}</dt>' for term in terms)
        + f"<dd>{hard_spaces(escape(' '.join(sentences), quote=False))}</dd></div>"
    )
