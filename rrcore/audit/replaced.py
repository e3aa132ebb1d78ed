"""What a false answer becomes: any other category equally often, whatever else is said; and answers that the file never gives."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations

import numpy as np

from rrcore.arrays import Floats, Integers
from rrcore.audit.check import Check, Comparisons
from rrcore.audit.expected import Expected
from rrcore.audit.fit import fits
from rrcore.audit.trials import Trials
from rrcore.wording import counted, percent

_MOST_PAIRS = 780


def check_replacements(
    trials: Trials, expected: Expected, names: Sequence[str], categories: Sequence[Sequence[str]], *, alpha: float
) -> Check:
    """False answers of every attribute by the true one, and those of two attributes together."""
    found, kinds, k = Comparisons("replacements", alpha), trials.marks.kinds, expected.k
    for i in range(k):
        wrong = int(trials.marks.impossible[:, i].sum())
        found.add(
            0.0 if wrong else 1.0,
            partial(_impossible, names[i], wrong),
        )
        _by_truth(found, trials, expected, i, names[i], categories[i])
    for i, j in list(combinations(range(k), 2))[:_MOST_PAIRS]:
        one, other = expected.kinds(i), expected.kinds(j)
        table = np.bincount(
            kinds[:, i].astype(np.int64) * (other.size + 1) + kinds[:, j], minlength=(one.size + 1) * (other.size + 1)
        )
        table = table.reshape(one.size + 1, other.size + 1)
        found.add(
            [fits(table[1:, 1:], np.multiply.outer(one, other)), fits(table[1:, 0], one), fits(table[0, 1:], other)],
            partial(_together, names[i], names[j]),
        )
    return found.done("Every false answer becomes each of the others as often as the file says, and two of them independently.")


def _by_truth(found: Comparisons, trials: Trials, expected: Expected, i: int, name: str, categories: Sequence[str]) -> None:
    """Released answers of each true one: all of them for a matrix, the false ones among themselves otherwise."""
    rows, size, matrix = expected.sizes[i], expected.report_sizes[i], expected.matrix(i)
    reports = expected.file.reports.attributes[i].categories
    table = np.bincount(trials.true[:, i].astype(np.int64) * size + trials.released[:, i], minlength=rows * size)
    table = table.reshape(rows, size)
    moved = np.zeros(size, dtype=np.int64)  # by how much an answer was shifted, whatever it was
    for x, row in enumerate(table):
        shares = np.array(matrix[x]) if matrix is not None else np.where(np.arange(size) == x, 0.0, 1 / (size - 1))
        counts = row.copy()
        if matrix is None:
            moved += np.roll(row, -x)
            counts[x] = 0
        found.add(fits(counts, shares), partial(_told, name, (categories[x], reports), counts, shares))
    if matrix is None:
        found.add(
            fits(moved[1:], np.full(size - 1, 1 / (size - 1))),
            lambda _: (
                f"A false answer to '{name}' is most often {counted(1 + int(moved[1:].argmax()), 'category', 'categories')} further on: "
                f"{percent(float(moved[1:].max() / max(1, moved[1:].sum())))} of them; the file says {percent(1 / (size - 1))}."
            ),
        )


def _told(name: str, labels: tuple[str, Sequence[str]], counts: Integers, shares: Floats, _: int) -> str:
    """``labels``: of the true answer, and of the reports."""
    n = max(1, int(counts.sum()))
    at = int(np.argmax(np.abs(counts - n * shares) / np.sqrt(n * shares + 1)))
    return (
        f"'{name}' = {labels[0]}, where it is released falsely, becomes {labels[1][at]} in {percent(counts[at] / n)}; the file says "
        f"{percent(float(shares[at]))}."
    )


def _impossible(name: str, times: int, _: int) -> str:
    return f"'{name}' was given {counted(times, 'time', 'times')} an answer that the file never gives for the true one."


def _together(one: str, other: str, _: int) -> str:
    return f"What '{one}' and '{other}' become goes together in another way than the file says."
