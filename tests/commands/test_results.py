"""What --json prints of every command is what the schema of results says."""

import json

import jsonschema
import msgspec
import pytest

from rrcore.__main__ import COMMANDS as ALL
from rrcore.__main__ import main
from rrcore.commands.results import RESULT_VERSION, result_schema, result_type
from tests.commands.test_output import COMMANDS, files, nobody_is_served, words

__all__ = ["files", "nobody_is_served"]  # fixtures

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


@pytest.mark.parametrize("name", [name for name in ALL if name not in SERVING])
def test_every_command_has_a_schema(name):
    schema = result_schema(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$defs"][name]["properties"]["kind"] == {"enum": [name]}
    assert schema["$defs"][name]["properties"]["version"] == {"enum": [RESULT_VERSION]}


@pytest.mark.parametrize(
    ("name", "command"), [(name, each) for name in COMMANDS for each in (COMMANDS[name], *MORE.get(name, ()))]
)
def test_a_result_has_the_fields_of_its_struct(name, command, files, capsys):
    if name in SERVING:
        return
    main([word.replace("%", " ") for word in words(command.replace("--out -", "--out {new}"), files, "--json")])
    result = json.loads(capsys.readouterr().out)
    assert msgspec.convert(result, result_type(name)).kind == name
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(result | {"version": 0}, result_type(name))
