"""Plans: what is written is read back, and every bad plan is refused with its reason."""

import json

import numpy as np
import pytest

from rrcore.budget import PLAN_VERSION, Plan
from rrcore.errors import InputError
from rrcore.mechanisms import MECHANISMS
from rrcore.schema import Attribute, Schema

SCHEMA = Schema(
    (
        Attribute("âge", ("<30", "30–60", ">60"), "ordinal"),
        Attribute("smokes", ("no", "yes")),
        Attribute('he said "x"', ("a", "b, c", "d\n", "é")),
    )
)
LEVELS = (1.0, 1.1, 0.9)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_json_round_trip(mechanism):
    plan = Plan(SCHEMA, LEVELS, 1234, mechanism)
    again = Plan.from_json(plan.to_json())
    assert again == plan
    assert again.to_json() == plan.to_json()


def test_levels_survive_to_the_last_digit():
    levels = (0.1 + 0.2, 1 / 3, float(np.nextafter(2, 3)))
    assert Plan.from_json(Plan(SCHEMA, levels, 10).to_json()).levels == levels


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_document_states_what_is_achieved(mechanism):
    plan = Plan(SCHEMA, LEVELS, 1234, mechanism)
    document = json.loads(plan.to_json())
    built = plan.build()
    assert document["format"] == "rr-workbench plan"
    assert document["version"] == PLAN_VERSION == 1
    assert document["unit_of_levels"] == "nats"
    assert document["mechanism"] == mechanism
    assert document["respondents"] == 1234
    assert document["total_level"] == built.total_level
    assert [entry["name"] for entry in document["attributes"]] == list(SCHEMA.names)
    assert [entry["requested_level"] for entry in document["attributes"]] == list(LEVELS)
    assert [entry["achieved_level"] for entry in document["attributes"]] == list(built.levels)
    assert [entry["leakage"] for entry in document["attributes"]] == list(built.leakage)
    assert isinstance(built, MECHANISMS[mechanism])


def test_texts_become_numbers_and_another_mechanism_is_another_plan():
    plan = Plan(SCHEMA, ("1", "1.1", 0.9), 5)
    assert plan.levels == LEVELS
    assert plan.mechanism == "kronecker"
    other = plan.with_mechanism("optimal")
    assert (other.schema, other.levels, other.respondents, other.mechanism) == (SCHEMA, LEVELS, 5, "optimal")
    assert plan.mechanism == "kronecker"


BAD_LEVELS = [
    ((1, 0, 1), r"Level of 'smokes' is 0: every answer would be pure noise\. Give a positive number, for example 1\."),
    ((1, -2, 1), r"Level of 'smokes' is -2: a level cannot be negative\. Give a positive number, for example 1\."),
    ((1, float("nan"), 1), r"Level of 'smokes' is nan: give a finite positive number, for example 1\."),
    ((1, float("inf"), 1), r"Level of 'smokes' is inf: give a finite positive number, for example 1\."),
    ((1, "high", 1), r"Level of 'smokes' is 'high': give a positive number, for example 1\."),
    ((1, 31, 1), r"Level of 'smokes' is 31: above 20 nothing is protected\. Give a smaller number\."),
    ((1, 1), r"There are 2 levels for 3 attributes: give one level for each attribute\."),
    ((1, 1, 1, 1), r"There are 4 levels for 3 attributes: give one level for each attribute\."),
]


@pytest.mark.parametrize(("levels", "message"), BAD_LEVELS)
def test_bad_levels(levels, message):
    with pytest.raises(InputError, match=f"^{message}$"):
        Plan(SCHEMA, levels, 10)


@pytest.mark.parametrize("respondents", [0, -5, 2.5, 10.0, "10", None, True])
def test_bad_number_of_people(respondents):
    with pytest.raises(InputError, match=rf"^The number of people is {respondents}: give a whole number of at least 1\.$"):
        Plan(SCHEMA, LEVELS, respondents)


def test_bad_mechanism():
    expected = r"^There is no mechanism 'best': choose among kronecker, joint, closed-form, optimal\.$"
    with pytest.raises(InputError, match=expected):
        Plan(SCHEMA, LEVELS, 10, "best")


def test_a_mechanism_that_cannot_meet_the_levels_says_so_when_it_is_built():
    plan = Plan(SCHEMA, (0.3, 2.5, 1.0), 10, "closed-form")
    for use in (plan.build, plan.to_json):
        with pytest.raises(InputError, match=r"^The closed form does not exist for these levels"):
            use()


def changed(**changes):
    """A valid plan file with top-level fields replaced, or removed where the value is ``...``."""
    document = json.loads(Plan(SCHEMA, LEVELS, 10).to_json()) | changes
    return json.dumps({key: value for key, value in document.items() if value is not ...})


def with_attribute(**changes):
    """The same with fields of the second attribute replaced or removed."""
    attributes = json.loads(Plan(SCHEMA, LEVELS, 10).to_json())["attributes"]
    attributes[1] = {key: value for key, value in (attributes[1] | changes).items() if value is not ...}
    return changed(attributes=attributes)


NOT_JSON = r"^The plan file is not JSON: choose a file saved by 'Download plan'\.$"
NOT_A_PLAN = r"^This is not a plan file: choose a file saved by 'Download plan'\.$"
LACKS = r"^The plan file lacks a field"

BAD_FILES = {
    "empty": ("", NOT_JSON),
    "csv": ("a,b\n1,2\n", NOT_JSON),
    "cut off": (changed()[:-20], NOT_JSON),
    "nested too deep": ("[" * 100_000, NOT_JSON),
    "a list": ("[]", NOT_A_PLAN),
    "a number": ("3", NOT_A_PLAN),
    "null": ("null", NOT_A_PLAN),
    "another format": (changed(format="other"), NOT_A_PLAN),
    "no format": (changed(format=...), NOT_A_PLAN),
    "version 2": (changed(version=2), r"^The plan file has version 2: this program reads version 1\.$"),
    "no version": (changed(version=...), r"^The plan file has version None: this program reads version 1\.$"),
    "no mechanism": (changed(mechanism=...), LACKS),
    "a list of mechanisms": (changed(mechanism=["joint"]), LACKS),
    "another mechanism": (changed(mechanism="best"), r"^There is no mechanism 'best': choose among"),
    "no people": (changed(respondents=...), LACKS),
    "nobody": (changed(respondents=0), r"^The number of people is 0: give a whole number"),
    "no attributes": (changed(attributes=...), LACKS),
    "empty attributes": (changed(attributes=[]), r"^No attribute is chosen: choose at least one"),
    "attributes null": (changed(attributes=None), LACKS),
    "attributes a text": (changed(attributes="age"), LACKS),
    "no level": (with_attribute(requested_level=...), LACKS),
    "no name": (with_attribute(name=...), r"^Attribute 2 lacks a name or a list of categories: give both\.$"),
    "no categories": (with_attribute(categories=...), r"^Attribute 2 lacks a name or a list of categories: give both\.$"),
    "one category": (
        with_attribute(categories=["no"]),
        r"^'smokes' has only the category 'no': an attribute needs at least 2, so add the other possible answers",
    ),
    "zero categories": (with_attribute(categories=[]), r"^'smokes' has no categories: an attribute needs at least 2"),
    "a category twice": (with_attribute(categories=["a", "a"]), r"^'smokes' lists the category 'a' twice"),
    "a name twice": (with_attribute(name="âge"), r"^Two attributes are called 'âge': give each a name of its own\.$"),
    "another kind": (with_attribute(kind="fuzzy"), r"^The kind of 'smokes' is 'fuzzy': it must be 'nominal' or 'ordinal'\.$"),
    "level 0": (with_attribute(requested_level=0), r"^Level of 'smokes' is 0: every answer would be pure noise"),
    "level negative": (with_attribute(requested_level=-1), r"^Level of 'smokes' is -1: a level cannot be negative"),
    "level NaN": (with_attribute(requested_level=float("nan")), r"^Level of 'smokes' is nan: give a finite"),
    "level infinite": (with_attribute(requested_level=float("inf")), r"^Level of 'smokes' is inf: give a finite"),
    "level text": (with_attribute(requested_level="x"), r"^Level of 'smokes' is 'x': give a positive number"),
    "level null": (with_attribute(requested_level=None), r"^Level of 'smokes' is empty: give a positive number"),
    "level too large": (with_attribute(requested_level=1e9), r"^Level of 'smokes' is 1e\+09: above 20 nothing is protected"),
    "level of 400 digits": (with_attribute(requested_level=10**400), r"^Level of 'smokes' is .*above 20 nothing is protected"),
}


@pytest.mark.parametrize(("text", "message"), BAD_FILES.values(), ids=BAD_FILES)
def test_bad_files(text, message):
    with pytest.raises(InputError, match=message):
        Plan.from_json(text)


def test_the_unchanged_file_is_good():
    assert Plan.from_json(changed()) == Plan.from_json(with_attribute()) == Plan(SCHEMA, LEVELS, 10)
