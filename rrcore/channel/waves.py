"""One question asked of the same people again: what the reports of several waves are, given the true answers (theory.md section 23).

Chance is drawn in two stages. The *permanent* stage draws once, for every answer that a person may ever have, what it is turned into; the
*instant* stage randomises that anew in every wave. Fresh answers have no permanent stage, memoised ones no instant stage, and the
two stages together are those of RAPPOR (Erlingsson, Pihur, Korolova 2014).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import Literal

import numpy as np

from rrcore.arrays import Floats
from rrcore.channel.base import Channel
from rrcore.channel.matrix import MatrixChannel
from rrcore.channel.product import product_channel
from rrcore.errors import InputError, check_number
from rrcore.limits import MAX_WAVE_CELLS

Way = Literal["fresh", "memoised", "two-stage"]
"""How chance is drawn where the same people are asked again."""


@dataclass(frozen=True, eq=False)
class Stages:
    """How chance is drawn where one question is asked again and again.

    Parameters
    ----------
    permanent : ndarray of shape (a, c), float64; row x: the law of what the true answer x is turned into, drawn once a person
    instant : ndarray of shape (c, b), float64; row z: the law of the report of z, drawn anew in every wave

    Examples
    --------
    >>> warner = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> Stages.memoised(warner).joint(2)[0]  # no and no again: the same report twice
    array([0.75, 0.  , 0.  , 0.25])
    >>> Stages.fresh(warner).joint(2)[0]
    array([0.5625, 0.1875, 0.1875, 0.0625])
    """

    permanent: Floats
    instant: Floats

    def __post_init__(self) -> None:
        if self.permanent.shape[1] != self.instant.shape[0]:
            raise InputError(f"the permanent stage has shape {self.permanent.shape}, the instant one {self.instant.shape}")
        for stage in (self.permanent, self.instant):
            MatrixChannel(stage)  # which checks it

    @classmethod
    def fresh(cls, matrix: Floats) -> Stages:
        """Every wave is randomised anew by ``matrix``."""
        return cls(np.eye(matrix.shape[0]), matrix)

    @classmethod
    def memoised(cls, matrix: Floats) -> Stages:
        """``matrix`` draws once for every true answer; whoever has the same answer again gives the same report again."""
        return cls(matrix, np.eye(matrix.shape[1]))

    @classmethod
    def two_stage(cls, matrix: Floats, redrawn: float) -> Stages:
        """What ``matrix`` draws once is replaced in every wave by a uniformly drawn report with probability ``redrawn``."""
        check_number("The probability of redrawing", redrawn, 0, 1)
        reports = matrix.shape[1]
        return cls(matrix, np.full((reports, reports), redrawn / reports) + (1 - redrawn) * np.eye(reports))

    @classmethod
    def of(cls, way: Way, matrix: Floats, redrawn: float = 0.25) -> Stages:
        """The stages of one ``way``."""
        check_number("The probability of redrawing", redrawn, 0, 1)
        if way == "two-stage":
            return cls.two_stage(matrix, redrawn)
        return cls.memoised(matrix) if way == "memoised" else cls.fresh(matrix)

    @property
    def single(self) -> Floats:
        """The matrix of one wave, ndarray of shape (a, b)."""
        return self.permanent @ self.instant

    def joint(self, waves: int) -> Floats:
        """P(reports | answers) over all waves, ndarray of shape (a^W, b^W); of both the last wave runs fastest.

        Raises
        ------
        InputError
            For a matrix of more than ``MAX_WAVE_CELLS`` entries.
        """
        a, b = self.single.shape
        if (a * b) ** waves > MAX_WAVE_CELLS:
            raise InputError(
                f"{a} categories over {waves} waves are too many to write out: at most {MAX_WAVE_CELLS:,} probabilities are. "
                "Ask for fewer waves, or for an attribute with fewer categories."
            )
        found = _kron([self.single] * waves)
        for row, history in enumerate(product(range(a), repeat=waves)):
            if len(set(history)) < waves:
                found[row] = self._reports(history)
        return found

    def _reports(self, history: Sequence[int]) -> Floats:
        """The law of the reports of one person: answers that differ are turned independently, equal ones into the same."""
        waves, law = len(history), np.ones(())
        places: list[int] = []
        for answer in sorted(set(history)):
            own = [t for t in range(waves) if history[t] == answer]
            each = [_kron([row] * len(own)).reshape([len(row)] * len(own)) for row in self.instant]
            law = np.multiply.outer(law, np.tensordot(self.permanent[answer], np.array(each), axes=1))
            places += own
        return np.asarray(law.transpose(np.argsort(places)).ravel())

    def two_waves(self) -> Channel:
        """The channel on the table of the answers in a first and in a second wave."""
        if np.array_equal(self.permanent, np.eye(len(self.permanent))):
            return product_channel([MatrixChannel(self.instant)] * 2, [(0,), (1,)])
        return PanelChannel(self.joint(2), MatrixChannel(self.single))

    def seen(self) -> tuple[float, float]:
        """Least and largest probability that two reports of somebody whose answer changed differ."""
        one = self.single
        differ = 1 - one @ one.T
        changed = differ[~np.eye(len(one), dtype=bool)]
        return float(changed.min()), float(changed.max())

    def unseen(self) -> tuple[float, float]:
        """Least and largest probability that two reports of somebody whose answer did not change differ all the same; 0 if memoised."""
        differ = 1 - self.permanent @ (self.instant @ self.instant.T).diagonal()
        return float(differ.min()), float(differ.max())


@dataclass(frozen=True, eq=False)
class PanelChannel(MatrixChannel):
    """One attribute in two waves, its permanent stage shared between them: written out as one matrix over pairs of answers.

    Parameters
    ----------
    matrix : ndarray of shape (a^2, b^2), what a pair of answers is reported as; the second wave runs fastest
    once : MatrixChannel, one wave alone

    Examples
    --------
    >>> channel = Stages.memoised(np.array([[0.75, 0.25], [0.25, 0.75]])).two_waves()
    >>> moved = np.array([[0.6, 0.1], [0.0, 0.3]])
    >>> (channel.invert(channel.push(moved)) + 1).round(12)
    array([[1.6, 1.1],
           [1. , 1.3]])
    """

    once: MatrixChannel

    @property
    def sizes(self) -> tuple[int, ...]:  # type: ignore[override]
        """Numbers of categories, the same in both waves."""
        return self.once.sizes * 2

    @property
    def report_sizes(self) -> tuple[int, ...]:
        return self.once.report_sizes * 2

    @property
    def independent(self) -> bool:
        return False

    @property
    def alone(self) -> Channel:
        return product_channel([self.once] * 2, [(0,), (1,)])

    @property
    def relative_factors(self) -> Floats:
        """All 1: what goes together over the waves is never read less accurately than from fresh answers."""
        return np.ones((2, 2))

    def marginal(self, axes: Sequence[int]) -> Channel:
        return self.once if len(axes) == 1 else self  # the waves are alike

    def _lost(self, threshold: float) -> list[tuple[int, ...]]:
        if self.once.weakest < threshold:
            return [(0,), (1,)]
        return [(0, 1)] if self.weakest < threshold else []

    def estimable(self, axis: int) -> tuple[tuple[int, ...], ...]:
        return Channel.estimable(self, axis)


def _kron(parts: Sequence[Floats]) -> Floats:
    return reduce(lambda one, other: np.asarray(np.kron(one, other)), parts)
