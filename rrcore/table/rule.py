"""How one column becomes an attribute: missing values, intervals, names, merging, categories; and which names were read off the data."""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from rrcore.errors import InputError
from rrcore.table.scale import interval_names
from rrcore.table.schema import Attribute, Kind

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
