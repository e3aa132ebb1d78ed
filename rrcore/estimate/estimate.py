"""The estimate of a marginal from released counts: value, error bars, and what it used."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from rrcore.arrays import Booleans, Floats
from rrcore.channel import Channel
from rrcore.errors import InputError, need
from rrcore.estimate.blend import Trade, blended, estimated_blend
from rrcore.estimate.cell_table import estimate_table
from rrcore.estimate.interactions import Weakest, weakest_interaction
from rrcore.estimate.projections import maximum_likelihood, simplex
from rrcore.estimate.sample import Spread
from rrcore.estimate.score import ShareLaws, joint_point, share_laws
from rrcore.estimate.uncertainty import margin, two_sided_point
from rrcore.table import Schema
from rrcore.wording import MOST_ROWS, counted, html_table, interval_text, percent, share_text
from rrcore.wording.short import Short, some

_NOTHING = 1e-15  # a variance that rounding alone makes


@dataclass(frozen=True, eq=False)
class Estimate(Short):
    """An unbiased estimate of a marginal.

    Parameters
    ----------
    released : ndarray of shape ``channel.report_sizes``, shares of the released records, weighted as the sample is
    shares : ndarray of shape ``channel.sizes``, raw estimate: sums to 1, may leave [0, 1]
    channel : Channel, the one that was inverted
    n : number of respondents
    schema : Schema of the marginal, its axes in their order
    reports : Schema of what is reported, of the sizes of ``released``; ``schema`` itself unless there are more or fewer reports
    drawn : Spread of the released shares by the sample's weights, strata and clusters; None for a simple random sample
    shrunk : gives the shares that reading the whole table at once comes to (theory.md section 25), and by how much their marginals differ
        from what is read of one attribute less; None where the rest of the table is not known

    Examples
    --------
    >>> import numpy as np
    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic").select(["Sex", "Survived"])
    >>> release = rr.perturb(table, rr.build("kronecker", (2, 2), [1, 2]), rng=np.random.default_rng(0))
    >>> estimate = release.estimate(["Survived"])
    >>> low, high = estimate.interval(0.95)
    >>> (low < table.shares(["Survived"])).all() and (table.shares(["Survived"]) < high).all()
    np.True_
    >>> estimate.to_arrow().column_names
    ['Survived', 'released', 'estimate', 'standard error', 'low', 'high']
    """

    released: Floats
    shares: Floats
    channel: Channel
    n: int
    schema: Schema
    reports: Schema
    drawn: Spread | None = None
    shrunk: Callable[[], tuple[Floats, float]] | None = field(default=None, repr=False)
    _laws: dict[bool, ShareLaws] = field(default_factory=dict, init=False, repr=False)

    def _summary(self) -> str:
        cells = [f"{', '.join(names)} {percent(self.shares[i])}" for i, names in self.cells(4)]
        text = f"{' × '.join(self.schema.names)}, {counted(self.n, 'person', 'people')}: {'; '.join(cells)}"
        return f"{text} and {self.shares.size - 4:,} more" if self.shares.size > 4 else text

    @property
    def beside(self) -> Floats | None:
        """``released`` where reports and categories are the same, so that it can stand beside the estimate; else None."""
        return self.released if self.reports == self.schema else None

    @cached_property
    def possible(self) -> Booleans:
        """Which combinations of reports can be at all, ndarray of the shape of ``released``."""
        return np.asarray(self.channel.push(np.full(self.shares.shape, 1 / self.shares.size)) > 0)

    def standard_error(self, *, population: bool = False) -> Floats:
        """Standard error of every share that can be, above 0: of the law that the projected share would have; ``population`` as in
        ``cell_variance``."""
        return self.laws(population=population).deviation(self.projected)

    def interval(
        self, confidence: float = 0.95, *, population: bool = False, simultaneous: bool = False, possible: bool = False
    ) -> tuple[Floats, Floats]:
        """Score interval of every share (theory.md section 15): (low, high), not cut off at 0 and 1, seldom symmetric.

        Parameters
        ----------
        confidence : of each interval; of all of them at once if ``simultaneous``
        population : as in ``cell_variance``
        simultaneous : whether all shares of the marginal are to lie in their intervals at once
        possible : whether estimates outside 0 to 1 get the interval that the nearest of the two would have
        """
        z = two_sided_point(confidence, self.spread.freedom if population else math.inf)
        if simultaneous:
            z = joint_point(self.projected, self.channel, confidence, population=population, drawn=self.drawn)
        laws = self.laws(population=population)
        return (laws.within if possible else laws).interval(z)

    def laws(self, *, population: bool = False) -> ShareLaws:
        """The law of every estimated share, which errors and intervals are read from; ``population`` as in ``cell_variance``."""
        if population not in self._laws:
            effect = self.design_effects(population=population)
            self._laws[population] = share_laws(
                self.released, self.shares, self.projected, self.channel, self.n, population=population, effect=effect
            )
        return self._laws[population]

    @cached_property
    def spread(self) -> Spread:
        """How the released shares vary."""
        return Spread.simple(self.released, self.n) if self.drawn is None else self.drawn

    def design_effects(self, *, population: bool = True) -> Floats:
        """By how much the sample's design multiplies the variance of every share, ndarray of their shape: 1 for a simple random sample.

        The design's variance over that of as many people drawn at random (Kish 1965); where that is 0, the effect of unequal weights alone.
        """
        if self.drawn is None:
            return np.ones_like(self.shares)
        simple = Spread.simple(self.released, self.n).cell_variances(self.channel, population=population)
        found = self.drawn.cell_variances(self.channel, population=population)
        alone = np.full(found.shape, self.n / self.drawn.kish)
        live = (simple > _NOTHING) & np.isfinite(simple)
        return np.maximum(np.divide(found, simple, out=alone, where=live), _NOTHING)

    @property
    def weighted(self) -> bool:
        """Whether people are a sample that is not simple."""
        return self.drawn is not None and not self.drawn.random

    @cached_property
    def design_effect(self) -> float:
        """That of all shares together, against the population: the sum of their variances over what it would be."""
        return self._together(population=True)

    def effective(self, *, population: bool = True) -> float:
        """How many people drawn at random would tell as much as these n."""
        return self.n / self._together(population=population)

    def _together(self, *, population: bool) -> float:
        if not self.weighted:
            return 1.0
        simple = Spread.simple(self.released, self.n).cell_variances(self.channel, population=population)
        effects = self.design_effects(population=population)
        return float((effects * simple).sum() / simple.sum()) if simple.sum() > 0 else 1.0

    @cached_property
    def projected(self) -> Floats:
        """The probability distribution nearest to ``shares``, ndarray of the same shape."""
        return simplex(self.shares)

    def closest(self) -> PointEstimate:
        """What is shown first: "shrinkage", read from the whole table at once; the ``blend`` where only this marginal is known.

        Neither is unbiased; both have the intervals of the unbiased estimate, widened to hold them.
        """
        if self.shrunk is None:
            return self.blend()
        shares, disagreement = self.shrunk()
        return PointEstimate("shrinkage", shares, self, disagreement)

    def simplex(self) -> PointEstimate:
        """``projected`` as a point estimate with intervals."""
        return PointEstimate("nearest probabilities", self.projected, self)

    def likeliest(self) -> PointEstimate:
        """The likeliest shares, by EM, as a point estimate with intervals."""
        return PointEstimate("EM", maximum_likelihood(self.released, self.channel).shares, self)

    def blend(self) -> PointEstimate:
        """The mean of inversion and of taking the attributes as independent that is expected to be closest, put back to probabilities.

        Closer than ``shares`` where protection is strong, and never further from any distribution than the same mean unprojected; not
        unbiased (theory.md section 15).
        """
        mean = simplex(blended(self.released, self.shares, self.channel, self.trade))
        return PointEstimate("blend", mean, self)

    @cached_property
    def trade(self) -> Trade:
        """What inversion and independence are expected to be off by, estimated from the released answers."""
        return estimated_blend(self.released, self.channel, self.effective(population=False))

    def cells(self, most: int) -> list[tuple[tuple[int, ...], tuple[str, ...]]]:
        """Index and categories of every cell in order; if there are more than ``most``, those with the largest shares."""
        size = self.shares.size
        chosen = np.arange(size) if size <= most else np.argsort(-self.shares, axis=None, kind="stable")[:most]
        found = zip(*(axis.tolist() for axis in np.unravel_index(chosen, self.shares.shape)), strict=True)
        return [(i, tuple(a.categories[c] for a, c in zip(self.schema.attributes, i, strict=True))) for i in found]

    def people_for(self, error: float, confidence: float = 0.95) -> int:
        """How many respondents in all make every share's interval reach at most ``error`` (a share) to each side, if shares stay alike
        and people are drawn alike, the same part of a finite population included.

        The chance of who was asked is included, as for a population. Raises InputError where one answer alone says nothing of that.
        """
        if not 0 < error <= 1:
            raise InputError(f"The error is {error:g}: give a share above 0 and at most 1, for example 0.02 for two points.")
        widest = float(margin(self.standard_error(population=True), confidence).max())
        if not math.isfinite(widest):
            raise InputError("So few people do not show how answers vary: at least two are needed to say how many more would be.")
        return math.ceil(self.n * (widest / error) ** 2)

    def to_arrow(self, *, truth: Floats | None = None, population: bool = False) -> Any:
        """A pyarrow Table, one row for each cell: categories, released share, estimate, standard error, 95 % interval (low, high).

        Without the released share where reports are not the categories: see ``reported_cell_table``.

        ``truth`` (ndarray of the shape of ``shares``, for example of ``Dataset.shares``) puts the true share before them.
        """
        import pyarrow as pa

        self._check_truth(truth)
        return pa.table(estimate_table(self, truth, population=population, projections=False))

    def _check_truth(self, truth: Floats | None) -> None:
        if truth is not None and np.shape(truth) != self.shares.shape:
            raise InputError(f"The truth has the shape {np.shape(truth)}: expected {self.shares.shape}, as in table.shares.")

    def to_pandas(self, *, truth: Floats | None = None, population: bool = False) -> Any:
        """A pandas DataFrame of the cells, as ``to_arrow`` has them."""
        need("pandas", "to_pandas")
        return self.to_arrow(truth=truth, population=population).to_pandas()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def plot(self, *, truth: Floats | None = None, population: bool = False, dark: bool = False) -> Any:
        """A plotly Figure: released and estimated shares of the largest cells with 95 % intervals, beside ``truth`` where it is given."""
        plots = import_module("rrcore.plots")  # by name, since figures are some floors above
        palette = plots.DARK if dark else plots.LIGHT
        interval = self.interval(population=population)
        self._check_truth(truth)
        figure = plots.marginal_bars(self.schema, truth, self.beside, self.shares, interval, palette)
        return figure.update_layout(paper_bgcolor=palette.background)

    def _repr_html_(self) -> str:
        """What a notebook shows: the cells (the largest, if there are many) with shares in percent and 95 % intervals."""
        low, high = self.interval()
        seen = self.beside
        rows = [
            [
                *names,
                *([] if seen is None else [percent(seen[i])]),
                share_text(self.shares[i], low[i], high[i]),
                interval_text(low[i], high[i]),
            ]
            for i, names in self.cells(MOST_ROWS)
        ]
        heads = (*self.schema.names, *([] if seen is None else ["released"]), "estimate", "95 % interval")
        title = f"{counted(self.n, 'person', 'people')}, {counted(self.shares.size, 'cell', 'cells')}"
        title += f", design effect {self.design_effect:.2f}" if self.weighted else ""
        weak = "" if self.weakest is None else self.weakest.sentence(self.schema.names)
        return html_table(
            heads, rows, numbers=2 if seen is None else 3, title=title, more=self.shares.size - len(rows), note=weak
        )

    @cached_property
    def weakest(self) -> Weakest | None:
        """What of this marginal is read worst beside independent answers with the same levels; None for a single attribute."""
        return weakest_interaction(self.channel)


@dataclass(frozen=True, eq=False)
class PointEstimate(Short):
    """Shares that are probabilities, read from the same release as an unbiased estimate.

    Parameters
    ----------
    name : what they are called where they are shown
    shares : ndarray of shape ``estimate.channel.sizes``, non-negative, summing to 1
    estimate : the unbiased Estimate of the same marginal
    disagreement : the largest difference of a share of its marginals from what is read of one attribute less: tables of three attributes
        and more may have parts that cannot be had together

    Examples
    --------
    >>> import numpy as np
    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic")
    >>> plan = rr.Plan.for_levels(table, 0.5).with_mechanism("pair-safe")
    >>> estimate = rr.perturb(table, plan.build(), rng=np.random.default_rng(0)).estimate(["Class", "Sex", "Survived"])
    >>> blend = estimate.blend()
    >>> low, high = blend.interval()
    >>> bool((estimate.shares < 0).any()), bool(((0 <= low) & (low <= blend.shares) & (blend.shares <= high) & (high <= 1)).all())
    (True, True)
    """

    name: str
    shares: Floats
    estimate: Estimate
    disagreement: float = 0.0

    def _summary(self) -> str:
        return f"{self.name} of {self.estimate._summary().partition(':')[0]}: {some([percent(share) for share in self.shares.ravel()])}"

    def interval(
        self, confidence: float = 0.95, *, population: bool = False, simultaneous: bool = False
    ) -> tuple[Floats, Floats]:
        """(low, high), between 0 and 1: the shares that the released answers do not contradict, and the point estimate itself.

        ``Estimate.interval`` cut off at 0 and 1 and widened where the point lies outside: a true share is a probability, so cutting off
        loses none, and an interval widened never covers less. Neither depends on the bias of the point, which is not known. Where the
        unbiased estimate lies outside 0 to 1 the interval is that of the nearest possible estimate (Mandelkern 2002), as long as it would
        be had nothing gone wrong, so that an estimate far below 0 is not mistaken for a precise one.
        """
        low, high = self.estimate.interval(confidence, population=population, simultaneous=simultaneous, possible=True)
        low, high = np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)
        return np.minimum(low, self.shares), np.maximum(high, self.shares)
