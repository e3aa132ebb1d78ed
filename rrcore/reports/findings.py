"""One-sentence findings for the headlines of pages."""

import numpy as np

from rrcore.arrays import Floats
from rrcore.estimate import Result
from rrcore.simulation.metrics import coverage, largest_absolute_error
from rrcore.table import Schema
from rrcore.wording import points, range_text, share_text

_ALIKE = 1e-9


def finding_next_to_truth(truth: Floats, shares: Floats, interval: tuple[Floats, Floats]) -> str:
    """State how many intervals contain the true share, and the largest error.

    All arrays have the same shape.

    >>> shares = np.array([0.65, 0.35])
    >>> finding_next_to_truth(np.array([0.7, 0.3]), shares, (shares - 0.06, shares + 0.06))
    '2 of 2 confidence intervals contain the true proportion. The largest error is 5.0 percentage points.'
    """
    held, cells = round(coverage(truth, *interval) * truth.size), truth.size
    error = points(largest_absolute_error(truth, shares), "percentage points")
    return f"{held:,} of {cells:,} confidence intervals contain the true proportion. The largest error is {error}."


def finding_from_answers(schema: Schema, shares: Floats, interval: tuple[Floats, Floats]) -> str:
    """Return one sentence with the most common combination and its interval.

    For a single question with two answers, the sentence is about the rarer answer.

    Examples
    --------
    >>> import rrcore as rr
    >>> schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")), rr.Attribute("drinks", ("no", "yes"))))
    >>> shares = np.array([[0.6, 0.1], [0.02, 0.28]])
    >>> print(finding_from_answers(schema, shares, (shares - 0.03, shares + 0.03)))
    An estimated 60.0% have “smokes: no, drinks: no” (95% CI 57.0 to 63.0).
    """
    cell = np.unravel_index(shares.argmin() if shares.size == 2 else shares.argmax(), shares.shape)
    named = zip(schema.attributes, cell, strict=True)
    label = ", ".join(f"{attribute.name}: {attribute.categories[i]}" for attribute, i in named)
    share, low, high = (float(each[cell]) for each in (shares, *interval))
    return f"An estimated {share_text(share, low, high)} have “{label}” (95% CI {range_text(low, high)})."


def finding_within(found: Result, group: str) -> str:
    """State which share differs most between groups, with its extreme values.

    Examples
    --------
    >>> labels = {"Sex": ["f", "f", "m", "m"], "smokes": ["no", "yes"] * 2}
    >>> shares = np.array([0.9, 0.1, 0.7, 0.3])
    >>> found = Result(labels=labels, estimate=shares, std_error=shares / 50, conf_low=shares - 0.02, conf_high=shares + 0.02)
    >>> print(finding_within(found, "Sex"))
    “smokes: yes” ranges from 10.0% (95% CI 8.0 to 12.0) among “Sex: f” to 30.0% (95% CI 28.0 to 32.0) among “Sex: m”.
    """
    others = [name for name in found.labels if name != group]
    cells = list(zip(*(found.labels[name] for name in others), strict=True))
    known = np.isfinite(found.estimate)
    rows = {cell: [row for row, own in enumerate(cells) if own == cell and known[row]] for cell in dict.fromkeys(cells)}
    ranges = {cell: float(np.ptp(found.estimate[own])) for cell, own in rows.items() if own}
    if not ranges:
        return "There are too few answers to estimate shares within these groups."
    widest = max(ranges.values())
    # of two answers, which differ alike, the last
    cell = next(cell for cell in reversed(ranges) if ranges[cell] >= widest - _ALIKE)
    ends = sorted(rows[cell], key=lambda row: float(found.estimate[row]))
    first, last = (
        (share_text(*numbers), range_text(*numbers[1:]), found.labels[group][row])
        for row in (ends[0], ends[-1])
        if (numbers := [float(column[row]) for column in (found.estimate, found.conf_low, found.conf_high)])
    )
    label = ", ".join(f"{name}: {category}" for name, category in zip(others, cell, strict=True))
    least, most = (f"{share} (95% CI {ends}) among “{group}: {value}”" for share, ends, value in (first, last))
    return f"“{label}” ranges from {least} to {most}."
