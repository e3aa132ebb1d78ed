"""Test whether a sampler has the frequencies of its mechanism file.

The theory is in theory.md section 16.

True records are drawn uniformly and randomized by the sampler. Every count is then binomial with a probability that follows from
the integers of the file. The p-values are therefore exact.
Each p-value is multiplied by the number of counts (Bonferroni).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from rrcore.arrays import Booleans, Codes, Floats
from rrcore.errors import InputError
from rrcore.limits import MAX_AUDIT_RUNS, MIN_AUDIT_RUNS
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.wording import count_text, percent

Sampler = Callable[[Codes], Codes]
"""A sampler: codes of true records of shape (n, k) in, codes of randomized records of the same shape out."""

_BATCH = 1 << 17  # records of one call
_AGAIN = 2_000  # records that are sent a second time
_BLOCK = 10  # attributes of which every combination of changed answers is counted


@dataclass(frozen=True)
class Check:
    """A check, with the count that deviates most.

    Parameters
    ----------
    title : subject of the check
    tests : number of counts compared
    p_value : smallest p-value, multiplied by ``tests`` (Bonferroni)
    alpha : maximum probability of a false alarm
    sentence : the count that deviates most, and the expected count
    """

    title: str
    tests: int
    p_value: float
    alpha: float
    sentence: str

    @property
    def caught(self) -> bool:
        """True if the counts contradict the mechanism file."""
        return self.p_value <= self.alpha


@dataclass(frozen=True, eq=False)
class Runs:
    """Uniformly drawn true records, and the output of a sampler for them.

    Parameters
    ----------
    file : MechanismFile
    true, randomized : ndarray of shape (n, k), int32
    again : ndarray of shape (m, k), output of a second call for the first records
    """

    file: MechanismFile
    true: Codes
    randomized: Codes
    again: Codes

    @classmethod
    def of(cls, randomize: Sampler, file: MechanismFile, runs: int, *, rng: np.random.Generator) -> Runs:
        """Draw ``runs`` true records and randomize them.

        Raises InputError for too few or too many runs, or an invalid output.
        """
        if not MIN_AUDIT_RUNS <= runs <= MAX_AUDIT_RUNS or runs % 1:
            raise InputError(
                f"Expected {count_text(MIN_AUDIT_RUNS)} to {count_text(MAX_AUDIT_RUNS)} runs, got {str(runs)[:40]}. Choose another number."
            )
        true = rng.integers(file.sizes, size=(runs, len(file.sizes)), dtype=np.int32)
        batches = [_randomized(randomize, true[start : start + _BATCH], file) for start in range(0, runs, _BATCH)]
        return cls(file, true, np.concatenate(batches), _randomized(randomize, true[:_AGAIN], file))


def _randomized(randomize: Sampler, true: Codes, file: MechanismFile) -> Codes:
    found = np.asarray(randomize(np.array(true, order="F")))
    if found.shape != true.shape or not np.issubdtype(found.dtype, np.integer):
        raise InputError(f"Expected integer codes of shape {true.shape}, got {found.dtype} of shape {found.shape}.")
    for i, size in enumerate(file.reports.sizes):
        if found[:, i].min() < 0 or found[:, i].max() >= size:
            raise InputError(f"The sampler returns a code of attribute {i + 1} outside the range 0 to {size - 1}. Correct it.")
    return found.astype(np.int32, copy=False)


def unchanged_reports(file: MechanismFile, i: int) -> Codes:
    """Return the report that counts as unchanged for each true answer.

    If the reports are not the categories, the most likely report counts as unchanged.
    """
    if file.sizes[i] == file.reports.sizes[i]:
        return np.arange(file.sizes[i], dtype=np.int32)
    return answer_matrix(file, i).argmax(axis=1).astype(np.int32)


def changed(file: MechanismFile, true: Codes, randomized: Codes) -> Booleans:
    """Return which randomized answers differ from the true ones, shape (n, k)."""
    same = [unchanged_reports(file, i)[true[:, i]] == randomized[:, i] for i in range(len(file.sizes))]
    return ~np.column_stack(same)


def answer_matrix(file: MechanismFile, i: int) -> Floats:
    """Return the probability of each report (column) for each true answer (row).

    The matrix is that of attribute ``i``.
    """
    channel = file.channel([i])
    return np.array([channel.push(row) for row in np.eye(file.sizes[i])])


def change_rates(file: MechanismFile, i: int) -> Floats:
    """Return the probability that each true answer of attribute ``i`` changes.

    The shape is (a,).
    """
    matrix = answer_matrix(file, i)
    return 1 - matrix[np.arange(len(matrix)), unchanged_reports(file, i)]


def often(hits: ArrayLike, n: ArrayLike, chance: ArrayLike) -> Floats:
    """Return exact two-sided binomial p-values, elementwise.

    The observations are ``hits`` in ``n`` trials with probability ``chance``.
    """
    from scipy.stats import binom  # heavy

    h, p = np.asarray(hits, dtype=np.float64), np.clip(chance, 0.0, 1.0)
    return np.asarray(np.minimum(1.0, 2 * np.minimum(binom.cdf(h, n, p), binom.sf(h - 1, n, p))))


def check_frequencies(runs: Runs, *, alpha: float) -> tuple[Check, ...]:
    """Compare the frequencies of randomized answers with a mechanism file.

    Parameters
    ----------
    runs : Runs
    alpha : maximum probability that any check rejects a correct sampler

    Examples
    --------
    >>> import numpy as np
    >>> from rrcore.answers import nigeria
    >>> from rrcore.auditing.checks import exact_sampler
    >>> from rrcore.auditing.frequencies import Runs, check_frequencies
    >>> file = nigeria().mechanism
    >>> runs = Runs.of(exact_sampler(file), file, 2000, rng=np.random.default_rng(0))
    >>> [check.caught for check in check_frequencies(runs, alpha=1e-6)]
    [False, False, False]
    """
    lies = changed(runs.file, runs.true, runs.randomized)
    checks = {
        "Single answers": _answers(runs),
        "Pairs of attributes": _pairs(runs, lies),
        "Combinations of changed answers": _records(runs, lies),
        "Independence of records and runs": _fresh(runs, lies),
    }
    if len(runs.file.sizes) == 1:
        del checks["Pairs of attributes"]
    return tuple(_worst(title, list(counts), alpha / len(checks)) for title, counts in checks.items())


_Counts = tuple[Callable[[int], str], Floats, float, Floats]
"""Description of each cell, its frequency, the number of records, and its probability."""


def _worst(title: str, counts: Sequence[_Counts], alpha: float) -> Check:
    p_values = [often(seen, n, chance) for _, seen, n, chance in counts]
    place = min(range(len(counts)), key=lambda i: p_values[i].min())
    cell, (name, seen, n, chance) = int(p_values[place].argmin()), counts[place]
    tests = sum(p.size for p in p_values)
    sentence = f"{name(cell)}: {percent(seen[cell] / n)} of {count_text(int(n))} records, expected {percent(chance[cell])}."
    return Check(title, tests, min(1.0, tests * float(p_values[place][cell])), alpha, sentence)


def _count(columns: Sequence[Codes | Booleans], shape: Sequence[int]) -> Floats:
    cells = np.ravel_multi_index([column.astype(np.intp) for column in columns], shape)
    return np.bincount(cells, minlength=math.prod(shape)).astype(np.float64)


def _answers(runs: Runs) -> Iterator[_Counts]:
    """Count every randomized answer with every true one."""
    file = runs.file
    for i, (attribute, reports) in enumerate(zip(file.schema.attributes, file.reports.attributes, strict=True)):
        shape = (attribute.size, reports.size)

        def name(cell: int, attribute=attribute, reports=reports, shape=shape) -> str:  # type: ignore[no-untyped-def]
            x, y = np.unravel_index(cell, shape)
            return f"'{attribute.name}' = {attribute.categories[x]} randomized to {reports.categories[y]}"

        seen = _count([runs.true[:, i], runs.randomized[:, i]], shape)
        yield name, seen, float(len(runs.true)), answer_matrix(file, i).ravel() / attribute.size


def _pairs(runs: Runs, lies: Booleans) -> Iterator[_Counts]:
    """Count which answers of two attributes are changed with every pair of true ones."""
    file, names = runs.file, runs.file.schema.names
    for i, j in combinations(range(len(names)), 2):
        a, b = file.sizes[i], file.sizes[j]
        together = any(i in places and j in places for places, _ in file.groups)
        if together:
            chance = np.broadcast_to(_change_sets(file, (i, j)), (a, b, 2, 2))
        else:
            one, other = (np.stack([1 - rate, rate], axis=1) for rate in (change_rates(file, i), change_rates(file, j)))
            chance = np.einsum("xs,yt->xyst", one, other)
        seen = _count([runs.true[:, i], runs.true[:, j], lies[:, i], lies[:, j]], (a, b, 2, 2))

        def name(cell: int, i: int = i, j: int = j, a: int = a, b: int = b) -> str:
            x, y, *flags = np.unravel_index(cell, (a, b, 2, 2))
            first, second = (file.schema.attributes[at].categories[code] for at, code in ((i, x), (j, y)))
            how = [("unchanged", "changed")[flag] for flag in flags]
            return f"'{names[i]}' = {first} {how[0]} and '{names[j]}' = {second} {how[1]}"

        yield name, seen, float(len(lies)), chance.ravel() / (a * b)


def _blocks(file: MechanismFile) -> list[list[int]]:
    """Attributes in blocks of at most ``_BLOCK``, those of one group next to each other."""
    order = [i for places, _ in file.groups for i in places]
    return [order[start : start + _BLOCK] for start in range(0, len(order), _BLOCK)]


def _change_sets(file: MechanismFile, axes: Sequence[int], *, squared: bool = False) -> Floats:
    """Return the probability that just these answers among ``axes`` are changed, on average over true records, shape (2,) * w.

    ``squared`` gives the probability that this happens in two calls with the same true record.
    """
    out, order = np.ones(()), list[int]()
    for places, weights in file.groups:
        if own := [i for i in axes if i in places]:
            if weights.rows is not None:
                rates = change_rates(file, own[0])
                power = 2 if squared else 1
                part = np.array([((1 - rates) ** power).mean(), (rates**power).mean()])
            else:
                part = weights.channel([places.index(i) for i in own]).probabilities ** (2 if squared else 1)
            out = np.multiply.outer(out, part)
            order += own
    return np.asarray(out.transpose([order.index(i) for i in axes]))


def _records(runs: Runs, lies: Booleans) -> Iterator[_Counts]:
    """Count which answers of a record are changed together."""
    names = runs.file.schema.names
    for axes in _blocks(runs.file):
        shape = (2,) * len(axes)

        def name(cell: int, axes: list[int] = axes, shape: tuple[int, ...] = shape) -> str:
            flags = np.unravel_index(cell, shape)
            which = [f"'{names[i]}'" for i, flag in zip(axes, flags, strict=True) if flag]
            of = "" if len(axes) == len(names) else f" among {len(axes)} attributes"
            return f"Only {', '.join(which)} changed{of}" if which else f"No answer changed{of}"

        yield name, _count([lies[:, i] for i in axes], shape), float(len(lies)), _change_sets(runs.file, axes).ravel()


def _named(sentence: str, cell: int) -> str:
    return sentence


def _fresh(runs: Runs, lies: Booleans) -> Iterator[_Counts]:
    """Count how often neighboring records, and the same records in two calls, have just the same answers changed."""
    again = changed(runs.file, runs.true[: len(runs.again)], runs.again)
    half = len(lies) // 2
    for axes in _blocks(runs.file):
        neighbors = (lies[: 2 * half : 2, axes] == lies[1 : 2 * half : 2, axes]).all(axis=1).sum()
        calls = (lies[: len(again), axes] == again[:, axes]).all(axis=1).sum()
        chances = (_change_sets(runs.file, axes) ** 2).sum(), _change_sets(runs.file, axes, squared=True).sum()
        what = (
            "The same answers are changed in neighboring records",
            "The same answers are changed in two runs of the same records",
        )
        for sentence, hits, n, chance in zip(what, (neighbors, calls), (half, len(again)), chances, strict=True):
            yield partial(_named, sentence), np.array([float(hits)]), float(n), np.array([float(chance)])
