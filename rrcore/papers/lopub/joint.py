"""LoPub's estimators of joint distributions: EM_JD, Lasso_JD and Lasso+EM_JD (Algorithms 1 to 3).

The likelihood of a report is a product over attributes. EM therefore needs two matrix products, and counts equal reports once.
"""

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Floats
from rrcore.errors import InputError, need
from rrcore.limits import MAX_EM_ENTRIES, MAX_LASSO_CELLS
from rrcore.papers.lopub.reports import Reports
from rrcore.progress import Report, quiet

TOLERANCE = 1e-4
"""EM stops when no share moves by more than this.

The paper's 0.001 stops too early, after one step for some pairs of Adult. A tolerance of 1e-5 takes four times as long and fits noise.
"""

# most EM iterations, and most rounds of coordinate descent
_MOST, _ROUNDS = 2_000, 10_000

# The Lasso penalty relative to what noise reaches in the best of all combinations. The paper leaves it open. 0.1 to 0.3 gave the
# smallest error on pairs and triples of Adult, and 1 removed most combinations.
_PENALTY = 0.3


@dataclass(frozen=True)
class JointEstimate:
    """Estimated shares of every combination.

    Parameters
    ----------
    shares : ndarray of shape (a_1, ..., a_k)
        Non-negative. Those of EM have sum 1, those of Lasso need not.
    log_likelihoods : ndarray of shape (iterations + 1,)
        In nats per respondent up to a constant. Empty without iterations.
    converged : bool
        True if the method converged by itself.
    """

    shares: Floats
    log_likelihoods: Floats
    converged: bool

    @property
    def iterations(self) -> int:
        """The number of iterations."""
        return max(0, len(self.log_likelihoods) - 1)

    @property
    def proper(self) -> Floats:
        """The shares divided by their sum, uniform if all are 0."""
        total = float(self.shares.sum())
        return self.shares / total if total > 0 else np.full(self.shares.shape, 1 / self.shares.size)


def em_joint(
    reports: Reports,
    axes: Sequence[int],
    *,
    start: Floats | None = None,
    tolerance: float = TOLERANCE,
    most: int = _MOST,
    report: Report = quiet,
) -> JointEstimate:
    """Maximize the likelihood over the combinations of the attributes at ``axes``.

    Line 4 of Algorithm 1 is corrected to compare each reported bit with the bit of the candidate. The stopping rule is the largest
    |P_t - P_(t-1)| (theory.md section 10).

    Parameters
    ----------
    reports : Reports
        The randomized bits.
    axes : sequence of int
        Positions of the attributes.
    start : ndarray of shape (a_1, ..., a_k), optional
        The first shares, uniform by default. Combinations that start at 0 stay there.
    tolerance, most : float and int
        When the iteration stops.
    report : callable
        Called with the progress.

    Raises
    ------
    InputError
        If the tables are too large for this machine.
    """
    sizes = tuple(reports.protocol.filters[axis].attribute.size for axis in axes)
    entries = em_entries(reports.n, sizes)
    if entries > MAX_EM_ENTRIES:
        raise InputError(
            f"EM would need tables with {entries:,} entries, but at most {MAX_EM_ENTRIES:,} are allowed. Choose fewer attributes."
        )
    shares = np.full(sizes, 1 / math.prod(sizes)) if start is None else start / start.sum()
    left, right, people = _likelihoods(reports, axes)
    table = shares.reshape(left.shape[1], right.shape[1])
    weights = people / people.sum()
    fit, change = np.einsum("ij,ij->i", left @ table, right), np.inf
    likelihoods = [float(weights @ np.log(fit))]
    while change > tolerance and len(likelihoods) <= most:
        new = table * (left.T @ (right * (weights / fit)[:, None]))
        new /= new.sum()
        change = float(np.abs(new - table).max())
        table, fit = new, np.einsum("ij,ij->i", left @ new, right)
        likelihoods.append(float(weights @ np.log(fit)))
        report(len(likelihoods) / (most + 1), f"EM, iteration {len(likelihoods) - 1}")
    return JointEstimate(table.reshape(sizes), np.array(likelihoods), change <= tolerance)


def em_entries(n: int, sizes: Sequence[int]) -> int:
    """Return the most numbers (8 bytes each) that EM keeps for ``n`` reports on attributes of these ``sizes``."""
    return n * (sum(math.prod(sizes[i] for i in half) for half in _halves(sizes)) + sum(sizes))


def _halves(sizes: Sequence[int]) -> tuple[list[int], list[int]]:
    """Split the attributes into two runs whose numbers of combinations are as equal as possible."""
    cuts = [(max(math.prod(sizes[:cut]), math.prod(sizes[cut:])), cut) for cut in range(1, len(sizes))] or [(0, 1)]
    cut = min(cuts)[1]
    return list(range(cut)), list(range(cut, len(sizes)))


def _likelihoods(reports: Reports, axes: Sequence[int]) -> tuple[Floats, Floats, Floats]:
    """Return the likelihood of each kind of report under the combinations of the two halves, and the number of each kind."""
    f = reports.protocol.flip
    step = math.log((2 - f) / f)
    tables, kinds = [], []
    for axis in axes:
        rows, kind = np.unique(reports.agreement(axis), axis=0, return_inverse=True)
        ratios = step * (rows - rows.max(axis=1, keepdims=True))
        # a floor, so that a report that no candidate explains does not underflow to 0
        tables.append(np.exp(np.maximum(ratios, -600 / len(axes))))
        kinds.append(kind.ravel())
    combined = kinds[0]
    for kind, table in zip(kinds[1:], tables[1:], strict=True):
        _, combined = np.unique(combined * len(table) + kind, return_inverse=True)
    _, first, people = np.unique(combined, return_index=True, return_counts=True)
    own = [table[kind[first]] for table, kind in zip(tables, kinds, strict=True)]
    first_half, second_half = _halves([table.shape[1] for table in tables])
    return _side_by_side(own, first_half, len(first)), _side_by_side(own, second_half, len(first)), people.astype(np.float64)


def _side_by_side(tables: Sequence[Floats], members: Sequence[int], rows: int) -> Floats:
    """Return the products over the combinations of the ``members`` row by row, one column of ones for no member."""
    found = np.ones((rows, 1))
    for i in members:
        found = (found[:, :, None] * tables[i][:, None, :]).reshape(rows, -1)
    return found


def candidate_matrix(reports: Reports, axes: Sequence[int]) -> Floats:
    """Return M of Algorithm 2, the concatenated bit strings of every combination, shape (prod a_j, sum m_j)."""
    patterns = [reports.protocol.filters[axis].patterns.astype(np.float64) for axis in axes]
    cells = np.indices([len(each) for each in patterns]).reshape(len(patterns), -1)
    return np.hstack([each[codes] for each, codes in zip(patterns, cells, strict=True)])


def lasso_joint(reports: Reports, axes: Sequence[int], *, report: Report = quiet) -> JointEstimate:
    """Regress counts of single bits on the bit strings of the candidates (Algorithm 2, as published).

    The counts have no information about bits of different attributes together. The method therefore estimates marginals, but not
    associations (theory.md section 10).
    """
    sizes = tuple(reports.protocol.filters[axis].attribute.size for axis in axes)
    if math.prod(sizes) > MAX_LASSO_CELLS:
        raise InputError(
            f"Lasso would need {math.prod(sizes):,} combinations, but at most {MAX_LASSO_CELLS:,} are allowed. Choose fewer attributes."
        )
    report(0.5, "Lasso")
    f, rows = reports.protocol.flip, candidate_matrix(reports, axes).T
    counts = np.concatenate([reports.bit_shares[axis] for axis in axes])
    # standard error of the estimated share of a bit that few people set
    noise = math.sqrt(f / 2 * (1 - f / 2) / reports.n) / (1 - f)
    longest = float(np.sqrt((rows**2).sum(axis=0).max()))
    penalty = _PENALTY * noise * longest * math.sqrt(2 * math.log(rows.shape[1])) / len(counts)
    lasso = need("sklearn.linear_model", "Lasso").Lasso
    model = lasso(alpha=penalty, positive=True, fit_intercept=False, max_iter=_ROUNDS, tol=1e-6)
    with warnings.catch_warnings():
        # ``converged`` reports it
        warnings.simplefilter("ignore", need("sklearn.exceptions", "Lasso").ConvergenceWarning)
        model.fit(rows, counts)
    shares = np.asarray(model.coef_, dtype=np.float64).reshape(sizes)
    return JointEstimate(shares, np.zeros(0), bool(model.n_iter_ < _ROUNDS))


def lasso_em_joint(
    reports: Reports, axes: Sequence[int], *, tolerance: float = TOLERANCE, report: Report = quiet
) -> JointEstimate:
    """Start EM from Lasso_JD's estimate, over the combinations that it leaves above 0 (Algorithm 3)."""
    return em_joint(reports, axes, start=lasso_joint(reports, axes, report=report).proper, tolerance=tolerance, report=report)


METHODS: dict[str, tuple[str, Callable[..., JointEstimate]]] = {
    "em": ("EM_JD", em_joint),
    "lasso": ("Lasso_JD", lasso_joint),
    "lasso-em": ("Lasso+EM_JD", lasso_em_joint),
}
"""Name in commands -> name on a page, and the estimator of (reports, axes, report=report)."""
