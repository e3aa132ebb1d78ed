"""A control item in plans, projects and mechanism files: a version of their own, and nothing else changes without it."""

import json
import subprocess
import sys
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from rrcore.budget import Origin, Pinned, Plan, Project, Wishes
from rrcore.errors import InputError
from rrcore.promise import MechanismFile, MechanismGroups, integer_groups
from rrcore.promise.sampler import randomise
from rrcore.table import Attribute, Control, Dataset, Impossible, Schema, invented_answers
from tests.promise.test_impossible import REGISTRY, SCHEMAS
from tests.promise.test_mechanism_file import refusal, sealed

BORN = Control("born", "yes")
PLAIN = Schema((Attribute("smokes", ("no", "yes")), Attribute("born", ("no", "yes"))))
ASKED = Schema(PLAIN.attributes, control=BORN)
PLAN = Plan(ASKED, (1.0, 1.5), 100, "pair-safe")
FILE = MechanismFile(ASKED, integer_groups(PLAN.build()))
PROJECT = Project(Origin(), ASKED, Wishes(100, PLAIN.names, {"smokes": 1.0, "born": 1.5}), Pinned().pin(PLAN))
WRITTEN = {"plan": (Plan, PLAN), "project": (Project, PROJECT), "mechanism": (MechanismFile, FILE)}


@pytest.mark.parametrize("name", WRITTEN)
def test_documents_carry_it_in_a_version_of_their_own(name):
    kind, value = WRITTEN[name]
    document = json.loads(value.to_json())
    assert document["control"] == {"attribute": "born", "answer": "yes"}
    assert kind.from_json(value.to_json()) == value
    Draft202012Validator(SCHEMAS[name], registry=REGISTRY).validate(document)


def test_it_stands_beside_what_cannot_occur():
    rule = Impossible(("smokes", "born"), (("yes", "no"),))
    both = replace(PLAN, schema=Schema(PLAIN.attributes, (rule,), BORN))
    assert Plan.from_json(both.to_json()) == both
    file = MechanismFile.from_plan(both)
    assert MechanismFile.from_json(file.to_json()) == file
    Draft202012Validator(SCHEMAS["mechanism"]).validate(json.loads(file.to_json()))
    assert file.schema.select(["smokes"]).declared == ((), None)
    assert Schema(PLAIN.attributes).keeping(*file.schema.declared) == file.schema


def test_the_promise_is_the_same_and_the_fingerprint_another():
    plain = MechanismFile(PLAIN, FILE.groups)
    assert "control" not in plain.to_json()
    assert plain.certificate == FILE.certificate
    assert plain.sha256 != FILE.sha256


@pytest.mark.parametrize(
    ("control", "said"),
    [
        ({"attribute": "born", "answer": "maybe"}, "has no answer 'maybe'"),
        ({"attribute": "born"}, "answer"),
        ({"attribute": "died", "answer": "yes"}, "There is no attribute 'died'"),
        ({"attribute": "born", "answer": "yes", "half": 1}, "half"),
        ([], "control"),
    ],
)
def test_what_is_none_is_refused(control, said):
    document = json.loads(FILE.to_json()) | {"control": control}
    assert said in refusal(sealed(document))
    with pytest.raises(InputError, match=said):
        Plan.from_json(json.dumps(json.loads(PLAN.to_json()) | {"control": control}))


def test_the_checker_that_is_handed_out_reads_it(tmp_path):
    (tmp_path / "mechanism.json").write_text(FILE.to_json(), "utf-8")
    checker = files("rrcore.promise") / "check.py"
    done = subprocess.run([sys.executable, str(checker), str(tmp_path / "mechanism.json")], capture_output=True, text=True)
    assert (done.returncode, "all that it promises is kept" in done.stdout) == (0, True)


def test_people_who_gave_another_answer_are_counted_and_randomised_like_the_others():
    people = Dataset(PLAIN, [[0, 1], [1, 0], [0, 1]]).declaring((), BORN)
    assert people.schema == ASKED
    assert people.schema.other_than_known(people.codes) == 1
    assert PLAIN.other_than_known(people.codes) == 0
    assert randomise(FILE, people).n == 3


def test_invented_people_give_the_known_answer():
    assert ASKED.other_than_known(invented_answers(ASKED, 50, rng=np.random.default_rng(0)).codes) == 0


def test_groups_may_know_different_answers_and_nothing_else_different():
    other = replace(FILE, schema=Schema(PLAIN.attributes, control=Control("born", "no")))
    assert MechanismGroups({"one": FILE, "two": other}).schema.control == BORN
    without = MechanismFile(PLAIN, FILE.groups)
    with pytest.raises(InputError, match="ask about different attributes"):
        MechanismGroups({"one": FILE, "two": without})


@pytest.mark.parametrize("text", ["born", "=yes", "born=", ""])
def test_a_control_item_in_one_text_is_an_attribute_and_an_answer(text):
    with pytest.raises(InputError, match="write its attribute and the answer that is known"):
        Control.read(text)
    assert Control.read(" born = yes ") == BORN
