"""How sure Bayes' rule makes an observer of one answer of each person, over every release, or over drawn ones (theory.md sections 1, 5).

A released record with lie set S has the probability X_S, whichever record it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rrcore.arrays import Codes, Floats
from rrcore.audit.outputs import Outputs
from rrcore.limits import MAX_OPTIMAL_ATTRIBUTES
from rrcore.mechanisms import Mechanism
from rrcore.table.contingency import count_cells
from rrcore.work import Report

MOST_SUMMED = 2_000_000
"""Most numbers that are summed over every release of a table's people; beyond, releases are drawn."""

_WORK = 400_000_000  # comparisons that drawing releases may take
_RUNS = (200, 8_000)  # fewest and most people drawn, each with one release
_ROUNDING = 1e-9  # a certainty this far below a mark still counts as reaching it


@dataclass(frozen=True, eq=False)
class Spread:
    """A distribution of certainties.

    Parameters
    ----------
    values : ndarray of shape (m,), in [0, 1], increasing: how probable the best guess is
    shares : ndarray of shape (m,), of people, summing to 1
    """

    values: Floats
    shares: Floats

    @classmethod
    def of(cls, values: ArrayLike, shares: ArrayLike) -> Spread:
        """The distribution of any ``values`` with weights ``shares``."""
        found, weights = np.ravel(values), np.ravel(shares).astype(np.float64)
        kept = weights > 0
        distinct, place = np.unique(np.clip(found[kept], 0.0, 1.0).round(12), return_inverse=True)
        sums = np.bincount(place, weights[kept], minlength=distinct.size)
        return cls(distinct, sums / sums.sum())

    def at_least(self, certainty: float) -> float:
        """Share of people of whom the best guess is at least this probable."""
        return float(min(1.0, self.shares[self.values >= certainty - _ROUNDING].sum()))

    @property
    def mean(self) -> float:
        """How often the best guess is right, over all people."""
        return float(self.values @ self.shares)


def after_answer(mechanism: Mechanism, axis: int, prior: Floats) -> Spread:
    """Certainties for someone who sees the released answer to ``axis`` alone and believes ``prior`` of everybody before."""
    truth, lie = mechanism.marginal_channel([axis]).probabilities
    return _sure(prior[None], np.ones(1), np.array([truth]), np.array([lie / (mechanism.sizes[axis] - 1)]))


def _sure(beliefs: Floats, weights: Floats, truth: Floats, lie: Floats) -> Spread:
    """Certainties over every released answer u and everything else that is seen.

    Parameters
    ----------
    beliefs : ndarray of shape (g, a), what is believed of groups of people before u is seen
    weights : ndarray of shape (g,), shares of people
    truth, lie : ndarrays of shape (c,), probabilities of what else is seen together with u, if u is true, and if it is one particular other
    """
    own, rest = beliefs[:, :, None] * truth, (1 - beliefs)[:, :, None] * lie
    rival = _largest_other(beliefs)[:, :, None] * lie
    seen = own + rest
    with np.errstate(invalid="ignore", divide="ignore"):
        sure = np.where(seen > 0, np.maximum(own, rival) / seen, 0.0)
    return Spread.of(sure, weights[:, None, None] * seen)


def _largest_other(beliefs: Floats) -> Floats:
    """For every answer the belief in the likeliest other one, shape (g, a)."""
    order = np.sort(beliefs, axis=1)
    best = beliefs.argmax(axis=1)
    return np.where(np.arange(beliefs.shape[1]) == best[:, None], order[:, -2:-1], order[:, -1:])


def _kinds(mechanism: Mechanism, axis: int) -> tuple[Floats, Floats] | None:
    """What someone who knows the other answers sees beside this one: lie sets of the others that tell equally much are one kind.

    Returns the probability of each kind together with the truth at ``axis``, and with one particular lie; None where lie sets are too many.
    """
    if mechanism.k > MAX_OPTIMAL_ATTRIBUTES:
        return None
    order = [axis, *(i for i in range(mechanism.k) if i != axis)]
    truth, lie = mechanism.marginal_channel(order).probabilities.reshape(2, -1)
    lie = lie / (mechanism.sizes[axis] - 1)
    told = truth / np.where(truth + lie > 0, truth + lie, 1.0)
    kind = np.unique(told.round(12), return_inverse=True)[1].ravel()
    return np.bincount(kind, truth).astype(np.float64), np.bincount(kind, lie).astype(np.float64)


def beliefs_knowing(codes: Codes, axis: int, size: int) -> tuple[Floats, Floats]:
    """How attribute ``axis`` is distributed among people with the same other answers: distinct distributions, and shares of people."""
    others = np.delete(codes, axis, axis=1)
    group = _numbered(others)
    counts = np.zeros((int(group.max()) + 1, size))
    np.add.at(counts, (group, codes[:, axis]), 1.0)
    distinct, place = np.unique(counts / counts.sum(axis=1, keepdims=True), axis=0, return_inverse=True)
    return distinct, np.bincount(place.ravel(), counts.sum(axis=1)) / codes.shape[0]


def _numbered(rows: Codes) -> Codes:
    """Equal rows get the same number 0, 1, ..."""
    number = np.zeros(rows.shape[0], dtype=np.int64)
    for column in rows.T:
        number = np.unique(number * (int(column.max()) + 1) + column, return_inverse=True)[1].ravel()
    return np.asarray(number)


def _every_record(mechanism: Mechanism, codes: Codes, axis: int) -> Spread:
    """Certainties over every released record, from the joint distribution of the table."""
    channel = mechanism.marginal_channel(range(mechanism.k))
    joint = np.moveaxis(count_cells(codes, mechanism.sizes) / codes.shape[0], axis, 0)
    seen, best = np.zeros(mechanism.sizes), np.zeros(mechanism.sizes)
    for answer in range(mechanism.sizes[axis]):
        own = np.zeros_like(joint)
        own[answer] = joint[answer]
        together = np.maximum(channel.push(np.moveaxis(own, 0, axis)), 0.0)
        seen += together
        best = np.maximum(best, together)
    return Spread.of(best / np.where(seen > 0, seen, 1.0), seen)


def after_knowing(
    mechanism: Mechanism, axis: int, beliefs: Floats, weights: Floats, *, summed: bool = False, rng: np.random.Generator
) -> tuple[Spread, int]:
    """Certainties for someone who sees the whole record and knows the other true answers, and how many people were drawn; 0 if exact.

    Parameters
    ----------
    beliefs : ndarray of shape (g, a), what is believed of groups of people before the release
    weights : ndarray of shape (g,), shares of people
    summed : whether to sum over every release even above ``MOST_SUMMED`` numbers; beyond, releases are drawn otherwise
    """
    kinds = _kinds(mechanism, axis)
    if kinds is not None and (summed or kinds[0].size * beliefs.size <= MOST_SUMMED):
        return _sure(beliefs, weights, *kinds), 0
    outputs, runs = Outputs.of(mechanism), 2 * _RUNS[1]
    group = rng.choice(len(weights), runs, p=weights / weights.sum())
    true = np.zeros((runs, mechanism.k), dtype=np.int32)
    true[:, axis] = (rng.random(runs)[:, None] > beliefs[group].cumsum(axis=1)[:, :-1]).sum(axis=1)
    released = mechanism.perturb(true, rng=rng)
    lies = released != true
    logs = []
    for lied in (False, True):
        lies[:, axis] = lied
        logs.append(outputs.log_of(lies))
    scaled = np.exp(np.array(logs) - np.max(logs, axis=0))
    posterior = beliefs[group] * scaled[1][:, None]
    here = np.arange(runs), released[:, axis]
    posterior[here] = beliefs[group][here] * scaled[0]
    return Spread.of(posterior.max(axis=1) / posterior.sum(axis=1), np.ones(runs)), runs


def after_record(
    mechanism: Mechanism, codes: Codes, axis: int, *, rng: np.random.Generator, report: Report
) -> tuple[Spread, int]:
    """Certainties for someone who sees the whole record and knows the table, but not who is who, and how many people were drawn."""
    if mechanism.k <= MAX_OPTIMAL_ATTRIBUTES and math.prod(mechanism.sizes) * mechanism.sizes[axis] <= MOST_SUMMED:
        return _every_record(mechanism, codes, axis), 0
    outputs = Outputs.of(mechanism)
    order = np.argsort(codes[:, axis], kind="stable")
    number = _numbered(codes[order])
    _, first, counts = np.unique(number, return_index=True, return_counts=True)
    place = np.argsort(first)  # distinct records, those with the same answer side by side
    records, share = codes[order][first[place]], counts[place] / codes.shape[0]
    answers = np.unique(records[:, axis], return_index=True)[1]
    runs = int(np.clip(_WORK // (records.size or 1), *_RUNS))
    released = mechanism.perturb(codes[rng.integers(codes.shape[0], size=runs)], rng=rng)
    sure = np.empty(runs)
    for run, seen in enumerate(released):
        logs = outputs.log_of(records != seen)
        likely = share * np.exp(logs - logs.max())
        together = np.add.reduceat(likely, answers)
        sure[run] = together.max() / together.sum()
        report((run + 1) / runs, f"{run + 1} of {runs} people")
    return Spread.of(sure, np.ones(runs)), runs
