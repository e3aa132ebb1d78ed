"""The regression on the released answers as if they were true: what comes out where nobody corrects for the noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rrcore.arrays import Floats
from rrcore.estimate.models.cells import Cells
from rrcore.estimate.models.problem import Problem
from rrcore.estimate.release import Release


def naive_problem(releases: Sequence[Release], problem: Problem) -> Problem | None:
    """``problem`` with released answers in place of true ones; None where the reports are not the categories that were asked about.

    Randomised predictors become columns of covariates, and nothing is summed out.
    """
    schema = problem.cells.schema
    if schema is None:
        return None
    if any(release.dataset.schema.select(schema.names) != schema for release in releases):
        return None
    sizes = schema.sizes
    codes = np.empty((problem.n, len(sizes)), dtype=np.int64)
    for design, people in problem.designs:
        codes[people] = np.stack(np.unravel_index(design.reports, sizes), axis=1)
    released: list[Floats] = []
    for axis, first in problem.factors:
        others = [code for code in range(schema.sizes[axis]) if code != first]
        released.append((codes[:, axis, None] == np.array(others)).astype(np.float64))
    x = np.hstack([problem.x, *released])
    q = problem.x.shape[1]
    places = tuple((0, column if feature == 0 else q + feature - 1) for feature, column in problem.places)
    outcome = problem.codes
    if problem.randomised_outcome:
        assert outcome is not None
        back = np.zeros(schema.sizes[-1], dtype=np.int64)  # the last attribute's code -> its place after the one of reference
        back[problem.cells.answers(len(schema.sizes) - 1)] = outcome
        outcome = back[codes[:, -1]]
    return replace(
        problem,
        model=replace(problem.model, always=""),
        cells=Cells(None),
        factors=(),
        places=places,
        x=x,
        chance=np.ones((len(x), 1)),
        codes=outcome,
    )
