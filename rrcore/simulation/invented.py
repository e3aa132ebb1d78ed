"""Invented tables with a chosen strength of association.

The module also invents answers to any plan.

The tables follow the synthetic data of the Castell paper (appendix D). Their shares follow Zipf's law, and two attributes have a
chosen Cramér's V. The paper does not describe how this V is obtained. Here, a mixture of independence and full correspondence
attains it.
"""

import math

import numpy as np

from rrcore.arrays import Codes, Integers
from rrcore.budget.project import Invention
from rrcore.errors import InputError, check_number
from rrcore.limits import MAX_CATEGORIES, MAX_ROWS, MAX_SYNTHETIC_ATTRIBUTES, MAX_ZIPF
from rrcore.table.dataset import Dataset
from rrcore.table.demo import INVENTED
from rrcore.table.schema import Attribute, Schema

_TOGETHER = 0.4  # share of invented answers that follow what people have in common
TOLERANCE = 0.005
"""Largest difference between the Cramér's V of an invented table and the requested one."""


def make_table(asked: Invention) -> Dataset:
    """Invent a table whose attributes form a chain of associations.

    Every attribute depends on the one before it, and on earlier ones only through it.

    The people are distributed over the categories of an attribute in proportion to 1 / a^zipf for a = 2, ..., d + 1. Their numbers
    are rounded to whole people, with at least one per category. Adjacent attributes have a joint table of whole people with these
    margins. A share of the people have the same category in both attributes, and the others are distributed as under independence.
    Bisection determines this share. The seed only determines which people in a category give which answer.

    Returns
    -------
    Dataset
        Attributes A, B, C and so on. All are ordinal, with the most frequent category first.

    Raises
    ------
    InputError
        If a number is out of range, or no table with so few people has that Cramér's V. The message gives the nearest value found.

    Examples
    --------
    >>> make_table(Invention(people=500, attributes=2, categories=3)).schema.names
    ('A', 'B')
    """
    people, size = asked.people, asked.categories
    check_number("The number of attributes", asked.attributes, 2, MAX_SYNTHETIC_ATTRIBUTES, whole=True)
    check_number("The number of categories", size, 2, MAX_CATEGORIES, whole=True)
    check_number("The number of people", people, 1, MAX_ROWS, whole=True)
    if people < size:
        raise InputError(f"{people} people cannot fill {size} categories. Use more people or fewer categories.")
    check_number("Cramér's V", asked.cramers_v, 0, 1)
    check_number("The Zipf exponent", asked.zipf, 0, MAX_ZIPF)
    rng = np.random.default_rng(asked.seed)
    margin = _margin(people, size, asked.zipf)
    joint = _joint(margin, asked.cramers_v)
    codes = np.empty((people, asked.attributes), dtype=np.int32, order="F")
    codes[:, 0] = rng.permutation(np.repeat(np.arange(size), margin))
    for i in range(1, asked.attributes):
        codes[:, i] = _next(codes[:, i - 1], joint, rng)
    names = [chr(ord("A") + i) for i in range(asked.attributes)]
    attributes = [Attribute(name, tuple(f"{name.lower()}{c + 1}" for c in range(size)), "ordinal") for name in names]
    return Dataset(Schema(tuple(attributes)), codes, f"Invented table (V = {asked.cramers_v:.2f})")


def _margin(people: int, size: int, zipf: float) -> Integers:
    """People in each category: the shares rounded by largest remainders, then one person for each category that got nobody."""
    shares = 1 / np.arange(2.0, size + 2) ** zipf
    quotas = people * shares / shares.sum()
    counts = np.floor(quotas).astype(np.int64)
    counts[np.argsort(counts - quotas, kind="stable")[: people - int(counts.sum())]] += 1
    for i in np.flatnonzero(counts == 0):
        counts[counts.argmax()] -= 1
        counts[i] = 1
    return counts


def _joint(margin: Integers, target: float) -> Integers:
    """People in each pair of categories of neighbors, with Cramér's V within ``TOLERANCE`` of ``target``."""
    low, high = 0.0, 1.0
    share, reached = target, math.inf
    for _ in range(25):
        same = np.floor(share * margin).astype(np.int64)
        table = np.diag(same) + _spread(margin - same)
        # chi-square divided by people and d - 1; rounding removes the noise of doubles
        v = math.sqrt(max(0.0, float((table**2 / np.outer(margin, margin)).sum()) - 1) / (len(margin) - 1))
        if round(abs(v - target), 9) <= TOLERANCE:
            return table
        reached = min(reached, v, key=lambda found: abs(found - target))
        low, high = (share, high) if v < target else (low, share)
        share = (low + high) / 2
    raise InputError(
        f"With {margin.sum():,} people in {len(margin):,} categories, the nearest possible Cramér's V to {target:.3g} is "
        f"{reached:.3f}. Use that value, more people or fewer categories."
    )


def _spread(margin: Integers) -> Integers:
    """The product of the margin with itself as whole people: row by row, in proportion to what the columns still lack."""
    table = np.empty((len(margin), len(margin)), dtype=np.int64)
    lacking = margin.copy()
    for i, row in enumerate(margin):
        table[i], rest = np.divmod(row * lacking, max(1, int(lacking.sum())))
        table[i, np.argsort(-rest, kind="stable")[: row - int(table[i].sum())]] += 1
        lacking -= table[i]
    return table


def _next(given: Codes, joint: Integers, rng: np.random.Generator) -> Integers:
    """Codes of the next attribute: the people of each given category take the answers of their row of ``joint`` in random order."""
    shuffled = rng.permutation(len(given))
    codes = np.empty(len(given), dtype=np.int64)
    codes[shuffled[np.argsort(given[shuffled], kind="stable")]] = np.repeat(
        np.tile(np.arange(len(joint)), len(joint)), joint.ravel()
    )
    return codes


def invented_answers(schema: Schema, people: int, *, rng: np.random.Generator) -> Dataset:
    """Invent people who answer every question of ``schema``, to try a plan.

    The shares of the answers to a question are proportional to 1 / 2, 1 / 3, 1 / 4 and so on, in random order. Each person has a
    hidden number. Some answers are determined by this number, in the order of the categories, so all attributes are associated.

    Examples
    --------
    >>> import numpy as np, rrcore as rr
    >>> table = invented_answers(rr.load_demo("titanic").schema, 500, rng=np.random.default_rng(0))
    >>> table.n, table.title
    (500, 'Invented answers')
    """
    check_number("The number of people", people, 1, MAX_ROWS, whole=True)
    hidden = rng.random(people)
    codes = np.empty((people, len(schema.attributes)), dtype=np.int32, order="F")
    for i, attribute in enumerate(schema.attributes):
        shares = rng.permutation(1 / np.arange(2, attribute.size + 2))
        own = np.where(rng.random(people) < _TOGETHER, hidden, rng.random(people))
        codes[:, i] = np.searchsorted(np.cumsum(shares / shares.sum())[:-1], own, side="right")
    return Dataset(schema, codes, INVENTED)
