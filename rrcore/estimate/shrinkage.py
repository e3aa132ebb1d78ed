"""Reading the whole table at once: each joint distribution is drawn toward what smaller ones say, by what all sets of its order show.

Theory section 25. Order by order: the centre of a set of attributes is the table of largest entropy among those with the marginals that were
estimated one order below; what was observed beyond it, the top interaction, is kept to a part that the sizes of the top interactions of all
sets of that order decide, since the noise in them is known exactly. Nothing but counts of marginals and the channel is needed.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Protocol

import numpy as np
import scipy

from rrcore.arrays import Floats
from rrcore.channel import Channel, on_each_axis, top_interaction
from rrcore.estimate.beyond import POWERS, Beyond, contrasts, shapes_of, shared_out
from rrcore.estimate.independent import Axes, independent_shares, rake
from rrcore.estimate.metrics import half_l1
from rrcore.estimate.projections import simplex
from rrcore.estimate.smooth import ordered_axes
from rrcore.estimate.usual import STRENGTHS, usual_law
from rrcore.limits import MAX_LAW_CELLS, MAX_LAW_SETS
from rrcore.table.schema import Schema

_USUAL = 5.0  # pseudo-counts of the usual law of the strength of dependence
_STEPS, _STILL = 400, 1e-9  # EM for that law: steps at most, and the change of the law at which it stops
_LEAST = 1e-4  # of the centre: what a cell has at least


class Marginals(Protocol):
    """What the reader asks of a release."""

    @property
    def schema(self) -> Schema: ...
    @property
    def reports(self) -> Schema: ...
    def channel(self, names: Sequence[str]) -> Channel: ...
    def released(self, names: Sequence[str]) -> Floats: ...
    def effective(self, names: Sequence[str]) -> float: ...


def listed_sets(sizes: Sequence[int], width: int) -> list[Axes]:
    """The sets of ``width`` attributes that tell how strong dependence of that order is: all, or as many as are few enough.

    Where there are more, they are taken at equal distances from the list of all in lexicographic order; those of more than ``MAX_LAW_CELLS``
    combinations are left out. Attributes have ``sizes`` categories, or reports.
    """
    number = math.comb(len(sizes), width)
    places = range(number) if number <= MAX_LAW_SETS else (place * number // MAX_LAW_SETS for place in range(MAX_LAW_SETS))
    found = (_unranked(len(sizes), width, place) for place in places)
    return [axes for axes in found if math.prod(sizes[i] for i in axes) <= MAX_LAW_CELLS]


def _unranked(k: int, width: int, place: int) -> Axes:
    """The set at ``place`` of all sets of ``width`` of ``k`` attributes, in lexicographic order."""
    found, start = list[int](), 0
    for left in range(width, 0, -1):
        while (ways := math.comb(k - start - 1, left - 1)) <= place:
            place, start = place - ways, start + 1
        found.append(start)
        start += 1
    return tuple(found)


@dataclass(frozen=True, eq=False)
class Shrinkage:
    """The reader of one release; what its estimates have in common is computed once.

    Parameters
    ----------
    release : Marginals, such as a Release
    usual : ndarrays by order, of the shape of ``STRENGTHS``, the law of the strength of dependence before anything was seen; by default
        what is usual in public tables

    Examples
    --------
    >>> import numpy as np
    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic")
    >>> plan = rr.Plan.for_levels(table, 1.0)
    >>> release = rr.perturb(table, plan.build(), rng=np.random.default_rng(0))
    >>> found = Shrinkage(release).shares((0, 1, 3))
    >>> found.shape, bool((found >= 0).all()), round(float(found.sum()), 9)
    ((4, 2, 2), True, 1.0)
    """

    release: Marginals
    usual: Mapping[int, Floats] = field(default_factory=lambda: {})
    _tables: dict[Axes, Floats] = field(default_factory=dict, init=False, repr=False)
    _beyond: dict[Axes, Beyond] = field(default_factory=dict, init=False, repr=False)
    _contrasts: dict[int, tuple[Floats, Floats]] = field(default_factory=dict, init=False, repr=False)
    _laws: dict[int, Floats] = field(default_factory=dict, init=False, repr=False)

    def shares(self, axes: Sequence[int]) -> Floats:
        """The joint distribution of the attributes at ``axes``, in that order: non-negative, summing to 1."""
        order = tuple(sorted(axes))
        return np.asarray(self._table(order).transpose([order.index(i) for i in axes]))

    def read(self, axes: Sequence[int]) -> tuple[Floats, float]:
        """``shares`` and ``disagreement``."""
        return self.shares(axes), self.disagreement(axes)

    def disagreement(self, axes: Sequence[int]) -> float:
        """By how much the marginals of ``shares(axes)`` differ at most from what is read of one attribute less, a share."""
        order = tuple(sorted(axes))
        table, w = self._table(order), len(order)
        apart = (table.sum(axis=out) - self._table(order[:out] + order[out + 1 :]) for out in range(w if w > 1 else 0))
        return max((float(np.abs(each).max()) for each in apart), default=0.0)

    def beyond(self, axes: Sequence[int]) -> Beyond:
        """What was observed of the attributes at ``axes``, ascending, two or more, beyond what smaller sets of them say."""
        return self._seen(tuple(axes))

    def stands_out(self, axes: Axes, alarm: float, least: float) -> bool:
        """Whether ``axes``, ascending, have more in common than smaller sets of them say.

        Their top interaction is larger than noise alone makes it with probability ``alarm``, and what is kept of it moves a share of more
        than ``least`` of the people (half L1).
        """
        seen = self._seen(axes)
        clear = (
            0 < seen.noise < math.inf
            and seen.square > seen.noise * float(scipy.special.chdtri(seen.directions, alarm)) / seen.directions
        )
        return clear and half_l1(self._table(axes), seen.centre) > least

    def law(self, width: int) -> Floats:
        """How likely each model and each of ``STRENGTHS`` is for sets of ``width`` attributes, as all that are listed say, and what is usual:
        ndarray of that shape."""
        if width not in self._laws:
            listed = map(self._seen, listed_sets(self.release.reports.sizes, width))
            seen = [each.log_likelihood for each in listed if each.seen]
            usual = np.tile(self.usual.get(width, usual_law(width)) / len(POWERS), (len(POWERS), 1))
            self._laws[width] = _learned(np.stack(seen), usual) if seen else usual
        return self._laws[width]

    def _table(self, axes: Axes) -> Floats:
        if axes not in self._tables:
            if len(axes) == 1:
                self._tables[axes] = self._single(axes[0])
            else:
                seen = self._seen(axes)
                found = seen.centre + seen.kept(self.law(len(axes)))
                if (found < 0).any():
                    found = rake(np.maximum(found, _LEAST * seen.centre), self._margins(seen.centre))
                self._tables[axes] = found
        return self._tables[axes]

    def _single(self, i: int) -> Floats:
        """The shares of one attribute; all alike where they cannot be read."""
        name, size = self.release.reports.names[i], self.release.schema.sizes[i]
        if not self.release.effective([name]) or (channel := self.release.channel([name])).lost():
            return np.full(size, 1 / size)
        released, even = self.release.released([name]), np.full(size, 1 / size)
        found = channel.invert(released)
        if ordered := ordered_axes([self.release.schema.attributes[i]]):
            energy, directions = channel.top_noise(released)
            noise = energy / self.release.effective([name])
            alike, along = np.full(size - 1, 1 / (size - 1)), [contrasts(even)[1]]
            seen = Beyond(even, found - even, noise, 1.0, directions, along, alike[None], noise * alike, ordered)
            found = even + seen.kept(np.full((1, len(STRENGTHS)), 1 / len(STRENGTHS)), 1.0)
        return simplex(found)

    def _seen(self, axes: Axes) -> Beyond:
        if axes not in self._beyond:
            names = [self.release.reports.names[i] for i in axes]
            people, centre = self.release.effective(names), self._centre(axes)
            room = math.prod(1 - float((self._table((i,)) ** 2).sum()) for i in axes)
            found = Beyond.erased(centre, room)
            if people > 0 and not (channel := self.release.channel(names)).top_lost:
                released = self.release.released(names)
                energy, directions = channel.top_noise(released)
                piece = channel.top(released) - top_interaction(centre, centre.ndim)
                ordered = ordered_axes([self.release.schema.attributes[i] for i in axes])
                variances, along = zip(*map(self._varying, axes), strict=True)
                noise, own = energy / people, on_each_axis(centre, [each**2 for each in along])
                noises = shared_out(noise, channel.top_moment(released, along) - own)
                found = Beyond(centre, piece, noise, room, directions, along, shapes_of(variances), noises, ordered)
            self._beyond[axes] = found
        return self._beyond[axes]

    def _varying(self, i: int) -> tuple[Floats, Floats]:
        """``contrasts`` of the shares of one attribute."""
        if i not in self._contrasts:
            self._contrasts[i] = contrasts(self._table((i,)))
        return self._contrasts[i]

    def _centre(self, axes: Axes) -> Floats:
        """The table of largest entropy among those with the marginals of one order below."""
        w = len(axes)
        apart = independent_shares([self._table((i,)) for i in axes], [(i,) for i in range(w)])
        if w == 2:
            return apart
        return rake(apart, {inner: self._table(tuple(axes[i] for i in inner)) for inner in combinations(range(w), w - 1)})

    @staticmethod
    def _margins(table: Floats) -> dict[Axes, Floats]:
        axes = range(table.ndim)
        return {tuple(i for i in axes if i != out): np.asarray(table.sum(axis=out)) for out in reversed(axes)}


def _learned(logs: Floats, usual: Floats) -> Floats:
    """The law of largest likelihood given the ``usual`` one's pseudo-counts, by EM; ``logs`` of shape (sets, models, strengths)."""
    likely = np.exp(logs - logs.max(axis=(1, 2), keepdims=True))
    law = usual
    for _ in range(_STEPS):
        posterior = likely * law
        new = _USUAL * usual + (posterior / posterior.sum(axis=(1, 2), keepdims=True)).sum(axis=0)
        new /= new.sum()
        change, law = float(np.abs(new - law).max()), new
        if change < _STILL:
            break
    return law
