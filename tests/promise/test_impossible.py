"""Combinations that cannot occur, in plans, projects and mechanism files: a version of their own, and nothing else changes without them."""

import json
import subprocess
import sys
from importlib.resources import files

import pytest

from rrcore.budget import Origin, Pinned, Plan, Project, Wishes
from rrcore.errors import InputError
from rrcore.promise import MechanismFile, integer_groups
from rrcore.promise.released_table import release_table
from rrcore.promise.sampler import randomise
from rrcore.promise.weights import MatrixWeights
from rrcore.table import Attribute, Dataset, Impossible, Schema
from tests.promise.test_mechanism_file import sealed

RULE = Impossible(("age", "married"), (("child", "yes"), ("child", "widowed")))
PLAIN = Schema((Attribute("age", ("child", "adult", "old"), "ordinal"), Attribute("married", ("no", "yes", "widowed"))))
RULED = Schema(PLAIN.attributes, (RULE,))
PLAN = Plan(RULED, (1.0, 1.5), 100, "pair-safe")
FILE = MechanismFile(RULED, integer_groups(PLAN.build()))
PROJECT = Project(Origin(), RULED, Wishes(100, ("age", "married"), {"age": 1.0, "married": 1.5}), Pinned().pin(PLAN))
WRITTEN = {"plan": (Plan, PLAN), "project": (Project, PROJECT), "mechanism": (MechanismFile, FILE)}


@pytest.mark.parametrize("name", WRITTEN)
def test_documents_carry_rules_(name):
    kind, value = WRITTEN[name]
    document = json.loads(value.to_json())
    assert document["impossible"] == [
        {"attributes": ["age", "married"], "combinations": [["child", "yes"], ["child", "widowed"]]}
    ]
    assert kind.from_json(value.to_json()) == value


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


HOSTILE = {
    "no list": ({"attributes": []}, "impossible"),
    "a number": ([3], "impossible[0]"),
    "no attributes": ([{"combinations": [["child", "yes"]]}], "impossible[0]"),
    "an attribute that is not asked": ([{"attributes": ["age", "x"], "combinations": [["child", "y"]]}], "'x'"),
    "one attribute": ([{"attributes": ["age"], "combinations": [["child"]]}], "impossible[0]"),
    "a category that is none": ([{"attributes": ["age", "married"], "combinations": [["child", "y"]]}], "'y'"),
    "a short combination": ([{"attributes": ["age", "married"], "combinations": [["child"]]}], "impossible[0]"),
    "a number in it": ([{"attributes": ["age", "married"], "combinations": [["child", 1]]}], "combinations[0][1]"),
    "twice": ([{"attributes": ["age", "married"], "combinations": [["child", "yes"]]}] * 2, "'married'"),
}


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize(("rules", "named"), HOSTILE.values(), ids=HOSTILE)
def test_other_rules_are_refused_by_their_place(name, rules, named):
    kind, value = WRITTEN[name]
    document = json.loads(value.to_json()) | {"impossible": rules}
    with pytest.raises(InputError) as error:
        kind.from_json(sealed(document) if name == "mechanism" else json.dumps(document))
    assert named in str(error.value)


def test_no_release_is_made_of_a_table_that_has_what_cannot_occur():
    good = Dataset(PLAIN, [[0, 0], [1, 1], [2, 2]])
    assert randomise(FILE, good).n == release_table(FILE, good).dataset.n == 3
    bad = Dataset(PLAIN, [[0, 0], [0, 1], [2, 2]])
    for make in (randomise, release_table):
        with pytest.raises(
            InputError, match=r"1 person has a combination that was declared impossible: age 'child' with married 'yes'"
        ):
            make(FILE, bad)
