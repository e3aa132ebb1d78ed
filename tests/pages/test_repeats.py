"""Perturb & estimate, "repeat 200 times": small steps, progress, an end, and a way to stop."""

import re

import pytest
import streamlit as st

REPEAT = "Repeat 200 times"


@pytest.fixture
def small_steps(monkeypatch):
    """So small that the 200 releases need many reruns on any machine."""
    monkeypatch.setattr("pages.shared.repeats._STEP_SECONDS", 0.02)


@pytest.fixture
def half_way(session, small_steps):
    """A session whose repetition has made its first step; the browser has not asked for the next one yet."""
    session.go("perturb")
    session.at.button(key="repeat_toggle").click()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(st, "rerun", lambda **_: st.stop())
        session.run_fragment()
    assert session.at.button(key="repeat_toggle").label == "Stop"
    return session


def result(session):
    """Number of releases and measured coverage in percent, from the sentence under the figure."""
    (sentence,) = [caption.value for caption in session.at.caption if "intervals covered the truth" in caption.value]
    found = re.match(r"([\d,]+) releases: the 95 % intervals covered the truth in ([\d.]+) % of all cases", sentence)
    return int(found.group(1)), float(found.group(2))


@pytest.mark.parametrize(("mechanism", "people"), [("kronecker", 2201), ("optimal", 2201), ("kronecker", 1000)])
def test_repeating_runs_to_the_end_and_measures_coverage(session, small_steps, mechanism, people):
    session.go("perturb").set("radio", "Mechanism of the plan", mechanism)
    session.set("number_input", "What if the number of people were", people)
    session.at.button(key="repeat_toggle").click()
    session.run_fragment()
    releases, coverage = result(session)
    assert releases == 200
    assert 90 < coverage < 99
    assert session.at.button(key="repeat_toggle").label == REPEAT
    assert session.at.get("progress") == []


def test_repeating_runs_to_the_end_when_the_whole_page_reruns(session):
    session.go("perturb").click(REPEAT)
    assert result(session)[0] == 200


def test_repeating_shows_progress(half_way):
    (progress,) = half_way.at.get("progress")
    assert re.fullmatch(r"\d+ of 200 releases", progress.proto.text)


def test_repeating_can_be_stopped_and_shows_what_it_has(half_way):
    half_way.at.button(key="repeat_toggle").click()
    half_way.run_fragment()
    releases, coverage = result(half_way)
    assert 0 < releases < 200
    assert 80 < coverage <= 100
    assert half_way.at.button(key="repeat_toggle").label == REPEAT


def test_another_page_can_be_visited_while_it_repeats(half_way):
    half_way.go("budget").go("perturb")
    assert half_way.errors == []
    assert "truth-and-estimate" in half_way.figures


@pytest.mark.slow
def test_another_widget_of_the_page_can_be_used_while_it_repeats(half_way):
    half_way.run()
    assert half_way.has("number_input", "Seed")


def test_another_draw_ends_the_repetition(half_way, monkeypatch):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(st, "rerun", lambda **_: st.stop())
        half_way.run()
    half_way.click("Draw again")
    assert half_way.at.button(key="repeat_toggle").label == REPEAT
    assert "intervals covered the truth" not in half_way.text


@pytest.mark.slow
def test_results_stay_until_a_choice_changes(session):
    session.go("perturb")
    session.at.button(key="repeat_toggle").click()
    session.run_fragment()
    session.run()
    assert result(session)[0] == 200
    session.go("budget").go("perturb")
    assert result(session)[0] == 200
    session.click("Draw again")
    assert "intervals covered the truth" not in session.text


@pytest.mark.slow
def test_repeating_does_not_depend_on_the_speed_of_the_machine(open_session, monkeypatch):
    found = []
    for seconds in (0.02, 30.0):
        monkeypatch.setattr("pages.shared.repeats._STEP_SECONDS", seconds)
        session = open_session().go("perturb")
        session.at.button(key="repeat_toggle").click()
        session.run_fragment()
        found.append([caption.value for caption in session.at.caption if "intervals covered" in caption.value])
    assert found[0] == found[1]
