"""``rrcore plan --direct`` and ``rrcore read --split-sample``: asking directly, before and after."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from rrcore.answers import Arms, read_answers
from rrcore.estimate import BreakEven, SplitSample, denials
from rrcore.promise import split_survey
from tests.answers.test_arms import FILE, SURVEY, collected
from tests.commands.terminal import check_narrower, run
from tests.commands.test_results import SCHEMA

PLAN = ("plan", "--sizes", "2,3", "--names", "cheated,age", "--eps", "1")


def as_json(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    code, out, err = run(capsys, *arguments, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    jsonschema.Draft202012Validator(SCHEMA["$defs"][arguments[0]]).validate(found)
    return found


def test_the_break_even_denial_of_any_category_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, *PLAN, "--people", "200", "--direct", "cheated=2:10%", "--direct", "age=1:1/3")["direct"]
    assert next(round(each["break_even_points"], 1) for each in found) == 6.8
    assert (found[1]["attribute"], found[1]["category"], round(found[1]["share"], 4)) == ("age", "1", 0.3333)
    assert all("splits" not in each for each in found)


def test_a_denial_adds_both_intervals_and_the_splits_that_find_it(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (*PLAN, "--people", "5000", "--direct", "cheated=2:10%", "--denial", "8")
    (found,) = as_json(capsys, *arguments)["direct"]
    asked = BreakEven(0.1, 5000, found["noise"])
    expected = [SplitSample.fewest_people(asked, 0.08), SplitSample.fewest_directly(asked, 0.08)]
    assert [(each["people"], each["asked_directly"]) for each in found["splits"]] == [(e.people, e.directly) for e in expected]
    assert found["directly"]["share"] == pytest.approx(0.02)
    assert found["randomised"]["share"] == pytest.approx(0.1)
    _, out, _ = run(capsys, *arguments)
    assert asked.sentence in out
    assert expected[1].text in out
    assert "5 validation studies 19 to 71 of 100" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--direct", "cheated=2:10%"), "--direct compares two ways to ask the same people: add --people."),
        (("--people", "9", "--denial", "3"), "--denial goes along with --direct"),
        (("--people", "9", "--direct", "cheated:2"), "is not understood: write --direct 'attribute=category:share'"),
        (("--people", "9", "--direct", "cheated=yes:10%"), "'cheated' has no category 'yes': choose among 1, 2"),
        (
            ("--people", "9", "--direct", "cheated=2:10%", "--denial", "30"),
            "give one above 0, at most the share itself, 10.0 points",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str) -> None:
    code, _, err = run(capsys, *PLAN, *arguments)
    assert code == 2
    assert message in err


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "answers.csv").write_bytes(collected()[0])
    (tmp_path / "survey.json").write_text(FILE.to_json(), encoding="utf-8")
    (tmp_path / "direct.json").write_text(SURVEY.files[1][1].to_json(), encoding="utf-8")
    return tmp_path


def test_both_parts_are_read_and_compared(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    reading = ("read", "--in", place / "answers.csv", "--mechanism")
    found = as_json(capsys, *reading, place / "survey.json", "--split-sample", "--marginal", "cheated")
    arms = Arms.of(read_answers([place / "answers.csv"], split_survey(FILE)))
    assert arms.directly is not None
    (expected,) = denials(arms.randomised.estimate(["cheated"]), arms.directly.estimate(["cheated"]))
    (told,) = found["direct"]
    assert found["answers"] == told["randomised_people"] == 700
    assert told["people_asked_directly"] == 300
    assert told["cells"] == [expected.to_dict() | {"advice": expected.advice(1000)}]
    named = (f"randomised={place / 'survey.json'}", "--mechanism", f"asked directly={place / 'direct.json'}")
    assert as_json(capsys, *reading, *named, "--marginal", "cheated")["direct"] == found["direct"]
    code, _, err = run(capsys, *reading, *named, "--split-sample")
    assert (code, err.endswith("is said by one of several mechanism files: leave out --split-sample.\n")) == (2, True)
    _, out, _ = run(capsys, *reading, place / "survey.json", "--split-sample")
    assert "300 people were asked directly and are not in these shares." in out
    assert expected.text in out


def test_the_report_has_both_parts(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    reading = ("read", "--in", place / "answers.csv", "--mechanism", place / "survey.json", "--split-sample")
    assert run(capsys, *reading, "--report", place / "findings.html")[0] == 0
    assert "300 people to answer directly" in (place / "findings.html").read_text("utf-8")


def test_by_a_column_the_shares_are_those_of_the_randomised(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    found = as_json(
        capsys, "read", "--in", place / "answers.csv", "--mechanism", place / "survey.json", "--split-sample", "--by", "town"
    )
    assert sum(each["answers"] for each in found["by"]["groups"]) == 700


def test_noise_is_that_of_the_best_weights_where_reports_outnumber_answers() -> None:
    rows = np.array([[0.6, 0.3, 0.1], [0.1, 0.3, 0.6]])
    scaled = rows / rows.mean(axis=0)
    weights = np.linalg.solve(scaled @ rows.T, scaled)[1]
    noise = np.array([0.8, 0.2]) @ (rows @ weights**2 - (rows @ weights) ** 2)
    assert BreakEven.of(FILE.marginal_channel((0,)), 1, people=100, share=0.2).noise == pytest.approx(noise)


def test_the_confidence_that_is_asked_for_is_that_of_a_plan_and_its_splits(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (*PLAN, "--people", "5000", "--direct", "cheated=2:10%", "--denial", "8", "--confidence", "0.8")
    (found,) = as_json(capsys, *arguments)["direct"]
    asked = BreakEven(0.1, 5000, found["noise"])
    expected = [each(asked, 0.08, confidence=0.8) for each in (SplitSample.fewest_people, SplitSample.fewest_directly)]
    assert [(each["people"], each["asked_directly"]) for each in found["splits"]] == [(e.people, e.directly) for e in expected]
    reach = {"directly": 0.02 * 0.98, "randomised": 0.1 * 0.9 + found["noise"]}
    for way, variance in reach.items():
        assert found[way]["high"] - found[way]["share"] == pytest.approx(1.28155 * (variance / 5000) ** 0.5, rel=1e-5)


def test_the_confidence_that_is_asked_for_is_that_of_the_denial_read(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    reading = ("read", "--in", place / "answers.csv", "--mechanism", place / "survey.json", "--split-sample")
    wide, narrow = (as_json(capsys, *reading, "--confidence", share) for share in ("0.95", "0.5"))
    check_narrower(wide, narrow)
    arms = Arms.of(read_answers([place / "answers.csv"], split_survey(FILE)))
    assert arms.directly is not None
    (expected,) = denials(arms.randomised.estimate(["cheated"]), arms.directly.estimate(["cheated"]))
    (told,) = narrow["direct"][0]["cells"]
    assert (told["low"], told["high"]) == pytest.approx(expected.interval(0.5))
    assert told["p_value"] == pytest.approx(expected.p_value)
    assert told["sentence"] != expected.text
