"""An interior-point method for (P_w): the central path of the programme, followed by steps that correct themselves (theory.md section 14).

In the programme the variables are psi = U phi / e^log_scale, between 0 and a ceiling, and c' = c / e^log_scale; what rows have left over
is their slack. Every step solves one system over the rows, whose matrix the rows give by a transform.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from rrcore.arrays import Floats
from rrcore.mechanisms.solve.floored import FlooredRows

_FAR = 3.0  # the path is entered where complementary products are this large beside the dual value
_SHORT_OF = 0.95  # part of the way to the boundary that is gone
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
        self.high, self.low = np.where(self.tilt > 0, large, small), np.where(self.tilt > 0, small, large)
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
        """Go towards the optimum by one step, which is corrected once; whether it was of any use."""
        free, rows, prices, slack = self.rows.free, self.rows, self.direction[self.rows.free :], self.slack
        weights, pull = np.empty_like(self.psi), np.empty_like(self.psi)
        self._weigh(weights)
        solve = self._system(weights)
        if solve is None:
            return False
        along = solve(rows.margin)

        def towards(pulled: Floats, even: Floats) -> tuple[Floats, float]:
            """The step of the multipliers and of c' for what pulls at psi, times its weight, and at slack times price."""
            wanted = -self._left_over - rows.values(pulled)
            wanted[free:] += even / prices
            across = solve(wanted)
            more = float((1 - rows.margin @ self.direction - rows.margin @ across) / (rows.margin @ along))
            return across + more * along, more

        move, _ = towards(weights * self.tilt, -slack * prices)
        moved = rows.tilt(move)
        given = -slack * (1 + move[free:] / prices)
        products, left = self._aim(weights, moved, given, move[free:])
        target = (left / products) ** 3 * products / self.number
        self._correct(moved, target, pull)
        even = target - slack * prices - given * move[free:]
        move, more = towards(weights * pull, even)
        given = (even - slack * move[free:]) / prices
        primal, dual = self._go((weights, rows.tilt(move), moved, pull), target, given, move[free:])
        self.slack, self.c, self.direction = slack + primal * given, self.c + primal * more, self.direction + dual * move
        self.tilt = rows.tilt(self.direction)
        self._left_over = self._over(rows.values(self.psi))
        self._left_over[free:] -= self.slack
        return min(primal, dual) > _LEAST

    def _blocks(self, *arrays: Floats) -> Iterator[list[Floats]]:
        """psi, room, low, high, tilt and further ``arrays``, some vectors at a time."""
        flat = [each.ravel() for each in (self.psi, self.room, self.low, self.high, self.tilt, *arrays)]
        for start in range(0, self.psi.size, _BLOCK):
            yield [each[start : start + _BLOCK] for each in flat]

    def _weigh(self, weights: Floats) -> None:
        """How far psi moves for a tilt that rises by 1."""
        for psi, room, low, high, _, weight in self._blocks(weights):
            np.divide(1.0, low / psi + high / room, out=weight)

    def _aim(self, weights: Floats, moved: Floats, given: Floats, move: Floats) -> tuple[float, float]:
        """Complementary products, and what would be left of them after a step straight at the optimum, as far as bounds allow.

        ``moved``: how the tilt moves, which becomes how psi moves; ``given`` and ``move``: how slack and prices do.
        """
        sums, most = np.zeros(6), np.ones(4)
        for psi, room, low, high, tilt, weight, m in self._blocks(weights, moved):
            m += tilt
            m *= weight
            fall, rise, lost, won = m / psi, m / room, m * low, m * high
            sums += low @ psi, lost.sum(), lost @ fall, high @ room, won.sum(), won @ rise
            most = np.maximum(most, (-fall.min(), rise.max(), 1 + fall.max(), 1 - rise.min()))
        prices = self.direction[self.rows.free :]
        primal = 1 / max(most[0], most[1], float((-given / self.slack).max(initial=0.0)))
        dual = 1 / max(most[2], most[3], float((-move / prices).max(initial=0.0)))
        slope, bend = primal * (1 - dual) - dual, primal * dual
        left = (1 - dual) * (sums[0] + sums[3]) + slope * (sums[1] - sums[4]) - bend * (sums[2] + sums[5])
        left += float((self.slack + primal * given) @ (prices + dual * move))
        return float(sums[0] + sums[3] + self.slack @ prices), max(0.0, float(left))

    def _correct(self, moved: Floats, target: float, pull: Floats) -> None:
        """What pulls at psi towards products of ``target``, those of the first moves allowed for; into ``pull``."""
        for psi, room, low, high, tilt, m, out in self._blocks(moved, pull):
            fall, rise = m / psi, m / room
            np.multiply(low * fall, 1 + fall, out=out)
            out += high * rise * (1 - rise)
            out += target / psi
            out -= target / room
            out += tilt

    def _go(self, vectors: tuple[Floats, ...], target: float, given: Floats, move: Floats) -> tuple[float, float]:
        """Move psi and the prices of its bounds. Returns which part was gone: of what psi, slack and c' move, and of what prices do.

        ``vectors``: weights, how the tilt moves, how psi moved at first, and what pulls at it; they are used up.
        """
        fastest = np.zeros(4)
        for psi, room, low, high, _, weight, m, first, pull in self._blocks(*vectors):
            fall, rise = first / psi, first / room
            m += pull
            m *= weight
            np.multiply(low, fall * (1 + fall) - m / psi - 1, out=first)
            first += target / psi
            np.multiply(high, m / room - rise * (1 - rise) - 1, out=pull)
            pull += target / room
            fastest = np.maximum(fastest, (-(m / psi).min(), (m / room).max(), -(first / low).min(), -(pull / high).min()))
        prices = self.direction[self.rows.free :]
        slowest = float((-given / self.slack).max(initial=0.0)), float((-move / prices).max(initial=0.0))
        primal, dual = (
            min(1.0, _SHORT_OF / max(1e-300, *rates)) for rates in ((*fastest[:2], slowest[0]), (*fastest[2:], slowest[1]))
        )
        for psi, room, low, high, _, _, m, lower, higher in self._blocks(*vectors):
            m *= primal
            psi += m
            room -= m
            lower *= dual
            low += lower
            higher *= dual
            high += higher
        return primal, dual

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
