"""Confidence sequences: intervals that remain valid at every look.

See theory.md section 19.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rrcore.arrays import Floats, Integers
from rrcore.channel import Channel
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate.uncertainty import check_confidence
from rrcore.limits import MAX_SEQUENCE_CELLS

_BOLDEST = 0.9
"""Most of the capital that a bet may lose at one answer."""
_BETS = 48
_FEWEST, _MOST = 100, 1_000_000  # numbers of answers between which intervals are about as narrow as those for one look
_HALVINGS = 40
_BLOCK = 4_000_000  # numbers at a time
_SIZES = np.geomspace(1.5 / math.sqrt(_MOST), 3.0 / math.sqrt(_FEWEST), _BETS)  # in standard deviations of what one answer adds
_TINY = 1e-300
_ALIKE = 1e-9  # reports whose weights differ by less, relative to their range, are one


@dataclass(frozen=True, eq=False)
class ConfidenceSequence:
    """Intervals of the shares of a marginal that are valid at all times.

    Suppose someone looks after every answer and stops at any time. The interval of a share then misses it at least once in at most
    ``1 - confidence`` of all surveys. A fixed 95% interval guarantees this for a single look only. Each share has its own interval,
    and the probability that at least one interval misses is higher: 9 of 100 surveys for a question with six answers. A
    ``confidence`` of 1 - 0.05 / 6 makes all six intervals hold in 95% of surveys. They are then 1.17 times as wide.

    Every answer adds a number with known bounds to an estimate (theory.md section 7), and the mean of these numbers is the share.
    Consider a gambler who doubts that the share is x and bets on these numbers. If the share were x, the game would be fair, and
    the capital of the gambler would ever reach 1 / alpha with probability at most alpha (Ville 1939). The interval contains every x
    for which the capital has not reached this value so far. The capital is averaged over bets of many sizes, equally many for each
    order of magnitude (Robbins 1970). It depends only on the counts and not on their order, and no sample size has to be planned.
    For two reports, it is the mixture likelihood ratio of Robbins. For more reports, no distribution of the reports besides their
    mean is needed (Waudby-Smith & Ramdas 2024, "Estimating means of bounded random variables by betting", section 4). Each end of
    the interval receives half of the error probability.

    Parameters
    ----------
    channel : Channel of the marginal
    confidence : probability that the interval of a share never misses it, in (0, 1)
    weights : possible weights of answers, all positive and known before the first answer. Shares then refer to the population that
        the weights represent. All counts have an additional axis for the weights, before that of looks. By default, answers are
        unweighted

    Raises
    ------
    InputError
        If the confidence is out of range, a weight is not a positive number, or there are more than MAX_SEQUENCE_CELLS cells or
        reports.
    NotIdentifiableError
        If the channel erases an interaction.

    Examples
    --------
    >>> import numpy as np, rrcore as rr
    >>> from rrcore.budget import build
    >>> channel = build("independent", (2,), (1.0,)).channel((0,))
    >>> sequence = ConfidenceSequence(channel)
    >>> low, high = sequence.interval(np.array([620, 380]))
    >>> low.round(2).tolist(), high.round(2).tolist()
    ([0.65, 0.13], [0.87, 0.35])
    """

    channel: Channel
    confidence: float = 0.95
    weights: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not all(0 < weight < math.inf for weight in self.weights):
            raise InputError("A weight is not a positive number. Leave out answers whose weight is 0.")
        check_confidence(self.confidence)
        if max(self._cells, self._reports) > MAX_SEQUENCE_CELLS:
            raise InputError(
                f"There are {max(self._cells, self._reports):,} combinations, but at most {MAX_SEQUENCE_CELLS:,} are "
                "allowed. Choose fewer attributes."
            )
        if lost := self.channel.lost():
            raise NotIdentifiableError(
                "The mechanism leaves no information about part of this distribution, so it cannot be estimated. Choose fewer "
                "attributes or another mechanism.",
                lost,
            )

    def interval(self, counts: Integers | Floats) -> tuple[Floats, Floats]:
        """Return the lower and upper ends of the interval of every share.

        The ends are not truncated at 0 and 1, and the unbiased estimate always lies between them.

        Parameters
        ----------
        counts : ndarray of shape ``channel.report_sizes`` (and the number of ``weights``), optionally with one more axis for looks.
            Each entry is the current number of a report. Without answers, an interval is infinite.
        """
        merged = self._merged(counts)
        low, high = np.empty((2, merged.shape[0], merged.shape[2]))
        for cells, looks in self._blocks(merged.shape):
            low[cells, looks], high[cells, looks] = (self._end(sign, merged[cells, :, looks], cells) for sign in (1, -1))
        none = merged.sum(axis=1) == 0
        shape = (*self.channel.sizes, *np.shape(counts)[len(self._counted) :])
        return np.where(none, -np.inf, low).reshape(shape), np.where(none, np.inf, high).reshape(shape)

    def running(self, counts: Integers | Floats) -> tuple[Floats, Floats]:
        """Return intervals at every look, intersected with those of earlier looks.

        The looks are the last axis of ``counts``, which holds cumulative sums.

        The true share lies in all intervals simultaneously, and therefore in their intersection. Where that is nothing, the share
        has changed meanwhile, or chance was unkind: both ends are then NaN from there on.
        """
        low, high = self.interval(counts)
        low, high = np.maximum.accumulate(low, axis=-1), np.minimum.accumulate(high, axis=-1)
        empty = low > high
        return np.where(empty, np.nan, low), np.where(empty, np.nan, high)

    def shares(self, counts: Integers | Floats) -> Floats:
        """Return the unbiased estimates, in the shape of the interval ends."""
        counted = np.asarray(counts, dtype=np.float64)
        if self.weights:
            counted = np.tensordot(self.weights, counted, ([0], [len(self.channel.report_sizes)]))
        known = counted.sum(axis=tuple(range(len(self.channel.report_sizes))))
        return self.channel.invert(counted / np.where(known > 0, known, 1.0))

    @cached_property
    def _cells(self) -> int:
        return math.prod(self.channel.sizes)

    @cached_property
    def _reports(self) -> int:
        return math.prod(self.channel.report_sizes)

    @property
    def _counted(self) -> tuple[int, ...]:
        """The shape of the counts of one look."""
        return (*self.channel.report_sizes, *([len(self.weights)] if self.weights else []))

    @cached_property
    def _parts(self) -> Floats:
        """The weights as parts of the largest one."""
        return np.array(self.weights or (1.0,)) / max(self.weights or (1.0,))

    @cached_property
    def _bound(self) -> float:
        """The logarithm of the capital that either side may not reach."""
        return math.log(2 / (1 - self.confidence))

    @cached_property
    def _weights(self) -> Floats:
        """What every report adds to the estimate of every cell, (cells, reports)."""
        each = np.eye(self._reports).reshape(*self.channel.report_sizes, self._reports)
        return self.channel.invert(each).reshape(self._cells, self._reports)

    @cached_property
    def _groups(self) -> tuple[Integers, Integers, Integers, Floats]:
        """Reports with the same weight, by cell: the reports in order of their weight, where groups start, where they go, their weights.

        The last, (cells, most groups), is filled up with the largest weight.
        """
        order = np.argsort(self._weights, axis=1, kind="stable")
        ranked = np.take_along_axis(self._weights, order, axis=1)
        apart = np.diff(ranked, axis=1) > _ALIKE * (ranked[:, -1:] - ranked[:, :1])
        group = np.concatenate([np.zeros((self._cells, 1), dtype=np.int64), np.cumsum(apart, axis=1)], axis=1)
        first = np.concatenate([np.ones((self._cells, 1), dtype=np.bool_), apart], axis=1)
        most = int(group.max()) + 1
        place = (np.arange(self._cells)[:, None] * most + group)[first]
        values = np.repeat(ranked[:, -1:], most, axis=1)
        values.ravel()[place] = ranked[first]
        return order, np.flatnonzero(first), place, values

    def _merged(self, counts: Integers | Floats) -> Floats:
        """Counts of the groups, weight by weight within each, (cells, groups x weights, looks)."""
        order, starts, place, values = self._groups
        flat = np.asarray(counts, dtype=np.float64).reshape(self._reports, -1)
        merged = np.zeros((values.size, flat.shape[1]))
        merged[place] = np.add.reduceat(flat[order.ravel()], starts, axis=0)
        return merged.reshape(len(values), values.shape[1] * self._parts.size, -1)

    @cached_property
    def _spread(self) -> Floats:
        """By cell: the variance of what one answer adds if all true answers are equally common, as part of the largest possible one."""
        values, even = self._groups[3], 1 / self._cells
        variance = self.channel.squared_inverse(self.channel.push(np.full(self.channel.sizes, even))).ravel() - even**2
        return np.clip(variance / ((values[:, -1] - even) * (even - values[:, 0])), _TINY, 1.0)

    def _capital(self, sign: int, x: Floats, counts: Floats, cells: slice) -> Floats:
        """Logarithm of the capital of who bets that shares are above (``sign`` 1) or below (-1) x: it is monotone in x.

        Parameters
        ----------
        x : (cells, shares), any shares for each cell of the slice ``cells``
        counts : (cells, shares or 1, groups, looks)

        Returns
        -------
        ndarray (cells, shares, looks)
        """
        values = sign * self._groups[3][cells]
        parts = np.tile(self._parts, values.shape[1])
        null = sign * x
        below = np.maximum(null - values.min(axis=1)[:, None], _TINY)
        above = np.maximum(values.max(axis=1)[:, None] - null, _TINY)
        deviation = np.sqrt(self._spread[cells, None] * below * above)
        bets = np.minimum(_SIZES / deviation[..., None], (_BOLDEST / below)[..., None])  # (cells, shares, bets)
        moves = parts * (np.repeat(values, self._parts.size, axis=1)[:, None, :] - null[..., None])  # (cells, shares, groups)
        gains = np.log1p(np.maximum(bets[..., None] * moves[..., None, :], -_BOLDEST)) @ counts
        most = gains.max(axis=2)
        return np.asarray(most + np.log(np.exp(gains - most[:, :, None]).mean(axis=2)))

    def _end(self, sign: int, counts: Floats, cells: slice) -> Floats:
        """The low (``sign`` 1) or high (-1) ends, (cells, looks), by halving between an end of the weights and the estimate."""
        values, each = self._groups[3][cells], np.moveaxis(counts, 2, 1)[..., None]
        weighted = np.tile(self._parts, values.shape[1])[:, None] * counts
        known = weighted.sum(axis=1)
        summed = np.einsum("cg,cgl->cl", np.repeat(values, self._parts.size, axis=1), weighted)
        held = summed / np.where(known > 0, known, 1.0)  # at the estimate no bet has gained
        out = np.broadcast_to((values.min(axis=1) if sign > 0 else values.max(axis=1))[:, None], held.shape)
        for _ in range(_HALVINGS):
            middle = (held + out) / 2
            inside = self._capital(sign, middle, each, cells)[..., 0] < self._bound
            held, out = np.where(inside, middle, held), np.where(inside, out, middle)
        return np.asarray(out)

    def _blocks(self, shape: tuple[int, ...]) -> Iterator[tuple[slice, slice]]:
        """Slices of cells and of looks, so that not too many numbers are in memory at a time."""
        cells, groups, looks = shape
        wide = max(1, _BLOCK // (_BETS * groups))
        for first in range(0, looks, wide):
            many = max(1, wide // min(wide, looks))
            for start in range(0, cells, many):
                yield slice(start, min(start + many, cells)), slice(first, first + wide)
