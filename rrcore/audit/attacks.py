"""Trying to break a mechanism by running it: lower bounds on what it gives away, which must stay below its claim."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rrcore.arrays import Codes, Floats, Integers
from rrcore.audit.claims import Claim, Promise
from rrcore.audit.fit import best_event, largest_bound, lower_bound
from rrcore.audit.trials import Randomiser, Record
from rrcore.errors import InputError
from rrcore.estimate.uncertainty import check_confidence
from rrcore.limits import AUDIT_CONFIDENCE, MAX_AUDIT_RUNS, MIN_AUDIT_RUNS
from rrcore.mechanisms import Mechanism
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.sampler import randomise
from rrcore.table.dataset import Dataset
from rrcore.wording import count_text
from rrcore.work import Report, quiet

_CHUNK = 1 << 17  # records released at a time
_DIGITS = 9  # decimals to which scores count as equal


def exact_sampler(file: MechanismFile) -> Randomiser:
    """A mechanism file as it randomises real answers: integers, entropy of the operating system."""
    return partial(_randomised, file)


def _randomised(file: MechanismFile, codes: Codes) -> Codes:
    return randomise(file, Dataset(file.schema, codes)).codes


def simulated_sampler(mechanism: Mechanism, *, rng: np.random.Generator) -> Randomiser:
    """A planned mechanism as it is simulated: floating point, seeded."""
    return lambda codes: mechanism.perturb(codes, rng=rng)


@dataclass(frozen=True)
class Bound:
    """What runs have shown about one promise.

    Parameters
    ----------
    promise : Promise, with the claim
    shown : float >= 0, nats: the mechanism gives away at least this much, with the stated confidence
    hits, other_hits, runs : how often the event happened in so many runs of each of the two records
    reach : float, nats, the most that so many runs can show
    confidence : in (0, 1), of this bound alone
    """

    promise: Promise
    shown: float
    hits: int
    other_hits: int
    runs: int
    reach: float
    confidence: float

    @property
    def contradicted(self) -> bool:
        """Whether more is given away than claimed."""
        return self.shown > self.promise.claim

    @property
    def verdict(self) -> str:
        """In a few words."""
        if math.isinf(self.promise.claim):
            return "nothing promised"
        if self.contradicted:
            return "contradicted"
        return "not contradicted" if self.promise.claim <= self.reach else "out of reach"

    @property
    def part(self) -> float | None:
        """What was shown as a part of the claim; None where nothing is claimed, or nothing can be given away."""
        claim = self.promise.claim
        return self.shown / claim if math.isfinite(claim) and claim > 0 else None

    def sentence(self, names: Sequence[str]) -> str:
        """Claim beside what was shown."""
        about = self.promise.about
        of = "whole record" if self.promise.axis is None else f"'{names[self.promise.axis]}'"
        claim = "no bound" if math.isinf(self.promise.claim) else f"{self.promise.claim:.2f}"
        more = f" (so many runs can show at most {self.reach:.2f})" if self.verdict == "out of reach" else ""
        return (
            f"{about} of {of}: claim {claim}, shown by {count_text(self.runs)} runs: at least "
            f"{rounded_attack(self.shown)}; {self.verdict}{more}"
        )


def rounded_attack(value: float) -> str:
    """Two decimals, rounded down: what is shown is not made larger by printing it."""
    return f"{math.floor(value * 100) / 100:.2f}"


def check_runs(runs: int) -> int:
    """``runs`` if so many are allowed. Raises InputError."""
    if not MIN_AUDIT_RUNS <= runs <= MAX_AUDIT_RUNS or runs % 1:
        raise InputError(
            f"An audit of {count_text(runs)} runs: give {count_text(MIN_AUDIT_RUNS)} to {count_text(MAX_AUDIT_RUNS)}."
        )
    return runs


def attack(
    randomise: Randomiser,
    claim: Claim,
    runs: int,
    *,
    confidence: float = AUDIT_CONFIDENCE,
    report: Report = quiet,
) -> tuple[Bound, ...]:
    """Hold every promise of ``claim`` against ``runs`` runs of the mechanism with each record.

    The distinguisher looks at the ratio of how likely an output is under the two records, as claimed. For a level the event is chosen on the
    claim; for the whole record on the first half of the runs, and the bound is computed from the second half alone. An honest mechanism
    is contradicted anywhere with probability at most 1 - ``confidence``.

    Raises
    ------
    InputError
        For too few or too many runs.
    """
    check_runs(runs)
    check_confidence(confidence)
    promises = list(claim.promises())
    each = 1 - (1 - confidence) / len(promises)
    asked: dict[Record, list[tuple[int, int]]] = {}
    for number, promise in enumerate(promises):
        for side, record in enumerate(promise.records):
            asked.setdefault(record, []).append((number, side))
    tallies = {(number, side): _Tally(claim, promise) for number, promise in enumerate(promises) for side in (0, 1)}
    for done, (record, uses) in enumerate(asked.items()):
        for released, pilot, share in _released(randomise, record, runs):
            report((done + share) / len(asked), f"Releasing record {done + 1} of {len(asked)} repeatedly")
            for use in uses:
                tallies[use].add(released, pilot)
    return tuple(
        _bound(claim, promise, tallies[number, 0], tallies[number, 1], runs, each) for number, promise in enumerate(promises)
    )


class _Tally:
    """How often each score came up under one record, in the first half of the runs and in the second."""

    def __init__(self, claim: Claim, promise: Promise) -> None:
        self.claim, self.promise = claim, promise
        self.found: dict[bool, list[tuple[Floats, Integers]]] = {True: [], False: []}

    def add(self, released: Codes, pilot: bool) -> None:
        """Count some runs."""
        if self.promise.about == "level":
            scores = released[:, self.promise.axis].astype(np.float64)
        else:
            scores = self.claim.log_ratio(self.promise.records, released).round(_DIGITS)
        self.found[pilot].append(np.unique(scores, return_counts=True))

    def at_least(self, threshold: float) -> int:
        """Runs of the second half whose score reaches the threshold."""
        return int(sum(counts[scores >= threshold].sum() for scores, counts in self.found[False]))

    def answers(self, chosen: NDArray[np.intp]) -> int:
        """Runs in which the released answer is one of the chosen."""
        halves = (*self.found[True], *self.found[False])
        return int(sum(counts[np.isin(scores, chosen)].sum() for scores, counts in halves))

    def pilot(self, scores: Floats) -> Integers:
        """How often each of ``scores`` (increasing, with every score that came up) came up in the first half."""
        out = np.zeros(scores.size, dtype=np.int64)
        for own, counts in self.found[True]:
            out[np.searchsorted(scores, own)] += counts
        return out


def _released(randomise: Randomiser, record: Record, runs: int) -> Iterator[tuple[Codes, bool, float]]:
    """Chunks of released copies of ``record``, whether each is of the first half of the runs, and the share that is done."""
    done = 0
    while done < runs:
        pilot = done < runs // 2
        n = min(_CHUNK, (runs // 2 if pilot else runs) - done)
        codes = np.empty((n, len(record)), dtype=np.int32, order="F")
        codes[:] = record
        done += n
        yield randomise(codes), pilot, done / runs


def _bound(claim: Claim, promise: Promise, first: _Tally, second: _Tally, runs: int, confidence: float) -> Bound:
    if promise.about == "level":
        chosen = answers_to_bet_on(claim.answer_rows(promise), runs, confidence)
        hits, other = first.answers(chosen), second.answers(chosen)
        used = runs
    else:
        used = runs - runs // 2
        scores = np.unique(np.concatenate([own for tally in (first, second) for own, _ in tally.found[True]]))
        threshold = best_event(scores, first.pilot(scores), second.pilot(scores), runs // 2, confidence)
        hits, other = first.at_least(threshold), second.at_least(threshold)
    found = float(lower_bound(hits, other, used, confidence))
    return Bound(promise, found, hits, other, used, largest_bound(used, confidence), confidence)


def answers_to_bet_on(rows: Floats, runs: int, confidence: float) -> NDArray[np.intp]:
    """The released answers that make up the event, from their probabilities under the two records, shape (2, a)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-np.nan_to_num(rows[0] / rows[1], nan=0.0, posinf=np.inf), kind="stable")
    expected = np.minimum(runs, np.rint(runs * rows[:, order].cumsum(axis=1)))
    bounds = lower_bound(expected[0], expected[1], runs, confidence)
    return order[: int(np.argmax(bounds)) + 1]
