"""Synthetic tables from clique marginals: against the exact junction-tree model, in numbers and by chi-square."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chi2

from rrcore.arrays import count_cells
from rrcore.errors import InputError
from rrcore.papers.lopub import DependencyGraph, synthesis
from rrcore.papers.lopub.synthesis import check_cliques, synthesize
from tests.papers.lopub.handmade import FIGURE_5, graph_of, schema_of

SIZES = (2, 3, 2, 3, 2, 2)
FALSE_ALARM = 1e-6


def model():
    """Shares of a junction-tree model on Figure 5: P(A1 A2) P(A3 A5 | A2) P(A4 | A2 A5) P(A6), written out over all 144 records."""
    rng = np.random.default_rng(0)
    first = rng.dirichlet(np.full(6, 5)).reshape(2, 3)
    second = np.stack([rng.dirichlet(np.full(4, 5)).reshape(2, 2) for _ in range(3)])  # A2, then A3 A5
    third = np.stack([[rng.dirichlet(np.full(3, 5)) for _ in range(2)] for _ in range(3)])  # A2 A5, then A4
    last = np.array([0.2, 0.8])
    return np.einsum("ab,bce,bed,f->abcdef", first, second, third, last)


def marginals_of(table):
    return lambda axes: np.einsum(table, range(table.ndim), list(axes))


def made(table, graph, n, **options):
    return synthesize(schema_of(*table.shape), graph, marginals_of(table), n, **options)


def test_a_junction_tree_model_comes_out_whole():
    """200,000 records over 144 cells: chi-square with 143 degrees of freedom, false alarm 1e-6."""
    table, n = model(), 200_000
    assert table.sum() == pytest.approx(1)
    found = made(table, graph_of(6, FIGURE_5, SIZES), n, rng=np.random.default_rng(1))
    counts, expected = count_cells(found.codes, SIZES), n * table
    assert expected.min() > 5
    assert float(((counts - expected) ** 2 / expected).sum()) < chi2.isf(FALSE_ALARM, table.size - 1)
    assert found.n == n


def contradicting(axes):
    """Cliques A1 A2 and A2 A3 that disagree: the first has everybody at the first two answers to A2, the second nobody at the second."""
    if tuple(axes) == (0, 1):
        return np.array([[0.25, 0.25, 0], [0.25, 0.25, 0]])
    return np.array([[0.2, 0.3], [0.0, 0.0], [0.1, 0.4]])


def test_people_the_next_clique_does_not_know_are_restarted():
    schema, graph = schema_of(2, 3, 2), graph_of(3, [(0, 1), (1, 2)], (2, 3, 2))
    found = synthesize(schema, graph, contradicting, 40_000, rng=np.random.default_rng(7))
    middle, last = found.codes[:, 1], found.codes[:, 2]
    for answer, share in ((0, 0.6), (1, 0.7)):  # known: 0.3 of 0.5; unknown: 0.7 of all, without regard to A2
        people = last[middle == answer]
        assert abs(people.mean() - share) < 5 * np.sqrt(share * (1 - share) / len(people))


def test_a_clique_with_too_many_combinations_is_refused(monkeypatch):
    graph, schema = graph_of(6, FIGURE_5, SIZES), schema_of(*SIZES)
    largest = max(np.prod([SIZES[i] for i in clique]) for clique in graph.cliques)
    monkeypatch.setattr(synthesis, "MAX_CLIQUE_CELLS", int(largest))
    check_cliques(graph, schema)
    monkeypatch.setattr(synthesis, "MAX_CLIQUE_CELLS", int(largest) - 1)
    with pytest.raises(InputError, match=r"The attributes A1, A3, A4 have 18 combinations, but at most 17"):
        check_cliques(graph, schema)
    with pytest.raises(InputError, match="Increase phi"):
        made(model(), graph, 10, rng=np.random.default_rng(0))


def test_attributes_in_any_order_of_cliques():
    """Cliques whose known attributes come after the new ones: a star around the last attribute, every pair as in the model."""
    rng = np.random.default_rng(10)
    given = [rng.dirichlet(np.ones(3), size=4) for _ in range(3)]
    table = np.einsum("d,da,db,dc->abcd", rng.dirichlet(np.ones(4)), *given)
    graph = DependencyGraph((3, 3, 3, 4), star(), 0.5)
    assert graph.cliques == ((0, 3), (1, 3), (2, 3))
    n = 100_000
    found = made(table, graph, n, rng=np.random.default_rng(11))
    for axes in combinations(range(4), 2):
        expected = n * marginals_of(table)(axes)
        counts = count_cells(found.codes[:, list(axes)], expected.shape)
        assert float(((counts - expected) ** 2 / expected).sum()) < chi2.isf(FALSE_ALARM, expected.size - 1)


def star():
    information = np.zeros((4, 4))
    information[3, :3] = information[:3, 3] = 2
    return information
