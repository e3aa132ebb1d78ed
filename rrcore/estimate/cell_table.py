"""The cells of a marginal as a table: one row for each, its categories and every number that is known of it, or those as texts.

A column is added here, once: files, reports, pages and commands choose among the columns.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import product
from typing import Any, Protocol

import numpy as np

from rrcore.arrays import Booleans, Floats
from rrcore.estimate.projections import PROJECTIONS
from rrcore.table.schema import Schema
from rrcore.wording import Quantity, count_text, csv_text, percent, points, share_text

_ENDS = {
    "estimate": ("low", "high"),
    "shrinkage": ("shrinkage low", "shrinkage high"),
    "blend": ("blend low", "blend high"),
}
"""What is estimated -> the columns of its interval."""

_IN_TEXTS = {
    "truth": "truth",
    "released": "released",
    "shrinkage (95 %)": "shrinkage",
    "blend (95 %)": "blend",
    "unbiased (95 %)": "estimate",
    "standard error": "standard error",
}
"""Heading in ``cell_texts`` -> the column that is written there."""

TRUE_SHARES = "contains true shares: do not publish"
"""Mark of whatever holds true shares."""


class Cells(Protocol):
    """What is asked of an ``Estimate``: its shares, what was released, and their errors."""

    @property
    def schema(self) -> Schema: ...
    @property
    def reports(self) -> Schema: ...
    @property
    def shares(self) -> Floats: ...
    @property
    def released(self) -> Floats: ...
    @property
    def beside(self) -> Floats | None: ...
    @property
    def possible(self) -> Booleans: ...
    def interval(
        self, confidence: float = 0.95, *, population: bool = False, simultaneous: bool = False
    ) -> tuple[Floats, Floats]: ...
    def standard_error(self, *, population: bool = False) -> Floats: ...
    def closest(self) -> Any: ...


def closest_cell_column(columns: Collection[str]) -> str:
    """The column of ``estimate_table`` that comes closest."""
    return "shrinkage" if "shrinkage" in columns else "blend"


def estimate_table(
    estimate: Cells,
    truth: Floats | None = None,
    *,
    population: bool = False,
    simultaneous: bool = False,
    projections: bool = True,
    confidence: float = 0.95,
    also: Mapping[str, np.ndarray] = {},
) -> dict[str, list[Any]]:
    """Columns, one row per cell: categories, true, released and estimated share, its error and 95 % interval, the closest one, projections.

    Released shares are left out where reports are not the categories (``reported_cell_table`` has them).

    Parameters
    ----------
    estimate : Estimate; an attribute named like one of the columns of numbers gets " (answer)" after its name
    truth : ndarray of the shape of the estimate, true shares; None where they are not known
    population : as in ``cell_variance``
    simultaneous : whether all intervals are to hold at once
    projections : whether the shares put back to probabilities are listed too, and what comes closest, "shrinkage" of a release and "blend" of
        a marginal alone, with its 95 % interval
    confidence : of the intervals
    also : further columns, ndarrays of the shape of the estimate
    """
    meant = {"population": population, "simultaneous": simultaneous}
    low, high = estimate.interval(confidence, **meant)
    numbers = {} if truth is None else {"truth": truth}
    numbers |= {} if estimate.beside is None else {"released": estimate.beside}
    numbers |= {
        "estimate": estimate.shares,
        "standard error": estimate.standard_error(population=population),
        "low": low,
        "high": high,
    }
    if projections:
        closest = estimate.closest()
        first, last = closest.interval(confidence, **meant)
        numbers |= {closest.name: closest.shares, f"{closest.name} low": first, f"{closest.name} high": last}
        numbers |= {f"{name} projection": project(estimate.shares) for name, project in PROJECTIONS.items()}
    return cell_table(estimate.schema, numbers | dict(also))


def reported_cell_table(estimate: Cells, also: Mapping[str, np.ndarray] = {}) -> dict[str, list[Any]]:
    """Columns, one row per combination of reports that can be: what was reported, and the share of people who reported it ("released").

    ``also`` has further columns, ndarrays of the shape of the reports.
    """
    columns = cell_table(estimate.reports, {"released": estimate.released} | dict(also))
    kept = np.flatnonzero(estimate.possible).tolist()
    return {name: [values[i] for i in kept] for name, values in columns.items()}


def cell_table(schema: Schema, numbers: Mapping[str, np.ndarray]) -> dict[str, list[Any]]:
    """One row for each cell of ``schema``: its categories, and what ``numbers`` (arrays of its shape) have of it.

    An attribute that is called like a column of numbers gets " (answer)" after its name.
    """
    return _categories(schema, numbers) | {name: values.ravel().tolist() for name, values in numbers.items()}


def _categories(schema: Schema, columns: Collection[str]) -> dict[str, list[Any]]:
    """The categories of every cell, one column for each attribute; one that is called like one of ``columns`` says "(answer)"."""
    names = [f"{name} (answer)" if name in columns else name for name in schema.names]
    cells = zip(*product(*(attribute.categories for attribute in schema.attributes)), strict=True)
    return {name: list(texts) for name, texts in zip(names, cells, strict=True)}


def written_cells(schema: Schema, table: Mapping[str, Sequence[Any]], shown: Mapping[str, str]) -> dict[str, list[str]]:
    """The categories of every cell of ``schema`` and, under each heading of ``shown``, that column of ``table`` as texts.

    Columns that ``table`` does not have are left out. An attribute that is called like a heading gets " (answer)" after its name.
    """
    texts = {heading: written_cell_column(table, name) for heading, name in shown.items() if name in table}
    return _categories(schema, texts) | texts


def written_cell_column(table: Mapping[str, Sequence[Any]], name: str) -> list[str]:
    """One column as texts: estimates with their intervals, errors in points, people with their share, other shares alone.

    Shares that are estimated without an interval of their own have the digits of the unbiased estimate's.
    """
    if name in _ENDS:
        rows = zip(table[name], *(table[end] for end in _ENDS[name]), strict=True)
        return [Quantity("share", name).estimated(*row) for row in rows]
    if name == "EM":
        return [share_text(*row) for row in zip(table[name], *(table[end] for end in _ENDS["estimate"]), strict=True)]
    if name == "released people":
        return [f"{count_text(n)} ({percent(share)})" for n, share in zip(table[name], table["released"], strict=True)]
    return [(points if name == "standard error" else percent)(value) for value in table[name]]


def cell_texts(
    estimate: Cells, truth: Floats | None = None, *, population: bool = False, simultaneous: bool = False
) -> dict[str, list[str]]:
    """Columns of texts, one row for each combination, in its order.

    Parameters
    ----------
    estimate : Estimate of a marginal
    truth : ndarray of the shape of the estimate, true shares; None where they are not known or not to be told
    population : what errors are against, as in ``cell_variance``
    simultaneous : whether all intervals are to hold at once

    Returns
    -------
    The attributes; "truth" where it is given; "released" where the reports are the categories; "shrinkage (95 %)", or "blend (95 %)" of a
    marginal alone, and "unbiased (95 %)", each a share with its interval; "standard error" of the unbiased estimate. An attribute of the
    same name gets " (answer)" after it.

    Examples
    --------
    >>> from rrcore.estimate import cell_texts, invert_counts
    >>> import numpy as np, rrcore as rr
    >>> table = rr.load_demo("titanic").select(["Survived"])
    >>> estimate = rr.perturb(table, rr.build("kronecker", (2,), [2]), rng=np.random.default_rng(0)).estimate(["Survived"])
    >>> cell_texts(estimate, population=True)["shrinkage (95 %)"]
    ['69.1 % (66.4 to 71.7)', '30.9 % (28.3 to 33.6)']
    """
    table = estimate_table(estimate, truth, population=population, simultaneous=simultaneous)
    return written_cells(estimate.schema, table, _IN_TEXTS)


def estimate_csv(
    estimate: Cells, truth: Floats | None = None, *, population: bool = False, simultaneous: bool = False, mark: str = ""
) -> str:
    """``estimate_table`` as CSV text, every cell safe to open in a spreadsheet.

    ``mark``, and ``TRUE_SHARES`` before it where ``truth`` is given, are the name of a first column that says "yes" in every row.
    """
    marks = [*([] if truth is None else [TRUE_SHARES]), *([mark] if mark else [])]
    table = estimate_table(estimate, truth, population=population, simultaneous=simultaneous)
    return csv_text(table, zip(*table.values(), strict=True), mark="; ".join(marks))
