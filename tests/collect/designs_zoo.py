"""Integer weights of every kind, small enough to be written out, and the slow channel they define."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

from rrcore.collect.document import MechanismFile
from rrcore.collect.rounding import integer_groups
from rrcore.collect.weights import LieWeights, MatrixWeights
from rrcore.mechanisms import build
from rrcore.table.schema import Attribute, Schema

FORCED = MatrixWeights(((5, 1), (1, 5)))
SKEW = MatrixWeights(((7, 2, 1), (1, 8, 1), (2, 3, 5)))
COUPLED = LieWeights((2, 3), 5, (("00", 20), ("01", 3), ("11", 9)))
BACKWARDS = LieWeights((2, 2), 1, (("10", 6), ("11", 11)))
"""Lies more often than it tells the truth."""
ALL_LISTED = LieWeights((2, 2), 0, (("00", 7), ("01", 2), ("10", 3), ("11", 1)))
UNBOUNDED = LieWeights((2, 2), 0, (("00", 7), ("01", 2)))
HUGE = LieWeights((3,), 3 << 70, (("0", (1 << 80) + 12345),))
"""More than a machine word, and no power of two."""

ZOO = {
    "forced": (((0,), FORCED),),
    "skew": (((0,), SKEW),),
    "coupled": (((0, 1), COUPLED),),
    "backwards": (((0, 1), BACKWARDS),),
    "all-listed": (((0, 1), ALL_LISTED),),
    "unbounded": (((0, 1), UNBOUNDED),),
    "huge": (((0,), HUGE),),
    "two-groups": (((1, 2), COUPLED), ((0,), SKEW)),
    "three-groups": (((3,), FORCED), ((0, 2), BACKWARDS), ((1,), LieWeights((4,), 6, (("0", 5),)))),
    "planned": integer_groups(build("pair-safe", (2, 3, 2), [1.0, 1.5, 0.7])),
    "joint": integer_groups(build("joint", (3, 2), [1.0, 2.0])),
}


def sizes_of(groups):
    found = {}
    for places, weights in groups:
        found |= dict(zip(places, weights.sizes, strict=True))
    return tuple(found[i] for i in sorted(found))


def file_of(groups, **more):
    attributes = tuple(Attribute(f"q{i}", tuple(f"c{c}" for c in range(a))) for i, a in enumerate(sizes_of(groups)))
    return MechanismFile(Schema(attributes), tuple(groups), **more)


def group_channel(weights):
    """P(released | true) of one group, by going through everything that may happen: dict of (true, released) -> Fraction."""
    records = list(product(*(range(a) for a in weights.sizes)))
    chances = dict.fromkeys(product(records, records), Fraction(0))
    for true in records:
        if isinstance(weights, MatrixWeights):
            for (released,), weight in zip(records, weights.rows[true[0]], strict=True):
                chances[true, (released,)] += Fraction(weight, weights.whole)
            continue
        for released in records:
            chances[true, released] += Fraction(weights.uniform, weights.whole * len(records))
            lies = "".join("1" if t != r else "0" for t, r in zip(true, released, strict=True))
            shared = math.prod(a - 1 for a, lie in zip(weights.sizes, lies, strict=True) if lie == "1")
            chances[true, released] += Fraction(dict(weights.lies).get(lies, 0), weights.whole * shared)
    return chances


def channel(groups):
    """P(released | true) of all attributes: dict of (true, released) -> Fraction."""
    sizes = sizes_of(groups)
    records = list(product(*(range(a) for a in sizes)))
    parts = [(places, group_channel(weights)) for places, weights in groups]
    return {
        (true, released): math.prod(
            part[tuple(true[i] for i in places), tuple(released[i] for i in places)] for places, part in parts
        )
        for true in records
        for released in records
    }
