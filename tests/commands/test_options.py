"""Options mean one thing, may be misspelt, and stand anywhere; exit codes are those that the reference lists."""

import argparse
import json
import re
from collections import defaultdict
from pathlib import Path

import pytest

from rrcore.__main__ import COMMANDS, _parser
from rrcore.answers import nigeria
from rrcore.commands.exits import EXITS, OK, REFUSED
from rrcore.estimate import normal_point
from tests.commands.terminal import parser_of, run

REFERENCE = (Path(__file__).parents[2] / "docs/reference/commands.md").read_text(encoding="utf-8")
ALL = {name: parser_of(name) for name in COMMANDS}


OTHERWISE = {
    "--question": "what people are asked, as learn and poll call it, and sets of attributes that plan is to answer",
}
"""Options that take different things in different commands, and why. Let none be added."""


def takes(action):
    called = re.sub(r"_OR_URL|(?<=FILE)S$", "", str(action.metavar or ""))
    return called or ("choices" if action.choices else "flag" if action.nargs == 0 else "text")


def test_an_option_takes_the_same_thing_in_every_command():
    found = defaultdict(dict)
    for name, parser in ALL.items():
        for action in parser._actions:
            for option in action.option_strings:
                if action.help != argparse.SUPPRESS:
                    found[option].setdefault(takes(action), []).append(name)
    assert {option for option, ways in found.items() if len(ways) > 1} == set(OTHERWISE)
    assert {"--mechanism", "--address", "--categories", "--eps", "--weights", "--question"} <= set(found)


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        ("read --mechanism a.json --in a.csv --by town --by sex", "--by"),
        ("read --mechanism a.json --in a.csv --by town --marginal a --by=town", "--by"),
        ("read --mechanism a.json --in a.csv --in b.csv", "--in"),
        ("plan --sizes 2,2 --eps 1 --ep 2", "--eps"),
        ("plan --sizes 2,2 --eps 1 --method kronecker --method optimal", "--method"),
        ("plan --sizes 2,2 --eps 1 --workers 1 --workers 2", "--workers"),
    ],
)
def test_an_option_that_takes_one_value_is_given_once(capsys, arguments, option):
    code, out, err = run(capsys, *arguments.split())
    assert (code, out) == (REFUSED, "")
    assert f"argument {option}: it is given twice, and holds once" in err
    assert len(err.strip().splitlines()) == 1


def test_workers_stand_before_or_after_the_command(capsys):
    describe = ("describe", "--in", "demo:titanic")
    plain = run(capsys, *describe)
    assert run(capsys, "--workers", "1", *describe) == plain
    assert run(capsys, *describe, "--workers", "1") == plain
    code, _, err = run(capsys, "designs", "--workers", "2")
    assert (code, "'designs' does all of its work itself" in err) == (2, True)
    assert _parser(["describe"]).parse_args([*describe, "--workers", "3"]).workers == 3
    assert _parser(["describe"]).parse_args(["--workers", "2", *describe]).workers == 2


def rows():
    """Command -> (kind of its result, exit codes) of the table of the reference."""
    table = re.findall(r"^\| \[`(\w+)`\]\(#\w+\) \| [^|]+ \| ([^|]*) \| ([\d, ]+) \|$", REFERENCE, re.MULTILINE)
    return {name: (kind.strip().strip("`"), {int(code) for code in codes.split(",")}) for name, kind, codes in table}


def test_the_reference_lists_every_command_with_its_result_and_its_exit_codes():
    assert list(rows()) == list(COMMANDS)
    for name, (kind, codes) in rows().items():
        assert codes == {OK, REFUSED, *(ALL[name].get_default("ends") or ())}, name
        assert kind == (name if ALL[name].get_default("tell") else "none"), name
        assert f"rrcore {name}" in ALL[name].format_help()


def test_the_reference_says_what_every_exit_code_means():
    told = dict(re.findall(r"^\| (\d+) \| (.+) \|$", REFERENCE, re.MULTILINE))
    assert {int(code): meaning for code, meaning in told.items()} == {
        code: text.replace("|", r"\|") for code, text in EXITS.items()
    }


def test_every_result_says_what_it_is(capsys):
    found = json.loads(run(capsys, "describe", "--in", "demo:titanic", "--json")[1])
    assert (found["kind"], found["version"]) == ("describe", 1)


def test_intervals_have_the_confidence_that_is_asked_for(capsys):
    ask = ("simulate", "--in", "demo:titanic", "--attributes", "Sex", "--eps", "1", "--marginal", "Sex")
    told = {confidence: run(capsys, *ask, "--confidence", confidence)[1] for confidence in ("0.95", "95%", "0.5")}
    assert told["0.95"] == told["95%"] == run(capsys, *ask)[1] != told["0.5"]
    code, _, err = run(capsys, *ask, "--confidence", "95")
    assert (code, "give a share between 0 and 1, for example 0.9, or 90%" in err) == (2, True)


def test_shares_are_read_with_the_confidence_that_is_asked_for(tmp_path, capsys):
    survey = nigeria()
    survey.mechanism.save(tmp_path / "m.json")
    (tmp_path / "a.csv").write_text(survey.dataset.to_csv(), encoding="utf-8")
    ask = ("read", "--mechanism", tmp_path / "m.json", "--in", tmp_path / "a.csv")
    found = json.loads(run(capsys, *ask, "--confidence", "80%", "--json")[1])
    cells, estimate = found["marginals"][0]["cells"], survey.estimate(survey.schema.names)
    for kind, own in (("", estimate), ("shrinkage ", estimate.closest())):
        low, high = own.interval(0.8, population=True)
        assert (cells[f"{kind}low"], cells[f"{kind}high"]) == (low.tolist(), high.tolist())
    code, _, err = run(capsys, *ask, "--confidence", "80%", "--pairs")
    assert (code, "What --pairs adds has 95 % intervals" in err) == (2, True)


NARROWER = normal_point(0.8) / normal_point(0.95)


def test_plans_reach_the_confidence_that_is_asked_for(capsys):
    ask = ("plan", "--sizes", "2,2", "--eps", "2", "--question", "1,2", "--json")
    found, usual = (json.loads(run(capsys, *ask, *more, "--people", "900")[1])["wanted"] for more in (("--confidence", ".8"), ()))
    assert (found["confidence"], usual["confidence"]) == (0.8, 0.95)
    assert found["precision_points"] == pytest.approx(NARROWER * usual["precision_points"], rel=1e-9)
    assert "with 80 % intervals" in found["assumption"]
    assert "interval" not in usual["assumption"]
    few, many = (
        json.loads(run(capsys, *ask, *more, "--precision", "2")[1])["wanted"]["people"] for more in (("--confidence", ".8"), ())
    )
    assert few == pytest.approx(NARROWER**2 * many, abs=1)


def test_keys_and_values_have_the_confidence_that_is_asked_for(capsys):
    ask = ("keyvalue", "--users", "20000", "--key-count", "1", "--eps", "2")
    narrow, usual = (run(capsys, *ask, *more)[1] for more in (("--confidence", ".8"), ()))
    assert ("80 % intervals" in narrow, "95 % intervals" in usual) == (True, True)
    half, whole = (float(re.search(r"± ([\d.]+)", text)[1]) for text in (narrow, usual))
    assert half == pytest.approx(NARROWER * whole, rel=0.1)
