"""An interior-point method for (P_w): the central path of the programme, followed by steps that correct themselves (theory.md section 14).

In the programme the variables are psi = U phi / e^log_scale, between 0 and a ceiling, and c' = c / e^log_scale; what rows have left over
is their slack. Every step solves one system over the rows, whose matrix the rows give by a transform.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from rrcore.arrays import Floats
from rrcore.mechanisms.solve.floored import FlooredRows

_FAR = 10.0  # the path is entered where complementary products are this large beside the dual value
_SHORT_OF = 0.995  # part of the way to the boundary that is gone
_RIDGE = 1e-13, 1e-9  # added to the scaled matrix; the second where the first is not enough
_LEAST = 1e-7  # a step of which less than this part can be taken is of no use
_BLOCK = 1 << 15  # vectors worked on at a time, so that the work stays in the processor's cache


class Interior:
    """A point between the bounds of the programme, and the steps from it.

    Parameters
    ----------
    rows : FlooredRows
    direction : ndarray of shape (rows,), multipliers x to start from, above 0 for floors, with x.gamma = 1
    log_scale : float, about ln of the largest c
    """

    def __init__(self, rows: FlooredRows, direction: Floats, log_scale: float) -> None:
        self.rows, self.direction, self.log_scale = rows, direction, log_scale
        self.ceiling = np.exp(rows.grid.log_uniform - log_scale)
        self.tilt = rows.tilt(direction)
        size = self.ceiling.size
        self._mean = _FAR * float((self.ceiling * np.maximum(self.tilt, 0.0)).sum()) / size
        share = self._mean / self.ceiling
        both = 2 * share + np.hypot(2 * share, self.tilt)
        large = (both + np.abs(self.tilt)) / 2
        small = share * both / large
        self.high, self.low = np.where(self.tilt > 0, (large, small), (small, large))
        self.psi, self.room = self._mean / self.low, self._mean / self.high
        self.c = 1.0
        prices = direction[rows.free :]
        self._left_over = self._over(rows.values(self.psi))
        self.slack = np.maximum(self._left_over[rows.free :], self._mean / prices)
        self._left_over[rows.free :] -= self.slack
        self.number = 2 * size + prices.size

    def _over(self, values: Floats) -> Floats:
        """By how much rows are above what c' asks for."""
        return np.asarray(values - self.rows.margin * self.c)

    def step(self) -> bool:
        """Go towards the optimum by one step; whether it was of any use."""
        free, rows, prices = self.rows.free, self.rows, self.direction[self.rows.free :]
        weights = 1 / (self.low / self.psi + self.high / self.room)
        solve = self._system(weights)
        if solve is None:
            return False
        along = solve(rows.margin)

        def towards(pull: Floats, even: Floats) -> tuple[Floats, Floats, float, Floats]:
            """The step for what pulls at psi, and at slack times price: of psi, of the multipliers, of c' and of the tilt."""
            wanted = -self._left_over - rows.values(weights * pull)
            wanted[free:] += even / prices
            across = solve(wanted)
            more = float((1 - rows.margin @ self.direction - rows.margin @ across) / (rows.margin @ along))
            move = across + more * along
            turn = rows.tilt(move)
            return weights * (turn + pull), move, more, turn

        products = float((self.psi * self.low).sum() + (self.room * self.high).sum()) + float(self.slack @ prices)
        mean = products / self.number
        moved, move, more, turn = towards(self.tilt, -self.slack * prices)
        aimed = self._aimed(moved, move, products) / products
        target = aimed**3 * mean
        fall, rise = moved / self.psi, moved / self.room
        pull = self.tilt + target * (1 / self.psi - 1 / self.room)
        pull += self.low * fall * (1 + fall) + self.high * rise * (1 - rise)
        given = self._given(-self.slack * prices, move)
        even = target - self.slack * prices - given * move[free:]
        moved, move, more, turn = towards(pull, even)
        lower = target / self.psi - self.low + self.low * (fall * (1 + fall) - moved / self.psi)
        higher = target / self.room - self.high + self.high * (moved / self.room - rise * (1 - rise))
        given = self._given(even, move)
        primal = _longest((self.psi, moved), (self.room, -moved), (self.slack, given))
        dual = _longest((self.low, lower), (self.high, higher), (prices, move[free:]))
        self.psi += primal * moved
        self.room -= primal * moved
        self.slack += primal * given
        self.c += primal * more
        self.low += dual * lower
        self.high += dual * higher
        self.direction = self.direction + dual * move
        self.tilt = rows.tilt(self.direction)
        self._left_over = self._over(rows.values(self.psi))
        self._left_over[free:] -= self.slack
        return min(primal, dual) > _LEAST

    def _given(self, even: Floats, move: Floats) -> Floats:
        """How slack moves with the prices."""
        free = self.rows.free
        return np.asarray((even - self.slack * move[free:]) / self.direction[free:])

    def _aimed(self, moved: Floats, move: Floats, products: float) -> float:
        """What would be left of the complementary products after the whole of a step straight at the optimum, as far as bounds allow."""
        prices, turn = self.direction[self.rows.free :], move[self.rows.free :]
        fall, rise, given = moved / self.psi, moved / self.room, -self.slack * (1 + turn / prices)
        primal = 1 / max(1.0, -float(fall.min()), float(rise.max()), float((-given / self.slack).max(initial=0.0)))
        dual = 1 / max(1.0, 1 + float(fall.max()), 1 - float(rise.min()), float((-turn / prices).max(initial=0.0)))
        left = self.psi * (1 + primal * fall) * self.low * (1 - dual * (1 + fall))
        left += self.room * (1 - primal * rise) * self.high * (1 - dual * (1 - rise))
        return float(left.sum()) + float((self.slack + primal * given) @ (prices + dual * turn))

    def _system(self, weights: Floats):  # type: ignore[no-untyped-def]
        """What solves the system over the rows; None where rounding has made it singular."""
        free = self.rows.free
        matrix = self.rows.second(weights)
        floors = np.arange(free, len(matrix))
        matrix[floors, floors] += self.slack / self.direction[free:]
        unit = 1 / np.sqrt(np.diag(matrix))
        matrix *= unit[:, None]
        matrix *= unit
        for ridge in _RIDGE:
            matrix[np.diag_indices_from(matrix)] += ridge
            try:
                factor = cho_factor(matrix, lower=True, check_finite=False)
            except LinAlgError:
                continue
            return lambda wanted: unit * cho_solve(factor, unit * wanted, check_finite=False)
        return None


def _longest(*moves: tuple[Floats, Floats]) -> float:
    """The part of the moves, at most all, that leaves what moves above 0."""
    fastest = max(float((-move / place).max(initial=0.0)) for place, move in moves)
    return min(1.0, _SHORT_OF / fastest) if fastest > 0 else 1.0
