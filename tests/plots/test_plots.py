"""The heat map of a marginal has every cell."""

from itertools import product

import numpy as np
import pytest

from rrcore import plots
from rrcore.table.schema import Attribute, Schema


@pytest.mark.parametrize("sizes", [(50,), (3, 14), (9, 16, 2), (40, 2)])
def test_the_map_has_every_cell_and_runs_down_the_page(sizes):
    schema = Schema(tuple(Attribute(f"q{i}", tuple(f"{i}.{c}" for c in range(size))) for i, size in enumerate(sizes)))
    shares = np.random.default_rng(0).dirichlet(np.ones(int(np.prod(sizes)))).reshape(sizes)
    figure = plots.marginal_map(schema, shares, plots.LIGHT)
    shown = np.asarray(figure.data[0].z, dtype=float)
    assert shown.shape[0] >= shown.shape[1]
    cells = [" · ".join(names) for names in product(*(attribute.categories for attribute in schema.attributes))]
    found = dict(zip(np.ravel(figure.data[0].text), shown.ravel(), strict=True))
    assert found == pytest.approx(dict(zip(cells, 100 * shares.ravel(), strict=True)))
    assert figure.layout.height <= 560
