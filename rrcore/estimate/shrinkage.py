"""Shrinkage of joint distributions, and the choice of an estimator.

Joint distributions are shrunk toward those implied by smaller ones.

Shrinkage (theory.md section 25) proceeds order by order. The center of a set of attributes is the maximum-entropy table with the
marginals estimated one order below. The top interaction is the observed deviation from this center. The part of it that is kept
depends on the top interactions of all sets of that order, because the size of their noise is known exactly. Only counts of
marginals and the channel are needed.

To choose an estimator (theory.md section 31), each candidate is fitted to a part of the answers and compared with the rest. The
rest yields an unbiased estimate of every marginal. Its noise is the same for all estimators, so differences in squared distance
show without bias which estimator is closer to the truth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Protocol

import numpy as np
import scipy

from rrcore.arrays import Floats
from rrcore.channel import Channel, on_each_axis, top_interaction
from rrcore.estimate.estimators import Axes, independent_shares, nearest, rake, simplex
from rrcore.estimate.shrinkage_prior import POWERS, STRENGTHS, Beyond, contrasts, ordered_axes, shapes_of, shared_out, usual_law
from rrcore.estimate.uncertainty import cell_variance
from rrcore.limits import MAX_LAW_CELLS, MAX_LAW_SETS
from rrcore.table.schema import Schema

_USUAL = 5.0  # pseudo-counts of the usual law of the strength of dependence
_STEPS, _STILL = 400, 1e-9  # EM for that law: steps at most, and the change of the law at which it stops


class Marginals(Protocol):
    """The parts of a release that shrinkage requires."""

    @property
    def schema(self) -> Schema: ...
    @property
    def reports(self) -> Schema: ...
    def channel(self, names: Sequence[str]) -> Channel: ...
    def released(self, names: Sequence[str]) -> Floats: ...
    def effective(self, names: Sequence[str]) -> float: ...


def listed_sets(sizes: Sequence[int], width: int) -> list[Axes]:
    """Return the sets of ``width`` attributes used to estimate dependence.

    If there are too many sets, the result is a subset of them.

    A subset consists of equally spaced entries of the lexicographic list. Sets with more than ``MAX_LAW_CELLS`` combinations are
    omitted. ``sizes`` gives the numbers of categories or reports of the attributes.
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
    """The shrinkage estimator of one release.

    Computations that its estimates share are performed only once.

    Parameters
    ----------
    release : Marginals, such as a Release
    usual : ndarrays by order, with the shape of ``STRENGTHS``, the prior of the strength of dependence. By default, that of public
        tables
    laws : ndarrays by order, the posterior of the strength of dependence. By default, it is computed from the answers
    strict : Shrinkage of the same release, optional. If given, tables are projected onto all distributions instead of onto those
        with the marginals of one attribute less. Copied columns require this because their marginal shares differ only by noise

    Examples
    --------
    >>> import numpy as np
    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic")
    >>> plan = rr.Plan(table, 1.0)
    >>> release = rr.simulate(table, plan.build(), rng=np.random.default_rng(0))
    >>> found = Shrinkage(release).shares((0, 1, 3))
    >>> found.shape, bool((found >= 0).all()), round(float(found.sum()), 9)
    ((4, 2, 2), True, 1.0)
    """

    release: Marginals
    usual: Mapping[int, Floats] = field(default_factory=lambda: {})
    laws: dict[int, Floats] = field(default_factory=dict, repr=False)
    strict: Shrinkage | None = None
    _tables: dict[Axes, Floats] = field(default_factory=dict, init=False, repr=False)
    _sums: dict[Axes, Floats] = field(default_factory=dict, init=False, repr=False)
    _beyond: dict[Axes, Beyond] = field(default_factory=dict, init=False, repr=False)
    _contrasts: dict[int, tuple[Floats, Floats]] = field(default_factory=dict, init=False, repr=False)

    def shares(self, axes: Sequence[int]) -> Floats:
        """Return the joint distribution of the attributes at ``axes``, in that order.

        It is non-negative and sums to 1.
        """
        order = tuple(sorted(axes))
        return np.asarray(self._table(order).transpose([order.index(i) for i in axes]))

    def disagreement(self, axes: Sequence[int]) -> float:
        """Return the largest difference from the estimates of smaller marginals.

        It compares the marginals of ``shares(axes)`` with the estimates for one attribute less.
        """
        order = tuple(sorted(axes))
        table, w = self._table(order), len(order)
        apart = (table.sum(axis=out) - self._table(order[:out] + order[out + 1 :]) for out in range(w if w > 1 else 0))
        return max((float(np.abs(each).max()) for each in apart), default=0.0)

    def stands_out(self, axes: Axes, alarm: float, least: float) -> bool:
        """Return whether ``axes`` have an interaction beyond those of smaller sets.

        The positions are ascending.

        The top interaction must exceed what noise alone produces with probability ``alarm``. The part that is kept must also move a
        share of more than ``least`` of the people (half L1).
        """
        seen = self._seen(axes)
        clear = (
            0 < seen.noise < math.inf
            and seen.square > seen.noise * float(scipy.special.chdtri(seen.directions, alarm)) / seen.directions
        )
        return clear and float(np.abs(self._table(axes) - seen.centre).sum() / 2) > least

    def law(self, width: int) -> Floats:
        """Return the posterior over models and ``STRENGTHS`` for sets of ``width``.

        The result has one entry for each model and each strength. It combines the usual strengths with the evidence from all listed
        sets.
        """
        if width not in self.laws:
            listed = map(self._seen, listed_sets(self.release.reports.sizes, width))
            seen = [each.log_likelihood for each in listed if each.seen]
            usual = np.tile(self.usual.get(width, usual_law(width)) / len(POWERS), (len(POWERS), 1))
            self.laws[width] = _learned(np.stack(seen), usual) if seen else usual
        return self.laws[width]

    def _table(self, axes: Axes) -> Floats:
        if axes not in self._tables:
            if len(axes) == 1:
                self._tables[axes] = self._single(axes[0])
            else:
                found = self._unprojected(axes)
                if (found < 0).any():
                    found = nearest(found) if self.strict is None else simplex(found)
                self._tables[axes] = found
        return self._tables[axes]

    def _unprojected(self, axes: Axes) -> Floats:
        if self.strict is not None and len(axes) == 2:
            return self.strict._unprojected(axes)
        if axes not in self._sums:
            seen = self._seen(axes)
            self._sums[axes] = seen.centre + seen.kept(self.law(len(axes)))
        return self._sums[axes]

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


_PARTS = 5  # of the answers
_USED, _USED_WIDE = 4, 2  # parts that estimators are compared on: of pairs and small tables, and of other sets
_FEW_CELLS = 10_000  # of small tables
_FEWEST, _MOST, _CELLS = 4, 30, 20_000  # sets of one order that they are compared on, and the cells of all of these together
_WHOLE_CELLS = 20_000  # most cells of a whole table that is projected
_CLEAR = 0.98  # how sure it has to be, by Student's t over the sets, that another estimator is closer than shrinkage


class Parted(Marginals, Protocol):
    """The parts of a release that the choice requires.

    They are marginals, and their counts in parts of the answers.
    """

    def parted(self, names: Sequence[str], parts: int) -> Floats | None: ...


@dataclass(frozen=True, eq=False)
class Fitted:
    """The estimators of one release. Each maps ascending attribute positions to shares."""

    release: Marginals
    shrinkage: Shrinkage

    @cached_property
    def free(self) -> Shrinkage:
        """Shrinkage without the marginals of fewer attributes."""
        return Shrinkage(self.release, laws=self.shrinkage.laws, strict=self.shrinkage)

    @cached_property
    def whole(self) -> Floats:
        """The distribution nearest to the unbiased estimate of the whole table."""
        return self.projected(tuple(range(len(self.release.schema.sizes))))

    def projected(self, axes: Axes) -> Floats:
        """Return the distribution nearest to the unbiased estimate."""
        names = [self.release.reports.names[i] for i in axes]
        return simplex(self.release.channel(names).invert(self.release.released(names)))

    def part_of_whole(self, axes: Axes) -> Floats:
        """Return the marginal of ``whole``."""
        return np.asarray(self.whole.sum(axis=tuple(i for i in range(self.whole.ndim) if i not in axes)))

    def independent(self, axes: Axes) -> Floats:
        """Return the product of the shares of single attributes."""
        return independent_shares([self.shrinkage.shares((i,)) for i in axes], [(i,) for i in range(len(axes))])


DEFAULT, WHOLE = "shrinkage", "projected whole table"

ESTIMATORS: Mapping[str, Callable[[Fitted, Axes], Floats]] = {
    DEFAULT: lambda fitted, axes: fitted.shrinkage.shares(axes),
    "free shrinkage": lambda fitted, axes: fitted.free.shares(axes),
    "simplex projection": Fitted.projected,
    WHOLE: Fitted.part_of_whole,
    "independence": Fitted.independent,
}
"""Name -> estimator that gives probabilities. The first is used unless another is clearly closer."""


@dataclass(frozen=True)
class Choice:
    """The estimator for all marginals with one number of attributes.

    Parameters
    ----------
    name : str
        One of ``ESTIMATORS``.
    gains : dict
        Maps each other estimator to the reduction of its squared error relative to shrinkage, and the standard error of this
        reduction. The reduction is averaged over the compared sets of attributes. Empty if no comparison was made.
    sets : int
        Number of compared sets.
    """

    name: str = DEFAULT
    gains: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    sets: int = 0

    @property
    def sentence(self) -> str:
        """A sentence on which estimator is used and why."""
        if not self.gains:
            return "Shrinkage is used. There are too few sets of attributes, or only counts, to compare it with other estimators."
        if self.name == DEFAULT:
            return f"Shrinkage is used. No other estimator is clearly closer on {self.sets} sets of attributes."
        gain, error = self.gains[self.name]
        over = f"{gain / error:.1f} standard errors" if error > 0 else "more than chance explains"
        return f"The estimate by {self.name} is used. On {self.sets} sets of attributes it is closer than shrinkage by {over}."


@dataclass(frozen=True, eq=False)
class Chooser:
    """The default estimator of one release.

    It is chosen separately for each number of attributes.

    Parameters
    ----------
    release : Parted
    shrinkage : Shrinkage of this release
    """

    release: Parted
    shrinkage: Shrinkage
    _choices: dict[int, Choice] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def fitted(self) -> Fitted:
        """The estimators fitted to all answers."""
        return Fitted(self.release, self.shrinkage)

    def read(self, axes: Sequence[int]) -> tuple[Floats, float, Choice]:
        """Return shares of the attributes at ``axes``, disagreement and choice.

        The axes of the shares are in that order.

        The disagreement is the largest difference between a marginal of the shares and the estimate for one attribute less.
        """
        order, choice = tuple(sorted(axes)), self.choice(len(axes))
        table, below, apart = self._table(order), range(len(axes) if len(axes) > 1 else 0), 0.0
        for out in below:
            apart = max(apart, float(np.abs(table.sum(axis=out) - self._table(order[:out] + order[out + 1 :])).max()))
        return np.asarray(table.transpose([order.index(i) for i in axes])), apart, choice

    def choice(self, width: int) -> Choice:
        """Return the choice for marginals of ``width`` attributes."""
        if width not in self._choices:
            self._choices[width] = self._compared(width)
        return self._choices[width]

    def _table(self, axes: Axes) -> Floats:
        return ESTIMATORS[self.choice(len(axes)).name](self.fitted, axes)

    def _compared(self, width: int) -> Choice:
        """Compare the estimators for the population and for the respondents. Another one has to be clearly closer for both."""
        sets = self._sets(width) if width > 1 else []
        if len(sets) < _FEWEST or self.release.parted(self._names(sets[0]), _PARTS) is None:
            return Choice()
        for w in range(2, width + 1):
            self.shrinkage.law(w)  # learned once, from all answers
        names = [name for name in ESTIMATORS if name != DEFAULT and (self.projects_whole or name != WHOLE)]
        kept: dict[tuple[str, ...], tuple[Channel, Floats, float]] = {}
        cells = sum(math.prod(self.release.reports.sizes[i] for i in axes) for axes in sets)
        parts = [_Part(self.release, part, kept) for part in range(_USED if width == 2 or cells <= _FEW_CELLS else _USED_WIDE)]
        gains = np.zeros((len(names), len(sets), 3))
        for part in parts:
            fitted = Fitted(part, Shrinkage(part, laws=self.shrinkage.laws))
            for place, axes in enumerate(sets):
                default = ESTIMATORS[DEFAULT](fitted, axes)
                for row, name in enumerate(names):
                    gains[row, place] += part.gain(self._names(axes), default, ESTIMATORS[name](fitted, axes)) / len(parts)
        means = gains[:, :, :2].mean(axis=1)
        noises = np.sqrt(gains[:, :, 2:].sum(axis=1) / len(parts)) / len(sets)  # if sets were independent
        errors = np.maximum(gains[:, :, :2].std(axis=1, ddof=1) / math.sqrt(len(sets)), noises)
        least = float(scipy.special.stdtrit(len(sets) - 1, _CLEAR))
        clear = {name: means[row, 0] for row, name in enumerate(names) if (means[row] > least * errors[row]).all()}
        found = {name: (float(means[row, 0]), float(errors[row, 0])) for row, name in enumerate(names)}
        return Choice(max(clear, key=clear.__getitem__, default=DEFAULT), found, len(sets))

    @property
    def projects_whole(self) -> bool:
        """True if the whole table is small enough to project and has no erased interaction."""
        sizes = self.release.reports.sizes
        return math.prod(sizes) <= _WHOLE_CELLS and not self._lost(range(len(sizes)))

    def _sets(self, width: int) -> list[Axes]:
        """Return sets of ``width`` attributes at equal distances in the list of all."""
        sizes = self.release.reports.sizes
        every = [axes for axes in listed_sets(sizes, width) if not self._lost(axes)]
        cells = sum(math.prod(sizes[i] for i in axes) for axes in every)
        most = min(len(every), _MOST, max(_FEWEST, len(every) * _CELLS // max(cells, 1)))
        return [every[place * len(every) // most] for place in range(most)]

    def _names(self, axes: Sequence[int]) -> list[str]:
        return [self.release.reports.names[i] for i in axes]

    def _lost(self, axes: Sequence[int]) -> bool:
        return bool(self.release.channel(self._names(axes)).lost())


@dataclass(frozen=True, eq=False)
class _Part:
    """The answers except for one part, with which ``gain`` compares.

    Parameters
    ----------
    release : Parted
    part : number of the part
    kept : maps names of attributes to the channel, the counts of all parts, and the share of the variance of the unbiased estimate
        that is due to sampling
    """

    release: Parted
    part: int
    kept: dict[tuple[str, ...], tuple[Channel, Floats, float]]

    @property
    def schema(self) -> Schema:
        return self.release.schema

    @property
    def reports(self) -> Schema:
        return self.release.reports

    def channel(self, names: Sequence[str]) -> Channel:
        return self._of(names)[0]

    def released(self, names: Sequence[str]) -> Floats:
        counts = self._of(names)[1]
        left = counts.sum(axis=0) - counts[self.part]
        return np.asarray(left / max(left.sum(), 1))

    def effective(self, names: Sequence[str]) -> float:
        counts = self._of(names)[1]
        return self.release.effective(names) * float(1 - counts[self.part].sum() / max(counts.sum(), 1))

    def gain(self, names: Sequence[str], default: Floats, other: Floats) -> Floats:
        """Return the reduction of the squared error by ``other``, and its variance.

        The reduction is given for the population and for the respondents.

        With respect to the respondents, an estimate correctly follows the answers to which it is fitted, to the extent that their
        noise is due to sampling.
        """
        channel, counts, sampled = self._of(names)
        if not counts[self.part].sum():
            return np.zeros(3)
        weights = channel.invert_back(other - default)
        held, own = (
            float((weights * each).sum()) for each in (counts[self.part] / max(counts[self.part].sum(), 1), self.released(names))
        )
        squares, people = float((default**2).sum() - (other**2).sum()), held + sampled * (own - held)
        noise = 4 * float(((weights - held) ** 2 * counts[self.part]).sum()) / counts[self.part].sum() ** 2
        return np.array([squares + 2 * held, squares + 2 * people, noise])

    def _of(self, names: Sequence[str]) -> tuple[Channel, Floats, float]:
        if (own := tuple(names)) not in self.kept:
            counts, channel, sampled = self.release.parted(names, _PARTS), self.release.channel(names), 1.0
            assert counts is not None
            if not channel.lost():
                released = counts.sum(axis=0) / max(counts.sum(), 1)
                shares = channel.invert(released)
                people, population = (cell_variance(released, shares, channel, 1, population=p).sum() for p in (False, True))
                sampled = float(np.clip(1 - people / population, 0, 1)) if population > 0 else 1.0
            self.kept[own] = channel, counts, sampled
        return self.kept[own]
