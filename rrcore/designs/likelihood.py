"""Maximum likelihood inside the bounds, and least variance, for a handful of classes seen through one or more groups' channels."""

import numpy as np

from rrcore.arrays import Floats

_STEPS = 1_000  # at most; Newton's need two dozen even for counts and probabilities that are far from a survey's
_GAP = 1e-12  # log-likelihood per person, in nats, by which other shares may at most be likelier than what is returned


def likeliest(matrices: Floats, counts: Floats) -> Floats:
    """The shares of the classes under which ``counts`` are most likely; groups' sizes are taken as they are.

    The log-likelihood n log(p M) is concave in the shares p for every design, as people of a class all report alike and classes mix. So the
    largest of the slopes M (n / p M) - 1, n summing to 1, bounds what any other shares add to it, per person (Kiefer and Wolfowitz 1956;
    Lindsay 1983): nothing is returned until that is below 1e-12 nats. Each step goes towards the maximum of the second-order expansion over
    all shares, a least-squares problem without negative unknowns, as far as the likelihood rises enough (Wang 2007, On fast computation of
    the non-parametric maximum likelihood estimate of a mixing distribution, JRSS B 69, 185-198); where that problem is too ill-conditioned
    to be solved, the step is one of EM. Where several shares are equally likely, one of them is returned.

    Parameters
    ----------
    matrices : ndarray of shape (G, a, b), the probability of each report by group and class
    counts : ndarray of shape (G, b), people by group and report; none of a report that no class gives

    Returns
    -------
    ndarray of shape (a,), non-negative, summing to 1

    Raises
    ------
    ArithmeticError
        If the bound is not reached; no survey is known for which it is not.

    Examples
    --------
    >>> likeliest(np.array([[[0.75, 0.25], [0.25, 0.75]]]), np.array([[60.0, 40.0]])).round(6)
    array([0.7, 0.3])
    """
    columns = np.concatenate(list(matrices), axis=1)
    seen = counts.ravel() > 0
    columns, numbers = columns[:, seen], counts.ravel()[seen] / counts.sum()
    shares = np.full(len(columns), 1 / len(columns))
    for _ in range(_STEPS):
        expected = shares @ columns
        slopes = columns @ (numbers / expected)
        if slopes.max() - 1 <= _GAP:
            return shares
        shares = _risen(shares, _goal(shares, slopes, columns, numbers), columns, numbers)
    raise ArithmeticError(
        f"No certified maximum of the likelihood after {_STEPS} steps: {slopes.max() - 1:.2g} nats per person may lack."
    )


def _goal(shares: Floats, slopes: Floats, columns: Floats, numbers: Floats) -> Floats:
    """The shares q that minimise the sum of n (q M / p M - 2)^2, p being ``shares``; where they are not found, those that EM goes to.

    As q sums to 1 that is |A q|^2 with A = sqrt(n) (M / p M - 2), and q the solution of A q = 0, 1'q = 1 by non-negative least squares, made
    to sum to 1 (Dax 1990, The smallest point of a polytope, Journal of Optimization Theory and Applications 64, 429-432).
    """
    from scipy.optimize import nnls

    system = np.sqrt(numbers)[:, None] * ((columns / (shares @ columns)).T - 2)
    try:
        found, _ = nnls(np.vstack([system, np.ones(len(shares))]), np.append(np.zeros(len(system)), 1.0))
    except RuntimeError:
        found = shares * slopes
    return found / found.sum()


def _risen(shares: Floats, goal: Floats, columns: Floats, numbers: Floats) -> Floats:
    """The shares as far on the way to ``goal`` as raises the likelihood by a quarter of what the slope promises, halved until it does."""
    now, then = shares @ columns, goal @ columns
    slope = float(numbers @ (then / now)) - 1
    for length in 0.5 ** np.arange(50):
        ratio = 1 + length * (then / now - 1)
        if ratio.min() > 0 and float(numbers @ np.log(ratio)) >= length * slope / 4 - 1e-15:  # what rounding leaves
            break
    return (1 - length) * shares + length * goal


def least_mean(matrices: Floats, shares: Floats, values: Floats) -> float:
    """The least mean of ``values`` over people at any shares of the classes that give the same reports as ``shares``.

    A linear programme in moves of shares that no report shows, of which 0 is one: so rounding cannot leave it without a solution.

    Parameters
    ----------
    matrices : ndarray of shape (G, a, b)
    shares : ndarray of shape (a,)
    values : ndarray of shape (a,), value of a person of each class

    Examples
    --------
    >>> same = np.array([[[0.5, 0.5], [0.5, 0.5]]])
    >>> least_mean(same, np.array([0.5, 0.5]), np.array([1.0, 3.0]))
    1.0
    """
    from scipy.linalg import null_space
    from scipy.optimize import linprog

    mean, scale = float(values @ shares), float(np.abs(values).max())
    unseen = null_space(np.concatenate(list(matrices), axis=1).T)
    if not unseen.size or not scale:
        return mean
    return mean + scale * float(linprog(values @ unseen / scale, A_ub=-unseen, b_ub=shares, bounds=(None, None)).fun)


def best_scores(matrices: Floats, noise: Floats, target: Floats) -> Floats:
    """The scores of reports whose sum over groups of means is unbiased for the mean of ``target``, of least variance.

    Least squares: s with M s = target and the least sum of noise times s^2. A report without noise costs nothing, so its score is whatever
    makes up for the others; what it must be is left out, as it adds nothing to the variance.

    Parameters
    ----------
    matrices : ndarray of shape (G, a, b)
    noise : ndarray of shape (G, b), non-negative; the probability of a report over the people of its group
    target : ndarray of shape (a,), value of a person of each class

    Returns
    -------
    ndarray of shape (G, b), 0 where there is no noise

    Examples
    --------
    >>> best_scores(np.array([[[0.75, 0.25], [0.25, 0.75]]]), np.full((1, 2), 0.5), np.array([0.0, 1.0])).round(6)
    array([[-0.5,  1.5]])
    """
    from scipy.linalg import null_space

    columns, flat = np.concatenate(list(matrices), axis=1), noise.ravel()
    noisy = flat > 0
    rest = np.eye(len(columns)) if noisy.all() else null_space(columns[:, ~noisy].T).T
    root = np.sqrt(flat[noisy])
    scores = np.zeros_like(flat)
    scores[noisy] = np.linalg.lstsq(rest @ columns[:, noisy] / root, rest @ target)[0] / root
    return scores.reshape(noise.shape)


def variance(matrices: Floats, people: Floats, shares: Floats, target: Floats) -> float:
    """The least variance of an unbiased estimate of the mean of ``target`` over people, at given shares of the classes.

    The inverse of Fisher's information: q' I^+ q - (q' p)^2 / n with I the sum over groups of n_g M_g diag(1 / P_g) M_g'; where reports
    cannot occur at these shares, what it tends to as shares come near them.

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
    noise = np.einsum("c,gcy->gy", shares, matrices) / people[:, None]
    spread = (noise * best_scores(matrices, noise, target) ** 2).sum() - float(target @ shares) ** 2 / people.sum()
    return max(float(spread), 0.0)
