"""Options with values that nobody can mean: no traceback, and exit code 2 with one sentence, or a result without a number that is none."""

import re

import pytest

from rrcore.answers import nigeria
from rrcore.table import Dataset
from tests.commands.terminal import parser_of, run

SENSELESS = ("nan", "-1", "2.5", "")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("survey")
    survey = nigeria()
    (place / "survey.json").write_text(survey.mechanism.to_json(), encoding="utf-8")
    some = Dataset(survey.held.dataset.schema, survey.held.dataset.codes[:200])
    (place / "answers.csv").write_text(some.to_csv(), encoding="utf-8")
    return place


COMMANDS = {
    "plan": "--sizes 2,2 --eps 1,1 --people 1800",
    "designs": "crosswise --numbers 1/4 --people 1000",
    "keyvalue": "--users 500 --key-count 2 --eps 2",
    "certify": "--mechanism survey.json --people 1000",
    "read": "--mechanism survey.json --in answers.csv",
    "audit": "--mechanism survey.json --runs 200",
}


@pytest.mark.long
@pytest.mark.parametrize("command", COMMANDS)
def test_no_option_ends_in_a_traceback_or_in_a_number_that_is_none(command, folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setattr("rrcore.executors._SECONDS", 0.1)  # that are waited for each cluster that is none
    words = COMMANDS[command].split()
    assert run(capsys, command, *words)[0] == 0
    for action in parser_of(command)._actions:
        if not action.option_strings or action.nargs == 0 or action.dest in ("help", "out", "report", "csv"):
            continue
        option = max(action.option_strings, key=len)
        place = words.index(option) if option in words else len(words)
        for senseless in SENSELESS:
            code, out, err = run(capsys, command, *words[:place], *words[place + 2 :], f"{option}={senseless}")
            assert code == 2 or not re.search(r"(?<![\w'])(nan|inf)(?![\w'])", out), (option, senseless)
            assert code in (0, 2), (option, senseless)
            assert code == 0 or (out == "" and err.strip().endswith(".") and "Traceback" not in err), (option, senseless)
