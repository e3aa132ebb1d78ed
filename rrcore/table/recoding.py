"""From text columns to a Dataset by explicit rules: which columns, what counts as missing, bins, merging, declared categories."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from rrcore.arrays import Booleans, Codes, Floats, Integers, code_type
from rrcore.errors import InputError
from rrcore.limits import FEW_PEOPLE, MANY_CATEGORIES, MAX_CATEGORIES, MAX_TEXT, NUMERIC_CATEGORIES
from rrcore.table.dataset import Dataset
from rrcore.table.reading import TextColumn, TextTable, is_number, to_numbers
from rrcore.table.rule import OTHER, ColumnRule, check_rule, rule_learned_names
from rrcore.table.scale import interval_names, rounded_edges
from rrcore.table.schema import Attribute, Kind, Schema
from rrcore.table.values import Values
from rrcore.wording import count_text
from rrcore.wording.short import shortened, some

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
