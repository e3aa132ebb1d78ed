"""Estimates of marginals from randomized answers.

The module inverts channels, explains why inversion can be impossible, and computes intervals and tables of cells.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from importlib import import_module
from itertools import product
from os import PathLike
from typing import Any

import numpy as np

from rrcore.arrays import Booleans, Floats, Integers
from rrcore.channel import Channel
from rrcore.errors import InputError, NotIdentifiableError, need
from rrcore.estimate.estimators import PROJECTIONS, Trade, blended, estimated_blend, simplex
from rrcore.estimate.intervals import Functionals
from rrcore.estimate.sample import Spread, Tally
from rrcore.estimate.shrinkage import Choice
from rrcore.estimate.uncertainty import check_confidence, margin
from rrcore.estimate.weakest_interaction import Weakest, weakest_interaction
from rrcore.limits import MAX_MARGINAL, USELESS_MARGIN
from rrcore.mark import TRUE_SHARES
from rrcore.table import Attribute, Dataset, Schema, given_table
from rrcore.table.reading.arrow import ArrowStream
from rrcore.wording import (
    MOST_ROWS,
    and_text,
    count_text,
    counted,
    csv_text,
    estimate_text,
    html_table,
    interval_text,
    percent,
    points,
    share_text,
)
from rrcore.wording.short import Short, some

Truth = Dataset | Floats | ArrowStream | str | PathLike[str]
"""The true table, a path or data frame that stands for it, or its shares."""

_ALIKE = 1e-9
_SUM = 0.01  # how far the sum of true shares can be from 1, by rounding
_NOTHING = 1e-15  # a variance that rounding alone makes


@dataclass(frozen=True, eq=False)
class Estimate(Short):
    """An unbiased estimate of a marginal.

    Parameters
    ----------
    released : ndarray of shape ``channel.report_sizes``
        Shares of the randomized answers, with the weights of the sample.
    shares : ndarray of shape ``channel.sizes``
        The estimates. They sum to 1, but individual estimates can lie below 0 or above 1.
    channel : Channel
        The channel that was inverted.
    n : int
        Number of respondents.
    schema : Schema
        The attributes of the marginal.
    reports : Schema
        The attributes with the categories of the randomized answers. The same as ``schema`` if the categories do not differ.
    drawn : Spread, optional
        Effect of weights, strata and clusters on the variation of the shares. By default, that of a simple random sample.
    chosen : callable, optional
        Returns the shares by the default estimator of the release (theory.md section 31), the difference between their marginals
        and the estimates with one attribute less, and the Choice. None if only this marginal is known.

    Examples
    --------
    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic")
    >>> estimate = rr.simulate(table, rr.Plan(table, epsilon=2.0), rng=0).estimate("Survived")
    >>> low, high = estimate.interval(0.95)
    >>> (low < table.shares("Survived")).all() and (table.shares("Survived") < high).all()
    np.True_
    >>> estimate.to_arrow().column_names
    ['Survived', 'randomized', 'estimate', 'std_error', 'conf_low', 'conf_high']
    """

    released: Floats
    shares: Floats
    channel: Channel
    n: int
    schema: Schema
    reports: Schema
    drawn: Spread | None = None
    chosen: Callable[[], tuple[Floats, float, Choice]] | None = field(default=None, repr=False)
    _intervals: dict[tuple[bool, float], tuple[Floats, ...]] = field(default_factory=dict, init=False, repr=False)

    def _summary(self) -> str:
        cells = [f"{', '.join(names)} {percent(self.shares[i])}" for i, names in self.cells(4)]
        text = f"{' × '.join(self.schema.names)}, {counted(self.n, 'person', 'people')}: {'; '.join(cells)}"
        return f"{text} and {self.shares.size - 4:,} more" if self.shares.size > 4 else text

    @property
    def randomized(self) -> Floats | None:
        """Shares of the randomized answers.

        None if their categories differ from those of the true answers.
        """
        return self.released if self.reports == self.schema else None

    @cached_property
    def possible(self) -> Booleans:
        """Which combinations of randomized answers can occur, shape of ``released``."""
        return np.asarray(self.channel.push(np.full(self.shares.shape, 1 / self.shares.size)) > 0)

    def std_error(self, *, population: bool = False) -> Floats:
        """Return the standard error of every share at the nearest possible truth.

        Parameters
        ----------
        population : bool
            If True, standard errors and intervals are for the population. By default, they are for the respondents only.

        Returns
        -------
        ndarray
            Standard errors with the shape of ``shares``. They are positive if answers are randomized.
        """
        found = self.functionals(population=population).std_error.reshape(self.shares.shape)
        if self.drawn is None:
            return found
        variances = self.drawn.cell_variances(self.channel, population=population)
        return np.where(variances > _NOTHING, np.sqrt(variances), found)

    def interval(
        self,
        confidence: float = 0.95,
        *,
        population: bool = False,
        simultaneous: bool = False,
        around: Any = None,
    ) -> tuple[Floats, Floats]:
        """Return a confidence interval for every share.

        The interval contains the estimate and all shares between 0 and 1 that are compatible with the answers (theory.md section
        30).

        Parameters
        ----------
        confidence : float
            Confidence of each interval, or joint confidence of all intervals if ``simultaneous``.
        population : bool
            If True, standard errors and intervals are for the population. By default, they are for the respondents only.
        simultaneous : bool
            If True, all shares of the marginal lie in their intervals simultaneously with this confidence (Sidak 1967).
        around : ndarray, optional
            An estimate that the interval must contain. By default, the unbiased one.

        Returns
        -------
        tuple of ndarrays
            Lower and upper ends, with the shape of ``shares``.

        Raises
        ------
        InputError
            If the confidence is not between 0 and 1.
        """
        together = self.shares.size if simultaneous and self.shares.size > 2 else 1  # of two shares one gives the other
        check_confidence(confidence)
        each = confidence ** (1 / together)
        if (population, each) not in self._intervals:  # figures, tables and sentences ask for the same one
            found = self.functionals(population=population)
            ends = found.interval(each)
            if not population and abs(self.spread.kish / self.n - 1) < _ALIKE:  # whole numbers of people
                ends = (np.ceil(ends[0] * self.n - 1e-6) / self.n, np.floor(ends[1] * self.n + 1e-6) / self.n)
            self._intervals[population, each] = ends
        shares = self.shares if around is None else around
        low, high = (end.reshape(shares.shape) for end in self._intervals[population, each])
        return np.minimum(low, shares), np.maximum(high, shares)

    def useless(self, *, population: bool = False) -> bool:
        """Return True if the margin of error of some share spans the entire range.

        Parameters
        ----------
        population : bool
            If True, standard errors and intervals are for the population. By default, they are for the respondents only.

        Returns
        -------
        bool
            Whether the estimate is useless.
        """
        return float(margin(self.std_error(population=population)).max()) > USELESS_MARGIN

    def functionals(
        self, groups: Integers | None = None, a: Floats | None = None, b: Floats | None = None, *, population: bool
    ) -> Functionals:
        """Return sums and ratios of shares, as ``Functionals.of`` does.

        By default, each share is a separate sum.

        Parameters
        ----------
        groups : ndarray of int, optional
            The group of each cell in every sum.
        a, b : ndarray, optional
            Coefficients of the numerator and the denominator.
        population : bool
            If True, standard errors and intervals are for the population. By default, they are for the respondents only.

        Returns
        -------
        Functionals
            The sums or ratios with their variances.
        """
        if groups is None or a is None:
            people = np.maximum(np.rint(self.n / self.design_effects(population=population)), 1).astype(np.int64).ravel()
            about = (self.released, self.shares, self.projected, self.channel, people)
            return replace(Functionals.shares(*about, population=population), freedom=self.spread.freedom)
        people = np.full(groups.shape[-1], self.n)
        found = Functionals.of(groups, a, b, self.released, self.projected, self.channel, people, population=population)
        return found if self.drawn is None else found.by_design(self.drawn, self.channel)

    @cached_property
    def spread(self) -> Spread:
        """Variation of the shares of the randomized answers."""
        return Spread.simple(self.released, self.n) if self.drawn is None else self.drawn

    def design_effects(self, *, population: bool = True) -> Floats:
        """Return the design effect of every share.

        The design effect is the variance under the design of the sample divided by that of a simple random sample of equal size
        (Kish 1965). If the latter is 0, it is the effect of unequal weights alone.

        Parameters
        ----------
        population : bool
            If True, standard errors and intervals are for the population. By default, they are for the respondents only.

        Returns
        -------
        ndarray
            Design effects with the shape of ``shares``, 1 for a simple random sample.
        """
        if self.drawn is None:
            return np.ones_like(self.shares)
        simple = Spread.simple(self.released, self.n).cell_variances(self.channel, population=population)
        found = self.drawn.cell_variances(self.channel, population=population)
        alone = np.full(found.shape, self.n / self.drawn.kish)
        return np.divide(found, simple, out=alone, where=np.minimum(simple, found) > _NOTHING)

    @property
    def weighted(self) -> bool:
        """True if the respondents are anything other than a simple random sample."""
        return self.drawn is not None and not self.drawn.random

    @cached_property
    def design_effect(self) -> float:
        """Design effect of all shares together.

        It is the sum of their variances divided by that of a simple random sample.
        """
        return self._together(population=True)

    def effective(self, *, population: bool = True) -> float:
        """Return the size of a simple random sample with equal information.

        Parameters
        ----------
        population : bool
            If True, standard errors and intervals are for the population. By default, they are for the respondents only.

        Returns
        -------
        float
            The effective sample size.
        """
        return self.n / self._together(population=population)

    def _together(self, *, population: bool) -> float:
        if not self.weighted:
            return 1.0
        simple = Spread.simple(self.released, self.n).cell_variances(self.channel, population=population)
        effects = self.design_effects(population=population)
        return float((effects * simple).sum() / simple.sum()) if simple.sum() > 0 else 1.0

    @cached_property
    def projected(self) -> Floats:
        """The probability distribution nearest to ``shares``, with the same shape."""
        return simplex(self.shares)

    def closest(self) -> PointEstimate:
        """Return the default estimate of this marginal.

        The estimator is shrinkage unless the answers show that another one has smaller errors.

        This estimate is biased. Its intervals are those of the unbiased estimate, extended to contain it. If only this marginal is
        known, ``blend`` is used instead.

        Returns
        -------
        PointEstimate
            Shares that are probabilities.
        """
        if self.chosen is None:
            return self.blend()
        shares, disagreement, choice = self.chosen()
        return PointEstimate(choice.name, shares, self, disagreement, choice)

    def blend(self) -> PointEstimate:
        """Return a weighted mean of the unbiased estimate and independence.

        The weight minimizes the expected error.

        This estimate is biased, but its errors are smaller than those of ``shares`` if protection is strong (theory.md section 15).

        Returns
        -------
        PointEstimate
            Shares that are probabilities.
        """
        mean = simplex(blended(self.released, self.shares, self.channel, self.trade))
        return PointEstimate("blend", mean, self)

    @cached_property
    def trade(self) -> Trade:
        """Expected errors of inversion and independence.

        They are estimated from the randomized answers.
        """
        return estimated_blend(self.released, self.channel, self.effective(population=False))

    def cells(self, most: int) -> list[tuple[tuple[int, ...], tuple[str, ...]]]:
        """Return the largest cells.

        Parameters
        ----------
        most : int
            Number of cells. If there are no more than this, all cells are returned in their order.

        Returns
        -------
        list of tuples
            Index and categories of each cell.
        """
        size = self.shares.size
        chosen = np.arange(size) if size <= most else np.argsort(-self.shares, axis=None, kind="stable")[:most]
        found = zip(*(axis.tolist() for axis in np.unravel_index(chosen, self.shares.shape)), strict=True)
        return [(i, tuple(a.categories[c] for a, c in zip(self.schema.attributes, i, strict=True))) for i in found]

    def people_for(self, error: float, confidence: float = 0.95) -> int:
        """Return the sample size at which no margin of error exceeds ``error``.

        The calculation assumes that the shares, the sample design, and the sampled part of the population stay the same.

        Parameters
        ----------
        error : float
            The margin of error as a share, such as 0.02 for two percentage points.
        confidence : float
            Confidence of the intervals.

        Returns
        -------
        int
            Total number of respondents.

        Raises
        ------
        InputError
            If the margin of error is not between 0 and 1, or there is only one respondent.

        Examples
        --------
        >>> import rrcore as rr
        >>> table = rr.load_demo("titanic")
        >>> rr.simulate(table, rr.Plan(table, epsilon=2.0), rng=0).estimate("Sex").people_for(0.01)
        13078
        """
        if not 0 < error <= 1:
            raise InputError(
                f"The margin of error is {error:g}. Choose a share between 0 and 1, such as 0.02 for two percentage points."
            )
        widest = float(margin(self.std_error(population=True), confidence).max())
        if self.n < 2:
            raise InputError("The variance of the answers is unknown with fewer than two people. Collect more answers.")
        return math.ceil(self.n * (widest / error) ** 2)

    def to_arrow(self, *, truth: Truth | None = None, population: bool = False) -> Any:
        """Return the cells as a pyarrow Table.

        Parameters
        ----------
        truth : Dataset, path, data frame, or ndarray, optional
            The true table, or its shares: an array with the shape of ``shares``, or a ``pandas.crosstab`` with ``normalize=True``.
            They form the column "truth".
        population : bool
            If True, standard errors and intervals are for the population. By default, they are for the respondents only.

        Returns
        -------
        pyarrow.Table
            One row for each cell with its categories, estimate, std_error, conf_low and conf_high (95%). The column randomized is
            included if the randomized answers have the same categories.

        Raises
        ------
        InputError
            If the truth has a different shape, or contains other values than shares.
        """
        import pyarrow as pa

        return pa.table(estimate_table(self, self._true(truth), population=population, projections=False))

    def _true(self, truth: Any) -> Floats | None:
        """Return true shares, given as such or by a table that has the attributes. Raises InputError for something else."""
        if truth is None:
            return None
        if (labeled := _labeled_shares(truth, self.schema)) is not None:
            true = labeled
        elif isinstance(truth, str | PathLike) or hasattr(truth, "__arrow_c_stream__"):
            true = given_table(truth, self.schema).shares(self.schema.names)
        else:
            true = np.asarray(truth)
        if np.shape(true) != self.shares.shape:
            raise InputError(f"Expected true shares of shape {self.shares.shape}, as in table.shares, got {np.shape(true)}.")
        if true.dtype.kind not in "biuf" or not (true.min() >= 0 and abs(true.sum() - 1) <= _SUM):
            got = f"{true.min():g} to {true.max():g} with sum {true.sum():g}" if true.dtype.kind in "biuf" else true.dtype
            raise InputError(f"Expected true shares from 0 to 1 that sum to 1, or the true table, got {got}.")
        return true

    def to_pandas(self, *, truth: Truth | None = None, population: bool = False) -> Any:
        """Return the cells as a pandas DataFrame.

        Parameters
        ----------
        truth : Dataset, path, data frame, or ndarray, optional
            The true table, or its shares: an array with the shape of ``shares``, or a ``pandas.crosstab`` with ``normalize=True``.
            They form the column "truth".
        population : bool
            If True, standard errors and intervals are for the population. By default, they are for the respondents only.

        Returns
        -------
        DataFrame
            The columns of ``to_arrow``.

        Raises
        ------
        InputError
            If the truth has a different shape, or contains other values than shares.

        Examples
        --------
        >>> import rrcore as rr
        >>> table = rr.load_demo("titanic")
        >>> estimate = rr.simulate(table, rr.Plan(table, epsilon=2.0), rng=0).estimate("Sex")
        >>> estimate.to_pandas(truth=table)[["Sex", "truth", "estimate"]].round(2)
              Sex  truth  estimate
        0    Male   0.79       0.8
        1  Female   0.21       0.2
        """
        need("pandas", "to_pandas")
        return self.to_arrow(truth=truth, population=population).to_pandas()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def plot(self, *, truth: Truth | None = None, population: bool = False, dark: bool = False) -> Any:
        """Draw the shares of the largest cells with their 95% intervals.

        Parameters
        ----------
        truth : Dataset, path, data frame, or ndarray, optional
            The true table, or its shares: an array with the shape of ``shares``, or a ``pandas.crosstab`` with ``normalize=True``.
        population : bool
            If True, standard errors and intervals are for the population. By default, they are for the respondents only.
        dark : bool
            If True, use the colors of a dark page.

        Returns
        -------
        plotly.graph_objects.Figure
            The figure.

        Raises
        ------
        InputError
            If the truth has a different shape, or contains other values than shares.
        """
        plots = import_module("rrcore.plots")  # by name, since figures are some floors above
        palette = plots.DARK if dark else plots.LIGHT
        known = {"truth": self._true(truth), "randomized": self.randomized, "interval": self.interval(population=population)}
        figure = plots.marginal_figure(self.schema, self.shares, palette, **known)
        return figure.update_layout(paper_bgcolor=palette.background)

    def _repr_html_(self) -> str:
        """Return the largest cells with shares in percent and 95% intervals, for a notebook."""
        low, high = self.interval()
        seen = self.randomized
        rows = [
            [
                *names,
                *([] if seen is None else [percent(seen[i])]),
                share_text(self.shares[i], low[i], high[i]),
                interval_text(low[i], high[i]),
            ]
            for i, names in self.cells(MOST_ROWS)
        ]
        heads = (*self.schema.names, *([] if seen is None else ["randomized"]), "estimate", "95% interval")
        title = f"{counted(self.n, 'person', 'people')}, {counted(self.shares.size, 'cell', 'cells')}"
        title += f", design effect {self.design_effect:.2f}" if self.weighted else ""
        weak = "" if self.weakest is None else self.weakest.sentence(self.schema.names)
        return html_table(
            heads, rows, numbers=2 if seen is None else 3, title=title, more=self.shares.size - len(rows), note=weak
        )

    @cached_property
    def weakest(self) -> Weakest | None:
        """The interaction with the lowest accuracy relative to independence.

        None for a single attribute.
        """
        return weakest_interaction(self.channel)


def _labeled_shares(truth: Any, schema: Schema) -> Floats | None:
    """Return shares that pandas labels with the categories, as crosstab and value_counts do, in the order of ``schema``; else None."""
    axes: list[Any] = [
        axis for axis in (getattr(truth, "index", None), getattr(truth, "columns", None)) if hasattr(axis, "names")
    ]
    if {name for axis in axes for name in axis.names} != set(schema.names):
        return None
    cells = truth if len(axes) == 1 else truth.stack(list(range(axes[1].nlevels)), future_stack=True)
    order = [cells.index.names.index(name) for name in schema.names]
    found = {tuple(str(key[i]) for i in order) if len(order) > 1 else (str(key),): share for key, share in cells.items()}
    wanted = list(product(*(attribute.categories for attribute in schema.attributes)))
    if other := found.keys() - wanted:
        raise InputError(f"The truth contains the cell {', '.join(min(other))}. Use only the categories of the estimate.")
    return np.array([found.get(cell, 0) for cell in wanted]).reshape(schema.sizes)


@dataclass(frozen=True, eq=False)
class PointEstimate(Short):
    """Estimated shares that always form a probability distribution.

    They come from the same release as an unbiased estimate.

    Parameters
    ----------
    name : str
        Name of the estimator.
    shares : ndarray of shape ``estimate.channel.sizes``
        Non-negative shares with sum 1.
    estimate : Estimate
        The unbiased estimate of the same marginal.
    disagreement : float
        Largest difference between a marginal of the shares and its own estimate. Some estimated marginals of three or more
        attributes are incompatible with each other.
    choice : Choice, optional
        The reason for using this estimator. None if it was requested.

    Examples
    --------
    >>> import numpy as np
    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic")
    >>> plan = rr.Plan(table, 0.5).with_(mechanism="preserving-2")
    >>> estimate = rr.simulate(table, plan.build(), rng=np.random.default_rng(0)).estimate(["Class", "Sex", "Survived"])
    >>> blend = estimate.blend()
    >>> low, high = blend.interval()
    >>> bool((estimate.shares < 0).any()), bool(((0 <= low) & (low <= blend.shares) & (blend.shares <= high) & (high <= 1)).all())
    (True, True)
    """

    name: str
    shares: Floats
    estimate: Estimate
    disagreement: float = 0.0
    choice: Choice | None = None

    def _summary(self) -> str:
        return f"{self.name} of {self.estimate._summary().partition(':')[0]}: {some([percent(share) for share in self.shares.ravel()])}"

    def interval(
        self, confidence: float = 0.95, *, population: bool = False, simultaneous: bool = False
    ) -> tuple[Floats, Floats]:
        """Return ``Estimate.interval`` extended to contain this estimate.

        This estimate replaces the unbiased one.
        """
        return self.estimate.interval(confidence, population=population, simultaneous=simultaneous, around=self.shares)


def estimate_table(
    estimate: Estimate,
    truth: Floats | None = None,
    *,
    population: bool = False,
    simultaneous: bool = False,
    projections: bool = True,
    confidence: float = 0.95,
    also: Mapping[str, np.ndarray] = {},
) -> dict[str, list[Any]]:
    """Return an estimate as columns, with one row per cell.

    The columns hold categories, true, randomized and estimated shares, standard errors, intervals and other estimates.

    Parameters
    ----------
    estimate : Estimate
        An attribute with the same name as a numeric column is renamed by appending " (answer)".
    truth : ndarray, optional
        True shares, with the shape of the estimate.
    population : bool
        As in ``cell_variance``.
    simultaneous : bool
        If True, the confidence applies to all intervals together.
    projections : bool
        If True, include projections to probabilities, and the default estimate with its interval.
    confidence : float
        Confidence of the intervals.
    also : mapping of str to ndarrays
        Further columns, with the shape of the estimate.
    """
    meant = {"population": population, "simultaneous": simultaneous}
    low, high = estimate.interval(confidence, **meant)
    numbers = {} if truth is None else {"truth": truth}
    numbers |= {} if estimate.randomized is None else {"randomized": estimate.randomized}
    numbers |= {
        "estimate": estimate.shares,
        "std_error": estimate.std_error(population=population),
        "conf_low": low,
        "conf_high": high,
    }
    if projections:
        closest = estimate.closest()
        first, last = closest.interval(confidence, **meant)
        numbers |= {closest.name: closest.shares, f"{closest.name} conf_low": first, f"{closest.name} conf_high": last}
        numbers |= {f"{name} projection": project(estimate.shares) for name, project in PROJECTIONS.items()}
    return cell_table(estimate.schema, numbers | dict(also))


def cell_table(schema: Schema, numbers: Mapping[str, np.ndarray]) -> dict[str, list[Any]]:
    """Return one row for each cell of ``schema``, with categories and numbers.

    The arrays in ``numbers`` have the shape of the schema.

    An attribute with the same name as a numeric column is renamed by appending " (answer)".
    """
    return cell_categories(schema, numbers) | {name: values.ravel().tolist() for name, values in numbers.items()}


def cell_categories(schema: Schema, columns: Collection[str]) -> dict[str, list[Any]]:
    """Return the categories of every cell by attribute.

    If an attribute has a name among ``columns``, " (answer)" is appended to it.
    """
    names = [f"{name} (answer)" if name in columns else name for name in schema.names]
    cells = zip(*product(*(attribute.categories for attribute in schema.attributes)), strict=True)
    return {name: list(texts) for name, texts in zip(names, cells, strict=True)}


def written_cells(schema: Schema, table: Mapping[str, Sequence[Any]], shown: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the categories of every cell of ``schema`` and columns as text.

    Each heading of ``shown`` corresponds to a column of ``table``.

    Columns that ``table`` lacks are omitted. An attribute with the same name as a heading is renamed by appending " (answer)".
    """
    texts = {heading: written_cell_column(table, name) for heading, name in shown.items() if name in table}
    return cell_categories(schema, texts) | texts


def written_cell_column(table: Mapping[str, Sequence[Any]], name: str) -> list[str]:
    """Return one column as text.

    Estimates include intervals, standard errors are in percentage points, and numbers of people include their share. Other shares
    appear alone.

    Shares without an interval are rounded to the digits of the unbiased estimate.
    """
    before = "" if name in {"estimate", "EM"} else f"{name} "
    if {f"{before}conf_low", f"{before}conf_high"} <= set(table):
        write = share_text if name == "EM" else estimate_text
        return [write(*row) for row in zip(table[name], table[f"{before}conf_low"], table[f"{before}conf_high"], strict=True)]
    if name == "randomized people":
        return [f"{count_text(n)} ({percent(share)})" for n, share in zip(table[name], table["randomized"], strict=True)]
    return [(points if name == "std_error" else percent)(value) for value in table[name]]


def estimate_csv(
    estimate: Estimate, truth: Floats | None = None, *, population: bool = False, simultaneous: bool = False, mark: str = ""
) -> str:
    """Return ``estimate_table`` as CSV text that is safe to open in a spreadsheet.

    ``mark`` names a first column that is "yes" in every row. If ``truth`` is given, the column after ``TRUE_SHARES`` bears this
    name.
    """
    marks = [*([] if truth is None else [TRUE_SHARES]), *([mark] if mark else [])]
    table = estimate_table(estimate, truth, population=population, simultaneous=simultaneous)
    return csv_text(table, zip(*table.values(), strict=True), mark="; ".join(marks))


_MOST_NAMED = 6  # sets of categories that are listed


def invert_counts(counts: Integers, channel: Channel, *, schema: Schema | None = None, reports: Schema | None = None) -> Estimate:
    """Estimate a marginal from counts of randomized answers.

    Parameters
    ----------
    counts : ndarray of shape ``channel.report_sizes``
        Counts of the randomized answers.
    channel : Channel
        The channel of the mechanism that randomized them.
    schema : Schema, optional
        The attributes of the marginal. By default, attributes and categories are numbered.
    reports : Schema, optional
        The attributes with the categories of the randomized answers. By default ``schema``, or numbers if their number differs.

    Raises
    ------
    NotIdentifiableError
        If the answers carry no information about an interaction of the marginal (|mu_T| < MIN_FACTOR), or the reports do not
        distinguish some categories.
    InputError
        If there are no records, or more than MAX_MARGINAL attributes.
    """
    n = int(counts.sum())
    if n == 0:
        raise InputError("There are no randomized answers. An estimate needs at least one.")
    return _estimate(counts / n, channel, n, schema, reports, None)


def invert_tally(tally: Tally, channel: Channel, *, schema: Schema | None = None, reports: Schema | None = None) -> Estimate:
    """Invert the weighted shares of the randomized answers of a sample.

    Parameters and errors are as in ``invert_counts``.
    """
    return _estimate(tally.released, channel, tally.n, schema, reports, tally.spread)


def _estimate(
    released: Floats, channel: Channel, n: int, schema: Schema | None, reports: Schema | None, drawn: Spread | None
) -> Estimate:
    if released.ndim > MAX_MARGINAL:
        raise InputError(f"The joint distribution has {released.ndim} attributes. Use at most {MAX_MARGINAL}.")
    schema = schema or _numbered(channel.sizes)
    if reports is None:
        reports = schema if channel.report_sizes == channel.sizes else _numbered(channel.report_sizes)
    lost = channel.lost()
    if lost:
        for axes in lost:
            if len(axes) == 1 and (why := inversion_text(schema.attributes[axes[0]], channel, axes[0])):
                raise NotIdentifiableError(why[0].upper() + why[1:], lost)
        erased = "; ".join(_erased([schema.names[i] for i in axes]) for axes in lost[:3])
        raise NotIdentifiableError(
            f"The randomized answers carry no information about {erased}, so these shares cannot be estimated. Choose a mechanism "
            f"that preserves {counted(max(map(len, lost)), 'attribute', 'attributes')}, independent randomization, or a larger ε.",
            lost,
        )
    return Estimate(released, channel.invert(released), channel, n, schema, reports, drawn)


@lru_cache(maxsize=256)
def _numbered(sizes: tuple[int, ...]) -> Schema:
    return Schema(tuple(Attribute(f"attribute {i}", tuple(map(str, range(1, a + 1)))) for i, a in enumerate(sizes, 1)))


def _erased(names: Sequence[str]) -> str:
    quoted = " and ".join(f"'{name}'" for name in names)
    return quoted if len(names) == 1 else f"the association of {quoted}"


def inversion_text(attribute: Attribute, channel: Channel, axis: int) -> str:
    """Return a sentence on which shares of ``attribute`` can be estimated.

    The attribute is ``axis`` of ``channel``. The result is empty if every category can be estimated, or none.

    Examples
    --------
    >>> import numpy as np
    >>> from rrcore.channel import MatrixChannel
    >>> drug = Attribute("drug", ("none", "soft", "hard"))
    >>> two = MatrixChannel(np.array([[0.8, 0.2], [0.3, 0.7], [0.3, 0.7]]))
    >>> inversion_text(drug, two, 0).startswith("the 2 reports of 'drug' do not distinguish its 3 categories")
    True
    >>> inversion_text(drug, MatrixChannel(np.full((3, 3), 1 / 3)), 0)
    ''
    """
    sets = channel.estimable(axis)
    every = len(attribute.categories)
    reports = channel.report_sizes[axis]
    if all(len(chosen) == 1 for chosen in sets) or (sets == (tuple(range(every)),) and reports >= every):
        return ""
    begins = f"the {counted(reports, 'report', 'reports')} of '{attribute.name}' do not distinguish its {every} categories, so"
    if sets == (tuple(range(every)),):
        return f"{begins} the share of none of them can be estimated. Merge categories, or choose a design with at least {every} reports."
    named = [_set(attribute, chosen) for chosen in sets if len(chosen) < every]
    shares = [f"{'the share' if i == 0 else 'that'} of {text}" for i, text in enumerate(named[:_MOST_NAMED])]
    if len(named) > _MOST_NAMED:
        shares.append(f"the shares of {len(named) - _MOST_NAMED} more sets of categories")
    advice = "Merge such categories, or choose a design that reports them differently."
    return f"{begins} only {and_text(shares)} can be estimated. {advice}"


def _set(attribute: Attribute, chosen: Sequence[int]) -> str:
    names = [f"'{attribute.categories[x]}'" for x in chosen]
    return names[0] if len(names) == 1 else f"{and_text(names)} together"
