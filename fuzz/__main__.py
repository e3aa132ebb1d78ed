"""Run the targets one after the other, each in a process of its own: ``python -m fuzz [TARGET ...] [--seconds N]``."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from fuzz import TARGETS

RUN = """
import importlib, sys, warnings
import atheris
warnings.simplefilter("ignore")
with atheris.instrument_imports(include=["rrcore", "pages"], enable_loader_override=False):
    target = importlib.import_module("fuzz." + sys.argv.pop(1))
def check(data):
    target.check(bytes(data))
atheris.Setup(sys.argv, check)
atheris.Fuzz()
"""


def fuzz(target: str, seconds: int) -> bool:
    """Whether nothing was found."""
    with tempfile.TemporaryDirectory() as folder:
        corpus, found = Path(folder, "corpus"), Path(folder, "found")
        corpus.mkdir(), found.mkdir()
        kept = Path(__file__).parent / "found" / target
        seeds = [*import_module(f"fuzz.{target}").SEEDS, *(file.read_bytes() for file in sorted(kept.glob("*")))]
        for number, seed in enumerate(seeds):
            (corpus / str(number)).write_bytes(seed)
        options = [
            f"-max_total_time={seconds}",
            "-timeout=20",
            "-rss_limit_mb=2000",
            "-max_len=20000",
            f"-artifact_prefix={found}/",
        ]
        done = subprocess.run(
            [sys.executable, "-c", RUN, target, *options, str(corpus)],
            capture_output=True, text=True, errors="replace", check=False, env=os.environ | {"OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        told = [line for line in done.stderr.splitlines() if "cov:" in line or line.startswith(("Done", "stat::"))]
        print(f"{target}: {told[-1] if told else 'did not start'}", flush=True)
        inputs = sorted(found.glob("*"))
        for one in inputs:
            kept.mkdir(parents=True, exist_ok=True)
            (kept / one.name[:24]).write_bytes(one.read_bytes())
            print(f"  found: kept as {kept / one.name[:24]}")
        if done.returncode:
            print("  " + "\n  ".join(done.stderr.splitlines()[-40:]))
        return done.returncode == 0 and not inputs


def main() -> int:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"among {', '.join(TARGETS)}; all by default")
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    options = parser.parse_args()
    if unknown := [name for name in options.targets if name not in TARGETS]:
        parser.error(f"There is no target '{unknown[0]}'. Choose one of {', '.join(TARGETS)}")
    if find_spec("atheris") is None:
        print("Fuzzing needs atheris, which has wheels for Linux and Python 3.11 to 3.13: pip install atheris.", file=sys.stderr)
        return 2
    clean = [fuzz(target, options.seconds) for target in options.targets or TARGETS]  # all of them, whatever the first one finds
    return int(not all(clean))


if __name__ == "__main__":
    sys.exit(main())
