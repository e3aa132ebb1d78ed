"""Checks of LoPub on Adult: joint distributions, the dependency graph, pruning, and synthetic tables.

The paper's sample is a tenth of the people, with 4 hash functions and 128 bits for every attribute.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from functools import partial
from itertools import combinations

import numpy as np

from rrcore.papers.checks import Check, Run, at_least, at_most, flatness, highest_ratio, near, steepest
from rrcore.papers.lopub.graph import DependencyGraph, compare_edges, information_matrix, kept_by_entropy
from rrcore.papers.lopub.reports import level
from rrcore.papers.lopub.sources import Filters, Source, make_source, simulate_collection
from rrcore.papers.lopub.synthesis import accuracies
from rrcore.simulation.metrics import half_l1
from rrcore.table.dataset import Dataset

_METHODS = {"em": "EM_JD", "lasso": "Lasso_JD", "lasso-em": "Lasso+EM_JD"}
_FLIPS, _HASHES, _BITS = (0.1, 0.5, 0.9), 4, 128

# dependency degree of section VI-B for Adult
_PHI = 0.4


def _adult(run: Run) -> Dataset:
    """Return all columns of Adult that the table has: 15 as in the paper, or eight."""
    return run.table or run.given


def _sample(run: Run, part: float = 0.1) -> Dataset:
    table = _adult(run)
    rows = run.rng.choice(table.n, round(part * table.n), replace=False)
    return Dataset(table.schema, table.codes[np.sort(rows)], table.title)


def _filters(table: Dataset) -> Filters:
    return Filters(_HASHES, (_BITS,) * table.k)


def _source(run: Run, table: Dataset, key: str, flip: float) -> Source:
    return make_source(key, table, level(_HASHES, flip), filters=_filters(table), rng=run.rng)


def section_vi_a2(run: Run) -> Iterator[Check]:
    """Check ε of an attribute with 4 hash functions."""
    yield near("Section VI-A2", "ε of an attribute at f = 0.5", 8.79, level(_HASHES, 0.5), absolute=0.01)


def figures_9_to_16(run: Run) -> Iterator[Check]:
    """Check CPU seconds and errors on random pairs and triples of a sample, of at most 800 combinations."""
    table, seconds, errors = _sample(run), {}, {}
    # loads what is loaded once
    _source(run, table, "lasso", 0.5).joint((0,))
    for w, few in ((2, 8), (3, 5)):
        sizes = table.schema.sizes
        sets = [axes for axes in combinations(range(table.k), w) if math.prod(sizes[i] for i in axes) <= 800]
        sets = [sets[i] for i in run.rng.permutation(len(sets))[: run.times(few)]]
        for key, name in _METHODS.items():
            spent, off = [], []
            for flip in _FLIPS:
                run.report(0.0, f"{name}, {w} attributes, f = {flip:g}")
                source, began = _source(run, table, key, flip), time.process_time()
                found = [source.joint(axes) for axes in sets]
                spent.append((time.process_time() - began) / len(sets))
                truths = [table.shares([table.schema.names[i] for i in axes]) for axes in sets]
                off.append(float(np.mean([half_l1(truth, one) for truth, one in zip(truths, found, strict=True)])))
            seconds[name, w], errors[name, w] = spent, off
    em, lasso, both = (seconds[name, 2] for name in _METHODS.values())
    yield at_most("Figure 9", "time of Lasso_JD / EM_JD, pairs", highest_ratio(lasso, em), 1)
    yield at_most("Figure 9", "time of Lasso_JD / Lasso+EM_JD, pairs", highest_ratio(lasso, both), 1)
    yield at_least("Figure 9", "time of EM_JD at f = 0.9 / 0.1, pairs", em[-1] / em[0], 1)
    slow, fast, both = (seconds[name, 3] for name in _METHODS.values())
    yield at_least("Figure 10", "time of EM_JD, triples / pairs", min(np.divide(slow, em)), 3)
    yield at_most("Figure 10", "seconds of Lasso_JD, triples", max(fast), 5, printed=5)
    yield at_most("Figure 10", "time of Lasso+EM_JD / EM_JD, triples", highest_ratio(both, slow), 1)
    em, lasso, both = (errors[name, 2] for name in _METHODS.values())
    yield at_most("Figure 15", "Lasso_JD, largest / smallest error over f, pairs", flatness(lasso), 1.5)
    yield at_most("Figure 15", "EM_JD, largest ratio of the error to the next f, pairs", steepest(em[::-1]), 1)
    yield near("Figure 15", "error of Lasso_JD / EM_JD at f = 0.9, pairs", 1, lasso[-1] / em[-1], absolute=0.5)
    yield at_most("Figure 15", "error of Lasso+EM_JD / EM_JD, pairs", highest_ratio(both, em), 1.5)
    for name in _METHODS.values():
        yield at_least("Figure 16", f"error of {name}, triples / pairs", min(np.divide(errors[name, 3], errors[name, 2])), 1)
    em, lasso, both = (errors[name, 3] for name in _METHODS.values())
    yield at_most("Figure 16", "error of Lasso+EM_JD / Lasso_JD, f up to 0.5, triples", highest_ratio(both[:2], lasso[:2]), 1)
    yield at_most("Figure 16", "error of Lasso+EM_JD / EM_JD at f = 0.9, triples", both[-1] / em[-1], 1)


def figure_20(run: Run) -> Iterator[Check]:
    """Check the pairs that are identified correctly and added, as parts of all pairs."""
    table = _sample(run)
    sizes, pairs = table.schema.sizes, math.comb(table.k, 2)
    truth = make_source("truth", table, 1.0, rng=run.rng)
    true = DependencyGraph(sizes, information_matrix(truth.joint, sizes), _PHI)
    right: dict[str, list[float]] = {name: [] for name in _METHODS.values()}
    added: dict[str, list[float]] = {name: [] for name in _METHODS.values()}
    for flip in _FLIPS:
        for key, name in _METHODS.items():
            run.report(0.0, f"{name}, f = {flip:g}")
            found = DependencyGraph(sizes, information_matrix(_source(run, table, key, flip).joint, sizes), _PHI)
            edges = compare_edges(found, true)
            right[name].append(1 - (len(edges.added) + len(edges.lost)) / pairs)
            added[name].append(len(edges.added) / pairs)
    for name, parts in right.items():
        yield near("Figure 20", f"pairs identified by {name} at f = 0.5", 0.95, parts[1], absolute=0.05)
    yield at_most("Figure 20", "pairs identified by EM_JD at f = 0.9 / 0.1", right["EM_JD"][-1] / right["EM_JD"][0], 1)
    for name in ("EM_JD", "Lasso+EM_JD"):
        more = max(a - b for a, b in zip(added[name], added["Lasso_JD"], strict=True))
        yield at_most("Figure 20", f"pairs added by {name} minus those by Lasso_JD", more, 0)


def table_vii(run: Run) -> Iterator[Check]:
    """Check dependencies of the true table with and without pruning, as parts of all pairs."""
    table = _adult(run)
    sizes, pairs = table.schema.sizes, math.comb(table.k, 2)
    information = information_matrix(make_source("truth", table, 1.0, rng=run.rng).joint, sizes)
    margins = [table.shares([name]) for name in table.schema.names]
    # phi -> printed numbers of dependencies of 210, without and with pruning, loss ratio and reduction ratio
    printed = {
        0.1: (102, 88, 0.137, 0.133),
        0.2: (42, 38, 0.095, 0.371),
        0.3: (24, 22, 0.083, 0.476),
        0.4: (14, 12, 0.143, 0.657),
        0.5: (8, 6, 0.25, 0.733),
    }
    for phi, (every, pruned, loss, reduction) in printed.items():
        edges, kept = DependencyGraph(sizes, information, phi).edges, set(kept_by_entropy(margins, phi))
        left = [edge for edge in edges if kept.issuperset(edge)]
        rows = (
            ("part of dependent pairs", every / 210, len(edges) / pairs),
            ("part of dependent pairs after pruning", pruned / 210, len(left) / pairs),
            ("loss ratio", loss, 1 - len(left) / len(edges) if edges else 0.0),
            ("reduction ratio", reduction, 1 - math.comb(len(kept), 2) / pairs),
        )
        for what, there, value in rows:
            yield near("Table VII", f"{what}, phi = {phi:g}", there, value, absolute=0.15)


def tables_vii_to_ix(run: Run) -> Iterator[Check]:
    """Check the numbers of pairs after pruning by Algorithm 5."""
    printed: tuple[tuple[str, int, dict[float, int]], ...] = (
        ("Table VII, Adult", 15, {0.1: 91, 0.2: 66, 0.3: 55, 0.4: 36, 0.5: 28}),
        ("Table VIII, TPC-E", 24, {0.1: 231, 0.2: 171, 0.3: 136, 0.4: 66, 0.5: 45}),
        ("Table IX, Retail", 16, {0.1: 91, 0.15: 91, 0.2: 78, 0.25: 66, 0.3: 55}),
    )
    for place, d, rows in printed:
        for phi, pairs in rows.items():
            kept = kept_by_entropy([np.full(2, 0.5)] * d, phi)
            yield near(place, f"pairs after pruning, phi = {phi:g}", pairs, math.comb(len(kept), 2))


def figures_23_to_29(run: Run) -> Iterator[Check]:
    """Check classifiers trained on synthetic rows and tested on true ones, and the CPU seconds of a synthetic table.

    The SVM predicts the attributes of two categories, and the random forest every second attribute.
    """
    table, names = _sample(run), tuple(_METHODS.values())
    targets = {"svm": [one.name for one in table.schema.attributes if one.size == 2], "forest": table.schema.names[::2]}
    rates: dict[tuple[str, str], list[float]] = {(kind, name): [] for kind in targets for name in (*names, "true rows")}
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for flip in _FLIPS:
        for key, name in _METHODS.items():
            run.report(0.0, f"{name}, f = {flip:g}")
            began = time.process_time()
            collected = simulate_collection(key, table, level(_HASHES, flip), filters=_filters(table), rng=run.rng)
            synthetic = collected.synthesize(_PHI, collected.train.n, rng=run.rng)
            seconds[name].append(time.process_time() - began)
            for kind, some in targets.items():
                score = partial(accuracies, kind, train=collected.train, synthetic=synthetic, test=collected.test, rng=run.rng)
                scores = [score(target) for target in some]
                rates[kind, name].append(float(np.mean([synthetic for synthetic, _ in scores])))
                if key == "em":
                    rates[kind, "true rows"].append(float(np.mean([true for _, true in scores])))
    em, lasso, _, true = (rates["svm", name] for name in (*names, "true rows"))
    yield at_most("Figure 23", "accuracy of EM_JD at f = 0.9 / 0.1", em[-1] / em[0], 1)
    for name in names:
        first, middle, last = rates["svm", name]
        what = f"accuracy lost by {name} from f = 0.5 to 0.9, minus that before"
        yield at_least("Figure 23", what, middle - last - (first - middle), 0)
    yield at_most("Figure 23", "accuracy of Lasso_JD / EM_JD", highest_ratio(lasso, em), 1.01)
    yield at_most("Figure 23", "accuracy of EM_JD / training on true rows", highest_ratio(em, true), 1.02)
    em, lasso, both = (rates["forest", name] for name in names)
    guess = float(np.mean([1 / table.schema.sizes[axis] for axis in table.schema.axes(targets["forest"])]))
    worst = min(*em, *lasso, *both)
    yield near("Figure 26", "worst accuracy", 0.42, worst, absolute=0.1)
    yield at_least("Figure 26", "worst accuracy / random guess", worst / guess, 2, printed=0.42 / 0.15)
    yield at_most("Figure 26", "accuracy of Lasso_JD / EM_JD, f up to 0.5", highest_ratio(lasso[:2], em[:2]), 1)
    yield at_most("Figure 26", "accuracy of EM_JD at f = 0.9 / 0.1", em[-1] / em[0], 1)
    em, lasso, both = seconds.values()
    yield at_least("Figure 29", "time of EM_JD / Lasso_JD", min(np.divide(em, lasso)), 300, printed=1000)
    yield at_most("Figure 29", "time of Lasso+EM_JD / EM_JD", highest_ratio(both, em), 1)


CHECKS = (section_vi_a2, tables_vii_to_ix)
ON_ADULT = (figures_9_to_16, figure_20, table_vii, figures_23_to_29)
