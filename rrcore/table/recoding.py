"""From text columns to a Dataset by explicit rules: which columns, what counts as missing, bins, merging, declared categories."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, Protocol

import numpy as np

from rrcore.arrays import Booleans, Codes, Floats, Integers, code_type
from rrcore.errors import InputError
from rrcore.limits import FEW_PEOPLE, MANY_CATEGORIES, MAX_CATEGORIES, MAX_TEXT, NUMERIC_CATEGORIES
from rrcore.table.dataset import Dataset
from rrcore.table.schema import Attribute, Kind, Schema
from rrcore.table.text_table import TextColumn, TextTable, is_number, to_numbers
from rrcore.wording import count_text
from rrcore.wording.short import shortened, some


class Values(Protocol):
    """A column of texts: held as a whole (``TextColumn``), or counted in one pass (``ValueCounts``)."""

    @property
    def name(self) -> str: ...

    @property
    def values(self) -> tuple[str, ...]:
        """The distinct texts, in number order if all are numbers, else in text order."""

    @property
    def counts(self) -> Integers:
        """How many rows have each value: ndarray of shape (len(values),), int64."""

    @property
    def missing(self) -> int:
        """How many rows have no value."""

    @property
    def n(self) -> int:
        """Number of rows."""

    @property
    def labels(self) -> tuple[tuple[str, str], ...]:
        """What the file says that values mean."""

    @property
    def ordered(self) -> bool:
        """Whether the file says that the order of its labels means something."""


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """What occurs in a column of a table that is too large to hold.

    Parameters
    ----------
    name, values, counts, missing, labels, ordered : as in ``Values``
    """

    name: str
    values: tuple[str, ...]
    counts: Integers
    missing: int = 0
    labels: tuple[tuple[str, str], ...] = ()
    ordered: bool = False

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.counts.sum()) + self.missing

    @classmethod
    def of(cls, name: str, texts: Mapping[str, int], missing: int = 0) -> ValueCounts:
        """From texts and how often they occur.

        Examples
        --------
        >>> from rrcore.table.recoding import ValueCounts
        >>> column = ValueCounts.of("age", {"31": 2, "9": 1}, missing=1)
        >>> column.values, column.n
        (('9', '31'), 4)
        """
        import pyarrow as pa

        from rrcore.table.text_table import in_order

        values = tuple(in_order(pa.array(list(texts), pa.string())).to_pylist())
        return cls(name, values, np.array([texts[value] for value in values], dtype=np.int64), missing)


MISSING = "(missing)"
"""The category of people without a value."""

OTHER = "(other)"
"""The category of merged rare values and of values that are not on a declared list."""

AS_GIVEN = "they are what people gave, and none that nobody gave"
"""What names tell that are the values of a column."""


@dataclass(frozen=True)
class ColumnRule:
    """How one text column becomes an attribute.

    Parameters
    ----------
    use : bool, False leaves the column out
    kind : "nominal" or "ordinal"; a binned column is always ordinal
    missing : "category" or "drop": missing values become the category ``MISSING``, or their rows are dropped
    missing_marks : tuple of str, texts that also mean missing, for example ``("?", "NA")``
    edges : tuple of float, increasing
        The limits of the intervals that numbers become, such as "below 18", "18 to below 65" and "65 and more". They are there even if
        nobody is in them. Without edges every value is a category.
    labels : tuple of (category, label)
        What values, intervals, or ``MISSING`` are called instead; several that get one label become one category.
    merge_below : int, categories (other than ``MISSING``) with fewer people than this become ``OTHER``; 0 merges nothing
    categories : tuple of str or None
        The categories in order, after intervals are made; other values become ``OTHER``. None takes what occurs.
    declared : bool, False says that ``categories`` were themselves, at least in part, read off the data

    Raises
    ------
    InputError
        From ``recode_column``, so that the sentence can name the column.
    """

    use: bool = True
    kind: Kind = "nominal"
    missing: Literal["category", "drop"] = "category"
    missing_marks: tuple[str, ...] = ()
    edges: tuple[float, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    merge_below: int = 0
    categories: tuple[str, ...] | None = None
    declared: bool = True

    @property
    def missing_called(self) -> str:
        """The category of people without a value: ``MISSING``, or what that is called instead."""
        return dict(self.labels).get(MISSING, MISSING)

    @property
    def marks(self) -> set[str]:
        """All texts that mean missing."""
        return {mark.strip() for mark in self.missing_marks} | {MISSING}


def check_rule(name: str, rule: ColumnRule) -> None:
    """Raise InputError where the rule of the column called ``name`` contradicts itself."""
    if not all(math.isfinite(e) for e in rule.edges) or any(b <= a for a, b in pairwise(rule.edges)):
        given = ", ".join(format(edge, ".15g") for edge in rule.edges[:10])
        raise InputError(f"The edges of '{name}' are {given}. Give numbers, each larger than the last.")
    if rule.merge_below < 0:
        raise InputError(f"Categories of '{name}' are to be merged below {rule.merge_below} people: give 0 or more.")
    if rule.categories is not None and len(set(rule.categories)) < len(rule.categories):
        twice = next(c for c in rule.categories if rule.categories.count(c) > 1)
        raise InputError(f"'{name}' lists the category '{twice}' twice: list each category once.")


def rule_learned_names(attribute: Attribute, rule: ColumnRule) -> tuple[str, ...]:
    """The categories of ``attribute`` that are there, or are called so, because of what people answered.

    None where all were declared, or are intervals between edges that were. ``OTHER`` and ``MISSING`` are among them where nobody declared
    them: they are there because somebody is in them.

    Parameters
    ----------
    attribute : Attribute, what a column became by ``rule``
    rule : ColumnRule

    Examples
    --------
    >>> from rrcore.table import Attribute, ColumnRule, rule_learned_names
    >>> rule_learned_names(Attribute("town", ("Oslo", "Rome")), ColumnRule())
    ('Oslo', 'Rome')
    >>> rule_learned_names(Attribute("town", ("Oslo", "Rome", "(missing)")), ColumnRule(categories=("Oslo", "Rome")))
    ('(missing)',)
    >>> rule_learned_names(Attribute("age", ("below 30", "30 and more")), ColumnRule(edges=(30,)))
    ()
    """
    called = dict(rule.labels)
    if rule.categories is not None:
        known = set(rule.categories) if rule.declared else set(called.values())
    elif rule.edges and not rule.merge_below:
        known = {called.get(name, name) for name in interval_names(rule.edges)}
    else:
        known = set()
    return tuple(name for name in attribute.categories if name not in known)


def rule_disclosure(attribute: Attribute, rule: ColumnRule) -> str:
    """What those names tell whoever reads them, in a sentence about them; "" where there are none.

    Examples
    --------
    >>> from rrcore.table import Attribute, ColumnRule, rule_disclosure
    >>> rule_disclosure(Attribute("town", ("Oslo", "Rome")), ColumnRule())
    'they are what people gave, and none that nobody gave'
    """
    learned = rule_learned_names(attribute, rule)
    if not learned:
        return ""
    if set(learned) <= {OTHER, rule.missing_called}:
        return "somebody gave no answer" if learned == (rule.missing_called,) else "somebody gave another answer, or none"
    return AS_GIVEN


_OUTER = 0.1  # share of people on either side who have no say in the edges
_STEPS = 5  # most steps of an even scale between those
_RATIO = 50.0  # most that an uneven scale spans
_SKEWED = 2.0  # the upper part of the people spreads so many times as far as the lower
_WHOLE = 0.95  # share of people with whole numbers from which edges are whole
_LOGARITHMS = (1, 2, 5)
_YEARS = (1800, 2100)
_BELOW, _TO, _BEYOND = "below ", " to below ", " and more"  # in names of intervals
_LARGEST, _SMALLEST = 1e15, 1e-100  # beyond these numbers count as these, or as 0


def rounded_edges(numbers: Floats, people: Integers) -> tuple[float, ...]:
    """Edges of a few intervals with open ends, to be proposed for a column of numbers.

    They are multiples of 1, 2 or 5 times a power of ten, or, for amounts of which few are large, these numbers themselves. Where they
    lie is told by the middle eight of ten people: what the lowest and the highest tenth gave, and at least ``FEW_PEOPLE`` people on
    either side, can be anything beyond without another edge. So edges tell an order of magnitude, and nobody's number.

    Parameters
    ----------
    numbers : ndarray of shape (m,), different finite numbers
    people : ndarray of shape (m,), how many people gave each, at least 1

    Examples
    --------
    >>> import numpy as np
    >>> from rrcore.table.recoding import rounded_edges
    >>> rounded_edges(np.arange(18.0, 91.0), np.ones(73, int))
    (40.0, 60.0, 80.0)
    >>> rounded_edges(np.array([400.0, 900, 1400, 2300, 4000, 7000, 18424]), np.array([90, 100, 400, 210, 100, 99, 1]))
    (1000.0, 2000.0)
    """
    order = np.argsort(numbers)
    numbers, people = np.clip(np.asarray(numbers, dtype=np.float64)[order], -_LARGEST, _LARGEST), np.asarray(people)[order]
    numbers[np.abs(numbers) < _SMALLEST] = 0.0
    whole = float(people[numbers == np.floor(numbers)].sum()) >= _WHOLE * float(people.sum())
    low, middle, high = _bulk(numbers, people)
    if middle in (low, high):  # about half the people, or more, gave the same number: the others say what there is beside it
        alone, others = middle, numbers != middle
        if int(people[others].sum()) >= 4 * FEW_PEOPLE:
            low, middle, high = _bulk(numbers[others], people[others])
            low = max(alone, _down(low) * (1 - 1e-9)) if 0 <= alone < low else low
        elif low == high:
            return (_next(low, whole),)
    edges = _uneven(low, high) if low >= 0 and high - middle > _SKEWED * (middle - low) else _even(low, high, whole)
    kept = [edge for edge in edges if low < edge <= high and math.isfinite(edge) and (not whole or edge == math.floor(edge))]
    return tuple(kept) or (_next(middle, whole),)


def interval_names(edges: Sequence[float]) -> tuple[str, ...]:
    """What the intervals between ``edges`` and beyond them are called, with both ends open, whoever is in them.

    Examples
    --------
    >>> from rrcore.table.recoding import interval_names
    >>> interval_names((1000, 18000))
    ('below 1,000', '1,000 to below 18,000', '18,000 and more')
    >>> interval_names((1960, 1980))[1]
    '1960 to below 1980'
    """
    years = all(edge == math.floor(edge) and _YEARS[0] <= edge <= _YEARS[1] for edge in edges)
    words = [format(edge + 0.0, ".15g" if years else ",.15g") for edge in edges]
    return (f"{_BELOW}{words[0]}", *(f"{low}{_TO}{high}" for low, high in pairwise(words)), f"{words[-1]}{_BEYOND}")


def edges_named(names: Sequence[str]) -> tuple[float, ...]:
    """The edges of the intervals that ``names`` begin with: ``interval_names`` read backwards; empty where they begin with none.

    Examples
    --------
    >>> from rrcore.table.recoding import edges_named
    >>> edges_named(("below 1,000", "1,000 to below 18,000", "18,000 and more", "(missing)")), edges_named(("no", "yes"))
    ((1000.0, 18000.0), ())
    """
    last = next((place for place, name in enumerate(names) if name.endswith(_BEYOND)), 0)
    words = [names[0].removeprefix(_BELOW), *(name.partition(_TO)[2] for name in names[1:last])] if last else []
    try:
        edges = tuple(float(word.replace(",", "")) for word in words)
    except ValueError:
        return ()
    return edges if edges and interval_names(edges) == tuple(names[: last + 1]) else ()


def _bulk(numbers: Floats, people: Integers) -> tuple[float, float, float]:
    """The lowest number, the middle one and the highest when as many people on either side are set aside as ``rounded_edges`` says."""
    n = int(people.sum())
    aside = min(max(math.ceil(_OUTER * n), FEW_PEOPLE), (n - 1) // 2)
    low, middle, high = np.searchsorted(np.cumsum(people), [aside, n // 2, n - 1 - aside], side="right")
    return float(numbers[low]), float(numbers[middle]), float(numbers[high])


def _even(low: float, high: float, whole: bool) -> list[float]:
    """Multiples of one step between two numbers."""
    step = _up(high / _STEPS - low / _STEPS)
    if whole:
        step = max(step, 1.0)
    first = math.floor(low / step) + 1
    return [_clean((first + i) * step) for i in range(_STEPS + 1)]


def _uneven(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of ten between two numbers of which the first is not below 0."""
    edges, edge = [], _up(max(low, high / _RATIO))
    while edge <= high:
        edges.append(edge)
        edge = _up(edge * 1.5)
    return edges


def _next(number: float, whole: bool) -> float:
    """A number of the scale that is larger."""
    if number < 0:
        smaller = _down(-number * (1 - 1e-9))
        return -smaller if smaller >= 1 or not whole else 0.0
    return _up(number * (1 + 1e-9)) if number else 1.0


def _up(number: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is not below a positive number."""
    power = math.floor(math.log10(number))
    scale = [_clean(float(f"{digit}e{power + more}")) for more in (-1, 0, 1) for digit in _LOGARITHMS]
    return next(each for each in scale if each >= number)


def _down(number: float) -> float:
    """The largest of them that is not above a positive number."""
    power = math.floor(math.log10(number))
    scale = [_clean(float(f"{digit}e{power + more}")) for more in (-1, 0, 1) for digit in _LOGARITHMS]
    return next(each for each in reversed(scale) if each <= number)


def _clean(number: float) -> float:
    """A number without float noise."""
    return float(f"{number:.12g}")


_FEW = 20
_THRESHOLDS = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
_PERSON = re.compile(
    r"(case|resp|respondent|person|pers|user|member|patient|student|subject|record|response|household|family|hh|h|p|u|uu|gu)?"
    r"id(s|no|nr|num)?|identifier|(case|person|household|hh|record|serial|respondent)(no|nr|num|number)|serial"
)
_HOUSEHOLD = (["household"], ["hh"])
_WEIGHT = re.compile(r"\w*(weights?|wght|wgt)|wts?")


def recodes_as_numbers(column: Values) -> bool:
    """Whether the column has values and all of them are numbers."""
    return to_numbers(column.values) is not None


def recodes_as_identifier(column: Values) -> bool:
    """Whether values look like names or numbers of persons, or their column is called so and there are many.

    Values are such if there are more than 50 and more than half of the rows with a value are distinct. Whole numbers must all be distinct,
    or nine of ten and close together as running numbers are, since amounts also vary. Other numbers are measurements.
    """
    distinct, present = len(column.values), column.n - column.missing
    numbers = to_numbers(column.values)
    whole = numbers is None or bool((numbers == np.floor(numbers)).all())
    words = _words(column.name)
    if whole and words in _HOUSEHOLD and distinct > MANY_CATEGORIES:
        return True
    if whole and distinct > NUMERIC_CATEGORIES and any(_PERSON.fullmatch(word) for word in [*words, "".join(words)]):
        return True
    if distinct <= MANY_CATEGORIES or distinct <= 0.5 * present or not whole:
        return False
    if numbers is None:
        return True
    running = distinct >= 0.9 * present and numbers[-1] - numbers[0] < 2 * distinct
    return bool(distinct == present or running)


def _words(name: str) -> list[str]:
    """The words of a column's name in lower case: "respID_2" has resp, id and 2."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]


def _weighs(column: Values) -> bool:
    """Whether a column is called as survey weights are and holds many numbers that may be such."""
    numbers = to_numbers(column.values) if len(column.values) > NUMERIC_CATEGORIES else None
    words = _words(column.name)
    if numbers is None or not any(_WEIGHT.fullmatch(word) for word in words) or re.search("birth|body", column.name.lower()):
        return False
    mean = float(numbers @ column.counts) / float(column.counts.sum())
    return 0.2 < mean < 5 if words in (["weight"], ["weights"]) else not 20 < mean < 300


def why_unused(column: Values) -> tuple[str, str] | None:
    """Why ``default_rule`` leaves a column out: a word for the reason and a sentence. None if it does not."""
    distinct, n = len(column.values), column.n
    if not distinct:
        return "missing", "Every value is missing."
    if distinct == 1 and not column.missing:
        return "constant", f"Everyone has the same value, '{column.values[0][:40]}'."
    if recodes_as_identifier(column):
        return "identifier", f"It looks like a number or name of a person or household: {distinct:,} values among {n:,} people."
    if _weighs(column):
        return "weight", "It looks like weights of a sample."
    if any(len(value) > MAX_TEXT for value in column.values):
        return "long", f"It holds texts of more than {MAX_TEXT} characters."
    if distinct + (column.missing > 0) > MAX_CATEGORIES and not recodes_as_numbers(column):
        return "crowded", f"It has {distinct:,} categories, more than the limit of {MAX_CATEGORIES:,}."
    return None


def default_rule(column: Values) -> ColumnRule:
    """Return a sensible first rule for a column.

    ``why_unused`` says which columns are left out. Numbers of more than ``NUMERIC_CATEGORIES`` kinds fall into a few intervals with rounded
    edges and open ends (``rounded_edges``). Fewer are ordinal. Values that the file has labels for go by these, in its order. Other columns
    are nominal.
    """
    numeric = recodes_as_numbers(column)
    if column.labels and column.values:
        unknown = [value for value in column.values if value not in dict(column.labels)]
        if not unknown or len(unknown) <= NUMERIC_CATEGORIES:
            return _labelled_rule(column, unknown, numeric)
    if why_unused(column):
        return ColumnRule(use=False)
    if numeric and len(column.values) > NUMERIC_CATEGORIES:
        return recode_in_groups(column, ColumnRule())
    return ColumnRule(kind="ordinal" if numeric else "nominal")


def how_to_use(column: Values, rule: ColumnRule) -> tuple[str, ColumnRule | None]:
    """The label of a button and the rule by which a column that ``default_rule`` leaves out is used. No rule if it cannot be an attribute."""
    code, _ = why_unused(column) or ("", "")
    numeric = recodes_as_numbers(column)
    if code == "crowded":
        return most_frequent(column, rule) or ("", None)
    if code in ("missing", "constant", "long") or (len(column.values) >= MAX_CATEGORIES and not numeric):
        return "", None
    if numeric and len(column.values) > NUMERIC_CATEGORIES:
        return "Use it in groups", recode_in_groups(column, rule)
    return "Use it", replace(rule, use=True)


def most_frequent(column: Values, rule: ColumnRule) -> tuple[str, ColumnRule] | None:
    """The action and the rule that keep the categories with the most people."""
    counts = np.sort(column.counts)[::-1]
    below = next((least for least in _THRESHOLDS if np.count_nonzero(counts >= least) <= _FEW), 0)
    kept = int(np.count_nonzero(counts >= below))
    if not below or not kept:
        return None
    new = replace(rule, use=True, merge_below=below, categories=None)
    return f"Keep the {kept} with {count_text(below)} people or more", new


def rules_for_names(
    columns: Sequence[Values], rules: Mapping[str, ColumnRule], names: Iterable[str] | None
) -> dict[str, ColumnRule]:
    """Return the rules, changed so that they use every named column.

    Raises
    ------
    InputError
        If there is no such column, or it cannot be an attribute.
    """
    found, known, names = dict(rules), {column.name: column for column in columns}, list(names or ())
    for i, name in enumerate(names):
        if name in names[:i]:
            raise InputError(f"The column '{name}' is named twice: name each column once.")
        if name not in known:
            raise InputError(f"There is no column '{name}': choose among {some(list(known), 20)}.")
        if not found[name].use:
            _, rule = how_to_use(known[name], found[name])
            if rule is None:
                _, reason = why_unused(known[name]) or ("", "It has too many categories.")
                raise InputError(f"The column '{name}' cannot be an attribute. {reason} Choose another column.")
            found[name] = rule
    return found


def answered(column: Values, rule: ColumnRule) -> tuple[Booleans, list[str]]:
    """Which values of a column are answers, and these: ndarray of shape (len(values),), and the values that do not mean missing."""
    marks = rule.marks
    live = np.array([value not in marks for value in column.values], dtype=bool)
    return live, [value for value, alive in zip(column.values, live, strict=True) if alive]


def recode_in_groups(column: Values, rule: ColumnRule) -> ColumnRule:
    """The rule by which a column of numbers falls into a few intervals with rounded edges and open ends.

    Raises
    ------
    InputError
        If a value is not a number.
    """
    live, texts = answered(column, rule)
    numbers = numbers_of(column.name, texts)
    distinct, inverse = np.unique(numbers, return_inverse=True)
    edges = rounded_edges(distinct, np.bincount(inverse, weights=column.counts[live]).astype(np.int64))
    return in_intervals(rule, edges)


def in_intervals(rule: ColumnRule, edges: tuple[float, ...]) -> ColumnRule:
    """The rule by which numbers become intervals with these limits."""
    return replace(rule, use=True, kind="ordinal", edges=edges, categories=None, labels=(), declared=True)


def numbers_of(name: str, texts: list[str]) -> Floats:
    """The numbers that ``texts`` of a column write. Raises InputError with the first that is none."""
    numbers = to_numbers(texts)
    if numbers is None:
        wrong = next((text for text in texts if not is_number(text)), "") or (texts[0] if texts else "")
        action = "add it to the missing marks or choose no intervals"
        raise InputError(f"'{name}' has the value '{wrong[:40]}', which is not a number: {action}.")
    return numbers


def _labelled_rule(column: Values, unknown: list[str], numeric: bool) -> ColumnRule:
    """Values are called by their labels. The labels are declared as the categories if somebody has each and nobody has another value."""
    names = value_names(column)
    kind: Kind = "ordinal" if column.ordered or (unknown and numeric) else "nominal"
    use = 2 <= len(column.values) + (column.missing > 0) <= MAX_CATEGORIES
    every = not unknown and len(column.values) == len(names)
    return ColumnRule(use=use, kind=kind, labels=tuple(names.items()), categories=tuple(names.values()) if every else None)


def value_names(column: Values) -> dict[str, str]:
    """What the values of a column are called by the labels of the file. A name that two values would have gets the value behind it.

    Examples
    --------
    >>> import numpy as np
    >>> from rrcore.table import TextColumn
    >>> from rrcore.table.recoding import value_names
    >>> value_names(TextColumn("q", np.array([0, 1, 2]), ("1", "2", "3"), (("1", "agree"), ("2", "agree"), ("3", "disagree"))))
    {'1': 'agree (1)', '2': 'agree (2)', '3': 'disagree'}
    """
    labels = {value: label[: MAX_TEXT - len(value) - 3] for value, label in column.labels if label.strip()}
    times = Counter(labels.get(value, value) for value in {**labels, **dict.fromkeys(column.values)})
    return {value: label if times[label] == 1 else f"{label} ({value})" for value, label in labels.items()}


def rare_categories(column: Values, rule: ColumnRule) -> dict[str, int]:
    """Return the categories whose names were read off ``column`` and that fewer than ``FEW_PEOPLE`` people have, with their people.

    Examples
    --------
    >>> import numpy as np
    >>> from rrcore.table import ColumnRule, TextColumn
    >>> from rrcore.table.recoding import rare_categories
    >>> rare_categories(TextColumn("town", np.array([0] * 5 + [1] * 4), ("Oslo", "Rome")), ColumnRule())
    {'Rome': 4}
    """
    attribute, people = recoded_counts(column, rule)
    learned = set(rule_learned_names(attribute, rule)) - {OTHER, rule.missing_called}
    pairs = zip(attribute.categories, people.tolist(), strict=True)
    return {name: count for name, count in pairs if name in learned and count < FEW_PEOPLE}


def recoded_counts(column: Values, rule: ColumnRule) -> tuple[Attribute, Integers]:
    """The attribute that a column becomes, and how many people each category has."""
    attribute, codes = recoding(column, rule)
    people = np.append(column.counts, column.missing)
    return attribute, np.bincount(codes[codes >= 0], people[codes >= 0], attribute.size).astype(np.int64)


def recode_column(column: TextColumn, rule: ColumnRule) -> tuple[Attribute, Codes]:
    """The attribute that a column becomes, and its codes of shape (n,), -1 where the row is to be dropped. Raises as ``recoding`` does."""
    attribute, lookup = recoding(column, rule)
    return attribute, lookup[column.codes]


def recoding(column: Values, rule: ColumnRule) -> tuple[Attribute, Codes]:
    """The attribute that a column becomes, and what becomes of each of its values.

    Order of work: missing marks, bins, labels, merging of rare categories, declared categories. ``OTHER`` and ``MISSING`` come last, and
    only where someone has them (or they are declared). ``rule_learned_names`` says which names are there because they occur.

    Returns
    -------
    attribute : Attribute
    codes : ndarray of shape (len(values) + 1,), codes 0..a-1 of the values and of a missing one, or -1 where the row is to be dropped

    Raises
    ------
    InputError
        If the values cannot be binned as asked, the rule contradicts itself, or fewer than 2 or too many categories result.
    """
    check_rule(column.name, rule)
    (live, texts), counts = answered(column, rule), column.counts
    people_missing = column.missing + int(counts[~live].sum())
    if not live.any():
        raise InputError(f"Every value of '{column.name}' is missing: leave the column out or change what counts as missing.")
    labels, index = texts, np.arange(len(texts))
    if rule.edges:
        labels = list(interval_names(rule.edges))
        index = np.searchsorted(rule.edges, numbers_of(column.name, texts), side="right")
    if rule.labels:
        called = dict(rule.labels)
        new = [called.get(label, label) for label in labels]
        labels = list(dict.fromkeys(new))
        place = {label: i for i, label in enumerate(labels)}
        index = np.array([place[label] for label in new], dtype=np.int64)[index]
    people = np.bincount(index, weights=counts[live], minlength=len(labels))
    kept = [label for label, count in zip(labels, people, strict=True) if count >= rule.merge_below and label != OTHER]
    if rule.edges and rule.categories is None:
        # whoever is in them: their names are known before anybody has answered
        kept = [label for label in labels if label != OTHER]
    elif rule.categories is not None:
        rare = set(labels) - set(kept)
        kept = [category for category in rule.categories if category not in rare or category == OTHER]
    position = {category: code for code, category in enumerate(kept)}
    if any(count and label not in position for label, count in zip(labels, people, strict=True)):
        position.setdefault(OTHER, len(position))
    gone = -1
    if people_missing and rule.missing == "category":
        gone = position.setdefault(rule.missing_called, len(position))
    kind: Kind = "ordinal" if rule.edges else rule.kind
    attribute = Attribute(column.name, tuple(position), kind)
    kind_of_codes = code_type(attribute.size)
    codes = np.array([position.get(label, position.get(OTHER, gone)) for label in labels], dtype=kind_of_codes)
    lookup = np.full(len(column.values) + 1, gone, dtype=kind_of_codes)
    lookup[:-1][live] = codes[index]
    return attribute, lookup


def with_bins(rules: Mapping[str, ColumnRule], bins: Mapping[str, Iterable[float]]) -> dict[str, ColumnRule]:
    """Return the rules with the limits of intervals given. Raises InputError for a column that is not there."""
    if unknown := next((name for name in bins if name not in rules), ""):
        raise InputError(f"Limits are given for '{unknown[:40]}', which is no column: choose among {some(list(rules), 20)}.")
    return {**rules, **{name: in_intervals(rules[name], tuple(edges)) for name, edges in bins.items()}}


def recodings(
    columns: Sequence[Values],
    rules: Mapping[str, ColumnRule],
    names: Iterable[str] | None = None,
    *,
    missing: Literal["category", "drop"] | None = None,
) -> list[tuple[str, Attribute, Codes]]:
    """What the named columns in this order become, or all that ``rules`` use: name, attribute, and codes as in ``recoding``.

    Parameters
    ----------
    columns : sequence of Values
    rules : mapping
        The rule of each column. Columns without a rule are left out.
    names : iterable of str or None
    missing : "category", "drop" or None
        What a missing value becomes in all columns. None leaves that to the rules.

    Raises
    ------
    InputError
        If no column is used, or one cannot be an attribute.
    """
    wanted = None if names is None else list(names)
    rules = rules_for_names(columns, rules, wanted)
    known = {column.name: column for column in columns}
    used = [name for name in known if name in rules and rules[name].use] if wanted is None else wanted
    if not used:
        raise InputError("No column is used: at least one column with two or more different answers is needed.")
    how = {name: rules[name] if missing is None else replace(rules[name], missing=missing) for name in used}
    return [(name, *recoding(known[name], rule)) for name, rule in how.items()]


def recode(
    table: TextTable,
    rules: Mapping[str, ColumnRule],
    names: Iterable[str] | None = None,
    *,
    missing: Literal["category", "drop"] | None = None,
) -> Dataset:
    """The table as a Dataset without the dropped rows. Parameters and errors are those of ``recodings``.

    Raises
    ------
    InputError
        Also if a rule names no column, or every row is dropped.
    """
    for name in rules:
        table.column(name)
    parts = recodings(table.columns, rules, names, missing=missing)
    codes = np.empty((table.n, len(parts)), dtype=np.result_type(*(part for *_, part in parts)), order="F")
    for i, (name, _, part) in enumerate(parts):
        codes[:, i] = part[table.column(name).codes]
    kept = (codes >= 0).all(axis=1)
    if not kept.any():
        blamed = ", ".join(f"'{name}'" for (name, _, part) in parts[:10] if part.min() < 0)
        raise InputError(f"Every row has a missing value in {blamed}: keep missing as a category or leave a column out.")
    return Dataset(Schema(tuple(attribute for _, attribute, _ in parts)), codes if kept.all() else codes[kept], table.title)


def rules_for_plan(table: TextTable, rules: Mapping[str, ColumnRule], schema: Schema) -> dict[str, ColumnRule]:
    """``rules``, changed so that columns of ``table`` become the attributes of ``schema``: with these categories, in this order.

    A column may lack answers that an attribute has, since nobody may have given them, but may have no others.

    Raises
    ------
    InputError
        If a column is not there, or has other answers.

    Examples
    --------
    >>> import numpy as np
    >>> from rrcore.table import Attribute, ColumnRule, Schema, TextColumn, TextTable, recode, rules_for_plan
    >>> table = TextTable((TextColumn("smokes", np.array([1, 0, 1]), ("no", "yes")),), "pilot")
    >>> rules = rules_for_plan(table, {"smokes": ColumnRule()}, Schema((Attribute("smokes", ("no", "yes", "no answer")),)))
    >>> recode(table, rules).schema.attributes[0].categories
    ('no', 'yes', 'no answer')
    """
    found = dict(rules)
    for wanted in schema.attributes:
        if wanted.name not in table.names:
            raise InputError(f"'{shortened(table.title)}' has no column '{shortened(wanted.name)}'.")
        column, rule = table.column(wanted.name), rules.get(wanted.name, ColumnRule(use=False))
        binned = rule if rule.use else ColumnRule()
        rule = replace(binned, use=True, kind=wanted.kind, categories=wanted.categories, declared=True)
        attribute, _ = recoding(column, rule)
        if others := [name for name in attribute.categories if name not in wanted.categories]:
            if others[0] == OTHER:  # which stands for what they are
                known = recoding(column, binned)[0].categories if len(column.values) > 1 else column.values
                others = [name for name in known if name not in wanted.categories]
            raise InputError(
                f"In '{shortened(table.title)}', '{shortened(wanted.name)}' has '{shortened(others[0])}', which the plan has not."
            )
        found[wanted.name] = rule
    return found


def as_table(dataset: Dataset) -> tuple[TextTable, dict[str, ColumnRule]]:
    """The text table and the rules from which ``recode`` makes ``dataset`` again."""
    attributes = dataset.schema.attributes
    columns = tuple(TextColumn(a.name, dataset.codes[:, i], a.categories) for i, a in enumerate(attributes))
    rules = {a.name: ColumnRule(kind=a.kind, categories=a.categories) for a in attributes}
    return TextTable(columns, dataset.title), rules
