"""How long others wait while somebody computes: the slider of Budget on the census, alone and beside long work of other people.

Starts the dashboard and opens real websockets. People move the slider again and again, 0.5 to 1.5 s after the page has answered, first
alone, then while other sessions compare schemes on the census, design an optimum for 20 attributes, and run audits of 1,000,000 runs. Prints
how long each move took, and what the workers were doing. Ends with 1 where a limit is not met: one person beside a comparison and an
optimum waits at most 1 s at the 95th percentile.

Usage: python -m benchmarks.bench_beside [--seconds 30]
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

import numpy as np
import psutil

from benchmarks.load.server import Server
from benchmarks.load.tab import Tab
from benchmarks.sizes import size

LIMIT = 1.0  # seconds, 95th percentile
PAUSE = (0.5, 1.5)
SCALES = np.round(np.arange(0.5, 2.001, 0.05), 2).tolist()
ENDLESS = 3600.0
STARTED = 0.3  # seconds of processor time by which a worker counts as at work

Work = Callable[[Server], Awaitable[None]]


async def compare(server: Server) -> None:
    """Compare schemes on the census, release after release."""
    async with await Tab.open(server.address, "compare", "table=census") as tab:
        await tab.run()
        await tab.choose("number_input", "Releases", 2000)
        await tab.choose("button", "Compare", True, patience=ENDLESS)


async def design(server: Server) -> None:
    """Declare 20 questions of two or three answers, and plan for all of them at different levels, one optimum after the other."""
    async with await Tab.open(server.address, "data") as tab:
        await tab.run()
        await tab.choose("radio", "Where the table comes from", "Declare only")
        questions = "\n".join(f"question {number}: {', '.join('abc'[: 2 + number % 2])}" for number in range(20))
        await tab.choose("text_area", "Questions", questions)
        await tab.go("budget")
        await tab.choose("button", "Add the other", True, patience=ENDLESS)
        for turn in itertools.count():
            await tab.type([f"{0.5 + number / 8 + turn / 100:.3f}" for number in range(20)], patience=ENDLESS)


async def audit(server: Server) -> None:
    """Try to break the mechanism of the plan on the census with 1,000,000 runs."""
    async with await Tab.open(server.address, "audit", "table=census") as tab:
        await tab.run(patience=ENDLESS)
        await tab.choose("radio", "Runs", "1,000,000", patience=ENDLESS)


async def measure(server: Server, people: int, works: Sequence[Work], seconds: float) -> tuple[list[float], str]:
    """Seconds of every move, and in words what the processor did meanwhile."""
    moved: list[float] = []
    gate = asyncio.Barrier(people + 1)

    async def move(number: int) -> None:
        rng = np.random.default_rng(number)
        async with await Tab.open(server.address, "budget", "table=census") as tab:
            await tab.run()
            await gate.wait()
            await gate.wait()
            end, at = time.monotonic() + seconds, 1.0
            while time.monotonic() < end:
                at = rng.choice([scale for scale in SCALES if scale != at])
                moved.append(await tab.choose("slider", "Scale all levels", at))
                await asyncio.sleep(rng.uniform(*PAUSE))
            if tab.errors:
                raise RuntimeError(f"a page showed {tab.errors[0]}")

    async with asyncio.TaskGroup() as group:
        for number in range(people):
            group.create_task(move(number))
        await gate.wait()
        busy = [group.create_task(_beside(work, server)) for work in works]
        await _at_work(server, min(len(works), 4))
        before, own, began = _workers(server), _own(server), time.monotonic()
        await gate.wait()
        await asyncio.sleep(seconds)
        after, lasted = _workers(server), time.monotonic() - began
        spent = sum(after[pid] - before.get(pid, 0.0) for pid in after) / lasted
        told = f"the server took {(_own(server) - own) / lasted:.2f} cores, {len(after)} jobs {spent:.2f}"
        for task in busy:
            task.cancel()
    return moved, told


async def _beside(work: Work, server: Server) -> None:
    with suppress(asyncio.CancelledError):
        await work(server)


def _workers(server: Server) -> dict[int, float]:
    """Processor seconds of every job that is at work: those are nicer than what starts them."""
    found = {}
    for process in psutil.Process(server.process.pid).children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if process.nice() > psutil.Process(server.process.pid).nice():
                found[process.pid] = sum(process.cpu_times()[:2])
    return found


def _own(server: Server) -> float:
    """Processor seconds of the server process alone."""
    return float(sum(psutil.Process(server.process.pid).cpu_times()[:2]))


async def _at_work(server: Server, jobs: int) -> None:
    """Wait until so many jobs are at work."""
    end = time.monotonic() + 180
    while sum(spent > STARTED for spent in _workers(server).values()) < jobs:
        if time.monotonic() > end:
            raise RuntimeError("the long work does not begin")
        await asyncio.sleep(0.2)


async def _none_left(server: Server) -> float:
    """Seconds until nothing of closed tabs goes on."""
    began = time.monotonic()
    while _workers(server):
        await asyncio.sleep(0.1)
    return time.monotonic() - began


ROUNDS: dict[str, tuple[int, tuple[Work, ...]]] = {
    "1 person alone": (1, ()),
    "1 person beside a comparison and a k = 20 optimum": (1, (compare, design)),
    "1 person beside 5 audits of 1,000,000 runs": (1, (audit,) * 5),
    "5 people alone": (5, ()),
    "5 people beside one audit of 1,000,000 runs": (5, (audit,)),
    "5 people beside a k = 20 optimum": (5, (design,)),
}


async def _measure_all(seconds: float) -> int:
    late: dict[str, float] = {}
    with Server() as server:
        await measure(server, 1, (), size(2.0, 0.1))  # what is imported at the first use is nobody's
        for title, (people, works) in list(ROUNDS.items())[: size(len(ROUNDS), 1)]:
            moved, told = await measure(server, people, works, seconds)
            middle, late[title], worst = np.percentile(moved, [50, 95, 100])
            gone = await _none_left(server)
            told += f", gone {gone:.1f} s after their tabs" if works else ""
            print(
                f"{title:50}{len(moved):4} moves: p50 {middle:.2f} s, p95 {late[title]:.2f} s, most {worst:.2f} s; {told}",
                flush=True,
            )
    met = late.get("1 person beside a comparison and a k = 20 optimum", 0.0) <= LIMIT
    print(f"limit: 1 person beside a comparison and a k = 20 optimum, p95 {LIMIT} s: {'met' if met else 'not met'}")
    return 0 if met else 1


def main() -> int:
    """Measure every round."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seconds", type=float, default=size(30.0, 1.0), help="of moving, in every round")
    return asyncio.run(_measure_all(options.parse_args().seconds))


if __name__ == "__main__":
    sys.exit(main())
