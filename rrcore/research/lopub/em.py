"""EM_JD: the joint distribution under which the reports are likeliest (LoPub, Algorithm 1, corrected as theory.md section 10 says).

The likelihood of a report is a product over attributes, so all reports and combinations are handled by two matrix products; reports that
say the same are counted once.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.limits import MAX_EM_ENTRIES
from rrcore.progress import Report, quiet
from rrcore.research.lopub.reports import Reports

TOLERANCE = 1e-4
"""EM stops once no share moves by more than this. The paper's 0.001 ends too early (after one step at eps = 2 on Adult's larger pairs);
going on to 1e-5 takes four times as long and comes out further from the truth, as the likelihood then fits the noise.
"""

_MOST = 2_000


@dataclass(frozen=True)
class JointEstimate:
    """Shares of every combination, as one of LoPub's methods estimates them from reports.

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


def em_joint(
    reports: Reports,
    axes: Sequence[int],
    *,
    start: Floats | None = None,
    tolerance: float = TOLERANCE,
    most: int = _MOST,
    report: Report = quiet,
) -> JointEstimate:
    """Maximum likelihood over the combinations of the attributes at ``axes``.

    Line 4 compares each reported bit with the bit of the candidate, and it stops on max |P_t - P_(t-1)| (theory.md section 10).

    Parameters
    ----------
    reports : Reports
    axes : k positions of attributes
    start : ndarray of shape (a_1, ..., a_k), where it starts; uniform if left out. Combinations that start at 0 stay there.
    tolerance, most : when it stops

    Raises
    ------
    InputError
        If the tables it needs are too large for this machine.
    """
    sizes = tuple(reports.protocol.filters[axis].attribute.size for axis in axes)
    entries = em_entries(reports.n, sizes)
    if entries > MAX_EM_ENTRIES:
        raise InputError(f"EM needs tables of {entries:,} numbers, the limit is {MAX_EM_ENTRIES:,}: choose fewer attributes.")
    shares = np.full(sizes, 1 / math.prod(sizes)) if start is None else start / start.sum()
    left, right, people = _likelihoods(reports, axes)
    shape = (left.shape[1], right.shape[1])
    table = shares.reshape(shape)
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
    found = table.reshape(sizes)
    return JointEstimate(found, int(np.count_nonzero(found)), np.array(likelihoods), change <= tolerance)


def em_entries(n: int, sizes: Sequence[int]) -> int:
    """Numbers (8 bytes each) that EM keeps for ``n`` reports about attributes with ``sizes`` categories, at most."""
    return n * (sum(math.prod(sizes[i] for i in half) for half in _halves(sizes)) + sum(sizes))


def _halves(sizes: Sequence[int]) -> tuple[list[int], list[int]]:
    """The attributes in two runs whose numbers of combinations are as equal as possible."""
    cuts = [(max(math.prod(sizes[:cut]), math.prod(sizes[cut:])), cut) for cut in range(1, len(sizes))] or [(0, 1)]
    cut = min(cuts)[1]
    return list(range(cut)), list(range(cut, len(sizes)))


def _likelihoods(reports: Reports, axes: Sequence[int]) -> tuple[Floats, Floats, Floats]:
    """Of each kind of report how likely it is under the combinations of the first and of the second half, and how many there are."""
    f = reports.protocol.flip
    step = math.log((2 - f) / f)
    tables, kinds = [], []
    for axis in axes:
        rows, kind = np.unique(reports.agreement(axis), axis=0, return_inverse=True)
        ratios = step * (rows - rows.max(axis=1, keepdims=True))
        tables.append(np.exp(np.maximum(ratios, -600 / len(axes))))  # a report that no candidate explains must not come to 0
        kinds.append(kind.ravel())
    combined = kinds[0]
    for kind, table in zip(kinds[1:], tables[1:], strict=True):
        _, combined = np.unique(combined * len(table) + kind, return_inverse=True)
    _, first, people = np.unique(combined, return_index=True, return_counts=True)
    own = [table[kind[first]] for table, kind in zip(tables, kinds, strict=True)]
    first_half, second_half = _halves([table.shape[1] for table in tables])
    return _side_by_side(own, first_half, len(first)), _side_by_side(own, second_half, len(first)), people.astype(np.float64)


def _side_by_side(tables: Sequence[Floats], members: Sequence[int], rows: int) -> Floats:
    """Row by row the products over the combinations of the ``members``; one column of ones for none."""
    found = np.ones((rows, 1))
    for i in members:
        found = (found[:, :, None] * tables[i][:, None, :]).reshape(rows, -1)
    return found
