"""Invented answers to declared questions, to try a plan on before anybody has answered."""

from __future__ import annotations

import numpy as np

from rrcore.errors import InputError
from rrcore.limits import MAX_ROWS
from rrcore.table.dataset import Dataset
from rrcore.table.schema import Schema

INVENTED = "Invented answers"
"""What such answers are called, so that whatever is made of them can say so."""

TOGETHER = 0.4
"""Share of answers that follow what people have in common; the others are drawn on their own."""


def invented_answers(schema: Schema, people: int, *, rng: np.random.Generator) -> Dataset:
    """Invented people who answer every question of ``schema``, so that a plan can be tried: nothing is to be learned from them.

    The answers of an attribute are as common as 1 / 2, 1 / 3, 1 / 4 and so on, in an order that is drawn. Every person has one hidden
    number; ``TOGETHER`` of the answers are read off it, in the order of the categories, so that all attributes go together.

    Parameters
    ----------
    schema : what is asked
    people : int, 1 to MAX_ROWS
    rng : numpy.random.Generator

    Examples
    --------
    >>> import numpy as np, rrcore as rr
    >>> table = invented_answers(rr.load_demo("titanic").schema, 500, rng=np.random.default_rng(0))
    >>> table.n, table.schema.names, table.title
    (500, ('Class', 'Sex', 'Age', 'Survived'), 'Invented answers')
    """
    if not 1 <= people <= MAX_ROWS:
        raise InputError(f"{people:,} people are asked for: give a number from 1 to {MAX_ROWS:,}.")
    hidden = rng.random(people)
    codes = np.empty((people, len(schema.attributes)), dtype=np.int32, order="F")
    for i, attribute in enumerate(schema.attributes):
        shares = rng.permutation(1 / np.arange(2, attribute.size + 2))
        steps = np.cumsum(shares / shares.sum())[:-1]
        own = np.where(rng.random(people) < TOGETHER, hidden, rng.random(people))
        codes[:, i] = np.searchsorted(steps, own, side="right")
    return Dataset(schema, codes, INVENTED)
