"""Synthetic tables from clique marginals: against the exact junction-tree model, in numbers and by chi-square."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chi2

from rrcore.arrays import count_cells
from rrcore.errors import InputError
from rrcore.limits import MAX_ROWS
from rrcore.research.lopub import DependencyGraph, synthesis
from rrcore.research.lopub.synthesis import check_cliques, synthesize
from tests.research.lopub.handmade import FIGURE_5, graph_of, schema_of

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
    counts, expected = count_cells(found.dataset.codes, SIZES), n * table
    assert expected.min() > 5
    assert float(((counts - expected) ** 2 / expected).sum()) < chi2.isf(FALSE_ALARM, table.size - 1)
    assert found.restarted == 0
    assert found.dataset.n == n


def test_the_chi_square_would_see_a_lost_dependency():
    """The same without the dependency between the first two: their marginals stay, the joint table does not."""
    table, n = model(), 200_000
    found = made(table, graph_of(6, FIGURE_5[1:], SIZES), n, rng=np.random.default_rng(1))
    counts, expected = count_cells(found.dataset.codes, SIZES), n * table
    assert float(((counts - expected) ** 2 / expected).sum()) > 10 * chi2.isf(FALSE_ALARM, table.size - 1)


def test_independent_attributes_are_drawn_independently():
    table = np.multiply.outer([0.3, 0.7], [0.5, 0.2, 0.3])
    found = made(table, graph_of(2, [], (2, 3)), 100_000, rng=np.random.default_rng(2))
    counts, expected = count_cells(found.dataset.codes, (2, 3)), 100_000 * table
    assert float(((counts - expected) ** 2 / expected).sum()) < chi2.isf(FALSE_ALARM, 5)


def test_one_clique_repeated_has_the_estimated_counts():
    table = np.random.default_rng(3).dirichlet(np.ones(12)).reshape(3, 4)
    found = made(table, graph_of(2, [(0, 1)], (3, 4)), 1_234, repeat=True, rng=np.random.default_rng(3))
    counts = count_cells(found.dataset.codes, (3, 4))
    assert np.abs(counts - 1_234 * table).max() < 1
    assert counts.sum() == 1_234


def test_a_chain_repeated_is_exact_within_every_group():
    """A1 - A2 - A3: of the people who share A2, those with an A3 are within one of their exact number; drawn at random some are not."""
    rng = np.random.default_rng(4)
    first, second = rng.dirichlet(np.ones(6)).reshape(2, 3), rng.dirichlet(np.ones(4), size=3)
    table = np.einsum("ab,bc->abc", first, second)
    graph = graph_of(3, [(0, 1), (1, 2)], (2, 3, 4))
    apart = {}
    for repeat in (True, False):
        found = made(table, graph, 5_000, repeat=repeat, rng=np.random.default_rng(5))
        counts = count_cells(found.dataset.codes[:, 1:], (3, 4))
        apart[repeat] = np.abs(counts - counts.sum(axis=1, keepdims=True) * second).max()
        if repeat:
            assert np.abs(count_cells(found.dataset.codes[:, :2], (2, 3)) - 5_000 * first).max() < 1
            assert np.abs(counts - 5_000 * table.sum(axis=0)).max() < 2
    assert apart[True] < 1 < 5 < apart[False]


def test_repeated_records_are_in_random_order():
    """Groups of one clique must not line up with those of another: independent attributes repeated exactly stay unrelated (z-test)."""
    table = np.full((2, 2), 0.25)
    found = made(table, graph_of(2, []), 40_000, repeat=True, rng=np.random.default_rng(6))
    np.testing.assert_array_equal(found.dataset.codes.sum(axis=0), [20_000, 20_000])
    assert abs(np.corrcoef(found.dataset.codes.T)[0, 1]) * 200 < 5


def contradicting(axes):
    """Cliques A1 A2 and A2 A3 that disagree: the first has everybody at the first two answers to A2, the second nobody at the second."""
    if tuple(axes) == (0, 1):
        return np.array([[0.25, 0.25, 0], [0.25, 0.25, 0]])
    return np.array([[0.2, 0.3], [0.0, 0.0], [0.1, 0.4]])


@pytest.mark.parametrize("repeat", [False, True])
def test_people_the_next_clique_does_not_know_are_restarted_and_counted(repeat):
    schema, graph = schema_of(2, 3, 2), graph_of(3, [(0, 1), (1, 2)], (2, 3, 2))
    found = synthesize(schema, graph, contradicting, 40_000, repeat=repeat, rng=np.random.default_rng(7))
    middle, last = found.dataset.codes[:, 1], found.dataset.codes[:, 2]
    assert found.restarted == int((middle == 1).sum()) > 0
    for answer, share in ((0, 0.6), (1, 0.7)):  # known: 0.3 of 0.5; unknown: 0.7 of all, without regard to A2
        people = last[middle == answer]
        assert abs(people.mean() - share) < 5 * np.sqrt(share * (1 - share) / len(people))


def test_a_clique_is_asked_for_once_and_progress_told():
    asked, told, table = [], [], model()

    def joint(axes):
        asked.append(tuple(axes))
        return marginals_of(table)(axes)

    graph = graph_of(6, FIGURE_5, SIZES)
    synthesize(schema_of(*SIZES), graph, joint, 10, rng=np.random.default_rng(0), report=lambda *what: told.append(what))
    assert sorted(asked) == sorted(graph.cliques)
    assert told == [(i / 4, f"clique {i + 1} of 4") for i in range(4)]


def test_the_same_seed_makes_the_same_table():
    table, graph = model(), graph_of(6, FIGURE_5, SIZES)
    one, same, other = (made(table, graph, 500, rng=np.random.default_rng(seed)).dataset.codes for seed in (8, 8, 9))
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


def test_the_table_belongs_to_its_schema():
    found = made(model(), graph_of(6, FIGURE_5, SIZES), 1, rng=np.random.default_rng(0))
    assert found.dataset.schema == schema_of(*SIZES)
    assert found.dataset.codes.shape == (1, 6)
    assert found.graph.cliques == ((0, 1), (1, 2, 4), (1, 3, 4), (5,))


@pytest.mark.parametrize("n", [0, -5, MAX_ROWS + 1])
def test_a_wrong_number_of_records_is_refused(n):
    with pytest.raises(InputError, match=f"The number of records is {n:,}: give 1 to {MAX_ROWS:,}"):
        made(model(), graph_of(6, FIGURE_5, SIZES), n, rng=np.random.default_rng(0))


def test_a_clique_with_too_many_combinations_is_refused(monkeypatch):
    graph, schema = graph_of(6, FIGURE_5, SIZES), schema_of(*SIZES)
    largest = max(np.prod([SIZES[i] for i in clique]) for clique in graph.cliques)
    monkeypatch.setattr(synthesis, "MAX_CLIQUE_CELLS", int(largest))
    check_cliques(graph, schema)
    monkeypatch.setattr(synthesis, "MAX_CLIQUE_CELLS", int(largest) - 1)
    with pytest.raises(InputError, match=r"The attributes A1, A3, A4 have 18 combinations, the limit is 17"):
        check_cliques(graph, schema)
    with pytest.raises(InputError, match="raise phi"):
        made(model(), graph, 10, rng=np.random.default_rng(0))


def test_a_refused_estimate_refuses_the_table():
    def joint(axes):
        raise InputError("This pair is erased.")

    with pytest.raises(InputError, match="erased"):
        synthesize(schema_of(2, 2), graph_of(2, [(0, 1)]), joint, 10, rng=np.random.default_rng(0))


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
        counts = count_cells(found.dataset.codes[:, list(axes)], expected.shape)
        assert float(((counts - expected) ** 2 / expected).sum()) < chi2.isf(FALSE_ALARM, expected.size - 1)


def star():
    information = np.zeros((4, 4))
    information[3, :3] = information[:3, 3] = 2
    return information
