"""Options of ``read`` alone: answers always said, estimates among some people, clicks without reading, numbers of categories."""

import argparse
from collections.abc import Sequence
from typing import Any, cast

from rrcore.answers import Answers, summarise_marginal
from rrcore.commands.table_options import entries
from rrcore.commands.values import adder, named_part, named_parts
from rrcore.designs import rational_probability
from rrcore.errors import InputError
from rrcore.estimate import CLICK_LAWS, NOT_CORRECTED, Always, ClickLaw, Clicks, has_order
from rrcore.table import Schema
from rrcore.wording import percent, points, read_numbers
from rrcore.wording.json_values import finite

Among = tuple[str, str]
"""An attribute and one of its categories."""

Scores = dict[str, list[float]]
"""Name of an attribute -> the numbers of its categories."""

_NOBODY = "none"


def add_read_options(command: argparse.ArgumentParser) -> None:
    """Give ``read`` these options."""
    add = adder(command)
    add(
        "--among",
        "also estimates among people with that true answer, for example 'understood=yes' for those who passed the check question",
        "ATTRIBUTE=ANSWER",
    )
    add(
        "--always",
        "the estimate if that share of the people always say this, for example 'smokes=no:10%%'; may be given again",
        "ATTRIBUTE=SAID:SHARE",
        many=True,
    )
    add(
        "--clicks",
        "what people answer who do not follow the instructions, of whom a control item tells how many there are: uniform (default), "
        "first, last, no (always the first report) or none (nobody is); or shares of clicks on one attribute, for example 'smokes=0.7,0.3', "
        "again for each",
        "LAW",
        many=True,
    )
    add(
        "--clicks-by",
        "with '--clicks no' and several mechanism files: the attribute whose designs tell how many always say “no”, where there is no "
        "control item",
        "ATTRIBUTE",
        default="",
    )
    add(
        "--scores",
        "the number that each category of an ordered attribute stands for in its mean (default: 1, 2, ...), for example "
        "'age=10,25,35,60'; may be given again",
        "ATTRIBUTE=NUMBERS",
        many=True,
    )


def always_entries(options: argparse.Namespace, answers: Answers, *, population: bool) -> list[dict[str, Any]]:
    """For each option the shares that it leads to, ready for JSON."""
    return [_always(text, answers, population) for text in options.always]


def share_of_category(text: str, option: str, example: str) -> tuple[str, str, float]:
    """Attribute, category and share of a text like ``example``. Raises InputError for anything else."""
    expected = f"{option} 'attribute=category:share', for example '{example}'"
    name, rest = named_part(text, expected)
    category, colon, share = rest.rpartition(":")
    if not colon:
        raise InputError(f"'{text[:60]}' is not understood: write {expected}.")
    return name, category, float(rational_probability(share))


def _always(text: str, answers: Answers, population: bool) -> dict[str, Any]:
    name, said, x = share_of_category(text, "--always", "smokes=no:10%")
    estimate = answers.uncorrected.estimate([name])
    reports = answers.reports.select([name]).attributes[0].categories
    if said not in reports:
        raise InputError(f"'{name}' is never answered with '{said[:40]}': choose among {', '.join(reports)[:200]}.")
    always = Always(estimate, reports.index(said))
    low, high = always.interval(x, population=population)
    least, most = always.everybody(x)
    categories = estimate.schema.attributes[0].categories
    answer = max((i for i in range(len(categories)) if categories[i] != said), default=0)
    return {
        "attribute": estimate.schema.names[0],
        "always": said,
        "share": x,
        "categories": list(categories),
        "estimate": always.shares(x).tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
        "everybody": [list(ends) for ends in zip(least.tolist(), most.tolist(), strict=True)],
        "possible": always.possible,
        "compatible": always.compatible(population=population),
        "sentence": always.sentence(x, answer, population=population) + (f" {NOT_CORRECTED}" if answers.corrected_by else ""),
    }


def among_of(text: str | None, schema: Schema) -> Among | None:
    """What was asked for. Raises InputError where there is no such attribute or answer."""
    if text is None:
        return None
    name, answer = map(str.strip, named_part(text, "--among 'attribute=answer', for example 'understood=yes'"))
    categories = schema.select([name]).attributes[0].categories
    if answer not in categories:
        raise InputError(f"'{name}' has no answer '{answer[:40]}': choose among {', '.join(categories)[:200]}.")
    return name, answer


def among_entries(answers: Answers, asked: list[list[str]], among: Among, *, population: bool) -> dict[str, Any]:
    """Each of the ``asked`` marginals among those people, ready for JSON: how large their group is, and shares within it.

    Of a marginal with the attribute itself the others are read. Raises InputError where nothing is.
    """
    name, answer = among
    found = []
    others = dict.fromkeys(tuple(other for other in names if other != name) for names in asked)
    others.pop((), None)
    if not others:
        raise InputError(f"Among people with one answer to '{name}' nothing else is read: name another attribute in --marginal.")
    for names in map(list, others):
        summary = summarise_marginal(answers, [*names, name])
        table = summary.conditional_table([name], population=population)
        group = next(column for heading, column in table.items() if heading.removesuffix(" (answer)") == name)
        kept = [i for i, category in enumerate(group) if category == answer]
        cells = {heading: [column[i] for i in kept] for heading, column in table.items() if column is not group}
        found.append({"attributes": names, "cells": cells})
    estimate = answers.estimate([name])
    low, high = (end.tolist() for end in estimate.interval(population=population))
    i = estimate.schema.attributes[0].categories.index(answer)
    return {
        "attribute": name,
        "answer": answer,
        "share": float(estimate.shares[i]),
        "low": finite(low[i]),
        "high": finite(high[i]),
        "marginals": found,
    }


def among_lines(found: dict[str, Any]) -> list[str]:
    """That in words."""
    lines = [f"Among people whose answer to {found['attribute']} is {found['answer']}, {percent(found['share'])} of all:"]
    for marginal in found["marginals"]:
        names, cells = marginal["attributes"], marginal["cells"]
        columns = list(cells.values())
        for i, (share, margin) in enumerate(zip(cells["share within the group"], cells["margin"], strict=True)):
            label = ", ".join(f"{name} {column[i]}" for name, column in zip(names, columns, strict=False))
            lines.append(f"  {label}: " + ("too few to tell" if share is None else f"{percent(share)} ± {points(margin)}"))
    return lines


def clicks_of(options: argparse.Namespace) -> Clicks | None:
    """The law that was asked for; None for nobody. Raises InputError for none that is known."""
    laws = [text for text in options.clicks if "=" not in text]
    if len(laws) > 1:
        raise InputError(f"--clicks names the laws {' and '.join(laws[:3])}: name one.")
    if laws == [_NOBODY]:
        if len(options.clicks) > 1 or options.clicks_by:
            raise InputError("With '--clicks none' nobody clicks: leave out the other options of clicks.")
        return None
    law = laws[0] if laws else "uniform"
    if law not in CLICK_LAWS:
        raise InputError(f"'{law[:40]}' is no law of clicking: choose among {', '.join(CLICK_LAWS)} and {_NOBODY}.")
    own = named_parts((text for text in options.clicks if "=" in text), "--clicks", "'attribute=0.7,0.3'")
    shares = tuple((name, _own_shares(name, rest)) for name, rest in own.items())
    return Clicks(cast("ClickLaw", law), shares, options.clicks_by)


def _own_shares(name: str, text: str) -> tuple[float, ...]:
    try:
        return tuple(float(share) for share in entries(text))
    except ValueError:
        raise InputError(f"'{f'{name}={text}'[:60]}' is not understood: write --clicks 'attribute=0.7,0.3'.") from None


def scores_of(options: argparse.Namespace, schema: Schema, asked: Sequence[Sequence[str]]) -> Scores:
    """What the options say. Raises InputError for an attribute without an order, or that is not read by itself."""
    found = Scores()
    for name, numbers in named_parts(options.scores, "--scores", "'attribute=numbers', for example 'age=10,25,35,60'").items():
        if not has_order(schema.select([name]).attributes):
            raise InputError(f"'{name}' has no order of three categories or more, so no mean: declare its kind as 'ordinal'.")
        if [name] not in [list(names) for names in asked]:
            raise InputError(f"Numbers are given for '{name}', which is not read by itself: add it as --marginal.")
        found[name] = read_numbers(numbers)
    return found


def ordered_lines(ordered: dict[str, Any] | None) -> list[str]:
    """What is printed: the cumulative share nearest the middle and the median; the mean, where numbers were given."""
    if ordered is None:
        return []
    below, _, mean = ordered["sentences"]
    return [f"{ordered['attribute']}: {text}" for text in [below, *([mean] if ordered["scores_are"] == "given" else [])]]
