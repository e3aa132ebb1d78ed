"""Conversion of text columns to a Dataset by explicit rules.

Rules select columns and describe missing answers, intervals, names and categories. The module also gives advice on these rules.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np

from rrcore.arrays import Codes, Floats, Integers, code_type
from rrcore.errors import InputError, unknown
from rrcore.limits import FEW_PEOPLE, MANY_CATEGORIES, MAX_CATEGORIES, MAX_TEXT, NUMERIC_CATEGORIES
from rrcore.table.dataset import Dataset
from rrcore.table.reading.guesses import MARKS
from rrcore.table.schema import Attribute, Kind, Schema
from rrcore.table.text_table import TextColumn, TextTable, is_number, to_numbers
from rrcore.wording import counted, legible
from rrcore.wording.short import some

MISSING = "(missing)"
"""The category of people without a value."""

OTHER = "(other)"
"""The category of merged rare values and of values that are not on a declared list."""

_PERSON = re.compile(
    r"((?i:(^|[\W\d_])(household|hh|serial|identifier|(case|person|household|hh|record|serial|respondent)[\W_]?(no|nr|num|number)|"
    r"(case|resp|respondent|person|user|member|patient|student|subject|record|response|household|family|hh|h|p|u|uu|gu)?"
    r"[\W_]?id(s|no|nr|num|number)?))|[a-z]I[dD])($|[\W\d_])"
)
_WEIGHT = re.compile(r"(?i)(?!.*(birth|body)).*(weight|wght|wgt|(?<![a-z])wt)s?($|[\W\d_])")
_NO_ANSWER = re.compile(
    r"no (answer|response)|refus(ed|al)|do(n'?t| not) know|dk(/na)?|not (applicable|asked|stated)|prefer not to say|keine angabe|k\.a\."
)
_ROUND = [float(f"{digit}e{power}") for power in range(-15, 17) for digit in (1, 2, 5)]
_BELOW = re.compile(r"(?:\S+ to )?below (-?\d[\d,]*\.?\d*(?:e[+-]\d+)?)")


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """Values and counts of a column in a table that is too large for memory.

    Parameters
    ----------
    name, values, counts, missing, labels, ordered : as in ``TextColumn``
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


Values = TextColumn | ValueCounts
"""Values of a column with their frequencies, which are enough for rules, advice and descriptions."""


@dataclass(frozen=True)
class ColumnRule:
    """The rule by which one text column becomes an attribute.

    Parameters
    ----------
    use : bool, whether to use the column
    kind : "nominal" or "ordinal". A binned column is always ordinal
    missing : "category" or "drop". Missing values become the category ``MISSING``, or their rows are dropped
    missing_marks : tuple of str that also denote a missing value, for example ``("?", "NA")``
    edges : tuple of float, increasing
        The limits of intervals for numbers, which are named "below 18", "18 to below 65", "65 and more" and so on. Intervals
        without people are included. Without edges, every value is a category.
    labels : tuple of (category, label)
        Labels that replace values, intervals or ``MISSING``. Categories with the same label are merged.
    merge_below : int, smallest number of people in a category. Smaller categories (except ``MISSING``) become ``OTHER``. 0 merges
        nothing
    categories : tuple of str or None
        The categories in order, after intervals are formed. Other values become ``OTHER``. None uses the values that occur.

    Raises
    ------
    InputError
        Raised by ``recoding``, so that the message can name the column.
    """

    use: bool = True
    kind: Kind = "nominal"
    missing: Literal["category", "drop"] = "category"
    missing_marks: tuple[str, ...] = ()
    edges: tuple[float, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    merge_below: int = 0
    categories: tuple[str, ...] | None = None

    @property
    def missing_called(self) -> str:
        """Category of people without a value: ``MISSING``, or its label."""
        return dict(self.labels).get(MISSING, MISSING)

    @property
    def marks(self) -> set[str]:
        """All strings that denote a missing value."""
        return {mark.strip() for mark in self.missing_marks} | {MISSING}


Rules = Mapping[str, ColumnRule]


def rule_learned_names(attribute: Attribute, rule: ColumnRule) -> tuple[str, ...]:
    """Return the categories of ``attribute`` that reveal people's answers.

    The existence or the name of such a category depends on the answers.

    The result is empty if all categories were declared, or are intervals between declared edges. ``OTHER`` and ``MISSING`` are
    included unless they were declared, because they exist only if somebody is in them.

    Parameters
    ----------
    attribute : Attribute that ``rule`` makes of a column
    rule : ColumnRule

    Examples
    --------
    >>> from rrcore.table import Attribute, ColumnRule
    >>> from rrcore.table.recoding import rule_learned_names
    >>> rule_learned_names(Attribute("town", ("Oslo", "Rome")), ColumnRule())
    ('Oslo', 'Rome')
    >>> rule_learned_names(Attribute("town", ("Oslo", "Rome", "(missing)")), ColumnRule(categories=("Oslo", "Rome")))
    ('(missing)',)
    >>> rule_learned_names(Attribute("age", ("below 30", "30 and more")), ColumnRule(edges=(30,)))
    ()
    """
    known = rule.categories or ()
    if rule.categories is None and rule.edges:
        known = tuple(dict(rule.labels).get(name, name) for name in interval_names(rule.edges))
    return tuple(name for name in attribute.categories if name not in known)


def rounded_edges(numbers: Floats, people: Integers) -> tuple[float, ...]:
    """Return edges of a few intervals with open ends for a numeric column.

    The edges are multiples of 1, 2 or 5 times a power of ten. For skewed amounts, of which few are large, they are these numbers
    themselves. The middle 80% of people determine the edges. The lowest and the highest tenth, and at least ``FEW_PEOPLE`` people
    on either side, could have given any more extreme value without changing an edge. Edges therefore reveal an order of magnitude,
    but no individual number.

    Parameters
    ----------
    numbers : ndarray of shape (m,), distinct finite numbers
    people : ndarray of shape (m,), the number of people who gave each number, at least 1

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
    n, numbers, upto = int(people.sum()), np.clip(numbers[order], -1e15, 1e15), np.cumsum(people[order])
    # A tenth of the people on either side, and at least FEW_PEOPLE, have no say.
    aside = min(max(math.ceil(0.1 * n), FEW_PEOPLE), (n - 1) // 2)
    low, middle, high = numbers[np.searchsorted(upto, [aside, n // 2, n - 1 - aside], side="right")].tolist()
    whole = people[order][numbers % 1 == 0].sum() >= 0.95 * n
    if low >= 0 and high - middle > 2 * (middle - low):  # few are large: an uneven scale over at most a factor of 50
        edges = [edge for edge in _ROUND if edge >= high / 50]
    else:  # an even scale of about five steps
        least = max((high - low) / 5, 1 if whole else 0)
        step = next(edge for edge in _ROUND if edge >= least)
        edges = [step * i for i in range(math.floor(low / step) + 1, math.floor(high / step) + 1)]
    kept = [edge for edge in edges if low < edge <= high and (edge % 1 == 0 or not whole)]
    if not kept:
        above = (edge for edge in [*(-edge for edge in reversed(_ROUND)), 0.0, *_ROUND] if edge > middle)
        kept = [next(edge for edge in above if edge % 1 == 0 or not whole)]
    return tuple(float(f"{edge:.15g}") for edge in kept)


def interval_names(edges: Sequence[float]) -> tuple[str, ...]:
    """Return the names of the intervals between and beyond ``edges``.

    Examples
    --------
    >>> from rrcore.table.recoding import interval_names
    >>> interval_names((1000, 18000))
    ('below 1,000', '1,000 to below 18,000', '18,000 and more')
    >>> interval_names((1960, 1980))[1]
    '1960 to below 1980'
    """
    years = all(float(edge).is_integer() and 1800 <= edge <= 2100 for edge in edges)
    words = [format(edge + 0.0, ".15g" if years else ",.15g") for edge in edges]
    return (f"below {words[0]}", *(f"{low} to below {high}" for low, high in pairwise(words)), f"{words[-1]} and more")


def edges_named(names: Sequence[str]) -> tuple[float, ...]:
    """Return the edges of the intervals at the beginning of ``names``.

    The result is empty if there are none.

    Examples
    --------
    >>> from rrcore.table.recoding import edges_named
    >>> edges_named(("below 1,000", "1,000 to below 18,000", "18,000 and more", "(missing)")), edges_named(("no", "yes"))
    ((1000.0, 18000.0), ())
    """
    found = (_BELOW.fullmatch(name) for name in names)
    edges = tuple(float(match[1].replace(",", "")) for match in found if match)
    return edges if edges and interval_names(edges) == tuple(names[: len(edges) + 1]) else ()


def recodes_as_identifier(column: Values) -> bool:
    """Return whether a column looks like an identifier of people.

    Its values look like names or numbers of people, or its name suggests this and it has many values.

    Values look like this if more than 50 of them are distinct, and more than half of the rows with a value. Whole numbers must all
    be distinct, or nine of ten and close together like serial numbers, because amounts also vary. Other numbers are measurements.
    """
    distinct, present = len(column.values), column.n - column.missing
    numbers = to_numbers(column.values)
    if numbers is not None and (numbers % 1 != 0).any():
        return False
    named = distinct > NUMERIC_CATEGORIES and _PERSON.search(column.name) is not None
    scattered = numbers is not None and distinct < present and numbers[-1] - numbers[0] >= 2 * distinct
    return named or (not scattered and distinct > max(MANY_CATEGORIES, present * (0.5 if numbers is None else 0.9)))


def why_unused(column: Values) -> tuple[str, str] | None:
    """Return why ``default_rule`` leaves a column out, None if it does not.

    The reason consists of a keyword and a sentence.
    """
    distinct = len(column.values)
    if not set(column.values) - {MISSING}:
        return "missing", "Every value is missing."
    if distinct == 1 and not column.missing:
        return "constant", f"All people have the same value, '{column.values[0][:40]}'."
    if recodes_as_identifier(column):
        return "identifier", f"It looks like an identifier of people or households ({distinct:,} values)."
    numbers = to_numbers(column.values)
    mean = 0.0 if numbers is None else float(np.average(numbers, weights=column.counts))
    # People weigh 20 to 300 kilograms or pounds on average. Weights of a sample seldom have such a mean.
    if numbers is not None and distinct > NUMERIC_CATEGORIES and _WEIGHT.match(column.name) and not 20 < mean < 300:
        return "weight", "It looks like survey weights."
    if any(len(value) > MAX_TEXT for value in column.values):
        return "long", f"It has texts of more than {MAX_TEXT} characters."
    if distinct + (column.missing > 0) > MAX_CATEGORIES and numbers is None:
        return "crowded", f"It has {distinct:,} categories, but at most {MAX_CATEGORIES:,} are allowed."
    return None


def default_rule(column: Values) -> ColumnRule:
    """Return a reasonable initial rule for a column.

    ``why_unused`` determines which columns are left out. If a column has more than ``NUMERIC_CATEGORIES`` distinct numbers, they
    are grouped into a few intervals with rounded edges and open ends (``rounded_edges``). Columns with fewer numbers are ordinal.
    Values with labels in the file use these labels and their order. Other columns are nominal.
    """
    numeric, distinct = to_numbers(column.values) is not None, len(column.values)
    unknown = set(column.values) - {value for value, _ in column.labels}
    if column.labels and distinct and (not unknown or len(unknown) <= NUMERIC_CATEGORIES):
        names = value_names(column)
        kind: Kind = "ordinal" if column.ordered or (unknown and numeric) else "nominal"
        use = 2 <= distinct + (column.missing > 0) <= MAX_CATEGORIES
        categories = tuple(names.values()) if not unknown and distinct == len(names) else None
        return ColumnRule(use=use, kind=kind, labels=tuple(names.items()), categories=categories)
    used = None if why_unused(column) else rule_to_use(column, ColumnRule(kind="ordinal" if numeric else "nominal"))
    return used or ColumnRule(use=False)


def rule_to_use(column: Values, rule: ColumnRule) -> ColumnRule | None:
    """Return a rule that makes a column usable.

    It groups many numbers into intervals. If there are too many other categories, it merges the rare ones.

    The result is None if there are too many categories and all of them are rare.
    """
    if len(column.values) > NUMERIC_CATEGORIES and to_numbers(column.values) is not None:
        return recode_in_groups(column, rule)
    if len(column.values) + (column.missing > 0) <= MAX_CATEGORIES:
        return replace(rule, use=True)
    return replace(rule, use=True, merge_below=FEW_PEOPLE) if column.counts.max() >= FEW_PEOPLE else None


def rules_for_names(
    columns: Sequence[Values], rules: Rules, names: Sequence[str] = (), bins: Mapping[str, Iterable[float]] = {}
) -> dict[str, ColumnRule]:
    """Return the rules, changed so that every named column is used.

    Parameters
    ----------
    columns : sequence of Values
    rules : mapping
        The rule of each column.
    names : sequence of str
        Columns that must be used.
    bins : mapping
        Limits of the intervals of numeric columns.

    Raises
    ------
    InputError
        If a column does not exist or cannot be used.
    """
    found, known = dict(rules), {column.name: column for column in columns}
    if wrong := [name for name in (*rules, *bins, *names) if name not in known]:
        raise unknown("column", wrong[0], list(known))
    found |= {name: _in_intervals(found[name], tuple(edges)) for name, edges in bins.items()}
    for name in names:
        rule = found[name] if found[name].use else rule_to_use(known[name], found[name])
        if rule is None:
            _, reason = why_unused(known[name]) or ("", "It has too many categories.")
            raise InputError(f"The column '{name}' cannot be an attribute. {reason} Choose another column.")
        found[name] = rule
    return found


def recode_in_groups(column: Values, rule: ColumnRule) -> ColumnRule:
    """Return the rule that groups a numeric column into a few intervals.

    The intervals have rounded edges and open ends.

    Raises
    ------
    InputError
        If a value is not a number.
    """
    live = _live(column, rule)
    numbers, inverse = np.unique(_numbers(column.name, [column.values[i] for i in live]), return_inverse=True)
    return _in_intervals(rule, rounded_edges(numbers, np.bincount(inverse, column.counts[live]).astype(np.int64)))


def _in_intervals(rule: ColumnRule, edges: tuple[float, ...]) -> ColumnRule:
    return replace(rule, use=True, kind="ordinal", edges=edges, categories=None, labels=())


def _live(column: Values, rule: ColumnRule) -> list[int]:
    """The places of values that are not missing."""
    marks = rule.marks
    return [i for i, value in enumerate(column.values) if value not in marks]


def _numbers(name: str, texts: list[str]) -> Floats:
    """The numbers that ``texts`` of a column write. Raises InputError with the first that is none."""
    if (numbers := to_numbers(texts)) is None:
        wrong = next((text for text in texts if not is_number(text)), texts[0])
        raise InputError(f"'{name}' contains '{wrong[:40]}', which is not a number. Count it as missing or use no bins.")
    return numbers


def value_names(column: Values) -> dict[str, str]:
    """Return the labels of the values in the file as names.

    If two values have the same label, the value is appended to it.

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
    """Return the categories with fewer than ``FEW_PEOPLE`` people.

    Only categories whose names come from the data in ``column`` count. The result gives the number of people in each.

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
    """Return the attribute that a column becomes, and the count of each category."""
    attribute, codes = recoding(column, rule)
    people = np.append(column.counts, column.missing)
    return attribute, np.bincount(codes[codes >= 0], people[codes >= 0], attribute.size).astype(np.int64)


def recoding(column: Values, rule: ColumnRule) -> tuple[Attribute, Codes]:
    """Return the attribute that a column becomes, and the code of each value.

    The steps are missing marks, bins, labels, merging of rare categories, and declared categories, in this order. ``OTHER`` and
    ``MISSING`` come last, and only if they occur or are declared. ``rule_learned_names`` returns the names that come from the data.

    Returns
    -------
    attribute : Attribute
    codes : ndarray of shape (len(values) + 1,), codes 0..a-1 of the values, followed by that of a missing value. -1 if the row is
        to be dropped

    Raises
    ------
    InputError
        If the values cannot be binned as requested, the rule is contradictory, or the number of categories is below 2 or too large.
    """
    if not np.isfinite(rule.edges).all() or any(b <= a for a, b in pairwise(rule.edges)):
        given = ", ".join(f"{edge:.15g}" for edge in rule.edges[:10])
        raise InputError(f"The edges of '{column.name}' are {given}. Use numbers in increasing order.")
    live, called, people = _live(column, rule), dict(rule.labels), Counter[str]()
    if not live:
        raise InputError(f"Every value of '{column.name}' is missing. Leave the column out, or change what counts as missing.")
    names = possible = [column.values[i] for i in live]
    if rule.edges:
        possible = list(interval_names(rule.edges))
        names = [possible[i] for i in np.searchsorted(rule.edges, _numbers(column.name, names), side="right")]
    names = [called.get(name, name) for name in names]
    for name, count in zip(names, column.counts[live].tolist(), strict=True):
        people[name] += count
    if rule.categories is not None:
        kept = [each for each in rule.categories if each == OTHER or not 0 < people[each] < rule.merge_below]
    else:  # intervals are kept even if nobody is in them: their names are known before anybody has answered
        least = 0 if rule.edges else rule.merge_below
        found = dict.fromkeys(called.get(each, each) for each in possible)
        kept = [each for each in found if each != OTHER and people[each] >= least]
    # +people holds the names that somebody has.
    if OTHER not in kept and set(+people) - set(kept):
        kept.append(OTHER)
    if rule.missing == "category" and people.total() < column.n and rule.missing_called not in kept:
        kept.append(rule.missing_called)
    attribute = Attribute(column.name, tuple(kept), "ordinal" if rule.edges else rule.kind)
    code = {name: number for number, name in enumerate(kept)}
    gone = code.get(rule.missing_called, -1) if rule.missing == "category" else -1
    lookup = np.full(len(column.values) + 1, gone, dtype=code_type(attribute.size))
    lookup[:-1][live] = [code.get(name, code.get(OTHER, gone)) for name in names]
    return attribute, lookup


def recodings(columns: Sequence[Values], rules: Rules, names: Sequence[str] | None = None) -> list[tuple[Attribute, Codes]]:
    """Return the attribute and codes of each named column, in this order.

    By default, all columns that ``rules`` use are returned. Codes are as in ``recoding``.

    Parameters
    ----------
    columns : sequence of Values
    rules : mapping
        The rule of each column. Columns without a rule are left out.
    names : sequence of str or None

    Raises
    ------
    InputError
        If no column is used, or a column cannot be an attribute.
    """
    rules, known = rules_for_names(columns, rules, names or ()), {column.name: column for column in columns}
    used = [name for name in known if name in rules and rules[name].use] if names is None else names
    if not used:
        raise InputError("No column is included. Include at least one column with two or more different answers.")
    return [recoding(known[name], rules[name]) for name in used]


def recode(table: TextTable, rules: Rules, names: Sequence[str] | None = None) -> Dataset:
    """Return the table as a Dataset without dropped rows.

    Parameters and errors are those of ``recodings``.

    Raises
    ------
    InputError
        Also if a rule does not match any column, or every row is dropped.
    """
    parts = recodings(table.columns, rules, names)
    codes = np.array([part[table.column(attribute.name).codes] for attribute, part in parts]).T
    kept = (codes >= 0).all(axis=1)
    if not kept.any():
        blamed = some([f"'{attribute.name}'" for attribute, part in parts if part.min() < 0], 10)
        raise InputError(
            f"Every row has a missing value in {blamed}. Count missing answers as a category, or leave a column out."
        )
    return Dataset(Schema(tuple(attribute for attribute, _ in parts)), codes if kept.all() else codes[kept], table.title)


def as_table(dataset: Dataset) -> tuple[TextTable, dict[str, ColumnRule]]:
    """Return a text table and rules from which ``recode`` recreates ``dataset``."""
    attributes = dataset.schema.attributes
    columns = tuple(TextColumn(a.name, dataset.codes[:, i], a.categories) for i, a in enumerate(attributes))
    rules = {a.name: ColumnRule(kind=a.kind, categories=a.categories) for a in attributes}
    return TextTable(columns, dataset.title), rules


@dataclass(frozen=True)
class Advice:
    """A finding about a column, with a recommended action.

    Parameters
    ----------
    column : str
    code : str
        "constant", "missing", "identifier", "weight", "long", "crowded", "mark" or "few".
    message : str
        The finding as a sentence.
    action : str
        The label of a button. Empty if no action is needed.
    rule : ColumnRule or None
        The rule that the action sets.
    """

    column: str
    code: str
    message: str
    action: str = ""
    rule: ColumnRule | None = None


def advise(column: Values, rule: ColumnRule) -> tuple[Advice, ...]:
    """Return advice on a column with this rule, the most serious first.

    Examples
    --------
    >>> import numpy as np
    >>> from rrcore.table import ColumnRule, TextColumn, advise
    >>> town = TextColumn("town", np.array([0] * 9 + [1] * 7 + [2] * 6), ("Oslo", "Rome", "?"))
    >>> [(found.message, found.action) for found in advise(town, ColumnRule())]
    [("'?' (6 people) may mean a missing answer.", 'Count as missing')]
    """
    if not rule.use:
        why = why_unused(column)
        able = why is not None and why[0] not in ("missing", "constant", "long")
        used = rule_to_use(column, replace(rule, missing_marks=())) if able else None
        action = "" if used is None else "Use in intervals" if used.edges else "Use column"
        return (Advice(column.name, *why, action, used),) if why else ()
    found: list[Advice] = []
    called, people = dict(rule.labels), dict(zip(column.values, column.counts.tolist(), strict=True))
    names = {value: called.get(value, value) for value in people if value not in rule.marks}
    marks = {value: name for value, name in names.items() if name.lower() in MARKS or _NO_ANSWER.fullmatch(name.lower())}
    if 0 < len(marks) < len(people):
        kept = rule.categories and tuple(each for each in rule.categories if each not in marks.values())
        text = f"{_listed((name, people[value]) for value, name in marks.items())} may mean a missing answer."
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
    """Describe which columns were left out or grouped automatically.

    Parameters
    ----------
    columns : sequence of Values
    rules : mapping
        The rule of each column.
    names : sequence of str or None
        The columns chosen by the caller.
    bins : collection of str
        The columns for which the caller gave limits.
    how : two strings
        The names of the arguments that choose columns and limits.

    Returns
    -------
    str
        The description in sentences, or an empty string.
    """
    unused, grouped = [], []
    for column in columns:
        rule = rules[column.name]
        if names is None and not rule.use:
            reason = (why_unused(column) or ("", "It is about the interview."))[1]
            unused.append(f"'{column.name}' ({reason.rstrip('.')})")
        elif rule.use and rule.edges and column.name not in bins and column.name in (names or rules):
            grouped.append(f"'{column.name}' ({', '.join(interval_names(rule.edges))})")
    left = f"Columns left out: {some(unused, 50)}. Choose columns with {how[0]}." if unused else ""
    made = f"Columns grouped: {some(grouped, 50)}. Choose limits with {how[1]}." if grouped else ""
    return f"{left} {made}".strip()
