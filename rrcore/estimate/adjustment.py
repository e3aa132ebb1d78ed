"""RR-Adjustment: weights on the released records that give them the estimated marginals (Multi-Dimensional RR, section 5, Algorithm 2)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Codes, Floats, cell_numbers

_TOLERANCE = 1e-9  # the weights count as stable once a whole round moves no marginal share by more than this
_MOST = 500  # rounds after which adjustment stops in any case


@dataclass(frozen=True)
class Adjustment:
    """Weights of released records, and how they were found.

    Parameters
    ----------
    weights : ndarray of shape (n,), non-negative, summing to 1
    rounds : int
    mismatch : float, largest difference, over all groups and cells, between a weighted marginal share and its target
    converged : bool, whether ``mismatch`` fell below the tolerance
    unreachable : int, cells of the targets that have a share but no released record: no weights can give them any
    """

    weights: Floats
    rounds: int
    mismatch: float
    converged: bool
    unreachable: int

    @property
    def reason(self) -> str:
        """Why it stopped, in one sentence."""
        if self.converged:
            return f"After {self.rounds} rounds the weighted records have the estimated marginals."
        if self.unreachable:
            return (
                f"Stopped after {self.rounds} rounds: {self.unreachable} estimated marginal shares belong to answers that nobody released, "
                "so no weights can reach them."
            )
        return f"Stopped after {self.rounds} rounds, the limit; the marginals are still off by up to {self.mismatch:.2g}."


def adjust(
    codes: Codes,
    sizes: Sequence[int],
    groups: Sequence[Sequence[int]],
    targets: Sequence[Floats],
    *,
    most: int = _MOST,
) -> Adjustment:
    """Weigh the released records so that their marginals are the targets, one group after the other, until nothing moves.

    Iterative proportional fitting of the released table, without ever building that table.

    Parameters
    ----------
    codes : ndarray of shape (n, k), released codes 0..a_i-1
    sizes : k numbers of categories
    groups : positions of the attributes of every group: single attributes after RR-Independent, clusters after RR-Clusters
    targets : for each group the estimated shares, of the shape of its sizes, non-negative, summing to 1
    """
    numbers = [cell_numbers(codes[:, list(group)], [sizes[i] for i in group]) for group in groups]
    goals = [target.ravel() for target in targets]
    weights = np.full(len(codes), 1 / len(codes))
    present = [np.bincount(number, weights=weights, minlength=goal.size) > 0 for number, goal in zip(numbers, goals, strict=True)]
    unreachable = int(sum((goal[~there] > 0).sum() for goal, there in zip(goals, present, strict=True)))
    rounds, mismatch, moved = 0, np.inf, np.inf
    while mismatch > _TOLERANCE and moved > _TOLERANCE / 100 and rounds < most:
        before = mismatch
        mismatch = 0.0
        for number, goal in zip(numbers, goals, strict=True):
            now = np.bincount(number, weights=weights, minlength=goal.size)
            mismatch = max(mismatch, float(np.abs(now - goal).max()))
            weights = weights * np.divide(goal, now, out=np.zeros_like(goal), where=now > 0)[number]
            weights = weights / weights.sum()
        moved = abs(before - mismatch)
        rounds += 1
    mismatch = max(
        float(np.abs(np.bincount(number, weights=weights, minlength=goal.size) - goal).max())
        for number, goal in zip(numbers, goals, strict=True)
    )
    return Adjustment(weights, rounds, mismatch, mismatch <= _TOLERANCE, unreachable)
