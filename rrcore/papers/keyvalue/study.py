"""Errors of the protocols in repeated simulations, and margins of error and bias in one collection."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from rrcore.arrays import Floats
from rrcore.estimate import margin
from rrcore.papers.keyvalue.data import KeyValueData
from rrcore.papers.keyvalue.protocols import Counts, KeyEstimates, Protocol, sample_states
from rrcore.progress import Report, quiet


@dataclass(frozen=True, eq=False)
class Errors:
    """Mean absolute errors over the keys of frequency and mean, one entry per repeat."""

    frequency: Floats
    mean: Floats

    def band(self, what: str) -> tuple[float, float, float]:
        """Return the 10%, 50% and 90% quantiles over the repeats of "frequency" or "mean"."""
        low, middle, high = np.quantile(getattr(self, what), [0.1, 0.5, 0.9])
        return float(low), float(middle), float(high)


def repeat_errors(
    protocol: Protocol, truth: tuple[Floats, Floats], draw: Callable[[], Counts], repeats: int, *, rng: np.random.Generator
) -> Errors:
    """Return the errors of simulated data collections, without clipping estimates.

    Parameters
    ----------
    protocol : Protocol
        The protocol.
    truth : tuple of ndarrays
        Frequency and mean of every key, shape (d,) each.
    draw : callable
        Gives counts of states, shape (d, 3), for every round.
    repeats : int
        The number of simulated data collections.
    rng : Generator
        The source of randomness.
    """
    rows = []
    for _ in range(repeats):
        found = protocol.estimate(protocol.collect(draw, rng=rng))
        frequency, mean = np.abs(found.frequency - truth[0]), np.abs(found.mean - truth[1])
        known = np.isfinite(mean)
        rows.append((np.nanmean(frequency), mean[known].mean() if known.any() else np.nan))
    return Errors(*np.array(rows).T)


def error_curve(
    data: KeyValueData,
    protocols: Sequence[tuple[str, float, Protocol]],
    repeats: int,
    *,
    rng: np.random.Generator,
    report: Report = quiet,
) -> Iterator[tuple[str, float, Errors]]:
    """Yield the errors of every (name, position on the axis, protocol)."""
    truth, draw = (data.frequency, data.mean), partial(sample_states, data, rng=rng)
    for done, (name, where, protocol) in enumerate(protocols):
        report(done / len(protocols), f"{name} at {where:g}")
        yield name, where, repeat_errors(protocol, truth, draw, repeats, rng=rng)


def lowest(curves: Mapping[str, Sequence[tuple[float, Errors]]], what: str) -> str:
    """Return the protocol with the smallest median error at most positions.

    The error is that of "frequency" or "mean".
    """
    at: dict[float, dict[str, float]] = {}
    for name, curve in curves.items():
        for where, errors in curve:
            at.setdefault(where, {})[name] = errors.band(what)[1]
    best = [min(errors, key=errors.__getitem__) for errors in at.values()]
    return max(curves, key=best.count)


def largest_bias(protocol: Protocol, data: KeyValueData) -> float:
    """Return the largest bias of an estimated mean over all keys.

    It is the limit for unlimited reports.
    """
    keys = zip(data.frequency, data.mean, strict=True)
    return max((abs(protocol.expected(share, mean)[1] - mean) for share, mean in keys if share > 0), default=0.0)


def usual_margins(found: KeyEstimates) -> tuple[float, float]:
    """Return half the width of the median 95% interval over the keys.

    There is one value for the frequency and one for the mean.
    """
    first, second = (float(margin(float(np.median(errors)))) for errors in (found.frequency_error, found.mean_error))
    return first, second
