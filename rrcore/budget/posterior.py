"""How sure Bayes' rule makes an observer of one answer of each person, over every release, or over drawn ones (theory.md sections 1, 5).

A released record with lie set S has the probability X_S, whichever record it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from rrcore.arrays import Codes, Floats, count_cells
from rrcore.budget.outputs import Outputs
from rrcore.limits import MAX_OPTIMAL_ATTRIBUTES
from rrcore.mechanisms import Mechanism
from rrcore.progress import Report

MOST_SUMMED = 2_000_000
"""Most numbers that are summed over every released record of a table's people; beyond, releases are drawn."""

_WORK = 400_000_000  # comparisons that drawing releases may take
_RUNS = (200, 8_000)  # fewest and most people drawn, each with one release
_TIE = 1e-12  # a kind that speaks for an answer as strongly as needed, but for rounding
_ROUNDING = 1e-9  # a certainty this far below a mark still counts as reaching it


class Certainties(Protocol):
    """A distribution over people of how probable the best guess of an answer is."""

    def at_least(self, certainty: float) -> float:
        """Share of people of whom the best guess is at least this probable."""

    def new(self, certainty: float) -> float:
        """The same of those of whom it was not before anything was released."""

    @property
    def mean(self) -> float:
        """How often the best guess is right, over all people."""

    @property
    def largest(self) -> float:
        """How probable a best guess can be."""


@dataclass(frozen=True, eq=False)
class CertaintySpread:
    """Certainties that are listed.

    Parameters
    ----------
    values : ndarray of shape (m,), in [0, 1], increasing: how probable the best guess is
    shares : ndarray of shape (m,), of people, summing to 1
    believed : ndarray of shape (m,), how probable the best guess of these people was before
    """

    values: Floats
    shares: Floats
    believed: Floats

    @classmethod
    def of(cls, values: ArrayLike, shares: ArrayLike, believed: ArrayLike = 0.0) -> CertaintySpread:
        """The distribution of any ``values`` with weights ``shares``; ``believed`` is one number, or as many."""
        found, weights = np.ravel(values), np.ravel(shares).astype(np.float64)
        kept = weights > 0
        rows = np.clip(np.column_stack([found, np.broadcast_to(np.ravel(believed), found.shape)])[kept], 0.0, 1.0).round(12)
        distinct, place = np.unique(rows, axis=0, return_inverse=True)
        sums = np.bincount(place.ravel(), weights[kept], minlength=len(distinct))
        return cls(distinct[:, 0], sums / sums.sum(), distinct[:, 1])

    def at_least(self, certainty: float) -> float:
        return float(min(1.0, self.shares[self.values >= certainty - _ROUNDING].sum()))

    def new(self, certainty: float) -> float:
        mark = certainty - _ROUNDING
        return float(min(1.0, self.shares[(self.values >= mark) & (self.believed < mark)].sum()))

    @property
    def mean(self) -> float:
        return float(self.values @ self.shares)

    @property
    def largest(self) -> float:
        return float(self.values[-1])


@dataclass(frozen=True, eq=False)
class Knowing:
    """Certainties of someone who knows the other answers of every person: over every release, however many there are.

    What is seen beside the released answer u is one of some kinds. Those that speak for u are sorted by how strongly they do, so that where
    a guess is certain enough is looked up for each group of people and each u.

    Parameters
    ----------
    beliefs : ndarray of shape (g, a), how answers are distributed in groups of people with the same other answers
    weights : ndarray of shape (g,), shares of people
    truth, lie : ndarrays of shape (c,), probabilities of each kind together with the true answer, and with one particular other
    """

    beliefs: Floats
    weights: Floats
    truth: Floats
    lie: Floats

    @cached_property
    def _by_certainty(self) -> tuple[Floats, Floats, Floats]:
        """How strongly each kind speaks for the released answer, increasing; sums of ``truth`` and of ``lie`` before each, and of all."""
        certainty = self.truth / (self.truth + self.lie)
        order = np.argsort(certainty, kind="stable")
        truth, lie = (np.concatenate([[0.0], each[order].cumsum()]) for each in (self.truth, self.lie))
        return certainty[order], truth, lie

    @cached_property
    def _rivals(self) -> Floats:
        return _largest_other(self.beliefs)

    def at_least(self, certainty: float) -> float:
        return min(1.0, float(self.weights @ self._guessed(certainty - _ROUNDING)))

    def new(self, certainty: float) -> float:
        mark = certainty - _ROUNDING
        return min(1.0, float((self.weights * self._unsure(mark)) @ self._guessed(mark)))

    def of_people(self, codes: Codes, axis: int, certainty: float) -> Floats:
        """``new`` of every person of the table ``codes``, shape (n,): on average over releases and over people with the same others."""
        group, counts = _by_others(codes, axis, self.beliefs.shape[1])
        own = Knowing(counts / counts.sum(axis=1, keepdims=True), np.ones(len(counts)), self.truth, self.lie)
        mark = certainty - _ROUNDING
        return np.asarray((own._unsure(mark) * own._guessed(mark))[group])

    def unsure(self, certainty: float) -> Knowing:
        """The same of the people of whom nobody could be this certain before."""
        kept = self._unsure(certainty - _ROUNDING)
        return Knowing(self.beliefs[kept], self.weights[kept], self.truth, self.lie)

    def _unsure(self, mark: float) -> Any:
        return self.beliefs.max(axis=1) < mark

    def _guessed(self, mark: float) -> Floats:
        """Share of each group of whom the best guess is at least as probable as ``mark``, shape (g,)."""
        certainty, truth, lie = self._by_certainty
        own, rival = self.beliefs, self._rivals
        other = mark * (1 - own)
        with np.errstate(invalid="ignore", divide="ignore"):
            # u itself where kinds speak for it at least so strongly, and the likeliest other answer where they do at most so
            above = np.where(other > 0, other / (own * (1 - mark) + other), 0.0)
            below = np.where(rival >= other, (rival - other) / (rival - other + mark * own), -1.0)
        below = np.where((rival >= other) & (rival - other + mark * own <= 0), 1.0, below)
        last = np.searchsorted(certainty, below + _TIE, side="right")
        first = np.maximum(np.searchsorted(certainty, above - _TIE), last)
        return np.asarray(
            (own * (truth[-1] - truth[first] + truth[last]) + (1 - own) * (lie[-1] - lie[first] + lie[last])).sum(axis=1)
        )

    @cached_property
    def mean(self) -> float:
        certainty, truth, lie = self._by_certainty
        own, rival = self.beliefs, self._rivals
        both = own + rival
        even = np.searchsorted(certainty, np.divide(rival, both, out=np.zeros_like(both), where=both > 0))
        return float(self.weights @ (own * (truth[-1] - truth[even]) + rival * lie[even]).sum(axis=1))

    @cached_property
    def largest(self) -> float:
        certainty = self._by_certainty[0]
        own, rest, rival = self.beliefs, 1 - self.beliefs, self._rivals
        with np.errstate(invalid="ignore", divide="ignore"):
            sure = own * certainty[-1] / (own * certainty[-1] + rest * (1 - certainty[-1]))
            doubted = rival * (1 - certainty[0]) / (own * certainty[0] + rest * (1 - certainty[0]))
        return float(np.nanmax(np.fmax(sure, doubted)))


def after_answer(mechanism: Mechanism, axis: int, prior: Floats) -> Knowing:
    """Certainties for someone who sees the released answer to ``axis`` alone and believes ``prior`` of everybody before."""
    return Knowing(prior[None], np.ones(1), *_alone(mechanism, axis))


def _alone(mechanism: Mechanism, axis: int) -> tuple[Floats, Floats]:
    truth, lie = mechanism.marginal_channel([axis]).probabilities
    return np.array([truth]), np.array([lie / (mechanism.sizes[axis] - 1)])


def _largest_other(beliefs: Floats) -> Floats:
    """For every answer the belief in the likeliest other one, shape (g, a)."""
    order = np.sort(beliefs, axis=1)
    best = beliefs.argmax(axis=1)
    return np.where(np.arange(beliefs.shape[1]) == best[:, None], order[:, -2:-1], order[:, -1:])


def _kinds(mechanism: Mechanism, axis: int) -> tuple[Floats, Floats] | None:
    """What someone who knows the other answers sees beside this one: lie sets of the others that tell equally much are one kind.

    Returns the probability of each kind together with the truth at ``axis``, and with one particular lie; None where lie sets are too many.
    """
    if mechanism.leakage[axis] <= mechanism.levels[axis]:  # the others tell nothing
        return _alone(mechanism, axis)
    if mechanism.k > MAX_OPTIMAL_ATTRIBUTES:
        return None
    order = [axis, *(i for i in range(mechanism.k) if i != axis)]
    truth, lie = mechanism.marginal_channel(order).probabilities.reshape(2, -1)
    lie = lie / (mechanism.sizes[axis] - 1)
    certainty = truth / np.where(truth + lie > 0, truth + lie, 1.0)
    kind = np.unique(certainty.round(12), return_inverse=True)[1].ravel()
    return np.bincount(kind, truth).astype(np.float64), np.bincount(kind, lie).astype(np.float64)


def beliefs_knowing(codes: Codes, axis: int, size: int) -> tuple[Floats, Floats]:
    """How attribute ``axis`` is distributed among people with the same other answers: distinct distributions, and shares of people."""
    _, counts = _by_others(codes, axis, size)
    distinct, place = np.unique(counts / counts.sum(axis=1, keepdims=True), axis=0, return_inverse=True)
    return distinct, np.bincount(place.ravel(), counts.sum(axis=1)) / codes.shape[0]


def _by_others(codes: Codes, axis: int, size: int) -> tuple[Codes, Floats]:
    """The number of every person's group, in which all have the same other answers; in each group, how many gave which answer."""
    group = _numbered(np.delete(codes, axis, axis=1))
    counts = np.zeros((int(group.max()) + 1, size))
    np.add.at(counts, (group, codes[:, axis]), 1.0)
    return group, counts


def _numbered(rows: Codes) -> Codes:
    """Equal rows get the same number 0, 1, ..."""
    number = np.zeros(rows.shape[0], dtype=np.int64)
    for column in rows.T:
        number = np.unique(number * (int(column.max()) + 1) + column, return_inverse=True)[1].ravel()
    return np.asarray(number)


def _every_record(mechanism: Mechanism, codes: Codes, axis: int) -> CertaintySpread:
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
    return CertaintySpread.of(best / np.where(seen > 0, seen, 1.0), seen, _most(codes, axis))


def _most(codes: Codes, axis: int) -> float:
    """How common the commonest answer is."""
    return float(np.bincount(codes[:, axis]).max() / codes.shape[0])


def after_knowing(
    mechanism: Mechanism, axis: int, beliefs: Floats, weights: Floats, *, rng: np.random.Generator
) -> tuple[Certainties, int]:
    """Certainties for someone who sees the whole record and knows the other true answers, and how many people were drawn; 0 if exact.

    Parameters
    ----------
    beliefs : ndarray of shape (g, a), what is believed of groups of people before the release
    weights : ndarray of shape (g,), shares of people
    """
    kinds = _kinds(mechanism, axis)
    if kinds is not None:
        return Knowing(beliefs, weights, *kinds), 0
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
    return CertaintySpread.of(posterior.max(axis=1) / posterior.sum(axis=1), np.ones(runs), beliefs[group].max(axis=1)), runs


def after_record(
    mechanism: Mechanism, codes: Codes, axes: Sequence[int], *, rng: np.random.Generator, report: Report
) -> list[tuple[CertaintySpread, int]]:
    """Certainties of each of the attributes ``axes`` for someone who sees the whole record and knows the table, but not who is who, and how
    many people were drawn; 0 if exact. The same drawn people serve all attributes.
    """
    cells = math.prod(mechanism.sizes)
    few = [mechanism.k <= MAX_OPTIMAL_ATTRIBUTES and cells * mechanism.sizes[axis] <= MOST_SUMMED for axis in axes]
    many = [axis for axis, summed in zip(axes, few, strict=True) if not summed]
    drawn = iter(_drawn_records(mechanism, codes, many, rng, report) if many else ())
    return [(_every_record(mechanism, codes, axis), 0) if summed else next(drawn) for axis, summed in zip(axes, few, strict=True)]


def _drawn_records(
    mechanism: Mechanism, codes: Codes, axes: Sequence[int], rng: np.random.Generator, report: Report
) -> list[tuple[CertaintySpread, int]]:
    """Certainties over drawn people, each with one released record: how likely every true record makes it is worked out once for all axes."""
    outputs = Outputs.of(mechanism)
    _, first, counts = np.unique(_numbered(codes), return_index=True, return_counts=True)
    records, share = np.asfortranarray(codes[first]), counts / codes.shape[0]  # distinct ones, one attribute beside the other
    runs = int(np.clip(_WORK // (records.size or 1), *_RUNS))
    released = mechanism.perturb(codes[rng.integers(codes.shape[0], size=runs)], rng=rng)
    answers = [records[:, axis] for axis in axes]
    sure = np.empty((len(axes), runs))
    for run, seen in enumerate(released):
        logs = outputs.log_of(records != seen)
        likely = share * np.exp(logs - logs.max())
        total = likely.sum()
        for place, own in enumerate(answers):
            sure[place, run] = np.bincount(own, likely).max() / total
        report((run + 1) / runs, f"{run + 1} of {runs} people")
    return [(CertaintySpread.of(each, np.ones(runs), _most(codes, axis)), runs) for each, axis in zip(sure, axes, strict=True)]
