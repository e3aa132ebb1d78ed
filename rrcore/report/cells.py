"""Every combination of a marginal in numbers, as texts: the same digits in reports, scripts and on pages."""

from __future__ import annotations

from rrcore.arrays import Floats
from rrcore.estimate import Estimate
from rrcore.wording import interval_text, percent, points


def cell_texts(
    estimate: Estimate, truth: Floats | None = None, *, population: bool = False, simultaneous: bool = False
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
    The attributes; "truth" where it is given; "released" where the reports are the categories; "blend (95 %)" and "unbiased (95 %)", each
    a share with its interval;
    "standard error" of the unbiased estimate. An attribute of the same name gets " (answer)" after it.

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> estimate = nigeria().estimate(["connected to an armed group"])
    >>> cell_texts(estimate, population=True)["blend (95 %)"]
    ['73.8 % (70.9 % to 76.6 %)', '26.2 % (23.4 % to 29.1 %)']
    """
    blend = estimate.blend()
    both = {
        "blend (95 %)": (blend.shares, blend.interval(population=population, simultaneous=simultaneous)),
        "unbiased (95 %)": (estimate.shares, estimate.interval(population=population, simultaneous=simultaneous)),
    }
    numbers = {} if truth is None else {"truth": [percent(share) for share in truth.ravel().tolist()]}
    if estimate.beside is not None:
        numbers["released"] = [percent(share) for share in estimate.beside.ravel().tolist()]
    for name, (shares, (low, high)) in both.items():
        cells = zip(shares.ravel().tolist(), low.ravel().tolist(), high.ravel().tolist(), strict=True)
        numbers[name] = [f"{percent(share)} ({interval_text(*ends)})" for share, *ends in cells]
    numbers["standard error"] = [points(error) for error in estimate.standard_error(population=population).ravel().tolist()]
    names = [f"{name} (answer)" if name in numbers else name for name in estimate.schema.names]
    texts = zip(*(labels for _, labels in estimate.cells(estimate.shares.size)), strict=True)
    return {name: list(column) for name, column in zip(names, texts, strict=True)} | numbers
