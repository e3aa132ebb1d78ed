"""The whole audit, as the command line tells it."""

import json
import sys
from shlex import join

import numpy as np
import pytest

from rrcore.audit import CHECKS, audit_file
from rrcore.table.dataset import Dataset
from tests.audit import zoo
from tests.commands import terminal


@pytest.fixture(autouse=True)
def _no_false_alarms(monkeypatch):
    """Honest mechanisms are run with the system's entropy here: accused once in a million audits instead of once in a thousand."""
    monkeypatch.setattr("rrcore.audit.audit.AUDIT_CONFIDENCE", 1 - 1e-6)


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "mech.json"
    path.write_text(zoo.FILES["pram beside a coupling"].to_json(), encoding="utf-8")
    return str(path)


def run(capsys, *arguments):
    return terminal.run(capsys, "audit", *arguments)


def test_json(capsys, saved):
    code, out, err = run(capsys, "--mechanism", saved, "--runs", "5000", "--json")
    result = json.loads(out)
    file = zoo.FILES["pram beside a coupling"]
    assert (code, err) == (0, "")
    assert result["sha256"] == file.sha256
    assert result["enumeration"]["agrees"] is True
    assert result["contradicted"] is False
    assert [bound["promise"] for bound in result["bounds"]] == ["level"] * 4 + ["leakage"] * 4 + ["total"]
    assert [bound["attribute"] for bound in result["bounds"]] == [*file.schema.names, *file.schema.names, None]
    assert all(0 < bound["shown"] <= bound["claim"] for bound in result["bounds"])
    assert result["sound"] is True
    assert [check["check"] for check in result["checks"]] == list(CHECKS)
    assert not any(check["caught"] for check in result["checks"])
    assert (result["coverage"]["tried"], result["coverage"]["possible"]) == (36, "36")
    assert len(result["guessers"]) == 8
    assert all(
        low <= measured <= high
        for one in result["guessers"]
        for low, measured, high in [(one["interval"][0], one["measured"], one["interval"][1])]
    )


def test_text(capsys, saved):
    code, out, _ = run(capsys, "--mechanism", saved, "--runs", "1000")
    assert code == 0
    assert (
        "Nothing found: 1,000 runs of each of two records gave away no more than is claimed, with the lies that the file says."
        in out
    )
    assert "Every one of the 36 possible records was tried, " in out
    assert "Which answers are false together: In " in out
    assert "What this cannot see:" in out
    assert "All 36 × 36 probabilities were written out" in out
    assert "shown by 1,000 runs: at least" in out
    assert "'q0' from its released answer: computed 66.7 %" in out  # (14 + 16 + 10) / 20 / 3


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ("10", "An audit of 10 runs: give 100 to 10,000,000.\n"),
        ("1e5", "The number of runs is '1e5': give a whole number.\n"),
        ("9" * 5000, f"The number of runs is '{'9' * 40}': give a whole number.\n"),
    ],
)
def test_bad_runs(capsys, saved, runs, message):
    assert run(capsys, "--mechanism", saved, "--runs", runs) == (2, "", message)


def test_a_missing_file(capsys):
    code, out, err = run(capsys, "--mechanism", "nowhere.json")
    assert (code, out) == (2, "")
    assert err.startswith("The file 'nowhere.json' cannot be read")


def test_broken_on_purpose_is_caught_and_told_first():
    audit = audit_file(zoo.FILES["pair-safe"], 100_000, spoilt="levels")
    assert audit.enumeration.agrees  # the file is as it claims, what runs is not
    assert not audit.sound
    assert (
        audit.headline()
        == f"Caught: {len(audit.contradicted)} of 7 promises are contradicted by 100,000 runs of each of two records."
    )
    assert len(audit.contradicted) >= 3
    assert all(needed < 100_000 for needed in audit.needed[:3])
    assert audit.needed[3:] == (None,) * 4


def test_comonotone_lies_stand_in_the_headline():
    audit = audit_file(zoo.FILES["pair-safe"], 10_000, spoilt="comonotone")
    assert not audit.sound
    assert audit.headline().startswith("Caught. Comonotone lies: ")


@pytest.fixture
def true_answers(tmp_path):
    path = tmp_path / "true.csv"
    file = zoo.FILES["pram beside a coupling"]
    path.write_text(Dataset(file.schema, np.zeros((300, 4), dtype=np.int32)).to_csv(), encoding="utf-8")
    return str(path)


@pytest.mark.slow
def test_another_program_is_audited(capsys, saved, true_answers, monkeypatch):
    monkeypatch.setattr("rrcore.commands.audit.COMMAND_STARTS", 6)  # of each of which follow up to nine
    code = "import sys; sys.stdout.write(sys.stdin.read())"
    command = join([sys.executable, "-IS", "-c", code])
    code, out, err = run(
        capsys, "--mechanism", saved, "--runs", "300", "--sampler", command, "--table", true_answers, "--timeout", "60", "--json"
    )
    result = json.loads(out)
    assert (code, err) == (3, "")
    assert result["sampler"] == command
    assert result["sound"] is False
    assert result["contradicted"] is True
    assert {check["check"] for check in result["checks"] if check["caught"]} >= {"lies", "learned"}


def test_collected_answers_are_audited(capsys, saved, true_answers):
    code, out, _ = run(capsys, "--mechanism", saved, "--answers", true_answers)
    assert code == 3
    assert out.startswith("These answers were not randomised as the file says: ")
    assert "  Whether the shares can come from any true answers: CAUGHT. " in out
    result = json.loads(run(capsys, "--mechanism", saved, "--answers", true_answers, "--json")[1])
    assert (result["answers"], result["sound"]) == (300, False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--answers", "x.csv", "--sampler", "cat"),
            "Collected answers are audited on their own: give --answers, or --sampler and --table, not both.\n",
        ),
        (
            ("--sampler", "no-such-program-here"),
            "The sampler 'no-such-program-here' cannot be started (No such file or directory): check the command.\n",
        ),
        (
            ("--answers", "x.csv", "--timeout", "1"),
            "Nothing is run where collected answers are audited: leave out --runs and --timeout.\n",
        ),
        (("--timeout", "1"), "Without --sampler no program is run: leave out --timeout.\n"),
        (("--timeout", "soon", "--sampler", "cat"), "The number of seconds is 'soon': give a whole number.\n"),
    ],
)
def test_options_that_do_not_go(capsys, saved, options, message):
    assert run(capsys, "--mechanism", saved, "--runs", "200", *options) == (2, "", message)


def test_a_large_domain_is_audited_without_its_matrix():
    told = []
    file = zoo.planned("kronecker", (12, 12, 12), (1, 1, 1))
    audit = audit_file(file, 100, report=lambda done, text: told.append((done, text)))
    assert audit.enumeration is None
    assert audit.not_enumerated.startswith("There are 1,728 possible records, and the matrix over at most 1,000 is written out")
    assert audit.sound
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1][0] == pytest.approx(1)
