"""A joint distribution estimated from LoPub reports, whatever the method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Floats


@dataclass(frozen=True)
class JointEstimate:
    """Shares of every combination, as estimated.

    Parameters
    ----------
    shares : ndarray of shape (a_1, ..., a_k), non-negative; EM's sum to 1, Lasso's need not
    candidates : int, combinations that were allowed to be above 0 when the method ended
    log_likelihoods : ndarray of shape (iterations + 1,), nats per respondent up to a constant; empty where there is no iteration
    converged : bool, whether it ended by itself
    """

    shares: Floats
    candidates: int
    log_likelihoods: Floats
    converged: bool

    @property
    def iterations(self) -> int:
        """Number of iterations made."""
        return max(0, len(self.log_likelihoods) - 1)

    @property
    def proper(self) -> Floats:
        """The shares divided by their sum; uniform where all are 0."""
        total = float(self.shares.sum())
        return self.shares / total if total > 0 else np.full(self.shares.shape, 1 / self.shares.size)
