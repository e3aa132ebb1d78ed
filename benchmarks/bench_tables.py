"""How fast is a table of any size worked through, beside a plain scan of the same columns, and in how little memory?

Run ``python benchmarks/bench_tables.py`` for 2,000,000 records of 8 attributes, or with ``--rows 100000000`` for the real thing. It writes
a Parquet file, batch by batch, into a temporary folder, prints rows per second of every job and the peak memory of this process and its
children together, and exits 1 if counting all pairs takes more than ``LIMIT`` times the scan, or a job more than ``MEMORY`` bytes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.sizes import size
from rrcore.mechanisms import build
from rrcore.promise import MechanismFile, integer_groups
from rrcore.promise.stream import randomise_stream
from rrcore.table import Attribute, Schema, pairs
from rrcore.table.stream import count, open_stream, survey

SIZES = (9, 16, 7, 15, 6, 5, 2, 2)
SCHEMA = Schema(tuple(Attribute(f"q{i}", tuple(f"answer {c}" for c in range(a))) for i, a in enumerate(SIZES)))
GROUP = size(1 << 20, 1 << 13)
LIMIT = 8.0
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


def scan(place: Path) -> None:
    """Read the columns and do nothing with them, in one thread, as each of the jobs does."""
    with pq.ParquetFile(place, read_dictionary=SCHEMA.names) as file:
        for _ in file.iter_batches(1 << 17, columns=list(SCHEMA.names), use_threads=False):
            pass


def released_by() -> MechanismFile:
    """A mechanism that is safe for the joint distributions of up to three attributes."""
    return MechanismFile(SCHEMA, integer_groups(build("3-safe", SCHEMA.sizes, [1.0] * len(SIZES))))


def measured(name: str, rows: int, job: Callable[[], object]) -> tuple[float, int]:
    """Run ``job`` once, print what it took, and give seconds and peak bytes."""
    with Peak() as peak:
        start = perf_counter()
        job()
        seconds = perf_counter() - start
    print(
        f"{name:32s} {rows / seconds / 1e6:7.2f} million rows/s {seconds:8.1f} s {peak.bytes / 1e6:7.0f} MB at most", flush=True
    )
    return seconds, peak.bytes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=size(2_000_000, 20_000), help="records (default 2,000,000)")
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory(prefix="rr-stream-") as folder:
        place = Path(folder, "people.parquet")
        write(place, rows)
        print(f"{rows:,} records of {len(SIZES)} attributes, {place.stat().st_size / 1e6:,.0f} MB")
        stream, wanted = open_stream(place), pairs(SCHEMA)
        jobs: dict[str, Callable[[], object]] = {
            "plain scan": lambda: scan(place),
            f"all {len(wanted)} pair tables": lambda: count(stream, SCHEMA, wanted),
            "every value of every column": lambda: survey(stream),
            "an exact release": lambda: randomise_stream(released_by(), stream, Path(folder, "released.parquet")),
        }
        took = {name: measured(name, rows, job) for name, job in jobs.items()}
    (plain, _), (seconds, _), *_ = took.values()
    most = max(used for _, used in took.values())
    slow, large = seconds > LIMIT * plain, most > MEMORY
    print(f"counting takes {seconds / plain:.1f} times the scan, limit {LIMIT:g}: {'exceeded' if slow else 'ok'}")
    print(f"at most {most / 1e6:.0f} MB, limit {MEMORY / 1e6:.0f}: {'exceeded' if large else 'ok'}")
    return int(slow or large)


if __name__ == "__main__":
    sys.exit(main())
