"""Tables of any size as codes.

Small tables are held in memory, and large tables are read in batches.
"""

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, Literal

from rrcore.errors import InputError, TableWarning
from rrcore.files import read_path
from rrcore.limits import FEW_PEOPLE, MAX_CATEGORIES
from rrcore.mark import check_not_randomized, marks_in, warning
from rrcore.progress import Report, quiet
from rrcore.table.dataset import Dataset
from rrcore.table.opening import open_stream, read_file, read_in_batches
from rrcore.table.recoding import (
    OTHER,
    ColumnRule,
    Rules,
    Values,
    advise,
    as_table,
    changed_columns,
    default_rule,
    rare_categories,
    recode,
    recoded_counts,
    rules_for_names,
)
from rrcore.table.scanning import Coded, CodedTable, Survey, survey
from rrcore.table.source import Source
from rrcore.table.text_table import TextTable
from rrcore.wording.short import some

TableSource = Dataset | bytes | str | os.PathLike[str]
"""A table, the content of a file, or the path of a file or directory."""

_IN_BATCHES = {"encoding", "header", "start", "skip"}


def open_any(source: TableSource, **options: Any) -> Source | tuple[TextTable, Rules]:
    """Open a large table as a stream, or read a small one.

    Parameters
    ----------
    source : Dataset, bytes, or path of a file or directory
    **options
        Options for reading a file, as in ``read_table``.

    Returns
    -------
    Source, or TextTable with the rule of each column

    Raises
    ------
    InputError
        If the table cannot be read, or an option does not apply to a table of its size.
    """
    if isinstance(source, Dataset):
        return as_table(source)
    if isinstance(source, bytes) or not read_in_batches(source):
        table, rules = read_file(*((source, "table") if isinstance(source, bytes) else read_path(source)), **options)
        notes = [
            *(f"Left out: {sentence}" for sentence in table.left_out),
            *map(warning, filter(None, [marks_in([table.title])])),
        ]
        _warn(notes)
        return table, rules
    if wrong := sorted(options.keys() - _IN_BATCHES):
        raise InputError(
            f"'{source}' is read in batches, so the option '{wrong[0]}' cannot be used. Leave it out, or read a smaller table."
        )
    stream = open_stream(source, **options)
    check_not_randomized(stream.names, stream.title)
    _warn(map(warning, filter(None, [stream.marks()])))
    return stream


def _warn(sentences: Iterable[str]) -> None:
    for sentence in sentences:
        warnings.warn(sentence, TableWarning, stacklevel=3)


def code_table(
    source: TableSource,
    columns: Sequence[str] = (),
    *,
    bins: Mapping[str, Iterable[float]] | None = None,
    categories: Mapping[str, Sequence[str]] | None = None,
    rare: Literal["keep", "merge", "refuse"] = "keep",
    executor: Executor | None = None,
    report: Report = quiet,
    **options: Any,
) -> tuple[CodedTable, int, dict[str, ColumnRule]]:
    """Return a table of any size as codes.

    Parameters
    ----------
    source : Dataset, bytes, or path of a file or directory
    columns : sequence of str
        Columns to use. By default, all columns that can be attributes.
    bins : mapping of str to numbers
        Limits of the intervals of numeric columns.
    categories : mapping of str to sequences of str
        Declared categories.
    rare : "keep", "merge" or "refuse"
        How to treat categories with fewer than ``FEW_PEOPLE`` people.
    executor, report
        As in ``survey``.
    **options
        Options for reading a file, as in ``read_table``.

    Returns
    -------
    table : Dataset or Coded
    n : int
        Number of records.
    rules : dict of str to ColumnRule

    Raises
    ------
    InputError
        If a column cannot be an attribute, or there are rare categories and ``rare`` is "refuse".

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.table.anysize import code_table
    >>> table, n, rules = code_table(rr.load_demo("titanic"), ["Sex", "Survived"])
    >>> table.schema.sizes, n
    ((2, 2), 2201)
    """
    found, names = open_any(source, **options), list(columns) or None
    table: TextTable | Survey
    if isinstance(found, Source):
        table = survey(found, executor=executor, report=report)
        rules: Rules = {column.name: default_rule(column) for column in table.columns}
    else:
        table, rules = found
    limits = dict(bins or {})
    settled = rules_for_names(table.columns, rules, names or (), limits)
    settled = _settled(table.columns, settled, names or list(settled), dict(categories or {}), rare)
    if text := changed_columns(table.columns, settled, names, bins=limits, how=("columns=", "bins=")):
        _warn([text])
    if isinstance(table, Survey):
        assert isinstance(found, Source)
        return Coded(found, table.coder(names, settled)), table.n, settled
    dataset = recode(table, settled, names)
    return dataset, dataset.n, settled


def _settled(
    columns: Sequence[Values],
    rules: dict[str, ColumnRule],
    names: Sequence[str],
    categories: Mapping[str, Sequence[str]],
    rare: Literal["keep", "merge", "refuse"],
) -> dict[str, ColumnRule]:
    """Return the rules with declared categories, and with rare ones merged."""
    if unknown := [name for name in categories if name not in rules]:
        raise InputError(f"There is no column '{unknown[0][:40]}'. Choose one of {some(list(rules), 20)}.")
    found = rules | {
        name: replace(rules[name], use=True, edges=(), categories=tuple(own), merge_below=0) for name, own in categories.items()
    }
    used = [column for column in columns if found[column.name].use and column.name in names and rare != "keep"]
    few = {column.name: number for column in used if (number := len(rare_categories(column, found[column.name])))}
    if few and rare == "refuse":
        listed = some([f"'{name}' ({number})" for name, number in few.items()], 10)
        raise InputError(
            f"These columns have categories with fewer than {FEW_PEOPLE} people, whose names would be published: {listed}. Use "
            f"rare=merge to merge them into '{OTHER}', rare=keep to publish them, or declare the categories."
        )
    return found | {name: replace(found[name], merge_below=FEW_PEOPLE) for name in few}


def describe_table(
    source: TableSource, *, executor: Executor | None = None, report: Report = quiet, **options: Any
) -> tuple[str, int, list[str], list[dict[str, Any]]]:
    """Describe the columns of a table of any size.

    Parameters
    ----------
    source, executor, report, **options
        As in ``code_table``.

    Returns
    -------
    title : str
    n : int
        Number of records.
    notes : list of str
        Notes from reading the table.
    columns : list of dict
        One description per column, as returned by ``describe_column``.
    """
    found = open_any(source, **options)
    if isinstance(found, Source):
        seen = survey(found, executor=executor, report=report)
        notes = dict.fromkeys([*seen.notes, *seen.left_out.values()])
        return seen.title, seen.n, list(notes), list(map(describe_column, seen.columns))
    table, rules = found
    return table.title, table.n, list(table.notes), [describe_column(each, rules[each.name]) for each in table.columns]


def describe_column(column: Values, rule: ColumnRule | None = None) -> dict[str, Any]:
    """Describe the attribute that a rule makes of a column.

    Parameters
    ----------
    column : TextColumn or ValueCounts
    rule : ColumnRule, optional
        The rule, by default ``default_rule``.

    Returns
    -------
    dict
        Name, kind, number of categories, missing values and warnings. At most ``MAX_CATEGORIES`` categories are listed with their
        numbers of people.
    """
    rule = rule or default_rule(column)
    kind, categories, counts = rule.kind, column.values, column.counts
    if rule.use:
        attribute, counts = recoded_counts(column, rule)
        kind, categories = attribute.kind, attribute.categories
    return {
        "name": column.name,
        "use": rule.use,
        "kind": kind,
        "size": len(categories),
        "categories": list(categories[:MAX_CATEGORIES]),
        "counts": counts[:MAX_CATEGORIES].tolist(),
        "missing": column.missing,
        "values": len(column.values),
        "warnings": [{"code": each.code, "message": each.message, "action": each.action} for each in advise(column, rule)],
    }
