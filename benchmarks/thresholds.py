"""Which thresholds are known to be missed, and what a benchmark says and exits with at its end.

A threshold stays as it was asked for where it cannot be met: it stands here with the reason. A benchmark exits 0 exactly if it missed what is
known to be missed and nothing else, so that a known miss which is met is noticed, too, and goes from here.
"""

from __future__ import annotations

from collections.abc import Mapping

KNOWN: dict[str, dict[str, str]] = {}
"""Benchmark -> threshold -> why it is missed."""


def verdict(benchmark: str, missed: Mapping[str, str]) -> int:
    """Print what was missed, and give the code to exit with.

    Parameters
    ----------
    benchmark : str
        Name of the file without ``bench_``.
    missed : mapping of str to str
        Threshold -> what was measured and asked, of every threshold that was missed.

    Returns
    -------
    int
        0 if these are the known misses of the benchmark, else 1.

    Examples
    --------
    >>> verdict("perturb", {})
    ok: every threshold is met
    0
    >>> verdict("perturb", {"ratio": "4.2, at most 4 asked"})
    MISSED ratio: 4.2, at most 4 asked
    1
    """
    known = KNOWN.get(benchmark, {})
    for name, measured in missed.items():
        print(f"missed as known, {name}: {measured}. {known[name]}" if name in known else f"MISSED {name}: {measured}")
    for name in known.keys() - missed:
        print(f"MET {name}: known as missed, so that it can go from benchmarks/thresholds.py")
    if not missed and not known:
        print("ok: every threshold is met")
    return int(set(missed) != set(known))
