"""How much CPU time and memory does a table of any size take, compared with one DuckDB query on the same file?

Run ``python benchmarks/bench_tables.py`` for 2,000,000 records of 8 attributes, or with ``--rows 100000000``. It writes a Parquet file,
batch by batch, into a temporary folder. It prints the CPU time of every job and the peak memory of this process and its children.
Each job has one thread. The exit code is 1 if the counts differ, if counting all pairs takes more than ``LIMIT`` of the CPU time of DuckDB,
or if a job takes more than ``MEMORY`` bytes.
"""

from __future__ import annotations

import argparse
import itertools
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import TypeVar

import distributed
import duckdb
import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.sizes import size
from benchmarks.thresholds import Measured, verdict
from rrcore.budget import build
from rrcore.executors import open_executor
from rrcore.promise import MechanismFile, integer_groups
from rrcore.promise.randomizing import randomize_stream
from rrcore.simulation import simulate_counts
from rrcore.table import Attribute, Counts, Schema
from rrcore.table.opening import open_stream
from rrcore.table.scanning import Coded, CodedTable, coder, count, survey

Result = TypeVar("Result")

SIZES = (9, 16, 7, 15, 6, 5, 2, 2)
SCHEMA = Schema(tuple(Attribute(f"q{i}", tuple(f"answer {c}" for c in range(a))) for i, a in enumerate(SIZES)))
GROUP = size(1 << 20, 1 << 13)
LIMIT = 0.5
MEMORY = 10**9


class Peak:
    """The largest memory, in bytes, of this process and its children while the block runs: resident, without what they share by file."""

    def __enter__(self) -> Peak:
        self.bytes, self._over = 0, threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._watcher.join()

    def _watch(self) -> None:
        here = psutil.Process()
        while True:
            used = 0
            for process in (here, *here.children(recursive=True)):
                try:
                    memory = process.memory_info()
                except psutil.Error:  # it has just ended
                    continue
                used += memory.rss - memory.shared
            self.bytes = max(self.bytes, used)
            if self._over.wait(0.02):
                return


def write(place: Path, rows: int) -> None:
    """A Parquet file as a survey office would have it: texts, of which Parquet makes dictionaries."""
    rng = np.random.default_rng(0)
    kinds = pa.schema([(name, pa.dictionary(pa.int32(), pa.string())) for name in SCHEMA.names])
    with pq.ParquetWriter(place, kinds) as writer:
        for start in range(0, rows, GROUP):
            n = min(GROUP, rows - start)
            codes = (rng.integers(0, a, n, dtype=np.int32) for a in SIZES)
            columns = [pa.DictionaryArray.from_arrays(own, a.categories) for own, a in zip(codes, SCHEMA.attributes, strict=True)]
            writer.write_table(pa.table(columns, schema=kinds), row_group_size=GROUP)


def duckdb_pairs(place: Path) -> dict[tuple[str, ...], dict[tuple[str, ...], int]]:
    """Count all pairs by one DuckDB query with a grouping set for each."""
    with duckdb.connect(config={"threads": 1, "memory_limit": "800MB"}) as database:
        sets = ", ".join(f"({one}, {other})" for one, other in itertools.combinations(SCHEMA.names, 2))
        query = f"select {', '.join(SCHEMA.names)}, count(*) from read_parquet(?) group by grouping sets ({sets})"
        rows = database.execute(query, [str(place)]).fetchall()
    found: dict[tuple[str, ...], dict[tuple[str, ...], int]] = {}
    for *answers, times in rows:
        given = [(name, answer) for name, answer in zip(SCHEMA.names, answers, strict=True) if answer is not None]
        found.setdefault(tuple(name for name, _ in given), {})[tuple(answer for _, answer in given)] = times
    return found


def same(counts: Counts, other: dict[tuple[str, ...], dict[tuple[str, ...], int]]) -> bool:
    """Return True if DuckDB has the same number of records in every cell of every pair."""
    for names in itertools.combinations(SCHEMA.names, 2):
        cells = itertools.product(*(attribute.categories for attribute in SCHEMA.select(names).attributes))
        if [other[names].get(cell, 0) for cell in cells] != counts.of(names).ravel().tolist():
            return False
    return True


def measured(name: str, rows: int, job: Callable[[], Result]) -> tuple[Result, float, int]:
    """Run ``job`` once, print its costs, and return its result, CPU seconds and peak bytes."""
    with Peak() as peak:
        start, cpu = perf_counter(), process_time()
        result = job()
        seconds, cpu = perf_counter() - start, process_time() - cpu
    print(
        f"{name:32s} {rows / seconds / 1e6:7.2f} million rows/s {cpu:8.1f} CPU seconds {peak.bytes / 1e6:7.0f} MB at most",
        flush=True,
    )
    return result, cpu, peak.bytes


def killed(table: CodedTable, wanted: Sequence[tuple[str, ...]]) -> Counts:
    """Count on a cluster of two workers, of which one is killed after the first piece."""
    victims = list[int]()

    def kill(fraction: float, text: str) -> None:
        while victims:
            os.kill(victims.pop(), signal.SIGKILL)

    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        open_executor(cluster.scheduler_address) as executor,
    ):
        victims.append(cluster.workers[0].pid)
        return count(table, wanted, executor=executor, report=kill)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=size(2_000_000, 20_000), help="records (default 2,000,000)")
    parser.add_argument("--cluster", action="store_true", help="count on a Dask cluster, too, of which a worker is killed")
    options = parser.parse_args()
    wanted, wrong = list(itertools.combinations(SCHEMA.names, 2)), 0
    with tempfile.TemporaryDirectory(prefix="rr-stream-") as folder:
        place, out = Path(folder, "people.parquet"), Path(folder, "released.parquet")
        write(place, options.rows)
        print(f"{options.rows:,} records of {len(SIZES)} attributes, {place.stat().st_size / 1e6:,.0f} MB")
        stream, mechanism = open_stream(place), build("preserving-3", SIZES, [1.0] * len(SIZES))
        table, file = Coded(stream, coder(SCHEMA)), MechanismFile(SCHEMA, integer_groups(mechanism))
        counts, seconds, most = measured(f"all {len(wanted)} pair tables", options.rows, lambda: count(table, wanted))
        others: dict[str, Callable[[], object]] = {
            "every value of every column": lambda: survey(stream),
            "a simulated release": lambda: simulate_counts(table, mechanism, wanted, rng=np.random.default_rng(0)),
            "an exact release": lambda: randomize_stream(file, stream, out),
        }
        used = max(most, *(measured(name, options.rows, job)[2] for name, job in others.items()))
        other, query, _ = measured(f"DuckDB, {len(wanted)} grouping sets", options.rows, lambda: duckdb_pairs(place))
        wrong += not same(counts, other)
        if options.cluster:
            spread = killed(table, wanted)
            print("counted on two workers, of which one was killed")
            wrong += any((spread.of(names) != counts.of(names)).any() for names in wanted)
    rows = f"{options.rows:,} rows"
    return verdict(
        "tables",
        [
            Measured(f"CPU time of all pairs compared with DuckDB, {rows}", seconds / query, LIMIT, "times"),
            Measured(f"most memory, {rows}", used / 1e6, MEMORY / 1e6, "MB"),
            Measured("counts that differ from DuckDB or a cluster", wrong, 0),
        ],
    )


if __name__ == "__main__":
    sys.exit(main())
