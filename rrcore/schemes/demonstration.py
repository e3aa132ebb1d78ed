"""A survey made up to be watched: the luck of every person is known, and stays the same whatever else changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Booleans, Floats
from rrcore.channel import check_levels, level_from_lie
from rrcore.errors import InputError
from rrcore.estimate import Release
from rrcore.mechanisms import Mechanism, build
from rrcore.table.dataset import Dataset


@dataclass(frozen=True, eq=False)
class Demonstration:
    """People asked one after the other, each answer kept or replaced by a coin of its own.

    Parameters
    ----------
    people : Dataset, the true answers of n people
    luck : ndarray of shape (n, k), where each coin fell: an answer is kept where this is at most ``told``
    told : probability that an answer is kept
    release : what left them
    """

    people: Dataset
    luck: Floats
    told: float
    release: Release[Mechanism]

    @property
    def kept(self) -> Booleans:
        """Which answers are the true ones: ndarray of shape (n, k)."""
        return np.asarray(self.luck <= self.told)


def demonstrate(table: Dataset, names: Sequence[str], told: float, n: int, *, rng: np.random.Generator) -> Demonstration:
    """Ask ``n`` people drawn from ``table`` with replacement, and keep each of their answers with probability ``told``.

    From generators in the same state the first people and their luck are the same at every ``n`` and ``told``: more people join those
    asked before, and an answer kept at one probability is kept at every higher one. For showing, never for real answers.

    Parameters
    ----------
    table : the population
    names : what is asked
    told : more than 1/a for attributes with a categories, where a report says nothing, and less than 1
    n : number of people, at least 1
    rng : numpy Generator

    Raises
    ------
    InputError
        For another ``told``, or nobody to ask.

    Examples
    --------
    >>> import numpy as np
    >>> import rrcore as rr
    >>> from rrcore.schemes import demonstrate
    >>> shown = demonstrate(rr.load_demo("titanic"), ["Sex", "Survived"], 0.75, 2201, rng=np.random.default_rng(0))
    >>> shown.kept.mean().round(2)
    np.float64(0.75)
    >>> shown.release.mechanism.levels.round(2).tolist()
    [1.1, 1.1]
    """
    asked = table.select(names)
    sizes = np.array(asked.schema.sizes)
    if not 1 / sizes.min() < told < 1:
        raise InputError(
            f"The share of true answers is {told:g}: give one above {1 / sizes.min():g}, where reports say nothing, and below 1."
        )
    if n < 1:
        raise InputError(f"The number of people is {n}: give at least 1.")
    levels = check_levels(level_from_lie(1 - told, sizes), asked.schema.names)
    who, luck, other = np.split(rng.random((n, 1 + 2 * asked.k)), [1, 1 + asked.k], axis=1)  # a row a person: a prefix stays one
    true = asked.codes[(who[:, 0] * asked.n).astype(np.intp)]
    instead = (true + (1 + (other * (sizes - 1)).astype(np.int32))) % sizes
    released = np.where(luck <= told, true, instead)
    mechanism = build("kronecker", asked.schema.sizes, levels)
    release = Release(Dataset(asked.schema, released, asked.title), mechanism)
    return Demonstration(Dataset(asked.schema, true, asked.title), luck, told, release)
