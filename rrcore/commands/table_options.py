"""What the options of a command say: a table, lists and numbers."""

import argparse
import sys
from collections.abc import Mapping
from typing import Any

from rrcore.commands.files import STANDARD, load, title
from rrcore.commands.values import adder, refuse_given, whole
from rrcore.errors import InputError
from rrcore.limits import FEW_PEOPLE
from rrcore.mark import check_not_randomised, marks_in, warning
from rrcore.table import DEMOS, ColumnRule, Schema, TextTable, as_table, load_demo, read_file
from rrcore.table.opening import open_stream, read_in_batches
from rrcore.table.recoding import rule_learned_names
from rrcore.table.source import Source

LAYOUT = (
    "header",
    "sheet",
    "start",
    "skip",
    "encoding",
    "uneven",
    "totals",
    "counts",
    "weights",
    "missing_codes",
    "decimal",
    "fix_names",
)
"""The options that say how a file is read, called as in ``ReadOptions``."""

_IN_BATCHES = {"header", "encoding", "start", "skip"}


def add_input(command: argparse.ArgumentParser, *, instead: str = "") -> None:
    """Give ``command`` the option that names its table, which may be given ``instead`` of other options."""
    add = adder(command)
    demos = ", ".join(f"demo:{key}" for key in DEMOS)
    add(
        "--in",
        f"{instead}CSV, TSV, XLSX or Parquet file, a folder of CSV or Parquet files, or {demos}",
        "FILE",
        dest="input",
        required=not instead,
    )
    add_layout(command)


def add_layout(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options that say where in its file the table is: ``read`` takes them."""
    add = adder(command)
    add("--header", "whether the first row holds names [found out]", ("yes", "no"), default="")
    add("--sheet", "sheet of a workbook [the only one]", "NAME", default="")
    add("--start", "number of the row that the table starts with [found out]", whole("first row"))
    add("--skip", "rows below the names that are not people [found out]", whole("number of rows", 0))
    add("--uneven", "leaves out rows with more or fewer values than columns [refused]", ("drop",), default="")
    add("--totals", "last rows that are totals, not people [refused]", whole("number of totals", 0))
    add("--counts", "column with the number of people of each row, or none", "COLUMN", default="")
    add("--weights", "column of sampling weights, which is left out", "COLUMN", default="")
    add("--missing-codes", "texts that mean a missing answer, for example -99,refused", entries)
    add("--decimal", "decimal sign of numbers, the other one groups thousands", (",", "."), default="")
    add("--fix-names", "number repeated names and leave out a column of row numbers", action="store_true")
    add_encoding(command)


def add_encoding(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the option that says which encoding a text is in."""
    add = adder(command)
    add("--encoding", "encoding of a text, or mixed for UTF-8 and Windows-1252 [found out]", "NAME", default="")


def entries(text: str) -> list[str]:
    """The parts of a list separated by commas. Raises InputError where one is empty."""
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise InputError(f"The list '{text[:60]}' has an empty entry: separate entries by single commas.")
    return parts


def read(name: str, options: argparse.Namespace) -> tuple[TextTable, dict[str, ColumnRule]]:
    """The table of a file or demo, and the rule of each of its columns; ``options`` say where in the file it is."""
    if name.startswith("demo:"):
        refuse_given(options, LAYOUT, f"'{name}' is a demo table and no file")
        return as_table(load_demo(name.removeprefix("demo:")))
    table, rules = read_file(load(name), title(name), **_given(options))
    for sentence in table.left_out:
        print(f"Left out: {sentence}", file=sys.stderr)
    _tell_mark(table.title)
    return table, rules


def _given(options: argparse.Namespace) -> dict[str, Any]:
    """What the options say about reading a file, by the names of ``ReadOptions``."""
    given = {name: value for name in LAYOUT if (value := getattr(options, name)) not in (None, "", False)}
    return {
        name: value == "yes" if name == "header" else tuple(value) if name == "missing_codes" else value
        for name, value in given.items()
    }


def _tell_mark(title: str) -> None:
    """Say that a table is marked as a simulation, where its title says so."""
    if mark := marks_in([title]):
        print(warning(mark), file=sys.stderr)


def open_large(name: str, options: argparse.Namespace) -> Source | None:
    """The table as a stream where it is a folder, or too large to be read whole; else None."""
    if name == STANDARD or name.startswith("demo:") or not read_in_batches(name):
        return None
    given = _given(options)
    refuse_given(options, given.keys() - _IN_BATCHES, f"'{name}' is read in batches")
    stream = open_stream(name, **given)
    check_not_randomised(stream.names, stream.title)
    _tell_mark(stream.marks())
    return stream


def tell_learned(schema: Schema, rules: Mapping[str, ColumnRule]) -> None:
    """Say on standard error which attributes have names of categories that were read off the table."""
    learned = [a.name for a in schema.attributes if rule_learned_names(a, rules[a.name])]
    if learned:
        some = ", ".join(f"'{name}'" for name in learned[:8]) + (f" and {len(learned) - 8} more" if len(learned) > 8 else "")
        print(
            f"Categories of {some} were read off the table: whoever gets what is made of them learns what people gave. 'rrcore describe' "
            f"says where a category has fewer than {FEW_PEOPLE} people.",
            file=sys.stderr,
        )
