"""How much faster are two workers of a Dask cluster than one? For counting, for an exact release and for a study.

Run ``python benchmarks/bench_cluster.py`` on two idle cores, for 32,000,000 records of 8 attributes, or with ``--rows`` for more. It writes a
Parquet file into a temporary folder, starts clusters of one and of two processes on this machine, of one thread each, prints what each job
takes with both, and how much processor time the workers took and this process beside them, which cannot be shared; and exits 1 if the count
or the release is less than ``LIMIT`` times as fast with two, but as ``benchmarks/thresholds.py`` says, or less than ``ANYWHERE`` times.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import distributed
import numpy as np
import psutil

from benchmarks.bench_stream import SCHEMA, SIZES, write
from benchmarks.sizes import size
from benchmarks.thresholds import verdict
from rrcore.mechanisms import build
from rrcore.promise import MechanismFile, integer_groups
from rrcore.promise.stream import randomise_stream
from rrcore.schemes import Study
from rrcore.table import load_demo, pairs
from rrcore.table.stream import count, open_stream
from rrcore.work import Workers, open_executor, run

LIMIT, ANYWHERE = 1.6, 1.2
LEVEL = 1.0  # nats
RELEASES = size(24, 2)  # of the study
PROCESSES = size(True, False)  # in which each worker has its own; else they are threads

Job = Callable[[Workers], object]


def measured(workers: int, jobs: dict[str, Job]) -> dict[str, float]:
    """Seconds of each job with so many workers, which have loaded what they need before."""
    own = {"threads_per_worker": 1, "processes": PROCESSES, "dashboard_address": None}
    with distributed.LocalCluster(n_workers=workers, **own) as cluster, open_executor(cluster.scheduler_address) as executor:
        list(run(warm, range(4 * workers), executor=executor))
        found = {}
        for name, job in jobs.items():
            start, before = perf_counter(), busy()
            job(executor)
            found[name] = perf_counter() - start
            own, theirs = (after - was for after, was in zip(busy(), before, strict=True))
            print(f"{name}, {workers} at work: {theirs:.1f} s of processor time in workers, {own:.1f} s beside them", flush=True)
        return found


def busy() -> tuple[float, float]:
    """Seconds of processor time that this process has taken so far, and its children that run."""
    here = psutil.Process()
    own, *theirs = (process.cpu_times() for process in (here, *here.children(recursive=True)))
    return own.user + own.system, sum(each.user + each.system for each in theirs)


def warm(_: int) -> int:
    """Load what the jobs use."""
    import rrcore.promise.stream
    import rrcore.schemes

    return len(rrcore.schemes.SCHEMES) + len(rrcore.promise.stream.__name__)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=size(32_000_000, 20_000), help="records (default 32,000,000)")
    rows = parser.parse_args().rows
    census = load_demo("census")
    study = Study(("rr-independent", "blend", "pair-safe"), (2,), repeats=RELEASES)
    file = MechanismFile(SCHEMA, integer_groups(build("pair-safe", SIZES, [LEVEL] * len(SIZES))))
    with tempfile.TemporaryDirectory(prefix="rr-cluster-") as folder:
        place, number = Path(folder, "people.parquet"), itertools.count()
        write(place, rows)
        stream = open_stream(place)
        print(f"{rows:,} records of {len(SIZES)} attributes in {len(stream.pieces())} pieces; a study of {RELEASES} releases")
        jobs: dict[str, Job] = {
            "all pair tables": lambda executor: count(stream, SCHEMA, pairs(SCHEMA), executor=executor),
            "an exact release": lambda executor: randomise_stream(
                file, stream, Path(folder, f"released_{next(number)}.parquet"), parts=True, executor=executor
            ),
            "a study": lambda executor: list(study.run(census, np.full(census.k, LEVEL), executor=executor)),
        }
        one, two = measured(1, jobs), measured(2, jobs)
    missed = dict[str, str]()
    for name in jobs:
        ratio = one[name] / two[name]
        print(f"{name:18s} one worker {one[name]:6.1f} s, two {two[name]:6.1f} s: {ratio:.2f} times as fast")
        if name != "a study" and ratio < LIMIT:
            known = name if ratio >= ANYWHERE else f"{name}, on any machine"
            missed[known] = f"{ratio:.2f} times as fast, at least {LIMIT:g} asked"
    return verdict("cluster", missed)


if __name__ == "__main__":
    sys.exit(main())
