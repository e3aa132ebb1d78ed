"""The project file: everything chosen and no answers, written and read back, refused in one sentence where something is wrong."""

import copy
import json
import math
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from rrcore import limits
from rrcore.budget import Origin, Pinned, Plan, Project, Wishes
from rrcore.errors import InputError
from rrcore.table import DEMOS, Attribute, ColumnRule, Invention, Schema, load_demo

PROJECT, PINNED, PLAN = (
    json.loads((files("rrcore.budget") / f"{name}.schema.json").read_text("utf-8")) for name in ("project", "pinned", "plan")
)
REGISTRY = Registry().with_resources([(schema["$id"], Resource.from_contents(schema)) for schema in (PINNED, PLAN)])
VALIDATOR = Draft202012Validator(PROJECT, registry=REGISTRY)

SCHEMA = Schema(
    (Attribute('=q "1"', ("no", "yes, often")), Attribute("имя", ("a", "b", "c"), "ordinal"), Attribute("x", ("0", "1")))
)
FULL = Project(
    Origin(
        "upload",
        "survey, final.csv",
        columns=('=q "1"', "имя", "x", "person"),
        rules={
            '=q "1"': ColumnRule(missing_marks=("?",), merge_below=3),
            "имя": ColumnRule(kind="ordinal", binning="edges", edges=(0.5, 18.0), categories=("a", "b", "c")),
            "person": ColumnRule(use=False),
        },
    ),
    SCHEMA,
    Wishes(
        respondents=1234,
        chosen=("имя", '=q "1"'),
        levels={'=q "1"': 1.5, "имя": 0.1, "x": 2.0},
        scale=0.5,
        entry="questions",
        mechanism="design",
        width=2,
        total=3.5,
        weights={"имя": 2.0},
        questions=(("имя", '=q "1"'), ("имя",)),
        floor=0.9,
        floor_marginals=(("имя", '=q "1"'),),
        slacks={"имя": 0.25},
        marginal=("имя",),
        seed=7,
        people=500,
        wording={"имя": "How old are you?"},
        closeness="first",
    ),
    Pinned().pin(Plan(SCHEMA, (1.0, 1.0, 1.0), 10, "kronecker"), "first"),
    {"made_by": "the office", "compare_seed": 3, "compare_level": 1.5, "prune": True, "schemes": ("em", "pair-safe")},
)
TITANIC = load_demo("titanic").schema
DEMO = Project(Origin("demo", "Titanic", "titanic"), TITANIC, Wishes(2201, TITANIC.names, dict.fromkeys(TITANIC.names, 2.0)))
INVENTED = Project(Origin("synthetic", "Invented", invention=Invention(people=50)), SCHEMA, FULL.wishes)
PROJECTS = {"upload": FULL, "demo": DEMO, "invented": INVENTED, "declared": Project(Origin(), SCHEMA, FULL.wishes)}


@pytest.mark.parametrize("project", PROJECTS.values(), ids=PROJECTS)
def test_what_is_written_is_read_back_and_is_valid(project):
    written = project.to_json()
    assert Project.from_json(written) == project
    assert Project.from_json(written.encode()).to_json() == written
    VALIDATOR.validate(json.loads(written))


def test_the_schema_is_valid_and_has_the_limits_of_the_library():
    Draft202012Validator.check_schema(PROJECT)
    plan, attributes = PROJECT["properties"]["plan"]["properties"], PROJECT["properties"]["attributes"]
    assert list(plan) == list(Wishes.__dataclass_fields__)
    assert list(PROJECT["properties"]["table"]["properties"]) == list(Origin.__dataclass_fields__)
    assert PROJECT["properties"]["table"]["properties"]["demo"]["enum"] == ["", *DEMOS]
    assert plan["respondents"]["maximum"] == limits.MAX_PEOPLE
    assert plan["total"]["maximum"] == limits.MAX_TOTAL
    assert attributes["maxItems"] == limits.MAX_COLUMNS
    assert plan["wording"]["additionalProperties"]["maxLength"] == limits.MAX_WORDING
    assert PROJECT["properties"]["choices"]["maxProperties"] == limits.MAX_CHOICES


def changed(path, value):
    document = copy.deepcopy(json.loads(FULL.to_json()))
    place = document
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return document


WRONG = [
    (("format",), "rr-workbench plan", "not a project file"),
    (("version",), 2, "reads version 1"),
    (("version",), True, "choose a file"),
    (("table",), None, "lacks the field 'table'"),
    (("table",), [], "table is an empty list, and a set of named fields"),
    (("table", "source"), "elsewhere", "one of demo, upload"),
    (("table", "source"), "demo", "no demo ''"),
    (("table", "source"), "synthetic", "does not say what it was made from"),
    (("table", "rules"), {"x": {"use": "yes"}}, "true or false was expected"),
    (("attributes",), [], "No attribute"),
    (("attributes", 0, "name"), "имя", "Two attributes are called"),
    (("plan", "chosen"), [], "no attribute"),
    (("plan", "chosen"), ["nobody"], "no attribute 'nobody'"),
    (("plan", "chosen"), "имя", "a list was expected"),
    (("plan", "levels", "имя"), None, "'имя' has no level"),
    (("plan", "levels", "имя"), 900.0, "Level of 'имя'"),
    (("plan", "levels", "x"), -1, "not positive"),
    (("plan", "levels", "x"), True, "a number was expected"),
    (("plan", "scale"), 0, "from 0.1 to 3"),
    (("plan", "mechanism"), "best", "no mechanism 'best'"),
    (("plan", "closeness"), "second", "full"),
    (("plan", "total"), 61, "from 0.001 to 60"),
    (("plan", "weights"), {"x": 0}, "weight of 'x'"),
    (("plan", "weights"), {"x": 10**400}, "a number was expected"),
    (("plan", "seed"), 2**53, "seed is"),
    (("plan", "mechanism"), "9999-safe", "no mechanism '9999-safe'"),
    (("plan", "chosen"), ["y" * 10**6], "no attribute 'yyy"),
    (("plan", "floor"), "high", "a number or null"),
    (("plan", "slacks"), {"x": -0.5}, "slack"),
    (("plan", "respondents"), 2.5, "a whole number was expected"),
    (("plan", "respondents"), 0, "number of people is 0"),
    (("plan", "people"), 0, "simulation is 0"),
    (("plan", "seed"), -1, "seed is -1"),
    (("plan", "respondents"), None, "lacks the field 'respondents'"),
    (("plan", "wording"), {"x": "y" * 20_001}, "more than 20,000"),
    (("pinned",), {"format": "x"}, "pinned is not a 'rr-workbench pinned plans'"),
    (("choices",), {"made_by": {"a": 1}}, "choices.made_by is a set of named fields"),
    (("choices",), {str(n): 1 for n in range(201)}, "more than 200"),
]


@pytest.mark.parametrize(("path", "value", "fragment"), WRONG)
def test_what_is_wrong_is_refused_in_one_sentence(path, value, fragment):
    with pytest.raises(InputError) as caught:
        Project.from_json(json.dumps(changed(path, value)))
    assert fragment in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "name,age\nx,1\n", '{"a": NaN}', b"\xff\xfe", '"\\ud800"', "[" * 100_000])
def test_what_is_not_json_text_is_refused(text):
    with pytest.raises(InputError, match=r"^The project file (is not JSON|is not UTF-8|cannot be used: )|not a project file"):
        Project.from_json(text)


def test_unknown_fields_are_ignored():
    document = json.loads(FULL.to_json())
    for place in (document, document["table"], document["plan"], document["table"]["rules"]["person"]):
        place["of a later program"] = {"x": math.pi}
    assert Project.from_json(json.dumps(document)) == FULL


def test_an_upload_is_known_again_by_the_columns_that_are_used():
    rules = {**{name: FULL.origin.rules[name] for name in ('=q "1"', "имя")}, "other": ColumnRule(use=False)}
    assert FULL.origin.rules_for(('=q "1"', "имя", "other")) == rules
    assert FULL.origin.rules_for(("имя", "other")) is None
