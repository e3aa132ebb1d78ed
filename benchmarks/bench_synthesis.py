"""How close do the sources of a synthetic table come at an equal total for the record, and what is a classifier trained on it worth?

Run ``python benchmarks/bench_synthesis.py [FILE]``; FILE is UCI Adult as a CSV file (the census demo without it). Prints the README's
table, half L1 of pairs and triples at 16 nats, the mean over ten sets each; then, at ``TOTALS`` for the record, half L1 of synthetic people
and the accuracy for 'income' of a random forest trained on them, beside one trained on true people and the commonest answer, with processor
time and memory. Exits 1 if shrinkage, or before it pair-safe, is not the closest source of pairs and of triples, or a forest trained on
synthetic people of the model of all pairs is worth more than ``LOSS`` less than one trained on true ones at 16 nats.
"""

from __future__ import annotations

import resource
import sys
from dataclasses import replace
from pathlib import Path
from textwrap import shorten
from time import perf_counter, process_time

import numpy as np

from benchmarks.sizes import size
from rrcore.errors import InputError
from rrcore.research.lopub import SOURCES, Filters, accuracies, closest, contest, half_l1_by_width, simulate_collection
from rrcore.table import ColumnRule, Dataset, load_demo, read_text_table, recode

LEVEL, WIDTHS, SETS = 2.0, (2, 3), size(10, 2)
HASHES, BITS = 4, 128
PHI = 0.4
TOTALS = size((4.0, 8.0, 16.0), (16.0,))
TRAINED = size(("lasso-em", "rr-ind-joint", "pair-safe", "shrinkage"), ("shrinkage",))
LOSS = 0.02


def table() -> Dataset:
    if len(sys.argv) < 2:
        census = load_demo("census")
        return replace(census, codes=census.codes[: size(census.n, 500)])
    file = Path(sys.argv[1])
    text = read_text_table(file.read_bytes(), file.name)
    return recode(text, {column.name: ColumnRule() for column in text.columns})


def main() -> int:
    people = table()
    filters = Filters(HASHES, (BITS,) * people.k)
    keys = [key for key in SOURCES if key != "truth"]
    print(f"{people.title}: {people.n:,} people, {people.k} attributes, {LEVEL * people.k:g} nats for the record")
    standings, start = [], perf_counter()
    for one in contest(people, keys, LEVEL, WIDTHS, sets=SETS, filters=filters, rng=np.random.default_rng(0)):
        standings.append(one)
        seconds, start = perf_counter() - start, perf_counter()
        errors = "   ".join(f"w = {w}: {one.errors[w]:.3f}" for w in WIDTHS)
        print(f"{one.key:14s} {errors}   total {one.total:.2f}, one answer up to {one.level:.2f} nats   {seconds:.1f} s")
    winners = [
        closest([one for one in standings if one.key not in left], w)[0].key for left in ((), ("shrinkage",)) for w in WIDTHS
    ]
    losses = [trained(people, total, filters)["shrinkage"] for total in TOTALS]
    loss = losses[-1]
    print(
        f"closest: {', '.join(winners)}; a forest on the model's people loses {loss:.3f} at {TOTALS[-1]:g} nats (limit {LOSS:g})"
    )
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB at most")
    return int(winners != ["shrinkage"] * 2 + ["pair-safe"] * 2 or loss > LOSS)


def trained(people: Dataset, total: float, filters: Filters) -> dict[str, float]:
    """What a forest trained on the synthetic people of each source loses beside one trained on true people, at an equal total."""
    found = {}
    for key in TRAINED:
        start = process_time()
        rng = np.random.default_rng(1)
        collected = simulate_collection(key, people, total / people.k, spend="total", filters=filters, rng=rng)
        try:
            made = collected.synthesize(PHI, collected.train.n, prune=False, repeat=False, rng=np.random.default_rng(2))
        except InputError as error:
            print(f"{total:4g} nats, {key:14s} {shorten(str(error), 120)}")
            continue
        spent, rng = process_time() - start, np.random.default_rng(3)
        worth = accuracies("forest", "income", train=collected.train, synthetic=made.dataset, test=collected.test, rng=rng)
        off = half_l1_by_width(collected.train, made.dataset, WIDTHS, rng=rng)
        errors = "   ".join(f"w = {w}: {off[w]:.3f}" for w in WIDTHS)
        difference = "" if made.model is None else f"; from the pairs at most {made.model.difference:.4f}"
        print(
            f"{total:4g} nats, {key:14s} {errors}   forest {worth.synthetic:.3f}, on true people {worth.true:.3f}, commonest answer "
            f"{worth.majority:.3f}   {spent:.1f} s{difference}",
            flush=True,
        )
        found[key] = worth.true - worth.synthetic
    return found


if __name__ == "__main__":
    sys.exit(main())
