"""Surveys with a control item of which a share of the people click at random, to measure what corrected intervals cover."""

from __future__ import annotations

from dataclasses import dataclass, field

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


def survey(mechanism, share, n, rng, *, clicks=None, file=None, keep=False):
    """Answers of ``n`` people of whom about a ``share`` click: any category alike, or those that ``clicks`` draws of ``n``.

    With ``keep`` they are reported as they are.
    """
    built = build(mechanism, SCHEMA.sizes, LEVELS)
    file = MechanismFile(SCHEMA, integer_groups(built)) if file is None else file
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

    def add(self, answers, share):
        found = answers.noncompliance
        self.clicking.append(found.low <= share <= found.high)
        for each, kept in ((answers, self.corrected), (answers.uncorrected, self.uncorrected)):
            kept.append(np.concatenate([_held(each.estimate(names), truth) for names, truth in QUESTIONS.items()]))

    def share(self, which):
        """Part of the surveys in which each interval of ``which`` held, ndarray."""
        return np.mean(getattr(self, which), axis=0)


def _held(estimate, truth):
    low, high = estimate.interval(population=True)
    return ((low <= truth) & (truth <= high)).ravel()


def covered(mechanism, share, surveys, n, rng):
    """``Cover`` of so many ``surveys`` of ``n`` people."""
    file = MechanismFile(SCHEMA, integer_groups(build(mechanism, SCHEMA.sizes, LEVELS)))
    cover = Cover()
    for _ in range(surveys):
        cover.add(survey(mechanism, share, n, rng, file=file), share)
    return cover
