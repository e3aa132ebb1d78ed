"""How sure an observer is of one answer of each person: a distribution over people, not the average that hides its ends.

Bayes' rule on lie sets (theory.md sections 1 and 5): a released record with lie set S has the probability X_S, whichever record it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rrcore.arrays import Codes, Floats
from rrcore.audit.observer import check_prior
from rrcore.audit.outputs import Outputs
from rrcore.limits import MAX_OPTIMAL_ATTRIBUTES
from rrcore.mechanisms import Mechanism
from rrcore.table.contingency import count_cells
from rrcore.wording import count_text
from rrcore.work import Report, quiet

Knows = Literal["answer", "record", "others"]

KNOWS: dict[Knows, str] = {
    "answer": "sees this one released answer and knows how many people gave each true answer, but not who",
    "record": "sees the whole released record and knows how many people have each combination of true answers, but not who",
    "others": "sees the whole released record, knows how many people have each combination of true answers, and knows this person's "
    "other true answers",
}
"""What an observer sees and knows, to be read after "someone who"."""

_SEEN: dict[Knows, str] = {
    "answer": "this one released answer; before seeing anything",
    "record": "their released record; before seeing anything",
    "others": "their released record by someone who knows their other answers; before the release",
}

BANDS = (0.5, 0.75, 0.95)
"""Certainties that people are counted at."""

_EXACT = 2_000_000  # most numbers that are summed over every release; beyond, releases are drawn
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


@dataclass(frozen=True, eq=False)
class Certainty:
    """How sure someone is of one attribute of every person, before and after a release, on average over releases.

    Parameters
    ----------
    knows : "answer", "record" or "others", see ``KNOWS``
    people : int
    before, after : Spread over people
    runs : int, number of people whose release was drawn; 0 where every release was summed over
    """

    knows: Knows
    people: int
    before: Spread
    after: Spread
    runs: int = 0

    def guessed(self, certainty: float) -> tuple[float, float]:
        """Expected numbers of people who can be guessed with at least this certainty: before anything is released, and after."""
        return self.people * self.before.at_least(certainty), self.people * self.after.at_least(certainty)

    def error(self, certainty: float) -> float:
        """Standard error of the second number, in people: from drawing releases; 0 where it is exact."""
        share = self.after.at_least(certainty)
        return self.people * math.sqrt(max(share * (1 - share), 1 / self.runs) / self.runs) if self.runs else 0.0

    def bands(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Shares of people below, between and above ``BANDS``, before and after: four numbers each."""
        found = []
        for spread in (self.before, self.after):
            above = [1.0, *map(spread.at_least, BANDS), 0.0]
            found.append(tuple(high - low for high, low in pairwise(above)))
        return found[0], found[1]

    def sentence(self, name: str, certainty: float = 0.95) -> str:
        """How many people can be guessed, before and after.

        Examples
        --------
        >>> flat = Spread.of([0.6], [1.0])
        >>> print(Certainty("answer", 200, flat, Spread.of([0.5, 0.96], [0.9, 0.1])).sentence("smokes"))
        Of 200 people, 20 could have their answer to “smokes” guessed with 95 % certainty from this one released answer; before \
seeing anything: 0.
        """
        before, after = self.guessed(certainty)
        about = f"about {rounded(after, self.error(certainty))}" if self.runs else _people(after)
        return (
            f"Of {count_text(self.people)} people, {about} could have their answer to “{name}” guessed with {100 * certainty:g} % certainty "
            f"from {_SEEN[self.knows]}: {_people(before)}."
        )


def rounded(people: float, error: float) -> str:
    """A number of people with what it may be off by (95 % of the time), to the digits that this supports.

    Examples
    --------
    >>> rounded(1787.3, 54.2), rounded(3.2, 0)
    ('1,790 (± 110)', '3')
    """
    if not error:
        return count_text(round(people))
    step = 10 ** max(0, math.floor(math.log10(2 * error)) - 1)
    return f"{count_text(step * round(people / step))} (± {count_text(step * math.ceil(2 * error / step))})"


def _people(number: float) -> str:
    return "fewer than 1" if 0 < number < 0.5 else count_text(round(number))


def certainty_in_table(
    mechanism: Mechanism, codes: Codes, axis: int, knows: Knows, *, rng: np.random.Generator, report: Report = quiet
) -> Certainty:
    """How sure someone can be of attribute ``axis`` of the people of a table, who knows how many have which true answers.

    Exact, over every release, where that is possible; else over drawn people, each with one release.

    Parameters
    ----------
    codes : ndarray of shape (n, k), the true answers, codes 0..a_i-1
    rng : for drawing releases

    Examples
    --------
    Everybody in this table smokes or not like their partner; the two released answers together tell more than one:

    >>> import numpy as np, rrcore as rr
    >>> table = np.array([[0, 0]] * 80 + [[1, 1]] * 20)
    >>> mechanism = rr.build("kronecker", (2, 2), [2, 2])
    >>> rng = np.random.default_rng(0)
    >>> [round(certainty_in_table(mechanism, table, 0, knows, rng=rng).guessed(0.95)[1]) for knows in ("answer", "record", "others")]
    [73, 62, 100]
    """
    n, size = codes.shape[0], mechanism.sizes[axis]
    share = np.bincount(codes[:, axis], minlength=size) / n
    before = Spread.of([share.max()], [1.0])
    if knows == "answer":
        return Certainty(knows, n, before, _after_answer(mechanism, axis, share))
    if knows == "others":
        beliefs, weights = _beliefs(codes, axis, size)
        before = Spread.of(beliefs.max(axis=1), weights)
        kinds = _kinds(mechanism, axis)
        if kinds is not None and kinds[0].size * beliefs.size <= _EXACT:
            return Certainty(knows, n, before, _sure(beliefs, weights, *kinds))
        return Certainty(knows, n, before, *_drawn_knowing(mechanism, axis, beliefs, weights, rng))
    if mechanism.k <= MAX_OPTIMAL_ATTRIBUTES and math.prod(mechanism.sizes) * size <= _EXACT:
        return Certainty(knows, n, before, _every_record(mechanism, codes, axis))
    return Certainty(knows, n, before, *_drawn_records(mechanism, codes, axis, rng, report))


def certainty_assumed(
    mechanism: Mechanism, axis: int, prior: ArrayLike, people: int, knows: Knows, *, rng: np.random.Generator
) -> Certainty:
    """The same for an assumed population: answers to attribute ``axis`` as in ``prior``, all others equally likely and independent.

    Without knowing other true answers the rest of the released record then tells nothing, so that "record" is "answer".

    Raises
    ------
    InputError
        If ``prior`` is not a distribution over the attribute's categories.

    Examples
    --------
    >>> import numpy as np, rrcore as rr
    >>> mechanism = rr.build("kronecker", (2, 2), [3, 1])
    >>> found = certainty_assumed(mechanism, 0, [0.5, 0.5], 1000, "answer", rng=np.random.default_rng(0))
    >>> found.guessed(0.95)
    (0.0, 1000.0)
    """
    belief = check_prior(prior, mechanism.sizes[axis])
    before = Spread.of([belief.max()], [1.0])
    if knows != "others":
        return Certainty(knows, people, before, _after_answer(mechanism, axis, belief))
    kinds = _kinds(mechanism, axis)
    if kinds is not None:
        return Certainty(knows, people, before, _sure(belief[None], np.ones(1), *kinds))
    return Certainty(knows, people, before, *_drawn_knowing(mechanism, axis, belief[None], np.ones(1), rng))


def _after_answer(mechanism: Mechanism, axis: int, prior: Floats) -> Spread:
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


def _beliefs(codes: Codes, axis: int, size: int) -> tuple[Floats, Floats]:
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


def _drawn_knowing(
    mechanism: Mechanism, axis: int, beliefs: Floats, weights: Floats, rng: np.random.Generator
) -> tuple[Spread, int]:
    """Certainties of drawn people for someone who knows their other answers, and how many were drawn."""
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


def _drawn_records(mechanism: Mechanism, codes: Codes, axis: int, rng: np.random.Generator, report: Report) -> tuple[Spread, int]:
    """Certainties of drawn people for someone who knows the table but not who is who, and how many were drawn."""
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
