"""The option ``--always`` of ``read``: what the estimate would be if some people always say the same."""

from __future__ import annotations

import argparse
from typing import Any

from rrcore.answers import Answers
from rrcore.commands.values import adder, named_part
from rrcore.designs import rational_probability
from rrcore.errors import InputError
from rrcore.estimate import NOT_CORRECTED, Always


def add_always(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the option."""
    adder(command)(
        "--always",
        "the estimate if that share of the people always say this, for example 'smokes=no:10%%'; may be given again",
        "ATTRIBUTE=SAID:SHARE",
        action="append",
        default=[],
    )


def always_entries(options: argparse.Namespace, answers: Answers, *, population: bool) -> list[dict[str, Any]]:
    """For each option the shares that it leads to, ready for JSON."""
    return [_entry(text, answers, population) for text in options.always]


def share_of_category(text: str, option: str, example: str) -> tuple[str, str, float]:
    """Attribute, category and share of a text like ``example``. Raises InputError for anything else."""
    expected = f"{option} 'attribute=category:share', for example '{example}'"
    name, rest = named_part(text, expected)
    category, colon, share = rest.rpartition(":")
    if not colon:
        raise InputError(f"'{text[:60]}' is not understood: write {expected}.")
    return name, category, float(rational_probability(share))


def _entry(text: str, answers: Answers, population: bool) -> dict[str, Any]:
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
