"""The JSON Schema of the mechanism file says what the code writes and what it reads."""

import copy
import json
from functools import cache
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator

from rrcore import limits
from rrcore.budget import Plan, Questions
from rrcore.designs import DESIGNS, read_design
from rrcore.mechanisms import MECHANISMS, Safeguards
from rrcore.promise.integers import integer_groups
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.schema import Attribute, Schema
from tests.budget.test_plan_schema import undescribed
from tests.promise.designs_zoo import ZOO, file_of
from tests.promise.test_mechanism_file import nodes, refusal, sealed

SCHEMA = json.loads((files("rrcore.promise") / "mechanism.schema.json").read_text("utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
ASKED = Schema(
    (Attribute("age", ("young", "middle", "old"), "ordinal"), Attribute("smokes", ("no", "yes")), Attribute("é", ("a", "b")))
)


PLANNED = {mechanism: {"mechanism": mechanism} for mechanism in MECHANISMS} | {
    "floors": {"mechanism": "safeguarded", "safeguards": Safeguards(1.0, ((0, 1, 2),))},
    "caps": {"mechanism": "safeguarded", "safeguards": Safeguards(slacks=(0.2, float("inf"), 0.4))},
    "questions": {"mechanism": "design", "questions": Questions(3.0, ((0, 1), (2,)))},
}
NAMES = list(dict.fromkeys([*ZOO, *(f"design {key}" for key in DESIGNS), *PLANNED]))


@cache
def groups_of(name):
    """What one of ``NAMES`` is made of; found when a test asks, not already where tests are only collected."""
    if name in PLANNED:
        return integer_groups(Plan(ASKED, (1.0, 1.1, 0.9), 100, **PLANNED[name]).build())
    if name in ZOO:
        return ZOO[name]
    key = name.removeprefix("design ")
    return (((0,), read_design("q0", key, 2, DESIGNS[key].example)),)


@cache
def written(name):
    """The document of one of ``NAMES``."""
    return json.loads(file_of(groups_of(name), made_by="Büro", note="first").to_json())


def test_schema_is_valid_and_describes_every_field():
    Draft202012Validator.check_schema(SCHEMA)
    assert list(undescribed(SCHEMA)) == []


def test_schema_has_the_limits_of_the_library():
    fields, kinds = SCHEMA["properties"], SCHEMA["$defs"]
    attribute = fields["attributes"]["items"]["properties"]
    assert fields["note"]["maxLength"] == fields["made_by"]["maxLength"] == attribute["name"]["maxLength"] == limits.MAX_TEXT
    assert fields["attributes"]["maxItems"] == limits.MAX_COLUMNS
    assert fields["randomization"]["maxItems"] == kinds["names"]["maxItems"] == limits.MAX_COLUMNS
    assert fields["claim"]["properties"]["attributes"]["maxItems"] == limits.MAX_COLUMNS
    assert kinds["counts"]["properties"]["records"]["maxItems"] == limits.MAX_FILE_COUNTS
    assert kinds["counts"]["properties"]["records"]["items"]["maxLength"] == len(str(1 << limits.MAX_RECORD_BITS))
    assert attribute["categories"]["maxItems"] == limits.MAX_CATEGORIES
    assert kinds["lies"]["properties"]["lies"]["maxProperties"] == limits.MAX_FILE_SETS
    assert kinds["matrix"]["properties"]["matrix"]["maxItems"] == limits.MAX_MATRIX_CATEGORIES
    assert kinds["weight"]["maxLength"] == len(str(1 << limits.MAX_WEIGHT_BITS))


@pytest.mark.parametrize("name", NAMES)
def test_every_file_that_is_written_is_valid(name):
    VALIDATOR.validate(written(name))


def refused(document):
    """Whether reader and schema refuse a document that carries its fitting fingerprint."""
    text = sealed(document) if "sha256" in document else json.dumps(document)
    return refusal(text) is not None, not VALIDATOR.is_valid(json.loads(text))


def changed(name, change):
    """The file, and a copy of it to which ``change`` was done at every path of a field or entry."""
    for path in nodes(written(name)):
        if path and path != ("sha256",):
            document = copy.deepcopy(written(name))
            parent = document
            for key in path[:-1]:
                parent = parent[key]
            if change(parent, path[-1]):
                yield path, document


FEW = ["forced", "coupled", "unbounded", "two-groups", "counted"]


JUNK = [None, True, 3, 2.5, "", "-1", "x\n", [], [[]], {}]


@pytest.mark.parametrize(  # each value in three of the five files, each file with six values
    ("junk", "name"), [(junk, FEW[(i + j) % 5]) for i, junk in enumerate(JUNK) for j in range(3)], ids=lambda one: repr(one)[:12]
)
def test_a_value_of_another_kind_is_refused_by_schema_and_reader_alike(junk, name):
    def replace(parent, key):
        accepted = key in ("made_by", "note", "attribute") or (isinstance(key, int) and isinstance(parent[key], str))
        another_number = junk == 3 and isinstance(key, int) and type(parent[key]) is int
        if (isinstance(junk, str) and (accepted or key == "name")) or (junk == {} and key == "lies") or another_number:
            return False  # another text, no lie set, or a kind of another number of attributes is fine for a schema
        parent[key] = junk
        return True

    for path, document in changed(name, replace):
        assert refused(document) == (True, True), path


@pytest.mark.parametrize("name", FEW)
def test_no_field_may_go_or_come(name):
    def remove(parent, key):
        fits = isinstance(parent, dict) and not set(parent) & {"00", "01", "10", "11"}
        if fits:
            del parent[key]
        return fits

    def add(parent, key):
        if isinstance(parent[key], dict):
            parent[key]["extra"] = "1"
        return isinstance(parent[key], dict)

    for change in (remove, add):
        for path, document in changed(name, change):
            assert refused(document) == (True, True), path


def test_no_field_is_missing_or_wrong_at_the_fingerprint():
    for wrong in (None, "", "0" * 63, "g" * 64, "0" * 65):
        document = written("coupled") | {"sha256": wrong}
        assert refusal(json.dumps(document)) is not None
        assert not VALIDATOR.is_valid(document)
    assert refused({key: value for key, value in written("coupled").items() if key != "sha256"}) == (True, True)


def group(**changes):
    return lambda document: document["randomization"][0].update(changes)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("coupled", lambda d: d.update(format="rr-workbench plan")),
        ("coupled", lambda d: d.update(version=2)),
        ("coupled", lambda d: d.update(version=3)),
        ("coupled", lambda d: d.update(note="x" * 501)),
        ("coupled", lambda d: d.update(randomization=[])),
        ("coupled", group(uniform="05")),
        ("coupled", group(uniform="1e3")),
        ("coupled", group(uniform="9" * 50)),
        ("coupled", group(lies={"00": "0"})),
        ("coupled", group(lies={"02": "1"})),
        ("coupled", group(lies=[["00", "1"]])),
        ("coupled", group(attributes=[])),
        ("coupled", group(attributes=["q0", "q0"])),
        ("coupled", group(matrix=[["1", "0"], ["0", "1"]])),
        ("coupled", lambda d: d["attributes"][0].update(categories=["one"])),
        ("coupled", lambda d: d["attributes"][0].update(categories=["one", "one"])),
        ("coupled", lambda d: d["attributes"][0].update(name="  ")),
        ("coupled", lambda d: d["claim"]["total"].update(nats="1.5")),
        ("coupled", lambda d: d["claim"]["total"].update(ratio="0/1")),
        ("coupled", lambda d: d["claim"]["total"].update(ratio="without bound")),
        ("counted", group(kinds=[])),
        ("counted", group(kinds=[2, 0])),
        ("counted", group(kinds=["2", "1"])),
        ("counted", group(kinds=[True, 2])),
        ("counted", group(kinds=[2.5, 1])),
        ("counted", group(records=[])),
        ("counted", group(records=["1", "1", "1", "1", "1", 1])),
        ("counted", group(records=["9" * 310] * 6)),
        ("counted", group(uniform="1")),
        ("forced", group(lies={})),
        ("forced", group(matrix=[["1"]])),
        ("forced", group(matrix=[["5", 1], ["1", "5"]])),
        ("forced", group(matrix=[["1"] * 101] * 101)),
    ],
)
def test_wrong_files_are_refused_by_schema_and_reader_alike(name, change):
    document = copy.deepcopy(written(name))
    assert refused(document) == (False, False)
    change(document)
    assert refused(document) == (True, True)


def test_a_group_with_a_matrix_has_one_attribute():
    document = copy.deepcopy(written("two-groups"))
    matrix = next(entry for entry in document["randomization"] if "matrix" in entry)
    matrix["attributes"].append("q1")
    assert refused(document) == (True, True)


def test_reading_refuses_what_no_schema_can_say():
    for change in (
        lambda d: d["randomization"][0]["lies"].update({"00": "21"}),  # another claim
        lambda d: d["randomization"][0]["lies"].update({"0": "1"}),
        lambda d: d["randomization"].append(d["randomization"][0]),
        lambda d: d["attributes"].pop(),
    ):
        document = copy.deepcopy(written("coupled"))
        change(document)
        assert refused(document) == (True, False)
    assert MechanismFile.from_json(sealed(written("coupled"))).sha256 == written("coupled")["sha256"]
