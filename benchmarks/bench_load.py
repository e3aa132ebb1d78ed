"""Many people at once: tabs on the invented census that move the slider of Budget, against the limits.

Starts the dashboard, opens as many real websockets as asked, and has every tab set all ε, without a pause or every 8 to 12 s. Prints the
time from sending to the end of the last run of the page, the server's processor time a move, errors, and the server's memory before, at the
most, and once everybody left. Ends with 1 if a limit is not met.

Usage: python -m benchmarks.bench_load [--tabs N] [--pause] [--pages budget] [--seconds 60] [--no-leave]
Without --tabs: one tab alone, then 20 with pauses.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmarks.server import Server
from benchmarks.sizes import size
from benchmarks.tab import Tab
from benchmarks.thresholds import Measured, verdict

MOVE = 0.15  # seconds of server time
LATE = 0.5  # seconds, 95th percentile of tabs that move every 8 to 12 s
BACK = 50.0  # megabytes above the start, once everybody left
FORGET = size(150.0, 1.0)  # seconds after which the server has forgotten a closed tab
PAUSE = (8.0, 12.0)
EPSILONS = np.round(np.arange(0.5, 2.001, 0.05), 2).tolist()


@dataclass
class Round:
    """What tabs on one page saw: seconds of each move, seconds of opening, errors; what the server spent and held."""

    page: str
    tabs: int
    pause: bool
    opened: list[float] = field(default_factory=list)
    moved: list[float] = field(default_factory=list)
    runs: int = 0
    errors: list[str] = field(default_factory=list)
    spent: float = 0.0
    most: float = 0.0

    def text(self) -> str:
        """One line."""
        how = f"every {PAUSE[0]:g} to {PAUSE[1]:g} s" if self.pause else "without a pause"
        middle, late, worst = np.percentile(self.moved, [50, 95, 100])
        return (
            f"{self.page:8} {self.tabs:3} tabs {how:16} {len(self.moved):5} moves in {self.runs:5} runs, "
            f"p50 {middle:6.2f} s, p95 {late:6.2f} s, most {worst:6.2f} s, opened within {max(self.opened):5.1f} s, "
            f"server {self.spent / len(self.moved):.3f} s a move, most memory {self.most:.0f} MB, {len(self.errors)} errors"
        )

    def measured(self) -> list[Measured]:
        """What has a limit."""
        where = f"{self.page}, {self.tabs} tab{'s' * (self.tabs > 1)}"
        late = (
            [Measured(f"{where}: wait, 95th percentile", float(np.percentile(self.moved, 95)), LATE, "s")] if self.pause else []
        )
        spent = Measured(f"{where}: server time of a move", self.spent / len(self.moved), MOVE, "s")
        return [*late, spent, Measured(f"{where}: errors", len(self.errors), 0)]


async def measure(server: Server, page: str, tabs: int, seconds: float, *, pause: bool, table: str = "census") -> Round:
    """Have ``tabs`` move for ``seconds`` on ``page``, once all are open."""
    found, gate = Round(page, tabs, pause), asyncio.Barrier(tabs + 1)

    async def use(number: int) -> None:
        rng = np.random.default_rng([number, tabs])
        async with await Tab.open(server.address, page, f"table={table}") as tab:
            found.opened.append(await tab.run())
            await gate.wait()
            await gate.wait()
            end, before = time.monotonic() + seconds, tab.runs
            if pause:
                await asyncio.sleep(rng.uniform(0, PAUSE[1]))
            at = 1.0
            while time.monotonic() < end:
                at = rng.choice([each for each in EPSILONS if each != at])
                found.moved.append(await tab.choose("slider", "Set all ε", at))
                if pause:
                    await asyncio.sleep(rng.uniform(*PAUSE))
            found.runs += tab.runs - before
            found.errors += tab.errors

    async def watch() -> None:
        while True:
            found.most = max(found.most, server.megabytes())
            await asyncio.sleep(0.2)

    watching = asyncio.create_task(watch())
    async with asyncio.TaskGroup() as group:
        for number in range(tabs):
            group.create_task(use(number))
        await gate.wait()
        spent = server.seconds()
        await gate.wait()
    found.spent = server.seconds() - spent
    watching.cancel()
    return found


async def forgotten(server: Server, start: float, patience: float) -> float:
    """Memory once closed tabs are forgotten, at the latest after ``patience`` seconds; one tab comes and goes, as people do."""
    end = time.monotonic() + patience
    while time.monotonic() < end and server.megabytes() > start:
        await asyncio.sleep(1)
    return server.megabytes()


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what is asked for; 1 if a limit is not met."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tabs", type=int)
    options.add_argument("--pause", action="store_true")
    options.add_argument("--pages", nargs="+", default=["budget"])
    options.add_argument("--seconds", type=float, default=size(60.0, 2.0))
    options.add_argument("--no-leave", action="store_true", help="do not wait for memory to come back")
    chosen = options.parse_args(arguments)
    rounds = [(chosen.tabs, chosen.pause)] if chosen.tabs else [(1, False), (size(20, 2), True)]
    return asyncio.run(_measure_all(rounds, chosen.pages, chosen.seconds, leave=not chosen.no_leave))


async def _measure_all(rounds: Sequence[tuple[int, bool]], pages: Sequence[str], seconds: float, *, leave: bool) -> int:
    measured = []
    with Server() as server:
        for page in pages:  # what is imported at the first use is no session's
            await measure(server, page, 1, 2.0, pause=False)
        start = server.megabytes()
        for tabs, pause in rounds:
            for page in pages:
                found = await measure(server, page, tabs, seconds, pause=pause)
                print(found.text(), *sorted(set(found.errors)), sep="\n", flush=True)
                measured += found.measured()
        if leave:
            back = await forgotten(server, start, FORGET)
            measured.append(Measured("memory above the start, once everybody left", back - start, BACK, "MB"))
    return verdict("load", measured)


if __name__ == "__main__":
    sys.exit(main())
