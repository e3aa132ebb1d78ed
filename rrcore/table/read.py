"""Any table an analyst has at hand as a Dataset: a file, or a data frame of any library, by the rules the Data page starts from."""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from os import PathLike
from pathlib import Path
from typing import Any

from rrcore.errors import InputError, TableWarning, reading
from rrcore.limits import MAX_CATEGORIES
from rrcore.progress import Report, quiet
from rrcore.table.dataset import Dataset
from rrcore.table.describe import changed_columns
from rrcore.table.mark import check_not_randomised, marked_title, marks_in, take_mark
from rrcore.table.opening import FirstRows, open_file, read_frame
from rrcore.table.reading.arrow import ArrowStream
from rrcore.table.reading.encoding import UncertainEncodingError
from rrcore.table.reading.exports import Export
from rrcore.table.reading.guess import Proposed, guess_options, guess_refinements
from rrcore.table.reading.options import ReadOptions, refined
from rrcore.table.recoding import ColumnRule, default_rule, recode, rules_for_names
from rrcore.table.schema import Schema
from rrcore.table.source import UnevenRowsError
from rrcore.table.text_table import TextTable

OPTIONS = frozenset({"fix_names", *(each.name for each in fields(ReadOptions))})
"""What can be decided about the reading of a file."""

ABOUT_THE_INTERVIEW = "(about the interview, or a copy of other columns)"
"""In place of a question's wording: why a column of an export is not in play at first."""


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
    rules: dict[str, ColumnRule] = {}
    if isinstance(source, str | PathLike | bytes):
        content = (source, "table") if isinstance(source, bytes) else read_path(source)
        table, rules = read_file(*content, **options)
    elif hasattr(source, "__arrow_c_stream__"):
        table, rules = _read_frame(source)
        _check_options(options)
        for each in guess_refinements(table, options):
            each.refuse()
        table = refined(table, ReadOptions(**{name: value for name, value in options.items() if name != "fix_names"}))
    else:
        raise InputError(
            f"A table was expected and a {type(source).__name__} was given: give a path, bytes, or a table of pandas, polars or pyarrow."
        )
    table = replace(table, title=marked_title(title, marks_in([table.title])) if title else table.title)
    if isinstance(columns, Schema):
        return recode(
            table, {a.name: ColumnRule(kind=a.kind, categories=a.categories) for a in columns.attributes}, columns.names
        )
    names, limits = None if columns is None else list(columns), dict(bins or {})
    rules = rules_for_names(table.columns, first_rules(table) | rules, names, limits)
    changed = changed_columns(table.columns, rules, names, bins=limits, how=("columns=", "bins="))
    if told := [*(table.left_out if names is None else ()), *([changed] if changed else [])]:
        warnings.warn(" ".join(told), TableWarning, stacklevel=2)
    return recode(table, rules, names)


def _read_frame(source: ArrowStream) -> tuple[TextTable, dict[str, ColumnRule]]:
    """The table of a data frame, and rules for those of its columns that declare their categories."""
    table, declared = read_frame(source)
    rules = {
        name: ColumnRule(kind="ordinal" if ordered else "nominal", categories=categories)
        for name, (categories, ordered) in declared.items()
        if name in table.names and 2 <= len(categories) <= MAX_CATEGORIES
    }
    return _marked(table), rules


def read_file(data: bytes, filename: str, **given: Any) -> tuple[TextTable, dict[str, ColumnRule]]:
    """Return the table of a file and the first rule of each column; nothing that is in doubt is decided here.

    Parameters
    ----------
    data, filename : as in ``open_file``
    **given
        As the options of ``read_table``; None leaves an option to what is proposed.

    Raises
    ------
    InputError
        With one sentence, which names the option that decides.
    """
    given = {name: value for name, value in given.items() if value is not None}
    _check_options(given)
    found = inspect_file(data, filename, given)
    for each in found.proposed:
        each.refuse()
    if found.problem is not None:
        raise found.problem
    assert found.table is not None
    return as_export(found.table, found.export)


def _check_options(given: Mapping[str, Any]) -> None:
    if wrong := set(given) - OPTIONS:
        raise InputError(f"There is no option '{min(wrong)}': choose among {', '.join(sorted(OPTIONS))}.")


def as_export(table: TextTable, export: Export | None) -> tuple[TextTable, dict[str, ColumnRule]]:
    """Return the table and its first rules; columns of an ``export`` that are about the interview are left out.

    A simulation keeps its mark in the title of the table, and so wherever that is taken for true answers.
    """
    table = _marked(table)
    if export is None:
        return table, first_rules(table)
    called = {name: export.names.get(name, name) for name in (*export.questions, *export.interview)}
    questions = {
        called[name]: text for name, text in (export.questions | dict.fromkeys(export.interview, ABOUT_THE_INTERVIEW)).items()
    }
    left_out = {called[name] for name in export.interview}
    asked = tuple(replace(c, question=c.question or questions.get(c.name, "")) for c in table.columns)
    table = replace(table, columns=asked)
    return table, {name: replace(rule, use=rule.use and name not in left_out) for name, rule in first_rules(table).items()}


def _marked(table: TextTable) -> TextTable:
    """The table without columns that mark a simulation, and the mark in its title. Refuses randomized answers."""
    check_not_randomised(table.names, table.title)
    kept, mark = take_mark(table)
    return replace(kept, title=marked_title(kept.title, mark))


def first_rules(table: TextTable) -> dict[str, ColumnRule]:
    """The rule of each column that the Data page starts from."""
    return {column.name: default_rule(column) for column in table.columns}


def read_path(source: str | PathLike[str]) -> tuple[bytes, str]:
    """The content of a file and its name. Raises InputError where it cannot be read."""
    path = Path(source)
    with reading(path):
        return path.read_bytes(), path.name


@dataclass(frozen=True, eq=False)
class InspectedFile:
    """A file that was looked at, and read as proposed.

    Parameters
    ----------
    title, kind : str, the name of the file without its ending, and what messages call it
    content : FirstRows, what it shows before it is read
    options : ReadOptions, those given and those proposed
    proposed : tuple of Proposed, why, and whether it has to be asked
    export : Export or None, what is known where a survey tool wrote the file
    table : TextTable or None, what was read; None if that is impossible as proposed
    problem : InputError or None, why it is impossible
    """

    title: str
    kind: str
    content: FirstRows
    options: ReadOptions
    proposed: tuple[Proposed, ...]
    export: Export | None = None
    table: TextTable | None = None
    problem: InputError | None = None

    @property
    def unsure(self) -> tuple[Proposed, ...]:
        """What has to be asked."""
        return tuple(each for each in self.proposed if not each.sure)


def inspect_file(data: bytes, filename: str, given: Mapping[str, Any] | None = None, *, report: Report = quiet) -> InspectedFile:
    """Read a file by the options ``given``, and by proposals for those that are not.

    Parameters
    ----------
    data, filename : as in ``open_file``
    given : fields of ``ReadOptions``, or ``fix_names``, with their values

    Raises
    ------
    InputError
        If the file cannot be looked at.
    """
    given = dict(given or {})
    if given.get("counts") == "none":
        given["counts"] = ""
    proposed: list[Proposed] = []
    try:
        file = open_file(data, filename, given.get("encoding", ""))
    except UncertainEncodingError as error:
        likeliest = next(iter(error.candidates))
        proposed.append(Proposed("encoding", likeliest, str(error), error=error))
        file = open_file(data, filename, likeliest)
    guess = guess_options(file, given)
    proposed += guess.proposed
    options = guess.options
    plain = replace(options, totals=0, counts="", weights="", missing_codes=(), decimal="")
    made = InspectedFile(file.title, file.kind, file.content, options, tuple(proposed), guess.export)
    try:
        try:
            table = file.read(plain, report)
        except UnevenRowsError as error:
            offer = f"{error} Or leave {'it' if error.rows == 1 else 'them'} out, with 'uneven' drop."
            stop = UnevenRowsError(offer, quoted=error.quoted, rows=error.rows)
            proposed.append(Proposed("uneven", "drop", str(error), error=stop))
            options, plain = replace(options, uneven="drop"), replace(plain, uneven="drop")
            table = file.read(plain, report)
        check_not_randomised(table.names, table.title)
        proposed += guess_refinements(table, given)
        wanted = {each.option: each.value for each in proposed if each.option in ("totals", "counts", "decimal")}
        options = replace(options, **wanted)
        if plain != options:
            table = refined(table, replace(options, names=()))
    except InputError as error:
        return replace(made, proposed=tuple(proposed), problem=error)
    notes = tuple(each.why for each in proposed if each.sure and each.option in ("skip", "decimal", "fix_names"))
    return replace(made, options=options, proposed=tuple(proposed), table=replace(table, notes=(*notes, *table.notes)))
