"""A channel of which it is known that some true combinations cannot occur."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rrcore.arrays import Booleans, Floats
from rrcore.channel.base import Channel, WrappedChannel
from rrcore.errors import InputError
from rrcore.limits import MAX_MATRIX_CELLS

_RARE = 1e-9  # of the mean report: what a report has at least, so that what never happens has a variance too


@dataclass(frozen=True, eq=False)
class ConfinedChannel(WrappedChannel):
    """``whole``, inverted by the linear estimate of least variance among those that are unbiased where ``impossible`` cells are empty.

    The inversion x of ``whole`` has the covariance S (theory.md section 7). That its cells z are 0 in truth says what noise is in them, and
    with that what of it is in the others: x - S_z S_zz^-1 x_z is 0 there, sums to what x does, and is unbiased whatever S the weights come
    from (theory.md section 27). Where S is that of the true shares its variance is least, and no cell's is above that of x.

    Parameters
    ----------
    whole : Channel that erases nothing
    impossible : ndarray of bool of shape ``whole.sizes``, some of them True and some not
    centre : ndarray of that shape, true shares as far as they are known, 0 where they are impossible; None for equal ones

    Raises
    ------
    InputError
        Where anything is inverted, above ``MAX_MATRIX_CELLS`` cells.

    Examples
    --------
    >>> import rrcore as rr
    >>> whole = rr.build("kronecker", (2, 3), [1.0, 1.0]).marginal_channel((0, 1))
    >>> confined = ConfinedChannel(whole, np.array([[True, False, False], [False, False, False]]))
    >>> truth = np.array([[0.0, 0.1, 0.2], [0.3, 0.1, 0.3]])
    >>> released = whole.push(truth)
    >>> bool(np.allclose(confined.invert(released), truth))
    True
    >>> (confined.squared_inverse(released) / whole.squared_inverse(released)).round(2).tolist()
    [[0.0, 0.87, 0.82], [0.57, 0.93, 0.92]]
    """

    impossible: Booleans
    centre: Floats | None = None

    @cached_property
    def _pushed(self) -> Floats:
        """Entry (v, u): the probability that cell v is reported as u."""
        cells = self.impossible.size
        if cells > MAX_MATRIX_CELLS:
            raise InputError(
                f"Combinations that cannot occur are taken into account for at most {MAX_MATRIX_CELLS:,} combinations at a time, and there "
                f"are {cells:,}: choose fewer attributes."
            )
        return self.whole.push(np.eye(cells).reshape(*self.sizes, cells)).reshape(-1, cells).T

    @cached_property
    def inverse(self) -> Floats:
        """Entry (v, u): the weight in the estimated share of cell v of a report u."""
        pushed, empty = self._pushed, self.impossible.ravel()
        reports = pushed.shape[1]
        found = self.whole.invert(np.eye(reports).reshape(*self.report_sizes, reports)).reshape(-1, reports)
        centre = self.even if self.centre is None else self.centre
        expected = centre.ravel() @ pushed + _RARE / reports
        expected /= expected.sum()
        weighed = found * expected
        mean = weighed.sum(axis=1)
        covariance = weighed @ found[empty].T - np.outer(mean, mean[empty])
        scale = np.sqrt(np.diag(covariance[empty]))
        gain = np.linalg.solve(covariance[empty] / np.outer(scale, scale), (covariance / scale).T).T / scale
        found = found - gain @ found[empty]
        found[empty] = 0.0
        return found

    @property
    def uniform_variance(self) -> float:
        even = self.even
        return float((self.squared_inverse(self.push(even)) - even)[~self.impossible].mean())

    @property
    def even(self) -> Floats:
        return np.where(self.impossible, 0.0, 1 / np.count_nonzero(~self.impossible))

    def push(self, table: Floats) -> Floats:
        return self.whole.push(table)

    def pull(self, table: Floats) -> Floats:
        return self.whole.pull(table)

    def _weighed(self, weights: Floats, table: Floats) -> Floats:
        extra = table.shape[self.w :]
        return np.tensordot(weights, table.reshape(-1, *extra), axes=1).reshape(*self.sizes, *extra)

    def invert(self, table: Floats) -> Floats:
        return self._weighed(self.inverse, table)

    def invert_back(self, weights: Floats) -> Floats:
        extra = weights.shape[self.w :]
        return np.tensordot(self.inverse.T, weights.reshape(-1, *extra), axes=1).reshape(*self.report_sizes, *extra)

    def marginal(self, axes: Sequence[int]) -> Channel:
        """That of ``whole``: a marginal by itself is read as if all could be."""
        return self.whole.marginal(axes)

    def inverse_moment(self, released: Floats, power: int) -> Floats:
        return self._weighed(self.inverse**power, released)

    def own_moment(self, power: int) -> Floats:
        return np.asarray((self._pushed * self.inverse**power).sum(axis=1)).reshape(self.sizes)
