"""Is every record randomised afresh? Lies of one record beside those of others: after it, at any distance, and in another call."""

from collections.abc import Sequence
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from rrcore.arrays import Booleans, Floats, Integers
from rrcore.audit.check import Check, Comparisons
from rrcore.audit.expected import Expected
from rrcore.audit.fit import fits, often
from rrcore.audit.trials import Randomiser, Trials, balanced, released
from rrcore.errors import InputError
from rrcore.wording import percent

_NEAR = 16  # distances at which every pair of records is compared
_FAR = 3  # further ones that stand out
_AGAIN = 2_000  # records that are sent a second time
_CALL = 8  # records of a short call


def check_sequence(trials: Trials, expected: Expected, *, alpha: float) -> Check:
    """Records beside others of the same stream."""
    found, marks, n, names = Comparisons("sequence", alpha), trials.marks, trials.n, expected.names
    chance, seen = expected.same_shift, meeting_rate(marks.shifts)
    for lag in range(1, min(_NEAR, n - 1) + 1):
        hits, pairs = meetings(marks.shifts, lag)
        found.add(often(hits, pairs, chance, seen), _met(lag, hits, pairs, chance))
    for lag in standing_out(marks.shifts, _FAR):
        hits, pairs = meetings(marks.shifts, lag)
        found.add(often(hits, pairs, chance, seen), _met(lag, hits, pairs, chance), times=n)
    first, second = marks.lies[: n - n % 2 : 2], marks.lies[1::2]
    for i, j in product(range(expected.k), repeat=2):
        if i != j and expected.k > _NEAR:
            continue
        _after(found, first[:, i], second[: len(first), j], expected, i, j)
    for i in range(expected.k):
        before, after = expected.plain(trials.true[:-1]), trials.true[1:]
        copied = int((trials.released[1:, i] == before[:, i]).sum())
        likely = expected.becomes(i, after[:, i], before[:, i])
        lie = float(marks.lies[:, i].mean())
        likewise = (
            likely.mean()
            if expected.matrix(i) is not None
            else np.where(after[:, i] == before[:, i], 1 - lie, lie / (expected.sizes[i] - 1)).mean()
        )
        found.add(
            often(copied, n - 1, float(likely.mean()), float(likewise)),
            f"'{names[i]}' is released as the true answer of the record before in {percent(copied / (n - 1))} of records; the file says "
            f"{percent(float(likely.mean()))}.",
        )
    return found.done(f"The lies of a record say nothing about those of the next, nor of any of {n:,} others.")


def check_starts(randomise: Randomiser, expected: Expected, starts: int, *, alpha: float, rng: np.random.Generator) -> Check:
    """The same records in another call, and short calls: their first and last record, and one call beside the next.

    Parameters
    ----------
    starts : int >= 2, number of short calls
    """
    if not isinstance(starts, int) or starts < 2:
        raise InputError(f"The number of short calls is {str(starts)[:40]}: give a whole number of at least 2.")
    found = Comparisons("starts", alpha)
    true = balanced(expected.sizes, _AGAIN, rng)
    one, other = (released(randomise, true, expected.report_sizes) for _ in range(2))
    equal, chance = int((one == other).all(axis=1).sum()), float(expected.same(true).mean())
    one_shift, other_shift = (expected.marks(true, out, rng=rng).shifts for out in (one, other))
    moved, seen = int((one_shift == other_shift).sum()), meeting_rate(np.concatenate([one_shift, other_shift]))
    found.add(
        np.maximum(often(equal, len(true), chance), often(moved, len(true), seen)),
        f"The same {len(true):,} records in two calls were released alike in {percent(equal / len(true))}; by chance it would be "
        f"{percent(chance)}.",
    )
    again = balanced(expected.sizes, _CALL, rng)
    calls = [expected.marks(again, released(randomise, again, expected.report_sizes), rng=rng) for _ in range(starts)]
    lies = np.array([call.lies for call in calls])  # calls, places, attributes
    rates = expected.rates
    honest = float(expected.lie_sets(range(expected.k)).ravel()[0]) if expected.k <= _NEAR else float(expected.number[0])
    for place in range(_CALL):
        where = f"Record {place + 1} of a call"
        true_calls = int((~lies[:, place].any(axis=1)).sum())
        found.add(
            often(true_calls, starts, honest, (~lies.any(axis=2)).mean()),
            f"{where} was released truthfully in {true_calls} of {starts} calls; the file says {percent(honest)}.",
        )
        false = lies[:, place].sum(axis=0)
        found.add(
            often(false, starts, rates, lies.mean(axis=(0, 1))),
            partial(_false_at, where, expected.names, false.tolist(), starts, rates.tolist()),
        )
    shifts = np.array([call.shifts for call in calls])
    within, halves, rate = int((shifts[:, ::2] == shifts[:, 1::2]).sum()), starts * _CALL // 2, meeting_rate(shifts.ravel())
    found.add(
        often(within, halves, expected.same_shift, rate),
        f"Records of the same short call lie in the same way in {percent(within / halves)} of cases; by chance it would be "
        f"{percent(expected.same_shift)}: a call shares its lies.",
    )
    met = int((shifts[: starts - starts % 2 : 2] == shifts[1::2][: starts // 2]).sum())
    pairs = starts // 2 * _CALL
    found.add(
        often(met, pairs, expected.same_shift, rate),
        f"The lies of one call are those of the next in {percent(met / pairs)} of records; by chance it would be "
        f"{percent(expected.same_shift)}: a seed may be used again.",
    )
    return found.done(
        f"{starts:,} short calls and the same {len(true):,} records sent twice: every call lies afresh, and so do their first records."
    )


def meetings(values: NDArray[np.uint64], lag: int) -> tuple[int, int]:
    """How many of the pairs of entries ``lag`` apart are equal, and how many pairs: no entry is in two of them."""
    n = values.size
    place = np.arange(n - lag)
    chosen = place[place // lag % 2 == 0]
    return int((values[chosen] == values[chosen + lag]).sum()), int(chosen.size)


def meeting_rate(values: NDArray[np.uint64]) -> float:
    """How often two entries are equal, wherever they stand."""
    counts = np.unique(values, return_counts=True)[1].astype(np.float64)
    return float((counts * (counts - 1)).sum() / max(1.0, values.size * (values.size - 1.0)))


def standing_out(values: NDArray[np.uint64], most: int) -> list[int]:
    """Distances beyond ``_NEAR`` at which entries are most often alike, from the autocorrelation of a coin tossed for every value."""
    n = values.size
    if n < 8 * _NEAR:
        return []
    with np.errstate(over="ignore"):
        mixed = (values ^ (values >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
    signs = np.where(mixed >> np.uint64(63), 1.0, -1.0)
    signs -= signs.mean()
    spectrum = np.fft.rfft(signs, 1 << (2 * n - 1).bit_length())
    together: Floats = np.fft.irfft(np.abs(spectrum) ** 2)[: n - 4 * _NEAR] / np.sqrt(np.arange(n, 4 * _NEAR, -1))
    together[: _NEAR + 1] = -np.inf
    return np.argsort(-together)[:most].tolist()


def _after(found: Comparisons, first: Booleans, second: Booleans, expected: Expected, i: int, j: int) -> None:
    """Whether a lie at attribute ``i`` goes with a lie at attribute ``j`` of the next record."""
    names = expected.names
    shares = np.multiply.outer(expected.lie_sets([i]), expected.lie_sets([j]))
    counts: Integers = np.bincount(2 * first.astype(np.int64) + second, minlength=4)
    seen = (
        np.multiply.outer([counts[:2].sum(), counts[2:].sum()], [counts[::2].sum(), counts[1::2].sum()])
        / max(1, counts.sum()) ** 2
    )
    found.add(
        max(fits(counts, shares), fits(counts, seen)),
        f"After a record with '{names[i]}' false, '{names[j]}' of the next is false in "
        f"{percent(counts[3] / max(1, counts[2] + counts[3]))}; the file says {percent(float(expected.rates[j]))}.",
    )


def _met(lag: int, hits: int, pairs: int, chance: float) -> str:
    return (
        f"Records {lag:,} apart lie in the same way in {percent(hits / max(1, pairs))} of cases; by chance it would be {percent(chance)}: "
        "their randomness is shared."
    )


def _false_at(where: str, names: Sequence[str], false: Sequence[int], starts: int, rates: Sequence[float], i: int) -> str:
    return f"{where}: '{names[i]}' is false in {false[i]} of {starts} calls; the file says {percent(rates[i])}."
