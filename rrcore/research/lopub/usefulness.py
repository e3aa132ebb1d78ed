"""What a synthetic table is still good for: marginals, dependence, and classifiers trained on it (LoPub, section VI)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rrcore.arrays import Floats
from rrcore.dependence import PairTables, measure_pairs
from rrcore.errors import InputError, need
from rrcore.estimate import half_l1
from rrcore.limits import MAX_CELLS
from rrcore.progress import Report, quiet
from rrcore.table.dataset import Dataset
from rrcore.wording import counted

_MOST_SETS = 200  # most attribute sets of one width that are looked at

CLASSIFIERS = {"forest": "Random forest", "svm": "SVM (linear)"}
"""Key -> name on a page."""


def half_l1_by_width(true: Dataset, synthetic: Dataset, widths: Sequence[int], *, rng: np.random.Generator) -> dict[int, float]:
    """Mean half L1 distance (the paper's AVD, eq. 32) of the joint distributions of w attributes, by w; of all sets, or 200 random ones."""
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


def v_difference(true: Dataset, synthetic: Dataset) -> Floats:
    """Cramer's V of every pair in the synthetic table minus that in the true one, shape (k, k)."""
    own, other = (measure_pairs(PairTables.count(table.codes, true.schema.sizes)) for table in (synthetic, true))
    return np.asarray(own - other)


def split(dataset: Dataset, *, held_out: float = 0.3, rng: np.random.Generator) -> tuple[Dataset, Dataset]:
    """Rows for training and rows held out for testing."""
    order = rng.permutation(dataset.n)
    cut = max(1, round(held_out * dataset.n))
    if dataset.n < 20:
        raise InputError(f"The table has {counted(dataset.n, 'row', 'rows')}: at least 20 are needed to train and to test.")
    train, test = (Dataset(dataset.schema, dataset.codes[rows], dataset.title) for rows in (order[cut:], order[:cut]))
    return train, test


@dataclass(frozen=True)
class Accuracy:
    """How often a classifier trained on a table is right about held-out true rows.

    Parameters
    ----------
    synthetic, true : shares of right answers after training on the synthetic and on the true table
    majority : share of right answers when always guessing the most frequent answer of the true training rows
    """

    synthetic: float
    true: float
    majority: float


def accuracies(
    kind: str, target: str, *, train: Dataset, synthetic: Dataset, test: Dataset, rng: np.random.Generator
) -> Accuracy:
    """Train on the true and on the synthetic table to predict ``target`` from all other attributes, and test on true rows.

    Parameters
    ----------
    kind : a key of ``CLASSIFIERS``
    """
    if kind not in CLASSIFIERS:
        raise InputError(f"There is no classifier '{kind}': choose among {', '.join(CLASSIFIERS)}.")
    (axis,) = test.schema.axes([target])
    if test.k < 2:
        raise InputError("There is only one attribute: a classifier needs at least one other to predict from.")
    answers = test.codes[:, axis]
    most = int(np.bincount(train.codes[:, axis], minlength=test.schema.sizes[axis]).argmax())
    own, other = (_score(kind, axis, table, test, int(rng.integers(2**31))) for table in (train, synthetic))
    return Accuracy(other, own, float((answers == most).mean()))


def accuracies_by_target(
    kind: str,
    targets: Sequence[str],
    *,
    train: Dataset,
    synthetic: Dataset,
    test: Dataset,
    rngs: Sequence[np.random.Generator],
    report: Report = quiet,
) -> list[tuple[str, Accuracy]]:
    """``accuracies`` for each of the targets, each with a generator of its own."""
    rows = []
    for done, (target, rng) in enumerate(zip(targets, rngs, strict=True)):
        report(done / len(targets), f"training for {target}")
        rows.append((target, accuracies(kind, target, train=train, synthetic=synthetic, test=test, rng=rng)))
    return rows


def _score(kind: str, axis: int, train: Dataset, test: Dataset, seed: int) -> float:
    features = [i for i in range(train.k) if i != axis]
    encoder = need("sklearn.preprocessing", "A classifier").OneHotEncoder(
        categories=[np.arange(train.schema.sizes[i]) for i in features], dtype=np.float32
    )
    known, labels = encoder.fit_transform(train.codes[:, features]), train.codes[:, axis]
    if len(np.unique(labels)) < 2:
        return float((test.codes[:, axis] == labels[0]).mean())
    model = (
        need("sklearn.ensemble", "A classifier").RandomForestClassifier(n_estimators=100, min_samples_leaf=2, random_state=seed)
        if kind == "forest"
        else need("sklearn.svm", "A classifier").LinearSVC(random_state=seed)
    )
    model.fit(known, labels)
    return float((model.predict(encoder.transform(test.codes[:, features])) == test.codes[:, axis]).mean())
