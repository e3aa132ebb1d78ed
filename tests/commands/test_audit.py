"""The audit on the command line."""

import json
import sys
from shlex import join

import numpy as np
import pytest

from rrcore.table.dataset import Dataset
from tests.audit import zoo
from tests.commands import terminal

FILE = zoo.FILES["pram beside a coupling"]


@pytest.fixture(autouse=True)
def _no_false_alarms(monkeypatch):
    """Accuse correct mechanisms once in a million audits instead of once in a thousand."""
    monkeypatch.setattr("rrcore.audit.audit.AUDIT_CONFIDENCE", 1 - 1e-6)


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "mech.json"
    path.write_text(FILE.to_json(), encoding="utf-8")
    return str(path)


@pytest.fixture
def true_answers(tmp_path):
    path = tmp_path / "true.csv"
    path.write_text(Dataset(FILE.schema, np.zeros((300, 4), dtype=np.int32)).to_csv(), encoding="utf-8")
    return str(path)


def run(capsys, *arguments):
    return terminal.run(capsys, "audit", *arguments)


def test_the_exact_sampler_keeps_its_claim(capsys, saved):
    code, out, err = run(capsys, "--mechanism", saved, "--runs", "5000", "--json")
    result = json.loads(out)
    assert (code, err) == (0, "")
    assert (result["sha256"], result["sound"], result["enumerated"]) == (FILE.sha256, True, True)
    assert [each["name"] for each in result["attacks"]] == list(FILE.schema.names)
    assert all(0 < each["shown"] <= each["claim"] for each in result["attacks"])
    assert not any(check["caught"] for check in result["checks"])
    code, out, _ = run(capsys, "--mechanism", saved, "--runs", "5000")
    assert code == 0
    assert all(check["title"] in out for check in result["checks"])


def test_a_program_that_does_not_randomize_is_caught(capsys, saved):
    command = join([sys.executable, "-IS", "-c", "import sys; sys.stdout.write(sys.stdin.read())"])
    code, out, err = run(capsys, "--mechanism", saved, "--runs", "300", "--sampler", command, "--timeout", "60", "--json")
    result = json.loads(out)
    assert (code, err) == (3, "")
    assert (result["sampler"], result["sound"], result["enumerated"]) == (command, False, True)
    assert any(check["caught"] for check in result["checks"])
    assert any(each["contradicted"] for each in result["attacks"])


def test_collected_answers_are_compared_with_the_file(capsys, saved, true_answers):
    code, out, _ = run(capsys, "--mechanism", saved, "--answers", true_answers, "--json")
    result = json.loads(out)
    assert (code, result["answers"], result["sound"]) == (3, 300, False)
    assert [check["title"] for check in result["checks"] if check["caught"]] == ["Shares"]


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--answers", "x.csv", "--sampler", "cat"), "--sampler"),
        (("--answers", "x.csv", "--timeout", "1"), "--timeout"),
        (("--timeout", "1"), "--timeout"),
        (("--runs", "10"), "got 10"),
        (("--runs", "1e5"), "1e5"),
        (("--timeout", "soon", "--sampler", "cat"), "soon"),
        (("--sampler", "no-such-program-here"), "no-such-program-here"),
    ],
)
def test_options_that_do_not_go_together_or_are_no_numbers(capsys, saved, options, word):
    code, out, err = run(capsys, "--mechanism", saved, *options)
    assert (code, out) == (2, "")
    assert word in err
