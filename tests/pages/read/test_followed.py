"""Read corrects for people who did not follow the instructions, says so, and shows what other laws would change."""

import json

import numpy as np
import pytest

from rrcore.estimate import NOT_CORRECTED
from tests.answers.clicking import survey
from tests.pages.read.test_read_page import choose, section, shown


@pytest.fixture(scope="module")
def answers():
    """2,000 people of whom a fifth click at random."""
    return survey("kronecker", 0.2, 2000, np.random.default_rng(1))


@pytest.fixture
def read(session, answers):
    session.go("read")
    return choose(session, answers.mechanism, ("a.csv", answers.dataset.to_csv().encode()))


def test_estimates_are_corrected_and_the_uncorrected_ones_stand_beside(read, answers):
    read.set("multiselect", "Joint distribution of", ["violence"])
    assert answers.noncompliance.sentence in read.text
    rows = shown(read, "Uncorrected")
    share = answers.uncorrected.estimate(["violence"]).shares[1]
    assert rows["Uncorrected"].tolist()[1] == f"{100 * share:.0f} %"  # with the digits of the corrected one
    found = json.loads(read.download("shares-violence.json"))
    assert found["noncompliance"]["share"] == pytest.approx(answers.noncompliance.share)
    assert np.allclose(found["marginals"][0]["cells"]["estimate"], answers.estimate(["violence"]).shares)


def test_another_law_is_chosen_and_taken_back(read, answers):
    read.set("multiselect", "Joint distribution of", ["violence"])
    section(read, "followed")
    read.set("selectbox", "How people answer who do not follow the instructions", "no")
    assert "always said “no”" in read.text
    read.set("selectbox", "How people answer who do not follow the instructions", "last")
    assert any("looks the same with and without such people" in error for error in read.errors)
    read.set("selectbox", "How people answer who do not follow the instructions", "nobody")
    assert "Taken for granted" not in read.text
    read.set("selectbox", "How people answer who do not follow the instructions", "uniform")
    assert answers.noncompliance.sentence in read.text


def test_what_other_laws_would_change_is_one_press_away(read):
    read.set("multiselect", "Joint distribution of", ["violence"])
    section(read, "followed")
    read.given(read_laws=True).run()
    rows = shown(read, "Corrected (95 %)")
    assert len(rows.columns) == 5


def test_the_control_item_is_read_as_it_was_answered(read):
    read.set("multiselect", "Joint distribution of", ["born"])
    assert "Of the control item itself shares are as they were answered." in read.text


def test_what_is_not_corrected_beside_corrected_shares_says_so(read):
    read.set("multiselect", "Joint distribution of", ["violence"])
    section(read, "always")
    assert NOT_CORRECTED in read.text


def test_without_a_control_item_the_page_says_what_one_is(session):
    session.go("read").click("Try a real survey")
    section(session, "followed")
    assert "declare a control item on Data" in "\n".join(info.value for info in session.at.info)
