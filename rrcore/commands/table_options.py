"""What the options of a command say: a table, lists and numbers."""

import argparse
import sys
from collections.abc import Mapping
from typing import Literal

from rrcore.commands.files import STANDARD, load, title
from rrcore.commands.values import adder, refuse_given
from rrcore.errors import InputError
from rrcore.limits import FEW_PEOPLE
from rrcore.table import (
    DEMOS,
    ColumnRule,
    Dataset,
    Schema,
    TextTable,
    as_table,
    load_demo,
    read_columns,
    read_file,
    rule_learned_names,
)
from rrcore.table.mark import marks_in, warning
from rrcore.table.reading import ENCODINGS
from rrcore.table.stream import Stream, open_stream, read_in_batches

LAYOUT = ("header", "sheet", "totals", "uneven", "encoding")
"""The options that say where in its file a table is."""

_HEADER: dict[str, bool | None] = {"yes": True, "no": False, "auto": None}
_TOTALS: dict[str, bool | None] = {"keep": True, "drop": False, "auto": None}
_UNEVEN: dict[str, bool | None] = {"drop": False, "auto": None}


def add_input(command: argparse.ArgumentParser, *, more: str = "", instead: str = "") -> None:
    """Give ``command`` the option that names its table, which may be ``more`` than a file or a demo, or ``instead`` of other options."""
    add = adder(command)
    demos = ", ".join(f"demo:{key}" for key in DEMOS)
    add(
        "--in",
        f"{instead}CSV, TSV, XLSX or Parquet file, a folder of CSV or Parquet files{more}, or {demos}",
        "FILE",
        dest="input",
        required=not instead,
    )
    add_layout(command)


def add_layout(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options that say where in its file the table is: ``read`` takes them."""
    add = adder(command)
    add(
        "--header",
        "whether the first row of the table holds names; auto finds out, and refuses where that is in doubt",
        _HEADER,
        default="auto",
    )
    add("--sheet", "the sheet of a workbook that has several", "NAME", default="")
    add(
        "--totals",
        "what becomes of last rows that look like totals; auto refuses a file that has such",
        _TOTALS,
        default="auto",
    )
    add(
        "--uneven",
        "drop leaves out rows with more or fewer values than there are columns; auto refuses a file that has such",
        _UNEVEN,
        default="auto",
    )
    add_encoding(command)


def add_encoding(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the option that decides how a text is read that is UTF-8 in some places only."""
    add = adder(command)
    add(
        "--encoding",
        "how a text is read that is UTF-8 in some places only: mixed reads the rest as Windows-1252, latin-1 all of it; by default "
        "it is refused",
        ENCODINGS,
        default="",
    )


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
    header, totals, uneven = _HEADER[options.header], _TOTALS[options.totals], _UNEVEN[options.uneven]
    table, rules = read_file(
        load(name), title(name), header=header, sheet=options.sheet, totals=totals, uneven=uneven, encoding=options.encoding
    )
    for sentence in table.left_out:
        print(f"Left out: {sentence}", file=sys.stderr)
    _tell_mark(table.title)
    return table, rules


def _tell_mark(title: str) -> None:
    """Say that a table is marked as a simulation, where its title says so."""
    if mark := marks_in([title]):
        print(warning(mark), file=sys.stderr)


def open_large(name: str, options: argparse.Namespace) -> Stream | None:
    """The table as a stream where it is a folder, or too large to be read whole; else None."""
    if name == STANDARD or name.startswith("demo:") or not read_in_batches(name):
        return None
    whole = {"--sheet": options.sheet, "--totals drop": options.totals == "drop", "--uneven drop": options.uneven == "drop"}
    if given := next((option for option, is_given in whole.items() if is_given), ""):
        raise InputError(f"{given} is for tables that are read whole, and '{name}' is read in batches: leave that out.")
    stream = open_stream(name, header=_HEADER[options.header], encoding=options.encoding)
    _tell_mark(stream.mark())
    return stream


def select(options: argparse.Namespace, missing: Literal["category", "drop"] = "category") -> Dataset:
    """The columns that the options list of their file or demo as a dataset; without a list, all that can be attributes."""
    return read_columns(*read(options.input, options), options.attributes, missing=missing)


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
