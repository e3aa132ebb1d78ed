"""Files that are read with a mechanism file: exports of survey tools, and labels of values.

Answers are categories, or names of choices. Codes that a survey tool made up are refused, since nobody could know what they mean.
"""

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from rrcore.errors import InputError
from rrcore.table.opening import open_file
from rrcore.table.reading.options import Export, ReadOptions, find_export
from rrcore.table.recoding import default_rule
from rrcore.table.scanning import Lookup
from rrcore.table.schema import Attribute
from rrcore.table.text_table import TextColumn, TextTable

_TEXTS = {
    "Qualtrics": "choose 'Use choice text' when you export from Qualtrics",
    "KoboToolbox": "choose 'XML values and headers' when you export from KoboToolbox",
}


def open_export(content: bytes, name: str, encoding: str = "") -> tuple[TextTable, Export | None]:
    """The table of a file of answers, whose first row has names, and what is known where a survey tool wrote it.

    Values have their labels, and rows that are not people are left out. ``encoding`` is as in ``ReadOptions``.
    """
    file = open_file(content, name, encoding)
    export = find_export([cells for _, cells in file.content.head()])
    options = ReadOptions(skip=export.skip, names=export.header, encoding=encoding) if export else None
    return with_labels(file.read(options)), export


def with_labels(table: TextTable, numbers: Collection[str] = ()) -> TextTable:
    """The table with labels in place of the values that have one, except in the columns ``numbers``."""
    columns = (_labelled(each) if each.labels and each.name not in numbers else each for each in table.columns)
    return replace(table, columns=tuple(columns))


def _labelled(column: TextColumn) -> TextColumn:
    rule = default_rule(column)
    called, marks = dict(rule.labels), rule.marks
    texts = [None if value in marks else called.get(value, value) for value in column.values]
    values = tuple(dict.fromkeys(text for text in texts if text is not None))
    place = {text: code for code, text in enumerate(values)}
    code_of = np.array([*(-1 if text is None else place[text] for text in texts), -1])
    return TextColumn(column.name, code_of[column.codes], values)


def check_words(attribute: Attribute, column: TextColumn, lookup: Lookup, export: Export, name: str) -> None:
    """Refuse codes that a survey tool made up: a column of which no word is known.

    Raises
    ------
    InputError
        With how to export words instead.
    """
    used = [column.values[code] for code in sorted(set(column.codes[column.codes >= 0].tolist()))]
    if used and max(lookup.codes(used)) < 0:
        have, categories = (", ".join(f"'{word[:30]}'" for word in words[:4]) for words in (used, attribute.categories))
        raise InputError(
            f"In the file '{name}' the column '{column.name[:60]}' has {have}, where {categories} are expected: {_TEXTS[export.tool]}.",
            quoted=have,
        )
