"""One record released truthfully is enough to betray its owner: every possible record is tried where there are few enough."""

import math

import numpy as np
from numpy.typing import NDArray

from rrcore.arrays import Codes
from rrcore.audit.check import Check, Comparisons
from rrcore.audit.expected import Expected
from rrcore.audit.fit import often
from rrcore.audit.sequence import meeting_rate
from rrcore.audit.trials import Coverage, Randomiser, balanced, released

_SURE = 0.01  # part of the false alarms that a record which is always told truthfully stays below
_FEWEST, _MOST = 12, 400  # releases of each record
_FEW = 0.05  # of the records tried: more of them are no exception


def plan_records(
    expected: Expected, budget: int, alpha: float, table: Codes | None, rng: np.random.Generator
) -> tuple[Codes, Coverage]:
    """Which records are tried, and how often each.

    All of them where ``budget`` releases allow; otherwise those of ``table``, and the rest at random.
    """
    possible = math.prod(expected.sizes)
    given = np.unique(table, axis=0) if table is not None else np.empty((0, expected.k), dtype=np.int32)
    tried = min(possible, budget // _FEWEST)
    for _ in range(3):  # the more records, the more releases of each it takes
        each = _releases(expected, alpha / (tried * (expected.k + 2)))
        tried = min(possible, max(1, budget // each))
    if tried == possible:
        each = max(each, min(_MOST, budget // possible))
        return np.stack(np.unravel_index(np.arange(possible), expected.sizes), axis=1).astype(np.int32), Coverage(
            possible, possible, each
        )
    if len(given) > tried:
        given = given[rng.choice(len(given), tried, replace=False)]
    other = np.unique(np.concatenate([given, balanced(expected.sizes, tried - len(given), rng)]), axis=0)
    return other.astype(np.int32), Coverage(len(other), possible, each, len(given))


def _releases(expected: Expected, alpha: float) -> int:
    """Releases after which a record that is always told truthfully stands out."""
    some = balanced(expected.sizes, 100, np.random.default_rng(0))
    likely = float(expected.truth(some).max())
    if likely <= 0:
        return _FEWEST
    return _MOST if likely >= 1 else min(_MOST, max(_FEWEST, math.ceil(math.log(_SURE * alpha) / math.log(likely))))


def check_records(
    randomise: Randomiser,
    expected: Expected,
    budget: int,
    *,
    alpha: float,
    table: Codes | None = None,
    rng: np.random.Generator,
) -> tuple[Check, Coverage]:
    """Release every record some dozen times, in random order: truthful releases, false answers, equal releases of each.

    Parameters
    ----------
    budget : most releases
    table : records that are to be tried before others, shape (m, k)
    """
    records, coverage = plan_records(expected, budget, alpha, table, rng)
    m, each = len(records), coverage.each
    label = rng.permutation(np.repeat(np.arange(m), each))
    out = released(randomise, records[label], expected.report_sizes)
    sorted_out = out[np.argsort(label, kind="stable")].reshape(m, each, expected.k)  # each record's releases, in the order sent
    moved = meeting_rate(expected.marks(records[label], out, rng=rng).shifts) / expected.same_shift
    found = Comparisons("records", alpha)
    secret = _compare(found, expected, records, sorted_out, moved)

    def named() -> str | None:
        if not 0 < secret.size <= max(1, _FEW * m):
            return None
        some = "; ".join(f"({expected.described(records[at])})" for at in secret[:3])
        return (
            f"Secret record: {some} {'is' if secret.size == 1 else 'are'} always released truthfully, in {each} of {each} releases, where "
            f"{each * expected.truth(records)[secret[0]]:.1f} are expected."
        )

    return found.done(f"{m:,} records, {each:,} releases of each: none is treated in a way of its own.", named), coverage


def _compare(found: Comparisons, expected: Expected, records: Codes, out: Codes, moved: float) -> NDArray[np.intp]:
    """Hold all releases of each record against the file, and give the positions of those that are strangely always truthful.

    Parameters
    ----------
    out : releases of each record, shape (m, each, k)
    moved : how much more often than by the file two releases move in the same way
    """
    m, each, k = out.shape
    half, truths = each // 2, expected.plain(records)[:, None]
    false, honest = (out != truths).sum(axis=1), (out == truths).all(axis=2).sum(axis=1)
    alike = (out[:, :half] == out[:, half : 2 * half]).all(axis=2).sum(axis=1)
    likely, same, rates = expected.truth(records), expected.same(records), expected.false(records)
    alike_seen = np.minimum(1.0, same * moved)  # as lies are seen to be: what is wrong for everybody is another check's matter
    rates_seen = np.minimum(1.0, rates * false.sum(axis=0) / np.maximum(1e-300, each * rates.sum(axis=0)))
    usual = np.minimum(1.0, likely * honest.sum() / max(1e-300, each * likely.sum()))
    truthful = often(honest, each, likely, usual)
    found.add(
        truthful,
        lambda at: (
            f"The record ({expected.described(records[at])}) was released truthfully in {honest[at]} of {each} releases, where "
            f"{each * likely[at]:.1f} are expected."
        ),
    )
    found.add(
        often(false, each, rates, rates_seen),
        lambda at: (
            f"The record ({expected.described(records[at // k])}) has '{expected.names[at % k]}' false in {false.ravel()[at]} of {each} "
            f"releases, where {each * rates.ravel()[at]:.1f} are expected."
        ),
    )
    found.add(
        often(alike, half, same, alike_seen),
        lambda at: (
            f"Releases of the record ({expected.described(records[at])}) are alike in {alike[at]} of {half} pairs, where "
            f"{half * same[at]:.1f} are expected: the same true record gets the same answer."
        ),
    )
    found.add(
        often(alike.sum(), half * m, same.mean(), alike_seen.mean()),
        f"Two releases of one record are alike {alike.sum():,} times in {half * m:,}, where {half * same.sum():,.0f} are expected: "
        "releases are remembered or shared.",
    )
    return np.flatnonzero((truthful * m < found.alpha) & (honest == each))
