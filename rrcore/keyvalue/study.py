"""How far off the protocols are, measured again and again: against the level, the kind of keys, and F2M's default."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rrcore.keyvalue.data import KeyValueData
from rrcore.keyvalue.protocol import Protocol
from rrcore.progress import Report, quiet

__all__ = ["CASES", "Errors", "error_curve"]

Floats = NDArray[np.float64]

CASES = {
    "extreme low frequency": (0.05, 0.0),
    "low frequency": (0.2, 0.0),
    "middle frequency": (0.6, 0.0),
    "high frequency": (0.8, 0.0),
    "low mean": (0.6, -0.8),
    "high mean": (0.6, 0.8),
}
"""Section VI-B: name -> middle frequency and middle mean of the keys."""


@dataclass(frozen=True, eq=False)
class Errors:
    """Mean absolute and mean squared errors over the keys, one entry a repeat.

    Parameters
    ----------
    frequency, mean : ndarrays of shape (R,), mean absolute error
    frequency_squared, mean_squared : ndarrays of shape (R,), mean squared error
    """

    frequency: Floats
    mean: Floats
    frequency_squared: Floats
    mean_squared: Floats

    def band(self, what: str) -> tuple[float, float, float]:
        """Median and the 10 % and 90 % points over the repeats of one of the four."""
        low, middle, high = np.quantile(getattr(self, what), [0.1, 0.5, 0.9])
        return float(low), float(middle), float(high)


def repeat_errors(data: KeyValueData, protocol: Protocol, repeats: int, *, rng: np.random.Generator) -> Errors:
    """The errors of fresh collections of the same data; means outside [-1, 1] and frequencies outside [0, 1] count as they are."""
    rows = []
    for _ in range(repeats):
        found = protocol.estimate(protocol.simulate(data, rng=rng))
        frequency, mean = found.frequency - data.frequency, found.mean - data.mean
        known = np.isfinite(mean)
        rows.append(
            (
                np.nanmean(np.abs(frequency)),
                np.abs(mean[known]).mean() if known.any() else np.nan,
                np.nanmean(frequency**2),
                (mean[known] ** 2).mean() if known.any() else np.nan,
            )
        )
    return Errors(*np.array(rows).T)


def error_curve(
    data: KeyValueData,
    protocols: Sequence[tuple[str, float, Protocol]],
    repeats: int,
    *,
    rng: np.random.Generator,
    report: Report = quiet,
) -> Iterator[tuple[str, float, Errors]]:
    """Errors of every (name, position on the axis, protocol), one after another."""
    for done, (name, where, protocol) in enumerate(protocols):
        report(done / len(protocols), f"{name} at {where:g}")
        yield name, where, repeat_errors(data, protocol, repeats, rng=rng)
