"""PrivKVM: PrivKV in rounds, the mean of the last round taking the place of invented values (Key-Value, sections II-C and VI)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.keyvalue.privkv import PrivKV
from rrcore.keyvalue.protocol import Counts, KeyEstimates, channel_level


@dataclass(frozen=True)
class PrivKVM(PrivKV):
    """``rounds`` rounds of PrivKV at eps / rounds each; users without a key report the mean of the round before instead of a random value.

    The bias shrinks by 1 - p_1 f / (p_1 f + (1 - p_1)(1 - f)) per round; the noise does not, since each round has only its part of the level.
    Frequencies are averaged over the rounds, the mean is that of the last one.
    """

    rounds: int = 10

    def __post_init__(self) -> None:
        if not 1 <= self.rounds <= 1_000:
            raise InputError(f"The number of rounds is {self.rounds}: give 1 to 1,000.")
        self.one_round()  # refuses a bad level or split

    def one_round(self, default: float = 0.0) -> PrivKV:
        """The protocol of a single round."""
        return PrivKV(self.eps / self.rounds, self.split, default)

    @property
    def exact_level(self) -> float:
        """Rounds add up; the worst default is one that tells most, -1 or 1."""
        return self.rounds * max(channel_level(self.one_round(default).channel) for default in (-1.0, 0.0, 1.0))

    def published_bits(self, d: int) -> float:
        return self.rounds * super().published_bits(d)

    def bits(self, d: int) -> float:
        return self.rounds * super().bits(d)

    def collect(self, draw: Callable[[], Counts], *, rng: np.random.Generator) -> Counts:
        """Counts of every round, shape (rounds, d, 3)."""
        defaults: Floats = np.zeros(1)
        found = []
        for _ in range(self.rounds):
            states = draw()
            channels = np.array([self.one_round(m).channel for m in np.broadcast_to(defaults, len(states)).tolist()])
            counts = rng.multinomial(states, channels).sum(axis=1)
            found.append(counts)
            mean = self.one_round().estimate(counts).mean
            defaults = np.clip(np.where(np.isfinite(mean), mean, 0.0), -1, 1)
        return np.stack(found)

    def estimate(self, counts: Counts) -> KeyEstimates:
        """From counts of every round, shape (rounds, d, 3)."""
        each = [self.one_round().estimate(one) for one in counts]
        frequency = np.mean([one.frequency for one in each], axis=0)
        error = np.sqrt(np.sum([one.frequency_error**2 for one in each], axis=0)) / len(each)
        return KeyEstimates(frequency, each[-1].mean, error, each[-1].mean_error, counts.sum(axis=(0, 2)))

    def expected(self, frequency: float, mean: float) -> tuple[float, float]:
        found = (frequency, 0.0)
        for _ in range(self.rounds):
            one = self.one_round(found[1])
            found = one.expected(frequency, mean)
        return found
