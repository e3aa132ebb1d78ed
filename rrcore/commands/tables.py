"""What the options of a command say: a table, lists and numbers."""

from __future__ import annotations

import argparse
import math
from typing import Any, Literal

from rrcore.commands.files import load, title
from rrcore.errors import InputError
from rrcore.mechanisms import MECHANISMS, RECOMMENDED_WIDTH, recipe, recommended, safe_name
from rrcore.table import DEMOS, Dataset, TextTable, as_table, default_rule, load_demo, read_text_table, recode_some
from rrcore.wording import counted, read_numbers


def add_input(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the option that names its table."""
    demos = ", ".join(f"demo:{key}" for key in DEMOS)
    command.add_argument("--in", dest="input", required=True, metavar="FILE", help=f"CSV, TSV, XLSX or Parquet file, or {demos}")


def add_mechanism_choice(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the two options that choose a mechanism: ``chosen_mechanism`` reads them."""
    command.add_argument("--mechanism", help=f"one of {', '.join(MECHANISMS)}, or 3-safe, 4-safe and so on")
    command.add_argument(
        "--safe",
        metavar="W",
        help="instead: safe for joint distributions of up to W attributes, none of which is then less accurate than with Kronecker "
        f"(default: the widest asked for, at least {RECOMMENDED_WIDTH})",
    )


def chosen_mechanism(options: argparse.Namespace, k: int, widest: int = 0) -> str:
    """The name of the mechanism that the options choose for k attributes, the widest joint distribution asked for having ``widest``.

    Raises InputError for an unknown name, a width that is out of range, or both options at once.
    """
    if options.mechanism is not None and options.safe is not None:
        raise InputError("Both --mechanism and --safe are given: give one of them.")
    if options.safe is not None:
        width = whole("width of --safe", options.safe)
        if width > k:
            raise InputError(
                f"--safe is {width} and there {'is' if k == 1 else 'are'} {counted(k, 'attribute', 'attributes')}: "
                f"give a whole number from 1 to {k}."
            )
        return safe_name(width)
    if options.mechanism is not None and recipe(options.mechanism).needs:
        raise InputError(
            f"There is no mechanism '{options.mechanism}' to choose here: choose among {', '.join(MECHANISMS)}, or 3-safe."
        )
    return options.mechanism or recommended(k, widest)


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


def select(name: str, attributes: str | None, missing: Literal["category", "drop"] = "category") -> Dataset:
    """The listed columns of a file or demo as a dataset; without a list, all that can be attributes."""
    return recode_some(*read(name), None if attributes is None else entries(attributes), missing=missing)


def whole(what: str, text: str, least: int | None = 1) -> int:
    """A whole number: the ``what`` that an option gives. Raises InputError where it is not one, or below ``least``."""
    text = text.strip()
    if not (text.isascii() and text.isdecimal() and len(text) <= 18) or int(text) < (least or 0):
        limit = "" if least is None else f" of at least {least}"
        raise InputError(f"The {what} is '{text[:40]}': give a whole number{limit}.")
    return int(text)


def seed(text: str) -> int:
    """A seed. Raises InputError for anything but a whole number of at least 0."""
    return whole("seed", text, 0)


def number(text: str) -> float:
    """One finite number. Raises InputError for anything else."""
    found = read_numbers(text)
    if len(found) != 1 or not math.isfinite(found[0]):
        raise InputError(f"'{text[:40]}' is not one number: give one, for example 1.")
    return found[0]


def finite(value: float) -> float | None:
    """``value`` for JSON, which knows neither infinity nor NaN."""
    return value if math.isfinite(value) else None
