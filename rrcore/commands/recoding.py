"""How the columns of a table become attributes: which of them, in which intervals numbers fall, what a missing answer is."""

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Literal, cast

from rrcore.commands.progress import shown
from rrcore.commands.table_options import read
from rrcore.commands.values import adder, named_parts
from rrcore.errors import InputError
from rrcore.table import ColumnRule, Dataset, Values, read_columns
from rrcore.table.stream import Coder, Stream, survey
from rrcore.wording import read_numbers

Rules = Mapping[str, ColumnRule]

Settle = Callable[[Sequence[Values], dict[str, ColumnRule]], dict[str, ColumnRule]]
"""Changes the rules of columns."""


def unchanged(columns: Sequence[Values], rules: dict[str, ColumnRule]) -> dict[str, ColumnRule]:
    """Return ``rules``."""
    return rules


def add_recoding(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options that ``recoded`` reads."""
    add = adder(command)
    add(
        "--bins",
        "the intervals of a column of numbers by the limits between them, for example 'age=18,40,65'; may be given again (default: a few "
        "with rounded limits, where there are many numbers)",
        "ATTRIBUTE=LIMITS",
        many=True,
    )
    add_missing(command, "its row is left out")


def add_missing(command: argparse.ArgumentParser, dropped: str) -> None:
    """Give ``command`` the option that says what an answer is that is missing; with "drop" ``dropped``."""
    text = f"what an empty cell is: the category '(missing)' of its attribute, or with drop {dropped}"
    adder(command)("--missing", text, ("category", "drop"), default="category")


def missing(options: argparse.Namespace) -> Literal["category", "drop"]:
    """What ``--missing`` says."""
    return cast(Literal["category", "drop"], options.missing)


def recoded(options: argparse.Namespace, names: Iterable[str] | None, settle: Settle = unchanged) -> tuple[Dataset, Rules]:
    """The columns ``names`` of a table that is read whole as the options say, or all that can be attributes, and the rules they went by."""
    table, rules = read(options.input, options)
    settled = settle(table.columns, _binned(options, rules))
    return read_columns(table, settled, names, missing=missing(options)), settled


def looked_through(
    stream: Stream,
    options: argparse.Namespace,
    names: Iterable[str] | None,
    executor: Executor | None,
    settle: Settle = unchanged,
) -> tuple[Coder, int, Rules]:
    """What makes codes of a table of any size as the options say, how many rows it has, and the rules its columns go by."""
    found = survey(stream, executor=executor, report=shown())
    settled = settle(found.columns, _binned(options, found.rules))
    return found.coder(names, settled, missing=missing(options)), found.n, settled


def _binned(options: argparse.Namespace, rules: Rules) -> dict[str, ColumnRule]:
    """``rules`` with the intervals that the options give. Raises InputError for a column that is not there, or what are no limits."""
    found = dict(rules)
    for name, limits in named_parts(options.bins, "--bins", "'attribute=limits', for example 'age=18,40,65'").items():
        if name not in found:
            raise InputError(
                f"Intervals are given for '{name[:40]}', and there is no such column: choose among {', '.join(found)[:200]}."
            )
        edges = tuple(read_numbers(limits))
        found[name] = replace(
            found[name], use=True, kind="ordinal", binning="open", edges=edges, categories=None, labels=(), declared=True
        )
    return found
