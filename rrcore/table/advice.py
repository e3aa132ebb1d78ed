"""Advice that fits: what a column would gain from, given how it is treated now, and the rule that does it at one press."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rrcore.errors import InputError
from rrcore.limits import FEW_PEOPLE, MANY_CATEGORIES, MAX_CATEGORIES, MAX_TEXT, NUMERIC_CATEGORIES
from rrcore.table.reading import TextColumn
from rrcore.table.reading.header import MARKS
from rrcore.table.recoding import recode_column, recode_in_groups, recodes_as_identifier, recodes_as_numbers
from rrcore.table.rule import OTHER, ColumnRule, rule_learned_names
from rrcore.table.scale import interval_names
from rrcore.wording import and_text, count_text, counted

_NO_ANSWER = MARKS | {
    "no answer", "refused", "refusal", "don't know", "dont know", "do not know", "dk", "dk/na", "not applicable", "not asked",
    "not stated", "prefer not to say", "no response", "keine angabe", "k.a.", "weiß nicht", "weiss nicht",
}  # fmt: skip
_FEW = 20
_THRESHOLDS = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)


@dataclass(frozen=True)
class Advice:
    """One thing to know about a column, and what to do.

    Parameters
    ----------
    column : str
    message : str, what was found, in a sentence
    action : str, what a button for it says; "" where there is nothing to press
    rule : ColumnRule or None, the rule that does it
    """

    column: str
    message: str
    action: str = ""
    rule: ColumnRule | None = None


def advise(column: TextColumn, rule: ColumnRule) -> tuple[Advice, ...]:
    """What to know and do about ``column``, treated by ``rule``, the gravest first.

    Examples
    --------
    >>> import numpy as np
    >>> from rrcore.table import ColumnRule, TextColumn, advise
    >>> amounts = TextColumn("amount", np.arange(921), tuple(str(250 + 7 * i) for i in range(921)))
    >>> (found,) = advise(amounts, ColumnRule(kind="ordinal"))
    >>> found.message, found.action, found.rule.binning
    ('A number with 921 values.', 'Make groups with rounded edges', 'open')
    """
    found = [
        *_numbers(column, rule),
        *_constant(column, rule),
        *_alike(column, rule),
        *_marks(column, rule),
        *(_crowd(column, rule) or _few(column, rule)),
    ]
    return tuple(Advice(column.name, message, action, new) for message, action, new in found)


_Found = list[tuple[str, str, ColumnRule | None]]


def _numbers(column: TextColumn, rule: ColumnRule) -> _Found:
    distinct = len(column.values)
    if distinct <= NUMERIC_CATEGORIES or not recodes_as_numbers(column):
        return _names(column, rule)
    groups = recode_in_groups(column, rule)
    if not rule.use:
        what = (
            "A number with a value for nearly every person"
            if recodes_as_identifier(column)
            else f"A number with {distinct:,} values"
        )
        return [(f"{what}: a case number says nothing about groups, an amount can be grouped.", "Use it in groups", groups)]
    if rule.binning == "none" and not rule.labels:
        return [(f"A number with {distinct:,} values.", "Make groups with rounded edges", groups)]
    if rule.binning in ("equal-count", "equal-width") and rule.categories is None:
        what = "The limits of these groups are numbers of the table, its lowest and highest among them"
        return [(f"{what}: whoever gets a form, a file or a report reads them.", "Round them", groups)]
    return []


def _names(column: TextColumn, rule: ColumnRule) -> _Found:
    if not recodes_as_identifier(column):
        return []
    text = f"Nearly every person has a value of their own: {len(column.values):,} different values."
    return [(text, "", None)] if not rule.use else [(text, "Leave it out", replace(rule, use=False))]


def _constant(column: TextColumn, rule: ColumnRule) -> _Found:
    if len(column.values) > 1 or (column.values and column.missing):
        return []
    text = f"Everyone has the same value, '{column.values[0][:40]}'." if column.values else "Every value is missing."
    return [(f"{text} It says nothing about anybody.", "", None)]


def _alike(column: TextColumn, rule: ColumnRule) -> _Found:
    """Values that look the same, or differ in capitals only, and so may be one answer."""
    if not rule.use or rule.binning != "none" or len(column.values) > MAX_CATEGORIES:
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
    kept = None if rule.categories is None else tuple(category for category in rule.categories if category not in gone)
    new = replace(rule, labels=tuple((value, label) for value, label in labels.items() if label != value), categories=kept)
    more = f", and {counted(len(groups) - 3, 'other group', 'other groups')}" if len(groups) > 3 else ""
    return [(f"These look alike and count apart: {listed}{more}.", "Make them one", new)]


def _together(column: TextColumn, group: Sequence[int]) -> str:
    """The values of a group and how many people gave each; at most three of them by name."""
    names = [f"'{visible(column.values[i][:40])}' ({counted(int(column.counts[i]), 'person', 'people')})" for i in group[:3]]
    names += [f"{len(group) - 3:,} more"] if len(group) > 3 else []
    return and_text(names)


def _marks(column: TextColumn, rule: ColumnRule) -> _Found:
    """Values, or labels of values, that often stand for no answer."""
    called = dict(column.labels) | dict(rule.labels)
    counts = column.counts.tolist()
    marks = [
        (value, called.get(value, value), count)
        for value, count in zip(column.values, counts, strict=True)
        if called.get(value, value).lower() in _NO_ANSWER and value not in rule.missing_marks
    ]
    if not marks or not rule.use or len(marks) == len(column.values):
        return []
    words = ", ".join(f"'{word[:40]}' ({counted(count, 'person', 'people')})" for _, word, count in marks[:4])
    gone = {word for _, word, _ in marks}
    kept = None if rule.categories is None else tuple(category for category in rule.categories if category not in gone)
    new = replace(rule, missing_marks=(*rule.missing_marks, *(value for value, _, _ in marks)), categories=kept)
    return [(f"This may stand for no answer: {words}.", "Count as missing", new)]


def _crowd(column: TextColumn, rule: ColumnRule) -> _Found:
    distinct = len(column.values)
    if distinct <= MANY_CATEGORIES or recodes_as_numbers(column) or recodes_as_identifier(column) or rule.merge_below:
        return []
    if any(len(value) > MAX_TEXT for value in column.values):
        return [(f"It holds texts of more than {MAX_TEXT} characters: answers in own words cannot be randomised.", "", None)]
    if not rule.use and distinct <= MAX_CATEGORIES:
        return []
    counts = np.sort(column.counts)[::-1]
    below = next((least for least in _THRESHOLDS if np.count_nonzero(counts >= least) <= _FEW), 0)
    kept = int(np.count_nonzero(counts >= below))
    text = f"There are {distinct:,} categories: each will be estimated from few people."
    if not below or not kept:
        return [(text, "", None)]
    new = replace(rule, use=True, merge_below=below, categories=None)
    return [(text, f"Keep the {kept} with {count_text(below)} people or more", new)]


def _few(column: TextColumn, rule: ColumnRule) -> _Found:
    """Categories of so few people that their names, read off the data, tell about them."""
    if not rule.use or rule.binning != "none" or rule.merge_below >= FEW_PEOPLE:
        return []
    try:
        attribute, codes = recode_column(column, rule)
    except InputError:
        return []
    learned = set(rule_learned_names(attribute, rule)) - {OTHER, rule.missing_called}
    people = np.bincount(codes[codes >= 0], minlength=attribute.size).tolist()
    few = [
        (name, count) for name, count in zip(attribute.categories, people, strict=True) if name in learned and count < FEW_PEOPLE
    ]
    if not few or len(few) == len(learned):
        return []
    listed = ", ".join(f"'{visible(name[:40])}' ({counted(count, 'person', 'people')})" for name, count in few[:3])
    more = f" and {len(few) - 3} more" if len(few) > 3 else ""
    one = "One category has" if len(few) == 1 else f"{len(few)} categories have"
    return [
        (f"{one} fewer than {FEW_PEOPLE} people: {listed}{more}.", "Merge into (other)", replace(rule, merge_below=FEW_PEOPLE))
    ]


def grouping_advice(column: TextColumn, rule: ColumnRule) -> str:
    """How numbers are grouped, in a few words; "" where they are not."""
    if rule.binning == "none" or not rule.use:
        return ""
    if rule.binning == "open":
        names = interval_names(rule.edges)
        return f"{len(names)} intervals, '{names[0]}' to '{names[-1]}', with rounded edges: {len(column.values):,} numbers."
    how = {
        "equal-count": f"at most {rule.bins} groups of about as many people",
        "equal-width": f"{rule.bins} intervals of equal width",
        "edges": "intervals with limits that you typed",
    }[rule.binning]
    return f"{len(column.values):,} numbers, in {how}."


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


def visible(text: str) -> str:
    """A text with what cannot be told by looking at it written out: characters that are not seen.

    Examples
    --------
    >>> visible("Yes\\u200b"), visible("да")
    ('Yes[ZERO WIDTH SPACE]', 'да')
    """
    latin = any(character.isascii() and character.isalpha() for character in text)

    def odd(character: str) -> bool:
        category = unicodedata.category(character)
        return category in ("Cf", "Cc") or "\ufe00" <= character <= "\ufe0f" or (latin and category == "Mn")

    return "".join(f"[{unicodedata.name(c, f'U+{ord(c):04X}')}]" if odd(c) else c for c in text)
