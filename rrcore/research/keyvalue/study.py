"""How far off the protocols are: measured repeatedly against the level, the kind of keys and F2M's default, and told of one collection."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from rrcore.arrays import Floats
from rrcore.estimate import margin
from rrcore.progress import Report, part, quiet
from rrcore.research.keyvalue.data import KeyValueData, invented
from rrcore.research.keyvalue.protocol import Counts, KeyEstimates, Protocol, sample_states
from rrcore.wording import Quantity, amount_text, counted, minus, percent, points

_OFF = 0.01
"""By how much endless reports leave a mean off, from -1 to 1, before that is said."""

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
    """Mean absolute errors over the keys, one entry per repeat.

    Parameters
    ----------
    frequency, mean : ndarrays of shape (R,)
    """

    frequency: Floats
    mean: Floats

    def band(self, what: str) -> tuple[float, float, float]:
        """Median and the 10 % and 90 % points over the repeats of one of the two."""
        low, middle, high = np.quantile(getattr(self, what), [0.1, 0.5, 0.9])
        return float(low), float(middle), float(high)


def repeat_errors(
    protocol: Protocol, truth: tuple[Floats, Floats], draw: Callable[[], Counts], repeats: int, *, rng: np.random.Generator
) -> Errors:
    """The errors of fresh collections; means outside [-1, 1] and frequencies outside [0, 1] count as they are.

    Parameters
    ----------
    truth : frequency and mean of every key, shape (d,) each
    draw : gives counts of states, shape (d, 3), for every round
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
    """Errors of every (name, position on the axis, protocol), one after another."""
    truth, draw = (data.frequency, data.mean), partial(sample_states, data, rng=rng)
    for done, (name, where, protocol) in enumerate(protocols):
        report(done / len(protocols), f"{name} at {where:g}")
        yield name, where, repeat_errors(protocol, truth, draw, repeats, rng=rng)


def case_curves(
    protocols: Mapping[str, Protocol], repeats: int, *, users: int, keys: int, rng: np.random.Generator, report: Report = quiet
) -> Iterator[tuple[str, float, Errors]]:
    """``error_curve`` of all ``protocols`` on an invented set of each of the ``CASES``; the position is the number of the case."""
    for number, (name, (frequency, mean)) in enumerate(CASES.items()):
        data = invented(users, keys, frequency=frequency, mean=mean, spread=0.1, rng=rng)
        todo = [(key, float(number), protocol) for key, protocol in protocols.items()]
        yield from error_curve(data, todo, repeats, rng=rng, report=part(report, number, len(CASES), name))


def lowest(curves: Mapping[str, Sequence[tuple[float, Errors]]], what: str) -> str:
    """The protocol whose median error of "frequency" or "mean" is the lowest at most positions."""
    at: dict[float, dict[str, float]] = {}
    for name, curve in curves.items():
        for where, errors in curve:
            at.setdefault(where, {})[name] = errors.band(what)[1]
    best = [min(errors, key=errors.__getitem__) for errors in at.values()]
    return max(curves, key=best.count)


@dataclass(frozen=True)
class TypicalKey:
    """How well a protocol does on a key of average frequency and mean.

    Parameters
    ----------
    frequency, mean : averages over the keys
    expected_mean : what that mean is estimated as with endless reports
    frequency_margin, mean_margin : half the width of the median 95 % interval over the keys
    bound : the paper's bounds on the errors of frequency and mean, None where it gives none
    """

    frequency: float
    mean: float
    expected_mean: float
    frequency_margin: float
    mean_margin: float
    bound: tuple[float, float] | None

    @property
    def biased(self) -> bool:
        """Whether endless reports leave the mean off by more than 0.01."""
        return abs(self.expected_mean - self.mean) > _OFF


def typical_key(protocol: Protocol, data: KeyValueData, found: KeyEstimates) -> TypicalKey:
    """``found`` by ``protocol`` in ``data``, for a key of average frequency and mean."""
    frequency, mean = float(np.mean(data.frequency)), float(np.nanmean(data.mean))
    margins = [float(margin(float(np.median(errors)))) for errors in (found.frequency_error, found.mean_error)]
    bound = protocol.bound(data.n / data.d, frequency)
    return TypicalKey(frequency, mean, protocol.expected(frequency, mean)[1], margins[0], margins[1], bound)


def bias_sentence(protocol: Protocol, data: KeyValueData) -> str:
    """That the mean of a key stays off however many report, which its interval does not know; of the key where it is furthest off.

    Empty where that is at most 0.01, and of keys that nobody has.
    """
    keys = [
        (share, mean, protocol.expected(share, mean)[1])
        for share, mean in zip(data.frequency, data.mean, strict=True)
        if share > 0
    ]
    share, mean, found = max(keys, key=lambda key: abs(key[2] - key[1]), default=(0.0, 0.0, 0.0))
    if abs(found - mean) <= _OFF:
        return ""
    return (
        f"This estimator is biased: with unlimited reports, a key that {percent(share)} of the users have with mean {minus(f'{mean:.2f}')} "
        f"would be given a mean of {minus(f'{found:.2f}')}, and no interval of a mean allows for that."
    )


def verdict(protocol: Protocol, title: str, data: KeyValueData, found: KeyEstimates) -> str:
    """How closely ``found`` tells frequencies and means of ``data``, and what the report of a user gives away, in one sentence each.

    Parameters
    ----------
    title : of the protocol
    found : estimates by ``protocol``, of ``data.d`` keys

    Returns
    -------
    Markdown, without names from the data
    """
    typical = typical_key(protocol, data, found)
    low, high = found.interval("frequency")
    inside = int(np.count_nonzero((low <= data.frequency) & (data.frequency <= high)))
    price = f"One report, the whole of what is sent: {Quantity('whole record', title).both(protocol.exact_level)}."
    if not np.isfinite(typical.frequency_margin):
        return (
            f"From one report by each of {counted(data.n, 'user', 'users')}, **{title}** cannot tell how many have a key, or how highly they "
            f"rate it: these are too few reports. {price}"
        )
    how_highly = f"± {amount_text(typical.mean_margin, 2)}" if np.isfinite(typical.mean_margin) else "too few reports to say"
    return (
        f"From one report by each of {counted(data.n, 'user', 'users')}, **{title}** tells how many have a key within "
        f"**± {points(typical.frequency_margin)}** and how highly they rate it, from -1 to 1, within **{how_highly}**; "
        f"{inside:,} of {counted(data.d, 'interval holds', 'intervals hold')} the true share. {price}"
    )
