"""A synthetic table drawn from clique marginals through the junction tree (LoPub, Algorithm 6), and its usefulness (section VI)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from rrcore.arrays import Floats, cell_numbers
from rrcore.errors import InputError, need
from rrcore.limits import MAX_CELLS, MAX_CLIQUE_CELLS, MAX_ROWS
from rrcore.papers.lopub.graph import DependencyGraph
from rrcore.progress import Report, quiet
from rrcore.simulation.metrics import half_l1
from rrcore.table.dataset import Dataset
from rrcore.table.schema import Schema

# most attribute sets of one width that are compared
_MOST_SETS = 200


def synthesize(
    schema: Schema,
    graph: DependencyGraph,
    joint: Callable[[Sequence[int]], Floats],
    n: int,
    *,
    rng: np.random.Generator,
    report: Report = quiet,
) -> Dataset:
    """Draw records clique by clique, each given the attributes that it shares with earlier ones.

    Parameters
    ----------
    schema : Schema
        The attributes.
    graph : DependencyGraph
        The graph whose cliques are used.
    joint : callable
        Gives the shares, non-negative with sum 1, of the attributes of a clique.
    n : int
        The number of records, at least 1.
    rng : Generator
        The source of randomness.
    report : callable
        Called with the progress.

    Raises
    ------
    InputError
        If ``n`` is out of range, or a clique has too many combinations.
    """
    if not 1 <= n <= MAX_ROWS:
        raise InputError(f"The number of records is {n:,}. Choose a number from 1 to {MAX_ROWS:,}.")
    check_cliques(graph, schema)
    codes = np.zeros((n, len(schema.attributes)), dtype=np.int32, order="F")
    order = graph.order()
    for done, (clique, known) in enumerate(order):
        report(done / len(order), f"clique {done + 1} of {len(order)}")
        new = [i for i in clique if i not in known]
        places = [clique.index(i) for i in (*known, *new)]
        shape = tuple(schema.sizes[i] for i in new)
        shares = np.asarray(joint(clique)).transpose(places).reshape(-1, math.prod(shape))
        cell = np.zeros(n, dtype=np.int64)
        if known:
            cell = cell_numbers(codes[:, list(known)], [schema.sizes[i] for i in known]).astype(np.int64)
        empty = shares.sum(axis=1) <= 0
        # a record whose combination is empty in this estimate draws the new attributes from their marginal
        shares = np.where(empty[:, None], shares.sum(axis=0), shares)
        drawn = np.empty(n, dtype=np.int64)
        by_group = np.argsort(cell, kind="stable")
        groups, starts = np.unique(cell[by_group], return_index=True)
        for group, rows in zip(groups, np.split(by_group, starts[1:]), strict=True):
            chances = shares[group] / shares[group].sum()
            drawn[rows] = rng.choice(len(chances), len(rows), p=chances)
        for i, values in zip(new, np.unravel_index(drawn, shape), strict=True):
            codes[:, i] = values
    return Dataset(schema, codes, "Synthetic table")


def check_cliques(graph: DependencyGraph, schema: Schema) -> None:
    """Raise InputError if a clique has more than ``MAX_CLIQUE_CELLS`` combinations."""
    for clique in graph.cliques:
        cells = math.prod(schema.sizes[i] for i in clique)
        if cells > MAX_CLIQUE_CELLS:
            names = ", ".join(schema.names[i] for i in clique)
            raise InputError(
                f"The attributes {names} have {cells:,} combinations, but at most {MAX_CLIQUE_CELLS:,} are allowed. Increase phi."
            )


def half_l1_by_width(true: Dataset, synthetic: Dataset, widths: Sequence[int], *, rng: np.random.Generator) -> dict[int, float]:
    """Return the mean half L1 distance by number of attributes.

    This is the average variation distance (AVD) of the paper (eq. 32), over all sets or 200 random ones.
    """
    found = {}
    for w in widths:
        sets = [axes for axes in combinations(range(true.k), w) if math.prod(true.schema.sizes[i] for i in axes) <= MAX_CELLS]
        if not sets:
            continue
        if len(sets) > _MOST_SETS:
            sets = [sets[i] for i in rng.choice(len(sets), _MOST_SETS, replace=False)]
        chosen = [[true.schema.names[i] for i in axes] for axes in sets]
        found[w] = float(np.mean([half_l1(true.shares(names), synthetic.shares(names)) for names in chosen]))
    return found


def split(dataset: Dataset, *, held_out: float = 0.3, rng: np.random.Generator) -> tuple[Dataset, Dataset]:
    """Split the rows into those for training and those held out for testing."""
    if dataset.n < 20:
        raise InputError(f"The table has {dataset.n} rows. Training and testing need at least 20.")
    order, cut = rng.permutation(dataset.n), max(1, round(held_out * dataset.n))
    train, test = (Dataset(dataset.schema, dataset.codes[rows], dataset.title) for rows in (order[cut:], order[:cut]))
    return train, test


def accuracies(
    kind: str, target: str, *, train: Dataset, synthetic: Dataset, test: Dataset, rng: np.random.Generator
) -> tuple[float, float]:
    """Train on the synthetic and on the true table to predict ``target``.

    Both accuracies on true rows are returned.

    Parameters
    ----------
    kind : {"forest", "svm"}
        A random forest or a linear SVM.
    target : str
        The attribute that is predicted from all others.
    train, synthetic, test : Dataset
        The two tables for training, and true rows for testing.
    rng : Generator
        The source of randomness.
    """
    (axis,) = test.schema.axes([target])
    own, other = (_score(kind, axis, table, test, int(rng.integers(2**31))) for table in (train, synthetic))
    return other, own


def _score(kind: str, axis: int, train: Dataset, test: Dataset, seed: int) -> float:
    features = [i for i in range(train.k) if i != axis]
    encoder = need("sklearn.preprocessing", "A classifier").OneHotEncoder(
        categories=[np.arange(train.schema.sizes[i]) for i in features], dtype=np.float32
    )
    known, labels = encoder.fit_transform(train.codes[:, features]), train.codes[:, axis]
    if len(np.unique(labels)) < 2:
        return float((test.codes[:, axis] == labels[0]).mean())
    model = need("sklearn.svm", "A classifier").LinearSVC(random_state=seed)
    if kind == "forest":
        forest = need("sklearn.ensemble", "A classifier").RandomForestClassifier
        model = forest(n_estimators=100, min_samples_leaf=2, random_state=seed)
    model.fit(known, labels)
    return float((model.predict(encoder.transform(test.codes[:, features])) == test.codes[:, axis]).mean())
