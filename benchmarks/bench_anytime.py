"""What do intervals cost that stay valid at every look, and how often do they miss?

Run ``python benchmarks/bench_anytime.py [SURVEYS]`` (by default 500 of 2,000 answers each).
Prints, for each channel, the width beside that of the score interval for one look at 100 to 1,000,000 answers, and beside that of the
Dirichlet mixture over all reports at 2,000; then, of surveys that are looked at after every answer, the share in which the sequence ever
misses, and the same of the interval for one look from the thirtieth answer on (most and least of all cells). Exits 1 if more than 5 % of the
surveys are missed by more than 4 standard deviations of the measurement.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.sizes import size
from rrcore.estimate import ConfidenceSequence, invert_counts
from tests.estimate.test_anytime import CHANNELS, dirichlet, ever_missed

LOOKS = (100, 300, 1_000, 10_000, 100_000, 1_000_000)
ANSWERS, FIRST = size(2_000, 100), 30


def main(surveys: int) -> int:
    """Print both tables; 1 if the promise is broken."""
    print(f"{'width beside one look, at':<30}" + "".join(f"{n:>11,}" for n in LOOKS) + "   beside Dirichlet")
    for name, (channel, truth) in CHANNELS.items():
        law, sequence = channel.push(truth), ConfidenceSequence(channel)
        ratios = []
        for n in LOOKS:
            counts = np.rint(law * n).astype(np.int64)
            (low, high), (first, last) = sequence.interval(counts), invert_counts(counts, channel).interval(population=True)
            ratios.append(float(np.mean((high - low) / (last - first))))
        counts = np.rint(law * ANSWERS).astype(np.int64)
        (low, high), (first, last) = sequence.interval(counts), dirichlet(channel, counts, 0.05)
        told = "".join(f"{ratio:>11.2f}" for ratio in ratios)
        print(f"{name:<30}{told}{float(np.mean((high - low).ravel() / (last - first))):>19.2f}")
    print(f"\n{f'ever missed, {surveys:,} surveys':<30}   at every look   one look, looked at all the time")
    broken = False
    for name, (channel, truth) in CHANNELS.items():
        missed, fixed = ever_missed(channel, truth, ANSWERS, surveys, seed=3, first=FIRST)
        bad = missed.max() > 0.05 + 4 * np.sqrt(0.05 * 0.95 / surveys)
        broken |= bool(bad)
        told = f"{missed.min():.3f} to {missed.max():.3f}   {fixed.min():.3f} to {fixed.max():.3f}"
        print(f"{name:<30}   {told}{'  <-' if bad else ''}", flush=True)
    return int(broken)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else size(500, 3)))
