"""Collect: designs by name with their story and price, and two groups with a mechanism file each."""

import pytest

from rrcore.designs import AMOUNT_DESIGNS, BLOCK_DESIGNS, DESIGNS, LATENT_DESIGNS
from rrcore.promise.mechanism_file import MechanismFile


@pytest.fixture
def groups(session):
    return session.go("collect").set("radio", "Answers are randomised by", "groups")


def test_two_groups_have_two_files_and_one_sentence_on_what_that_gives(groups):
    groups.set("selectbox", "Design", "cheating-symmetric")
    first = MechanismFile.from_json(groups.download("mechanism.json"))
    groups.set("radio", "Form and mechanism file of", 1)
    second = MechanismFile.from_json(groups.download("mechanism.json"))
    assert (first.note, second.note) == ("Cheating detection, symmetric, group 1", "Cheating detection, symmetric, group 2")
    assert first.groups != second.groups
    assert second.schema.names == ("took drugs",)
    assert LATENT_DESIGNS["cheating-symmetric"].protects in groups.text
    assert "one in ten people says no whatever the instructions" in groups.text
    assert LATENT_DESIGNS["cheating-symmetric"].source in groups.text


def test_what_cannot_be_told_apart_is_said_and_nothing_is_made(groups):
    groups.set("selectbox", "Design", "cheating").set("text_input", "Its probabilities", "1/4, 1/4")
    assert len(groups.errors) == 1
    assert "cannot be estimated" in groups.errors[0]
    assert "The form and the mechanism file appear once there is a mechanism." in groups.text
    groups.set("text_input", "Its probabilities", "1/4, 3/4").set("text_input", "Its two answers", "no, maybe, yes")
    assert "is for two" in groups.errors[0]


def test_counts_that_came_back_are_estimated(groups):
    groups.set("selectbox", "Design", "cheating")
    groups.at.session_state["collect_group_counts"] = True
    groups.run()
    for label, count in {
        "Reported no, group 1": 560,
        "Reported yes, group 1": 240,
        "Reported no, group 2": 245,
        "Reported yes, group 2": 455,
    }.items():
        groups.widget("number_input", label).set_value(count)
    groups.run()
    (rows,) = [frame.value for frame in groups.at.dataframe if "Share of people who" in frame.value.columns]
    shares = [float(text.split(" %")[0]) for text in rows["Estimate (95 %)"]]
    assert shares == pytest.approx([12.5, 70, 17.5], abs=0.51)  # whole percents: 1,500 people tell no more


def test_every_design_has_its_story_on_the_page(session):
    page = session.go("collect").set("radio", "Answers are randomised by", "field")
    page.at.session_state["collect_catalogue"] = True
    page.run()
    assert page.widget("selectbox", "Design").options == [
        design.title for design in (DESIGNS | LATENT_DESIGNS | AMOUNT_DESIGNS | BLOCK_DESIGNS).values()
    ]
    for key in ("crosswise", "lie-detector", "unrelated-groups", "bar-lev", "block-garbling"):
        page.set("selectbox", "Design", key)
        design = (DESIGNS | LATENT_DESIGNS | AMOUNT_DESIGNS | BLOCK_DESIGNS)[key]
        assert design.source in page.text
        assert not page.errors
    assert any("rrcore designs block-garbling" in info.value for info in page.at.info)


def test_numbers_of_red_cards_are_reports_of_their_own(session):
    page = session.go("collect").set("radio", "Answers are randomised by", "field")
    page.at.session_state["collect_designs"] = {
        "edited_rows": {"0": {"design": "Kuk", "numbers": "3/5, 1/5, 2"}},
        "added_rows": [],
        "deleted_rows": [1],
    }
    page.run()
    file = MechanismFile.from_json(page.download("mechanism.json"))
    assert file.reports.attributes[0].categories == ("0 red", "1 red", "2 red")
