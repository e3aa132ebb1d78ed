"""A simulated survey for demonstrations.

The randomness of each respondent is known and remains the same when the settings change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Booleans, Floats
from rrcore.budget import build
from rrcore.channel import check_epsilon, epsilon_from_lie
from rrcore.errors import InputError
from rrcore.estimate import Release
from rrcore.mechanisms import Mechanism
from rrcore.table.dataset import Dataset


@dataclass(frozen=True, eq=False)
class Demonstration:
    """Respondents who answer one by one, with their random numbers.

    The random numbers determine each randomized answer.

    Parameters
    ----------
    people : Dataset
        The true answers of n people.
    luck : ndarray of shape (n, k)
        Uniform random numbers. An answer is recorded unchanged if its number is at most ``unchanged``.
    unchanged : float
        Probability that a true answer is recorded.
    release : Release
        The randomized answers.
    """

    people: Dataset
    luck: Floats
    unchanged: float
    release: Release[Mechanism]

    @property
    def kept(self) -> Booleans:
        """Answers that are recorded unchanged, a boolean ndarray of shape (n, k)."""
        return np.asarray(self.luck <= self.unchanged)


def demonstrate(table: Dataset, names: Sequence[str], unchanged: float, n: int, *, rng: np.random.Generator) -> Demonstration:
    """Draw ``n`` people with replacement and randomize their answers.

    This is a simulation only.

    If generators are in the same state, the first people and their random numbers are the same for every ``n`` and ``unchanged``. A
    larger ``n`` adds people, and an answer recorded unchanged at one probability is also unchanged at every higher one.

    Parameters
    ----------
    table : Dataset
        The population.
    names : sequence of str
        The attributes.
    unchanged : float
        More than 1/a for an attribute with a categories, and less than 1.
    n : int
        The number of people, at least 1.
    rng : Generator
        The source of randomness.

    Raises
    ------
    InputError
        If ``unchanged`` or ``n`` is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> import rrcore as rr
    >>> from rrcore.simulation import demonstrate
    >>> shown = demonstrate(rr.load_demo("titanic"), ["Sex", "Survived"], 0.75, 2201, rng=np.random.default_rng(0))
    >>> shown.kept.mean().round(2)
    np.float64(0.75)
    >>> shown.release.mechanism.epsilon.round(2).tolist()
    [1.1, 1.1]
    """
    asked = table.select(names)
    sizes = np.array(asked.schema.sizes)
    if not 1 / sizes.min() < unchanged < 1:
        raise InputError(
            f"The probability of leaving an answer unchanged is {unchanged:g}. Choose one above {1 / sizes.min():g} and below 1."
        )
    if n < 1:
        raise InputError(f"The number of people is {n}. Use at least 1.")
    epsilon = check_epsilon(epsilon_from_lie(1 - unchanged, sizes), asked.schema.names)
    who, luck, other = np.split(rng.random((n, 1 + 2 * asked.k)), [1, 1 + asked.k], axis=1)  # a row a person: a prefix stays one
    true = asked.codes[(who[:, 0] * asked.n).astype(np.intp)]
    instead = (true + (1 + (other * (sizes - 1)).astype(np.int32))) % sizes
    released = np.where(luck <= unchanged, true, instead)
    mechanism = build("independent", asked.schema.sizes, epsilon)
    release = Release(Dataset(asked.schema, released, asked.title), mechanism)
    return Demonstration(Dataset(asked.schema, true, asked.title), luck, unchanged, release)
