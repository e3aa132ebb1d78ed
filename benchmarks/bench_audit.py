"""Audits of honest and of broken mechanisms: false alarms in 1,000, every cheat caught, ``rrcore collect`` itself audited.

Run ``python benchmarks/bench_audit.py [AUDITS]``. Prints, at several confidences, how many honest audits raised an alarm beside the most
that chance allows (once in 10,000 benchmarks it is more), how often each broken mechanism was caught by the check that is named for it, the
same for audits of collected answers, and the time of an audit of 100,000 runs. Exits 1 if there are more false alarms than that, or a broken
mechanism was missed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from shlex import join
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
from scipy.stats import binom

from benchmarks.sizes import size
from rrcore.answers import Answers, check_answers
from rrcore.audit import CHEATS, Check, audit_file, check_sampler, command_sampler
from rrcore.mechanisms import build
from rrcore.promise import MechanismFile, integer_groups
from rrcore.promise.sampler import randomise_codes
from rrcore.table import Attribute, Dataset, Schema

AUDITS = size(1_000, 2)
CONFIDENCES = (0.9, 0.99, 0.999)
RARE = 1e-4
RUNS = size(100_000, 5_000)  # of the page's audit
KEYS = ("kronecker", "optimal", "pair-safe", "joint")
TIMES = size(3, 1)  # audits of each broken mechanism


def planned(key: str, sizes: tuple[int, ...], levels: np.ndarray) -> MechanismFile:
    schema = Schema(tuple(Attribute(f"q{i}", tuple(map(str, range(size)))) for i, size in enumerate(sizes)))
    return MechanismFile(schema, integer_groups(build(key, sizes, levels)))


def honest_files(rng: np.random.Generator) -> Iterator[MechanismFile]:
    """Mechanisms of one to five attributes of two to five categories, levels 0.3 to 3."""
    while True:
        k = int(rng.integers(1, 6))
        sizes = tuple(int(a) for a in rng.integers(2, 6, k))
        yield planned(str(rng.choice(KEYS)), sizes, rng.uniform(0.3, 3, k))


def alarms(worst: list[float], what: str) -> bool:
    """Prints how many of the audits raised an alarm; ``worst`` holds for each the smallest p over the share of its check."""
    failed = False
    for confidence in CONFIDENCES:
        found = int((np.array(worst) <= 1 - confidence).sum())
        most = int(binom.isf(RARE, len(worst), 1 - confidence))
        failed |= found > most
        print(f"{what}: {found} of {len(worst):,} accused at confidence {confidence:g} (at most {most} by chance)")
    return failed


def smallest(checks: tuple[Check, ...]) -> float:
    """The largest 1 - confidence at which none of ``checks`` would have been caught, all having equal shares."""
    return min(check.p_value for check in checks) * len(checks)


def honest(audits: int) -> bool:
    rng = np.random.default_rng(0)
    worst, answers, learned = [], [], 0
    clock = perf_counter()
    for _, file in zip(range(audits), honest_files(rng), strict=False):
        checks, _, bounds = check_sampler(
            lambda codes, file=file: randomise_codes(file, codes, rng.bytes), file, 1000, starts=20, pairs=20, rng=rng
        )
        worst.append(smallest(checks[:-1]) * len(checks) / (len(checks) - 1))
        learned += any(bound.contradicted for bound in bounds)
        true = np.stack([np.minimum(rng.geometric(0.5, 500) - 1, size - 1) for size in file.sizes], axis=1).astype(np.int32)
        released = Dataset(file.schema, randomise_codes(file, true, rng.bytes))
        answers.append(smallest(check_answers(Answers(released, file), rng=rng).checks))
    print(f"{audits:,} audits of each kind in {perf_counter() - clock:.0f} s")
    failed = alarms(worst, "honest mechanisms")
    failed |= alarms(answers, "honest answers")
    most = int(binom.isf(RARE, audits, 0.001))
    print(
        f"honest mechanisms: {learned} of {audits:,} contradicted by what was learned, at confidence 0.999 (at most {most} by chance)"
    )
    return failed or learned > most


def zoo() -> bool:
    file, failed = planned("pair-safe", (4, 3, 4), np.array([1.5, 1.0, 0.7])), False
    for cheat in list(CHEATS.values())[: size(len(CHEATS), 3)]:
        caught = 0
        for seed in range(TIMES):
            rng = np.random.default_rng(seed)
            run = cheat.break_file(file, lambda codes, rng=rng: randomise_codes(file, codes, rng.bytes), rng=rng)
            checks, _, _ = check_sampler(run, file, size(50_000, 500), starts=size(60, 5), rng=rng)
            caught += {check.key: check for check in checks}[cheat.check].caught
        failed |= caught < TIMES
        print(f"{cheat.title}: caught {caught} of {TIMES} times by '{cheat.check}'")
    return failed


def itself() -> bool:
    """``rrcore collect`` as a program that reads and writes CSV, and the time of the page's audit."""
    file = planned("pair-safe", (4, 3, 4), np.array([1.5, 1.0, 0.7]))
    clock = perf_counter()
    sound = audit_file(file, RUNS).sound
    print(f"an audit of {RUNS:,} runs: {'nothing found' if sound else 'CAUGHT'}, {perf_counter() - clock:.1f} s")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "mechanism.json"
        path.write_text(file.to_json(), encoding="utf-8")
        command = join([sys.executable, "-m", "rrcore", "collect", "--mechanism", str(path), "--in", "-", "--out", "-"])
        sampler = command_sampler(command, file.schema)
        if size(False, True):  # an audit starts it three dozen times at least; here once, to see that it runs
            sampler(np.zeros((1, len(file.sizes)), dtype=np.int32))
            sampler = partial(randomise_codes, file)
        clock = perf_counter()
        own = audit_file(file, RUNS // 5, sampler=sampler, starts=size(8, 2))
    print(f"rrcore collect as another program, {RUNS // 5:,} runs: {own.headline()} {perf_counter() - clock:.1f} s")
    return not sound or not own.sound


def main() -> int:
    audits = int(sys.argv[1]) if len(sys.argv) > 1 else AUDITS
    failed = zoo()
    failed |= itself()
    failed |= honest(audits)
    print("failed: a false alarm too many, or a broken mechanism that was missed" if failed else "ok")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
