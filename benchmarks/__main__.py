"""Every benchmark, one after the other: each goes on where another failed, and the end says which did.

Run ``python -m benchmarks [--page adult.csv] [NAME ...]``, with names of files without ``bench_``. With ``--page`` what was measured is
also written to ``docs/benchmarks.md``, with the accuracy of all methods on the table UCI Adult. Exits 1 if a benchmark did not exit 0.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from benchmarks.page import write
from benchmarks.thresholds import HEAD

HERE = Path(__file__).parent


def run(folder: Path, names: Sequence[str] = (), page: Path | None = None) -> int:
    """Run the benchmarks of a folder, all of them or those named, each in a process of its own."""
    names = names or sorted(path.stem.removeprefix("bench_") for path in folder.glob("bench_*.py"))
    failed, rows = list[str](), list[str]()
    for number, name in enumerate(names, 1):
        print(f"\n== {name} ({number} of {len(names)})", flush=True)
        start = perf_counter()
        paths = os.pathsep.join(filter(None, (str(HERE.parent), os.environ.get("PYTHONPATH"))))
        command = [sys.executable, folder / f"bench_{name}.py"]
        with subprocess.Popen(
            command, env=os.environ | {"PYTHONPATH": paths}, stdout=subprocess.PIPE, encoding="utf-8"
        ) as process:
            for line in process.stdout or ():
                print(line, end="", flush=True)
                rows += [line.rstrip()] if line.startswith(f"| {name} |") else []
        print(f"== {name}: exit {process.returncode} after {perf_counter() - start:.0f} s", flush=True)
        failed += [f"{name} (exit {process.returncode})"] if process.returncode else []
    print("", HEAD, *rows, sep="\n")
    if page:
        write(page, rows)
    print(
        f"\n{len(names) - len(failed)} of {len(names)} benchmarks as they should be"
        + "".join(f"\nfailed: {each}" for each in failed)
    )
    return int(bool(failed))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", type=Path, metavar="ADULT", help="file with UCI Adult")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    sys.exit(run(HERE, options.names, options.page))
