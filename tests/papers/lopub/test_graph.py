"""The dependency graph: thresholds, Figure 5, junction trees of random graphs, entropy pruning as in Tables VII to IX."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rrcore.errors import InputError
from rrcore.papers.lopub import DependencyGraph, compare_edges, information_matrix, kept_by_entropy, thresholds
from tests.papers.lopub.handmade import FIGURE_5, graph_of


def test_thresholds_of_equation_26():
    found = thresholds((2, 3, 5, 7), 0.4)
    for i, j in combinations(range(4), 2):
        a, b = (2, 3, 5, 7)[i], (2, 3, 5, 7)[j]
        assert found[i, j] == found[j, i] == pytest.approx(min(a - 1, b - 1) * 0.16 / 2)
    assert (thresholds((2, 3), 0) == 0).all()


@pytest.mark.parametrize("phi", [-0.01, 1.01, math.nan])
def test_a_degree_outside_0_to_1_is_refused(phi):
    with pytest.raises(InputError, match="The dependency degree phi is"):
        thresholds((2, 2), phi)
    with pytest.raises(InputError, match="The dependency degree phi is"):
        kept_by_entropy([np.array([0.5, 0.5])], phi)


def test_figure_5():
    graph = graph_of(6, FIGURE_5, sizes=(2, 3, 4, 5, 6, 7))
    assert graph.edges == tuple(sorted(FIGURE_5))
    assert graph.cliques == ((0, 1), (1, 2, 4), (1, 3, 4), (5,))
    known = dict(graph.order())
    assert known[(5,)] == ()
    assert sorted(known.values()) == [(), (), (1,), (1, 4)]


def test_a_cycle_of_four_is_cut_in_two():
    graph = graph_of(4, [(0, 1), (1, 2), (2, 3), (0, 3)])
    assert sorted(map(len, graph.cliques)) == [3, 3]
    assert graph.order()[1][1] in {(0, 2), (1, 3)}
    assert graph.edges == ((0, 1), (0, 3), (1, 2), (2, 3))


def test_no_and_all_dependencies():
    assert graph_of(4, []).cliques == ((0,), (1,), (2,), (3,))
    full = DependencyGraph((2, 3, 4), np.full((3, 3), 0.1), 0.0)
    assert full.cliques == ((0, 1, 2),)
    assert full.order() == (((0, 1, 2), ()),)
    assert graph_of(1, []).order() == (((0,), ()),)


@st.composite
def random_graphs(draw):
    d = draw(st.integers(1, 9))
    pairs = list(combinations(range(d), 2))
    return d, sorted(draw(st.sets(st.sampled_from(pairs))) if pairs else [])


@pytest.mark.slow
@given(random_graphs())
@settings(max_examples=50)
def test_cliques_of_random_graphs(drawn):
    import networkx as nx

    d, edges = drawn
    graph = graph_of(d, edges)
    assert graph.edges == tuple(edges)
    chordal = nx.Graph()
    chordal.add_nodes_from(range(d))
    chordal.add_edges_from(pair for clique in graph.cliques for pair in combinations(clique, 2))
    assert set(edges) <= {tuple(sorted(edge)) for edge in chordal.edges}
    assert nx.is_chordal(chordal) or len(chordal) < 4
    assert sorted(graph.cliques) == sorted(tuple(sorted(clique)) for clique in nx.find_cliques(chordal))
    original = nx.Graph(edges)
    if not original or nx.is_chordal(original):
        assert chordal.number_of_edges() == len(edges)


@pytest.mark.slow
@given(random_graphs())
@settings(max_examples=40)
def test_the_order_has_the_running_intersection(drawn):
    graph = graph_of(*drawn)
    order = graph.order()
    assert sorted(clique for clique, _ in order) == sorted(graph.cliques)
    seen, former = set(), []
    for clique, known in order:
        assert set(known) == set(clique) & seen
        assert set(clique) - seen, "every clique brings something new"
        assert not known or any(set(known) <= set(one) for one in former), "all that is known comes from one clique"
        seen |= set(clique)
        former.append(clique)
    assert seen == set(range(drawn[0]))


def pairs_looked_at(d, phi):
    margins = [np.random.default_rng(i).dirichlet(np.ones(2 + i % 5)) for i in range(d)]
    kept = kept_by_entropy(margins, phi)
    assert kept == tuple(sorted(set(kept)))
    return math.comb(len(kept), 2)


@pytest.mark.parametrize(("phi", "printed", "pairs"), [(0.4, 66, 91), (0.5, 45, 66)])
def test_the_two_numbers_of_table_8_that_rounding_does_not_give(phi, printed, pairs):
    """Printed are the pairs of 12 and of 10 attributes; 24 (1 - phi) is 14.4 and 12."""
    assert pairs_looked_at(24, phi) == pairs != printed
    assert printed in {math.comb(12, 2), math.comb(10, 2)}


def test_entropy_a_category_decides():
    """H / a: ln 2 / 2 = .35 for a fair coin, ln 8 / 8 = .26 for eight equal answers, though their entropy is three times as large."""
    coin, eight, three, sure = np.ones(2) / 2, np.ones(8) / 8, np.ones(3) / 3, np.array([1.0, 0.0])
    margins = [eight, sure, coin, three]
    order = [kept_by_entropy(margins, 1 - m / 4) for m in (1, 2, 3, 4)]
    assert order == [(3,), (2, 3), (0, 2, 3), (0, 1, 2, 3)]
    by_hand = [math.log(8) / 8, 0, math.log(2) / 2, math.log(3) / 3]
    assert sorted(range(4), key=lambda i: -by_hand[i]) == [3, 2, 0, 1]


def test_found_added_and_lost_dependencies():
    estimated, true = graph_of(5, [(0, 1), (1, 2), (3, 4)]), graph_of(5, [(1, 2), (0, 4), (0, 1)])
    found = compare_edges(estimated, true)
    assert (found.correct, found.added, found.lost) == (((0, 1), (1, 2)), ((3, 4),), ((0, 4),))
    same = compare_edges(true, true)
    assert (same.correct, same.added, same.lost) == (true.edges, (), ())


def exact_table():
    """Three attributes, the first two dependent, the third on its own with shares 1/4 and 3/4."""
    pair = np.array([[0.3, 0.1], [0.0, 0.4], [0.1, 0.1]])
    return np.multiply.outer(pair, [0.25, 0.75])


def pair_of(table):
    return lambda axes: np.einsum(table, range(table.ndim), list(axes))


def test_information_of_an_exact_table():
    """Cell by cell as in eq. (24); by entropies H(A) + H(B) - H(A, B) too."""
    table = exact_table()
    found = information_matrix(pair_of(table), table.shape)
    pair, total = table.sum(axis=2), 0.0
    for i in range(3):
        for j in range(2):
            if pair[i, j] > 0:
                total += pair[i, j] * math.log(pair[i, j] / (pair[i].sum() * pair[:, j].sum()))

    def entropy(shares):
        return -sum(p * math.log(p) for p in np.ravel(shares) if p > 0)

    assert total == pytest.approx(entropy(pair.sum(axis=1)) + entropy(pair.sum(axis=0)) - entropy(pair), abs=1e-12)
    assert found[0, 1] == found[1, 0] == pytest.approx(total, abs=1e-12)
    assert total > 0.1
    np.testing.assert_allclose([found[0, 2], found[1, 2]], 0, atol=1e-12)
    assert np.isnan(np.diag(found)).all()
