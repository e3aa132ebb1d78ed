"""Project files."""

import rrcore as rr
from fuzz.documents import checker, seeds
from rrcore.budget import Origin, Pinned, Plan, Project, Wishes
from rrcore.table import ColumnRule

_SCHEMA = rr.load_demo("titanic").schema
_PLAN = Plan.for_levels(_SCHEMA, 2.0, respondents=500)
_ORIGIN = Origin(
    "upload", "a.csv", columns=_SCHEMA.names, rules={name: ColumnRule(labels=(("a", "b"),)) for name in _SCHEMA.names}
)
_WISHES = Wishes(
    500, _SCHEMA.names, dict.fromkeys(_SCHEMA.names, 2.0), questions=(("Sex", "Age"),), floor=1.0, slacks={"Sex": 1.0}
)
_PROJECT = Project(_ORIGIN, _SCHEMA, _WISHES, Pinned().pin(_PLAN, "mine"), {"a": 1, "b": ("x",)})

SEEDS = seeds(_PROJECT.to_json())
check = checker(Project.from_json, _PROJECT.to_json())
