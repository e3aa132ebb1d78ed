"""The page docs/benchmarks.md: accuracy of all methods on the table UCI Adult, and what all benchmarks measured."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import numpy as np

import rrcore as rr
from benchmarks.thresholds import HEAD as ROWS
from rrcore.papers import Study, find_scheme, read_input, summarise

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
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

`make bench ADULT=adult.csv` writes this page. The table is UCI Adult with {n:,} people and {k} categorical
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

## All benchmarks

All numbers are from {day:%B %Y}, with Python {python} and {cores} processor cores. Times compare two programs in the same run
where the unit is "times". Otherwise they are seconds on this machine. A known miss stays in the table as it was asked, with its reason.
"""


def write(adult: Path, rows: Sequence[str]) -> None:
    """Write and print the page, with the rows of all benchmarks."""
    text = "\n".join(lines(adult, rows)) + "\n"
    PAGE.write_text(text, encoding="utf-8")
    print(text)


def lines(file: Path, rows: Sequence[str]) -> Iterator[str]:
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
    python, cores = platform.python_version(), os.cpu_count()
    yield TAIL.format(best=best, largest=largest, equal=1.0, day=date.today(), python=python, cores=cores)
    yield from (ROWS, *rows)
