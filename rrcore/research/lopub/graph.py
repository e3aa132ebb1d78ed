"""Which attributes belong together: the dependency graph of LoPub, its junction tree and the entropy pruning (LoPub, section V-E)."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from rrcore.arrays import Floats
from rrcore.dependence import mutual_information
from rrcore.errors import InputError, need
from rrcore.progress import Report, quiet

Clique = tuple[int, ...]


def _networkx() -> Any:
    return need("networkx", "A dependency graph")


def thresholds(sizes: Sequence[int], phi: float) -> Floats:
    """tau of eq. (26), nats, shape (d, d): min(a_m - 1, a_n - 1) phi^2 / 2."""
    if not 0 <= phi <= 1:
        raise InputError(f"The dependency degree phi is {phi:g}: give a number from 0 to 1, for example 0.3.")
    others = np.asarray(sizes, dtype=np.float64) - 1
    return np.asarray(np.minimum.outer(others, others) * phi**2 / 2)


@dataclass(frozen=True, eq=False)
class DependencyGraph:
    """Attributes, joined where they depend on each other, and the cliques that a joint distribution is pieced together from.

    Parameters
    ----------
    sizes : d ints
    information : ndarray of shape (d, d), mutual information in nats, symmetric; NaN where it was not looked at
    phi : float in [0, 1], dependency degree
    """

    sizes: tuple[int, ...]
    information: Floats
    phi: float

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """Pairs whose information is at least its threshold, Algorithm 4 line 10."""
        tau = thresholds(self.sizes, self.phi)
        with np.errstate(invalid="ignore"):
            return tuple((i, j) for i, j in combinations(range(len(self.sizes)), 2) if self.information[i, j] >= tau[i, j])

    @cached_property
    def _chordal(self) -> Any:
        nx = _networkx()
        graph = nx.Graph()
        graph.add_nodes_from(range(len(self.sizes)))
        graph.add_edges_from(self.edges)
        return graph if nx.is_chordal(graph) else nx.complete_to_chordal_graph(graph)[0]

    @cached_property
    def filled(self) -> tuple[tuple[int, int], ...]:
        """Pairs that triangulation added."""
        return tuple(sorted({(min(edge), max(edge)) for edge in self._chordal.edges} - set(self.edges)))

    @cached_property
    def cliques(self) -> tuple[Clique, ...]:
        """Clusters of attributes whose joint distributions are needed, sorted."""
        return tuple(sorted(tuple(sorted(clique)) for clique in _networkx().chordal_graph_cliques(self._chordal)))

    @cached_property
    def tree(self) -> tuple[tuple[Clique, Clique, Clique], ...]:
        """The junction tree (a forest where the graph falls apart): clique, clique, and their separator."""
        nx = _networkx()
        graph = nx.Graph()
        graph.add_nodes_from(self.cliques)
        for one, other in combinations(self.cliques, 2):
            if shared := set(one) & set(other):
                graph.add_edge(one, other, weight=len(shared))
        edges = nx.maximum_spanning_edges(graph, data=False)
        return tuple(sorted((min(e), max(e), tuple(sorted(set(e[0]) & set(e[1])))) for e in edges))

    def order(self) -> tuple[tuple[Clique, Clique], ...]:
        """The cliques in an order for piecing records together, each with the attributes that are known by then; every part of the
        forest from its first clique on.
        """
        nx = _networkx()
        forest = nx.Graph()
        forest.add_nodes_from(self.cliques)
        forest.add_edges_from((one, other) for one, other, _ in self.tree)
        found: list[tuple[Clique, Clique]] = []
        known: set[int] = set()
        for part in sorted(sorted(component) for component in nx.connected_components(forest)):
            for clique in nx.bfs_tree(forest, part[0], sort_neighbors=sorted):
                found.append((clique, tuple(sorted(known & set(clique)))))
                known |= set(clique)
        return tuple(found)


def information_matrix(
    joint: Callable[[Sequence[int]], Floats],
    sizes: Sequence[int],
    *,
    looked_at: Sequence[int] | None = None,
    report: Report = quiet,
) -> Floats:
    """Mutual information of every pair, eq. (24), in nats.

    Parameters
    ----------
    joint : gives the shares, non-negative with sum 1, of a pair of attributes
    sizes : d ints
    looked_at : attributes whose pairs are computed, after pruning; all if left out
    """
    found = np.full((len(sizes), len(sizes)), np.nan)
    pairs = list(combinations(range(len(sizes)) if looked_at is None else sorted(looked_at), 2))
    for done, (i, j) in enumerate(pairs):
        report(done / len(pairs), f"pair {done + 1} of {len(pairs)}")
        found[i, j] = found[j, i] = mutual_information(joint((i, j)))
    return found


def kept_by_entropy(margins: Sequence[Floats], phi: float) -> tuple[int, ...]:
    """Algorithm 5: the attributes with the largest relative entropy H / a, of which only the pairs are looked at.

    d (1 - phi) of them, rounded; the algorithm prints the next smaller whole number, but 13 of the 15 numbers of pairs in Tables VII to IX
    are those of rounding. The entropy divided by the number of categories, as line 4 computes it, decides.

    Parameters
    ----------
    margins : shares of each attribute
    """
    thresholds([2], phi)  # refuses a phi outside 0..1
    relative = [-sum(p * math.log(p) for p in shares if p > 0) / len(shares) for shares in margins]
    kept = math.floor(len(margins) * (1 - phi) + 0.5)
    order = sorted(range(len(margins)), key=lambda i: (-relative[i], i))
    return tuple(sorted(order[:kept]))


@dataclass(frozen=True)
class Edges:
    """An estimated graph against the true one: pairs of attributes joined in both, only in the estimated, only in the true one."""

    correct: tuple[tuple[int, int], ...]
    added: tuple[tuple[int, int], ...]
    lost: tuple[tuple[int, int], ...]


def compare_edges(estimated: DependencyGraph, true: DependencyGraph) -> Edges:
    """Which dependencies were found, added and lost (section VI-B)."""
    found, real = set(estimated.edges), set(true.edges)
    return Edges(tuple(sorted(found & real)), tuple(sorted(found - real)), tuple(sorted(real - found)))
