"""One check of a mechanism: what was asked, and what was found, in a sentence."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

CHECKS = {
    "lies": "Which answers are false together",
    "people": "Whether it lies to everybody alike",
    "replacements": "What a false answer becomes",
    "sequence": "Whether one record's lies tell another's",
    "shared": "Whether a few records, or people alike, share lies",
    "starts": "Whether every start is a fresh one",
    "alone": "Whether a record sent alone is randomised too",
    "records": "Whether any record is treated specially",
    "learned": "What can be learned by watching",
}
"""Checks of a program that randomises -> what each looks at."""

COLLECTED = {
    "values": "Whether every answer can occur",
    "shares": "Whether the shares can come from any true answers",
    "order": "Whether records that follow each other are fresh",
}
"""Checks of collected answers, without anybody's truth."""


@dataclass(frozen=True)
class Check:
    """What one check found.

    Parameters
    ----------
    key : of ``CHECKS`` or ``COLLECTED``
    tests : int, how many comparisons were made
    p_value : float, of the worst of them, corrected for their number: an honest mechanism gets p or less with probability p at most
    alpha : float, the share of false alarms that this check may have
    sentence : str, what was found
    named : whether the sentence calls what was found by its name
    unseen : str, how rare a fault must be for this check not to see it, in a sentence; empty where that is said of the whole audit
    """

    key: str
    tests: int
    p_value: float
    alpha: float
    sentence: str
    named: bool = False
    unseen: str = ""

    @property
    def caught(self) -> bool:
        """Whether what was seen contradicts the mechanism file."""
        return self.p_value <= self.alpha

    @property
    def title(self) -> str:
        """What the check looks at, in a few words."""
        return (CHECKS | COLLECTED)[self.key]


class Comparisons:
    """Comparisons of one check; the worst of them is kept. Each family of comparisons gets an equal part of the false alarms."""

    def __init__(self, key: str, alpha: float) -> None:
        self.key, self.alpha = key, alpha
        self.number = self._families = 0
        self._worst = 1.0
        self._tell: Callable[[], str] = lambda: ""

    def add(self, p_values: ArrayLike, sentence: str | Callable[[int], str], *, times: int = 1) -> None:
        """Take in a family of comparisons.

        Parameters
        ----------
        p_values : float or array
        sentence : what was seen, as a sentence, or a function that makes it of a position among ``p_values`` (flattened)
        times : how many comparisons each of them stands for, where it was the most striking one
        """
        p = np.asarray(p_values, dtype=np.float64).ravel()
        self.number += times * p.size
        self._families += p.size > 0
        if p.size and float(p.min()) * p.size * times < self._worst:
            place = int(p.argmin())
            self._worst, self._tell = (
                float(p[place]) * p.size * times,
                lambda: sentence if isinstance(sentence, str) else sentence(place),
            )

    def done(self, clean: str, named: Callable[[], str | None] = lambda: None, *, unseen: str = "") -> Check:
        """The check; ``clean`` is said where nothing was found, ``named`` may call what was found by its name, ``unseen`` is what was not."""
        p = min(1.0, self._worst * max(1, self._families))
        if p > self.alpha:
            return Check(self.key, self.number, p, self.alpha, clean, unseen=unseen)
        name = named()
        return Check(self.key, self.number, p, self.alpha, name or self._tell(), named=name is not None, unseen=unseen)
