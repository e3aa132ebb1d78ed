"""The dependency graph of LoPub, its junction tree and the entropy pruning (LoPub, section V-E)."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from rrcore.arrays import Floats
from rrcore.association import mutual_information
from rrcore.errors import InputError, need
from rrcore.progress import Report, quiet

Clique = tuple[int, ...]


def _networkx() -> Any:
    return need("networkx", "A dependency graph")


def thresholds(sizes: Sequence[int], phi: float) -> Floats:
    """Return tau of eq. (26) in nats, min(a_m - 1, a_n - 1) phi^2 / 2, shape (d, d)."""
    if not 0 <= phi <= 1:
        raise InputError(f"The dependency degree phi is {phi:g}. Choose a number from 0 to 1, for example 0.3.")
    others = np.asarray(sizes, dtype=np.float64) - 1
    return np.asarray(np.minimum.outer(others, others) * phi**2 / 2)


@dataclass(frozen=True, eq=False)
class DependencyGraph:
    """A graph that joins dependent attributes, and its cliques.

    Parameters
    ----------
    sizes : tuple of int
        Numbers of categories.
    information : ndarray of shape (d, d)
        Mutual information in nats, symmetric. NaN for pairs that were skipped.
    phi : float
        Dependency degree in [0, 1].
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
    def cliques(self) -> tuple[Clique, ...]:
        """Sets of attributes whose joint distributions are needed, sorted."""
        return tuple(sorted(tuple(sorted(clique)) for clique in _networkx().chordal_graph_cliques(self._chordal)))

    def order(self) -> tuple[tuple[Clique, Clique], ...]:
        """Return the cliques in the order of drawing.

        Each clique is given with its attributes that are drawn before.

        The order follows the junction tree, a forest if the graph is not connected.
        """
        nx = _networkx()
        graph = nx.Graph()
        graph.add_nodes_from(self.cliques)
        for one, other in combinations(self.cliques, 2):
            if shared := set(one) & set(other):
                graph.add_edge(one, other, weight=len(shared))
        forest, found, known = nx.maximum_spanning_tree(graph), [], set[int]()
        for part in sorted(sorted(component) for component in nx.connected_components(forest)):
            for clique in nx.bfs_tree(forest, part[0], sort_neighbors=sorted):
                found.append((clique, tuple(sorted(known & set(clique)))))
                known |= set(clique)
        return tuple(found)


def information_matrix(
    joint: Callable[[Sequence[int]], Floats],
    sizes: Sequence[int],
    *,
    report: Report = quiet,
) -> Floats:
    """Return the mutual information of every pair in nats, eq. (24).

    Parameters
    ----------
    joint : callable
        Gives the shares, non-negative with sum 1, of a pair of attributes.
    sizes : sequence of int
        Numbers of categories.
    report : callable
        Called with the progress.
    """
    found = np.full((len(sizes), len(sizes)), np.nan)
    pairs = list(combinations(range(len(sizes)), 2))
    for done, (i, j) in enumerate(pairs):
        report(done / len(pairs), f"pair {done + 1} of {len(pairs)}")
        found[i, j] = found[j, i] = mutual_information(joint((i, j)))
    return found


def kept_by_entropy(margins: Sequence[Floats], phi: float) -> tuple[int, ...]:
    """Return the attributes with the largest entropy per category, H / a.

    Only pairs of these attributes are estimated (Algorithm 5).

    The number of these attributes is d (1 - phi), rounded to the nearest whole number. Algorithm 5 prints the next smaller whole
    number, but 13 of the 15 numbers of pairs in Tables VII to IX result from rounding to the nearest.

    Parameters
    ----------
    margins : sequence of ndarrays
        Shares of each attribute.
    phi : float
        Dependency degree in [0, 1].
    """
    # raises an error for a phi outside 0..1
    thresholds([2], phi)
    relative = [-sum(p * math.log(p) for p in shares if p > 0) / len(shares) for shares in margins]
    kept = math.floor(len(margins) * (1 - phi) + 0.5)
    order = sorted(range(len(margins)), key=lambda i: (-relative[i], i))
    return tuple(sorted(order[:kept]))


@dataclass(frozen=True)
class Edges:
    """Pairs joined in both graphs, only in the estimated one, and only in the true one."""

    correct: tuple[tuple[int, int], ...]
    added: tuple[tuple[int, int], ...]
    lost: tuple[tuple[int, int], ...]


def compare_edges(estimated: DependencyGraph, true: DependencyGraph) -> Edges:
    """Return the dependencies that were found, added and lost (section VI-B)."""
    found, real = set(estimated.edges), set(true.edges)
    return Edges(tuple(sorted(found & real)), tuple(sorted(found - real)), tuple(sorted(real - found)))
