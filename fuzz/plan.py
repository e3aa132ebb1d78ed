"""Plan files and files of pinned plans."""

import rrcore as rr
from fuzz.documents import checker, seeds
from rrcore.budget import Pinned, Plan, build

_SCHEMA = rr.load_demo("titanic").schema
_DESIGN = Plan(_SCHEMA, budget=4.0, workload=[["Sex", "Survived"]], n=500)
_FLOORED = Plan(_SCHEMA, 2.0, n=500, safeguards=rr.Safeguards(1.0, ((0, 1),), (1.0,) * 4))
_PINNED = Pinned().pin(_DESIGN, "mine").pin(_FLOORED, "other")

_KRONECKER = build("independent", _SCHEMA.sizes, _FLOORED.epsilon)

SEEDS = seeds(_PINNED.to_json(), *(plan.to_json(_KRONECKER) for plan in (_DESIGN, _FLOORED)))
check = checker(Pinned.from_json, _PINNED.to_json())
