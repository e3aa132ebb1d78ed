"""Attributes and schemas: names, categories, order. Declared by a person, never guessed from private answers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from rrcore.arrays import Booleans, Codes
from rrcore.errors import InputError
from rrcore.limits import MAX_CATEGORIES, MAX_COLUMNS, MAX_QUESTIONS, MAX_TEXT
from rrcore.table.cells import check_cells
from rrcore.table.impossible import Impossible
from rrcore.table.plain import Place, from_plain, to_plain
from rrcore.table.plain.place import shortened
from rrcore.wording import counted
from rrcore.wording.short import Short, some

_PLACE = Place("list of attributes", "give each a name and a list of categories")

Kind = Literal["nominal", "ordinal"]

_MOST_LISTED = 3  # combinations that are told of those that should not be


@dataclass(frozen=True, slots=True)
class Attribute(Short):
    """One categorical question.

    Parameters
    ----------
    name : str, shown to people; 1 to ``MAX_TEXT`` characters
    categories : tuple of str, the possible answers in order, at least two, all different. Code c stands for ``categories[c]``.
    kind : "nominal" or "ordinal": whether the order of the categories means anything

    Raises
    ------
    InputError
        With one sentence naming the attribute and what to do.

    Examples
    --------
    >>> import rrcore as rr
    >>> rr.Attribute("age", ("under 30", "30 to 60", "over 60"), "ordinal").size
    3
    """

    name: str
    categories: tuple[str, ...]
    kind: Kind = "nominal"

    def _summary(self) -> str:
        return f"'{self.name}', {counted(self.size, 'category', 'categories')}: {some(self.categories)}"

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InputError("An attribute has no name: give every attribute a name.")
        if len(self.name) > MAX_TEXT:
            raise InputError(f"The attribute name '{self.name[:40]}...' has {len(self.name)} characters: use at most {MAX_TEXT}.")
        if isinstance(self.categories, str):
            raise InputError(
                f"'{self.name}' has the text '{self.categories[:40]}' in place of categories: give a list, for example ['no', 'yes']."
            )
        object.__setattr__(self, "categories", tuple(self.categories))
        self._check_categories()
        if self.kind not in get_args(Kind):
            raise InputError(f"The kind of '{self.name}' is '{self.kind}': it must be 'nominal' or 'ordinal'.")

    def _check_categories(self) -> None:
        seen: set[str] = set()
        for category in self.categories:
            if not isinstance(category, str) or not category:
                raise InputError(f"'{self.name}' has a category without a name: give every category a name.")
            if len(category) > MAX_TEXT:
                raise InputError(
                    f"'{self.name}' has a category of {len(category)} characters ('{category[:40]}...'): use at most {MAX_TEXT}."
                )
            if category in seen:
                raise InputError(f"'{self.name}' lists the category '{category}' twice: list each category once.")
            seen.add(category)
        if len(seen) < 2:
            found = f"only the category '{self.categories[0]}'" if seen else "no categories"
            raise InputError(
                f"'{self.name}' has {found}: an attribute needs at least 2, so add the other possible answers or leave it out."
            )
        if len(seen) > MAX_CATEGORIES:
            raise InputError(
                f"'{self.name}' has {len(seen):,} categories: at most {MAX_CATEGORIES:,} are allowed, "
                "so group its values, merge rare ones or leave it out."
            )

    @property
    def size(self) -> int:
        """Number of categories, a_i >= 2."""
        return len(self.categories)


@dataclass(frozen=True, slots=True)
class Schema(Short):
    """The attributes of a record, in order, with distinct names.

    Parameters
    ----------
    attributes : tuple of Attribute
    impossible : tuple of Impossible, combinations of their categories that cannot occur; at most one for each set of attributes

    Examples
    --------
    >>> import rrcore as rr
    >>> schema = rr.Schema((rr.Attribute("sex", ("f", "m")), rr.Attribute("age", ("under 30", "30 to 60", "over 60"))))
    >>> schema.names, schema.sizes, schema.cells
    (('sex', 'age'), (2, 3), 6)
    """

    attributes: tuple[Attribute, ...]
    impossible: tuple[Impossible, ...] = ()

    def _summary(self) -> str:
        return f"{counted(len(self.attributes), 'attribute', 'attributes')}: {some([f'{a.name} ({a.size})' for a in self.attributes], 8)}"

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", tuple(self.attributes))
        object.__setattr__(self, "impossible", tuple(self.impossible))
        if not self.attributes:
            raise InputError("No attribute is chosen: choose at least one with two or more categories.")
        if len(self.attributes) > MAX_COLUMNS:
            raise InputError(f"There are {len(self.attributes):,} attributes: use at most {MAX_COLUMNS:,}.")
        seen: set[str] = set()
        for name in self.names:
            if name in seen:
                raise InputError(f"Two attributes are called '{name}': give each a name of its own.")
            seen.add(name)
        self._check_rules()

    def _check_rules(self) -> None:
        if len(self.impossible) > MAX_QUESTIONS:
            raise InputError(
                f"Combinations of {len(self.impossible):,} sets of attributes cannot occur: give at most {MAX_QUESTIONS:,}."
            )
        ruled: set[frozenset[str]] = set()
        for rule in self.impossible:
            if frozenset(rule.attributes) in ruled:
                raise InputError(f"Two lists say which combinations of {rule.called} cannot occur: make one of them.")
            ruled.add(frozenset(rule.attributes))
            own = [self.attributes[i] for i in self.axes(rule.attributes)]
            check_cells([attribute.size for attribute in own])
            for attribute, named in zip(own, zip(*rule.combinations, strict=True), strict=True):
                self._check_categories(rule, attribute, Counter(named), math.prod(each.size for each in own) // attribute.size)

    @staticmethod
    def _check_categories(rule: Impossible, attribute: Attribute, named: Mapping[str, int], others: int) -> None:
        """``named``: how many combinations each category is in; ``others``: how many there are of the other attributes."""
        known = set(attribute.categories)
        for category, times in named.items():
            if category not in known:
                raise InputError(
                    f"A combination that cannot occur names the category '{shortened(category)}' of '{shortened(attribute.name)}', which "
                    "has no such one: take one of its categories."
                )
            if times == others:
                raise InputError(
                    f"No combination with {shortened(attribute.name)} '{shortened(category)}' would be left of {rule.called}: leave that "
                    "category out."
                )

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of categories a_i, one per attribute."""
        return tuple(attribute.size for attribute in self.attributes)

    @property
    def log_domain_size(self) -> float:
        """ln M, the natural logarithm of the number of possible records."""
        return float(np.log(self.sizes).sum())

    @property
    def cells(self) -> int:
        """M, the number of possible records, exactly."""
        return math.prod(self.sizes)

    def axes(self, names: Iterable[str]) -> tuple[int, ...]:
        """Positions of the named attributes.

        Raises
        ------
        InputError
            If a name is unknown (the known ones are listed) or given twice, or one text is given in place of names.
        """
        position = {name: i for i, name in enumerate(self.names)}
        axes: list[int] = []
        for name in names:
            if name not in position and isinstance(names, str):
                raise InputError(
                    f"One text, '{names}', is given in place of names: give a list of names, for example ['{names}']."
                )
            if name not in position:
                known = ", ".join(self.names[:20]) + (", ..." if len(self.names) > 20 else "")
                raise InputError(f"There is no attribute '{str(name)[:80]}': choose among {known}.")
            if position[name] in axes:
                raise InputError(f"The attribute '{name}' is named twice: name each attribute once.")
            axes.append(position[name])
        return tuple(axes)

    def select(self, names: Iterable[str]) -> Schema:
        """The schema of the named attributes, in the order of ``names``, with the rules that are about these alone."""
        kept = tuple(self.attributes[i] for i in self.axes(names))
        inside = {attribute.name for attribute in kept}
        return Schema(kept, tuple(rule for rule in self.impossible if inside.issuperset(rule.attributes)))

    def keeping(self, rules: Iterable[Impossible]) -> Schema:
        """These attributes with what of ``rules`` is about them and their categories, and nothing else."""
        known = {attribute.name: set(attribute.categories) for attribute in self.attributes}
        found = []
        for rule in rules:
            if known.keys() >= set(rule.attributes):
                own = [known[name] for name in rule.attributes]
                left = [each for each in rule.combinations if all(x in mine for x, mine in zip(each, own, strict=True))]
                found += [Impossible(rule.attributes, tuple(left))] if left else []
        return Schema(self.attributes, tuple(found))

    def impossible_cells(self, names: Iterable[str] | None = None) -> Booleans:
        """Which combinations of the named attributes, by default all, cannot occur: ndarray of bool, one axis for each in their order.

        A rule about some of them holds whatever the others are; one about further attributes says nothing.

        Raises
        ------
        InputError
            Where that is all of them.
        """
        own = self if names is None else self.select(names)
        if own.impossible:
            check_cells(own.sizes)
        found = np.zeros(own.sizes, dtype=np.bool_)
        for rule in own.impossible:
            axes = own.axes(rule.attributes)
            mask = own._cells_of(rule).transpose(np.argsort(axes))
            found |= np.expand_dims(mask, tuple(i for i in range(found.ndim) if i not in axes))
        if own.impossible and found.all():
            raise InputError("Together the rules leave no combination that can occur: take one of them back.")
        return found

    def _codes_of(self, rule: Impossible) -> list[tuple[int, ...]]:
        """The combinations of ``rule`` as codes."""
        own = [{name: code for code, name in enumerate(self.attributes[i].categories)} for i in self.axes(rule.attributes)]
        return [tuple(codes[category] for codes, category in zip(own, each, strict=True)) for each in rule.combinations]

    def _cells_of(self, rule: Impossible) -> Booleans:
        """The combinations of ``rule`` among all of its attributes, one axis for each in its order."""
        found = np.zeros([self.sizes[i] for i in self.axes(rule.attributes)], dtype=np.bool_)
        found[tuple(zip(*self._codes_of(rule), strict=True))] = True
        return found

    def impossible_rows(self, codes: Codes) -> Booleans:
        """Which records have a combination that cannot occur: ``codes`` of shape (n, k), negative ones unknown -> ndarray of shape (n,)."""
        found = np.zeros(len(codes), dtype=np.bool_)
        for rule in self.impossible:
            columns = [codes[:, i] for i in self.axes(rule.attributes)]
            known = np.logical_and.reduce([column >= 0 for column in columns])
            found |= known & self._cells_of(rule)[tuple(np.where(known, column, 0) for column in columns)]
        return found

    def redraw_impossible(self, codes: Codes, *, rng: np.random.Generator) -> Codes:
        """Made-up records, shape (n, k), with those that cannot occur replaced by others of them, drawn at random.

        Raises
        ------
        InputError
            Where all records have a combination that cannot occur.
        """
        bad = self.impossible_rows(codes)
        if not bad.any():
            return codes
        if bad.all():
            raise InputError("Every made-up record has a combination that cannot occur: take some of the rules back.")
        found = codes.copy()
        found[bad] = codes[rng.choice(np.flatnonzero(~bad), int(bad.sum()))]
        return found

    def check_possible(self, codes: Codes) -> None:
        """Refuse true answers, shape (n, k), of which some record has a combination that cannot occur.

        Raises
        ------
        InputError
            With the number of such records and the first combinations.
        """
        rows = codes[self.impossible_rows(codes)]
        if not len(rows):
            return
        texts = []
        for rule in self.impossible:
            axes = self.axes(rule.attributes)
            for each, cell in zip(rule.combinations, self._codes_of(rule), strict=True):
                if people := int((rows[:, list(axes)] == cell).all(axis=1).sum()):
                    texts.append(f"{rule.combination_text(each)} ({people:,})")
        listed = "; ".join(texts[:_MOST_LISTED]) + ("; ..." if len(texts) > _MOST_LISTED else "")
        raise InputError(
            f"{counted(len(rows), 'person has', 'people have')} a combination that was declared impossible: {listed}. Take the "
            "combination out of the rules, or correct the table."
        )

    def to_dict(self) -> list[dict[str, Any]]:
        """A JSON-ready description; ``from_dict`` reads it back."""
        return [{"name": a.name, "kind": a.kind, "categories": list(a.categories)} for a in self.attributes]

    def rules_to_dict(self) -> dict[str, Any]:
        """The field "impossible" of a document beside what ``to_dict`` gives, where something is declared."""
        return {"impossible": to_plain(self.impossible)} if self.impossible else {}

    @classmethod
    def from_dict(cls, attributes: Any, place: Place = _PLACE) -> Schema:
        """Read ``attributes`` as ``to_dict`` wrote them, which stand at ``place``. Raises InputError where an entry lacks a field."""
        found = from_plain(tuple[Attribute, ...], attributes, place)
        with place.named():
            return cls(found)

    @classmethod
    def from_document(cls, document: Mapping[str, Any], place: Place) -> Schema:
        """Read "attributes" and what ``rules_to_dict`` wrote of a document at ``place``. Raises InputError like ``from_dict``."""
        return cls.from_dict(document["attributes"], place["attributes"]).declared_in(document, place)

    def declared_in(self, document: Mapping[str, Any], place: Place) -> Schema:
        """These attributes with what ``rules_to_dict`` wrote of a document at ``place``. Raises InputError for anything else."""
        return self.ruled(document["impossible"], place["impossible"]) if "impossible" in document else self

    def ruled(self, rules: Any, place: Place) -> Schema:
        """These attributes with what ``rules_to_dict`` wrote under "impossible", which stands at ``place``.

        Raises
        ------
        InputError
            For anything else, an empty list included.
        """
        if not (found := from_plain(tuple[Impossible, ...], rules, place)):
            place.refuse("an empty list", "at least one set of attributes")
        with place.named():
            return Schema(self.attributes, found)


def free_name(name: str, more: str, taken: Iterable[str]) -> str:
    """``name``, with ``more`` behind it as often as it takes to be none of ``taken``.

    Examples
    --------
    >>> free_name("day", " of arrival", ["smokes", "day"])
    'day of arrival'
    """
    others = set(taken)
    while name in others:
        name += more
    return name
