"""Number of people whose answers an attacker can guess due to a release.

The attacker knows their other answers (theory.md section 18).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Codes, Floats
from rrcore.limits import MAX_OPTIMAL_ATTRIBUTES
from rrcore.mechanisms import Mechanism
from rrcore.table.dataset import Dataset
from rrcore.wording import count_text

SURE = 0.95
"""A person can be guessed if the best guess is at least this probable."""

_TIE = 1e-12  # a kind that speaks for an answer as strongly as needed, but for rounding
_ROUNDING = 1e-9  # a certainty this far below a mark still counts as reaching it

Beliefs = tuple[Floats, Floats]
"""Distinct distributions of an answer among people with the same other answers, shape (g, a), and shares of people, shape (g,)."""


@dataclass(frozen=True)
class Risk:
    """The attribute for which a release exposes the most people.

    Parameters
    ----------
    name : the attribute
    people : number of people
    added : expected number of people who can be guessed with a certainty of ``SURE`` only because of the release
    before : number of people who could be guessed without it
    """

    name: str
    people: int
    added: float
    before: float

    @property
    def without(self) -> str:
        """Number out of 1,000 people who could be guessed without the release."""
        return risk_of_thousand(self.before / self.people)

    @property
    def number(self) -> str:
        """Number out of 1,000 people who can be guessed because of the release."""
        return risk_of_thousand(self.added / self.people)


def risk_of_thousand(share: float) -> str:
    """Return a share of people as a number out of 1,000.

    Examples
    --------
    >>> risk_of_thousand(0.0173), risk_of_thousand(0.00052), risk_of_thousand(0), risk_of_thousand(1e-7)
    ('17', '0.52', '0', 'fewer than 0.01')
    """
    number = 1000 * share
    if 0 < number < 0.01:
        return "fewer than 0.01"
    return count_text(round(number)) if number >= 9.95 else f"{number:.2g}"


def beliefs_of(table: Dataset) -> list[Beliefs]:
    """Return beliefs about each attribute of the people in a table.

    The beliefs are those of someone who knows a person's other answers.
    """
    return [_beliefs(table.codes, axis, size) for axis, size in enumerate(table.schema.sizes)]


def risk_of(mechanism: Mechanism, table: Dataset, beliefs: list[Beliefs] | None = None) -> Risk | None:
    """Return the attribute for which a release exposes the most people.

    The result is None if the mechanism couples more than ``MAX_OPTIMAL_ATTRIBUTES`` attributes.

    Parameters
    ----------
    mechanism : Mechanism over the attributes of ``table``
    table : the true answers
    beliefs : ``beliefs_of(table)``, if available

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.budget import build
    >>> table = rr.load_demo("titanic")
    >>> risk = risk_of(build("preserving-2", table.schema.sizes, [1.0] * 4), table)
    >>> risk.name, round(risk.added), round(risk.before)
    ('Survived', 641, 174)
    """
    found = []
    for axis, (name, (own, weights)) in enumerate(zip(table.schema.names, beliefs or beliefs_of(table), strict=True)):
        kinds = _kinds(mechanism, axis)
        if kinds is None:
            return None
        added, before = guessed(own, weights, *kinds)
        found.append(Risk(name, table.n, table.n * added, table.n * before))
    return max(found, key=lambda risk: (risk.added, risk.before))


def guessed(beliefs: Floats, weights: Floats, truth: Floats, lie: Floats, mark: float = SURE) -> tuple[float, float]:
    """Return the shares of people who can be guessed with certainty ``mark``.

    The first share counts people who can be guessed only after the release, and the second those who could be guessed before it.

    Besides the randomized answer u, the attacker observes one of several kinds of evidence. The kinds that support u are sorted by
    strength. For each group of people and each u, the sort order shows where a guess becomes sufficiently certain.

    Parameters
    ----------
    beliefs, weights : as in ``Beliefs``
    truth, lie : ndarrays of shape (c,), joint probabilities of each kind with the true answer, and with one particular other answer
    """
    mark -= _ROUNDING
    certainty = truth / (truth + lie)
    order = np.argsort(certainty, kind="stable")
    certainty = certainty[order]
    truth, lie = (np.concatenate([[0.0], each[order].cumsum()]) for each in (truth, lie))
    own, rival = beliefs, _largest_other(beliefs)
    other = mark * (1 - own)
    with np.errstate(invalid="ignore", divide="ignore"):
        # u itself where kinds speak for it at least so strongly, and the likeliest other answer where they do at most so
        above = np.where(other > 0, other / (own * (1 - mark) + other), 0.0)
        below = np.where(rival >= other, (rival - other) / (rival - other + mark * own), -1.0)
    below = np.where((rival >= other) & (rival - other + mark * own <= 0), 1.0, below)
    last = np.searchsorted(certainty, below + _TIE, side="right")
    first = np.maximum(np.searchsorted(certainty, above - _TIE), last)
    after = (own * (truth[-1] - truth[first] + truth[last]) + (1 - own) * (lie[-1] - lie[first] + lie[last])).sum(axis=1)
    known = beliefs.max(axis=1) >= mark
    return min(1.0, float(weights[~known] @ after[~known])), float(weights[known].sum())


def _largest_other(beliefs: Floats) -> Floats:
    """For every answer the belief in the likeliest other one, shape (g, a)."""
    order = np.sort(beliefs, axis=1)
    best = beliefs.argmax(axis=1)
    return np.where(np.arange(beliefs.shape[1]) == best[:, None], order[:, -2:-1], order[:, -1:])


def _kinds(mechanism: Mechanism, axis: int) -> tuple[Floats, Floats] | None:
    """What the other randomized answers show: sets of changed answers that tell equally much are one kind.

    Returns the probability of each kind together with the true answer at ``axis``, and with one particular other answer; None if sets are
    too many.
    """
    others = mechanism.sizes[axis] - 1
    if mechanism.epsilon_informed[axis] <= mechanism.epsilon[axis]:  # the others tell nothing
        true, changed = mechanism.channel([axis]).probabilities
        return np.array([true]), np.array([changed / others])
    if mechanism.k > MAX_OPTIMAL_ATTRIBUTES:
        return None
    order = [axis, *(i for i in range(mechanism.k) if i != axis)]
    truth, lie = mechanism.channel(order).probabilities.reshape(2, -1)
    lie = lie / others
    certainty = truth / np.where(truth + lie > 0, truth + lie, 1.0)
    kind = np.unique(certainty.round(12), return_inverse=True)[1].ravel()
    return np.bincount(kind, truth).astype(np.float64), np.bincount(kind, lie).astype(np.float64)


def _beliefs(codes: Codes, axis: int, size: int) -> Beliefs:
    group = np.zeros(len(codes), dtype=np.int64)
    for column in np.delete(codes, axis, axis=1).T:
        group = np.unique(group * (int(column.max()) + 1) + column, return_inverse=True)[1].ravel()
    counts = np.zeros((int(group.max()) + 1, size))
    np.add.at(counts, (group, codes[:, axis]), 1.0)
    distinct, place = np.unique(counts / counts.sum(axis=1, keepdims=True), axis=0, return_inverse=True)
    return distinct, np.bincount(place.ravel(), counts.sum(axis=1)) / len(codes)
