"""The option ``--scores`` of ``read``: the numbers that the categories of an ordered attribute stand for in its mean."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from rrcore.commands.values import adder, named_part
from rrcore.errors import InputError
from rrcore.estimate import has_order
from rrcore.table import Schema
from rrcore.wording import read_numbers

Scores = dict[str, list[float]]
"""Name of an attribute -> the numbers of its categories."""


def add_scores(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the option."""
    adder(command)(
        "--scores",
        "the number that each category of an ordered attribute stands for in its mean (default: 1, 2, ...), for example "
        "'age=10,25,35,60'; may be given again",
        "ATTRIBUTE=NUMBERS",
        action="append",
        default=[],
    )


def scores_of(options: argparse.Namespace, schema: Schema, asked: Sequence[Sequence[str]]) -> Scores:
    """What the options say. Raises InputError for an attribute without an order, or that is not read by itself."""
    found = Scores()
    for text in options.scores:
        name, numbers = named_part(text, "--scores 'attribute=numbers', for example 'age=10,25,35,60'")
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
