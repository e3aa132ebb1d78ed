"""Lasso_JD, Lasso+EM_JD (LoPub, Algorithms 2 and 3), and Lasso on pairs of bits, which identifies what goes together."""

import math
import warnings
from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from rrcore.arrays import Floats
from rrcore.errors import InputError, need
from rrcore.limits import MAX_LASSO_CELLS
from rrcore.progress import Report, quiet
from rrcore.research.lopub.em import TOLERANCE, JointEstimate, em_joint
from rrcore.research.lopub.reports import Reports

_PENALTY = 0.3
"""Penalty as a part of what noise alone reaches in the best of all combinations. The paper leaves it open; on Adult's pairs and triples
at eps = 4 per attribute 0.1 to 0.3 gave the least error, 1 wiped out most combinations.
"""

_MOST = 10_000  # most rounds of coordinate descent


def candidate_matrix(reports: Reports, axes: Sequence[int]) -> Floats:
    """M of Algorithm 2: row by row the concatenated bit strings of every combination, shape (prod a_j, sum m_j)."""
    patterns = [reports.protocol.filters[axis].patterns.astype(np.float64) for axis in axes]
    cells = np.indices([len(each) for each in patterns]).reshape(len(patterns), -1)
    return np.hstack([each[codes] for each, codes in zip(patterns, cells, strict=True)])


def lasso_joint(reports: Reports, axes: Sequence[int], *, report: Report = quiet) -> JointEstimate:
    """Algorithm 2 as published: counts of single bits, regressed on the candidates' bit strings.

    The counts say nothing about which bits of different attributes occur together, so it finds marginals, not dependence (theory.md section
    10).
    """
    sizes = _check(reports, axes)
    rows = candidate_matrix(reports, axes).T
    counts = np.concatenate([reports.bit_shares[axis] for axis in axes])
    f = reports.protocol.flip
    noise = math.sqrt(f / 2 * (1 - f / 2) / reports.n) / (
        1 - f
    )  # standard error of an estimated share, for a bit that is set by few
    return _fit(rows, counts, noise, sizes, report)


def pair_lasso_joint(reports: Reports, axes: Sequence[int], *, report: Report = quiet) -> JointEstimate:
    """Lasso on the debiased shares of people with two bits set, one of each of two attributes: identifies every pair.

    For bits b and c the mean of (s_b - f/2)(s_c - f/2) / (1 - f)^2 over the reports is unbiased. Interactions of three and more attributes
    show in no pair, so the penalty decides about them.
    """
    if len(axes) == 1:
        return lasso_joint(reports, axes, report=report)
    f, sizes = reports.protocol.flip, _check(reports, axes)
    bits = [(reports.bits(axis).astype(np.float32) - f / 2) / (1 - f) for axis in axes]
    bases, strings = zip(
        *(np.linalg.qr(reports.protocol.filters[axis].patterns.T.astype(np.float64)) for axis in axes), strict=True
    )
    cells = np.indices(sizes).reshape(len(sizes), -1)
    rows, counts = [], []
    for j, k in combinations(range(len(axes)), 2):
        together = bits[j].T @ bits[k] / reports.n
        counts.append((bases[j].T @ together @ bases[k]).ravel())  # a pattern's span only: the rest is noise
        rows.append((strings[j][:, None, cells[j]] * strings[k][None, :, cells[k]]).reshape(-1, cells.shape[1]))
        report(0.5, "counting pairs of bits")
    share = math.sqrt(f / 2 * (1 - f / 2)) / (1 - f)
    return _fit(np.vstack(rows), np.concatenate(counts), max(share, share**2) / math.sqrt(reports.n), sizes, report)


def lasso_em_joint(
    reports: Reports, axes: Sequence[int], *, tolerance: float = TOLERANCE, report: Report = quiet
) -> JointEstimate:
    """Algorithm 3: EM from Lasso_JD's estimate, over the combinations that it leaves above 0."""
    return em_joint(reports, axes, start=lasso_joint(reports, axes, report=report).proper, tolerance=tolerance, report=report)


def _fit(rows: Floats, counts: Floats, noise: float, sizes: Sequence[int], report: Report) -> JointEstimate:
    """Non-negative Lasso of ``counts`` on the columns of ``rows``, one per combination."""
    report(0.6, "Lasso")
    longest = float(np.sqrt((rows**2).sum(axis=0).max()))
    penalty = _PENALTY * noise * longest * math.sqrt(2 * math.log(rows.shape[1])) / len(counts)
    model = need("sklearn.linear_model", "Lasso").Lasso(
        alpha=penalty, positive=True, fit_intercept=False, max_iter=_MOST, tol=1e-6
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", need("sklearn.exceptions", "Lasso").ConvergenceWarning)  # told by ``converged``
        model.fit(rows, counts)
    shares = np.asarray(model.coef_, dtype=np.float64).reshape(tuple(sizes))
    return JointEstimate(shares, int(np.count_nonzero(shares)), np.zeros(0), bool(model.n_iter_ < _MOST))


def _check(reports: Reports, axes: Sequence[int]) -> tuple[int, ...]:
    """Numbers of categories. Raises InputError where there are too many combinations."""
    sizes = tuple(reports.protocol.filters[axis].attribute.size for axis in axes)
    if math.prod(sizes) > MAX_LASSO_CELLS:
        raise InputError(f"Lasso has {math.prod(sizes):,} combinations, at most {MAX_LASSO_CELLS:,}: choose fewer attributes.")
    return sizes


METHODS: dict[str, tuple[str, Callable[..., JointEstimate]]] = {
    "em": ("EM_JD", em_joint),
    "lasso": ("Lasso_JD", lasso_joint),
    "lasso-em": ("Lasso+EM_JD", lasso_em_joint),
    "pair-lasso": ("Lasso on pairs of bits", pair_lasso_joint),
}
"""Name on the command line -> name on a page, and estimator(reports, axes, report=report)."""
