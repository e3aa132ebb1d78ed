"""Maximum likelihood inside the bounds, for a handful of classes seen through one or more groups' channels."""

from __future__ import annotations

import numpy as np

from rrcore.arrays import Booleans, Floats

_STEPS = 500  # Newton steps at most; a few dozen suffice
_CLOSE = 1e-11  # gradient per person, or step, at which the maximum is reached
_RISING = 1e-9  # gradient per person at which a class comes back from 0


def likeliest(matrices: Floats, counts: Floats) -> Floats:
    """The shares of the classes under which ``counts`` are most likely; groups' sizes are taken as they are.

    Newton's method on the classes that are not 0, each step cut where it would leave the bounds; a class at 0 comes back where the likelihood
    rises. The likelihood is concave, so what is found is its maximum; where several shares are equally likely, one of them.

    Parameters
    ----------
    matrices : ndarray of shape (G, a, b), the probability of each report by group and class
    counts : ndarray of shape (G, b), people by group and report

    Returns
    -------
    ndarray of shape (a,), non-negative, summing to 1

    Examples
    --------
    >>> likeliest(np.array([[[0.75, 0.25], [0.25, 0.75]]]), np.array([[60.0, 40.0]])).round(6)
    array([0.7, 0.3])
    """
    columns = np.concatenate(list(matrices), axis=1)
    seen = counts.ravel() > 0
    columns, numbers = columns[:, seen], counts.ravel()[seen] / counts.sum()
    shares = np.full(len(columns), 1 / len(columns))
    free, moved = np.ones(len(columns), dtype=bool), True
    for _ in range(_STEPS):
        expected = shares @ columns
        gradient = columns @ (numbers / expected) - 1
        if not moved or np.abs(gradient[free]).max() < _CLOSE:
            back = ~free & (gradient > _RISING)
            if not back.any():
                break
            free |= back
        curvature = (columns[free] * (numbers / expected**2)) @ columns[free].T
        step = np.zeros_like(shares)
        step[free] = np.linalg.pinv(curvature, hermitian=True) @ gradient[free]
        new, free = _moved(shares, step, free, columns, numbers)
        moved = float(np.abs(new - shares).max()) > _CLOSE
        shares = new
    return shares / shares.sum()


def _moved(shares: Floats, step: Floats, free: Booleans, columns: Floats, numbers: Floats) -> tuple[Floats, Booleans]:
    """The shares after as much of the step as the bounds and a rising likelihood allow, and which of them are then not at 0."""
    falling = step < 0
    most = float(np.min(-shares[falling] / step[falling], initial=np.inf))
    length, now = min(1.0, most), _height(shares, columns, numbers)
    for _ in range(60):
        new = np.maximum(shares + length * step, 0)
        if _height(new, columns, numbers) >= now:
            break
        length /= 2
    else:
        return shares, free
    if length == most:
        new[falling & (new < 1e-15)] = 0
        free = free & (new > 0)
    return new, free


def _height(shares: Floats, columns: Floats, numbers: Floats) -> float:
    """The log-likelihood per person less the sum of shares, whose maximum over all non-negative shares sums to 1; -inf where it is 0."""
    expected = shares @ columns
    if (expected <= 0).any():
        return -np.inf
    return float(numbers @ np.log(expected) - shares.sum())


def variance(matrices: Floats, people: Floats, shares: Floats, target: Floats) -> float:
    """The least variance of an unbiased estimate of the mean of ``target`` over people, at given shares of the classes.

    The inverse of Fisher's information: q' I^+ q - (q' p)^2 / n with I the sum over groups of n_g M_g diag(1 / P_g) M_g'.

    Parameters
    ----------
    matrices : ndarray of shape (G, a, b)
    people : ndarray of shape (G,), sizes of the groups
    shares : ndarray of shape (a,)
    target : ndarray of shape (a,), value of a person of each class

    Examples
    --------
    >>> truth = np.eye(2)[None]
    >>> round(variance(truth, np.array([100.0]), np.array([0.8, 0.2]), np.array([0.0, 1.0])), 6)
    0.0016
    """
    expected = np.einsum("c,gcy->gy", shares, matrices)
    weight = np.divide(people[:, None], expected, out=np.zeros_like(expected), where=expected > 0)
    information = np.einsum("gcy,gy,gdy->cd", matrices, weight, matrices)
    spread = target @ np.linalg.pinv(information, hermitian=True) @ target - float(target @ shares) ** 2 / people.sum()
    return max(float(spread), 0.0)
