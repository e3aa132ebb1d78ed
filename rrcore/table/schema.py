"""Attributes and schemas: names, categories, order. Declared by a person, never guessed from private answers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from rrcore.errors import InputError
from rrcore.limits import MAX_CATEGORIES, MAX_COLUMNS, MAX_TEXT
from rrcore.wording import counted
from rrcore.wording.short import Short, some

Kind = Literal["nominal", "ordinal"]


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

    Examples
    --------
    >>> import rrcore as rr
    >>> schema = rr.Schema((rr.Attribute("sex", ("f", "m")), rr.Attribute("age", ("under 30", "30 to 60", "over 60"))))
    >>> schema.names, schema.sizes, schema.cells
    (('sex', 'age'), (2, 3), 6)
    """

    attributes: tuple[Attribute, ...]

    def _summary(self) -> str:
        return f"{counted(len(self.attributes), 'attribute', 'attributes')}: {some([f'{a.name} ({a.size})' for a in self.attributes], 8)}"

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", tuple(self.attributes))
        if not self.attributes:
            raise InputError("No attribute is chosen: choose at least one with two or more categories.")
        if len(self.attributes) > MAX_COLUMNS:
            raise InputError(f"There are {len(self.attributes):,} attributes: use at most {MAX_COLUMNS:,}.")
        seen: set[str] = set()
        for name in self.names:
            if name in seen:
                raise InputError(f"Two attributes are called '{name}': give each a name of its own.")
            seen.add(name)

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
        """The schema of the named attributes, in the order of ``names``."""
        return Schema(tuple(self.attributes[i] for i in self.axes(names)))


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
