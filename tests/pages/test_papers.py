"""Lab, tab Papers: printed values next to measured ones, for all five papers."""

import pytest

from rrcore.papers import PAPERS, stored_results


@pytest.fixture
def papers(session):
    return session.go("lab", "Papers")


def rows(session):
    return next(frame.value for frame in session.at.dataframe if "Printed" in frame.value.columns)


def test_it_opens_with_the_stored_results(papers):
    counts = [stored_results().counts(key) for key in PAPERS]
    agree, every = (sum(column) for column in zip(*counts, strict=True))
    assert f"{agree} of {every}" in papers.text
    assert "papers-castell" in papers.figures


@pytest.mark.parametrize("paper", PAPERS)
def test_every_paper_shows_its_checks_and_differences(papers, paper):
    papers.set("selectbox", "Paper", paper)
    assert papers.errors == []
    agree, every = stored_results().counts(paper)
    assert len(rows(papers)) == every
    papers.set("checkbox", "Only differences", True)
    assert len(rows(papers)) == every - agree
    assert set(rows(papers)["Agrees"]) == {"no"}


def test_one_table_of_a_paper_is_chosen(papers):
    papers.set("selectbox", "Table or figure", "Table VI")
    assert set(rows(papers)["Place"]) == {"Table VI"}
