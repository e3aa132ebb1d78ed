"""Papers: choosing, measuring again, the verdict beside the figure, and the file of Adult."""

import numpy as np
import pytest

from rrcore.research.papers import ENTRIES
from rrcore.research.papers.registry import RECORDED
from rrcore.research.papers.running import ADULT_COLUMNS


@pytest.fixture
def papers(session):
    return session.go("papers").set("selectbox", "Paper", "multidimensional")


def choose(session, name):
    return session.set("selectbox", "Table or figure", name)


def measure(session):
    return session.click("Measure again").finish("papers")


def adult():
    """A small table with the columns of Adult; what they mean does not matter here."""
    rng = np.random.default_rng(0)
    rows = [",".join(f"{name}{rng.integers(0, 3)}" for name in ADULT_COLUMNS) for _ in range(400)]
    return "\n".join([",".join(ADULT_COLUMNS), *rows]).encode()


def test_the_page_opens_with_how_many_agree_and_a_measurement(session):
    session.go("papers")
    agree = list(RECORDED.values()).count("agree")
    assert f"Of {len(ENTRIES)} tables, figures and statements that 5 papers print, **{agree} agree**" in session.text
    assert any("Figure 10 (a) of Castell agrees with what is measured here" in one.value for one in session.at.markdown)
    assert session.figures["castell-figure-10a"].traces == ["RR-Ind-Joint", "RR-Independent"]
    assert "seed 0" in session.text
    assert session.at.code[-1].value == "rrcore papers run castell-figure-10a --fast"
    numbers = next(frame.value for frame in session.at.dataframe if "Series" in frame.value.columns)
    assert list(numbers.columns) == ["Series", "Cramér's V", "Measured"]  # nothing is printed, and there are no parts


def test_printed_numbers_are_shown_before_anything_is_measured(papers):
    choose(papers, "multidimensional-proposition-1")
    assert papers.figures["multidimensional-proposition-1"].traces == ["covariance after / before, printed"]
    assert "the covariance is multiplied by p1 p2" in papers.text
    assert "is not measured yet" in papers.text
    assert papers.at.code[-1].value == "rrcore papers run multidimensional-proposition-1 --fast"
    papers.set("checkbox", "As many repeats as the paper", True)
    assert papers.at.code[-1].value == "rrcore papers run multidimensional-proposition-1"


def test_measuring_again_gives_a_verdict_with_its_sentence_and_fresh_numbers_each_time(papers):
    choose(papers, "multidimensional-proposition-1")
    measure(papers)
    told = next(
        one.value.replace("\N{NO-BREAK SPACE}", " ")
        for one in papers.at.markdown
        if "agrees with what is measured here" in one.value
    )
    assert "This holds: 'The covariance is multiplied by p1 p2', 4 of 4 printed numbers are met" in told
    traces = ["covariance after / before, printed", "covariance after / before"]
    assert papers.figures["multidimensional-proposition-1"].traces == traces
    assert "seed 0" in papers.text
    measure(papers)
    assert "seed 1" in papers.text
    choose(papers, "multidimensional-corollary-1")
    assert "is not measured yet" in papers.text
    choose(papers, "multidimensional-proposition-1")
    assert "seed 1" in papers.text


def test_what_differs_says_which_statement(papers):
    choose(papers, "multidimensional-equation-5")
    measure(papers)
    told = next(
        one.value.replace("\N{NO-BREAK SPACE}", " ")
        for one in papers.at.markdown
        if "differs from what is measured here" in one.value
    )
    assert "This does not hold: 'All categories are within the error in 95 % of samples'" in told


@pytest.mark.slow
def test_adult_is_asked_for_and_its_file_is_enough(papers):
    choose(papers, "multidimensional-figure-2")
    assert "was measured on UCI Adult, which is not part of the workbench: choose its file" in papers.text
    assert papers.widget("button", "Measure again").disabled
    papers.upload(b"sex,income\nf,1\nm,2\n", "other.csv")
    assert papers.errors[0].startswith("The table has no column 'workclass'")
    papers.upload(adult(), "adult.csv")
    assert "400 people, 8 columns" in papers.text
    measure(papers)
    assert {"RR-Independent", "Randomized"} <= set(papers.figures["multidimensional-figure-2"].traces)


def test_every_entry_can_be_looked_at(papers):
    """One of each paper here; the figures of all are made in the tests of plots."""
    for paper in dict.fromkeys(entry.paper.key for entry in ENTRIES.values()):
        papers.set("selectbox", "Paper", paper)
        assert papers.errors == []


def test_pages_that_had_findings_lead_here(session):
    session.go("keyvalue")
    assert "papers" in session.links
