"""The option ``--among`` of ``read``: estimates among people with one answer, such as those who passed the check question."""

from __future__ import annotations

from typing import Any

from rrcore.answers import Answers, summarise_marginal
from rrcore.commands.values import named_part
from rrcore.errors import InputError
from rrcore.table import Schema
from rrcore.wording import percent, points
from rrcore.wording.json_values import finite

Among = tuple[str, str]
"""An attribute and one of its categories."""


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
