"""The project file: everything chosen and no answers, written and read back, refused in one sentence where something is wrong."""

import copy
import json
import math

import pytest

from rrcore.budget import Draft, Origin, Pinned, Plan, Project
from rrcore.budget.project import Invention
from rrcore.errors import InputError
from rrcore.table import Attribute, ColumnRule, Schema, load_demo

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
            "имя": ColumnRule(kind="ordinal", edges=(0.5, 18.0), categories=("a", "b", "c")),
            "person": ColumnRule(use=False),
        },
    ),
    SCHEMA,
    Draft(
        n=1234,
        chosen=("имя", '=q "1"'),
        epsilon={'=q "1"': 1.5, "имя": 0.1, "x": 2.0},
        entry="questions",
        mechanism="workload",
        width=2,
        total=3.5,
        weights={"имя": 2.0},
        questions=(("имя", '=q "1"'), ("имя",)),
        floor=0.9,
        floor_marginals=(("имя", '=q "1"'),),
        slacks={"имя": 0.25},
        marginal=("имя",),
        seed=7,
        population=False,
        wording={"имя": "How old are you?"},
    ),
    Pinned().pin(Plan(SCHEMA, (1.0, 1.0, 1.0), 10, "independent"), "first"),
)
TITANIC = load_demo("titanic").schema
DEMO = Project(Origin("demo", "Titanic", "titanic"), TITANIC, Draft(2201, TITANIC.names, dict.fromkeys(TITANIC.names, 2.0)))
INVENTED = Project(Origin("synthetic", "Invented", invention=Invention(people=50)), SCHEMA, FULL.draft)
PROJECTS = {"upload": FULL, "demo": DEMO, "invented": INVENTED, "declared": Project(Origin(), SCHEMA, FULL.draft)}


@pytest.mark.parametrize("project", PROJECTS.values(), ids=PROJECTS)
def test_what_is_written_is_read_back(project):
    written = project.to_json()
    assert Project.from_json(written) == project
    assert Project.from_json(written.encode()).to_json() == written


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
    (("format",), "rr-workbench plan", "format: expected"),
    (("version",), 2, "version: expected 1, got 2"),
    (("version",), True, "version: expected 1, got true"),
    (("table",), None, "'table' is missing"),
    (("table",), [], "table: expected a set of named fields"),
    (("table", "source"), "elsewhere", "table.source: expected 'declare' or 'demo'"),
    (("table", "source"), "demo", "no demo ''"),
    (("table", "source"), "synthetic", "invented table"),
    (("table", "rules"), {"x": {"use": "yes"}}, "expected true or false"),
    (("attributes",), [], "No attribute"),
    (("attributes", 0, "name"), "имя", "Two attributes"),
    (("plan", "chosen"), [], "no attribute"),
    (("plan", "chosen"), ["nobody"], "no attribute 'nobody'"),
    (("plan", "chosen"), "имя", "plan.chosen: expected a list"),
    (("plan", "epsilon", "имя"), None, "no ε for 'имя'"),
    (("plan", "epsilon", "имя"), 900.0, "The epsilon of 'имя'"),
    (("plan", "epsilon", "x"), -1, "plan.epsilon"),
    (("plan", "epsilon", "x"), True, "plan.epsilon"),
    (("plan", "mechanism"), "best", "no mechanism 'best'"),
    (("plan", "total"), 61, "plan.total: expected a number at most 60.0, got 61"),
    (("plan", "weights"), {"x": 0}, "weight of 'x'"),
    (("plan", "weights"), {"x": 10**400}, "plan.weights"),
    (("plan", "seed"), 2**53, "plan.seed"),
    (("plan", "mechanism"), "preserving-9999", "no mechanism 'preserving-9999'"),
    (("plan", "chosen"), ["y" * 10**6], "no attribute 'yyy"),
    (("plan", "floor"), "high", "plan.floor: expected a number or null"),
    (("plan", "slacks"), {"x": -0.5}, "slack"),
    (("plan", "n"), 2.5, "plan.n: expected a whole number, got 2.5"),
    (("plan", "n"), 0, "plan.n: expected a whole number at least 1, got 0"),
    (("plan", "population"), 0, "plan.population"),
    (("plan", "seed"), -1, "plan.seed"),
    (("plan", "n"), None, "'n' is missing"),
    (("plan", "wording"), {"x": "y" * 20_001}, "plan.wording['x']: expected text of length at most 20000"),
    (("pinned",), {"format": "x"}, "pinned.format"),
]


@pytest.mark.parametrize(("path", "value", "fragment"), WRONG)
def test_what_is_wrong_is_refused_in_one_sentence(path, value, fragment):
    with pytest.raises(InputError) as caught:
        Project.from_json(json.dumps(changed(path, value)))
    assert fragment in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "name,age\nx,1\n", '{"a": NaN}', b"\xff\xfe", '"\\ud800"', "[" * 100_000])
def test_what_is_not_json_text_is_refused(text):
    with pytest.raises(InputError, match="project file"):
        Project.from_json(text)


@pytest.mark.parametrize("path", [(), ("table",), ("plan",), ("table", "rules", "person")], ids=str)
def test_unknown_fields_are_refused(path):
    document = place = json.loads(FULL.to_json())
    for key in path:
        place = place[key]
    place["of a later program"] = {"x": math.pi}
    with pytest.raises(InputError, match="of a later program"):
        Project.from_json(json.dumps(document))


def test_an_upload_is_known_again_by_the_columns_that_are_used():
    rules = {**{name: FULL.origin.rules[name] for name in ('=q "1"', "имя")}, "other": ColumnRule(use=False)}
    assert FULL.origin.rules_for(('=q "1"', "имя", "other")) == rules
    assert FULL.origin.rules_for(("имя", "other")) is None
