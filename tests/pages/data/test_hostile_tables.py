"""Answers of the corpus that look alike: the page says so, and makes them one. How each file ends there is tried in Chromium."""

import pytest

from tests.hostile.cases import CASES


@pytest.mark.parametrize("name", ["hidden spaces stay"])
def test_answers_that_look_alike_are_made_one_at_a_press(session, name):
    (first, second), _ = CASES[name].table["a"], CASES[name].table["b"]
    rows = f"{first},1\n{second},2\n{first},2\nno,1\n" * 20
    session.upload(f"a,b\n{rows}".encode(), "file.csv")
    assert "These look alike and count apart" in session.text
    session.click("Make them one")
    assert session.errors == []
    assert session.row("a")["distribution"] == [60, 20]
    assert "look alike" not in session.text
