"""An estimate beside the truth as a table for a file: one row per cell."""

from __future__ import annotations

import csv
import io
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from rrcore.arrays import Floats
from rrcore.estimate.projection import PROJECTIONS
from rrcore.table.dataset import spreadsheet_safe

if TYPE_CHECKING:
    from rrcore.estimate.marginal import Estimate


def estimate_table(
    estimate: Estimate, truth: Floats | None = None, *, population: bool = False, projections: bool = True
) -> dict[str, list[str] | list[float]]:
    """Columns, one row per cell: categories, true, released and estimated share, standard error, 95 % interval, blend, projections.

    Parameters
    ----------
    estimate : Estimate; an attribute named like one of the columns of numbers gets " (answer)" after its name
    truth : ndarray of the shape of the estimate, true shares; None where they are not known
    population : as in ``cell_variance``
    projections : whether the shares put back to probabilities are listed too, and the blend with its 95 % interval
    """
    low, high = estimate.interval(population=population)
    numbers = {} if truth is None else {"truth": truth}
    numbers |= {
        "released": estimate.released,
        "estimate": estimate.shares,
        "standard error": estimate.standard_error(population=population),
        "low": low,
        "high": high,
    }
    if projections:
        blend = estimate.blend()
        first, last = blend.interval(population=population)
        numbers |= {"blend": blend.shares, "blend low": first, "blend high": last}
        numbers |= {f"{name} projection": project(estimate.shares) for name, project in PROJECTIONS.items()}
    names = [f"{name} (answer)" if name in numbers else name for name in estimate.schema.names]
    cells = zip(*product(*(attribute.categories for attribute in estimate.schema.attributes)), strict=True)
    columns: dict[str, list[str] | list[float]] = {name: list(texts) for name, texts in zip(names, cells, strict=True)}
    return columns | {name: values.ravel().tolist() for name, values in numbers.items()}


def estimate_csv(estimate: Estimate, truth: Floats | None = None, *, population: bool = False) -> str:
    """``estimate_table`` as CSV text, every cell safe to open in a spreadsheet."""
    table = estimate_table(estimate, truth, population=population)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(spreadsheet_safe, table))
    for row in zip(*table.values(), strict=True):
        writer.writerow([spreadsheet_safe(cell) if isinstance(cell, str) else cell for cell in row])
    return out.getvalue()


def widest_margin(estimate: Estimate, confidence: float = 0.95, *, population: bool = False) -> float:
    """Half the length of the widest interval of an estimated share; ``population`` as in ``cell_variance``."""
    low, high = estimate.interval(confidence, population=population)
    return float(np.max(high - low) / 2)


def count_outside(shares: Floats) -> int:
    """How many shares lie outside [0, 1], as raw estimates may."""
    return int(np.count_nonzero((shares < 0) | (shares > 1)))
