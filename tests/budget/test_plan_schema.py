"""The JSON Schemas of plans and pinned plans say what the code writes and what it reads."""

import copy
import json
from functools import cache
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from rrcore import limits
from rrcore.budget import Pinned, Plan
from rrcore.errors import InputError
from rrcore.mechanisms import GAPS, RECIPES
from tests.budget.test_plan import PLANS

PLAN, PINNED = (json.loads((files("rrcore.budget") / f"{name}.schema.json").read_text("utf-8")) for name in ("plan", "pinned"))
REGISTRY = Registry().with_resources([(schema["$id"], Resource.from_contents(schema)) for schema in (PLAN, PINNED)])
PLAN_VALIDATOR, PINNED_VALIDATOR = (Draft202012Validator(schema, registry=REGISTRY) for schema in (PLAN, PINNED))


@cache
def written(number):
    """The document of one of ``PLANS``; made when a test asks, not already where tests are only collected."""
    return PLANS[number].to_dict()


@cache
def kept():
    """Pinned plans, as they are written."""
    pinned = Pinned()
    for plan in PLANS:
        pinned = pinned.pin(plan)
    return pinned.to_json()


def undescribed(schema, path=""):
    """Paths of properties and items that say nothing about themselves."""
    for key, inner in schema.items():
        if key in ("properties", "$defs"):
            for name, entry in inner.items():
                if "description" not in entry:
                    yield f"{path}/{name}"
                yield from undescribed(entry, f"{path}/{name}")
        elif isinstance(inner, dict) and key not in ("if", "then", "else"):
            yield from undescribed(inner, f"{path}/{key}")


@pytest.mark.parametrize("schema", [PLAN, PINNED], ids=["plan", "pinned"])
def test_schema_is_valid_and_describes_every_field(schema):
    Draft202012Validator.check_schema(schema)
    assert list(undescribed(schema)) == []


def test_schema_has_the_limits_and_names_of_the_library():
    fields = PLAN["properties"]
    attribute, safeguards, questions = (PLAN["$defs"][name]["properties"] for name in ("attribute", "safeguards", "questions"))
    level = attribute["requested_level"]
    assert fields["version"]["const"] == 1
    assert fields["mechanism"]["anyOf"][0]["enum"] == list(RECIPES)
    assert fields["closeness"]["enum"] == list(GAPS)
    assert fields["respondents"]["maximum"] == limits.MAX_PEOPLE
    assert fields["attributes"]["maxItems"] == limits.MAX_COLUMNS
    assert (level["minimum"], level["maximum"]) == (limits.MIN_LEVEL, limits.MAX_LEVEL)
    assert attribute["name"]["maxLength"] == attribute["categories"]["items"]["maxLength"] == limits.MAX_TEXT
    assert attribute["categories"]["maxItems"] == limits.MAX_CATEGORIES
    assert (safeguards["floor"]["minimum"], safeguards["floor"]["maximum"]) == (limits.MIN_FLOOR, limits.MAX_FLOOR)
    assert safeguards["marginals"]["maxItems"] == questions["marginals"]["maxItems"] == limits.MAX_QUESTIONS
    project = json.loads((files("rrcore.budget") / "project.schema.json").read_text("utf-8"))["properties"]["plan"]["properties"]
    assert project["closeness"]["enum"] == list(GAPS)
    assert (project["scale"]["minimum"], project["scale"]["maximum"]) == (limits.MIN_SCALE, limits.MAX_SCALE)
    assert (project["total"]["minimum"], project["total"]["maximum"]) == (limits.MIN_LEVEL, limits.MAX_TOTAL)
    assert (project["floor"]["minimum"], project["floor"]["maximum"]) == (limits.MIN_FLOOR, limits.MAX_FLOOR)
    assert safeguards["slacks"]["items"]["maximum"] == limits.MAX_SLACK
    assert questions["total"]["maximum"] == limits.MAX_TOTAL
    assert questions["marginals"]["items"]["maxItems"] == limits.MAX_MARGINAL
    assert PINNED["properties"]["plans"]["maxItems"] == limits.MAX_PINNED


@pytest.mark.parametrize("number", range(len(PLANS)), ids=[plan.mechanism for plan in PLANS])
def test_every_plan_that_is_written_is_valid(number):
    document = written(number)
    PLAN_VALIDATOR.validate(json.loads(json.dumps(document)))
    described = {*PLAN["properties"]}
    assert set(document) <= described
    assert all(set(entry) == set(PLAN["$defs"]["attribute"]["properties"]) for entry in document["attributes"])


def test_pinned_plans_are_valid():
    PINNED_VALIDATOR.validate(json.loads(kept()))
    PINNED_VALIDATOR.validate(json.loads(Pinned().to_json()))


def refused(document):
    """Whether reader and schema refuse a plan."""
    try:
        Plan.from_dict(copy.deepcopy(document))
    except InputError:
        return True, not PLAN_VALIDATOR.is_valid(document)
    return False, not PLAN_VALIDATOR.is_valid(document)


GUARDED = PLANS.index(next(plan for plan in PLANS if plan.safeguards.slacks))
DESIGNED = PLANS.index(next(plan for plan in PLANS if plan.mechanism == "design"))


def at(document, path):
    for key in path:
        document = document[key]
    return document


REQUIRED = [
    *((GUARDED, (field,)) for field in PLAN["required"]),
    *((GUARDED, ("attributes", 1, field)) for field in PLAN["$defs"]["attribute"]["required"]),
    *((GUARDED, ("safeguards", field)) for field in PLAN["$defs"]["safeguards"]["required"]),
    *((DESIGNED, ("questions", field)) for field in PLAN["$defs"]["questions"]["required"]),
    (DESIGNED, ("questions",)),
]


@pytest.mark.parametrize(
    ("original", "path"), REQUIRED, ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else ""
)
def test_no_required_field_may_go(original, path):
    document = copy.deepcopy(written(original))
    del at(document, path[:-1])[path[-1]]
    assert refused(document) == (True, True)


WRONG = [
    (GUARDED, ("format",), "rr-workbench plans"),
    (GUARDED, ("version",), 0),
    (GUARDED, ("version",), 2),
    (GUARDED, ("version",), True),
    (GUARDED, ("mechanism",), "best"),
    (GUARDED, ("mechanism",), ["joint"]),
    (GUARDED, ("mechanism",), "design"),
    (GUARDED, ("respondents",), 0),
    (GUARDED, ("respondents",), 2.5),
    (GUARDED, ("respondents",), "10"),
    (GUARDED, ("respondents",), True),
    (GUARDED, ("respondents",), limits.MAX_PEOPLE + 1),
    (GUARDED, ("attributes",), []),
    (GUARDED, ("attributes",), None),
    (GUARDED, ("attributes", 0, "name"), ""),
    (GUARDED, ("attributes", 0, "name"), "  "),
    (GUARDED, ("attributes", 0, "name"), "x" * (limits.MAX_TEXT + 1)),
    (GUARDED, ("attributes", 0, "kind"), "fuzzy"),
    (GUARDED, ("attributes", 0, "categories"), ["one"]),
    (GUARDED, ("attributes", 0, "categories"), ["one", "one"]),
    (GUARDED, ("attributes", 0, "categories"), ["one", ""]),
    (GUARDED, ("attributes", 0, "categories"), ["one", 2]),
    (GUARDED, ("attributes", 0, "categories"), "ab"),
    (GUARDED, ("attributes", 0, "categories"), [str(code) for code in range(limits.MAX_CATEGORIES + 1)]),
    (GUARDED, ("attributes", 0, "requested_level"), 0),
    (GUARDED, ("attributes", 0, "requested_level"), -1),
    (GUARDED, ("attributes", 0, "requested_level"), 30.1),
    (GUARDED, ("attributes", 0, "requested_level"), None),
    (GUARDED, ("safeguards",), []),
    (GUARDED, ("safeguards", "floor"), 0),
    (GUARDED, ("safeguards", "floor"), "x"),
    (GUARDED, ("safeguards", "floor"), True),
    (GUARDED, ("safeguards", "marginals"), None),
    (GUARDED, ("safeguards", "marginals"), [["smokes"]]),
    (GUARDED, ("safeguards", "marginals"), [["smokes", "smokes"]]),
    (GUARDED, ("safeguards", "slacks"), [0, -1, 0]),
    (GUARDED, ("safeguards", "slacks"), [0, 1001, 0]),
    (GUARDED, ("safeguards", "slacks"), [0, "x", 0]),
    (DESIGNED, ("questions",), None),
    (DESIGNED, ("questions", "total"), "x"),
    (DESIGNED, ("questions", "marginals"), []),
    (DESIGNED, ("questions", "marginals"), [[]]),
    (DESIGNED, ("questions", "marginals"), "smokes"),
]


@pytest.mark.parametrize(("original", "path", "value"), WRONG, ids=str)
def test_wrong_values_are_refused_by_schema_and_reader_alike(original, path, value):
    document = copy.deepcopy(written(original))
    assert refused(document) == (False, False)
    at(document, path[:-1])[path[-1]] = value
    assert refused(document) == (True, True)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("format",), "rr-workbench plan "),
        (("version",), 2),
        (("version",), True),
        (("plans",), None),
        (("plans",), "many"),
        (("plans", 0), []),
        (("plans", 0, "name"), ""),
        (("plans", 0, "name"), 3),
        (("plans", 0, "plan"), {}),
        (("plans", 0, "plan", "respondents"), 0),
        (("plans",), lambda: [{"name": str(i), "plan": written(0)} for i in range(limits.MAX_PINNED + 1)]),
    ],
    ids=lambda value: "too many" if callable(value) else str(value),
)
def test_wrong_pinned_plans_are_refused_by_schema_and_reader_alike(path, value):
    document = json.loads(kept())
    at(document, path[:-1])[path[-1]] = value() if callable(value) else value
    assert not PINNED_VALIDATOR.is_valid(document)
    with pytest.raises(InputError):
        Pinned.from_json(json.dumps(document))
