"""A form randomises one record at a time: are records that are sent alone, or two or three together, randomised like those of a table?

Truth in all of c calls has probability p0^c by the file: there are so many calls that this is caught for sure (theory.md section 16).
"""

import math

import numpy as np

from rrcore.arrays import Floats
from rrcore.audit.check import Check, Comparisons
from rrcore.audit.expected import Expected
from rrcore.audit.fit import often
from rrcore.audit.sequence import meeting_rate
from rrcore.audit.trials import Randomiser, Trials, balanced, released
from rrcore.wording import count_text, counted, percent

FEW = (1, 2, 3)
"""Records of a call."""

_FAMILIES = 3  # truthful records, false answers, and calls that lie like the call before
_SURE = 0.1  # part of the false alarms that truth in every call stays below
_FEWEST = 12  # calls of one record
_LEAST, _MOST = 1 / 3, 5  # calls of one record for each other short call
_POWER = 0.977  # a share of truthful calls that is said to be seen is seen so often


def check_alone(
    randomise: Randomiser, trials: Trials, expected: Expected, starts: int, *, alpha: float, rng: np.random.Generator
) -> Check:
    """Calls of one, two and three records: how many are released truthfully, which answers are false, and each call beside the next.

    Parameters
    ----------
    trials : releases of many records, whose lies are held against those of few as well: what is wrong for all is another check's matter
    starts : number of other short calls, see ``plan_calls``
    """
    found = Comparisons("alone", alpha)
    calls = plan_calls(expected, starts, alpha)
    lies = trials.released != expected.plain(trials.true)
    truer = (~lies.any(axis=1)).mean() / max(1e-300, float(expected.truth(trials.true).mean()))  # than by the file, in tables
    falser = lies.mean(axis=0) / np.maximum(1e-300, expected.false(trials.true).mean(axis=0))
    rate = meeting_rate(trials.marks.shifts)
    p_values: tuple[list[Floats], ...] = ([], [], [])
    texts: tuple[list[str], ...] = ([], [], [])
    for size in FEW:
        times = max(2, calls // size)
        true = balanced(expected.sizes, times * size, rng)
        out = np.concatenate([released(randomise, call, expected.report_sizes) for call in np.split(true, times)])
        lies = out != expected.plain(true)
        sent = f"Of {counted(times * size, 'record', 'records')} sent {('alone', 'two at a time', 'three at a time')[size - 1]}"
        honest, likely = int((~lies.any(axis=1)).sum()), float(expected.truth(true).mean())
        p_values[0].append(often(honest, len(true), likely, likely * truer))
        texts[0].append(f"{sent}, {count_text(honest)} were released truthfully; the file says {percent(likely)}.")
        false, rates = lies.sum(axis=0), expected.false(true).mean(axis=0)
        p_values[1].append(often(false, len(true), rates, rates * falser))
        texts[1].extend(
            f"{sent}, '{name}' is false in {count_text(hits)}; the file says {percent(own)}."
            for name, hits, own in zip(expected.names, false.tolist(), rates.tolist(), strict=True)
        )
        shifts = expected.marks(true, out, rng=rng).shifts.reshape(times, size)[: times - times % 2]
        met = int((shifts[::2] == shifts[1::2]).sum())
        p_values[2].append(often(met, shifts.size // 2, expected.same_shift, rate))
        texts[2].append(
            f"{sent}, {count_text(met)} pairs of {count_text(shifts.size // 2)} from one call and the next lie in the same way; the file "
            f"says {percent(expected.same_shift)}."
        )
    for own, sentences in zip(p_values, texts, strict=True):
        found.add(np.concatenate([np.atleast_1d(one) for one in own]), sentences.__getitem__)
    return found.done(
        f"{count_text(calls)} records sent alone, and some two and three at a time, are randomised like those of a table.",
        unseen=_unseen(expected, calls, alpha),
    )


def plan_calls(expected: Expected, starts: int, alpha: float) -> int:
    """Calls of one record: so many that truth in all of them is caught for sure, but at most five for each of ``starts``.

    There are half as many calls of two records, and a third of three.
    """
    likely, most = _likely(expected), _MOST * starts
    if likely >= 1:
        return most
    needed = math.ceil(math.log(_SURE * _share(alpha) / 2) / math.log(likely)) if likely > 0 else _FEWEST
    return min(most, max(_FEWEST, needed, round(_LEAST * starts)))


def _likely(expected: Expected) -> float:
    """How likely a record is released truthfully, on average over all answers."""
    some = balanced(expected.sizes, max(1_000, *expected.sizes), np.random.default_rng(0))
    return float(expected.truth(some).mean())


def _share(alpha: float) -> float:
    """Part of the false alarms of one comparison of truthful records."""
    return alpha / (_FAMILIES * len(FEW))


def _unseen(expected: Expected, calls: int, alpha: float) -> str:
    """How often a record that is sent alone may be released truthfully without being seen."""
    from scipy.stats import binom  # heavy

    likely = _likely(expected)
    most = float(binom.isf(_share(alpha) / 2, calls, likely)) + 1  # truthful releases from here on are caught
    shares = np.linspace(0, 1, 201)
    caught = binom.sf(most - 1, calls, np.minimum(1.0, likely + (1 - likely) * shares)) >= _POWER
    if not caught.any():
        return f"A record that is released as it is whenever it is sent alone: {counted(calls, 'such call', 'such calls')} cannot tell."
    return (
        f"A record that is released as it is in fewer than about {percent(float(shares[int(caught.argmax())]))} of the times it is sent "
        f"alone: {counted(calls, 'such call', 'such calls')} cannot tell."
    )
