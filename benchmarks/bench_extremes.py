"""Does every mechanism keep its promises, or refuse in one sentence, for as many attributes as it takes and at the ends of the levels?

Run ``python benchmarks/bench_extremes.py``. Every mechanism that is made from levels, for one attribute, two, and as many as there may be,
alike and unlike; the exact solvers at the largest number that they take. Levels are the least, the largest, and both mixed. Prints the
total beside Kronecker's with seconds and memory; exits 1 if a level is exceeded (but by the published heuristic, which says so), a total
is above Kronecker's where that is promised, a total is not a number, or anything but an InputError is raised.
"""

from __future__ import annotations

import math
import sys
import tracemalloc
from collections.abc import Iterator
from time import perf_counter

import numpy as np

from benchmarks.sizes import size
from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.limits import (
    MAX_COLUMNS,
    MAX_LEVEL,
    MAX_OPTIMAL_ATTRIBUTES,
    MAX_PLANNED_CATEGORIES,
    MAX_PROGRAMME_ATTRIBUTES,
    MIN_LEVEL,
)
from rrcore.mechanisms import MECHANISMS, build

NEVER_ABOVE = ("optimal", "pair-safe")
_ROUNDING = 1e-9


def cases() -> Iterator[tuple[str, tuple[int, ...], Floats]]:
    """What is tried: its name, numbers of categories and levels."""
    rng = np.random.default_rng(0)
    for k in size((1, 2, MAX_PROGRAMME_ATTRIBUTES, MAX_OPTIMAL_ATTRIBUTES, MAX_COLUMNS), (1, 2)):
        mixed = np.where(np.arange(k) % 2, MAX_LEVEL, MIN_LEVEL)
        for name, levels in (("least", np.full(k, MIN_LEVEL)), ("largest", np.full(k, MAX_LEVEL)), ("both", mixed)):
            yield f"{k} alike, {name}", (2,) * k, levels
        unlike = tuple(int(a) for a in rng.integers(2, 9, k))
        yield f"{k} unlike", unlike, rng.uniform(0.1, 3, k)
        yield f"{k} of most categories", (MAX_PLANNED_CATEGORIES,) * k, np.full(k, 1.0)


def fault(name: str, sizes: tuple[int, ...], levels: Floats) -> str:
    """What is wrong, if anything; prints what was found."""
    tracemalloc.start()
    start = perf_counter()
    try:
        mechanism = build(name, sizes, levels)
    except InputError as error:
        print(f"  {name:12s} refused in {perf_counter() - start:.1f} s: {error}")
        return "" if str(error).endswith(".") and "\n" not in str(error) else "the refusal is not one sentence"
    finally:
        memory = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    total, kronecker = mechanism.total_level, float(levels.sum())
    print(f"  {name:12s} {total:12.4f} of {kronecker:12.4f} nats   {perf_counter() - start:6.1f} s   {memory / 1e6:7.1f} MB")
    if not math.isfinite(total):
        return "the total is not a number"
    if name in NEVER_ABOVE and total > kronecker * (1 + _ROUNDING):
        return "the total is above Kronecker's"
    if name != "published" and (np.abs(mechanism.levels) > levels * (1 + _ROUNDING)).any():
        return "a level is exceeded"
    return ""


def main() -> int:
    faults = []
    for title, sizes, levels in cases():
        print(title)
        for name in MECHANISMS:
            if found := fault(name, sizes, levels):
                faults.append(f"{title}, {name}: {found}")
    print("\n".join(faults) or "every mechanism keeps its promises or says why not")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
