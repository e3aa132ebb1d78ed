"""PrivKVM: PrivKV in rounds, the mean of the last round taking the place of invented values (Key-Value, sections II-C and VI)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.limits import MAX_ROUNDS
from rrcore.research.keyvalue.protocol import Counts, KeyEstimates, channel_level
from rrcore.research.keyvalue.protocols import PrivKV


@dataclass(frozen=True)
class PrivKVM(PrivKV):
    """``rounds`` rounds of PrivKV at eps / rounds each; users without a key report the mean of the round before instead of a random value.

    The bias shrinks by 1 - p_1 f / (p_1 f + (1 - p_1)(1 - f)) per round; the noise does not, since each round has only its part of the level.
    Frequencies are averaged over the rounds, the mean is that of the last one.
    """

    rounds: int = 10

    def __post_init__(self) -> None:
        if not 1 <= self.rounds <= MAX_ROUNDS:
            raise InputError(f"The number of rounds is {self.rounds}: give 1 to {MAX_ROUNDS:,}.")
        self.one_round()  # refuses a bad level or split

    def one_round(self, default: float = 0.0) -> PrivKV:
        """The protocol of a single round."""
        return PrivKV(self.eps / self.rounds, self.split, default)

    @property
    def exact_level(self) -> float:
        """Rounds add up; the worst default is one that tells most, -1 or 1."""
        return self.rounds * max(channel_level(self.one_round(default).channel) for default in (-1.0, 0.0, 1.0))

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
        """From counts of every round, shape (rounds, d, 3).

        Two things tie the rounds together, and both are in the errors. The mean of a round holds that of the round before, by the weight
        of the values that were invented; clipping to [-1, 1] takes some of its scatter off. And all rounds ask the same people: what the
        choice of people adds does not average out, and goes into the mean again with every round.
        """
        each = [self.one_round().estimate(one) for one in counts]
        frequency = np.mean([one.frequency for one in each], axis=0)
        present = np.clip(frequency, 0.0, 1.0)
        people = counts.sum(axis=(1, 2)).mean()  # everybody reports about one key in every round
        repeated = (1 - 1 / len(each)) * present * (1 - present) / people
        own = np.sum([one.frequency_error**2 for one in each], axis=0) / len(each) ** 2
        spread = self._carried(each, present, people)
        return KeyEstimates(frequency, each[-1].mean, np.sqrt(own + repeated), np.sqrt(spread), counts.sum(axis=(0, 2)))

    def _carried(self, each: list[KeyEstimates], present: Floats, people: float) -> Floats:
        """Variance of the last round's mean, with what earlier rounds' means put into it.

        ``shared`` is the variance of the mean value of the people who have the key, at most what values of -1 and 1 would have.
        """
        keep = self.one_round().keeps[0]
        true_part, invented = keep * present, (1 - keep) * (1 - present)
        with np.errstate(divide="ignore", invalid="ignore"):
            weight = invented / (true_part + invented)  # of the default in the mean of a round
            spread, tied = each[0].mean_error ** 2, 1 - weight  # ``tied``: how far the mean follows that of the people
            for before, now in pairwise(each):
                moves, scatter = _clipped(before.mean, spread)
                shared = np.maximum(1 - np.clip(now.mean, -1, 1) ** 2, 0.0) / (people * present)
                together = 2 * (1 - weight) * weight * moves * tied * np.where(present > 0, shared, 0.0)
                spread = now.mean_error**2 + weight**2 * scatter + together
                tied = 1 - weight + weight * moves * tied
        return np.asarray(spread)

    def expected(self, frequency: float, mean: float) -> tuple[float, float]:
        found = (frequency, 0.0)
        for _ in range(self.rounds):
            one = self.one_round(found[1])
            found = one.expected(frequency, mean)
        return found


def _clipped(mean: Floats, variance: Floats) -> tuple[Floats, Floats]:
    """Of a normal estimate clipped to [-1, 1], as the default of the next round is: how often it is inside, and its variance.

    Where the estimate is not known the default is 0, which has none.
    """
    known = np.isfinite(mean) & np.isfinite(variance) & (variance > 0)
    centre, deviation = np.where(known, mean, 0.0), np.sqrt(np.where(known, variance, 1.0))
    low, high = (-1 - centre) / deviation, (1 - centre) / deviation
    inside = scipy.special.ndtr(high) - scipy.special.ndtr(low)
    first = _density(low) - _density(high)
    second = inside + low * _density(low) - high * _density(high)
    below, above = scipy.special.ndtr(low), scipy.special.ndtr(-high)
    middle = low * below + first + high * above
    scatter = low**2 * below + second + high**2 * above - middle**2
    return np.where(known, inside, 0.0), np.where(known, np.maximum(scatter, 0.0) * deviation**2, 0.0)


def _density(z: Floats) -> Floats:
    return np.asarray(np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi))
