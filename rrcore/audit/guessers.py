"""The best guesser put to work: how often it is right over many runs, beside what the formula says."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from rrcore.audit.attacks import check_runs
from rrcore.audit.claims import Claim
from rrcore.audit.trials import Randomiser
from rrcore.limits import AUDIT_CONFIDENCE
from rrcore.work import Report, quiet

Sight = Literal["alone", "full"]
SIGHTS: dict[Sight, str] = {"alone": "its released answer", "full": "the whole released record, the other true answers known"}
"""What a guesser sees."""

_CHUNK = 1 << 17


@dataclass(frozen=True)
class Guesser:
    """Guessing one attribute over many runs.

    Parameters
    ----------
    axis : position of the attribute
    sees : "alone" or "full"
    before : how often the best guess is right before anything is seen
    formula : how often it should be right, computed
    bounded : whether ``formula`` is only an upper bound
    right, runs : ints, how often it was right in how many runs
    low, high : interval of the measured rate (Clopper-Pearson)
    """

    axis: int
    sees: Sight
    before: float
    formula: float
    bounded: bool
    right: int
    runs: int
    low: float
    high: float

    @property
    def measured(self) -> float:
        """The measured rate."""
        return self.right / self.runs

    @property
    def verdict(self) -> str:
        """In a few words."""
        if self.low > self.formula:
            return "right too often"
        if self.high < self.formula and not self.bounded:
            return "right too rarely"
        return "within the bound" if self.bounded else "as computed"


def guess(
    randomise: Randomiser,
    claim: Claim,
    runs: int,
    *,
    rng: np.random.Generator,
    confidence: float = AUDIT_CONFIDENCE,
    report: Report = quiet,
) -> tuple[Guesser, ...]:
    """Guess every attribute, from its own released answer and from the whole record, in ``runs`` runs.

    True records are drawn by ``rng``, all equally likely. With a mechanism as claimed, all intervals hold together with probability
    ``confidence`` or more.

    Raises
    ------
    InputError
        For too few or too many runs.
    """
    from scipy.stats import binomtest  # heavy

    check_runs(runs)
    right = np.zeros((claim.k, 2), dtype=np.int64)
    for start in range(0, runs, _CHUNK):
        n = min(_CHUNK, runs - start)
        true = np.empty((n, claim.k), dtype=np.int32, order="F")
        for i, size in enumerate(claim.sizes):
            true[:, i] = rng.integers(size, size=n)
        released = randomise(true)
        for i in range(claim.k):
            right[i] += [int((made == true[:, i]).sum()) for made in claim.guesses(i, true, released)]
        report((start + n) / runs, "Guessing true answers")
    each = 1 - (1 - confidence) / (2 * claim.k)
    found = []
    for i in range(claim.k):
        seen = claim.formula(i)
        for column, (sees, formula) in enumerate((("alone", seen.alone), ("full", seen.full))):
            hits = int(right[i, column])
            interval = binomtest(hits, runs).proportion_ci(each, method="exact")
            bounded = seen.bounded and sees == "full"
            found.append(
                Guesser(i, sees, seen.before, formula, bounded, hits, runs, float(interval.low), float(interval.high))  # type: ignore[arg-type]
            )
    return tuple(found)
