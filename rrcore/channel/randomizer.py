"""The common interface of planned mechanisms and mechanism files."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from rrcore.arrays import Codes, Floats
from rrcore.channel.channels import Channel


class Randomizer(Protocol):
    """A way to randomize the answers of one person to k attributes."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of categories a_i, one per attribute."""

    @property
    def report_sizes(self) -> tuple[int, ...]:
        """Numbers of different randomized answers, one per attribute."""

    @property
    def epsilon(self) -> Floats:
        """Largest shift of the log-odds of one true answer, shape (k,).

        It is due to one randomized answer.
        """

    @property
    def epsilon_informed(self) -> Floats:
        """Largest shift if an attacker knows the other answers, shape (k,).

        It is due to the whole record.
        """

    @property
    def epsilon_total(self) -> float:
        """Largest shift of the log-odds between any two people's answers.

        It is due to the whole record.
        """

    def channel(self, axes: Sequence[int]) -> Channel:
        """Return the channel of the marginal over ``axes``.

        These are positions of attributes, and their order is preserved.
        """

    def sample(self, codes: Codes, *, rng: np.random.Generator) -> Codes:
        """Simulate randomized answers to the true ``codes``, shape (n, k).

        To randomize real answers, use ``rr.randomize``.
        """
