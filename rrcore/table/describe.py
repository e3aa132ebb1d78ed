"""What to know about a column: what it becomes, why it is left out, and advice with the rule that follows it."""

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

from rrcore.errors import InputError
from rrcore.limits import FEW_PEOPLE, MANY_CATEGORIES, MAX_CATEGORIES, NUMERIC_CATEGORIES
from rrcore.table.reading.guess import MARKS
from rrcore.table.recoding import (
    ColumnRule,
    Values,
    default_rule,
    how_to_use,
    interval_names,
    most_frequent,
    rare_categories,
    recode_in_groups,
    recoded_counts,
    recodes_as_identifier,
    recodes_as_numbers,
    why_unused,
)
from rrcore.table.schema import Kind, Schema
from rrcore.wording import and_text, count_text, counted, legible
from rrcore.wording.short import some

_NO_ANSWER = MARKS | {
    "no answer", "refused", "refusal", "don't know", "dont know", "do not know", "dk", "dk/na", "not applicable", "not asked",
    "not stated", "prefer not to say", "no response", "keine angabe", "k.a.", "weiß nicht", "weiss nicht",
}  # fmt: skip


@dataclass(frozen=True)
class Advice:
    """One thing to know about a column, and what to do.

    Parameters
    ----------
    column : str
    code : str
        "constant", "missing", "identifier", "weight", "long", "crowded", "numbers", "alike", "mark", "many" or "few".
    message : str
        What was found, in a sentence.
    action : str
        The label of a button. Empty if there is nothing to do.
    rule : ColumnRule or None
        The rule that the action sets.
    """

    column: str
    code: str
    message: str
    action: str = ""
    rule: ColumnRule | None = None


@dataclass(frozen=True)
class ColumnSummary:
    """A column at a glance.

    Parameters
    ----------
    name : str
    use : bool
        False if the column is left out.
    kind : str
    categories : tuple of str
        The categories of the attribute that the column becomes, or its different values if it is left out.
    counts : tuple of int
        People in each.
    missing : int
        People without a value.
    values : int
        The number of different values.
    groups : str
        How numbers are grouped. Empty if they are not.
    warnings : tuple of Advice
    """

    name: str
    use: bool
    kind: Kind
    categories: tuple[str, ...]
    counts: tuple[int, ...]
    missing: int
    values: int
    groups: str
    warnings: tuple[Advice, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready description with at most ``MAX_CATEGORIES`` categories."""
        found = asdict(replace(self, categories=self.categories[:MAX_CATEGORIES], counts=self.counts[:MAX_CATEGORIES]))
        warnings = [{"code": one.code, "message": one.message, "action": one.action} for one in self.warnings]
        return found | {"categories_left_out": max(0, len(self.categories) - MAX_CATEGORIES), "warnings": warnings}


class Described(Protocol):
    """A table of texts, or what one pass over a table of any size found."""

    @property
    def columns(self) -> Sequence[Values]: ...


def describe(table: Described, rules: Mapping[str, ColumnRule] | None = None) -> tuple[ColumnSummary, ...]:
    """Summarize each column of a table as it becomes an attribute by its rule, which is ``default_rule`` unless given."""
    return tuple(_summary(column, (rules or {}).get(column.name) or default_rule(column)) for column in table.columns)


def _summary(column: Values, rule: ColumnRule) -> ColumnSummary:
    kind, categories, counts = rule.kind, column.values, column.counts
    if rule.use:
        attribute, counts = recoded_counts(column, rule)
        kind, categories = attribute.kind, attribute.categories
    notes = advise(column, rule)
    groups = grouping_advice(column, rule)
    return ColumnSummary(
        column.name, rule.use, kind, categories, tuple(counts.tolist()), column.missing, len(column.values), groups, notes
    )


def changed_columns(
    columns: Sequence[Values],
    rules: Mapping[str, ColumnRule],
    names: Sequence[str] | None,
    *,
    bins: Collection[str],
    how: tuple[str, str],
) -> str:
    """Say which columns were left out or grouped without being asked.

    Parameters
    ----------
    columns : sequence of Values
    rules : mapping
        The rule of each column.
    names : sequence of str or None
        The columns that the caller chose.
    bins : collection of str
        The columns whose limits the caller gave.
    how : two texts
        The arguments that choose columns and limits.

    Returns
    -------
    str
        Sentences, or an empty text.
    """
    unused = [f"'{each.name}' ({_reason(each)})" for each in columns if names is None and not rules[each.name].use]
    grouped = [
        f"'{each.name}' ({', '.join(interval_names(rules[each.name].edges))})"
        for each in columns
        if each.name in (names or rules) and each.name not in bins and rules[each.name].use and rules[each.name].edges
    ]
    texts = [f"Columns left out: {some(unused, 50)}. Choose columns with {how[0]}."] if unused else []
    texts += [f"Columns grouped: {some(grouped, 50)}. Choose limits with {how[1]}."] if grouped else []
    return " ".join(texts)


def _reason(column: Values) -> str:
    found = why_unused(column)
    return found[1].rstrip(".") if found else "it is about the interview"


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


def advise(column: Values, rule: ColumnRule) -> tuple[Advice, ...]:
    """Return what to know and do about a column with this rule, the gravest first.

    Examples
    --------
    >>> import numpy as np
    >>> from rrcore.table import ColumnRule, TextColumn, advise
    >>> amounts = TextColumn("amount", np.arange(921), tuple(str(250 + 7 * i) for i in range(921)))
    >>> (found,) = advise(amounts, ColumnRule(kind="ordinal"))
    >>> found.message, found.action, found.rule.edges
    ('A number with 921 values.', 'Make groups with rounded edges', (2000.0, 4000.0, 6000.0))
    """
    if not rule.use:
        reason = why_unused(column)
        found = [(*reason, *how_to_use(column, rule))] if reason else []
    else:
        found = [
            *_numbers(column, rule),
            *_alike(column, rule),
            *_marks(column, rule),
            *(_crowd(column, rule) or _few(column, rule)),
        ]
    return tuple(Advice(column.name, *each) for each in found)


_Found = list[tuple[str, str, str, ColumnRule | None]]


def _numbers(column: Values, rule: ColumnRule) -> _Found:
    distinct = len(column.values)
    if rule.edges or rule.labels:
        return []
    if distinct > NUMERIC_CATEGORIES and recodes_as_numbers(column):
        groups = recode_in_groups(column, rule)
        return [("numbers", f"A number with {distinct:,} values.", "Make groups with rounded edges", groups)]
    if recodes_as_identifier(column):
        text = f"Nearly every person has a value of their own: {distinct:,} different values."
        return [("identifier", text, "Leave it out", replace(rule, use=False))]
    return []


def _alike(column: Values, rule: ColumnRule) -> _Found:
    """Values that look the same, or differ in capitals only, and so may be one answer."""
    if rule.edges or len(column.values) > MAX_CATEGORIES:
        return []
    called = dict(rule.labels)
    counts = column.counts.tolist()
    groups = [
        group for group in look_alikes(column.values) if len({called.get(column.values[i], column.values[i]) for i in group}) > 1
    ]
    if not groups:
        return []
    labels = dict(called)
    for group in groups:
        most = max(group, key=lambda i: counts[i])
        labels |= {column.values[i]: called.get(column.values[most], column.values[most]) for i in group}
    listed = "; ".join(_together(column, group) for group in groups[:3])
    gone = {called.get(value, value) for value in column.values} - {labels.get(value, value) for value in column.values}
    new = _without(replace(rule, labels=tuple((value, label) for value, label in labels.items() if label != value)), gone)
    more = f", and {counted(len(groups) - 3, 'other group', 'other groups')}" if len(groups) > 3 else ""
    return [("alike", f"These look alike and count apart: {listed}{more}.", "Make them one", new)]


def _without(rule: ColumnRule, gone: Collection[str]) -> ColumnRule:
    """The rule without some of its declared categories."""
    return (
        rule if rule.categories is None else replace(rule, categories=tuple(each for each in rule.categories if each not in gone))
    )


def _together(column: Values, group: Sequence[int]) -> str:
    """The values of a group and how many people gave each; at most three of them by name."""
    names = [_named(column.values[i], int(column.counts[i])) for i in group[:3]]
    return and_text(names + ([f"{len(group) - 3:,} more"] if len(group) > 3 else []))


def _named(value: str, count: int) -> str:
    return f"'{legible(value[:40])}' ({counted(count, 'person', 'people')})"


def _marks(column: Values, rule: ColumnRule) -> _Found:
    """Values, or labels of values, that often stand for no answer."""
    called = dict(column.labels) | dict(rule.labels)
    marks = [
        (value, called.get(value, value), count)
        for value, count in zip(column.values, column.counts.tolist(), strict=True)
        if called.get(value, value).lower() in _NO_ANSWER and value not in rule.missing_marks
    ]
    if not marks or len(marks) == len(column.values):
        return []
    words = ", ".join(_named(word, count) for _, word, count in marks[:4])
    new = replace(rule, missing_marks=(*rule.missing_marks, *(value for value, _, _ in marks)))
    return [
        ("mark", f"This may stand for no answer: {words}.", "Count as missing", _without(new, {word for _, word, _ in marks}))
    ]


def _crowd(column: Values, rule: ColumnRule) -> _Found:
    distinct = len(column.values)
    if distinct <= MANY_CATEGORIES or recodes_as_numbers(column) or recodes_as_identifier(column) or rule.merge_below:
        return []
    text = f"There are {distinct:,} categories: each will be estimated from few people."
    return [("many", text, *(most_frequent(column, rule) or ("", None)))]


def _few(column: Values, rule: ColumnRule) -> _Found:
    """Categories of few people whose names, read off the data, tell about them."""
    if rule.edges or rule.merge_below >= FEW_PEOPLE:
        return []
    try:
        few = rare_categories(column, rule)
    except InputError:
        return []
    if not few or sum(few.values()) == column.n - column.missing:
        return []
    listed = some([_named(name, count) for name, count in few.items()], 3)
    one = "One category has" if len(few) == 1 else f"{len(few)} categories have"
    new = replace(rule, merge_below=FEW_PEOPLE)
    return [("few", f"{one} fewer than {FEW_PEOPLE} people: {listed}.", "Merge into (other)", new)]


def grouping_advice(column: Values, rule: ColumnRule) -> str:
    """How numbers are grouped, in a few words; "" where they are not."""
    if not rule.edges or not rule.use:
        return ""
    names = interval_names(rule.edges)
    return f"{len(names)} intervals, '{names[0]}' to '{names[-1]}', with rounded edges: {len(column.values):,} numbers."


def skeleton(text: str) -> str:
    """What a text looks like: the same for texts that are taken for the same.

    Unicode's compatible forms are one (NFKC), and so are capitals and small letters; characters that are not seen go, as do apostrophes that
    make a formula safe.

    Examples
    --------
    >>> [skeleton(text) for text in ("Yes", "YES", "Yes\\u200b", "Y es", "Ｙｅｓ")]
    ['yes', 'yes', 'yes', 'y es', 'yes']
    """
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    seen = "".join(
        character for character in plain if unicodedata.category(character) not in ("Cf", "Cc", "Mn") or character == "\n"
    )
    return " ".join(seen.lstrip("'").split())


def look_alikes(texts: Sequence[str]) -> list[list[int]]:
    """The places of texts that look alike, each group together; a text that looks like no other is in none."""
    groups: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        groups.setdefault(skeleton(text), []).append(place)
    return [group for group in groups.values() if len(group) > 1]
