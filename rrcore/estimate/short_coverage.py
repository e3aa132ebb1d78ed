"""Where shorter intervals hold 95 of 100 cells of a table, as simulations measured it (theory.md section 25)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping

KEPT = (0.02, 0.1, 0.3)
"""Up to which part of the interaction of all attributes that was kept a setting goes; where more was, intervals are not shorter."""

PEOPLE = (100, 500, 5_000, 50_000, 500_000)
"""Settings are of more people than one of these and at most the next; of no others anything was measured."""

PROMISED = 0.95

SHORTER_PROMISE = "Of 100 cells of a table 95 have their true share in the shorter intervals, on average, not every cell."

COVERAGE: Mapping[int, str] = {
    2: "0.986 0.966 -  0.990 0.970 0.924  0.983 0.976 0.967  0.979 0.989 0.916",
    3: "0.972 0.968 0.968  0.969 0.975 0.970  0.992 0.968 0.975  0.968 0.973 0.909",
    4: "0.955 - -  0.950 - -  0.992 0.982 -  0.949 - -",
}
"""Number of attributes -> coverage by people, and within each number of people by ``KEPT``: of the table where it was least.

Printed by ``python benchmarks/bench_short.py``, the lower one of runs with other seeds and with one part for all directions; "-" where fewer
than three tables came to it, or less than 90 % of the cells that somebody is in were covered.
"""


def measured(width: int, kept: float, n: int) -> float | None:
    """The coverage of shorter intervals of ``width`` attributes, of what they have in common the part ``kept`` being kept, and ``n`` people.

    Of the table where it was least; None where nothing was measured.

    Examples
    --------
    >>> measured(2, 0.05, 1_000) >= 0.95, measured(2, 0.9, 1_000)
    (True, None)
    """
    people, part = bisect_left(PEOPLE, n) - 1, bisect_left(KEPT, kept)
    if width not in COVERAGE or not 0 <= people < len(PEOPLE) - 1 or part == len(KEPT):
        return None
    found = COVERAGE[width].split()[people * len(KEPT) + part]
    return None if found == "-" else float(found)
