"""Clusters of attributes, against a literal reading of Algorithm 1 of the Multi-Dimensional RR paper."""

from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rrcore.association import cluster_attributes


def literal(dependence, sizes, most, least):
    """Lines 3 to 18: a sorted list of all pairs of clusters, walked from its head, rebuilt after each merge."""
    clusters = [frozenset([i]) for i in range(len(sizes))]

    def listed():
        pairs = [(max(dependence[i, j] for i in a for j in b), a, b) for a, b in combinations(clusters, 2)]
        return sorted(pairs, key=lambda pair: (-pair[0], sorted(pair[1]), sorted(pair[2])))

    pairs, at = listed(), 0
    while at < len(pairs) and pairs[at][0] >= least:
        _, a, b = pairs[at]
        fits = prod(sizes[i] for i in a | b) <= most
        if fits:
            clusters = sorted([c for c in clusters if c not in (a, b)] + [a | b], key=sorted)
            pairs, at = listed(), 0
        else:
            at += 1
    return tuple(sorted(tuple(sorted(cluster)) for cluster in clusters))


def random_instance(seed, k):
    rng = np.random.default_rng(seed)
    dependence = np.round(rng.random((k, k)), int(rng.integers(1, 3)))  # with one digit, ties are frequent
    dependence = np.triu(dependence, 1) + np.triu(dependence, 1).T
    return dependence, rng.integers(2, 7, k).tolist()


@given(st.integers(0, 10**6), st.integers(1, 7), st.integers(2, 400), st.floats(0, 1))
@settings(max_examples=50)
def test_the_algorithm_as_printed(seed, k, most, least):
    dependence, sizes = random_instance(seed, k)
    found = cluster_attributes(dependence, sizes, max_cells=most, min_dependence=least)
    assert found == literal(dependence, sizes, most, least)


def test_both_thresholds_are_reached_by_what_equals_them():
    dependence = np.array([[0, 0.3], [0.3, 0]])
    for most, least, merged in [(6, 0.3, True), (5, 0.3, False), (6, 0.31, False)]:
        found = cluster_attributes(dependence, [2, 3], max_cells=most, min_dependence=least)
        assert found == (((0, 1),) if merged else ((0,), (1,)))


@pytest.mark.slow
def test_numbers_of_combinations_beyond_64_bits():
    found = cluster_attributes(np.ones((70, 70)), [2] * 70, max_cells=2**70, min_dependence=0.5)
    assert found == (tuple(range(70)),)


def test_unknown_dependence_counts_as_none():
    dependence = np.full((3, 3), np.nan)
    dependence[0, 1] = dependence[1, 0] = 0.4
    assert cluster_attributes(dependence, [2, 2, 2], max_cells=8, min_dependence=0.1) == ((0, 1), (2,))
