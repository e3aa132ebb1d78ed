"""What a mechanism file promises and what an observer could learn: three numbers, each in a sentence, then every attribute."""

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

import numpy as np

from rrcore.budget import Certainty, Observer, certainty_assumed, certainty_in_table, observe, observe_file
from rrcore.limits import MAX_OPTIMAL_ATTRIBUTES
from rrcore.mechanisms import Mechanism
from rrcore.plots.svg import MOST_DRAWN, dumbbells
from rrcore.promise import MechanismFile, Ratio, mechanism_of_integers, stated_nats
from rrcore.report.page import Content, figure, html, section, table
from rrcore.table import Dataset, Schema
from rrcore.wording import Quantity, count_text, exact_odds_text, percent

_SURE = 0.95
_SEED = 0  # of drawn releases, where every one cannot be summed over: the same report every time


def promises(file: MechanismFile) -> list[str]:
    """The numbers of a mechanism file, each in a sentence: one answer, others known, the whole record."""
    names, promise = file.schema.names, file.certificate
    return [
        _one("One answer", names, promise.levels, "whoever sees it can shift their odds about it"),
        _one(
            "One answer, others known",
            names,
            promise.leakage,
            "someone who sees everything that one person released, and already knows that person's other true answers, can shift their odds "
            "about it",
        ),
        "The whole record: there is no bound, since some released records rule some true ones out."
        if promise.total is None
        else "The whole record: whatever anyone knows beforehand, it shifts the odds between any two people's answers by at most "
        f"{Quantity('whole record', '').times(promise.total)} times.",
    ]


def _one(what: str, names: Sequence[str], ratios: Sequence[Ratio], who: str) -> str:
    largest = max(range(len(ratios)), key=lambda i: (ratios[i] is None, ratios[i] or 0))  # having no bound is the largest
    name, ratio = names[largest], ratios[largest]
    if ratio is None:
        return f"{what}: for '{name}' there is no bound, since some released answers rule some true ones out."
    alike = len({each and exact_odds_text(each) for each in ratios}) == 1
    where = "" if len(names) == 1 else " for each" if alike else f" (largest for '{name}')"
    return f"{what}: {who} by at most {exact_odds_text(ratio)} times{where}."


def protection(file: MechanismFile) -> Element:
    """Odds of every attribute, drawn and in numbers."""
    names, promise = file.schema.names, file.certificate
    alone, full = np.array(stated_nats(promise.levels)), np.array(stated_nats(promise.leakage))
    order = np.argsort(-full, kind="stable")[:MOST_DRAWN]
    drawn = sorted(order.tolist())
    left = "" if len(drawn) == len(names) else f" The {len(drawn)} attributes that give away most; the table has all."
    drawing = dumbbells([names[i] for i in drawn], alone[drawn], full[drawn], title="How far each answer can shift odds")
    rows = [
        [name, Quantity("one answer", name).odds(level), Quantity("others known", name).odds(leakage)]
        for name, level, leakage in zip(names, promise.levels, promise.leakage, strict=True)
    ]
    return section(
        "What it protects",
        html("p", "Odds of 1 to 1 that are shifted 3 times become 3 to 1, a certainty of 75 %; shifted 9 times, 90 %."),
        html("ol", [html("li", sentence) for sentence in promises(file)]),
        figure(
            drawing,
            "By how many times odds about an answer can shift: seen alone, and for someone who sees the whole record and knows the others."
            + left,
        ),
        table(
            "By how many times odds can shift at most, rounded up", ("Attribute", "One answer", "Others known"), rows, numbers=2
        ),
        new_page=True,
    )


def observer(file: MechanismFile, people: int, truth: Dataset | None = None) -> Element:
    """How often the best guess is right, and of how many people it is all but certain: with every answer equally likely beforehand,
    and as in the true table where it is given.
    """
    seen, schema, mechanism = observe_file(file), file.schema, mechanism_of_integers(file)
    guesses = [_guesses(name, each) for name, each in zip(schema.names, seen, strict=True)]
    worst = max(range(len(seen)), key=lambda i: seen[i].full - seen[i].before)
    certain: list[Certainty] = []
    if mechanism is not None and len(seen) <= MAX_OPTIMAL_ATTRIBUTES:
        for i, size in enumerate(schema.sizes):
            prior = np.full(size, 1 / size)
            certain.append(certainty_assumed(mechanism, i, prior, people, "others", rng=np.random.default_rng(_SEED)))
    most = max(range(len(certain)), key=lambda i: certain[i].guessed(_SURE)[1], default=0)
    return section(
        "What an observer could learn",
        html(
            "p",
            "Someone who guesses one person's answers is right by luck alone some of the time. The table says how often the best "
            "possible guess is right when every answer is equally likely beforehand: before anything is seen, after this one released "
            "answer, and after the full released record for someone who also knows that person's other true answers.",
            " That is an average: of some people such an observer is all but certain, and the last column says of how many."
            if certain
            else None,
        ),
        html("p", f"It rises most for '{schema.names[worst]}': from {guesses[worst][1]} to {guesses[worst][3]}."),
        html("p", certain[most].sentence(schema.names[most], _SURE)) if certain else None,
        _guessed("How often the best guess is right", guesses, certain),
        _in_table(mechanism, schema, truth),
        new_page=True,
    )


def _guesses(name: str, seen: Observer) -> list[str]:
    return [name, percent(seen.before), percent(seen.alone), ("≤ " if seen.bounded else "") + percent(seen.full)]


def _guessed(caption: str, guesses: list[list[str]], certain: Sequence[Certainty]) -> Element:
    heads = ["Attribute", "Before", "After this answer", "Others known"]
    rows: list[list[Content]] = [list(row) for row in guesses]
    if certain:
        heads.append(f"People guessed with {100 * _SURE:g} % certainty")
        for row, one in zip(rows, certain, strict=True):
            row.append(f"{count_text(round(one.guessed(_SURE)[1]))} of {count_text(one.people)}")
    return table(caption, heads, rows, numbers=len(heads) - 1)


def _in_table(mechanism: Mechanism | None, schema: Schema, truth: Dataset | None) -> Iterator[Element]:
    if truth is None or mechanism is None:
        return
    guesses = [_guesses(name, observe(mechanism, i, truth.shares([name]))) for i, name in enumerate(schema.names)]
    certain = [
        certainty_in_table(mechanism, truth.codes, i, "others", rng=np.random.default_rng(_SEED)) for i in range(mechanism.k)
    ]
    yield _guessed("The same for someone who knows the true shares of the table in play", guesses, certain)
