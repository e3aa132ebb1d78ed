"""Mechanism files to audit: planned ones, designs of the field, mixtures of both, and weights at random."""

from fractions import Fraction
from itertools import pairwise

import numpy as np

from rrcore.budget import build
from rrcore.designs import forced_response
from rrcore.designs.catalogue import k_ary, warner
from rrcore.designs.design import matrix_design
from rrcore.mechanisms.workload import Designed
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.rounding import integer_groups
from rrcore.promise.weights import LieWeights
from rrcore.table.schema import Attribute, Schema
from tests import oracles


def schema(sizes):
    return Schema(tuple(Attribute(f"q{i}", tuple(map(str, range(size)))) for i, size in enumerate(sizes)))


def planned(key, sizes, epsilon):
    return MechanismFile(schema(sizes), integer_groups(build(key, sizes, epsilon)))


def grouped(*weights):
    """Groups side by side, the attributes in the order of the groups."""
    sizes = [size for one in weights for size in one.sizes]
    ends = np.cumsum([0, *(len(one.sizes) for one in weights)])
    places = [tuple(range(start, end)) for start, end in pairwise(ends)]
    return MechanismFile(schema(sizes), tuple(zip(places, weights, strict=True)))


def at_random(sizes, seed, listed):
    """Weights of some sets of changes, all of them for listed = 2^k, drawn at random."""
    rng = np.random.default_rng(seed)
    names = sorted("".join(map(str, s)) for s in oracles.lie_sets(len(sizes)))
    chosen = sorted(rng.choice(names, listed, replace=False))
    return LieWeights(tuple(sizes), int(rng.integers(1, 50)), tuple((str(name), int(rng.integers(1, 1000))) for name in chosen))


FORCED = forced_response(Fraction(2, 3), Fraction(1, 6), Fraction(1, 6))
PRAM = matrix_design([[Fraction(n, 20) for n in row] for row in ((14, 4, 2), (1, 16, 3), (5, 5, 10))])
PAIRS_ONLY = Designed.for_questions((3, 2, 4), 1.0, [(0, 1), (0, 2), (1, 2)])

FILES = {
    "independent": planned("independent", (3, 2, 4), (1.0, 0.4, 2.0)),
    "joint": planned("joint", (3, 2, 4), (1.0, 0.4, 2.0)),
    "optimal": planned("optimal", (3, 2, 4), (1.0, 0.4, 2.0)),
    "preserving-2": planned("preserving-2", (4, 2, 2), (2.0, 1.0, 1.5)),
    "pairs only": MechanismFile(schema((3, 2, 4)), integer_groups(PAIRS_ONLY)),
    "forced": grouped(FORCED),
    "warner below a half": grouped(warner(Fraction(1, 5))),
    "rarely true": grouped(k_ary(3, Fraction(1, 10))),
    "pram and a coupling": grouped(PRAM, at_random((2, 3), 5, 2), FORCED),
    "few sets of changes": grouped(at_random((3, 2, 2), 1, 3)),
    "all sets of changes": grouped(at_random((3, 2, 2), 2, 8)),
    "always lies somewhere": grouped(LieWeights((3, 3), 2, (("11", 40),))),
}
