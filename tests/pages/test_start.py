"""Start: doors, live example and demo tables."""

import re
from pathlib import Path

import numpy as np
import pytest

from pages.shared import middleware
from pages.start import picture
from rrcore.simulation import demonstrate
from rrcore.table import DEMOS, load_demo

NAMES = ("Sex", "Survived")
ASSETS = Path(__file__).parents[2] / "assets"


def drawn(session):
    return "".join(element.proto.body for element in session.at.get("html")).replace("\N{NO-BREAK SPACE}", " ")


def put(session, data):
    """Choose a file at the table door."""
    session.at.file_uploader(key="door_upload").set_value(("toys.csv", data, "text/csv"))
    return session.run()


@pytest.mark.parametrize("table", ["titanic", ""])
def test_start_opens_with_and_without_a_table(open_session, table):
    session = open_session("/", table=table)
    assert session.title == "Protect every answer, and still learn the percentages"
    assert len(session.at.header) == 6
    assert [button.key for button in session.at.button if (button.key or "").startswith("demo_")] == [
        f"demo_{key}" for key in DEMOS
    ]
    assert {"analyze", "learn"} <= set(session.links)
    assert session.errors == []


@pytest.mark.parametrize(("unchanged", "n", "epsilon"), [(75, 2201, 1.10), (90, 20_000, 2.20)])
def test_sliders_give_epsilon_and_estimate(session, unchanged, n, epsilon):
    if unchanged != 75:
        session.set("slider", "Answers unchanged", unchanged).set("select_slider", "Sample size", n)
    rng = np.random.default_rng(np.random.SeedSequence([0, *b"start"]))
    estimate = demonstrate(load_demo("titanic"), NAMES, unchanged / 100, n, rng=rng).release.estimate(NAMES)
    assert f"ε = {epsilon:g} per answer, {2 * epsilon:g} " in session.text
    assert f"randomized {100 * estimate.released[1, 1]:.1f}" in drawn(session)
    assert f">{100 * estimate.shares[0, 0]:.1f}<" in drawn(session)


def test_a_link_opens_the_sliders(open_session):
    session = open_session("?unchanged=95&asked=20,000")
    assert session.widget("slider", "Answers unchanged").value == 95
    assert session.widget("select_slider", "Sample size").value == 20_000
    assert session.warnings == []


def test_next_passenger_turns_the_wheels_once(session):
    session.click("Next passenger")
    assert "Passenger 25" in [title.value for title in session.at.header]
    assert 'class="life turning"' in drawn(session)
    assert 'class="life"' in drawn(session.set("slider", "Answers unchanged", 80))


@pytest.mark.parametrize("i", [0, 7, 40])
def test_answers_are_unchanged_where_the_wheel_shows_it(i):
    survey = demonstrate(load_demo("titanic"), NAMES, 0.75, 60, rng=np.random.default_rng(5))
    html = picture.passenger(survey, i, turning=False)
    answers = re.findall(r'class="answer[^"]*">([^<]+)<', html)
    fates = re.findall(r'class="fate (\w+)"', html)
    turns = [float(turn) for turn in re.findall(r"--turn:([\d.]+)turn", html)]
    for true, recorded, fate, turn in zip(answers[::2], answers[1::2], fates, turns, strict=True):
        assert (true == recorded) == (fate == "unchanged") == (turn <= survey.unchanged)
    assert html.count('class="person') == min(i + 1, picture.LAST)


def test_bars_stay_within_the_figure_and_grow_from_before():
    truth = load_demo("titanic").shares(NAMES)
    wild = np.array([[2.4, -1.2], [-1.3, 1.1]])
    html = picture.bars(picture.Bars(truth, truth, wild, wild - 3, wild + 3), picture.Bars(*[truth] * 5))
    places = [float(value) for value in re.findall(r"(?:bottom|height):(-?[\d.]+)%", html)]
    assert 0 <= min(places) <= max(places) <= 100
    assert html.count("cut-low") == html.count("cut-high") == 4
    now, before = (picture.Bars(*[share] * 5) for share in (truth, truth / 2))
    assert [float(each) for each in re.findall(r"--from:([\d.]+)", picture.bars(now, before))] == pytest.approx([0.5] * 12)


@pytest.mark.parametrize("key", DEMOS)
def test_a_demo_table_opens_on_budget(session, key):
    session.click(f"demo_{key}")
    assert session.title == "Budget"
    assert session.at.session_state["work"].title == DEMOS[key].title


def test_an_uploaded_table_opens_on_budget(session):
    put(session, b"color,size\n" + b"red,1\nblue,2\n" * 20)
    assert session.title == "Budget"
    assert session.at.session_state["work"].dataset.n == 40


def test_an_unreadable_file_is_refused_at_the_door(session):
    before = session.title
    put(session, b"\x00\x01\x02" * 50)
    assert session.title == before
    assert len(session.errors) == 1
    assert session.at.session_state["work"].title == "Titanic"


def test_a_saved_project_opens_from_start(session):
    saved = session.given(save=True).run().download("project.json")
    session.at.file_uploader(key="project_file").set_value(("project.json", saved.encode(), "application/json"))
    assert session.run().title == "Budget"


def test_questions_without_data_open_on_data(session):
    assert session.click("No data yet? Describe questions").title == "Data"


def test_pictures_and_styles_request_nothing_elsewhere():
    assert {file.stem for file in (ASSETS / "demos").iterdir()} == set(DEMOS)
    for file in (*ASSETS.rglob("*.svg"), *ASSETS.glob("*.css")):
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?:|//\w|url\(|@import|href", text), file


def test_the_html_page_has_the_first_styles_and_the_same_scripts():
    page, original = middleware._index(), middleware._STREAMLIT.read_text(encoding="utf-8")
    assert (ASSETS / "first.css").read_text(encoding="utf-8") in page
    assert re.findall("<script.*?</script>", page, re.DOTALL) == re.findall("<script.*?</script>", original, re.DOTALL)
