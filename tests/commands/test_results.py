"""What --json prints of every command is what the schema of results says."""

import json
from importlib.resources import files as resources

import jsonschema
import pytest

from rrcore.__main__ import COMMANDS as ALL
from rrcore.__main__ import RESULT_VERSION, main
from tests.commands.test_output import COMMANDS, files, nobody_is_served, words

__all__ = ["files", "nobody_is_served"]  # fixtures

SCHEMA = json.loads((resources("rrcore.commands") / "results.schema.json").read_text("utf-8"))
SERVING = {"serve", "app"}
MORE = {
    "plan": [
        "plan --sizes 4,3,2 --names a,b,c --total 4 --workload a,b;a,c",
        "plan --sizes 2,2 --eps 2 --question 1,2 --precision 2 --out {new}",
        "plan --in demo:titanic --eps 2 --question Survived --within Sex",
        "plan --sizes 2,2 --eps 1 --people 900 --precision 9 --safe-frontier",
    ],
    "simulate": ["simulate --in demo:titanic --attributes Sex,Age,Survived --eps .5 --method optimal --marginal Sex,Age"],
    "lopub": ["lopub --in demo:titanic --eps 2 --source truth"],
    "keyvalue": ["keyvalue --key-count 3 --users 900 --eps 4 --ask key%1 --having key%2"],
    "compare": ["compare --in demo:titanic --eps 2 --within Sex --schemes pair-safe --repeats 1"],
    "designs": ["designs crosswise --numbers 1/4 --people 1000", "designs"],
    "certify": ["certify --mechanism {mechanism} --people 1000"],
    "collect": ["collect --mechanism {one} --in {grouped} --out {new} --known town"],
    "read": [
        "read --mechanism {mechanism} --in {table} --pairs --marginal Gefühl,b",
        "read --mechanism {one} --in {grouped} --by town",
    ],
    "audit": ["audit --mechanism {mechanism} --answers {table}"],
    "check": ["check --mechanism {mechanism}"],
    "ledger": ["ledger --db {new}.ledger create", "ledger --db {ledger} plan --mechanism {mechanism} --population p"],
    "papers": ["papers run multidimensional-proposition-1 --fast"],
}
"""Further ways to ask a command, which give other fields."""


def test_the_schema_has_every_command_and_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert set(SCHEMA["$defs"]) == set(ALL) - SERVING
    for kind, own in SCHEMA["$defs"].items():
        assert own["properties"]["kind"] == {"const": kind}
        assert own["properties"]["version"] == {"const": RESULT_VERSION}
        assert own["title"] == ALL[kind][1]


@pytest.mark.parametrize(
    ("name", "command"), [(name, each) for name in COMMANDS for each in (COMMANDS[name], *MORE.get(name, ()))]
)
def test_a_result_is_as_the_schema_says(name, command, files, capsys):
    if name in SERVING:
        return
    main([word.replace("%", " ") for word in words(command.replace("--out -", "--out {new}"), files, "--json")])
    result = json.loads(capsys.readouterr().out)
    schema = jsonschema.Draft202012Validator(SCHEMA["$defs"][name])
    schema.validate(result)
    assert not schema.is_valid(result | {"version": 0})
