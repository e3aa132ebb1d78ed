"""Attributes and schemas: names, categories and their order.

A person declares them. They are never inferred from private answers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from rrcore.errors import InputError, unknown
from rrcore.limits import MAX_CATEGORIES, MAX_COLUMNS, MAX_TEXT
from rrcore.wording import MOST_ROWS, counted, html_table
from rrcore.wording.short import Short, some

Kind = Literal["nominal", "ordinal"]


@dataclass(frozen=True, slots=True)
class Attribute(Short):
    """One categorical question.

    Parameters
    ----------
    name : str
        Displayed name, 1 to 500 characters.
    categories : tuple of str
        The possible answers in order, at least two and all distinct. Code c stands for ``categories[c]``.
    kind : {"nominal", "ordinal"}
        "ordinal" if the order of the categories is meaningful.

    Raises
    ------
    InputError
        If a name or category is missing or too long, or a category occurs twice.

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

    def _repr_html_(self) -> str:
        """Return the categories, for a notebook."""
        return html_table([self.name], [[each] for each in self.categories[:MOST_ROWS]], more=max(0, self.size - MOST_ROWS))

    def __post_init__(self) -> None:
        name = self.name
        if isinstance(self.categories, str):
            raise InputError(f"The categories of '{name}' are a single string. Use a list, for example ['no', 'yes'].")
        object.__setattr__(self, "categories", tuple(self.categories))
        texts = [("An attribute has the name", name), *((f"'{name}' has the category", each) for each in self.categories)]
        for what, text in texts:
            if not isinstance(text, str) or not (text.strip() if text is name else text) or len(text) > MAX_TEXT:
                raise InputError(f"{what} '{str(text)[:40]}'. Use a string of 1 to {MAX_TEXT} characters.")
        if twice := _twice(self.categories):
            raise InputError(f"'{name}' lists the category '{twice}' twice. List each category once.")
        if self.size < 2:
            found = f"only the category '{self.categories[0]}'" if self.categories else "no categories"
            raise InputError(f"'{name}' has {found}, but an attribute needs at least 2. Add answers, or leave out the attribute.")
        if self.size > MAX_CATEGORIES:
            raise InputError(
                f"'{name}' has {self.size:,} categories, but at most {MAX_CATEGORIES:,} are allowed. Merge rare ones."
            )
        if self.kind not in get_args(Kind):
            raise InputError(f"The kind of '{name}' is '{self.kind}'. It must be 'nominal' or 'ordinal'.")

    @property
    def size(self) -> int:
        """Number of categories, at least 2."""
        return len(self.categories)


@dataclass(frozen=True, slots=True)
class Schema(Short):
    """The attributes of a record, in order, with distinct names.

    Parameters
    ----------
    attributes : tuple of Attribute
        At least one attribute.

    Raises
    ------
    InputError
        If there are no attributes, too many attributes, or two attributes with the same name.

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

    def _repr_html_(self, title: str = "") -> str:
        """Return the attributes with their categories, for a notebook."""
        rows = [[each.name, str(each.size), some(each.categories)] for each in self.attributes[:MOST_ROWS]]
        return html_table(("attribute", "categories", "answers"), rows, title=title, more=len(self.attributes) - len(rows))

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", tuple(self.attributes))
        if not self.attributes:
            raise InputError("No attribute is chosen. Choose at least one with two or more categories.")
        if len(self.attributes) > MAX_COLUMNS:
            raise InputError(f"There are {len(self.attributes):,} attributes. Use at most {MAX_COLUMNS:,}.")
        if twice := _twice(self.names):
            raise InputError(f"Two attributes are named '{twice}'. Give each its own name.")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the attributes."""
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of categories, one per attribute."""
        return tuple(attribute.size for attribute in self.attributes)

    @property
    def cells(self) -> int:
        """Number of possible records, as an exact integer."""
        return math.prod(self.sizes)

    def axes(self, names: Iterable[str]) -> tuple[int, ...]:
        """Return the positions of the named attributes.

        Parameters
        ----------
        names : str or iterable of str
            Names of attributes.

        Returns
        -------
        tuple of int
            Positions from 0, in the order of ``names``.

        Raises
        ------
        InputError
            If a name is unknown or given twice. The message lists the known names.
        """
        names, known = (names,) if isinstance(names, str) else tuple(names), self.names
        if wrong := [name for name in names if name not in known]:
            raise unknown("attribute", wrong[0], known)
        if twice := _twice(names):
            raise InputError(f"The attribute '{twice}' is named twice. Name each attribute once.")
        return tuple(map(known.index, names))

    def select(self, names: Iterable[str]) -> Schema:
        """Return a schema with only the named attributes.

        Parameters
        ----------
        names : str or iterable of str
            Names of attributes.

        Returns
        -------
        Schema
            These attributes, in the order of ``names``.

        Raises
        ------
        InputError
            If a name is unknown or given twice.
        """
        return Schema(tuple(self.attributes[i] for i in self.axes(names)))


def _twice(names: Sequence[str]) -> str:
    """The first name that occurs twice, empty if there is none."""
    return next((name for name, times in Counter(names).items() if times > 1), "")
