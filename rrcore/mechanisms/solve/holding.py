"""The last digits of a mechanism over count vectors: exactly its levels, and every floor, whatever a solver left (theory.md section 14)."""

from __future__ import annotations

import numpy as np

from rrcore.arrays import Floats
from rrcore.mechanisms.solve.countgrid import CountGrid
from rrcore.mechanisms.solve.interactions import Interactions

SHRINK = 1e-12  # relative margin by which lies are more frequent than requested, so that no level is exceeded by rounding
_TURNS = 3  # times that floors are mended


def held(grid: CountGrid, log_gains: Floats, floors: Interactions | None = None) -> Floats:
    """``log_gains`` with lies as frequent as requested, and then with the floors.

    Lies are added by replacing one attribute of a kind by a uniform draw: post-processing, so no level and no total grows. Floors are
    lifted by mixing in as little as possible of a mechanism that is above all of them; its levels are the same.

    Parameters
    ----------
    log_gains : ndarray of shape ``grid.shape``, ln of how much likelier an output is than under a uniform record

    Returns
    -------
    ndarray of shape ``grid.shape``
    """
    for t in range(grid.numbers.size):
        log_gains = hold_kind(grid, log_gains, t, float(grid.lies[t]) * (1 + SHRINK))
    for _ in range(_TURNS if floors is not None else 0):
        assert floors is not None
        q = np.exp(grid.log_uniform + log_gains.reshape(grid.log_uniform.shape))
        total = float(q.sum())
        factors = floors.factors(q) / total
        cost, theta = floors.repair(factors, float(log_gains.ravel()[0] - np.log(total)))
        below = np.flatnonzero(cost)
        if not below.size:
            break
        room = floors.spare_factors(theta)[below] - factors[below]
        share = float(np.min([1.0, (1.01 * (floors.target[below] - factors[below]) / np.maximum(room, 1e-300)).max()]))
        log_gains = np.logaddexp(
            np.log1p(-min(share, 1 - 1e-15)) + log_gains - np.log(total), np.log(share) + floors.log_spare(theta)
        )
    return log_gains


def hold_kind(grid: CountGrid, log_gains: Floats, t: int, lie: float) -> Floats:
    """``log_gains`` after replacing one attribute of kind t just often enough that each of them lies with probability ``lie``."""
    size, number = float(grid.sizes[t]), int(grid.numbers[t])
    axes = tuple(i for i in range(grid.numbers.size) if i != t)
    logs = grid.log_uniform.reshape(grid.shape) + log_gains
    counts = np.exp(logs - logs.max()).sum(axis=axes)
    found = float(counts @ np.arange(number + 1) / counts.sum() / number)
    chance = min(1.0, number * (lie - found) / (1 - 1 / size - found))
    if not chance > 0:
        return log_gains
    return np.moveaxis(_replaced(np.moveaxis(log_gains, t, 0), number, size, chance), 0, t)


def _replaced(log_gains: Floats, number: int, size: float, chance: float) -> Floats:
    """ln of the gains, counts of the kind on axis 0, once one of its attributes is replaced with probability ``chance``."""
    m = np.arange(number + 1).reshape([-1] + [1] * (log_gains.ndim - 1))
    more = chance * (1 - m / number) * (1 - 1 / size)
    fewer = chance * (m / number) / size
    above = np.concatenate([log_gains[1:], log_gains[-1:]])
    below = np.concatenate([log_gains[:1], log_gains[:-1]])
    with np.errstate(divide="ignore"):
        moved = np.logaddexp(np.log(more) + above, np.log(fewer) + below)
    return np.asarray(np.logaddexp(np.log1p(-more - fewer) + log_gains, moved))
