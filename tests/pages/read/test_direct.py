"""Read: a split sample, of which the randomised are read and the others compared."""

from __future__ import annotations

from typing import Any

import pytest

from rrcore.answers import Arms, read_answers
from rrcore.estimate import denials
from tests.answers.test_arms import FILE, SURVEY, collected

CONTENT = collected()[0]


@pytest.fixture
def read(session: Any) -> Any:
    session.go("read")
    next(each for each in session.at.checkbox if each.label == "Some were asked directly").check()
    session.run()
    uploads = session.at.file_uploader
    uploads[0].set_value(("mechanism.json", FILE.to_json().encode(), "application/json"))
    uploads[1].set_value([("answers.csv", CONTENT, "text/plain")])
    return session.run()


def test_shares_are_those_of_the_randomised(read: Any) -> None:
    assert "**700 answers used**" in read.text
    assert "300 people were asked directly and are not in these shares" in read.text


def test_denial_is_told_with_its_interval_and_what_follows(read: Any) -> None:
    read.look_at("read_section", "direct")
    arms = Arms.of(read_answers([(CONTENT, "answers.csv")], SURVEY))
    assert arms.directly is not None
    names = ["cheated", "age"]
    found = denials(arms.randomised.estimate(names), arms.directly.estimate(names))
    assert found[-1].text in read.text
    assert found[-1].advice(1_000) in read.text
    select = next(each for each in read.at.selectbox if each.label == "Answer")
    select.set_value(0)
    read.run()
    assert found[0].text in read.text


def test_the_report_has_both_parts(read: Any) -> None:
    assert "300 people to answer directly" in read.download("report-of-findings.html")
