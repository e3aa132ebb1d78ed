"""``rrcore plan`` with questions, people and precision, of which any three with the levels give the fourth; and its plan file."""

import json
from dataclasses import replace

import numpy as np
import pytest

from rrcore.budget import (
    Assumption,
    Plan,
    SmallestGroup,
    level_for_precision,
    people_for_precision,
    precision_of,
    questions_within_precision,
)
from rrcore.table import Attribute, Dataset, Schema, load_demo
from tests.commands.terminal import run

NAMED = ("--sizes", "2,3", "--names", "sex,violence")
SCHEMA = Schema((Attribute("sex", ("1", "2")), Attribute("violence", ("1", "2", "3"))))
PLAN = Plan(SCHEMA, (2.0, 1.0), 2000)


def found(capsys, *arguments):
    code, out, err = run(capsys, "plan", *NAMED, *arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_people_come_first_and_go_into_the_plan_file(capsys, tmp_path):
    place = tmp_path / "plan.json"
    code, out, _ = run(capsys, "plan", *NAMED, "--eps", "2,1", "--question", "sex,violence", "--precision", "2", "--out", place)
    expected = people_for_precision(PLAN, [(0, 1)], 0.02)
    assert code == 0
    assert out.splitlines()[:2] == [expected.people_sentence(), expected.assumption_text]
    plan = Plan.from_json(place.read_text(encoding="utf-8"))
    assert plan == expected.plan
    assert plan.mechanism == "pair-safe"


def test_precision(capsys):
    asked = ("--eps", "2,1", "--question", "violence;sex,violence", "--people", "2000", "--share", "10", "--these-people")
    wanted = found(capsys, *asked)["wanted"]
    expected = precision_of(PLAN, [(1,), (0, 1)], assumption=Assumption(0.1, population=False))
    assert (wanted["sought"], wanted["question"]) == ("precision", [SCHEMA.names[i] for i in expected.axes])
    assert wanted["precision_points"] == pytest.approx(100 * expected.margin)
    assert wanted["against_the_population"] is False


def test_levels_in_the_ratio_of_weights(capsys):
    answer = found(capsys, "--importance", "2,1", "--question", "sex", "--precision", "4", "--people", "2000")
    expected = level_for_precision(PLAN, [(0,)], 0.04)
    assert answer["requested_levels"] == pytest.approx(expected.plan.levels, rel=0.001)
    assert answer["wanted"]["precision_points"] <= 4 < answer["wanted"]["just_short_of_it_points"]


def test_shares_within_groups_need_people_by_the_smallest_group(capsys):
    """``people_for_precision`` is held against the variance formula in tests/estimate/test_within.py."""
    asked = ("--eps", "2,1", "--question", "violence", "--within", "sex", "--precision", "4")
    for options, group in (((), None), (("--group-share", "30"), 0.3)):
        answer = found(capsys, *asked, *options)
        expected = people_for_precision(PLAN, [(1,)], 0.04, within=[0], assumption=Assumption(group=group))
        assert answer["mechanism"] == "pair-safe"  # the group counts among what is read together
        assert (answer["wanted"]["people"], answer["wanted"]["group_share"]) == (expected.plan.respondents, group)
        assert (answer["wanted"]["question"], answer["wanted"]["within"]) == (["violence"], ["sex"])
        assert answer["wanted"]["sentence"] == expected.people_sentence()
        assert answer["wanted"]["typically_off_by_points"] is None


def test_levels_and_questions_within_groups(capsys):
    within = ("--within", "sex", "--group-share", "40", "--precision", "6", "--people", "4000")
    assumption = Assumption(group=0.4)
    answer = found(capsys, "--importance", "2,1", "--question", "violence", *within)
    expected = level_for_precision(replace(PLAN, respondents=4000), [(1,)], 0.06, within=[0], assumption=assumption)
    assert answer["requested_levels"] == pytest.approx(expected.plan.levels, rel=0.001)
    reached = found(capsys, "--eps", "6,6", *within)["wanted"]["questions"]
    assert [each["question"] for each in reached] == ["violence within each sex"]


def test_the_smallest_group_is_the_table_s_and_so_it_is_said(capsys, tmp_path):
    table, shares = load_demo("titanic"), load_demo("titanic").shares(["Sex"])
    asked = ("--eps", "2", "--question", "Survived", "--within", "Sex", "--precision", "5")
    wanted = json.loads(run(capsys, "plan", "--in", "demo:titanic", *asked, "--json")[1])["wanted"]
    assert wanted["group_share"] == pytest.approx(shares.min()) == pytest.approx(470 / 2201)
    expected = people_for_precision(
        Plan(table.schema, (2.0,) * 4, 1, "pair-safe"), [(3,)], 0.05, within=[1], assumption=Assumption(group=470 / 2201)
    )
    assert wanted["people"] == expected.plan.respondents
    smallest = SmallestGroup.of(table.schema, ["Sex"], shares)
    assert wanted["assumption"].endswith(smallest.text)
    assert (smallest.answers, "true answers" in smallest.text) == (("Female",), True)
    given = json.loads(run(capsys, "plan", "--in", "demo:titanic", *asked, "--group-share", "40", "--json")[1])["wanted"]
    assert (given["group_share"], smallest.text in given["assumption"]) == (0.4, False)


def test_a_group_that_nobody_is_in_is_not_the_smallest():
    table = Dataset(SCHEMA, np.array([[0, 0], [0, 0], [1, 2], [0, 2]], np.uint8))
    smallest = SmallestGroup.of(SCHEMA, ["violence", "sex"], table.shares(["violence", "sex"]))
    assert (smallest.answers, smallest.share) == (("3", "1"), 0.25)


def test_questions(capsys):
    wanted = found(capsys, "--eps", "2,1", "--precision", "4", "--people", "2000")["wanted"]
    expected = questions_within_precision(PLAN, 0.04)
    assert [each["question"] for each in wanted["questions"]] == [each.question for each in expected] == ["sex"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--eps", "2,1", "--question", "sex", "--precision", "2", "--people", "9"), "are all given: leave one of them out"),
        (("--eps", "2,1", "--question", "sex"), "two are needed beside the levels: the third comes out."),
        (("--eps", "2,1", "--out", "plan.json"), "--out writes a plan, which is for a number of people: add --people"),
        (("--eps", "2,1", "--question", "age", "--people", "9"), "The question names 'age', which is not an attribute"),
        (("--eps", "2,1", "--question", "sex", "--precision", "two"), "The precision is 'two': give a number"),
        (
            ("--eps", "2,1", "--share", "5", "--these-people", "--confidence", ".5"),
            "no precision is asked for: leave out --share, --these-people and --confidence.",
        ),
        (
            ("--eps", "2,1", "--missing", "drop", "--header", "no"),
            "Without --in no table is read: leave out --missing and --header.",
        ),
        (("--eps", "2,1", "--within", "sex"), "--within goes along with --question or --precision"),
        (
            ("--eps", "2,1", "--question", "sex", "--within", "sex", "--people", "9"),
            "'sex' is to be read and people are grouped by it",
        ),
        (("--eps", "2,1", "--question", "sex", "--within", "sex;violence"), "--within is one set of attributes"),
        (("--eps", "2,1", "--question", "sex", "--group-share", "30"), "--group-share is that of the smallest group of --within"),
        (
            ("--eps", "2,1", "--question", "violence", "--within", "sex", "--group-share", "1e-320"),
            "smallest group is 9.99989e-321 %: give a number from 1e-08 to 100",
        ),
        (
            ("--eps", "2,1", "--question", "violence", "--within", "sex", "--group-share", "0"),
            "smallest group is 0 %: give a number",
        ),
        (("--question", "violence", "--within", "sex", "--precision", "2", "--people", "4000"), "Ask at least 4,802 people"),
        (("--question", "sex", "--precision", "1", "--people", "2000"), "Ask at least 9,604 people or accept less precision."),
    ],
)
def test_what_cannot_be_is_one_sentence(capsys, arguments, sentence):
    code, out, err = run(capsys, "plan", *NAMED, *arguments)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1
