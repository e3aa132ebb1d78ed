"""Options of ``read`` alone: estimates among some people, numbers of categories."""

import argparse
from collections.abc import Sequence
from typing import Any

from rrcore.answers import Answers, summarise_marginal
from rrcore.commands.values import adder, named_part, named_parts
from rrcore.errors import InputError
from rrcore.estimate import has_order
from rrcore.table import Schema
from rrcore.wording import percent, points, read_numbers
from rrcore.wording.json_values import finite

Among = tuple[str, str]
"""An attribute and one of its categories."""

Scores = dict[str, list[float]]
"""Name of an attribute -> the numbers of its categories."""


def add_read_options(command: argparse.ArgumentParser) -> None:
    """Give ``read`` these options."""
    add = adder(command)
    add(
        "--among",
        "also estimates among people with that true answer, for example 'smokes=yes'",
        "ATTRIBUTE=ANSWER",
    )
    add(
        "--scores",
        "the number that each category of an ordered attribute stands for in its mean (default: 1, 2, ...), for example "
        "'age=10,25,35,60'; may be given again",
        "ATTRIBUTE=NUMBERS",
        many=True,
    )


def among_of(text: str | None, schema: Schema) -> Among | None:
    """What was asked for. Raises InputError where there is no such attribute or answer."""
    if text is None:
        return None
    name, answer = map(str.strip, named_part(text, "--among 'attribute=answer', for example 'smokes=yes'"))
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
