"""What a mechanism file promises and what an observer could learn: three numbers, each in a sentence, then every attribute."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

import numpy as np

from rrcore.audit import Claim, observe
from rrcore.collect import MechanismFile, Ratio, lie_mechanism
from rrcore.plots.svg import MOST_DRAWN, dumbbells
from rrcore.report.page import figure, html, section, table
from rrcore.table import Dataset
from rrcore.wording import exact_odds_text, percent


def promises(file: MechanismFile) -> tuple[str, str, str]:
    """The three numbers of a mechanism file, each in a sentence: one answer, the full record, the whole record."""
    names, promise = file.schema.names, file.certificate
    level, leakage = (_largest(ratios) for ratios in (promise.levels, promise.leakage))
    return (
        _one("One answer", names[level], promise.levels[level], "whoever sees it can shift their odds about it"),
        _one(
            "The full record",
            names[leakage],
            promise.leakage[leakage],
            "someone who sees everything that one person released, and already knows that person's other true answers, can shift their odds "
            "about it",
        ),
        "The whole record: there is no bound, since some released records rule some true ones out."
        if promise.total is None
        else "The whole record: whatever anyone knows beforehand, it shifts the odds between any two people's answers by at most "
        f"{exact_odds_text(promise.total)} times.",
    )


def _one(what: str, name: str, ratio: Ratio, who: str) -> str:
    if ratio is None:
        return f"{what}: for '{name}' there is no bound, since some released answers rule some true ones out."
    return f"{what}: {who} by at most {exact_odds_text(ratio)} times (largest for '{name}')."


def _largest(ratios: Sequence[Ratio]) -> int:
    """Position of the largest ratio; having no bound is the largest."""
    return max(range(len(ratios)), key=lambda i: (ratios[i] is None, ratios[i] or 0))


def protection(file: MechanismFile) -> Element:
    """Odds of every attribute, drawn and in numbers."""
    names, claim = file.schema.names, Claim.of_file(file)
    alone, full = np.array(claim.levels), np.array(claim.leakage)
    order = np.argsort(-full, kind="stable")[:MOST_DRAWN]
    drawn = sorted(order.tolist())
    left = "" if len(drawn) == len(names) else f" The {len(drawn)} attributes that give away most; the table has all."
    drawing = dumbbells([names[i] for i in drawn], alone[drawn], full[drawn], title="How far each answer can shift odds")
    promise = file.certificate
    rows = [
        [name, _odds(level), _odds(leakage)] for name, level, leakage in zip(names, promise.levels, promise.leakage, strict=True)
    ]
    return section(
        "What it protects",
        html("p", "Odds of 1 to 1 that are shifted 3 times become 3 to 1, a certainty of 75 %; shifted 9 times, 90 %."),
        html("ol", [html("li", sentence) for sentence in promises(file)]),
        figure(
            drawing,
            "By how many times odds about an answer can shift: seen alone, and in the full record for someone who knows the other answers."
            + left,
        ),
        table(
            "By how many times odds can shift at most, rounded up",
            ("Attribute", "This answer alone", "In the full record"),
            rows,
            numbers=2,
        ),
        new_page=True,
    )


def observer(file: MechanismFile, truth: Dataset | None = None) -> Element:
    """How often the best guess is right: with every answer equally likely beforehand, and as in the true table where it is given."""
    claim, schema = Claim.of_file(file), file.schema
    seen = [claim.formula(i) for i in range(claim.k)]
    rows = [
        [name, percent(each.before), percent(each.alone), ("≤ " if each.bounded else "") + percent(each.full)]
        for name, each in zip(schema.names, seen, strict=True)
    ]
    heads = ("Attribute", "Before", "After this answer", "After the full record")
    worst = max(range(claim.k), key=lambda i: seen[i].full)
    return section(
        "What an observer could learn",
        html(
            "p",
            "Someone who guesses one person's answers is right by luck alone some of the time. The table says how often the best "
            "possible guess is right when every answer is equally likely beforehand: before anything is seen, after this one released "
            "answer, and after the full released record for someone who also knows that person's other true answers.",
        ),
        html(
            "p",
            f"It rises most for '{schema.names[worst]}': from {rows[worst][1]} to {rows[worst][3]}.",
        ),
        table("How often the best guess is right", heads, rows, numbers=3),
        _in_table(file, truth, heads),
    )


def _in_table(file: MechanismFile, truth: Dataset | None, heads: tuple[str, ...]) -> Iterator[Element]:
    mechanism = None if truth is None else lie_mechanism(file)
    if truth is None or mechanism is None:
        return
    rows = []
    for i, name in enumerate(file.schema.names):
        seen = observe(mechanism, i, truth.shares([name]))
        rows.append([name, percent(seen.before), percent(seen.alone), ("≤ " if seen.bounded else "") + percent(seen.full)])
    yield table("The same for someone who knows the true shares of the table in play", heads, rows, numbers=3)


def _odds(ratio: Ratio) -> str:
    return "no bound" if ratio is None else f"× {exact_odds_text(ratio)}"
