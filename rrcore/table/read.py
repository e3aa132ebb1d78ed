"""Any table an analyst has at hand as a Dataset: a file, or a data frame of any library, by the rules the Data page starts from."""

import warnings
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from rrcore.errors import InputError, TableWarning, reading
from rrcore.limits import MAX_CATEGORIES
from rrcore.mark import check_not_randomised, marked_title, marks_in, take_mark
from rrcore.progress import Report, quiet
from rrcore.table.dataset import Dataset
from rrcore.table.opening import open_file
from rrcore.table.reading.arrow import ArrowStream, open_arrow
from rrcore.table.reading.encoding import UncertainEncodingError
from rrcore.table.reading.options import FirstRows, Guess, Proposed, guess_options, guess_refinements, refined
from rrcore.table.recoding import ColumnRule, changed_columns, default_rule, recode, rules_for_names
from rrcore.table.scanning import gathered
from rrcore.table.schema import Schema
from rrcore.table.source import UnevenRowsError
from rrcore.table.text_table import TextTable


def read_table(
    source: str | PathLike[str] | bytes | ArrowStream,
    *,
    columns: Iterable[str] | Schema | None = None,
    bins: Mapping[str, Iterable[float]] | None = None,
    title: str = "",
    **options: Any,
) -> Dataset:
    """Read a table of answers, one row for each person.

    Numbers of many kinds fall into a few intervals with rounded edges and open ends (``rounded_edges``). Missing values become a category.
    Identifiers, weights, constants and columns of too many texts are left out. One ``TableWarning`` names the columns that were left out or
    grouped. Categorical columns keep their declared categories in their order. Other categories are those that occur, so their names, in a
    plan or a mechanism file, reveal which those are: declare what could have been answered with a Schema.

    Parameters
    ----------
    source : path, bytes or data frame
        CSV and its cousins, XLSX or Parquet; or a table of pandas, polars, pyarrow or any library with ``__arrow_c_stream__``.
    columns : names, Schema or None
        The columns to take, in this order; with a Schema also their categories. None takes all that look like attributes.
    bins : mapping from names of columns of numbers to the limits of their intervals, for example ``{"age": [18, 40, 65]}``
    title : str
        Title of the table; the name of the file by default.
    **options
        How a file is read, if that is in doubt: the fields of ``ReadOptions`` (``header``, ``sheet``, ``start``, ``skip``, ``names``,
        ``encoding``, ``uneven``, ``totals``, ``counts``, ``weights``, ``missing_codes``, ``decimal``), and ``fix_names=True``, which
        numbers repeated names and leaves out a column that only numbers the rows.

    Raises
    ------
    InputError
        With one sentence: what cannot be read, which option decides, or which column cannot be an attribute and why.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import rrcore as rr
    >>> frame = pa.table({"smokes": ["no", "yes", "no", None], "age": [31, 45, 31, 60]})
    >>> table = rr.read_table(frame, columns=["age", "smokes"])
    >>> table.schema.names, table.schema.attributes[1].categories
    (('age', 'smokes'), ('no', 'yes', '(missing)'))
    >>> rr.read_table(b"sex,smokes,people\\nf,no,7\\nf,yes,2\\nm,no,5\\nm,yes,1\\n", counts="people").n
    15
    """
    if isinstance(source, str | PathLike | bytes):
        table, rules = read_file(*((source, "table") if isinstance(source, bytes) else read_path(source)), **options)
    elif hasattr(source, "__arrow_c_stream__"):
        found, declared = open_arrow(source)
        table = gathered(found, "table")
        guess = Guess(options)
        table = _refined(table, guess)
        guess.refuse()
        rules = first_rules(table) | {
            name: ColumnRule(kind="ordinal" if ordered else "nominal", categories=categories)
            for name, (categories, ordered) in declared.items()
            if name in table.names and 2 <= len(categories) <= MAX_CATEGORIES
        }
    else:
        raise InputError(f"Expected a path, bytes, or a table of pandas, polars or pyarrow, got a {type(source).__name__}.")
    table = replace(table, title=marked_title(title, marks_in([table.title])) if title else table.title)
    if isinstance(columns, Schema):
        declared_rules = {a.name: ColumnRule(kind=a.kind, categories=a.categories) for a in columns.attributes}
        return recode(table, declared_rules, columns.names)
    names, limits = None if columns is None else list(columns), dict(bins or {})
    rules = rules_for_names(table.columns, rules, names or (), limits)
    changed = changed_columns(table.columns, rules, names, bins=limits, how=("columns=", "bins="))
    if told := [*(table.left_out if names is None else ()), *([changed] if changed else [])]:
        warnings.warn(" ".join(told), TableWarning, stacklevel=2)
    return recode(table, rules, names)


def read_file(data: bytes, filename: str, **given: Any) -> tuple[TextTable, dict[str, ColumnRule]]:
    """Return the table of a file and the first rule of each column. Whatever is in doubt is refused.

    Parameters
    ----------
    data, filename
        As in ``open_file``.
    **given
        As the options of ``read_table``.

    Raises
    ------
    InputError
        With one sentence, which names the option that decides.
    """
    found = inspect_file(data, filename, given)
    found.guess.refuse()
    return found.result()


@dataclass(frozen=True, eq=False)
class InspectedFile:
    """A file that was looked at, and read as proposed.

    Parameters
    ----------
    title, kind : str
        The name of the file without its ending, and what messages call it.
    content : FirstRows
        What it shows before it is read.
    guess : Guess
        How it was read, and what has to be asked.
    table : TextTable or None
        What was read; None if that is impossible as proposed.
    problem : InputError or None
        Why it is impossible.
    """

    title: str
    kind: str
    content: FirstRows
    guess: Guess
    table: TextTable | None = None
    problem: InputError | None = None

    def result(self) -> tuple[TextTable, dict[str, ColumnRule]]:
        """Return the table and the first rule of each column, or raise the problem."""
        if self.table is None:
            raise self.problem or InputError("The file was not read: read it again.")
        return self.table, first_rules(self.table, self.guess.export.interview)


def inspect_file(data: bytes, filename: str, given: Mapping[str, Any] | None = None, *, report: Report = quiet) -> InspectedFile:
    """Read a file by the options ``given``, and by proposals for those that are not.

    Parameters
    ----------
    data, filename
        As in ``open_file``.
    given : mapping
        Fields of ``ReadOptions``, or ``fix_names``, with their values.

    Raises
    ------
    InputError
        If the file cannot be looked at.
    """
    given, doubts = dict(given or {}), []
    try:
        file = open_file(data, filename, given.get("encoding", ""))
    except UncertainEncodingError as error:
        given["encoding"] = next(iter(error.candidates))
        doubts = [Proposed("encoding", given["encoding"], str(error), error=error)]
        file = open_file(data, filename, given["encoding"])
    guess = guess_options(file.content, given)
    guess.proposed[:0] = doubts
    found = InspectedFile(file.title, file.kind, file.content, guess)
    plain = replace(guess.options, totals=0, counts="", weights="", missing_codes=(), decimal="")
    try:
        try:
            table = file.read(plain, report)
        except UnevenRowsError as error:
            guess.propose(Proposed("uneven", "drop", str(error), choices="drop"))
            table = file.read(replace(plain, uneven=guess.options.uneven), report)
        return replace(found, table=_refined(table, guess))
    except InputError as error:
        return replace(found, problem=error)


def _refined(table: TextTable, guess: Guess) -> TextTable:
    """The table by the options that were given and those that its rows propose. Refuses randomized answers."""
    check_not_randomised(table.names, table.title)
    kept, mark = take_mark(table)
    guess_refinements(kept, guess)
    table = refined(replace(kept, title=marked_title(kept.title, mark)), replace(guess.options, names=()))
    asked = guess.export.questions
    return replace(table, columns=tuple(replace(c, question=c.question or asked.get(c.name, "")) for c in table.columns))


def first_rules(table: TextTable, unused: Collection[str] = ()) -> dict[str, ColumnRule]:
    """Return the rule of each column that page Data starts from. Columns called as in ``unused`` are not used."""
    rules = {column.name: default_rule(column) for column in table.columns}
    return {name: replace(rule, use=rule.use and name not in unused) for name, rule in rules.items()}


def read_path(source: str | PathLike[str]) -> tuple[bytes, str]:
    """The content of a file and its name. Raises InputError where it cannot be read."""
    path = Path(source)
    with reading(path):
        return path.read_bytes(), path.name
