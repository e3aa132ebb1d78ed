"""An interior-point method for (P_w): the central path of the programme, followed by steps that correct themselves (theory.md section 14).

In the programme the variables are psi = U phi / e^log_scale, between 0 and a ceiling, and c' = c / e^log_scale; what rows have left over
is their slack. Every step solves one system over the rows, whose matrix the rows give by a transform.
Of a million vectors a few would always be led over their bounds. They are held back one by one, not all for the sake of the worst: what
that leaves of the rows is made good by the next step, and complementary products fall only while the rows are nearly met.
"""

from collections.abc import Iterator

import numpy as np

from rrcore.arrays import Floats
from rrcore.mechanisms.solve.floored import FlooredRows

_FAR = 3.0  # the path is entered where complementary products are this large beside the dual value
_LEFT = 0.05  # part of the way to a boundary that is left
_BENT = 1.0  # most that a correction is, as a multiple of the product that it corrects: beyond, the first move went too far to be told from
_MET = 0.01  # rows are nearly met where they miss no more than this part of the products: these then fall
_FALL = 0.3  # to this part at least
_FINEST = 1e-9  # sum of the products beside a c' of about 1 that is aimed at at least: less is lost in rounding
_RIDGE = 1e-13, 1e-9  # added to the scaled matrix; the second where the first is not enough
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
        """Go towards the optimum by one step, which is corrected once; whether there was one."""
        free, rows, prices, slack = self.rows.free, self.rows, self.direction[self.rows.free :], self.slack
        weights, far, pulled = (np.empty_like(self.psi) for _ in range(3))
        for psi, room, low, high, _, weight in self._blocks(weights):  # how far psi moves for a tilt that rises by 1
            np.divide(1.0, low / psi + high / room, out=weight)
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
        share = left / products
        if np.abs(self._left_over).max() <= _MET * products:
            share = min(share**3, _FALL)
        target = max(share * products, _FINEST) / self.number
        self._correct(weights, moved, target, far, pulled)
        bent = _BENT * slack * prices
        even = target - slack * prices - np.clip(given * move[free:], -bent, bent)
        move, more = towards(pulled, even)
        given = (even - slack * move[free:]) / prices
        self._go(weights, moved, far, pulled, rows.tilt(move))
        self.slack, self.c = np.maximum(slack + given, _LEFT * slack), self.c + more
        self.direction = np.concatenate((self.direction[:free] + move[:free], np.maximum(prices + move[free:], _LEFT * prices)))
        self.tilt = rows.tilt(self.direction)
        self._left_over = self._over(rows.values(self.psi))
        self._left_over[free:] -= self.slack
        return True

    def _blocks(self, *arrays: Floats) -> Iterator[list[Floats]]:
        """psi, room, low, high, tilt and further ``arrays``, some vectors at a time."""
        flat = [each.ravel() for each in (self.psi, self.room, self.low, self.high, self.tilt, *arrays)]
        for start in range(0, self.psi.size, _BLOCK):
            yield [each[start : start + _BLOCK] for each in flat]

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

    def _correct(self, weights: Floats, moved: Floats, target: float, far: Floats, pulled: Floats) -> None:
        """What the prices of the bounds become where psi stays, for products of ``target``, those of the first moves allowed for.

        ``moved``: how psi moved at first, which becomes those of the lower bounds; ``far``: those of the upper ones; ``pulled``: how
        far psi moves for it.
        """
        for psi, room, low, high, tilt, weight, m, h, pull in self._blocks(weights, moved, far, pulled):
            rise = m / room
            np.multiply(high, np.minimum(rise * (rise - 1), _BENT), out=h)
            h += target / room
            m /= psi
            m *= 1 + m
            np.minimum(m, _BENT, out=m)
            m *= low
            m += target / psi
            np.add(tilt, m, out=pull)
            pull -= h
            pull *= weight

    def _go(self, weights: Floats, near: Floats, far: Floats, pulled: Floats, moved: Floats) -> None:
        """Move psi and the prices of its bounds, ``moved`` being how the tilt does; see ``_correct`` for the others."""
        for psi, room, low, high, _, weight, n, h, pull, m in self._blocks(weights, near, far, pulled, moved):
            m *= weight
            m += pull
            n -= low * (m / psi)
            low *= _LEFT
            np.maximum(low, n, out=low)
            h += high * (m / room)
            high *= _LEFT
            np.maximum(high, h, out=high)
            np.clip(m, (_LEFT - 1) * psi, (1 - _LEFT) * room, out=m)
            psi += m
            room -= m

    def _system(self, weights: Floats):  # type: ignore[no-untyped-def]
        """What solves the system over the rows; None where rounding has made it singular."""
        from scipy.linalg.lapack import dpotrf, dpotrs  # heavy; cho_factor and cho_solve take longer than the work on few rows

        free = self.rows.free
        matrix = self.rows.second(weights)
        floors = np.arange(free, len(matrix))
        matrix[floors, floors] += self.slack / self.direction[free:]
        unit = 1 / np.sqrt(np.diag(matrix))
        matrix *= unit[:, None]
        matrix *= unit
        for ridge in _RIDGE:
            matrix.flat[:: len(matrix) + 1] += ridge
            factor, failed = dpotrf(matrix, lower=True, clean=False)
            if not failed:
                return lambda wanted: unit * dpotrs(factor, unit * wanted, lower=True)[0]
        return None
