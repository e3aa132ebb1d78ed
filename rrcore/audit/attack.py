"""One attack on a sampler: guess a true answer from the randomized record and the other true answers (theory.md section 16)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rrcore.arrays import Booleans, Floats
from rrcore.audit.frequencies import Runs, changed
from rrcore.promise.certificate import certified_nats

_PER_KEY = 50  # runs for each situation that the attacker tells apart
_MOST_EVENTS = 200  # sets of situations among which the attacker chooses


@dataclass(frozen=True)
class Attack:
    """How often the best guess of one attribute is right, and the epsilon that this shows.

    Parameters
    ----------
    name : of the attribute
    claim : claimed epsilon for an attacker who knows the other answers, inf where there is no bound
    bets, right : number of guesses, and of those that are right
    shown : the sampler has at least this epsilon, with the confidence of the audit
    """

    name: str
    claim: float
    bets: int
    right: int
    shown: float

    @property
    def contradicted(self) -> bool:
        """Whether the sampler has a larger epsilon than claimed."""
        return self.shown > self.claim

    @property
    def sentence(self) -> str:
        """Return the claim and what was shown, in words."""
        claim = "no bound" if math.isinf(self.claim) else f"epsilon {self.claim:.2f}"
        verdict = ": contradicted" if self.contradicted else ""
        return f"'{self.name}': claimed {claim}, shown at least {rounded_down(self.shown)}{verdict}."


def rounded_down(epsilon: float) -> str:
    """Return two decimals, rounded down: printing does not make a lower bound larger."""
    return f"{math.floor(epsilon * 100) / 100:.2f}"


def best_guess(runs: Runs, *, alpha: float) -> tuple[Attack, ...]:
    """Guess every attribute as well as half of the runs teach, and count how often the guess is right in the other half.

    The attacker sees the randomized record and knows the other true answers. The first half of the runs shows in which situations a guess is
    most often right. The attacker guesses in these situations only. All true answers are equally likely, so with epsilon a guess among a
    answers is right with probability at most exp(epsilon) / (exp(epsilon) + a - 1).

    Parameters
    ----------
    runs : Runs
    alpha : a sampler that keeps its claims is contradicted anywhere with at most this probability
    """
    lies = changed(runs.file, runs.true, runs.randomized)
    ratios, names = runs.file.certificate.leakage, runs.file.schema.names
    found = []
    for i, (name, ratio, size) in enumerate(zip(names, ratios, runs.file.sizes, strict=True)):
        bets, right = _bets(_situations(runs, lies, i), runs.true[:, i], size, alpha / len(names))
        claim = math.inf if ratio is None else float(certified_nats(ratio))
        found.append(Attack(name, claim, bets, right, float(_shown(right, bets, size, alpha / len(names)))))
    return tuple(found)


def _situations(runs: Runs, lies: Booleans, i: int) -> NDArray[np.intp]:
    """Number what the attacker sees: the randomized answer, and which other answers are changed, or how many where runs are few."""
    others = np.delete(lies, i, axis=1)
    m, reports = others.shape[1], runs.file.reports.sizes[i]
    if m < 30 and _PER_KEY * reports * 2**m <= len(lies):
        pattern = others @ (1 << np.arange(m))
        return np.asarray(pattern * reports + runs.randomized[:, i])
    return np.asarray(others.sum(axis=1) * reports + runs.randomized[:, i])


def _bets(keys: NDArray[np.intp], true: NDArray[np.int32], size: int, alpha: float) -> tuple[int, int]:
    """Return how many guesses the second half of the runs gets, and how many are right."""
    half, shape = len(keys) // 2, (int(keys.max()) + 1, size)
    first, second = (
        np.bincount(keys[part] * size + true[part], minlength=shape[0] * size).reshape(shape)
        for part in (slice(half), slice(half, None))
    )
    guess = first.argmax(axis=1)
    seen, hits = first.sum(axis=1), first.max(axis=1)
    order = np.argsort(-(hits + 1) / (seen + size), kind="stable")  # as if each answer had been seen once more
    ends = np.unique(np.geomspace(1, order.size, min(order.size, _MOST_EVENTS)).astype(np.intp)) - 1
    bounds = _shown(hits[order].cumsum()[ends], seen[order].cumsum()[ends], size, alpha)
    chosen = order[: ends[int(np.argmax(bounds))] + 1]
    return int(second[chosen].sum()), int(second[chosen, guess[chosen]].sum())


def _shown(right: NDArray[np.intp] | int, bets: NDArray[np.intp] | int, size: int, alpha: float) -> Floats:
    """Return the least epsilon with which so many guesses are right (Clopper-Pearson), too high with probability ``alpha``."""
    from scipy.stats import beta  # heavy

    h, n = np.asarray(right, dtype=np.float64), np.asarray(bets, dtype=np.float64)
    low = np.where(h > 0, beta.ppf(alpha, np.maximum(h, 1), n - h + 1), 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.maximum(0.0, np.log(low) - np.log1p(-low) + math.log(size - 1)))
