"""Read: columns that say how people were drawn, population sizes, and answers that are missing."""

import pytest

from tests.answers.test_sampling import ONE, TWO, infertility, invented
from tests.pages.read.test_read_page import choose, section, shown


@pytest.fixture
def read(session):
    return session.go("read")


def test_weights_and_strata_are_chosen_among_the_columns(read):
    choose(read, ONE, ("a.csv", infertility()))
    assert "From 442 answers the share of “treated: yes” is estimated at 9 % (" in read.text
    assert "The sample:" not in read.text
    read.set("selectbox", "Weights", "weight")
    read.set("selectbox", "Strata", "stratum")
    assert "From 442 weighted answers the share of “treated: yes” is estimated at 10 % (3 to 18)." in read.text
    assert read.text.count("The sample: weighted, 19 strata. It tells as much as 359 people drawn at random") == 1
    assert shown(read, "Released (weighted)")["Released (weighted)"].tolist() == ["329 (73.7 %)", "113 (26.3 %)"]


@pytest.mark.slow
def test_clusters_missing_answers_and_population_sizes(read):
    choose(read, TWO, ("b.csv", invented()))
    read.set("selectbox", "Weights", "weight")
    read.set("selectbox", "Clusters", "village")
    assert "weighted, 40 clusters" in read.text
    assert "records lack some answers" in read.text
    assert "records have all answers that are read here." in read.text
    read.set("checkbox", "More about the population", True)
    next(each for each in read.at.file_uploader if each.label == "Population sizes").set_value(
        [("sizes.csv", b"total\n90\n", "text/csv")]
    )
    read.run()
    assert "weighted, 40 clusters, a finite population" in read.text
    for name in ("within", "column", "pairs"):
        section(read, name)
    read.click("Forget the totals")
    assert "a finite population" not in read.text
    next(each for each in read.at.file_uploader if each.label == "Population sizes").set_value(
        [("bad.csv", b"age\nyoung\n", "text/csv")]
    )
    read.run()
    assert any("give the column of the strata" in error.value for error in read.at.error)


@pytest.mark.slow
def test_a_stratum_of_one_is_refused_until_it_is_said_how_it_counts(read):
    choose(read, ONE, ("a.csv", infertility() + b"\n77,50,no"))
    read.set("selectbox", "Strata", "stratum")
    (error,) = [error.value for error in read.at.error]
    assert error.startswith("Stratum '77' has one person only")
    assert error.endswith("Until then the answers are read as if everybody had been as likely to be asked.")
    read.set("selectbox", "A stratum with one cluster", "centre")
    assert not read.at.error
    assert "equal weights, 20 strata" in read.text
