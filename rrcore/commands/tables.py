"""Reading the table that a command is about."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, Literal

from rrcore.commands.files import load, title
from rrcore.errors import InputError
from rrcore.table import DEMOS, Dataset, TextTable, as_table, default_rule, load_demo, read_text_table, recode_some


def add_input(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the option that names its table."""
    demos = ", ".join(f"demo:{key}" for key in DEMOS)
    command.add_argument("--in", dest="input", required=True, metavar="FILE", help=f"CSV, TSV, XLSX or Parquet file, or {demos}")


def entries(text: str) -> list[str]:
    """The parts of a list separated by commas. Raises InputError where one is empty."""
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise InputError(f"The list '{text[:60]}' has an empty entry: separate entries by single commas.")
    return parts


def read(name: str) -> tuple[TextTable, dict[str, Any]]:
    """The table of a file or demo, and the rule of each of its columns."""
    if name.startswith("demo:"):
        return as_table(load_demo(name.removeprefix("demo:")))
    table = read_text_table(load(name), title(name))
    return table, {column.name: default_rule(column, table.n) for column in table.columns}


def select(name: str, attributes: Sequence[str] | None, missing: Literal["category", "drop"] = "category") -> Dataset:
    """The named columns of a file or demo as a dataset; without names, all that can be attributes."""
    return recode_some(*read(name), attributes, missing=missing)


def seed(text: str) -> int:
    """A seed. Raises InputError for anything but a whole number of at least 0."""
    if not text.isdecimal():
        raise InputError(f"The seed is '{text}': give a whole number of at least 0.")
    return int(text)
