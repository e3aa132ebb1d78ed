"""Accuracy floors over count vectors: every mu_T at once by a transform, and what lifts those that are missed (theory.md section 14).

A set T of attributes enters by its counts t per kind, and v_T by its mean over the lie sets with the same counts. Where no two
attributes are of one kind these are the 2^k sets and v_T itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, reduce
from itertools import product
from math import comb
from typing import Any

import numpy as np

from rrcore.arrays import Floats, Integers
from rrcore.channel.liesets import on_each_axis, outer
from rrcore.errors import InputError
from rrcore.limits import MAX_FLOORS
from rrcore.mechanisms.solve.countgrid import CountGrid

_TOGETHER = 128  # most count vectors of neighbouring kinds that are transformed in one step
_EXPANDED = 16  # up to this many members of a kind the terms of a row are added up, beyond they are differences
_ALLOWED = 5e-10  # relative amount by which a floor may be missed
_THETAS = (0.2, 1.0)  # how much of the lies of a spare mechanism is joint: all of them gives the most room and costs most
_ADDED = 32  # floors that become rows at a time, beside a quarter as many as there are
_TURNS = 3  # times that floors are mended


class Interactions:
    """The interactions T of 2 to ``width`` attributes that have a floor mu_T >= gamma prod r_i.

    Parameters
    ----------
    grid : CountGrid
    width : int, most attributes of an interaction
    gamma : float, the floor of all of them, or a mapping from counts per kind (tuples) to floors of some

    Raises
    ------
    InputError
        Where there are too many of them.
    """

    def __init__(self, grid: CountGrid, width: int, gamma: float | Mapping[tuple[int, ...], float]) -> None:
        self.grid = grid
        self.width = width
        most = np.minimum(grid.numbers, width)
        self._kernels = [_mean_products(n, t, 1.0, -1 / (a - 1)) for n, t, a in zip(grid.numbers, most, grid.sizes, strict=True)]
        self._parts: list[Integers] = []  # of every group of kinds, the counts of an interaction's members, shape (P, kinds)
        self._steps: list[Floats] = []
        self._lengths: list[int] = []
        self._known: dict[tuple[int, bytes], tuple[float, Floats, Floats]] = {}
        self._groups = _groups(grid.shape)
        for group in self._groups:
            each = [range(most[t] + 1) for t in group]
            parts = np.array([counts for counts in product(*each) if sum(counts) <= width], dtype=np.int64).reshape(
                -1, len(group)
            )
            step = np.ones((len(parts), 1))
            for column, t in enumerate(group):
                step = (step[:, :, None] * self._kernels[t][parts[:, column]][:, None, :]).reshape(len(parts), -1)
            self._parts.append(parts)
            self._steps.append(step)
            self._lengths.append(step.shape[1])
        self.shape = tuple(len(parts) for parts in self._parts)
        if float(np.prod(np.array(self.shape, dtype=np.float64))) > MAX_FLOORS:
            raise InputError(
                f"Floors for sets of up to {width} attributes are too many here to be solved exactly: "
                "choose fewer attributes, or floors for smaller sets."
            )
        self.order = self._summed(lambda parts, group: parts.sum(axis=1))
        """Attributes of each interaction."""
        if isinstance(gamma, Mapping):
            self.gamma = np.zeros(self.order.size)
            for n, counts in enumerate(self.counts(range(self.order.size))):
                self.gamma[n] = gamma.get(tuple(int(t) for t in counts), 0.0)
        else:
            self.gamma = np.where((self.order >= 2) & (self.order <= width), float(gamma), 0.0)
        self.wanted = np.flatnonzero(self.gamma)
        self.kronecker = np.exp(self._summed(lambda parts, group: parts @ np.log(grid.retentions[group])))
        """prod r_i."""
        self.target = self.gamma * self.kronecker * (1 - _ALLOWED)
        """What mu_T must be at least."""
        self.variance = np.exp(self._summed(lambda parts, group: -parts @ np.log(grid.sizes[group] - 1))) + self.kronecker**2
        """About E_U of the square of a row."""

    def _summed(self, each: Callable[[Any, list[int]], Floats]) -> Floats:
        """For every interaction the sum of ``each`` over the groups of kinds, shape of ``order``."""
        return outer(map(each, self._parts, self._groups), np.add).ravel()

    def counts(self, chosen: Sequence[int] | Integers) -> Integers:
        """Members per kind of the interactions at positions ``chosen``, shape (n, T)."""
        places = np.unravel_index(np.asarray(chosen, dtype=np.int64), self.shape)
        return np.hstack([parts[place] for parts, place in zip(self._parts, places, strict=True)])

    def factors(self, weights: Floats) -> Floats:
        """Sum over vectors of ``weights`` times v_T, for every interaction: mu_T where they are probabilities."""
        return np.asarray(on_each_axis(weights.reshape(self._lengths), self._steps).ravel())

    def repair(self, factors: Floats, log_truth: float) -> tuple[Floats, float]:
        """What it takes to lift these mu_T to the floors by mixing in a ``spare`` mechanism, and which one: its theta.

        Parameters
        ----------
        factors : mu_T, shape of ``order``
        log_truth : float, ln of the gain over a uniform record of the whole truth

        Returns
        -------
        cost : about how many nats it adds to the total for each floor by itself; infinite where mixing does not help
        theta : float, the ``spare`` mechanism that is cheapest for all of them together
        """
        short = np.where(self.gamma > 0, self.target - factors, 0.0)
        below = np.flatnonzero(short > 0)
        cost, best = np.zeros(short.size), (np.inf, _THETAS[0])
        cost[below] = np.inf
        for theta in _THETAS if below.size else ():
            above, log_spare = self._spares[theta]
            room = above[below]
            odds = np.exp(min(log_spare - log_truth, 300.0))
            with np.errstate(divide="ignore"):
                each = np.where(room > 0, short[below] / np.maximum(room, 1e-300), np.inf) * odds
            cost[below] = np.minimum(cost[below], each)
            best = min(best, (float(each.max()), theta))
        return cost, best[1]

    def most_useful(self, factors: Floats, cost: Floats, active: Sequence[int], negligible: float) -> list[int]:
        """Floors, not among ``active``, that cost more than ``negligible`` to lift: those whose rows promise to move the dual most."""
        chosen = np.setdiff1d(np.flatnonzero(cost > negligible), active)
        gain = (self.target[chosen] - factors[chosen]) ** 2 / self.variance[chosen]
        return [int(n) for n in chosen[np.argsort(-gain, kind="stable")[: _ADDED + len(active) // 4]]]

    def _hidden(self, theta: float) -> Floats:
        """How often ``spare`` hides each kind, shape (T,)."""
        return theta * (1 - self.grid.retentions)

    def spare_factors(self, theta: float) -> Floats:
        """mu_T of ``log_spare``: prod of r_i / (1 - hidden_i), times 1 less the largest hidden_i of T."""
        hidden = self._hidden(theta)
        logs = self._summed(lambda parts, group: -parts @ np.log1p(-hidden[group]))
        most = [
            np.where(parts > 0, hidden[group], 0.0).max(axis=1) for parts, group in zip(self._parts, self._groups, strict=True)
        ]
        return np.asarray(self.kronecker * np.exp(logs) * (1 - reduce(np.maximum.outer, most).ravel()))

    @cached_property
    def _spares(self) -> dict[float, tuple[Floats, float]]:
        """theta -> by how much mu_T of ``log_spare`` is above its floor, and ln of the gain of the whole truth."""
        nobody = (0,) * self.grid.numbers.size
        return {
            theta: (self.spare_factors(theta) - self.target, float(self._log_spare(theta, nobody).ravel()[0]))
            for theta in _THETAS
        }

    def log_spare(self, theta: float) -> Floats:
        """ln of the gains over a uniform record, shape ``grid.shape``, of a mechanism with the levels of the grid and room above Kronecker.

        One uniform number u per respondent: attributes with u < hidden_i are replaced by a uniform value, the others are randomised
        each on its own, at accordingly higher levels: joint thinning of Kronecker.
        """
        return self._log_spare(theta, tuple(int(n) for n in self.grid.numbers))

    def _log_spare(self, theta: float, most: tuple[int, ...]) -> Floats:
        grid, hidden = self.grid, self._hidden(theta)
        loss = (1 - grid.retentions - hidden) / (1 - hidden)
        lies = np.maximum(loss, 1e-300) * (1 - 1 / grid.sizes)
        order = np.argsort(hidden)
        ends = np.r_[0.0, hidden[order], 1.0]
        logs = np.full([m + 1 for m in most], -np.inf)
        each = [
            (number - np.arange(m + 1)) * np.log(size * (1 - lie)) + np.arange(m + 1) * np.log(size * lie / (size - 1))
            for number, size, lie, m in zip(grid.numbers, grid.sizes, lies, most, strict=True)
        ]
        for step in range(order.size + 1):  # u lies between two of the hidden: the kinds before are randomised
            width = ends[step + 1] - ends[step]
            if width > 0:
                term = np.full((), np.log(width))
                for t in range(order.size):
                    term = np.add.outer(term, each[t] if t in order[:step] else np.zeros(1))
                logs = np.logaddexp(logs, term)
        return logs

    def lifted(self, log_gains: Floats) -> Floats:
        """``log_gains`` of a mechanism with the levels of the grid, shape ``grid.shape``, with every floor, whatever a solver left.

        As little as possible of a mechanism that is above all floors is mixed in; its levels are the same.
        """
        for _ in range(_TURNS):
            q = np.exp(self.grid.log_uniform + log_gains.reshape(self.grid.log_uniform.shape))
            total = float(q.sum())
            factors = self.factors(q) / total
            cost, theta = self.repair(factors, float(log_gains.ravel()[0] - np.log(total)))
            below = np.flatnonzero(cost)
            if not below.size:
                break
            room = self.spare_factors(theta)[below] - factors[below]
            share = float(np.min([1.0, (1.01 * (self.target[below] - factors[below]) / np.maximum(room, 1e-300)).max()]))
            log_gains = np.logaddexp(
                np.log1p(-min(share, 1 - 1e-15)) + log_gains - np.log(total), np.log(share) + self.log_spare(theta)
            )
        return log_gains

    @cached_property
    def _pieces(self) -> list[tuple[Floats, Floats, Floats]]:
        """Per kind, for t members: prod r, and over vectors what is linear in v_i - r_i and the rest of the mean of prod v_i."""
        grid, pieces = self.grid, []
        for t, n in enumerate(grid.numbers):
            r, most = float(grid.retentions[t]), self._kernels[t].shape[0] - 1
            truth = float(grid.lies[t]) * grid.sizes[t] / (grid.sizes[t] - 1)  # v - r without cancellation
            deviations = _mean_products(n, min(most, _EXPANDED), truth, truth - grid.sizes[t] / (grid.sizes[t] - 1))
            members = np.arange(most + 1)
            constant = r**members
            linear = np.zeros((most + 1, int(n) + 1))
            linear[1:] = np.outer(members[1:] * r ** (members[1:] - 1.0), deviations[1])
            rest = self._kernels[t] - constant[:, None] - linear
            for size in range(min(most, _EXPANDED) + 1):
                terms = [comb(size, j) * r ** (size - j) * deviations[j] for j in range(2, size + 1)]
                rest[size] = np.sum(terms, axis=0) if terms else 0.0
            pieces.append((constant, linear, rest))
        return pieces

    def halves(self, counts: Integers) -> tuple[Floats, Floats]:
        """v_T less its part that is linear in the deviations v_i - r_i and less its constant, as sums of products.

        The row over vectors is the sum over three of (share of the grid's rows) times (share of its columns); shapes (3, R), (3, C).
        """
        split = self.grid.rows.shape[1]
        first, second = (self._half(counts, kinds) for kinds in (range(split), range(split, counts.size)))
        ones = np.ones(second[1].size)
        left = np.array([first[2], first[1], np.full(first[1].size, first[0])])
        right = np.array([second[0] * ones + second[1] + second[2], second[1] + second[2], second[2]])
        return left, right

    def _half(self, counts: Integers, kinds: range) -> tuple[float, Floats, Floats]:
        """The constant, the linear part and the rest of the product over ``kinds``, made once for all interactions that share it."""
        key = (kinds.start, counts[kinds.start : kinds.stop].tobytes())
        if key not in self._known:
            self._known[key] = self._product(counts, kinds)
        return self._known[key]

    def _product(self, counts: Integers, kinds: range) -> tuple[float, Floats, Floats]:
        constant, linear, rest = 1.0, np.zeros(1), np.zeros(1)
        for kind in kinds:
            n = int(self.grid.numbers[kind])
            t = int(counts[kind])
            if t == 0:
                linear, rest = (np.repeat(each, n + 1) for each in (linear, rest))
                continue
            fixed, sloped, bent = (each[t] for each in self._pieces[kind])
            rest = (
                np.multiply.outer(rest, fixed + sloped + bent) + np.multiply.outer(linear, sloped + bent) + constant * bent
            ).ravel()
            linear = (linear[:, None] * fixed + constant * sloped).ravel()
            constant *= float(fixed)
        return constant, linear, rest


def _groups(shape: tuple[int, ...]) -> list[list[int]]:
    """Neighbouring kinds with at most ``_TOGETHER`` count vectors together."""
    groups: list[list[int]] = []
    size = _TOGETHER
    for t, length in enumerate(shape):
        if size * length > _TOGETHER:
            groups.append([])
            size = 1
        groups[-1].append(t)
        size *= length
    return groups


def _mean_products(number: int, most: int, truth: float, lie: float) -> Floats:
    """Mean over sets of t of ``number`` attributes of the product of ``truth`` or ``lie`` by attribute, m of them lying; row t, column m."""
    n, m = int(number), np.arange(int(number) + 1)
    rows = np.ones((int(most) + 1, m.size))
    ways = np.ones((1, m.size))  # how likely j of the t members lie, row j: no difference of rounded numbers enters
    for t in range(1, int(most) + 1):
        among = np.arange(t)[:, None]
        drawn = np.zeros((t + 1, m.size))
        drawn[:-1] += ways * np.maximum(n - m - (t - 1 - among), 0) / (n - t + 1)
        drawn[1:] += ways * np.maximum(m - among, 0) / (n - t + 1)
        ways = drawn
        j = np.arange(t + 1)
        rows[t] = (truth ** (t - j) * lie**j) @ ways
    return rows
