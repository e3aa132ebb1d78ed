"""One file of every format, as this version writes it: it is read, and written again as it was."""

import json
from pathlib import Path

import pytest

from rrcore.answers import read_answers
from rrcore.asking import SurveyFile
from rrcore.budget import Pinned, Plan, Project
from rrcore.errors import InputError
from rrcore.promise import MechanismFile

FILES = Path(__file__).with_name("files")
KINDS = {"mechanism": MechanismFile, "pinned": Pinned, "plan": Plan, "project": Project, "survey": SurveyFile}


def text(name):
    return (FILES / name).read_bytes().decode("utf-8")


@pytest.mark.parametrize("name", [name for name in KINDS if name != "plan"])
def test_a_document_is_written_again_as_it_was(name):
    assert KINDS[name].from_json(text(f"{name}.json")).to_json() == text(f"{name}.json")


def test_a_plan_is_written_again_up_to_what_the_solver_finds():
    plan = Plan.from_json(text("plan.json"))
    assert Plan.from_json(plan.to_json()) == plan
    written, before = json.loads(plan.to_json()), json.loads(text("plan.json"))
    assert written.pop("epsilon_total") == pytest.approx(before.pop("epsilon_total"), abs=1e-7)
    assert {**written, "attributes": 0, "lower_bound": 0} == {**before, "attributes": 0, "lower_bound": 0}


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("version", [0, 2, True, None])
def test_other_versions_are_refused(name, version):
    document = json.loads(text(f"{name}.json")) | {"version": version}
    with pytest.raises(InputError, match="version"):
        KINDS[name].from_json(json.dumps(document))


def test_the_fingerprint_of_a_mechanism_file():
    assert MechanismFile.from_json(text("mechanism.json")).sha256.startswith("286e1057ca5a")


def test_answers_of_forms_and_of_tables():
    file = MechanismFile.from_json(text("mechanism.json"))
    lines = read_answers([((FILES / "answers.jsonl").read_bytes(), "answers.jsonl")], file)
    assert lines.n == len(text("answers.jsonl").splitlines())
    table = read_answers([((FILES / "collected.csv").read_bytes(), "collected.csv")], file)
    assert table.dataset.to_csv() == text("collected.csv")
