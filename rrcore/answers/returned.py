"""Exports of ODK, KoboToolbox, Qualtrics and LimeSurvey, read with a mechanism file: which column answers which question, in which words.

A column is taken where it is called like the attribute. Where there is none, it may be called by its plain name, stand inside groups, carry
the suffix ``_released``, or have the attribute as the text of its question; two such columns are one too many. Answers are categories, or
names of choices; numbers and codes that a tool made up itself are refused, since nobody could know what they stand for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rrcore.errors import InputError
from rrcore.promise.coder import choice_names, question_names
from rrcore.table.reading import Layout, TextColumn, TextTable, open_file
from rrcore.table.reading.exports import Export, find_export
from rrcore.table.schema import Attribute, Schema
from rrcore.wording import spreadsheet_safe

_RELEASED = "_released"
_TEXTS = {
    "Qualtrics": "choose 'Use choice text' when you export from Qualtrics",
    "LimeSurvey": "choose 'Full answers' when you export from LimeSurvey",
    "KoboToolbox": "choose 'XML values and headers' when you export from KoboToolbox",
}


@dataclass(frozen=True)
class Columns:
    """What a table holds of a survey.

    Parameters
    ----------
    answers : one TextColumn for each attribute
    groupings : the other columns, without those about the interview
    """

    answers: tuple[TextColumn, ...]
    groupings: tuple[TextColumn, ...]


def open_export(content: bytes, name: str, encoding: str = "") -> tuple[TextTable, Export | None]:
    """The table of a file and what is known where a survey tool wrote it; rows that are not people are left out.

    ``encoding`` as in ``Layout``.
    """
    file = open_file(content, name, encoding)
    export = find_export([cells for _, cells in file.content.head()])
    return file.read(Layout(skip=export.skip, encoding=encoding) if export else None), export


def find_columns(table: TextTable, export: Export | None, schema: Schema, name: str) -> Columns:
    """The columns of the file called ``name`` that answer the questions of ``schema``.

    Raises
    ------
    InputError
        For a question without a column, or with several.
    """
    about = set(export.interview) if export else set()
    kept = [column for column in table.columns if column.name not in about]
    answers = tuple(
        _column(attribute, short, table.columns, kept, export, name)
        for attribute, short in zip(schema.attributes, question_names(schema), strict=True)
    )
    taken = {column.name for column in answers}
    if len(taken) < len(answers):
        raise InputError(f"In the file '{name}' one column would answer two questions: call each column like its attribute.")
    return Columns(answers, tuple(c for c in kept if c.name not in taken))


def _column(
    attribute: Attribute, short: str, columns: Sequence[TextColumn], kept: Sequence[TextColumn], export: Export | None, name: str
) -> TextColumn:
    by_name = {column.name: column for column in columns}
    for key in (attribute.name, attribute.name.strip(), spreadsheet_safe(attribute.name)):
        if key in by_name:
            return by_name[key]
    wanted = {attribute.name.strip(), short}
    found = [column for column in kept if wanted & _called(column.name, export)]
    if len(found) == 1:
        return found[0]
    if found:
        both = " and ".join(f"'{column.name[:60]}'" for column in found[:3])
        raise InputError(
            f"In the file '{name}' several columns could answer '{attribute.name}', {both}: call one of them '{attribute.name}'.",
            quoted=both,
        )
    have = ", ".join(f"'{' '.join(key.split())[:40]}'" for key in list(by_name)[:8])
    raise InputError(
        f"The file '{name}' has no column '{attribute.name}', which the mechanism file asks for; it has {have}. "
        "Choose the answers and the mechanism file of the same survey.",
        quoted=have,
    )


def _called(name: str, export: Export | None) -> set[str]:
    """What a column may be called: without its groups, by its plainer name, by its question."""
    names = {name, name.rpartition("/")[2]}
    if export is not None:
        names |= {export.names.get(name, name), export.questions.get(name, name).strip()}
    return names | {each.removesuffix(_RELEASED) for each in names}


def further_codes(
    attribute: Attribute, column: TextColumn, known: Mapping[str, int], export: Export | None, name: str
) -> dict[str, int]:
    """``known`` (word -> code) with the words that other tools write: names of choices, and other capitals where that is clear.

    Raises
    ------
    InputError
        Where a tool wrote codes of its own, so that no word of the column is known: with how to export words instead.
    """
    choices = {choice: code for code, choice in enumerate(choice_names(attribute))}
    folded = [category.strip().casefold() for category in attribute.categories]
    capitals = {word: code for code, word in enumerate(folded)} if len(set(folded)) == len(folded) else {}
    found = dict(known)
    for word in column.values:
        code = choices.get(word, capitals.get(word.casefold()))
        if word not in found and code is not None:
            found[word] = code
    used = [column.values[code] for code in sorted(set(column.codes[column.codes >= 0].tolist()))]
    if export is not None and used and not set(found) & set(used):
        have, categories = (", ".join(f"'{word[:30]}'" for word in words[:4]) for words in (used, attribute.categories))
        raise InputError(
            f"In the file '{name}' the column '{column.name[:60]}' has {have}, where {categories} are expected: {_TEXTS[export.tool]}.",
            quoted=have,
        )
    return found
