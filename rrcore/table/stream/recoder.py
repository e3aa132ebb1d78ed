"""Doing to every record of a table of any size what was done to the sample of it that is in play: bins, names, merging, what is left out."""

import json
from collections.abc import Mapping, Sequence

import numpy as np

from rrcore.errors import InputError
from rrcore.table.intervals import limits_of, numbers_of
from rrcore.table.plain import Place, from_plain, parse, to_plain
from rrcore.table.reading import TextColumn, TextTable
from rrcore.table.recoding import answered, recoding
from rrcore.table.rule import MISSING, OTHER, ColumnRule
from rrcore.table.scale import interval_names
from rrcore.table.schema import Attribute, Schema
from rrcore.table.stream.coder import DROPPED, GONE, UNUSABLE, Coder, Lookup

_PLACE = Place("file of recodings", "begin the release anew under another name")
_GIVEN = ("given", "not given")


def recoder(
    sample: TextTable, rules: Mapping[str, ColumnRule], names: Sequence[str], edges: Mapping[str, tuple[float, ...]]
) -> Coder:
    """The coder that makes of each record of a table what ``recode`` makes of those in a sample of it.

    It knows what somebody typed or chose, and the names of the categories: no other text that occurs in the table. Behind the attributes
    ``names`` it has one for each further column without whose answer records are left out; that one has no answers.

    Parameters
    ----------
    sample : the sample that ``look_through`` drew, as ``as_table`` gives it, also with columns called otherwise since
    rules : how its columns become attributes
    names : of the attributes that are wanted
    edges : as in ``Look``

    Raises
    ------
    InputError
        If ``rules`` say nothing about an answer that is in the table, and in the sample by chance is not.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rrcore.table import as_table
    >>> from rrcore.table.stream import look_through, recoder
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = pathlib.Path(folder, "ages.csv")
    ...     _ = place.write_text("age,sex\\n" + "".join(f"{age},f\\n{age},m\\n" for age in range(18, 90)))
    ...     look = look_through(place)
    >>> table, rules = as_table(look.sample)
    >>> how = recoder(table, rules, ["age"], look.edges)
    >>> how.schema.attributes[0].categories, how.lookups[0].codes(["18", "55", "old"])
    (('below 40', '40 to below 60', '60 to below 80', '80 and more'), [0, 1, -2])
    """
    attributes, lookups, columns = [], [], []
    for name in names:
        attribute, lookup = _lookup(sample.column(name), rules[name], edges)
        attributes.append(attribute)
        lookups.append(lookup)
        columns.append(_in_file(sample.column(name)))
    for column in sample.columns:
        rule = rules.get(column.name, ColumnRule(use=False))
        if column.name not in names and rule.use and rule.missing == "drop":
            _, lookup = _lookup(column, rule, edges)
            attributes.append(Attribute(column.name, _GIVEN))
            lookups.append(_whether_given(lookup))
            columns.append(_in_file(column))
    return Coder(Schema(tuple(attributes)), tuple(lookups), tuple(columns))


def write_coder(how: Coder) -> str:
    """A coder as a JSON document; ``read_coder`` reads it back."""
    return json.dumps(to_plain(how), ensure_ascii=False)


def read_coder(text: str | bytes) -> Coder:
    """Read what ``write_coder`` wrote. Raises InputError for anything else."""
    how = from_plain(Coder, parse(text, _PLACE), _PLACE)
    sizes = how.schema.sizes
    if not len(sizes) == len(how.lookups) == len(how.names):
        _PLACE.complain("it has other attributes than columns")
    for size, each in zip(sizes, how.lookups, strict=True):
        codes = {*each.texts.values(), each.missing, each.other, *each.intervals}
        if not codes <= set(range(DROPPED, size)) or len(each.intervals) not in (0, len(each.edges) + 1):
            _PLACE.complain("it has codes of no category")
    return how


def _in_file(column: TextColumn) -> str:
    return column.read_as or column.name


def _lookup(column: TextColumn, rule: ColumnRule, edges: Mapping[str, tuple[float, ...]]) -> tuple[Attribute, Lookup]:
    """What becomes of the texts of a column in the file."""
    attribute, codes = recoding(column, rule)
    code = {category: number for number, category in enumerate(attribute.categories)}
    marks = rule.marks
    called = dict(rule.labels)
    missing = DROPPED if rule.missing == "drop" else code.get(rule.missing_called, GONE)
    other = code.get(OTHER, UNUSABLE)

    def code_of(text: str) -> int:
        return missing if text in marks else code.get(called.get(text, text), other)

    first = edges.get(_in_file(column), ())
    texts = dict.fromkeys(sorted(marks), missing)
    if first:  # the sample has intervals in place of numbers, and marks are among these
        lookup = Lookup({MISSING: missing}, missing, UNUSABLE, first, tuple(map(code_of, interval_names(first))))
        have = [code_of(value) for value in column.values]
    elif rule.binning != "none":
        live, answers = answered(column, rule)
        labels, limits = limits_of(column.name, numbers_of(column.name, answers), column.counts[live], rule)
        lookup = Lookup(texts, missing, UNUSABLE, limits, tuple(code.get(called.get(label, label), other) for label in labels))
        have = lookup.codes(column.values)
    else:
        lookup = Lookup(texts | {text: code_of(text) for text in (*called, *code)}, missing, other)
        have = lookup.codes(column.values)
    _check(column, have, np.where(codes[:-1] < 0, DROPPED, codes[:-1]).tolist(), by_chance=not first)
    return attribute, lookup


def _check(column: TextColumn, have: Sequence[int], want: Sequence[int], *, by_chance: bool) -> None:
    """That the same becomes of everybody in the sample, and something of everybody else; intervals may have nobody in them."""
    for value, got, wanted, people in zip(column.values, have, want, column.counts.tolist(), strict=True):
        assert not people or got == wanted, "the same becomes of an answer in the sample and in the table"
        if got == GONE or (got == UNUSABLE and by_chance):
            what = ("gave no answer to", MISSING) if value == MISSING else ("gave an answer to", OTHER)
            raise InputError(
                f"Somebody in the table {what[0]} '{column.name}' that is none of its categories, and is by chance not among the people in "
                f"play: list '{what[1]}' among its categories on the Data page."
            )


def _whether_given(lookup: Lookup) -> Lookup:
    """``lookup`` for a column of which only matters whose records are left out."""

    def given(code: int) -> int:
        return code if code == DROPPED else 0

    texts = {text: code for text, code in lookup.texts.items() if code == DROPPED}
    return Lookup(texts, given(lookup.missing), 0, lookup.edges, tuple(map(given, lookup.intervals)))
