"""How the columns of a table become attributes: which of them, in which intervals numbers fall, what a missing answer is."""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import replace

from rrcore.commands.progress import shown
from rrcore.commands.table_options import open_large, read
from rrcore.commands.values import adder, named_parts
from rrcore.table import ColumnRule, TextTable, recode
from rrcore.table.recoding import Rules, Values, changed_columns, default_rule, rules_for_names
from rrcore.table.scanning import Coded, CodedTable, Survey, survey
from rrcore.wording import read_numbers

Settle = Callable[[Sequence[Values], dict[str, ColumnRule]], dict[str, ColumnRule]]
"""Changes the rules of columns."""


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


def recoded(
    options: argparse.Namespace, names: Iterable[str] | None, executor: Executor | None, settle: Settle | None = None
) -> tuple[CodedTable, int, Rules]:
    """The columns ``names`` of a table of any size, or all that can be attributes, its number of records, and the rules of its columns."""
    wanted = None if names is None else list(names)
    stream = open_large(options.input, options)
    table: TextTable | Survey
    if stream is None:
        table, rules = read(options.input, options)
    else:
        table = survey(stream, executor=executor, report=shown())
        rules = {column.name: default_rule(column) for column in table.columns}
    bins = _bins(options)
    settled = rules_for_names(table.columns, rules, wanted or (), bins)
    settled = settled if settle is None else settle(table.columns, settled)
    settled = {name: replace(rule, missing=options.missing) for name, rule in settled.items()}
    if text := changed_columns(table.columns, settled, wanted, bins=bins, how=("--attributes", "--bins")):
        print(text, file=sys.stderr)
    if isinstance(table, Survey):
        assert stream is not None
        return Coded(stream, table.coder(wanted, settled)), table.n, settled
    dataset = recode(table, settled, wanted)
    return dataset, dataset.n, settled


def _bins(options: argparse.Namespace) -> dict[str, tuple[float, ...]]:
    """The limits that the options give. Raises InputError for a text that has none."""
    found = named_parts(options.bins, "--bins", "'attribute=limits', for example 'age=18,40,65'")
    return {name: tuple(read_numbers(limits)) for name, limits in found.items()}
