"""The idea on the first screen: its numbers are those of the library, and what is drawn stays within the figure."""

import re

import numpy as np
import pytest

from pages.start import picture
from rrcore.schemes import demonstrate
from rrcore.table.demo import load_demo

NAMES = ("Sex", "Survived")


def survey(told=0.75, n=60):
    return demonstrate(load_demo("titanic"), NAMES, told, n, rng=np.random.default_rng(5))


def drawn(session):
    return "".join(element.proto.body for element in session.at.get("html"))


def level_in_help(session):
    """The level of one answer, which stands where the odds are explained."""
    (level,) = {found[1] for each in session.at.markdown if (found := re.search(r"Level ε = (\d+\.\d+)\.", each.proto.help))}
    return level


def expected(told, people):
    """The survey of a fresh session, computed again: release and 95 % intervals for the population."""
    rng = np.random.default_rng(np.random.SeedSequence([0, *b"start"]))
    estimate = demonstrate(load_demo("titanic"), NAMES, told, people, rng=rng).release.estimate(NAMES)
    return (
        estimate.released[1, 1],
        estimate.closest().shares[1, 1],
        *(edge[1, 1] for edge in estimate.closest().interval(population=True)),
    )


def test_the_first_screen_says_truth_estimate_and_interval_of_the_survey_that_it_draws(session):
    released, share, low, high = expected(0.75, 2201)
    estimate = f"{100 * share:.0f} % ({100 * low:.0f} to {100 * high:.0f})"
    assert f"Female, survived: truth 15.6 %, sent {100 * released:.1f} %, estimate {estimate}" in drawn(session)
    assert level_in_help(session) == "1.10"
    assert "**× 3.00**, both together by **× 9.00**" in session.text


def test_a_slider_moves_level_odds_and_estimate(session):
    session.set("slider", "Truth told", 90).set("select_slider", "People asked", 20_000)
    _, share, low, high = expected(0.9, 20_000)
    found = f"Female and survived: {share:.1%} ({100 * low:.1f} to {100 * high:.1f}), in truth 15.6%"
    assert found.replace("%", "\N{NO-BREAK SPACE}%") in drawn(session)  # never alone on a line
    assert level_in_help(session) == "2.20"
    assert "**× 9.00**, both together by **× 81.0**" in session.text


def test_a_link_opens_the_sliders_where_it_says(open_session):
    session = open_session("?told=95&asked=20,000")
    assert (session.widget("slider", "Truth told").value, session.widget("select_slider", "People asked").value) == (95, 20_000)
    assert session.warnings == []


@pytest.mark.parametrize(("url", "here"), [("http://localhost:8501/", True), ("https://rr.example.org/", False)])
def test_the_link_is_there_to_be_copied_and_says_where_it_works(open_session, monkeypatch, url, here):
    monkeypatch.setattr("streamlit.runtime.context.ContextProxy.url", property(lambda self: url))
    session = open_session("?told=95&asked=20,000")
    assert f"{url}?told=95&asked=20,000" in [code.value for code in session.at.code]
    assert ("this computer only" in session.text) is here


def test_with_few_people_and_many_lies_it_says_that_nothing_can_be_said(session):
    session.set("select_slider", "People asked", 100).set("slider", "Truth told", 57)
    assert "100 people say nothing yet" in drawn(session)


def test_one_passenger_comes_after_the_other(session):
    first = int(re.search(r"Passenger (\d+)", "".join(title.value for title in session.at.header))[1])
    session.click("Next passenger")
    assert f"Passenger {first + 1}" in [title.value for title in session.at.header]
    assert 'class="life turning"' in drawn(session)
    assert 'class="life"' in drawn(session.set("slider", "Truth told", 80))


@pytest.mark.parametrize("i", [0, 1, 7, 40])
def test_a_passengers_answers_are_kept_where_the_wheel_says_so(i):
    shown = survey()
    html = picture.passenger(shown, i, turning=False)
    answers = re.findall(r'class="answer[^"]*">([^<]+)<', html)
    fates = re.findall(r'class="fate (\w+)"', html)
    turns = [float(turn) for turn in re.findall(r"--turn:([\d.]+)turn", html)]
    for true, sent, fate, turn in zip(answers[::2], answers[1::2], fates, turns, strict=True):
        assert (true == sent) == (fate == "kept") == (turn <= shown.told)
    assert html.count('class="person') == min(i + 1, picture.LAST)


def test_what_leaves_the_figure_is_cut_off_and_marked():
    truth = load_demo("titanic").shares(NAMES)
    wild = np.array([[2.4, -1.2], [-1.3, 1.1]])
    html = picture.bars(picture.Bars(truth, truth, wild, wild - 3, wild + 3), picture.Bars(*[truth] * 5))
    places = [float(value) for value in re.findall(r"(?:bottom|height):(-?[\d.]+)%", html)]
    assert 0 <= min(places) <= max(places) <= 100
    assert html.count("cut-low") == html.count("cut-high") == 4
    assert "\N{MINUS SIGN}120.0" in html


def test_bars_grow_from_where_they_were():
    truth = load_demo("titanic").shares(NAMES)
    now, before = (picture.Bars(*[share] * 5) for share in (truth, truth / 2))
    grown = [float(value) for value in re.findall(r"--from:([\d.]+)", picture.bars(now, before))]
    assert grown == pytest.approx([0.5] * 12)
