"""Accuracy floors over count vectors: every mu_T at once by a transform, and what lifts those that are missed (theory.md section 14).

A set T of attributes enters by its counts t per kind, and v_T by its mean over the lie sets with the same counts. Where no two
attributes are of one kind these are the 2^k sets and v_T itself.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from rrcore.arrays import Floats, Integers
from rrcore.errors import InputError
from rrcore.limits import MAX_FLOORS
from rrcore.mechanisms.solve.countgrid import CountGrid
from rrcore.mechanisms.solve.halves import Half, most_together

_MOST_PRODUCTS = 1 << 24  # of pairs of rows, whose means are looked at at once: 128 MB
_ALLOWED = 5e-10  # relative amount by which a floor may be missed
_THETAS = (0.2, 1.0)  # how much of the lies of a spare mechanism is joint: all of them gives the most room and costs most
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
        self.grid, self.width = grid, width
        split = grid.rows.shape[1]
        self.together = most_together(grid.numbers, split, width, _MOST_PRODUCTS)
        """Floors of more attributes than this are no rows, for their number: they are lifted at the end."""
        self.left = Half(grid, slice(None, split), width, self.together)
        self.right = Half(grid, slice(split, None), width, self.together)
        self.shape = len(self.left.parts), len(self.right.parts)
        if self.shape[0] * self.shape[1] > MAX_FLOORS:
            raise InputError(f"Floors for sets of up to {width} attributes are too many here: choose fewer attributes.")
        self.order = np.add.outer(self.left.order, self.right.order).ravel()
        """Attributes of each interaction."""
        if isinstance(gamma, Mapping):
            self.gamma = np.array(
                [gamma.get(tuple(int(t) for t in counts), 0.0) for counts in self.counts(range(self.order.size))]
            )
        else:
            self.gamma = np.where((self.order >= 2) & (self.order <= width), float(gamma), 0.0)
        self.wanted = np.flatnonzero(self.gamma)
        self.singles = np.array([self._place(each) for each in np.eye(grid.numbers.size, dtype=np.int64)])
        """Where the interactions of a single attribute of each kind stand."""
        self.kronecker = np.exp(self._summed(np.log(grid.retentions)))
        """prod r_i."""
        self.target = self.gamma * self.kronecker * (1 - _ALLOWED)
        """What mu_T must be at least."""
        self.spread = np.sqrt(np.exp(self._summed(-np.log((grid.sizes - 1) * grid.retentions**2))))
        """The deviation of V_T in a uniform record."""

    def _place(self, counts: Integers) -> int:
        split = self.left.parts.shape[1]
        row, col = (
            np.flatnonzero((half.parts == own).all(axis=1))[0]
            for half, own in ((self.left, counts[:split]), (self.right, counts[split:]))
        )
        return int(row) * self.shape[1] + int(col)

    def _summed(self, each: Floats) -> Floats:
        """For every interaction the sum of ``each`` (T,) over its members, shape of ``order``."""
        return np.asarray(
            np.add.outer(self.left.parts @ each[self.left.kinds], self.right.parts @ each[self.right.kinds]).ravel()
        )

    def counts(self, chosen: Sequence[int] | Integers) -> Integers:
        """Members per kind of the interactions at positions ``chosen``, shape (n, T)."""
        row, col = np.divmod(np.asarray(chosen, dtype=np.int64), self.shape[1])
        return np.hstack([self.left.parts[row], self.right.parts[col]])

    def bent(self, weights: Floats) -> Floats:
        """Sum over vectors of ``weights`` (R, C) times V_T - 1 less the sum of V_i - 1 over the members of T, for every interaction."""
        found = self.left.above @ weights @ self.right.above.T
        found += (self.left.bent @ weights.sum(axis=1))[:, None]
        found += self.right.bent @ weights.sum(axis=0)
        return np.asarray(found.ravel())

    def above(self, weights: Floats) -> Floats:
        """Sum over vectors of ``weights`` (R, C) times V_T - 1, for every interaction."""
        return self.bent(weights) + self._summed(self.grid.first(weights) / self.grid.margin)

    def factors(self, weights: Floats) -> Floats:
        """Sum over vectors of ``weights`` times v_T, for every interaction: mu_T where they are probabilities."""
        weights = weights.reshape(self.grid.log_uniform.shape)
        return np.asarray(self.kronecker * (self.above(weights) + float(weights.sum())))

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

    def most_useful(self, factors: Floats, cost: Floats, active: Integers, negligible: float, number: int) -> Integers:
        """Up to ``number`` floors, not among ``active``, that cost more than ``negligible`` to lift: those that are missed by most."""
        chosen = np.setdiff1d(np.flatnonzero((cost > negligible) & (self.order <= self.together)), active)
        missed = (self.gamma - factors / self.kronecker)[chosen] / self.spread[chosen]
        return np.asarray(chosen[np.argsort(-missed, kind="stable")[:number]])

    def _hidden(self, theta: float) -> Floats:
        """How often ``spare`` hides each kind, shape (T,)."""
        return theta * (1 - self.grid.retentions)

    def spare_factors(self, theta: float) -> Floats:
        """mu_T of ``log_spare``: prod of r_i / (1 - hidden_i), times 1 less the largest hidden_i of T."""
        hidden = self._hidden(theta)
        most = [np.where(half.parts > 0, hidden[half.kinds], 0.0).max(axis=1, initial=0.0) for half in (self.left, self.right)]
        together = np.maximum.outer(*most).ravel()
        return np.asarray(self.kronecker * np.exp(self._summed(-np.log1p(-hidden))) * (1 - together))

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
