"""Every benchmark, one after the other: each goes on where another failed, and the end says which did.

Run ``python -m benchmarks [NAME ...]``, with names of files without ``bench_``. Exits 1 if a benchmark did not exit 0.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

HERE = Path(__file__).parent


def run(folder: Path, names: Sequence[str] = ()) -> int:
    """Run the benchmarks of a folder, all of them or those named, each in a process of its own."""
    names = names or sorted(path.stem.removeprefix("bench_") for path in folder.glob("bench_*.py"))
    failed = list[str]()
    for number, name in enumerate(names, 1):
        print(f"\n== {name} ({number} of {len(names)})", flush=True)
        start = perf_counter()
        paths = os.pathsep.join(filter(None, (str(HERE.parent), os.environ.get("PYTHONPATH"))))
        code = subprocess.run([sys.executable, folder / f"bench_{name}.py"], env=os.environ | {"PYTHONPATH": paths}).returncode
        print(f"== {name}: exit {code} after {perf_counter() - start:.0f} s", flush=True)
        failed += [f"{name} (exit {code})"] if code else []
    print(
        f"\n{len(names) - len(failed)} of {len(names)} benchmarks as they should be"
        + "".join(f"\nfailed: {each}" for each in failed)
    )
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(run(HERE, sys.argv[1:]))
