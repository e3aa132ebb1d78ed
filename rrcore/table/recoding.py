"""From text columns to a Dataset by explicit rules: which columns, what counts as missing, bins, merging, declared categories."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from rrcore.arrays import Booleans, Codes, code_type
from rrcore.errors import InputError
from rrcore.limits import FEW_PEOPLE, MAX_CATEGORIES, MAX_TEXT, NUMERIC_CATEGORIES
from rrcore.table.dataset import Dataset
from rrcore.table.intervals import intervals, numbers_of
from rrcore.table.reading import TextColumn, TextTable, to_numbers
from rrcore.table.rule import OTHER, ColumnRule, check_rule, rule_learned_names
from rrcore.table.scale import rounded_edges
from rrcore.table.schema import Attribute, Kind, Schema, shortened
from rrcore.table.values import Values


def recodes_as_numbers(column: Values) -> bool:
    """Whether the column has values and all of them are numbers."""
    return to_numbers(column.values) is not None


def recodes_as_identifier(column: Values) -> bool:
    """Whether values look like names or numbers of persons: more than 50, and more than half the rows with a value distinct.

    Whole numbers must all be distinct, or nine of ten and close together as running numbers are, since amounts also vary; other numbers
    are measurements.
    """
    distinct, present = len(column.values), column.n - column.missing
    if distinct <= 50 or distinct <= 0.5 * present:
        return False
    numbers = to_numbers(column.values)
    if numbers is None:
        return True
    running = distinct >= 0.9 * present and numbers[-1] - numbers[0] < 2 * distinct
    return bool((distinct == present or running) and (numbers == np.floor(numbers)).all())


def default_rule(column: Values, n: int) -> ColumnRule:
    """A sensible first rule for a column of a table with ``n`` rows.

    Left out: columns that look like identifiers, have a single answer, have texts of more than ``MAX_CATEGORIES`` kinds or a text
    longer than ``MAX_TEXT``. Numbers of more than ``NUMERIC_CATEGORIES`` kinds fall into a few intervals with rounded edges and open
    ends (``rounded_edges``); fewer are ordinal. Values that the file has labels for go by these, in its order. Other columns are nominal.
    """
    distinct, numeric = len(column.values), recodes_as_numbers(column)
    answers = distinct + (column.missing > 0)
    if column.labels and n > 0:
        unknown = [value for value in column.values if value not in dict(column.labels)]
        if not unknown or len(unknown) <= NUMERIC_CATEGORIES:
            return _labelled_rule(column, unknown, numeric)
    too_long = any(len(value) > MAX_TEXT for value in column.values)
    crowded = not numeric and answers > MAX_CATEGORIES
    if answers < 2 or distinct == 0 or n < 1 or crowded or too_long or recodes_as_identifier(column):
        return ColumnRule(use=False)
    if numeric and distinct > NUMERIC_CATEGORIES:
        return recode_in_groups(column, ColumnRule())
    return ColumnRule(kind="ordinal" if numeric else "nominal")


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
    return replace(rule, use=True, kind="ordinal", binning="open", edges=edges, categories=None, labels=(), declared=True)


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
    return ColumnRule(use=use, kind=kind, labels=tuple(labels.items()), categories=categories, declared=not unknown)


def rare_categories(column: Values, rule: ColumnRule) -> tuple[str, ...]:
    """Return the categories whose names were read off ``column`` and that fewer than ``FEW_PEOPLE`` people have.

    Examples
    --------
    >>> import numpy as np
    >>> from rrcore.table import ColumnRule, TextColumn
    >>> from rrcore.table.recoding import rare_categories
    >>> rare_categories(TextColumn("town", np.array([0] * 5 + [1] * 4), ("Oslo", "Rome")), ColumnRule())
    ('Rome',)
    """
    attribute, codes = recoding(column, rule)
    people = np.zeros(attribute.size)
    used = codes[:-1] >= 0
    np.add.at(people, codes[:-1][used], column.counts[used])
    learned = set(rule_learned_names(attribute, rule)) - {OTHER, rule.missing_called}
    return tuple(name for name, count in zip(attribute.categories, people, strict=True) if name in learned and count < FEW_PEOPLE)


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
    labels, index = (
        (texts, np.arange(len(texts))) if rule.binning == "none" else intervals(column.name, texts, counts[live], rule)
    )
    if rule.labels:
        called = dict(rule.labels)
        new = [called.get(label, label) for label in labels]
        labels = list(dict.fromkeys(new))
        place = {label: i for i, label in enumerate(labels)}
        index = np.array([place[label] for label in new], dtype=np.int64)[index]
    people = np.bincount(index, weights=counts[live], minlength=len(labels))
    kept = [label for label, count in zip(labels, people, strict=True) if count >= rule.merge_below and label != OTHER]
    if rule.binning == "open" and rule.categories is None:
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
