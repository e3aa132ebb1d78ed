"""Attack a sampler by guessing a true answer (theory.md section 16).

The attacker knows the randomized record and the other true answers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rrcore.arrays import Booleans, Floats
from rrcore.auditing.frequencies import Runs, changed
from rrcore.promise.certificate import certified_nats

_PER_KEY = 50  # runs for each situation that the attacker tells apart
_MOST_EVENTS = 200  # sets of situations among which the attacker chooses


@dataclass(frozen=True)
class Attack:
    """Accuracy of the best guess of one attribute, and the epsilon that it proves.

    Parameters
    ----------
    name : name of the attribute
    claim : claimed epsilon for an attacker who knows the other answers; infinite if there is no bound
    bets, right : number of guesses, and number of correct guesses
    shown : lower bound of the sampler's epsilon, with the confidence of the audit
    """

    name: str
    claim: float
    bets: int
    right: int
    shown: float

    @property
    def contradicted(self) -> bool:
        """True if the sampler has a larger epsilon than claimed."""
        return self.shown > self.claim

    @property
    def sentence(self) -> str:
        """Return the claim and the lower bound in words."""
        claim = "no bound" if math.isinf(self.claim) else f"epsilon {self.claim:.2f}"
        verdict = ": contradicted" if self.contradicted else ""
        return f"'{self.name}': claimed {claim}, shown at least {rounded_down(self.shown)}{verdict}."


def rounded_down(epsilon: float) -> str:
    """Return two decimals, rounded down.

    Rounding down ensures that a printed lower bound is not too large.
    """
    return f"{math.floor(epsilon * 100) / 100:.2f}"


def best_guess(runs: Runs, *, alpha: float) -> tuple[Attack, ...]:
    """Guess every attribute and count how often the guess is correct.

    The attacker learns from the first half of the runs and is tested on the second half.

    The attacker sees the randomized record and knows the other true answers. The first half shows in which situations guesses are
    most often correct. The attacker guesses only in these situations.
    All true answers are equally likely. With epsilon, a guess among a answers is correct with probability at most exp(epsilon) /
    (exp(epsilon) + a - 1).

    Parameters
    ----------
    runs : Runs
    alpha : maximum probability of contradicting any claim of a correct sampler
    """
    lies = changed(runs.file, runs.true, runs.randomized)
    ratios, names = runs.file.certificate.epsilon_informed, runs.file.schema.names
    found = []
    for i, (name, ratio, size) in enumerate(zip(names, ratios, runs.file.sizes, strict=True)):
        bets, right = _bets(_situations(runs, lies, i), runs.true[:, i], size, alpha / len(names))
        claim = math.inf if ratio is None else float(certified_nats(ratio))
        found.append(Attack(name, claim, bets, right, float(_shown(right, bets, size, alpha / len(names)))))
    return tuple(found)


def _situations(runs: Runs, lies: Booleans, i: int) -> NDArray[np.intp]:
    """Number the situations of the attacker.

    A situation is the randomized answer, and which other answers are changed, or how many if there are few runs.
    """
    others = np.delete(lies, i, axis=1)
    m, reports = others.shape[1], runs.file.reports.sizes[i]
    if m < 30 and _PER_KEY * reports * 2**m <= len(lies):
        pattern = others @ (1 << np.arange(m))
        return np.asarray(pattern * reports + runs.randomized[:, i])
    return np.asarray(others.sum(axis=1) * reports + runs.randomized[:, i])


def _bets(keys: NDArray[np.intp], true: NDArray[np.int32], size: int, alpha: float) -> tuple[int, int]:
    """Return how many guesses the second half of the runs gets and how many are right."""
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
    """Return the least epsilon with which this many guesses are right (Clopper-Pearson), too high with probability ``alpha``."""
    from scipy.stats import beta  # heavy

    h, n = np.asarray(right, dtype=np.float64), np.asarray(bets, dtype=np.float64)
    low = np.where(h > 0, beta.ppf(alpha, np.maximum(h, 1), n - h + 1), 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.maximum(0.0, np.log(low) - np.log1p(-low) + math.log(size - 1)))
