"""Print docs/benchmarks.md: ``python -m tools.benchmarks adult.csv > docs/benchmarks.md``, with the table UCI Adult."""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import rrcore as rr
from rrcore.papers import Study, find_scheme, read_input, summarise

ADULT = Path(__file__).resolve().parents[2] / "shared" / "data" / "adult.csv"
METHODS = (
    "rr-independent", "rr-ind-joint", "hybrid", "em", "shrinkage", "adjustment", "rr-clusters", "rr-joint",
    "preserving-2", "preserving-2-shrinkage", "optimal", "optimal-shrinkage",
)  # fmt: skip
HALF_L1 = "half L1 (total variation)"
RELEASES = 20

HEAD = """---
title: Benchmarks
description: Privacy loss and accuracy of all mechanisms and estimators on UCI Adult, at an equal ε of the record.
---

# Benchmarks

`python -m tools.benchmarks adult.csv` prints this page. The table is UCI Adult with {n:,} people and {k} categorical
attributes. The attributes have {sizes} categories. The table is not part of RR Workbench.
[Papers reproduced](papers.md) compares the printed results of five papers with measurements by RR Workbench.
"""

PRIVACY = """
## Privacy at an equal ε per answer

Each answer has ε = {epsilon}. The margin of error is the largest 95% margin among all pairs, in percentage points. It is
computed before any data exist.

| Mechanism | ε, whole record | ε, attacker who knows the other answers | Margin of error |
|---|--:|--:|--:|"""

ACCURACY = """
## Accuracy at an equal ε of the record

Every method spends ε = {total} on the whole record. The error is half the L1 distance between estimated and true proportions, as in the
papers. Estimates outside 0% to 100% can lead to errors above 1. The table shows the median over {releases} simulated releases for randomly
chosen sets of attributes.

| Method | Mechanism and estimator | Pairs | Triples |
|---|---|--:|--:|"""

TAIL = """
For pairs, the error of RR-Ind-Joint is {best:.1f} times the lowest error.
At the same ε of the record, the optimized mechanism has a larger ε per answer. It is up to {largest:.1f} instead of {equal:.1f}.

## Speed

`make bench` runs twelve benchmarks and fails if one misses its threshold. Most of them compare times. They cover the design of
mechanisms, inversion, estimators on fifteen kinds of table, and tables of 100 million rows. `make load` opens 40 browser tabs at once."""


def lines(file: Path) -> Iterator[str]:
    """Return the lines of the page."""
    people = read_input(file.read_bytes(), file.name)
    yield HEAD.format(n=people.n, k=people.k, sizes=", ".join(map(str, people.schema.sizes)))
    yield PRIVACY.format(epsilon=0.8)
    found = rr.Plan(people, epsilon=0.8).compare(["independent", "preserving-3", "preserving-2", "optimal", "joint", "heuristic"])
    for row in found.itertuples():
        title = rr.Plan(people, epsilon=0.8).with_(mechanism=row.mechanism).title
        yield f"| {title} | {row.epsilon_total:.2f} | {row.epsilon_informed:.2f} | {100 * row.margin_of_error:.1f} |"
    epsilon = np.ones(people.k)
    yield ACCURACY.format(total=people.k, releases=RELEASES)
    study = Study(METHODS, (2, 3), repeats=RELEASES)
    outcomes = [one for release in study.run(people, epsilon) for one in release]
    medians = {(one.scheme, one.ways): one.median for one in summarise(outcomes, HALF_L1)}
    for method in METHODS:
        pairs, triples = medians[method, 2], medians[method, 3]
        yield f"| `{method}` | {find_scheme(method).title} | {pairs:.3f} | {triples:.3f} |"
    best = medians["rr-ind-joint", 2] / min(medians[method, 2] for method in METHODS)
    largest = float(max(study.designs(people, epsilon)["preserving-2"].epsilon))  # type: ignore[union-attr]
    yield TAIL.format(best=best, largest=largest, equal=1.0)


if __name__ == "__main__":
    print("\n".join(lines(Path(sys.argv[1]) if len(sys.argv) > 1 else ADULT)))
