"""The result type for estimates with confidence intervals.

Results consist of named rows. They convert to pandas and can be plotted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from rrcore.arrays import Floats
from rrcore.errors import need
from rrcore.wording import MOST_ROWS, amount_range_text, csv_text, estimate_text, html_table, interval_text, share_text
from rrcore.wording.json_values import finite
from rrcore.wording.short import Short, some


@dataclass(frozen=True, eq=False, kw_only=True)
class Result(Short):
    """Estimates with their confidence intervals, one per row.

    Parameters
    ----------
    labels : mapping of str to sequences of str
        Columns that name the rows, such as categories or terms of a model.
    estimate, std_error, conf_low, conf_high : ndarray
        One value per row, NaN if it cannot be estimated.
    confidence : float
        Confidence of every interval.
    columns : mapping of str to sequences
        Additional columns between the labels and the estimates, such as "truth", "randomized" and "n".
    share : bool
        If True, the estimates are shares and are displayed as percentages.
    note : str
        A note on the rows.

    Examples
    --------
    >>> found = Result(
    ...     labels={"Survived": ["No", "Yes"]},
    ...     estimate=np.array([0.68, 0.32]),
    ...     std_error=np.array([0.02, 0.02]),
    ...     conf_low=np.array([0.64, 0.28]),
    ...     conf_high=np.array([0.72, 0.36]),
    ... )
    >>> found
    <Result: No 68% (64% to 72%), Yes 32% (28% to 36%)>
    >>> list(found.to_dict())
    ['Survived', 'estimate', 'std_error', 'conf_low', 'conf_high']
    """

    labels: Mapping[str, Sequence[str]]
    estimate: Floats
    std_error: Floats
    conf_low: Floats
    conf_high: Floats
    confidence: float = 0.95
    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    share: bool = True
    note: str = ""

    def __len__(self) -> int:
        return len(self.estimate)

    @property
    def rows(self) -> list[str]:
        """Labels of every row, joined as text."""
        return [", ".join(texts) for texts in zip(*self.labels.values(), strict=True)]

    def texts(self, i: int) -> tuple[str, str]:
        """Return the estimate and the interval of a row as text.

        The number of digits depends on the width of the interval.

        Parameters
        ----------
        i : int
            Position of the row.

        Returns
        -------
        tuple of str
            The estimate and its interval.
        """
        value, low, high = (float(column[i]) for column in (self.estimate, self.conf_low, self.conf_high))
        if self.share:
            return share_text(value, low, high), interval_text(low, high)
        text, _, interval = amount_range_text(value, low, high).partition(" ")
        return text, interval.strip("()")

    @property
    def sentences(self) -> list[str]:
        """Every row as text, for example "yes: 55% (48 to 62)"."""
        columns = np.stack([self.estimate, self.conf_low, self.conf_high], axis=1).tolist()
        form = estimate_text if self.share else amount_range_text
        return [f"{name}: {form(*numbers)}" for name, numbers in zip(self.rows, columns, strict=True)]

    def _summary(self) -> str:
        return some(["{} {} ({})".format(name, *self.texts(i)) for i, name in enumerate(self.rows)])

    def take(self, rows: Sequence[int]) -> Result:
        """Return some of the rows.

        Parameters
        ----------
        rows : sequence of int
            Positions of the rows.

        Returns
        -------
        Result
            These rows.
        """
        labels, columns = ({name: [own[i] for i in rows] for name, own in table.items()} for table in (self.labels, self.columns))
        return Result(
            labels=labels,
            columns=columns,
            estimate=self.estimate[rows],
            std_error=self.std_error[rows],
            conf_low=self.conf_low[rows],
            conf_high=self.conf_high[rows],
            confidence=self.confidence,
            share=self.share,
            note=self.note,
        )

    def to_dict(self) -> dict[str, list[Any]]:
        """Return all columns as lists, ready for JSON.

        Returns
        -------
        dict
            Maps each column to its values. Infinite values and NaN become None.
        """
        numbers = {name: getattr(self, name).tolist() for name in ("estimate", "std_error", "conf_low", "conf_high")}
        named = {
            f"{name} (answer)" if name in numbers or name in self.columns else name: own for name, own in self.labels.items()
        }
        return {name: finite(list(values)) for name, values in (named | dict(self.columns) | numbers).items()}

    def to_csv(self, *, mark: str = "") -> str:
        """Return all columns as CSV text.

        Parameters
        ----------
        mark : str
            Name of a first column that is "yes" in every row. Omitted by default.

        Returns
        -------
        str
            A header line and one line for each row.
        """
        columns = self.to_dict()
        return csv_text(columns, zip(*columns.values(), strict=True), mark=mark)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows of ``to_dict``.

        Returns
        -------
        list of dict
            One dictionary per row, from column to value.
        """
        columns = self.to_dict()
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def to_arrow(self) -> Any:
        """Return all columns as a pyarrow Table.

        Returns
        -------
        pyarrow.Table
            The labels, additional columns, estimate, std_error, conf_low and conf_high.
        """
        import pyarrow as pa

        return pa.table(self.to_dict())

    def to_pandas(self) -> Any:
        """Return all columns as a pandas DataFrame.

        Returns
        -------
        DataFrame
            The labels, additional columns, estimate, std_error, conf_low and conf_high.
        """
        need("pandas", "to_pandas")
        return self.to_arrow().to_pandas()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def plot(self, *, dark: bool = False) -> Any:
        """Draw every estimate with its interval.

        Parameters
        ----------
        dark : bool
            If True, use the colors of a dark page.

        Returns
        -------
        plotly.graph_objects.Figure
            The figure.
        """
        plots = import_module("rrcore.plots")  # by name, since figures are some floors above
        return plots.result_figure(self, plots.DARK if dark else plots.LIGHT)

    def _repr_html_(self) -> str:
        shown = range(min(len(self), MOST_ROWS))
        names = list(zip(*self.labels.values(), strict=True))
        rows = [[*names[i], *self.texts(i)] for i in shown]
        heads = (*self.labels, "estimate", f"{100 * self.confidence:g}% interval")
        return html_table(heads, rows, numbers=2, more=len(self) - len(rows), note=self.note)
