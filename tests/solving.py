"""Tests of what uses mechanisms build the same ones again and again: each is solved once a file. Tests of the solvers do without."""

from __future__ import annotations

import pytest

from rrcore.mechanisms import optimal
from rrcore.progress import quiet


@pytest.fixture(scope="module", autouse=True)
def solved_once():
    """What is solved follows from sizes, levels, floors, caps and the gap that will do alone. Nobody may write into it."""
    solve, solved = optimal._solve, {}

    def once(sizes, epsilon, floors, family, caps, gap, report=quiet):
        about = sizes, epsilon.tobytes(), tuple(floors), family, None if caps is None else caps.tobytes(), gap
        if about not in solved:
            solved[about] = solve(sizes, epsilon, floors, family, caps, gap, report)
            solved[about][0].flags.writeable = False
        return solved[about]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(optimal, "_solve", once)
        yield
