"""What a mechanism promises to the person who answers, in the language of that person."""

from __future__ import annotations

from fractions import Fraction

from rrcore.asking.languages import Language
from rrcore.promise.certificate import Ratio
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.statement import truthful_shares


def answer_promises(mechanism: MechanismFile, spoken: Language) -> list[tuple[str, str, str]]:
    """About each answer: how often it is true, how far it can move odds alone, and in the whole record.

    The last sentence is empty where the whole record gives away no more about it.
    """
    promise = mechanism.certificate
    return [
        (_told(share, spoken), limit("shift", level, spoken), "" if leakage == level else limit("leak", leakage, spoken))
        for share, level, leakage in zip(truthful_shares(mechanism), promise.levels, promise.leakage, strict=True)
    ]


def limit(what: str, ratio: Ratio, spoken: Language) -> str:
    """How far odds can move: ``what`` is "shift" (one answer alone), "leak" (one answer in the whole record) or "total" (the record)."""
    if ratio is None:
        return spoken.text("form", f"{what}_unbounded")
    return spoken.text("form", what, factor=spoken.factor(ratio))


def _told(share: tuple[Fraction, Fraction] | None, spoken: Language) -> str:
    if share is None:
        return spoken.text("form", "told_nothing")
    low, high = (spoken.percent(float(end)) for end in share)
    if low == high:
        return spoken.text("form", "told", share=low)
    return spoken.text("form", "told_between", low=low, high=high)
