"""What a false answer becomes: any other category equally often, whatever else is said; and answers that the file never gives."""

from itertools import combinations

import numpy as np

from rrcore.audit.check import Check, Comparisons
from rrcore.audit.expected import Expected
from rrcore.audit.fit import fits
from rrcore.audit.trials import Trials
from rrcore.wording import counted, percent

_MOST_PAIRS = 780


def check_replacements(trials: Trials, expected: Expected, *, alpha: float) -> Check:
    """False answers of every attribute by the true one, and those of two attributes together."""
    found, kinds, k, names = Comparisons("replacements", alpha), trials.marks.kinds, expected.k, expected.names
    for i in range(k):
        wrong = int(trials.marks.impossible[:, i].sum())
        times = counted(wrong, "time", "times")
        found.add(float(not wrong), f"'{names[i]}' was given {times} an answer that the file never gives for the true one.")
        _by_truth(found, trials, expected, i)
    for i, j in list(combinations(range(k), 2))[:_MOST_PAIRS]:
        one, other = expected.kinds(i), expected.kinds(j)
        table = np.bincount(
            kinds[:, i].astype(np.int64) * (other.size + 1) + kinds[:, j], minlength=(one.size + 1) * (other.size + 1)
        )
        table = table.reshape(one.size + 1, other.size + 1)
        found.add(
            [fits(table[1:, 1:], np.multiply.outer(one, other)), fits(table[1:, 0], one), fits(table[0, 1:], other)],
            f"What '{names[i]}' and '{names[j]}' become goes together in another way than the file says.",
        )
    return found.done("Every false answer becomes each of the others as often as the file says, and two of them independently.")


def _by_truth(found: Comparisons, trials: Trials, expected: Expected, i: int) -> None:
    """Released answers of each true one: all of them for a matrix, the false ones among themselves otherwise."""
    rows, size, matrix = expected.sizes[i], expected.report_sizes[i], expected.matrix(i)
    name, categories, reports = expected.names[i], expected.categories[i], expected.file.reports.attributes[i].categories
    table = np.bincount(trials.true[:, i].astype(np.int64) * size + trials.released[:, i], minlength=rows * size)
    table = table.reshape(rows, size)
    moved = np.zeros(size, dtype=np.int64)  # by how much an answer was shifted, whatever it was
    for x, row in enumerate(table):
        shares = np.array(matrix[x]) if matrix is not None else np.where(np.arange(size) == x, 0.0, 1 / (size - 1))
        counts = row.copy()
        if matrix is None:
            moved += np.roll(row, -x)
            counts[x] = 0
        n = max(1, int(counts.sum()))
        at = int(np.argmax(np.abs(counts - n * shares) / np.sqrt(n * shares + 1)))
        found.add(
            fits(counts, shares),
            f"'{name}' = {categories[x]}, where it is released falsely, becomes {reports[at]} in {percent(counts[at] / n)}; the file says "
            f"{percent(float(shares[at]))}.",
        )
    if matrix is None:
        found.add(
            fits(moved[1:], np.full(size - 1, 1 / (size - 1))),
            f"A false answer to '{name}' is most often {counted(1 + int(moved[1:].argmax()), 'category', 'categories')} further on: "
            f"{percent(float(moved[1:].max() / max(1, moved[1:].sum())))} of them; the file says {percent(1 / (size - 1))}.",
        )
