"""Attributes and schemas: names, categories, order. Declared by a person, never guessed from private answers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

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
    name : str
        Shown to people, 1 to ``MAX_TEXT`` characters.
    categories : tuple of str
        The possible answers in order, at least two, all different. Code c stands for ``categories[c]``.
    kind : str
        "ordinal" if the order of the categories means anything, else "nominal".

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
        name = self.name
        if isinstance(self.categories, str):
            raise InputError(f"'{name}' has one text in place of categories: give a list, for example ['no', 'yes'].")
        object.__setattr__(self, "categories", tuple(self.categories))
        texts = [("An attribute has the name", name), *((f"'{name}' has the category", each) for each in self.categories)]
        for what, text in texts:
            if not isinstance(text, str) or not (text.strip() if text is name else text) or len(text) > MAX_TEXT:
                raise InputError(f"{what} '{str(text)[:40]}': give a text of 1 to {MAX_TEXT} characters.")
        if twice := _twice(self.categories):
            raise InputError(f"'{name}' lists the category '{twice}' twice: list each category once.")
        if self.size < 2:
            found = f"only the category '{self.categories[0]}'" if self.categories else "no categories"
            raise InputError(f"'{name}' has {found}: an attribute needs at least 2. Add possible answers, or leave it out.")
        if self.size > MAX_CATEGORIES:
            raise InputError(f"'{name}' has {self.size:,} categories: at most {MAX_CATEGORIES:,} are allowed. Merge rare ones.")
        if self.kind not in get_args(Kind):
            raise InputError(f"The kind of '{name}' is '{self.kind}': it must be 'nominal' or 'ordinal'.")

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
        names = [f"{attribute.name} ({attribute.size})" for attribute in self.attributes]
        return f"{counted(len(names), 'attribute', 'attributes')}: {some(names, 8)}"

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", tuple(self.attributes))
        if not self.attributes:
            raise InputError("No attribute is chosen: choose at least one with two or more categories.")
        if len(self.attributes) > MAX_COLUMNS:
            raise InputError(f"There are {len(self.attributes):,} attributes: use at most {MAX_COLUMNS:,}.")
        if twice := _twice(self.names):
            raise InputError(f"Two attributes are called '{twice}': give each its own name.")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of categories a_i, one per attribute."""
        return tuple(attribute.size for attribute in self.attributes)

    @property
    def cells(self) -> int:
        """M, the number of possible records, exactly."""
        return math.prod(self.sizes)

    def axes(self, names: Iterable[str]) -> tuple[int, ...]:
        """Positions of the named attributes.

        Raises
        ------
        InputError
            If a name is unknown (the known ones are listed) or given twice.
        """
        names, known = tuple(names), self.names
        if wrong := [name for name in names if name not in known]:
            raise InputError(f"There is no attribute '{str(wrong[0])[:80]}': choose among {some(known, 20)}.")
        if twice := _twice(names):
            raise InputError(f"The attribute '{twice}' is named twice: name each attribute once.")
        return tuple(map(known.index, names))

    def select(self, names: Iterable[str]) -> Schema:
        """The schema of the named attributes, in the order of ``names``."""
        return Schema(tuple(self.attributes[i] for i in self.axes(names)))


def _twice(names: Sequence[str]) -> str:
    """The first name that occurs twice, empty if there is none."""
    return next((name for name, times in Counter(names).items() if times > 1), "")
