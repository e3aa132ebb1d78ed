"""Shared parts of forms and printed pages: checked texts, privacy limits and policies.

Pages load nothing from other addresses.
"""

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
    """Return the text of a file in assets/."""
    return (_ASSETS / name).read_text(encoding="utf-8")


def question_wordings(schema: Schema, title: str, questions: Mapping[str, str], introduction: str = "") -> list[str]:
    """Return the question about each attribute, in the order of attributes.

    The default question is the attribute's name.

    Raises
    ------
    InputError
        If the title is empty, a text is too long or has a lone surrogate, or a question is about an unknown attribute.
    """
    schema.axes(questions)
    for name, text in questions.items():
        if len(text) > MAX_TEXT:
            raise InputError(f"The question about '{name}' has {len(text)} characters. Use at most {MAX_TEXT}.")
    texts = {"title": title, "introduction": introduction} | {
        f"question about '{name}'": text for name, text in questions.items()
    }
    for where, text in texts.items():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise InputError(f"The {where} contains an invalid character (a lone surrogate). Type it again.") from None
    if not title.strip() or len(title) > MAX_TEXT:
        raise InputError(f"The title of the form has {len(title.strip())} characters. Use 1 to {MAX_TEXT}.")
    return [questions.get(name, "").strip() or name for name in schema.names]


def policy(style: str, scripts: Sequence[str] = (), origin: str = "") -> str:
    """Return the content security policy of a page.

    The page may use its own style and scripts and send requests to ``origin`` if it is given.
    """
    none = "'none'"
    allowed = f"script-src {' '.join(map(_hash, scripts)) or none}; style-src {_hash(style)}; connect-src {origin or none}"
    return f"default-src {none}; {allowed}; form-action {none}; base-uri {none}"


def _hash(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode('utf-8')).digest()).decode('ascii')}'"


def is_exposed(origin: str) -> bool:
    """Return True if traffic with this address can be read and changed on the way."""
    host = origin.removeprefix("http://").partition(":")[0]
    return origin.startswith("http://") and host not in ("localhost", "127.0.0.1")


def answer_promises(mechanism: MechanismFile, lang: Language) -> list[tuple[str, str, str]]:
    """Describe the protection of each answer.

    The sentences state how often the answer is true, and how far it can shift odds alone and within the whole record. The last
    sentence is empty if the whole record reveals no more about the answer.
    """
    promise = mechanism.certificate
    return [
        (
            _unchanged_sentence(share, lang),
            limit("shift", level, lang),
            "" if informed == level else limit("leak", informed, lang),
        )
        for share, level, informed in zip(
            stated_truthful_shares(mechanism), promise.epsilon, promise.epsilon_informed, strict=True
        )
    ]


def limit(what: str, ratio: Ratio, lang: Language) -> str:
    """Return how far odds can shift.

    ``what`` is "shift" (one answer alone), "leak" (one answer within the whole record) or "total" (the record).
    """
    if ratio is None:
        return lang.text("form", f"{what}_unbounded")
    return lang.text("form", what, factor=lang.factor(ratio))


def _unchanged_sentence(share: tuple[Fraction, Fraction] | None, lang: Language) -> str:
    if share is None:
        return lang.text("form", "not_an_answer")
    low, high = (lang.percent(float(end)) for end in share)
    if low == high:
        return lang.text("form", "unchanged", share=low)
    return lang.text("form", "unchanged_between", low=low, high=high)


def promise_entries(
    mechanism: MechanismFile, wordings: Sequence[str], lang: Language, further: Sequence[str] = ()
) -> Iterator[str]:
    """Yield the limits of the mechanism as entries of a list.

    Limits for all answers come first, then those shared by some questions, and then those of the record, followed by the
    ``further`` sentences.
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
    yield _entry([lang.text("form", "whole_record")], [limit("total", mechanism.certificate.epsilon_total, lang), *further])


def _entry(terms: Sequence[str], sentences: Sequence[str]) -> str:
    return (
        "<div>"
        + "".join(f'<dt dir="auto">{escape(term)}</dt>' for term in terms)
        + f"<dd>{hard_spaces(escape(' '.join(sentences), quote=False))}</dd></div>"
    )
