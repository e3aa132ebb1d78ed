"""Tables in a warehouse: they are counted where they are, through Ibis, and only counts leave it."""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import and_, or_
from typing import Any

import numpy as np

from rrcore.arrays import Integers
from rrcore.errors import InputError, need
from rrcore.limits import MAX_STREAM_VALUES, MAX_TEXT
from rrcore.table.cells import check_cells
from rrcore.table.counts import Counts, Names
from rrcore.table.mark import marked_title, marks_in
from rrcore.table.schema import Schema
from rrcore.table.stream.coder import GONE, UNUSABLE, Coder, Lookup, coder
from rrcore.table.stream.counting import cover
from rrcore.table.stream.surveying import Survey
from rrcore.table.values import ValueCounts

_MOST_GROUPS = 1 << 18  # groups of one query, where no marginal alone has more


def is_warehouse(name: str) -> bool:
    """Whether this is the address of a table in a warehouse, not the name of a file."""
    return "://" in name


def open_table(address: str) -> Any:
    """A table of a warehouse, as an Ibis table.

    Parameters
    ----------
    address : what Ibis connects to, and after a # the name of the table: "duckdb:///folder/panel.db#answers"

    Raises
    ------
    InputError
        If there is no such warehouse or table.
    """
    ibis = need("ibis", "A table in a warehouse")
    place, mark, name = address.partition("#")
    if not mark or not name:
        raise InputError(
            f"'{address}' names no table: write # and its name after the warehouse, as in duckdb:///panel.db#answers."
        )
    try:
        warehouse = ibis.connect(place, **({"read_only": True} if place.startswith("duckdb:") else {}))
    except Exception as error:  # every backend has errors of its own
        raise InputError(f"The warehouse '{place}' cannot be opened: check the address and that Ibis can reach it.") from error
    try:
        return warehouse.table(name)
    except Exception as error:
        known = ", ".join(warehouse.list_tables()[:20]) or "none"
        raise InputError(f"The warehouse '{place}' has no table '{name}': its tables are {known}.") from error


def survey_table(table: Any, names: Sequence[str] | None = None) -> Survey:
    """What occurs in the columns of an Ibis table, as ``survey`` finds it in files: one ``group_by`` for each column.

    Parameters
    ----------
    table : ibis.Table
    names : some of its columns; all if left out
    """
    title = marked_title(table.get_name(), marks_in(table.columns))
    table = _flat(table, table.columns if names is None else names)
    found, crowded = [], []
    for name in table.columns:
        texts: dict[str, int] | None = {}
        missing = 0
        for _, text, count in _values(table, name):
            if not text:
                missing += count
            elif texts is not None:
                texts[text] = texts.get(text, 0) + count
                if len(text) > MAX_TEXT or len(texts) > MAX_STREAM_VALUES:
                    texts = None
        if texts is None:
            crowded.append(name)
        else:
            found.append(ValueCounts.of(name, texts, missing))
    return Survey(title, _rows(table), tuple(found), tuple(crowded))


def count_table(table: Any, schema: Schema | Coder | Sequence[str], marginals: Iterable[Sequence[str]]) -> Counts:
    """Count marginals of an Ibis table where it is: one ``group_by`` for each column, and one for all marginals if it has few groups.

    Parameters
    ----------
    table : ibis.Table
    schema : the attributes and their categories, a coder, or only the names of columns, whose values then are the categories
    marginals : names of attributes each

    Raises
    ------
    InputError
        If an attribute is no column, or a marginal has too many cells.

    Examples
    --------
    >>> import ibis
    >>> from rrcore.table.warehouse import count_table
    >>> table = ibis.memtable({"smokes": ["no", "yes", "no", None], "age": [31, 45, 31, 45]})
    >>> counts = count_table(table, ["smokes", "age"], [("smokes", "age")])
    >>> counts.schema.attributes[0].categories, counts.of(["smokes", "age"]).tolist()
    (('no', 'yes', '(missing)'), [[2, 0], [0, 1], [0, 1]])
    """
    how = schema
    if not isinstance(how, Coder):
        how = coder(how) if isinstance(how, Schema) else survey_table(table, how).coder(how)
    names, sizes, columns = how.names, how.schema.sizes, table.columns
    table = _flat(table, names)
    wanted = tuple(dict.fromkeys(tuple(each) for each in marginals))
    for each in wanted:
        check_cells(how.schema.select(each).sizes)
    codes = [dict(_codes(table, name, lookup)) for name, lookup in zip(names, how.lookups, strict=True)]
    unusable, gone = (_among(table, codes, code) for code in (UNUSABLE, GONE))
    if len(gone) == len(names):
        unusable.append(reduce(and_, gone))
    usable = table.filter(~reduce(or_, unusable)) if unusable else table
    n, kept = _rows(table), _rows(usable)
    incomplete = _rows(usable.filter(reduce(or_, gone))) if gone else 0
    every = math.prod(size + 1 for size in sizes) <= _MOST_GROUPS
    blocks = [tuple(range(len(sizes)))] if every else cover(sizes, [how.schema.axes(each) for each in wanted], most=_MOST_GROUPS)
    tables: dict[Names, Integers] = {}
    for block in blocks:
        own = {each: how.schema.axes(each) for each in wanted if each not in tables and set(how.schema.axes(each)) <= set(block)}
        groups = _groups(usable, [names[i] for i in block], [codes[i] for i in block])
        for each, axes in own.items():
            tables[each] = _summed(groups, [block.index(i) for i in axes], how.schema.select(each).sizes)
    mark = marks_in(name for name in columns if name not in names)
    return Counts(how.schema, kept, {each: tables[each] for each in wanted}, left_out=n - kept, incomplete=incomplete, mark=mark)


def _flat(table: Any, names: Iterable[str]) -> Any:
    """The named columns; what is not a number in a column of numbers is missing, as in files."""
    chosen = {}
    for name in names:
        if name not in table.columns:
            known = ", ".join(table.columns[:20]) + (", ..." if len(table.columns) > 20 else "")
            raise InputError(f"There is no column '{name}': choose among {known}.")
        column = table[name]
        if column.type().is_nested():
            raise InputError(f"Column '{name}' holds lists or records, one value per cell was expected: leave it out.")
        chosen[name] = column.isnan().ifelse(None, column) if column.type().is_floating() else column
    return table.select(**chosen)


def _rows(table: Any) -> int:
    return int(table.count().to_pyarrow().as_py())


def _values(table: Any, name: str) -> Iterator[tuple[Any, str | None, int]]:
    """The values of a column, each as it is there, as the text that a file would have, and how many rows have it."""
    from rrcore.table.reading.columns import trim
    from rrcore.table.reading.kinds import arrow_texts

    one = table.select(value=table[name])
    for batch in one.group_by("value").aggregate(rows=one.count()).to_pyarrow_batches():
        values, rows = batch.columns
        yield from zip(values.to_pylist(), trim(arrow_texts(values)).to_pylist(), rows.to_pylist(), strict=True)


def _codes(table: Any, name: str, lookup: Lookup) -> Iterator[tuple[Any, int]]:
    found = [(value, text) for value, text, _ in _values(table, name)]
    yield from zip((value for value, _ in found), lookup.codes([text for _, text in found]), strict=True)


def _among(table: Any, codes: Sequence[dict[Any, int]], code: int) -> list[Any]:
    """For each column that has values of this code, an expression that is true of the records that have one."""
    found = []
    for name, each in zip(table.columns, codes, strict=True):
        values = [value for value, own in each.items() if own == code]
        if values:
            among = table[name].isin([value for value in values if value is not None]).fill_null(False)
            found.append(among | table[name].isnull() if None in values else among)
    return found


def _groups(table: Any, names: Sequence[str], codes: Sequence[dict[Any, int]]) -> tuple[list[Integers], Integers]:
    """One ``group_by``: the codes of each column, and the rows of each group."""
    chosen = table.select(**{f"c{i}": table[name] for i, name in enumerate(names)})
    found: list[list[Integers]] = [[] for _ in range(len(names) + 1)]
    for batch in chosen.group_by(list(chosen.columns)).aggregate(rows=chosen.count()).to_pyarrow_batches():
        for i, own in enumerate(codes):
            coded = batch.column(i).dictionary_encode("encode")
            code_of = np.array([own[value] for value in coded.dictionary.to_pylist()], np.int64)
            found[i].append(code_of[coded.indices.to_numpy()])
        found[-1].append(batch.column(len(names)).to_numpy())
    *columns, rows = (np.concatenate(parts) if parts else np.zeros(0, np.int64) for parts in found)
    return columns, rows


def _summed(groups: tuple[list[Integers], Integers], axes: Sequence[int], sizes: Sequence[int]) -> Integers:
    """The rows of each cell, shape ``sizes``, over groups that have an answer to each of ``axes``."""
    columns, rows = groups
    fine = np.logical_and.reduce([columns[i] >= 0 for i in axes])
    table = np.zeros(tuple(sizes), np.int64)
    np.add.at(table, tuple(columns[i][fine] for i in axes), rows[fine])
    return table
