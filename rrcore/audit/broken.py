"""A mechanism broken on purpose: it tells the truth more often than it claims, so that an audit can be seen to catch it."""

import math

import numpy as np

from rrcore.arrays import Codes, Floats
from rrcore.audit.attacks import answers_to_bet_on
from rrcore.audit.claims import Claim, Promise
from rrcore.audit.fit import runs_to_catch
from rrcore.audit.liegroups import plain_reports
from rrcore.audit.trials import Randomiser
from rrcore.limits import AUDIT_EXCESS, MAX_AUDIT_RUNS

_HALVINGS = 60


def broken(randomise: Randomiser, claim: Claim, *, rng: np.random.Generator) -> Randomiser:
    """``randomise``, but now and then a true answer is put in place of a false one: every level is (1 + ``AUDIT_EXCESS``) times the claim.

    Attributes without a bound are left as they are.
    """
    shares = restored_shares(claim, AUDIT_EXCESS)

    def run(codes: Codes) -> Codes:
        released = randomise(codes)
        restored = (released != codes) & (rng.random(codes.shape) < shares)
        return np.where(restored, codes, released)

    return run


def restored_shares(claim: Claim, excess: float) -> Floats:
    """The share of false answers that must be put right for levels (1 + ``excess``) times the claimed ones, shape (k,)."""
    return np.array([_share(claim.answer_matrix(i), (1 + excess) * claim.levels[i]) for i in range(claim.k)])


def runs_to_catch_excess(claim: Claim, promise: Promise, *, confidence: float) -> int | None:
    """Runs of each record that contradict a level broken by ``broken``, 999 times in 1,000; None where ``MAX_AUDIT_RUNS`` do not.

    Parameters
    ----------
    promise : one about a level
    confidence : of its bound
    """
    assert promise.axis is not None
    rows = claim.answer_rows(promise)
    chosen = answers_to_bet_on(rows, MAX_AUDIT_RUNS, confidence)
    matrix = claim.answer_matrix(promise.axis)
    share = _share(matrix, (1 + AUDIT_EXCESS) * promise.claim)
    true = [record[promise.axis] for record in promise.records]
    if matrix.shape[0] != matrix.shape[1]:
        true = plain_reports(matrix)[true].tolist()
    p, q = ((1 - share) * row[chosen].sum() + share * (answer in chosen) for row, answer in zip(rows, true, strict=True))
    return runs_to_catch(p, q, promise.claim, confidence=confidence)


def _share(matrix: Floats, wanted: float) -> float:
    """By halving: the level grows without bound as the share goes to 1."""
    if not math.isfinite(wanted):
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _level(matrix, middle) <= wanted else (low, middle)
    return low


def _level(matrix: Floats, share: float) -> float:
    mended = (1 - share) * matrix
    mended[np.arange(len(matrix)), plain_reports(matrix)] += share
    with np.errstate(divide="ignore"):
        logs = np.log(mended[:, mended.max(axis=0) > 0])
    return float((logs.max(axis=0) - logs.min(axis=0)).max())
