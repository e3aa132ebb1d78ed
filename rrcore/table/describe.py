"""What to know about a column: what it becomes, why it is left out, and advice with the rule that follows it."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rrcore.limits import FEW_PEOPLE, MAX_CATEGORIES
from rrcore.table.reading.guess import MARKS
from rrcore.table.recoding import (
    ColumnRule,
    Rules,
    Values,
    default_rule,
    interval_names,
    rare_categories,
    recoded_counts,
    rule_to_use,
    why_unused,
)
from rrcore.wording import counted, legible
from rrcore.wording.short import some

_NO_ANSWER = re.compile(
    r"no (answer|response)|refus(ed|al)|(don't|dont|do not) know|dk(/na)?|not (applicable|asked|stated)|prefer not to say|keine angabe|"
    r"k\.a\.|wei(ß|ss) nicht"
)


@dataclass(frozen=True)
class Advice:
    """One thing to know about a column, and what to do.

    Parameters
    ----------
    column : str
    code : str
        "constant", "missing", "identifier", "weight", "long", "crowded", "mark" or "few".
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


def describe(column: Values, rule: ColumnRule | None = None) -> dict[str, Any]:
    """Describe a column as it becomes an attribute by its rule, which is ``default_rule`` unless given.

    Returns
    -------
    dict
        Ready for JSON: its categories with their people, or its different values if it is left out, at most ``MAX_CATEGORIES``; the
        people without a value, the number of different values, and warnings.
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
        "categories": list(categories[:MAX_CATEGORIES]),
        "counts": counts[:MAX_CATEGORIES].tolist(),
        "missing": column.missing,
        "values": len(column.values),
        "categories_left_out": max(0, len(categories) - MAX_CATEGORIES),
        "warnings": [{"code": one.code, "message": one.message, "action": one.action} for one in advise(column, rule)],
    }


def advise(column: Values, rule: ColumnRule) -> tuple[Advice, ...]:
    """Return what to know and do about a column with this rule, the gravest first.

    Examples
    --------
    >>> import numpy as np
    >>> from rrcore.table import ColumnRule, TextColumn, advise
    >>> town = TextColumn("town", np.array([0] * 9 + [1] * 7 + [2] * 6), ("Oslo", "Rome", "?"))
    >>> [(found.message, found.action) for found in advise(town, ColumnRule())]
    [("This may stand for no answer: '?' (6 people).", 'Count as missing')]
    """
    if not rule.use:
        why = why_unused(column)
        able = why is not None and why[0] not in ("missing", "constant", "long")
        used = rule_to_use(column, replace(rule, missing_marks=())) if able else None
        action = "" if used is None else "Use it in groups" if used.edges else "Use it"
        return (Advice(column.name, *why, action, used),) if why else ()
    found: list[Advice] = []
    called = dict(rule.labels)
    people = {value: count for value, count in zip(column.values, column.counts.tolist(), strict=True) if value not in rule.marks}
    names = {value: called.get(value, value) for value in people}
    marks = {value: name for value, name in names.items() if name.lower() in MARKS or _NO_ANSWER.fullmatch(name.lower())}
    if 0 < len(marks) < len(column.values):
        kept = rule.categories and tuple(each for each in rule.categories if each not in marks.values())
        text = f"This may stand for no answer: {_listed((name, people[value]) for value, name in marks.items())}."
        new = replace(rule, missing_marks=(*rule.missing_marks, *marks), categories=kept)
        found.append(Advice(column.name, "mark", text, "Count as missing", new))
    rare = {} if rule.edges or rule.merge_below else rare_categories(column, rule)
    if 0 < sum(rare.values()) < column.n - column.missing:
        text = f"{counted(len(rare), 'category has', 'categories have')} fewer than {FEW_PEOPLE} people: {_listed(rare.items())}."
        found.append(Advice(column.name, "few", text, "Merge into (other)", replace(rule, merge_below=FEW_PEOPLE)))
    return tuple(found)


def _listed(people: Iterable[tuple[str, int]]) -> str:
    return some([f"'{legible(name[:40])}' ({counted(count, 'person', 'people')})" for name, count in people])


def changed_columns(
    columns: Sequence[Values], rules: Rules, names: Sequence[str] | None, bins: Collection[str], how: tuple[str, str]
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
    unused, grouped = [], []
    for column in columns:
        rule = rules[column.name]
        if names is None and not rule.use:
            _, reason = why_unused(column) or ("", "It is about the interview.")
            unused.append(f"'{column.name}' ({reason.rstrip('.')})")
        elif rule.use and rule.edges and column.name not in bins and column.name in (names or rules):
            grouped.append(f"'{column.name}' ({', '.join(interval_names(rule.edges))})")
    texts = [f"Columns left out: {some(unused, 50)}. Choose columns with {how[0]}."] if unused else []
    texts += [f"Columns grouped: {some(grouped, 50)}. Choose limits with {how[1]}."] if grouped else []
    return " ".join(texts)
