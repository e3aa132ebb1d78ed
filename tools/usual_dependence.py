"""Print how strong dependence is in public tables (rrcore/estimate/shrinkage_prior.py): ``python -m tools.usual_dependence adult.csv``.

Printed are the strengths theta of theory.md section 25 of every pair, triple and quadruple: the squared length of the top interaction of the
true shares beyond the table of largest entropy with their marginals of one attribute less, over the product of 1 - sum of squared shares.
"""

from __future__ import annotations

import math
import sys
from itertools import combinations
from pathlib import Path

import rrcore as rr
from rrcore.arrays import Floats
from rrcore.estimate.expected_errors import top_beyond
from rrcore.papers import read_input
from rrcore.table import Dataset

WIDEST = 4


def strength(shares: Floats) -> float:
    """theta of one joint distribution."""
    singles = (shares.sum(axis=tuple(j for j in range(shares.ndim) if j != i)) for i in range(shares.ndim))
    return float((top_beyond(shares) ** 2).sum()) / math.prod(1 - float(single @ single) for single in singles)


def strengths(table: Dataset) -> dict[int, tuple[float, ...]]:
    """Those of all sets of two to ``WIDEST`` attributes, three digits each, by the number of attributes."""
    names, widest = table.schema.names, min(WIDEST, table.k)
    return {
        width: tuple(float(f"{strength(table.shares(chosen)):.3g}") for chosen in combinations(names, width))
        for width in range(2, widest + 1)
    }


def main(adult: str) -> None:
    tables = {key: rr.load_demo(key) for key in ("titanic", "haireye", "berkeley")}
    tables["adult"] = read_input(Path(adult).read_bytes(), Path(adult).name)
    for key, table in tables.items():
        for width, found in strengths(table).items():
            print(key, width, *found)


if __name__ == "__main__":
    main(sys.argv[1])
