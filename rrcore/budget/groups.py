"""The smallest of the groups that shares are read within, where a table is at hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Floats
from rrcore.table import Schema
from rrcore.wording import percent


@dataclass(frozen=True)
class SmallestGroup:
    """The smallest group of a table that anybody is in.

    Parameters
    ----------
    names : attributes that people are grouped by
    answers : of the people in it, one for each
    share : of the table's people, above 0 and at most 1

    Examples
    --------
    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic")
    >>> SmallestGroup.of(table.schema, ["Sex"], table.shares(["Sex"])).text
    "The smallest group by Sex is Female, 21.4 % of the table's people: read off true answers, which no level protects."
    """

    names: tuple[str, ...]
    answers: tuple[str, ...]
    share: float

    @classmethod
    def of(cls, schema: Schema, names: Sequence[str], shares: Floats) -> SmallestGroup:
        """That by ``names``, attributes of ``schema``, of people whose answers to these have the ``shares``, one axis for each name."""
        place = np.unravel_index(int(np.where(shares > 0, shares, np.inf).argmin()), shares.shape)
        attributes = schema.select(names).attributes
        answers = tuple(each.categories[int(i)] for each, i in zip(attributes, place, strict=True))
        return cls(tuple(names), answers, float(shares[place]))

    @property
    def text(self) -> str:
        """Which it is, and where that is known from."""
        return (
            f"The smallest group by {' × '.join(self.names)} is {' × '.join(self.answers)}, {percent(self.share)} of the table's people: "
            "read off true answers, which no level protects."
        )
