"""Tables for tests, of attributes with different numbers of categories that depend on each other."""

import numpy as np

from rrcore.table import Attribute, Dataset, Schema


def chain(sizes, people, together, seed):
    """Each answer follows the one before it with the given probability, and is drawn like a Zipf law otherwise."""
    rng = np.random.default_rng(seed)
    columns = []
    for size in sizes:
        weights = 1 / np.arange(2, size + 2) ** 0.5
        own = rng.choice(size, people, p=weights / weights.sum())
        columns.append(np.where(rng.random(people) < together, np.minimum(columns[-1], size - 1), own) if columns else own)
    names = "ABCDEFGH"
    attributes = [Attribute(names[i], tuple(f"{names[i].lower()}{c}" for c in range(size))) for i, size in enumerate(sizes)]
    return Dataset(Schema(tuple(attributes)), np.stack(columns, axis=1))
