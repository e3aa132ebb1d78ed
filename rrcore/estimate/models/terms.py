"""Predictors of a regression, written as ``age``, ``age^2``, ``region: north`` or ``a:b``, and the columns that they become."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from rrcore.arrays import Booleans, Floats
from rrcore.errors import InputError
from rrcore.estimate.models.covariates import Covariate
from rrcore.limits import MAX_MODEL_LEVELS

_POWER = re.compile(r"(.+)\^\s*([23])")
_ABOVE = re.compile(r"(.+?)\s*(>=|>|<=|<)\s*([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)")


@dataclass(frozen=True)
class Term:
    """One predictor.

    Parameters
    ----------
    column : str, a randomised attribute or a covariate
    power : 1, 2 or 3, of a number
    limit : (">", 3.0) and the like: 1 for those beyond the limit, 0 for the others
    reference : str, the category that the others are compared with; the first one if empty
    categories : bool, whether a column of numbers is taken as categories
    by : Term or None, the term that this one is multiplied with: an interaction, of two terms that are predictors of their own

    Examples
    --------
    >>> Term("age", power=2).text, read_term("education > 3", ["education"]).limit, read_term("region: north", ["region"]).reference
    ('age^2', ('>', 3.0), 'north')
    """

    column: str
    power: Literal[1, 2, 3] = 1
    limit: tuple[str, float] | None = None
    reference: str = ""
    categories: bool = False
    by: Term | None = None

    @property
    def parts(self) -> tuple[Term, ...]:
        """The two terms of an interaction; the term itself where it is none."""
        return (self,) if self.by is None else (replace(self, by=None), self.by)

    @property
    def columns(self) -> tuple[str, ...]:
        """What it is read from."""
        return tuple(part.column for part in self.parts)

    @property
    def text(self) -> str:
        """The term as it is written, without the category of reference."""
        if self.by is not None:
            return ":".join(part.text for part in self.parts)
        if self.limit:
            return f"{self.column} {self.limit[0]} {self.limit[1]:g}"
        return self.column if self.power == 1 else f"{self.column}^{self.power}"

    @property
    def numeric(self) -> bool:
        """Whether the term can only be read from numbers."""
        return self.limit is not None or self.power > 1

    def encode(self, covariate: Covariate, used: Booleans) -> Encoder:
        """How the term becomes columns, as the answers ``used`` (n,) have it.

        Raises InputError for texts where numbers are needed, an unknown category of reference, or only one category.
        """
        if self.numeric or (covariate.numbers is not None and not self.reference and not self.categories):
            covariate.amounts()
            return Encoder(self, ())
        codes = covariate.codes[used & (covariate.codes >= 0)]
        levels = np.flatnonzero(np.bincount(codes, minlength=len(covariate.values))).tolist()
        if len(levels) > MAX_MODEL_LEVELS:
            raise InputError(
                f"'{self.column}' has {len(levels):,} different texts: a predictor has at most {MAX_MODEL_LEVELS}, so group them."
            )
        first = reference_code(self.column, self.reference, covariate.values, 12) if self.reference else next(iter(levels), -1)
        kept = tuple(covariate.values[code] for code in levels if code != first)
        if not kept:
            raise InputError(f"'{self.column}' has one category only among these answers: leave it out.")
        return Encoder(self, kept, covariate.values[first])


@dataclass(frozen=True)
class Encoder:
    """A term with the categories that have a column of their own, and the one that they are compared with; none for a number."""

    term: Term
    kept: tuple[str, ...]
    first: str = ""

    @property
    def labels(self) -> list[str]:
        """What each column is called."""
        return [f"{self.term.column}: {category}" for category in self.kept] or [self.term.text]

    def columns(self, covariates: Mapping[str, Covariate]) -> Floats:
        """The columns, shape (n, number of labels); nothing but zeros where the value is missing.

        Raises InputError for a category that no answer had when the model was fitted.
        """
        covariate = covariates[self.term.column]
        if not self.kept:
            amounts, limit = covariate.amounts(), self.term.limit
            values = amounts**self.term.power if limit is None else _BEYOND[limit[0]](amounts, limit[1])
            return np.nan_to_num(values.astype(np.float64), nan=0.0)[:, None]
        for code, value in enumerate(covariate.values):
            if value not in (*self.kept, self.first) and (covariate.codes == code).any():
                known = ", ".join((self.first, *self.kept))
                raise InputError(
                    f"'{self.term.column}' has the new category '{value[:40]}': choose among {known}.", quoted=value[:40]
                )
        places = [covariate.values.index(value) if value in covariate.values else -2 for value in self.kept]
        return (covariate.codes[:, None] == np.array(places)).astype(np.float64)


@dataclass(frozen=True)
class Product:
    """An interaction of two covariates: every column of one times every column of the other."""

    term: Term
    encoders: tuple[Encoder, Encoder]

    @property
    def labels(self) -> list[str]:
        return crossed(*(encoder.labels for encoder in self.encoders))

    def columns(self, covariates: Mapping[str, Covariate]) -> Floats:
        first, second = (encoder.columns(covariates) for encoder in self.encoders)
        return (first[:, :, None] * second[:, None, :]).reshape(len(first), -1)


def crossed(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """What the coefficients of an interaction are called."""
    return [f"{a} × {b}" for a in first for b in second]


def encoded(encoders: Sequence[Encoder | Product], covariates: Mapping[str, Covariate], n: int) -> Floats:
    """The columns of ``n`` people that all equations of a model have, shape (n, q): ones, and those of the ``encoders``."""
    return np.hstack([np.ones((n, 1)), *(encoder.columns(covariates) for encoder in encoders)])


def reference_code(name: str, reference: str, categories: Sequence[str], shown: int | None = None) -> int:
    """The code of the category of ``reference``, the first where it is empty; raises InputError, naming ``shown``, if there is none."""
    if reference and reference not in categories:
        known = ", ".join(categories[:shown])
        raise InputError(f"'{name}' has no category '{reference[:40]}' to compare with: choose among {known}.", quoted=known)
    return categories.index(reference) if reference else 0


_BEYOND = {">": np.greater, ">=": np.greater_equal, "<": np.less, "<=": np.less_equal}


def read_term(text: str | Term, known: Collection[str]) -> Term:
    """The term that ``text`` writes: a known name as it stands, else with ``^2``, a limit or a category of reference.

    Parameters
    ----------
    text : str or Term
    known : names of attributes and covariates

    Raises
    ------
    InputError
        If it names no known column.
    """
    if isinstance(text, Term):
        if text.column in known:
            return text
    elif text in known:
        return Term(text)
    elif (found := _POWER.fullmatch(text.strip())) and found[1].strip() in known:
        return Term(found[1].strip(), power=2 if found[2] == "2" else 3)
    elif (found := _ABOVE.fullmatch(text.strip())) and found[1].strip() in known:
        return Term(found[1].strip(), limit=(found[2], float(found[3])))
    elif (place := text.rpartition(":")) and place[0].strip() in known:
        return Term(place[0].strip(), reference=place[2].strip())
    listed = ", ".join(list(known)[:20]) + (", ..." if len(known) > 20 else "")
    name = text.column if isinstance(text, Term) else text
    raise InputError(
        f"There is no predictor '{name[:80]}': choose among {listed}; numbers can be written as 'age^2' or 'age > 40' too, interactions "
        "as 'a*b'.",
        quoted=listed,
    )


def read_terms(text: str | Term, known: Collection[str]) -> tuple[Term, ...]:
    """The terms that ``text`` writes: one as ``read_term`` reads it, an interaction ``a:b``, or two terms and theirs, ``a*b``.

    Examples
    --------
    >>> [term.text for term in read_terms("age > 40*region", ["age", "region"])]
    ['age > 40', 'region', 'age > 40:region']
    """
    if not isinstance(text, Term) and text not in known:
        for sign in "*:":
            for place in (i for i, letter in enumerate(text) if letter == sign):
                sides = (text[:place].strip(), text[place + 1 :].strip())
                try:
                    first, second = (read_term(side, known) for side in sides)
                except InputError:
                    continue
                if first.column == second.column:
                    raise InputError(
                        f"'{text[:80]}' multiplies '{first.column}' with itself: write '{first.column}^2' for its square."
                    )
                both = replace(first, by=second)
                return (first, second, both) if sign == "*" else (both,)
    return (read_term(text, known),)
