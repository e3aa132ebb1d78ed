"""Do intervals of denial hold, are decisions right, and has a split sample the power that it says? (theory.md section 28)

Run ``python benchmarks/bench_denial.py``: 2,000 surveys for every setting, of Kronecker, pair-safe (a pair of attributes) and forced
response, of shares of 5 to 30 % among 500 to 4,000 people, a quarter of them asked directly. Printed are how often the interval of denial
holds it where that is the break-even denial, how often neither way is then said to be closer, and of the two splits for a power of 80 %
how often denial is found. Asked is 93.5 to 96.5 % of the first two, and 76 to 86 % of power. Exits 1 where anything is missed.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
import rrcore as rr
from benchmarks.sizes import size
from benchmarks.thresholds import verdict
from rrcore.channel import Channel, MatrixChannel
from rrcore.estimate import BreakEven, Denial, SplitSample, invert_counts
from rrcore.promise import direct_file

SURVEYS = size(2_000, 20)
SETTINGS = size(((0.05, 4_000), (0.1, 500), (0.15, 1_500), (0.3, 1_000)), ((0.15, 1_500),))
CHANNELS: dict[str, Channel] = {
    "kronecker": rr.build("kronecker", (2, 3), [1.0, 1.0]).marginal_channel((0,)),
    "pair-safe": rr.build("pair-safe", (2, 3, 4), [1.5, 1.5, 1.5]).marginal_channel((0, 1)),
    "forced response": MatrixChannel(np.array([[5, 1], [1, 5]]) / 6),
}


def main() -> int:
    rng, missed = np.random.default_rng(28), dict[str, str]()
    for design, channel in CHANNELS.items():
        for share, people in SETTINGS:
            name = f"{design}, {share:.0%} of {people:,}"
            for what, found, low, high in measured(channel, share, people, rng):
                print(f"{name}: {what} {100 * found:.1f} %")
                if not low <= found <= high and SURVEYS == 2_000:
                    missed[f"{name}: {what}"] = f"{100 * found:.1f} %, asked {100 * low:g} to {100 * high:g} %"
    return verdict("denial", missed)


def measured(channel: Channel, share: float, people: int, rng: np.random.Generator) -> Iterator[tuple[str, float, float, float]]:
    """What was measured, how often, and between which ends it is asked to be."""
    asked = BreakEven.of(channel, tuple(each - 1 for each in channel.sizes), people=people, share=share)
    even = SplitSample(asked, min(asked.denial, share), 0.25)
    found = list(surveys(channel, even, rng))
    ends = np.array([each.interval() for each in found])
    yield "intervals hold", float(((ends[:, 0] <= even.denial) & (even.denial <= ends[:, 1])).mean()), 0.935, 0.965
    if even.denial == asked.denial:
        yield "no way is said to be closer", float(np.mean([each.verdict(people) == "open" for each in found])), 0.935, 0.965
    best = SplitSample.fewest_people(asked, share * 2 / 3)
    for what, split in (
        ("power, fewest people", best),
        ("power, fewest asked directly", SplitSample.fewest_directly(replace(asked, people=2 * best.people), share * 2 / 3)),
    ):
        yield what, float(np.mean([each.interval()[0] > 0 for each in surveys(channel, split, rng)])), 0.76, 0.86


def surveys(channel: Channel, split: SplitSample, rng: np.random.Generator) -> Iterator[Denial]:
    """Split samples that the form deals: of the last cell some deny, and say the first one."""
    truth = np.full(channel.sizes, (1 - split.asked.share) / (math.prod(channel.sizes) - 1))
    truth.flat[-1] = split.asked.share
    said = truth.copy()
    said.flat[-1] -= split.denial
    said.flat[0] += split.denial
    schema = rr.Schema(tuple(rr.Attribute(f"{i}", tuple(map(str, range(each)))) for i, each in enumerate(channel.sizes)))
    directly = direct_file(schema).marginal_channel(range(channel.w))
    cell = tuple(each - 1 for each in channel.sizes)
    for number in rng.binomial(split.people, split.part, size=SURVEYS):
        reports = rng.multinomial(split.people - number, channel.push(truth).ravel()).reshape(channel.report_sizes)
        told = rng.multinomial(number, said.clip(0).ravel()).reshape(channel.sizes)
        yield Denial(invert_counts(reports, channel), invert_counts(told, directly), cell)


if __name__ == "__main__":
    sys.exit(main())
