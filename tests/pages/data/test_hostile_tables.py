"""Some files of the corpus, chosen on the page Data: each ends in one sentence or a question, and the table in use stays."""

import pytest

from tests.hostile.cases import CASES

REFUSED = ("a zero byte", "cells far apart", "an open quote", "a pickle", "entities in a workbook", "cut short", "packed twice")
ASKED = {"two rows that do not fit": "2 rows do not fit", "lists of records of lists": "One column cannot be used"}


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_is_refused_is_one_sentence(session, name):
    session.upload(CASES[name].make(), "file")
    (error,) = session.errors
    assert CASES[name].refused.split("'")[0] in error.replace("\\", "")
    assert "Until a file is read, 'Titanic' stays in use." in session.text


@pytest.mark.parametrize("name", ASKED)
def test_a_file_in_doubt_is_a_question(session, name):
    session.upload(CASES[name].make(), "file.csv")
    assert session.errors == []
    assert ASKED[name] in session.text
    assert "**Titanic**" in session.text


@pytest.mark.parametrize("name", ["lookalikes stay apart", "hidden spaces stay"])
def test_answers_that_look_alike_are_made_one_at_a_press(session, name):
    (first, second), _ = CASES[name].table["a"], CASES[name].table["b"]
    rows = f"{first},1\n{second},2\n{first},2\nno,1\n" * 20
    session.upload(f"a,b\n{rows}".encode(), "file.csv")
    assert "These look alike and count apart" in session.text
    session.click("Make them one")
    assert session.errors == []
    assert session.row("a")["distribution"] == [60, 20]
    assert "look alike" not in session.text
