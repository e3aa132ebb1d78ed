"""What a mechanism claims, made ready for being tested by running it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rrcore.arrays import Codes, Floats
from rrcore.audit.observer import Observer
from rrcore.audit.outputs import CountOutputs, SetOutputs, lie_outputs
from rrcore.audit.parts import LiePart, MatrixPart
from rrcore.audit.trials import Record
from rrcore.errors import InputError, check_positions
from rrcore.limits import MAX_OPTIMAL_ATTRIBUTES
from rrcore.mechanisms import Counted, Listed, Mechanism
from rrcore.promise.certificate import Ratio, certified_nats
from rrcore.promise.integers import mechanism_of_group
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.weights import Weights

About = Literal["level", "leakage", "total"]
"""What is promised: about one released answer, about it with the others known, about the whole record."""

Part = LiePart | MatrixPart
"""How attributes that are randomised together are claimed to be."""


@dataclass(frozen=True)
class Promise:
    """One promise, and the two true records by which it is tested.

    Parameters
    ----------
    about : "level", "leakage" or "total"
    axis : position of the attribute; None for the total
    claim : the promise in nats; inf where there is no bound
    records : two true records that the claim allows to be told apart best, the one that the event points to first
    """

    about: About
    axis: int | None
    claim: float
    records: tuple[Record, Record]


@dataclass(frozen=True, eq=False)
class Claim:
    """A claimed mechanism.

    Parameters
    ----------
    levels, leakage : tuple of k floats, nats, inf where there is no bound
    total : float, nats
    parts : (positions, Part) each; every attribute 0..k-1 is in one
    """

    levels: tuple[float, ...]
    leakage: tuple[float, ...]
    total: float
    parts: tuple[tuple[tuple[int, ...], Part], ...]

    @classmethod
    def of_file(cls, file: MechanismFile) -> Claim:
        """What the integers of a mechanism file promise."""
        certificate = file.certificate
        parts = tuple((places, _part(weights)) for places, weights in file.groups)
        levels, leakage = (tuple(map(_nats, ratios)) for ratios in (certificate.levels, certificate.leakage))
        return cls(levels, leakage, _nats(certificate.total), parts)

    @classmethod
    def of_mechanism(cls, mechanism: Mechanism) -> Claim:
        """What a planned mechanism promises, in floating point. Raises InputError where it has too many attributes."""
        counts = mechanism.by_counts() if mechanism.k > MAX_OPTIMAL_ATTRIBUTES else None
        if counts is None and mechanism.k > MAX_OPTIMAL_ATTRIBUTES:
            raise InputError(
                f"This mechanism has {mechanism.k} attributes: at most {MAX_OPTIMAL_ATTRIBUTES} are audited before a mechanism file is "
                "made, so make the file and audit that."
            )
        outputs: CountOutputs | SetOutputs
        if counts is not None:
            outputs = CountOutputs(Counted(mechanism.sizes, *counts))
        else:
            outputs = SetOutputs(Listed(mechanism.sizes, *mechanism.listing()))
        levels = tuple(np.abs(mechanism.levels).tolist())
        return cls(
            levels,
            tuple(mechanism.leakage.tolist()),
            float(mechanism.total_level),
            ((tuple(range(mechanism.k)), LiePart(outputs)),),
        )

    @property
    def k(self) -> int:
        """Number of attributes."""
        return len(self.levels)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of categories, one per attribute."""
        return tuple(self._part(i)[0].sizes[self._part(i)[1]] for i in range(self.k))

    def _part(self, i: int) -> tuple[Part, int]:
        """The part that attribute ``i`` belongs to, and its position there."""
        check_positions([[i]], self.k, "What is claimed")
        return next((part, places.index(i)) for places, part in self.parts if i in places)

    def promises(self) -> Iterator[Promise]:
        """Every promise: the levels, the leakages, the total."""
        ends = [part.extremes(inner) for part, inner in map(self._part, range(self.k))]
        base = tuple(first for first, _ in ends)
        beside = [(*base[:i], ends[i][1], *base[i + 1 :]) for i in range(self.k)]
        for i in range(self.k):
            yield Promise("level", i, self.levels[i], (base, beside[i]))
        for i in range(self.k):
            yield Promise("leakage", i, self.leakage[i], (base, beside[i]))
        far = dict[int, tuple[int, int]]()
        for places, part in self.parts:
            far |= dict(zip(places, zip(*part.far_apart(), strict=True), strict=True))
        first, second = zip(*(far[i] for i in range(self.k)), strict=True)
        yield Promise("total", None, self.total, (first, second))

    def answer_rows(self, promise: Promise) -> Floats:
        """Probabilities of each released answer to the promise's attribute under its two records, shape (2, a)."""
        assert promise.axis is not None
        part, inner = self._part(promise.axis)
        return part.answer_rows(inner, *(record[promise.axis] for record in promise.records))

    def answer_matrix(self, i: int) -> Floats:
        """How the answers of attribute ``i`` are reported, row x, column y: x as y. Two answers stand for all where all are alike."""
        part, inner = self._part(i)
        return part.answer_matrix(inner)

    def formula(self, i: int) -> Observer:
        """How often the best guesser of attribute ``i`` is right, all its answers being equally likely beforehand."""
        part, inner = self._part(i)
        return part.formula(inner)

    def log_ratio(self, records: tuple[Record, Record], released: Codes) -> Floats:
        """ln P(released | first) - ln P(released | second) for every row; 0 where neither can be."""
        found = np.zeros(len(released))
        for places, part in self.parts:
            first, second = (np.array([record[i] for i in places]) for record in records)
            if (first != second).any():
                seen = released[:, places]
                one, other = part.log_likelihood(first, seen), part.log_likelihood(second, seen)
                possible = np.isfinite(one) | np.isfinite(other)
                found[possible] += one[possible] - other[possible]
        return found

    def guesses(self, i: int, true: Codes, released: Codes) -> tuple[Codes, Codes]:
        """Best guesses of attribute ``i``: from its own released answer, and from the whole record with the other true answers known."""
        part, inner = self._part(i)
        places = next(places for places, _ in self.parts if i in places)
        return part.guess_alone(inner, released[:, i]), part.guess_knowing(inner, true[:, places], released[:, places])


def _nats(ratio: Ratio) -> float:
    """A ratio of a certificate in nats, rounded up; inf for None."""
    return math.inf if ratio is None else float(certified_nats(ratio))


def _part(weights: Weights) -> Part:
    return (
        MatrixPart(weights.channel([0]).matrix) if weights.rows is not None else LiePart(lie_outputs(mechanism_of_group(weights)))
    )
