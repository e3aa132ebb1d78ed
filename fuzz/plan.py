"""Plan files and files of pinned plans."""

import rrcore as rr
from fuzz.documents import checker, seeds
from rrcore.budget import Pinned, Plan

_SCHEMA = rr.load_demo("titanic").schema
_DESIGN = Plan.for_questions(_SCHEMA, 4.0, [["Sex", "Survived"]], respondents=500)
_FLOORED = Plan.for_levels(_SCHEMA, 2.0, respondents=500, safeguards=rr.Safeguards(1.0, ((0, 1),), (1.0,) * 4))
_PINNED = Pinned().pin(_DESIGN, "mine").pin(_FLOORED, "other")

_KRONECKER = rr.build("kronecker", _SCHEMA.sizes, _FLOORED.levels)

SEEDS = seeds(_PINNED.to_json(), *(plan.to_json(_KRONECKER) for plan in (_DESIGN, _FLOORED)))
check = checker(Pinned.from_json, _PINNED.to_json())
