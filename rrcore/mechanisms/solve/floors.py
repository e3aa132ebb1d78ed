"""Accuracy floors over count vectors (theory.md section 14).

A transform computes every mu_T at once, and the rows of a program describe epsilons and floors.

A set T of attributes is described by its counts t per kind, and v_T by its mean over the sets of randomized attributes with the
same counts. If every attribute forms its own kind, these are the 2^k sets and v_T itself. V_T = v_T / prod of r_i over T is the
product of its parts in the two halves of the kinds, and so is V_T V_T'.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from math import comb

import numpy as np

from rrcore.arrays import Floats, Integers
from rrcore.errors import InputError
from rrcore.mechanisms.solve.countgrid import CountGrid

_EXPANDED = 16  # up to this many members of a kind V - 1 is added up from products of deviations, beyond it is a difference
_MOST_PRODUCTS = 1 << 24  # products of pairs of rows, whose means are computed at once: 128 MB
_MOST_ROWS = 4_200  # floors
_ALLOWED = 5e-10  # relative amount by which a floor may be missed
_THETAS = (0.2, 1.0)  # how much of the lies of a spare mechanism is joint: all of them gives the most room and costs most
_TURNS = 3  # times that floors are mended
_ROUNDED = 1e-14  # relative error of sums of products, as bounds allow for it
_WRITTEN_OUT = 1 << 21  # entries of rows up to which they are written out, where that takes few operations too
_OPERATIONS = 1 << 29


class Half:
    """The parts of V_T that belong to some kinds of a grid.

    T ranges over all sets with at most ``width`` attributes of these kinds.

    Parameters
    ----------
    grid : CountGrid
    kinds : slice of the kinds of the grid
    width : int
    """

    def __init__(self, grid: CountGrid, kinds: slice, width: int) -> None:
        self.kinds, self._width = kinds, width
        each = zip(grid.numbers[kinds], grid.sizes[kinds], grid.retentions[kinds], grid.lies[kinds], strict=True)
        self._above = [_above_one(int(n), min(int(n), width), a, r, lie) for n, a, r, lie in each]
        parts, order = np.zeros((1, 0), dtype=np.int64), np.zeros(1, dtype=np.int64)
        above, bent = np.zeros((1, 1)), np.zeros((1, 1))
        for own in self._above:
            i, t = np.nonzero(np.add.outer(order, np.arange(len(own))) <= width)
            first, second, rest = (
                above[i][:, :, None],
                own[t][:, None, :],
                (own - np.outer(np.arange(len(own)), own[min(1, len(own) - 1)]))[t],
            )
            bent = (first * second + bent[i][:, :, None] + rest[:, None, :]).reshape(i.size, -1)
            above = (first * second + first + second).reshape(i.size, -1)
            parts, order = np.column_stack([parts[i], t]), order[i] + t
        self.parts: Integers = parts
        """Members per kind of every T, shape (P, kinds); the first has none."""
        self.order: Integers = order
        """Members of every T, shape (P,)."""
        self.above: Floats = above
        """V_T - 1, by vectors of counts of lies, shape (P, vectors); nothing cancels where lies are rare."""
        self.bent: Floats = bent
        """V_T - 1 less the sum of V_i - 1 over the members i of T."""

    @cached_property
    def pairs(self) -> tuple[Floats, Integers, Integers]:
        """Return the distinct products V_T V_T' in increasing order.

        The pairs have at most 2 ``width`` members.

        Returns
        -------
        products : ndarray of shape (Q, vectors)
        order : ndarray of shape (Q,), members of both sets
        place : ndarray of shape (P, P), the product that belongs to T and T'
        """
        code, products, order = np.zeros(1, dtype=np.int64), np.ones((1, 1)), np.zeros(1, dtype=np.int64)
        place = np.zeros((len(self.parts),) * 2, dtype=np.int64)
        for kind, above in enumerate(self._above):
            less, more = np.triu_indices(len(above))
            own, number = (1 + above[less]) * (1 + above[more]), np.zeros((len(above),) * 2, dtype=np.int64)
            number[less, more] = number[more, less] = np.arange(less.size)
            i, j = np.nonzero(np.add.outer(order, less + more) <= 2 * self._width)
            products = (products[i][:, :, None] * own[j][:, None, :]).reshape(i.size, -1)
            code, order = code[i] * less.size + j, order[i] + (less + more)[j]
            counts = self.parts[:, kind]
            place = place * less.size + number[counts[:, None], counts[None, :]]
        ranks = np.argsort(order, kind="stable")
        back = np.argsort(ranks)
        return products[ranks], order[ranks], back[np.searchsorted(code, place)]  # codes are increasing


def _products(numbers: Integers, width: int) -> float:
    """How many products V_T V_T' of sets of up to ``width`` attributes differ."""
    found = np.ones(1)
    for number in numbers:
        less, more = np.triu_indices(min(int(number), width) + 1)
        found = np.convolve(found, np.bincount(less + more))
    return float(found[: 2 * width + 1].sum())


def _above_one(number: int, most: int, size: float, kept: float, lie: float) -> Floats:
    """V - 1 for 0 to ``most`` of ``number`` attributes of a kind, averaged over the sets of changes with m lies; row t, column m."""
    truth = lie * size / (size - 1)  # v - r without cancellation
    above = mean_products(number, most, 1 / kept, -1 / ((size - 1) * kept)) - 1
    deviations = mean_products(number, min(most, _EXPANDED), truth / kept, (truth - size / (size - 1)) / kept)
    for t in range(min(most, _EXPANDED) + 1):
        above[t] = np.sum([comb(t, j) * deviations[j] for j in range(1, t + 1)], axis=0)
    return above


def mean_products(number: int, most: int, truth: float, lie: float) -> Floats:
    """Return the mean product of ``truth`` or ``lie`` over sets of t of ``number``.

    Row t and column m hold the mean for sets of t attributes of which m are changed.
    """
    m = np.arange(number + 1)
    rows = np.ones((most + 1, m.size))
    ways = np.ones((1, m.size))  # how likely j of the t members lie, row j: no difference of rounded numbers enters
    for t in range(1, most + 1):
        among = np.arange(t)[:, None]
        drawn = np.zeros((t + 1, m.size))
        drawn[:-1] += ways * np.maximum(number - m - (t - 1 - among), 0) / (number - t + 1)
        drawn[1:] += ways * np.maximum(m - among, 0) / (number - t + 1)
        ways = drawn
        j = np.arange(t + 1)
        rows[t] = (truth ** (t - j) * lie**j) @ ways
    return rows


class Interactions:
    """The interactions T of 2 to ``width`` attributes, with their floors.

    The floors require mu_T >= gamma prod r_i.

    Parameters
    ----------
    grid : CountGrid
    width : int, largest number of attributes of an interaction
    gamma : float, the common floor, or a mapping from counts per kind (tuples) to individual floors

    Raises
    ------
    InputError
        If there are too many interactions.
    """

    def __init__(self, grid: CountGrid, width: int, gamma: float | Mapping[tuple[int, ...], float]) -> None:
        self.grid, self.width = grid, width
        split = grid.rows.shape[1]
        too_many = InputError(f"Too many combinations of up to {width} attributes must be preserved. Use fewer attributes.")
        one_half = _products(grid.numbers[:split], width) * len(grid.rows)
        if max(one_half, _products(grid.numbers, width)) > _MOST_PRODUCTS:
            raise too_many
        self.left, self.right = Half(grid, slice(None, split), width), Half(grid, slice(split, None), width)
        self.shape = len(self.left.parts), len(self.right.parts)
        self.order = np.add.outer(self.left.order, self.right.order).ravel()
        """Attributes of each interaction."""
        if isinstance(gamma, Mapping):
            self.gamma = np.array(
                [gamma.get(tuple(int(t) for t in counts), 0.0) for counts in self.counts(range(self.order.size))]
            )
        else:
            self.gamma = np.where((self.order >= 2) & (self.order <= width), float(gamma), 0.0)
        self.wanted = np.flatnonzero(self.gamma)
        if self.wanted.size > _MOST_ROWS:
            raise too_many
        self.singles = np.array([self._place(each) for each in np.eye(grid.numbers.size, dtype=np.int64)])
        """Where the interactions of a single attribute of each kind stand."""
        self.kronecker = np.exp(self.summed(np.log(grid.retentions)))
        """prod r_i."""
        self.target = self.gamma * self.kronecker * (1 - _ALLOWED)
        """What mu_T must be at least."""
        self.spread = np.sqrt(np.exp(self.summed(-np.log((grid.sizes - 1) * grid.retentions**2))))
        """The deviation of V_T in a uniform record."""

    @property
    def impossible(self) -> str:
        """Return the error message if no mechanism can meet the floors."""
        return (
            f"An accuracy floor of {self.gamma.max():g} is impossible for these values of ε. Choose a lower floor, larger "
            "values of ε, or higher caps on an attacker."
        )

    def _place(self, counts: Integers) -> int:
        split = self.left.parts.shape[1]
        row, col = (
            np.flatnonzero((half.parts == own).all(axis=1))[0]
            for half, own in ((self.left, counts[:split]), (self.right, counts[split:]))
        )
        return int(row) * self.shape[1] + int(col)

    def summed(self, each: Floats) -> Floats:
        """Return the sum of ``each`` (T,) over the members of every interaction.

        The result has the shape of ``order``.
        """
        return np.asarray(
            np.add.outer(self.left.parts @ each[self.left.kinds], self.right.parts @ each[self.right.kinds]).ravel()
        )

    def counts(self, chosen: Sequence[int] | Integers) -> Integers:
        """Return the members per kind of the interactions at ``chosen``, shape (n, T)."""
        row, col = np.divmod(np.asarray(chosen, dtype=np.int64), self.shape[1])
        return np.hstack([self.left.parts[row], self.right.parts[col]])

    def bent(self, weights: Floats) -> Floats:
        """Return the weighted sum of V_T - 1 minus those of V_i - 1 over members of T.

        The sum runs over vectors with ``weights`` (R, C), and the result has one entry per interaction.
        """
        found = self.left.above @ weights @ self.right.above.T
        found += (self.left.bent @ (weights @ np.ones(weights.shape[1])))[:, None]
        found += self.right.bent @ (np.ones(len(weights)) @ weights)
        return np.asarray(found.ravel())

    def above(self, weights: Floats, bent: Floats | None = None) -> Floats:
        """Return the sum of ``weights`` (R, C) times V_T - 1 for every interaction.

        ``bent`` can give the result for the same weights, if it is known.
        """
        return (self.bent(weights) if bent is None else bent) + self.summed(self.grid.first(weights) / self.grid.margin)

    def factors(self, weights: Floats) -> Floats:
        """Return the sum of ``weights`` times v_T for every interaction.

        If the weights are probabilities, this is mu_T.
        """
        weights = weights.reshape(self.grid.log_uniform.shape)
        return np.asarray(self.kronecker * (self.above(weights) + float(weights.sum())))

    def repair(self, factors: Floats, log_truth: float) -> tuple[Floats, float]:
        """Return the cost of raising these mu_T to the floors, and the best theta.

        They are raised by mixing in a ``spare`` mechanism.

        Parameters
        ----------
        factors : mu_T, with the shape of ``order``
        log_truth : float, log ratio of the probability of the true record to its probability under a uniform record

        Returns
        -------
        cost : approximate number of nats that each floor alone adds to the epsilon of the record. Infinite if mixing does not help
        theta : float, the parameter of the ``spare`` mechanism with the lowest cost for all floors together
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

    def _hidden(self, theta: float) -> Floats:
        """How often ``spare`` hides each kind, shape (T,)."""
        return theta * (1 - self.grid.retentions)

    def spare_factors(self, theta: float) -> Floats:
        """Return the factor mu_T of every interaction T under joint thinning.

        The factor is the product of r_i / (1 - hidden_i) times (1 minus the largest hidden_i in T). ``log_spare`` gives the mechanism.
        """
        hidden = self._hidden(theta)
        most = [np.where(half.parts > 0, hidden[half.kinds], 0.0).max(axis=1, initial=0.0) for half in (self.left, self.right)]
        together = np.maximum.outer(*most).ravel()
        return np.asarray(self.kronecker * np.exp(self.summed(-np.log1p(-hidden))) * (1 - together))

    @cached_property
    def _spares(self) -> dict[float, tuple[Floats, float]]:
        """theta -> by how much mu_T of ``log_spare`` is above its floor, and ln of the gain of the whole truth."""
        nobody = (0,) * self.grid.numbers.size
        return {
            theta: (self.spare_factors(theta) - self.target, float(self._log_spare(theta, nobody).ravel()[0]))
            for theta in _THETAS
        }

    def log_spare(self, theta: float) -> Floats:
        """Return ln of the gains over a uniform record of a spare mechanism.

        The result has shape ``grid.shape``. The mechanism has the epsilons of the grid and is more accurate than Kronecker.

        Each respondent has a single uniform number u. Attributes with u < hidden_i are replaced by a uniform value. The others are
        randomized independently at correspondingly higher epsilons. This is joint thinning of Kronecker.
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
        for step in range(order.size + 1):  # u lies between two of the hidden: the kinds before are randomized
            width = ends[step + 1] - ends[step]
            if width > 0:
                term = np.full((), np.log(width))
                for t in range(order.size):
                    term = np.add.outer(term, each[t] if t in order[:step] else np.zeros(1))
                logs = np.logaddexp(logs, term)
        return logs

    def lifted(self, log_gains: Floats) -> Floats:
        """Return ``log_gains`` adjusted so that every floor is met.

        The mechanism has the epsilons of the grid, and the array has shape ``grid.shape``. The adjustment compensates for errors of
        the solver.

        The adjustment mixes in as little as possible of a mechanism that exceeds all floors and has the same epsilons.
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


class FlooredRows:
    """Rows over count vectors: V_t - 1 for every kind t, followed by the floors.

    The row of a floor is V_T - gamma_T minus the sum of V_i - 1 over the members i of T.

    Here, V_T = v_T / prod r_i. A phi satisfies a row if the sum of U phi times the row is at least ``margin`` c. Rows of kinds
    require equality.

    Parameters
    ----------
    floors : Interactions
    """

    def __init__(self, floors: Interactions) -> None:
        self.floors, self.grid, self.active = floors, floors.grid, floors.wanted
        self.free = self.grid.numbers.size
        self.counts = floors.counts(self.active)
        """Members per kind of every floor, shape (floors, T)."""
        gamma = floors.gamma[self.active]
        self.margin = np.r_[np.ones(self.free), gamma - floors.order[self.active]]
        """What the sum of a row is divided by to give c, shape (rows,)."""
        self._constant = 1 - gamma
        self._left, self._right = floors.left, floors.right
        self._rows, self._cols = np.divmod(np.r_[floors.singles, self.active], len(self._right.parts))

    def tilt(self, direction: Floats) -> Floats:
        """Return x.f of every vector, shape (R, C), for multipliers x of the rows."""
        prices = direction[self.free :]
        sparse = np.zeros(self.floors.shape)
        sparse[self._rows[self.free :], self._cols[self.free :]] = prices
        of_rows, of_cols = self.grid.tilts(direction[: self.free] / self.grid.margin)
        of_rows = of_rows + sparse.sum(axis=1) @ self._left.bent + float(prices @ self._constant)
        of_cols = of_cols + sparse.sum(axis=0) @ self._right.bent
        left = np.vstack([self._left.above, of_rows, np.ones(of_rows.size)])  # one product instead of sums over all vectors
        return np.asarray(left.T @ np.vstack([sparse @ self._right.above, np.ones(of_cols.size), of_cols]))

    def _rounding(self, direction: Floats) -> Floats:
        """Most by which rounding may put ``tilt`` too low, shape (R, C): large where large multipliers cancel."""
        size, split = np.abs(direction), self.grid.rows.shape[1]
        sparse = np.zeros(self.floors.shape)
        sparse[self._rows[self.free :], self._cols[self.free :]] = size[self.free :]
        tilt = np.abs(self._left.above).T @ (sparse @ np.abs(self._right.above))
        tilt += (sparse.sum(axis=1) @ np.abs(self._left.bent))[:, None]
        tilt += sparse.sum(axis=0) @ np.abs(self._right.bent) + float(size[self.free :] @ np.abs(self._constant))
        each = size[: self.free] / self.grid.margin
        return _ROUNDED * (tilt + np.add.outer(np.abs(self.grid.rows) @ each[:split], np.abs(self.grid.cols) @ each[split:]))

    def values(self, weights: Floats, bent: Floats | None = None) -> Floats:
        """Return the sum of ``weights`` (R, C) times every row, shape (rows,).

        ``bent`` is as in ``Interactions.above``.
        """
        bent = self.floors.bent(weights) if bent is None else bent
        of_rows, of_cols = weights @ np.ones(weights.shape[1]), np.ones(len(weights)) @ weights
        floors = bent[self.active] + self._constant * float(of_cols.sum())
        return np.concatenate((self.grid.sums(of_rows, of_cols) / self.grid.margin, floors))

    def log_bound(self, direction: Floats) -> float:
        """Return ln of E_U[(x.f)_+] / (x.margin), an upper bound on ln c.

        It holds for every phi that satisfies the rows, including rounding errors, if x >= 0 on the floors.
        """
        slope = float(direction @ self.margin) - _ROUNDED * float(np.abs(direction) @ np.abs(self.margin))
        if not slope > 0:
            return np.inf
        tilt = self.tilt(direction) + self._rounding(direction)
        positive = tilt > 0
        logs = self.grid.log_uniform[positive] + np.log(tilt[positive])
        top = logs.max(initial=-np.inf)
        return float(top + np.log(np.exp(logs - top).sum()) - np.log(slope)) if logs.size else np.inf

    def second(self, weights: Floats) -> Floats:
        """Return the sum of ``weights`` (R, C) times the outer products of the rows.

        The result has shape (rows, rows).
        """
        if self._written is not None:
            return np.asarray((self._written * weights.ravel()) @ self._written.T)
        (left, order, _), (right, _, _) = self._left.pairs, self._right.pairs
        means = np.empty(self._places[2][-1])
        lengths, starts = self._places[1:]
        for first, end in _runs(order):
            length, wide = lengths[first], left[first:end]
            shorter = (wide @ weights) @ right[:length].T if end - first < length else wide @ (weights @ right[:length].T)
            means[starts[first] : starts[end]] = shorter.ravel()
        found, single = means[self._places[0]], means[self._alone]
        counts = np.vstack([np.zeros((self.free, self.free)), self.counts])  # of members, which are taken away
        linear = found[: self.free].T - counts @ found[: self.free, : self.free] / 2
        single = single - counts @ single[: self.free] - means[0] / 2 * self.margin
        taken = np.column_stack([counts, linear, self.margin, single])
        found -= taken @ np.column_stack([linear, counts, single, self.margin]).T
        return np.asarray(found)

    @cached_property
    def _written(self) -> Floats | None:
        """``written()``, where that is small."""
        number = self._rows.size
        entries = number * self.grid.log_uniform.size
        return None if entries > _WRITTEN_OUT or entries * number > _OPERATIONS else self.written()

    def written(self) -> Floats:
        """Return all rows, shape (rows, vectors)."""
        row, col = self._rows[self.free :], self._cols[self.free :]
        floors = self._left.above[row][:, :, None] * self._right.above[col][:, None, :]
        floors += self._left.bent[row][:, :, None] + self._right.bent[col][:, None, :]
        floors += self._constant[:, None, None]
        kinds = self.grid.columns(np.arange(self.grid.log_uniform.size)) / self.grid.margin[:, None]
        return np.vstack([kinds, floors.reshape(len(row), -1)])

    @cached_property
    def _places(self) -> tuple[Integers, Integers, Integers]:
        """Where the mean of V_T V_T' stands, shape (rows, rows); how many on the right every product on the left meets; from where on."""
        (_, order, left), (_, others, right) = self._left.pairs, self._right.pairs
        lengths = np.searchsorted(others, 2 * self.floors.width - order, side="right")
        starts = np.r_[0, np.cumsum(lengths)]
        places = starts[left[np.ix_(self._rows, self._rows)]]
        places += right[np.ix_(self._cols, self._cols)]
        return places, lengths, starts

    @cached_property
    def _alone(self) -> Integers:
        """Where the mean of V_T stands, shape (rows,)."""
        starts = self._places[2]
        return np.asarray(starts[self._left.pairs[2][self._rows, 0]] + self._right.pairs[2][self._cols, 0])


def _runs(order: Integers) -> list[tuple[int, int]]:
    """First position and end of every run of equal numbers."""
    ends = [0, *(np.flatnonzero(np.diff(order)) + 1), order.size]
    return [(int(first), int(end)) for first, end in pairwise(ends)]
