"""The linear program behind a design for a workload (theory.md section 13).

It maximizes the smallest of many gains.

With phi_S in [0, 1], q_S = U_S (1 + (t - 1) phi_S) / Z has an epsilon of at most ln t. For a given gamma, the condition that every
mu_T is at least gamma g_T is linear in phi. Dinkelbach's method for ratios therefore increases gamma from solution to solution.
Each solution is a program in psi_S = U_S (t - 1) phi_S / Z, about q_S, with rows in units of the gain. Few interactions bind, and
only these enter the program.

Attributes that are interchangeable share one axis, which counts how many of them change. This reduces the number of sets and makes
the result symmetric. Arrays over sets have shape (n_1 + 1, ..., n_C + 1) for C kinds of n_c attributes each. Arrays over
interactions T have the same shape, and their axes count the members of T. If no attributes are interchangeable, this is the usual
shape (2,) * k.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from rrcore.arrays import Floats, outer
from rrcore.channel.interactions import on_each_axis
from rrcore.mechanisms.base import members
from rrcore.mechanisms.solve.floors import mean_products
from rrcore.mechanisms.solve.linear_program import PIVOTS
from rrcore.progress import Report, quiet

_STEPS = 60  # most linear programs solved for one answer
_BATCH = 32  # rows added at a time
_LARGE = 1e4  # largest entry of a row as the solver gets it

_IDLE = 2  # programs in a row that win nothing after which the search ends
_NEAR = 1.01  # floors below this gain at the start are part of the first program
_HELD = 1e-9  # relative amount by which a floor may be missed


class AttributeKinds:
    """The kinds of attributes of a weighted workload.

    Two attributes are of the same kind if they have the same number of categories and swapping them changes no weight.

    Parameters
    ----------
    sizes : k ints
    weights : mapping from sets of positions to floats
    """

    def __init__(self, sizes: Sequence[int], weights: Mapping[frozenset[int], float]) -> None:
        self.sizes = tuple(sizes)
        roles = [
            sorted((len(T), w, sorted(sizes[j] for j in T)) for T, w in weights.items() if i in T) for i in range(len(sizes))
        ]
        self.groups: list[list[int]] = []
        for i in sorted(
            range(len(sizes)), key=lambda i: (sizes[i], roles[i])
        ):  # so that the order of the columns does not matter
            group = next((g for g in self.groups if sizes[g[0]] == sizes[i] and _may_swap(g[0], i, weights)), None)
            if group is None:
                self.groups.append([i])
            else:
                group.append(i)
        self.shape = tuple(len(group) + 1 for group in self.groups)
        self.uniform = self.independent([1 - 1 / a for a in sizes])
        """U, the probability that a uniform output has these lies."""
        self.order = np.indices(self.shape).sum(axis=0)
        """|T|, the number of members of an interaction."""
        self.number = outer([scipy.special.comb(len(group), np.arange(len(group) + 1)) for group in self.groups])
        """How many sets of attributes have these counts."""
        self.kernels = [mean_products(len(group), len(group), 1.0, -1 / (sizes[group[0]] - 1)) for group in self.groups]
        """Per kind: row t, column m holds the mean of v_T over sets of changes of m attributes, T having t members."""

    def where(self, axes: frozenset[int]) -> tuple[int, ...]:
        """Return the position of T = ``axes`` in an array over interactions."""
        return tuple(len(axes.intersection(group)) for group in self.groups)

    def independent(self, lies: ArrayLike) -> Floats:
        """Return the distribution of independent changes with probabilities ``lies``.

        They have shape (k,) and are equal within a kind.
        """
        each = np.asarray(lies, dtype=np.float64)
        return outer([_counted_lies(len(group), float(each[group[0]])) for group in self.groups])

    def products(self, values: ArrayLike) -> Floats:
        """Return the product of ``values`` over T, for every T.

        The values have shape (k,) and are equal within a kind.
        """
        each = np.asarray(values, dtype=np.float64)
        return outer([each[group[0]] ** np.arange(len(group) + 1) for group in self.groups])

    def factors(self, q: Floats) -> Floats:
        """Return mu_T of a distribution over sets of changes, for every T."""
        return on_each_axis(q, self.kernels)

    def transposed(self, coefficients: Floats) -> Floats:
        """Return the h with E_q[h] = sum over T of ``coefficients[T]`` mu_T for every q."""
        return on_each_axis(coefficients, [kernel.T for kernel in self.kernels])

    def row(self, where: Sequence[int]) -> Floats:
        """Return v_T, indexed by sets of changes. T has ``where`` attributes per kind."""
        return outer([kernel[t] for kernel, t in zip(self.kernels, where, strict=True)])

    def spread(self, q: Floats) -> Floats:
        """Return the distribution over all 2^k sets of changes, shape (2,) * k.

        Sets with the same counts are equally likely.
        """
        k = len(self.sizes)
        lying = members(np.arange(2**k), k)
        counts = tuple(lying[group].sum(axis=0) for group in self.groups)
        table = (q / self.number)[counts].reshape((2,) * k)
        return np.asarray(table / table.sum())


def _may_swap(i: int, j: int, weights: Mapping[frozenset[int], float]) -> bool:
    swap = {i: j, j: i}
    return all(
        weights.get(frozenset(swap.get(axis, axis) for axis in T)) == weight
        for T, weight in weights.items()
        if (i in T) != (j in T)
    )


def _counted_lies(n: int, lie: float) -> Floats:
    """How likely m of n attributes lie; shape (n + 1,)."""
    m = np.arange(n + 1)
    return np.asarray(scipy.special.comb(n, m) * lie**m * (1 - lie) ** (n - m))


@dataclass(frozen=True)
class Demand:
    """Interactions with their targets. The gain of T is mu_T / target.

    Parameters
    ----------
    kinds : AttributeKinds
    inverse : ndarray of shape ``kinds.shape``, 1 / target if T is listed, 0 otherwise
    goals : ndarray of the same shape, optional
        Original targets of T where the target was raised. The certified bound refers to the original targets.
    summed : bool, whether a single row holds the sum of the gains instead of one row for each gain
    """

    kinds: AttributeKinds
    inverse: Floats
    goals: Floats | None = None
    summed: bool = False

    @cached_property
    def wanted(self) -> NDArray[np.intp]:
        """Positions of the listed interactions in a raveled array."""
        return np.flatnonzero(self.inverse)

    def gains(self, q: Floats) -> Floats:
        """Return the gain of every row under ``q``."""
        gains = (self.kinds.factors(q) * self.inverse).ravel()
        return np.asarray(gains.sum(keepdims=True) if self.summed else gains[self.wanted])

    def asked(self, numbers: Sequence[int]) -> Floats:
        """Goal / target of each row, 1 if no target was raised."""
        if self.goals is None:
            return np.ones(len(numbers))
        return np.asarray((self.goals * self.inverse).ravel()[self.wanted[numbers]])

    def rows(self, numbers: Sequence[int]) -> Floats:
        """Return h with E_q[h] = gain, one row for each of ``numbers``."""
        if self.summed:
            return self.kinds.transposed(self.inverse).reshape(1, -1)
        chosen = [np.unravel_index(self.wanted[n], self.kinds.shape) for n in numbers]
        rows = [self.kinds.row(where).ravel() * self.inverse[where] for where in chosen]
        return np.asarray(rows).reshape(len(rows), self.kinds.uniform.size)


@dataclass(frozen=True)
class Raised:
    """The best distribution found, its smallest gain, and a certified upper bound.

    The bound holds for the smallest gain of every distribution with this epsilon.
    """

    q: Floats
    least: float
    bound: float


def raise_least(
    demand: Demand, start: Floats, *, odds: float, floors: Demand | None = None, close: float = 1e-6, report: Report = quiet
) -> Raised:
    """Return the q that maximizes the smallest gain over ``demand``.

    All gains over ``floors`` are at least 1.

    Parameters
    ----------
    demand, floors : Demand
    start : ndarray of shape ``kinds.shape``, a q with this epsilon that meets the floors. The result is never worse
    odds : float, t - 1 if the epsilon of the record is ln t
    close : float, relative distance between the smallest gain and its bound at which the search ends. It also ends without progress
    report : called before every program with the approximate fraction done
    """
    kinds = demand.kinds
    floors = floors or Demand(kinds, np.zeros(kinds.shape))
    uniform = kinds.uniform.ravel()
    truthful = np.zeros(uniform.size)
    truthful[0] = odds * uniform[0]
    base, psi = _normalised(uniform, truthful)  # RR-Joint: phi = 1 on the whole truth alone
    best, bound = (start, float(demand.gains(start).min())), np.inf
    used: list[int] = []
    held = _lowest(floors.gains(start), [], _NEAR)
    idle, state = 0, (0.0, 0.0, 0, 0)
    for step in range(_STEPS):
        q = (base + psi).reshape(kinds.shape)
        gains, kept = demand.gains(q), floors.gains(q)
        if (kept >= 1 - _HELD).all() and gains.min() > best[1]:
            best = q, float(gains.min())
        used += _lowest(gains, used, gains[used].min(initial=np.inf))
        held += _lowest(kept, held, 1 - _HELD)
        before, state = state, (best[1], bound, len(used), len(held))
        idle = idle + 1 if state == before else 0
        if idle == _IDLE or bound - best[1] <= close * abs(best[1]):
            break
        report(1 - 0.9**step, "solving the linear program")
        rows, floor_rows, asked = demand.rows(used), floors.rows(held), demand.asked(used)
        if not step:  # a first bound, from equal prices
            bound = _certified(np.r_[np.ones(len(rows)), np.zeros(len(held))], asked, rows, floor_rows, uniform, odds)
        level = min(max(float(gains[used].min()), best[1]), bound)
        unit = max(abs(level), abs(bound) / _LARGE)
        solution = _solve((rows - level) / unit, -level / unit * float(base.sum()), floor_rows - 1, base, odds)
        if solution is None:
            break
        psi, prices = solution
        bound = min(bound, _certified(prices, asked, rows, floor_rows, uniform, odds))
        base, psi = _normalised(base, psi)
    return Raised(*best, bound)


def _normalised(base: Floats, psi: Floats) -> tuple[Floats, Floats]:
    """The uniform part and the rest of q, divided by their sum."""
    total = float(base.sum() + psi.sum())
    return base / total, psi / total


def _lowest(gains: Floats, known: list[int], limit: float) -> list[int]:
    """The rows with the lowest gains below ``limit`` that are not among ``known``, at most ``_BATCH`` of them."""
    order = np.argsort(gains, kind="stable")[: _BATCH + len(known)]
    return [int(n) for n in order if gains[n] < limit and n not in known][:_BATCH]


def _solve(rows: Floats, constant: float, floor_rows: Floats, base: Floats, odds: float) -> tuple[Floats, Floats] | None:
    """Maximise y over psi with rows psi + constant >= y and floor rows psi >= share; None where the solver found nothing.

    Returns psi, shape of ``base``, and the price of every row; rows with large entries are divided by them for the solver.
    """
    from scipy.optimize import linprog  # heavy

    every = np.vstack([rows, floor_rows])
    scale = np.maximum(1.0, np.abs(every).max(axis=1) / _LARGE)
    above = np.r_[np.ones(len(rows)), np.zeros(len(floor_rows))]
    limits = np.r_[np.full(len(rows), constant), np.full(len(floor_rows), -base.sum())]
    result = linprog(
        np.r_[np.zeros(base.size), -1.0],
        A_ub=np.column_stack([-every, above]) / scale[:, None],
        b_ub=limits / scale,
        bounds=np.column_stack([np.r_[np.zeros(base.size), -np.inf], np.r_[base * odds, np.inf]]),
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-8, "maxiter": PIVOTS},
    )
    if not result.success:
        return None
    return np.clip(result.x[:-1], 0, base * odds), np.maximum(-result.ineqlin.marginals, 0) / scale


def _certified(prices: Floats, asked: Floats, rows: Floats, floor_rows: Floats, uniform: Floats, odds: float) -> float:
    """No q has a larger least gain than max over q of E_q[h], h the rows weighted by any ``prices``: phi = 1 where h is large."""
    total = float(prices[: len(rows)] @ asked)
    if not total > 0:
        return np.inf
    h = (prices[: len(rows)] @ rows + prices[len(rows) :] @ (floor_rows - 1)) / total
    order = np.argsort(-h)
    mass, value = np.cumsum(uniform[order]), np.cumsum((uniform * h)[order])
    return float(((value[-1] + odds * value) / (1 + odds * mass)).max())
