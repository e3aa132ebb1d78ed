"""Surveys with a control item of which a share of the people click at random, to measure what corrected intervals cover."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from rrcore.answers import Answers
from rrcore.mechanisms import build
from rrcore.promise import MechanismFile
from rrcore.promise.integers import integer_groups
from rrcore.table import Attribute, Control, Dataset, Schema

SCHEMA = Schema(
    (Attribute("violence", ("no", "yes")), Attribute("help", ("none", "family", "service")), Attribute("born", ("no", "yes"))),
    control=Control("born", "yes"),
)
TRUE = np.array([[0.70, 0.03, 0.01], [0.15, 0.07, 0.04]])
LEVELS = (2.0, 1.5, 2.0)
QUESTIONS = {("violence",): TRUE.sum(axis=1), ("help",): TRUE.sum(axis=0), ("violence", "help"): TRUE}


@cache
def _built(mechanism):
    return build(mechanism, SCHEMA.sizes, LEVELS)


@cache
def _file(mechanism):
    return MechanismFile(SCHEMA, integer_groups(_built(mechanism)))


def survey(mechanism, share, n, rng, *, clicks=None, file=None, keep=False):
    """Answers of ``n`` people of whom about a ``share`` click: any category alike, or those that ``clicks`` draws of ``n``.

    With ``keep`` they are reported as they are.
    """
    built = _built(mechanism)
    file = _file(mechanism) if file is None else file
    cells = rng.choice(TRUE.size, n, p=TRUE.ravel())
    true = np.column_stack([*np.unravel_index(cells, TRUE.shape), np.ones(n, dtype=int)])
    clicked = np.column_stack([rng.integers(0, size, n) for size in SCHEMA.sizes]) if clicks is None else clicks(n, rng)
    given = np.where((rng.random(n) < share)[:, None], clicked, true).astype(np.int32)
    return Answers(Dataset(SCHEMA, given if keep else built.perturb(given, rng=rng), "clicking"), file)


@dataclass
class Cover:
    """How often intervals held what is true, over surveys.

    Parameters
    ----------
    clicking : of the share of people who click
    corrected, uncorrected : of every share of every question, one row for each survey
    """

    clicking: list[bool] = field(default_factory=list)
    corrected: list[np.ndarray] = field(default_factory=list)
    uncorrected: list[np.ndarray] = field(default_factory=list)

    def add(self, answers, share, beside):
        """Those of one survey; uncorrected ones ``beside``."""
        found = answers.noncompliance
        self.clicking.append(found.low <= share <= found.high)
        self.corrected.append(_all_held(answers))
        if beside:
            self.uncorrected.append(_all_held(answers.uncorrected))

    def share(self, which):
        """Part of the surveys in which each interval of ``which`` held, ndarray."""
        return np.mean(getattr(self, which), axis=0)


def _all_held(answers):
    held = []
    for names, truth in QUESTIONS.items():
        low, high = answers.estimate(names).interval(population=True)
        held.append(((low <= truth) & (truth <= high)).ravel())
    return np.concatenate(held)


def covered(mechanism, share, surveys, n, rng, *, beside=True):
    """``Cover`` of so many ``surveys`` of ``n`` people; of uncorrected intervals only ``beside``."""
    cover = Cover()
    for _ in range(surveys):
        cover.add(survey(mechanism, share, n, rng), share, beside)
    return cover
