"""What a person should know about each column before choosing a rule for it: counts, and warnings with what to do."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from rrcore.limits import FEW_PEOPLE, MANY_CATEGORIES, MAX_CATEGORIES, NUMERIC_CATEGORIES
from rrcore.table.reading.header import MARKS
from rrcore.table.recoding import recode_in_groups, recodes_as_identifier, recodes_as_numbers
from rrcore.table.rule import ColumnRule
from rrcore.table.schema import Schema
from rrcore.table.values import Values
from rrcore.wording import count_text, counted, percent


@dataclass(frozen=True)
class ColumnWarning:
    """One thing to know about a column.

    Parameters
    ----------
    code : "identifier", "constant", "missing", "missing-mark", "many-categories", "too-many-categories", "numeric" or "few"
    message : str, what was found, in a sentence
    action : str, what to do about it, in a sentence
    """

    code: str
    message: str
    action: str


@dataclass(frozen=True)
class ColumnSummary:
    """A column at a glance.

    Parameters
    ----------
    name : str
    categories : tuple of str, the distinct values, in number order if all are numbers, else in text order
    counts : tuple of int, people with each value
    missing : int, people without a value
    distinct : int, number of distinct values
    numeric : bool, whether all values are numbers
    warnings : tuple of ColumnWarning, the gravest first
    """

    name: str
    categories: tuple[str, ...]
    counts: tuple[int, ...]
    missing: int
    distinct: int
    numeric: bool
    warnings: tuple[ColumnWarning, ...]

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready description with at most ``MAX_CATEGORIES`` categories; ``categories_left_out`` counts the others."""
        return {
            "name": self.name,
            "categories": list(self.categories[:MAX_CATEGORIES]),
            "counts": list(self.counts[:MAX_CATEGORIES]),
            "categories_left_out": max(0, self.distinct - MAX_CATEGORIES),
            "missing": self.missing,
            "distinct": self.distinct,
            "numeric": self.numeric,
            "warnings": [asdict(warning) for warning in self.warnings],
        }


class Described(Protocol):
    """A table of texts, or what one pass over a table of any size found."""

    @property
    def columns(self) -> Sequence[Values]: ...


def describe(table: Described) -> tuple[ColumnSummary, ...]:
    """A summary of each column of the table, in its order."""
    return tuple(_summary(column) for column in table.columns)


def describe_size(schema: Schema, people: int, *, planned: bool = False) -> str:
    """One sentence on the size of a table: attributes, combinations, people, and how far down these people can be cut.

    Parameters
    ----------
    schema : Schema, the attributes in play
    people : int, how many there are, or are planned
    planned : bool, whether there is no table yet

    Examples
    --------
    >>> from rrcore.table import load_demo, describe_size
    >>> titanic = load_demo("titanic")
    >>> describe_size(titanic.schema, titanic.n)
    '**4 attributes, 32 combinations, 2,201 people**: on average 69 people have the same answers to all of them.'
    """
    cells = schema.cells
    many = count_text(cells) if cells < 10**12 else f"10^{len(str(cells)) - 1} or more"
    counts = (
        counted(len(schema.names), "attribute", "attributes"),
        f"{many} combinations",
        counted(people, "person", "people") + (" planned" if planned else ""),
    )
    shared = round(people / cells)
    if len(schema.names) == 1:
        shared_by = f"on average {counted(max(shared, 1), 'person', 'people')} to each answer"
    elif shared >= 2:
        shared_by = f"on average {counted(shared, 'person', 'people')} have the same answers to all of them"
    else:
        shared_by = "most combinations of all of them have nobody"
        shared_by += ", so look at two or three at a time" if len(schema.names) > 2 else ""
    return f"**{', '.join(counts)}**: {shared_by}."


def _summary(column: Values) -> ColumnSummary:
    counts = tuple(int(count) for count in column.counts)
    numeric = recodes_as_numbers(column)
    return ColumnSummary(
        name=column.name,
        categories=column.values,
        counts=counts,
        missing=column.missing,
        distinct=len(column.values),
        numeric=numeric,
        warnings=tuple(_warnings(column, counts, numeric)),
    )


def _warnings(column: Values, counts: tuple[int, ...], numeric: bool) -> list[ColumnWarning]:
    n, missing, distinct = column.n, column.missing, len(column.values)
    found = []
    if recodes_as_identifier(column):
        found.append(
            ColumnWarning(
                "identifier",
                f"Nearly every person has a value of their own: {distinct:,} different values among {n - missing:,} people.",
                "Leave this column out: a name or number of a person says nothing about groups.",
            )
        )
    elif distinct == 0:
        found.append(ColumnWarning("constant", "Every value is missing.", "Leave this column out."))
    elif distinct == 1 and not missing:
        text = f"Everyone has the same value, '{column.values[0][:40]}'."
        found.append(ColumnWarning("constant", text, "Leave this column out, or declare the other possible answers."))
    elif numeric and distinct > NUMERIC_CATEGORIES:
        text = f"These are numbers, with {distinct:,} different values."
        edges = ", ".join(format(edge, ".15g") for edge in recode_in_groups(column, ColumnRule()).edges)
        found.append(ColumnWarning("numeric", text, f"Put them into bins with rounded edges, for example at {edges}."))
    elif distinct > MAX_CATEGORIES:
        text = f"There are {distinct:,} categories, more than the limit of {MAX_CATEGORIES:,}."
        found.append(ColumnWarning("too-many-categories", text, "Group the values, merge rare ones or leave this column out."))
    elif distinct > MANY_CATEGORIES:
        text = f"There are {distinct:,} categories: each will be estimated from few people."
        found.append(ColumnWarning("many-categories", text, "Merge rare ones, or group the values."))
    elif 0 < (few := sum(count < FEW_PEOPLE for count in counts)) < distinct and not column.labels:
        text = f"{counted(few, 'category has', 'categories have')} fewer than {FEW_PEOPLE} people: such a name tells about them."
        found.append(ColumnWarning("few", text, "Merge rare categories, or declare the possible answers."))
    if missing and distinct:
        text = f"{missing:,} of {n:,} people ({percent(missing / n)}) have no value."
        found.append(ColumnWarning("missing", text, "Keep them as a category of their own, or drop their rows."))
    marks = [(value, count) for value, count in zip(column.values, counts, strict=True) if value.lower() in MARKS]
    if marks and distinct > len(marks):
        words = ", ".join(f"'{value}' ({count:,} people)" for value, count in marks)
        action = "If it does, list it as a missing mark; if not, keep it as a category."
        found.append(ColumnWarning("missing-mark", f"This may stand for a missing value: {words}.", action))
    return found
