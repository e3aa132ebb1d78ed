"""Does the interval of a class poll hold the class's true share in 95 of 100 polls?

Run ``python benchmarks/bench_poll.py``. Of 2,000 simulated polls each, printed is how often the unbiased interval, and the one that the
wall shows, hold the share of yes among those who answered. Asked is 93.5 to 96.5 % of the first. What is shown is that interval, made wider
where an estimate lies outside 0 to 100 %, so that it may hold more often. Exits 1 where the first misses.
"""

from __future__ import annotations

import numpy as np

from benchmarks.sizes import size
from rrcore.designs.classroom import ATTRIBUTE, PollDesign, poll_design
from rrcore.receiver.poll import simulated_poll

POLLS, SHARE = size(2000, 50), 0.3
DESIGNS = (PollDesign(30, 75), poll_design(30, 0.2), poll_design(12, 0.3), PollDesign(100, 75), poll_design(200, 0.1))


def covered(design: PollDesign) -> tuple[float, float]:
    """How often the unbiased interval and the shown one hold the true share."""
    rng, held, shown = np.random.default_rng(2027), 0, 0
    for _ in range(POLLS):
        poll, shares = simulated_poll(design, SHARE, rng=rng)
        assert poll.answers is not None
        low, high = poll.answers.estimate([ATTRIBUTE]).interval()
        _, least, most = poll.interval
        held += bool(low[1] - 1e-9 <= shares[1] <= high[1] + 1e-9)
        shown += bool(least[1] - 1e-9 <= shares[1] <= most[1] + 1e-9)
    return held / POLLS, shown / POLLS


def main() -> int:
    missed = 0
    for design in DESIGNS:
        held, shown = covered(design)
        missed += not 0.935 <= held <= 0.965 and POLLS == 2000
        print(f"{design.people} people, {design.truth} % truth: {100 * held:.1f} %, as shown {100 * shown:.1f} %", flush=True)
    return int(missed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
