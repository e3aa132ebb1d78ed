"""Combinations that cannot occur, in plans, projects and mechanism files: a version of their own, and nothing else changes without them."""

import json
import subprocess
import sys
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from rrcore import limits
from rrcore.budget import Origin, Pinned, Plan, Project, Wishes
from rrcore.errors import InputError
from rrcore.promise import MechanismFile, integer_groups
from rrcore.promise.released_table import release_table
from rrcore.promise.sampler import randomise
from rrcore.promise.weights import MatrixWeights
from rrcore.table import Attribute, Dataset, Impossible, Schema
from tests.promise.test_mechanism_file import refusal, sealed

RULE = Impossible(("age", "married"), (("child", "yes"), ("child", "widowed")))
PLAIN = Schema((Attribute("age", ("child", "adult", "old"), "ordinal"), Attribute("married", ("no", "yes", "widowed"))))
RULED = Schema(PLAIN.attributes, (RULE,))
PLAN = Plan(RULED, (1.0, 1.5), 100, "pair-safe")
FILE = MechanismFile(RULED, integer_groups(PLAN.build()))
PROJECT = Project(Origin(), RULED, Wishes(100, ("age", "married"), {"age": 1.0, "married": 1.5}), Pinned().pin(PLAN))
WRITTEN = {"plan": (Plan, PLAN), "project": (Project, PROJECT), "mechanism": (MechanismFile, FILE)}
SCHEMAS = {
    name: json.loads((files(f"rrcore.{room}") / f"{name}.schema.json").read_text("utf-8"))
    for name, room in {"plan": "budget", "project": "budget", "pinned": "budget", "mechanism": "promise"}.items()
}
REGISTRY = Registry().with_resources([(schema["$id"], Resource.from_contents(schema)) for schema in SCHEMAS.values()])


@pytest.mark.parametrize("name", WRITTEN)
def test_documents_carry_rules_(name):
    kind, value = WRITTEN[name]
    document = json.loads(value.to_json())
    assert document["impossible"] == [
        {"attributes": ["age", "married"], "combinations": [["child", "yes"], ["child", "widowed"]]}
    ]
    assert kind.from_json(value.to_json()) == value
    Draft202012Validator(SCHEMAS[name], registry=REGISTRY).validate(document)


@pytest.mark.parametrize("name", WRITTEN)
def test_schemas_have_the_limits_of_the_library(name):
    field = SCHEMAS[name]["properties"]["impossible"]
    inside = field["items"]["properties"]
    assert field["maxItems"] == limits.MAX_QUESTIONS
    assert inside["combinations"]["maxItems"] == limits.MAX_IMPOSSIBLE
    assert inside["attributes"]["maxItems"] == inside["combinations"]["items"]["maxItems"] == limits.MAX_MARGINAL


def test_the_promise_is_the_same_with_rules_and_the_fingerprint_another():
    plain = MechanismFile(PLAIN, FILE.groups)
    assert "impossible" not in plain.to_json()
    assert plain.certificate == FILE.certificate
    assert plain.sha256 != FILE.sha256


def test_pinned_plans_keep_rules():
    assert Pinned.from_json(PROJECT.pins.to_json()).pins[0].plan.schema == RULED


def test_reports_of_their_own_and_rules_go_together():
    reported = Schema((Attribute("age", ("black", "white", "red")), PLAIN.attributes[1]))
    matrix = MatrixWeights(((8, 1, 1), (1, 8, 1), (1, 1, 8)))
    file = MechanismFile(RULED, (((0,), matrix), ((1,), matrix)), reports=reported)
    assert MechanismFile.from_json(file.to_json()) == file


def test_the_checker_that_is_handed_out_reads_it(tmp_path):
    (tmp_path / "mechanism.json").write_text(FILE.to_json(), "utf-8")
    checker = files("rrcore.promise") / "check.py"
    done = subprocess.run([sys.executable, str(checker), str(tmp_path / "mechanism.json")], capture_output=True, text=True)
    assert (done.returncode, "all that it promises is kept" in done.stdout) == (0, True)


HOSTILE = [
    ("a list of its own", [], "impossible is an empty list"),
    ("no list", {"attributes": []}, "impossible is a set of named fields"),
    ("a number", [3], "impossible[0] is 3"),
    ("no attributes", [{"combinations": [["child", "yes"]]}], "impossible[0] lacks the field 'attributes'"),
    (
        "an attribute that is not asked",
        [{"attributes": ["age", "x"], "combinations": [["child", "y"]]}],
        "There is no attribute 'x'",
    ),
    ("one attribute", [{"attributes": ["age"], "combinations": [["child"]]}], "name 2 to 8 different ones"),
    ("a category that is none", [{"attributes": ["age", "married"], "combinations": [["child", "y"]]}], "the category 'y'"),
    ("a short combination", [{"attributes": ["age", "married"], "combinations": [["child"]]}], "has 1 categories"),
    ("a number in it", [{"attributes": ["age", "married"], "combinations": [["child", 1]]}], "combinations[0][1] is 1"),
    ("twice", [{"attributes": ["age", "married"], "combinations": [["child", "yes"]]}] * 2, "Two lists say"),
]


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize(("rules", "sentence"), [each[1:] for each in HOSTILE], ids=[each[0] for each in HOSTILE])
def test_other_rules_are_refused_in_a_sentence(name, rules, sentence):
    kind, value = WRITTEN[name]
    document = json.loads(value.to_json()) | {"impossible": rules}
    if name == "mechanism":
        assert sentence in refusal(sealed(document))
        return
    with pytest.raises(InputError) as error:
        kind.from_json(json.dumps(document))
    assert sentence in str(error.value)


def test_no_release_is_made_of_a_table_that_has_what_cannot_occur():
    good = Dataset(PLAIN, [[0, 0], [1, 1], [2, 2]])
    assert randomise(FILE, good).n == release_table(FILE, good).dataset.n == 3
    bad = Dataset(PLAIN, [[0, 0], [0, 1], [2, 2]])
    for make in (randomise, release_table):
        with pytest.raises(
            InputError, match=r"1 person has a combination that was declared impossible: age 'child' with married 'yes'"
        ):
            make(FILE, bad)
