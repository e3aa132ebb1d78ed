"""From text columns to a Dataset by explicit rules: which columns, what counts as missing, bins, merging, declared categories."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from rrcore.arrays import Codes, Floats, Integers, code_type
from rrcore.errors import InputError
from rrcore.limits import MAX_CATEGORIES, MAX_TEXT, NUMERIC_CATEGORIES
from rrcore.table.dataset import Dataset
from rrcore.table.reading import TextColumn, TextTable, to_numbers
from rrcore.table.schema import Attribute, Kind, Schema
from rrcore.table.values import Values

MISSING = "(missing)"
"""The category of people without a value."""

OTHER = "(other)"
"""The category of merged rare values and of values that are not on a declared list."""

Binning = Literal["none", "equal-width", "equal-count", "edges"]


@dataclass(frozen=True)
class ColumnRule:
    """How one text column becomes an attribute.

    Parameters
    ----------
    use : bool, False leaves the column out
    kind : "nominal" or "ordinal"; a binned column is always ordinal
    missing : "category" or "drop": missing values become the category ``MISSING``, or their rows are dropped
    missing_marks : tuple of str, texts that also mean missing, for example ``("?", "NA")``
    binning : "none", "equal-width", "equal-count" or "edges": how numbers become intervals
    bins : int, 2 to MAX_CATEGORIES, number of intervals of "equal-width"; the most intervals of "equal-count"
    edges : tuple of float, increasing, at least 2
        Limits of the intervals for "edges"; values outside get a category "under ..." or "... and over" if any occur.
    labels : tuple of (category, label)
        What values, or intervals, are called instead; several that get one label become one category.
    merge_below : int, categories (other than ``MISSING``) with fewer people than this become ``OTHER``; 0 merges nothing
    categories : tuple of str or None
        The declared categories in order, after binning; other values become ``OTHER``. None takes what occurs.

    Raises
    ------
    InputError
        From ``recode_column``, so that the sentence can name the column.
    """

    use: bool = True
    kind: Kind = "nominal"
    missing: Literal["category", "drop"] = "category"
    missing_marks: tuple[str, ...] = ()
    binning: Binning = "none"
    bins: int = 5
    edges: tuple[float, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    merge_below: int = 0
    categories: tuple[str, ...] | None = None


def parse_numbers(column: Values) -> Floats | None:
    """The numbers written by ``column.values``: ndarray of shape (len(values),), float, or None unless all are finite numbers.

    A decimal comma is accepted if no value has a point.
    """
    return to_numbers(column.values)


def is_numeric(column: Values) -> bool:
    """Whether the column has values and all of them are numbers."""
    return parse_numbers(column) is not None


def is_identifier(column: Values) -> bool:
    """Whether values look like names or numbers of persons: more than 50, and more than half the rows with a value distinct.

    Whole numbers must all be distinct, or nine of ten and close together as running numbers are, since amounts also vary; other numbers
    are measurements.
    """
    distinct, present = len(column.values), column.n - column.missing
    if distinct <= 50 or distinct <= 0.5 * present:
        return False
    numbers = parse_numbers(column)
    if numbers is None:
        return True
    running = distinct >= 0.9 * present and numbers[-1] - numbers[0] < 2 * distinct
    return bool((distinct == present or running) and (numbers == np.floor(numbers)).all())


def default_rule(column: Values, n: int) -> ColumnRule:
    """A sensible first rule for a column of a table with ``n`` rows.

    Left out: columns that look like identifiers, have a single answer, have texts of more than ``MAX_CATEGORIES`` kinds or a text
    longer than ``MAX_TEXT``. Numbers of more than ``NUMERIC_CATEGORIES`` kinds fall into 5 bins of about equal counts; fewer
    are ordinal. Values that the file has labels for go by these, in its order. Other columns are nominal.
    """
    distinct, numeric = len(column.values), is_numeric(column)
    answers = distinct + (column.missing > 0)
    if column.labels and n > 0:
        unknown = [value for value in column.values if value not in dict(column.labels)]
        if not unknown or len(unknown) <= NUMERIC_CATEGORIES:
            return _labelled_rule(column, unknown, numeric)
    too_long = any(len(value) > MAX_TEXT for value in column.values)
    crowded = not numeric and answers > MAX_CATEGORIES
    if answers < 2 or distinct == 0 or n < 1 or crowded or too_long or is_identifier(column):
        return ColumnRule(use=False)
    if numeric and distinct > NUMERIC_CATEGORIES:
        return ColumnRule(kind="ordinal", binning="equal-count", bins=5)
    return ColumnRule(kind="ordinal" if numeric else "nominal")


def _labelled_rule(column: Values, unknown: list[str], numeric: bool) -> ColumnRule:
    """Every label is a possible answer, also one that nobody gave; values without a label stand where their numbers say."""
    labels = {value: label[:MAX_TEXT] for value, label in column.labels if label.strip()}
    values = [value for value, _ in column.labels] + unknown
    numbers = to_numbers(values) if unknown else None
    if numbers is not None:
        values = [values[i] for i in np.argsort(numbers, kind="stable")]
    categories = tuple(dict.fromkeys(labels.get(value, value) for value in values))
    kind: Kind = "ordinal" if column.ordered or (unknown and numeric) else "nominal"
    use = 2 <= len(categories) < MAX_CATEGORIES and bool(column.values)
    return ColumnRule(use=use, kind=kind, labels=tuple(labels.items()), categories=categories)


def recode_column(column: TextColumn, rule: ColumnRule) -> tuple[Attribute, Codes]:
    """The attribute a column becomes, and its codes.

    Returns
    -------
    attribute : Attribute
    codes : ndarray of shape (n,), of the smallest signed type, codes 0..a-1, or -1 where the row is to be dropped

    Raises
    ------
    InputError
        As ``recoding``.
    """
    attribute, lookup = recoding(column, rule)
    return attribute, lookup[column.codes]


def recoding(column: Values, rule: ColumnRule) -> tuple[Attribute, Codes]:
    """The attribute that a column becomes, and what becomes of each of its values.

    Order of work: missing marks, bins, labels, merging of rare categories, declared categories. ``OTHER`` and ``MISSING`` come last, and
    only where someone has them (or they are declared).

    Returns
    -------
    attribute : Attribute
    codes : ndarray of shape (len(values) + 1,), codes 0..a-1 of the values and of a missing one, or -1 where the row is to be dropped

    Raises
    ------
    InputError
        If the values cannot be binned as asked, the rule contradicts itself, or fewer than 2 or too many categories result.
    """
    _check_rule(column.name, rule)
    marks = {mark.strip() for mark in rule.missing_marks} | {MISSING}
    live = np.array([value not in marks for value in column.values], dtype=bool)
    counts = column.counts
    people_missing = column.missing + int(counts[~live].sum())
    if not live.any():
        raise InputError(f"Every value of '{column.name}' is missing: leave the column out or change what counts as missing.")
    texts = [value for value, alive in zip(column.values, live, strict=True) if alive]
    labels, index = (texts, np.arange(len(texts))) if rule.binning == "none" else _bin(column.name, texts, counts[live], rule)
    if rule.labels:
        called = dict(rule.labels)
        new = [called.get(label, label) for label in labels]
        labels = list(dict.fromkeys(new))
        place = {label: i for i, label in enumerate(labels)}
        index = np.array([place[label] for label in new], dtype=np.int64)[index]
    people = np.bincount(index, weights=counts[live], minlength=len(labels))
    kept = [label for label, count in zip(labels, people, strict=True) if count >= rule.merge_below and label != OTHER]
    if rule.categories is not None:
        rare = set(labels) - set(kept)
        kept = [category for category in rule.categories if category not in rare or category == OTHER]
    position = {category: code for code, category in enumerate(kept)}
    if any(count and label not in position for label, count in zip(labels, people, strict=True)):
        position.setdefault(OTHER, len(position))
    gone = -1
    if people_missing and rule.missing == "category":
        gone = position.setdefault(MISSING, len(position))
    kind: Kind = rule.kind if rule.binning == "none" else "ordinal"
    attribute = Attribute(column.name, tuple(position), kind)
    kind_of_codes = code_type(attribute.size)
    codes = np.array([position.get(label, position.get(OTHER, gone)) for label in labels], dtype=kind_of_codes)
    lookup = np.full(len(column.values) + 1, gone, dtype=kind_of_codes)
    lookup[:-1][live] = codes[index]
    return attribute, lookup


def recode(table: TextTable, rules: Mapping[str, ColumnRule]) -> Dataset:
    """The table as a Dataset: the columns with a rule that uses them, in the order of the table, without the dropped rows.

    Raises
    ------
    InputError
        If a rule names no column, no column is used, every row is dropped, or a column cannot be recoded.
    """
    for name in rules:
        table.column(name)
    used = [(column, rules[column.name]) for column in table.columns if column.name in rules and rules[column.name].use]
    if not used:
        raise InputError("No column is used: at least one column with two or more different answers is needed.")
    parts = [recode_column(column, rule) for column, rule in used]
    codes = np.empty((table.n, len(parts)), dtype=np.result_type(*(part for _, part in parts)), order="F")
    for i, (_, part) in enumerate(parts):
        codes[:, i] = part
    kept = (codes >= 0).all(axis=1)
    if not kept.any():
        blamed = ", ".join(f"'{column.name}'" for column, rule in used[:10] if rule.missing == "drop")
        raise InputError(f"Every row has a missing value in {blamed}: keep missing as a category or leave a column out.")
    return Dataset(Schema(tuple(attribute for attribute, _ in parts)), codes if kept.all() else codes[kept], table.title)


def as_table(dataset: Dataset) -> tuple[TextTable, dict[str, ColumnRule]]:
    """The text table and the rules from which ``recode`` makes ``dataset`` again."""
    attributes = dataset.schema.attributes
    columns = tuple(TextColumn(a.name, dataset.codes[:, i], a.categories) for i, a in enumerate(attributes))
    rules = {a.name: ColumnRule(kind=a.kind, categories=a.categories) for a in attributes}
    return TextTable(columns, dataset.title), rules


def _check_rule(name: str, rule: ColumnRule) -> None:
    if rule.binning in ("equal-width", "equal-count") and not 2 <= rule.bins <= MAX_CATEGORIES:
        raise InputError(f"'{name}' is to have {rule.bins:,} bins: give a number from 2 to {MAX_CATEGORIES:,}.")
    if rule.binning == "edges":
        edges = list(rule.edges)
        if len(edges) < 2 or not all(math.isfinite(e) for e in edges) or any(b <= a for a, b in pairwise(edges)):
            given = ", ".join(_text(e) for e in edges[:10]) or "none"
            raise InputError(f"The edges of '{name}' are {given}: give at least 2 numbers, each larger than the last.")
    if rule.merge_below < 0:
        raise InputError(f"Categories of '{name}' are to be merged below {rule.merge_below} people: give 0 or more.")
    if rule.categories is not None and len(set(rule.categories)) < len(rule.categories):
        twice = next(c for c in rule.categories if rule.categories.count(c) > 1)
        raise InputError(f"'{name}' lists the category '{twice}' twice: list each category once.")


def _bin(name: str, texts: list[str], counts: Integers, rule: ColumnRule) -> tuple[list[str], Integers]:
    """Labels of the intervals and, for each text, its interval."""
    numbers = to_numbers(texts)
    if numbers is None:
        wrong = next((text for text in texts if to_numbers([text]) is None), texts[0])
        action = "add it to the missing marks or choose no binning"
        raise InputError(f"'{name}' has the value '{wrong[:40]}', which is not a number: {action}.")
    distinct, inverse = np.unique(numbers, return_inverse=True)
    if rule.binning == "edges":
        edges = [float(edge) for edge in rule.edges]
        under, over = distinct[0] < edges[0], distinct[-1] > edges[-1]
    else:
        if len(distinct) < 2 or (rule.binning == "equal-width" and len(distinct) < rule.bins):
            action = "leave the column out" if len(distinct) < 2 else f"choose at most {len(distinct)} bins or no binning"
            found = f"{len(distinct)} different number" + ("s" if len(distinct) > 1 else "")
            raise InputError(f"'{name}' has only {found}, too few for {rule.bins} bins: {action}.")
        people = np.bincount(inverse, weights=counts).astype(np.float64)
        edges = _equal_width(distinct, rule.bins) if rule.binning == "equal-width" else _equal_count(distinct, people, rule.bins)
        under = over = np.False_
    words = [_text(edge) for edge in edges]
    labels = [f"{low} to <{high}" for low, high in pairwise(words)]
    if not over:
        labels[-1] = f"{words[-2]} to {words[-1]}" if words[-2] != words[-1] else words[-1]
    labels = [f"under {words[0]}"] * bool(under) + labels + [f"{words[-1]} and over"] * bool(over)
    interval = np.searchsorted(edges, numbers, side="right") - (0 if under else 1)
    return labels, np.clip(interval, 0, len(labels) - 1).astype(np.int64)


def _equal_width(distinct: Floats, bins: int) -> list[float]:
    """``bins`` + 1 edges at equal distances, rounded to whole or few digits, from at most the least to at least the largest."""
    low, high = float(distinct[0]), float(distinct[-1])
    width = high / bins - low / bins
    digits = 0 if width >= 1 and (distinct == np.floor(distinct)).all() else max(0, 2 - math.floor(math.log10(width)))
    if digits > 12:
        return [low + width * i for i in range(bins)] + [high]
    scale = 10.0**digits
    inner = [math.floor((low + width * i) * scale + 0.5) / scale for i in range(1, bins)]
    return [_down(low, digits), *inner, -_down(-high, digits)]


def _equal_count(distinct: Floats, people: Floats, bins: int) -> list[float]:
    """Edges at the starts of values nearest to the quantiles j / bins, equal ones merged; at least one inner edge."""
    below = np.cumsum(people)[:-1] / people.sum()
    starts = np.unique([1 + int(np.abs(below - j / bins).argmin()) for j in range(1, bins)])
    inner = [_short(float(distinct[i - 1]), float(distinct[i])) for i in starts]
    return [float(distinct[0]), *inner, float(distinct[-1])]


def _down(number: float, digits: int) -> float:
    """``number`` itself if it has at most ``digits`` decimals, else rounded down to them."""
    rounded = round(number, digits)
    exact = math.isclose(rounded, number, rel_tol=1e-15, abs_tol=0)
    return rounded if exact else math.floor(number * 10.0**digits) / 10.0**digits


def _short(previous: float, start: float) -> float:
    """The number with the fewest digits above ``previous`` and not above ``start``."""
    for digits in range(-3, 13):
        candidate = round(math.floor(start * 10.0**digits) / 10.0**digits, digits)
        if previous < candidate <= start:
            return candidate
    return start


def _text(number: float) -> str:
    """A number without float noise: 18, 0.3, 1e+20."""
    return format(number + 0.0, ".15g")
