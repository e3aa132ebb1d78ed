"""Integer weights of every kind, small enough to be written out."""

from __future__ import annotations

from functools import cache

from rrcore.budget import MECHANISMS, Plan, build
from rrcore.designs import DESIGNS, read_design
from rrcore.mechanisms import Safeguards
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.rounding import integer_groups
from rrcore.promise.weights import CountWeights, LieWeights, MatrixWeights
from rrcore.table.schema import Attribute, Schema
from tests import oracles

FORCED = MatrixWeights(((5, 1), (1, 5)))
SKEW = MatrixWeights(((7, 2, 1), (1, 8, 1), (2, 3, 5)))
COUPLED = LieWeights((2, 3), 5, (("00", 20), ("01", 3), ("11", 9)))
BACKWARDS = LieWeights((2, 2), 1, (("10", 6), ("11", 11)))
"""Lies more often than it tells the truth."""
ALL_LISTED = LieWeights((2, 2), 0, (("00", 7), ("01", 2), ("10", 3), ("11", 1)))
UNBOUNDED = LieWeights((2, 2), 0, (("00", 7), ("01", 2)))
HUGE = LieWeights((3,), 3 << 70, (("0", (1 << 80) + 12345),))
"""More than a machine word, and no power of two."""
COUNTED = CountWeights((2, 2, 3), (2, 1), (40, 9, 7, 3, 2, 1))
ALL_ALIKE = CountWeights((3, 3), (2,), (3 << 70, 1 << 69, (1 << 68) + 77))
"""More than a machine word."""
NEVER_BOTH = CountWeights((2, 2), (2,), (5, 1, 0))
"""Two lies never happen."""
WIDE = MatrixWeights(((4, 2, 1, 1), (1, 2, 4, 1)))
"""More reports than categories, one of which says nothing."""
NARROW = MatrixWeights(((8, 2), (8, 2), (1, 9)))
"""Fewer reports than categories, two of which are reported alike."""
RULES_OUT = MatrixWeights(((3, 1, 0), (1, 2, 1)))

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
    "counted": (((0, 1, 2), COUNTED),),
    "all-alike": (((0, 1), ALL_ALIKE),),
    "never-both": (((1, 0), NEVER_BOTH),),
    "counted-and-forced": (((3, 1, 0), COUNTED), ((2,), FORCED)),
    "wide": (((0,), WIDE),),
    "narrow": (((0,), NARROW),),
    "rules-out": (((0,), RULES_OUT),),
    "wide-and-coupled": (((1,), WIDE), ((2, 0), COUPLED)),
    "narrow-and-wide": (((1,), NARROW), ((0,), WIDE)),
    "planned": integer_groups(build("preserving-2", (2, 3, 2), [1.0, 1.5, 0.7])),
    "joint": integer_groups(build("joint", (3, 2), [1.0, 2.0])),
}


def file_of(groups, **more):
    attributes = tuple(Attribute(f"q{i}", tuple(f"c{c}" for c in range(a))) for i, a in enumerate(oracles.sizes_of(groups)))
    reports = tuple(
        own if own.size == b else Attribute(own.name, tuple(f"r{c}" for c in range(b)))
        for own, b in zip(attributes, oracles.report_sizes_of(groups), strict=True)
    )
    return MechanismFile(Schema(attributes), tuple(groups), reports=Schema(reports), **more)


ASKED = Schema(
    (Attribute("age", ("young", "middle", "old"), "ordinal"), Attribute("smokes", ("no", "yes")), Attribute("é", ("a", "b")))
)
PLANNED = {mechanism: {"mechanism": mechanism} for mechanism in MECHANISMS} | {
    "floors": {"mechanism": "constrained", "safeguards": Safeguards(1.0, ((0, 1, 2),))},
    "caps": {"mechanism": "constrained", "safeguards": Safeguards(slacks=(0.2, float("inf"), 0.4))},
    "questions": {"budget": 3.0, "workload": (("age", "smokes"), ("é",)), "epsilon": None},
}
NAMES = list(dict.fromkeys([*ZOO, *(f"design {key}" for key in DESIGNS), *PLANNED]))


@cache
def groups_of(name):
    """What one of ``NAMES`` is made of; found when a test asks, not already where tests are only collected."""
    if name in PLANNED:
        return integer_groups(Plan(ASKED, **{"epsilon": (1.0, 1.1, 0.9), "n": 100} | PLANNED[name]).build())
    if name in ZOO:
        return ZOO[name]
    key = name.removeprefix("design ")
    return (((0,), read_design("q0", key, 2, DESIGNS[key].example)),)
