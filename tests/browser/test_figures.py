"""Figures draw every category as one, keep their labels level and legible, and stay in place while they change."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import plotly
import pytest
from PIL import ImageColor
from playwright.sync_api import Page, expect
from plotly.io.json import to_json_plotly

from rrcore import plots
from rrcore.estimate import Result
from rrcore.plots import DARK, LIGHT
from rrcore.plots.frame import bar, framed
from rrcore.table import Attribute, Schema
from tests.browser.steps import LOADED, go, settled
from tests.contrast import ENOUGH, contrast

pytestmark = [pytest.mark.browser, pytest.mark.long]

SCRIPT = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
COMPONENT = Path(__file__).parents[2] / "assets" / "components" / "figure.js"

DRAW = """([spec, width]) => {
  document.body.replaceChildren();
  const parentElement = document.body.appendChild(document.createElement("div"));
  parentElement.style.width = `${width}px`;
  window.rrFigure({ data: { spec, config: {}, alt: "", height: 400 }, parentElement, setTriggerValue() {} });
}"""
LABELS = """(ticks) => [...document.querySelectorAll(ticks)].map((text) => {
  const { left, right, top, bottom } = text.getBoundingClientRect();
  return { text: text.textContent, left, right, top, bottom, angle: /rotate\\((?!0)/.test(text.getAttribute("transform")) };
})"""

CATEGORIES = """() => {
  const { xaxis, yaxis } = document.querySelector(".js-plotly-plot")._fullLayout;
  return [xaxis, yaxis].find((axis) => axis.type === "category")._categories.length;
}"""

AWKWARD = [
    ("1", "2", "3", "4", "5", "(missing)"),
    ("0", "1", "2", "3", "4 or more"),
    ("01-06", "07-09", "10-12"),
]


@pytest.fixture(scope="module")
def bare(browser) -> Iterator[Page]:
    """An empty page with what draws figures, and nothing of a server."""
    page = browser.contexts[0].new_page()
    page.add_script_tag(path=SCRIPT)
    code = COMPONENT.read_text(encoding="utf-8").replace("export default function", "window.rrFigure = function")
    page.add_script_tag(content=f"window.rrWorkbenchPlotly = Promise.resolve(Plotly);\n{code}")
    yield page
    page.close()


def labels(page: Page, figure, width: int, ticks: str):
    page.evaluate(DRAW, [to_json_plotly(figure.to_plotly_json()), width])
    page.locator(".js-plotly-plot .main-svg").first.wait_for(state="attached")
    before, found = None, []
    while not found or found != before:  # until it is at rest
        page.wait_for_timeout(200)
        before, found = found, page.evaluate(LABELS, ticks)
    return found


@pytest.mark.parametrize("answers", AWKWARD, ids=["numbers", "or more", "dates"])
def test_every_answer_is_drawn_as_a_category(bare, answers):
    schema, shares = Schema((Attribute("children", answers),)), np.linspace(0.1, 0.3, len(answers))
    interval = (shares - 0.05, shares + 0.05)
    rows = Result(
        labels={"children": answers}, estimate=shares, std_error=shares / 9, conf_low=interval[0], conf_high=interval[1]
    )
    drawn = [
        plots.marginal_figure(schema, shares, LIGHT, truth=shares, randomized=shares, interval=interval),
        plots.result_figure(rows, LIGHT, of="people"),
        framed([bar(list(answers), shares, LIGHT.estimate, lying=False)], LIGHT, height=300),
        framed([bar(list(answers), shares, LIGHT.estimate)], LIGHT, height=300),
    ]
    for figure in drawn:
        ticks = [each["text"] for each in labels(bare, figure, 800, ".xtick text, .ytick text")]
        assert set(answers) <= set(ticks)
        assert bare.evaluate(CATEGORIES) == len(answers)


@pytest.mark.parametrize("width", [340, 1000])
def test_names_below_a_figure_are_level_and_apart(bare, width):
    names = ["workclass", "education of both parents", "marital-status", "occupation", "relationship", "race", "sex", "income"]
    regions = [f"{name} by region" for name in names[:5]]
    drawn = [
        plots.dependence_map(np.full((8, 8), 0.4), names, LIGHT),
        framed([bar(regions, np.full(5, 0.2), LIGHT.estimate, lying=False)], LIGHT, height=300),
    ]
    for figure in drawn:
        below = labels(bare, figure, width, ".xtick text")
        assert below
        assert not any(each["angle"] for each in below)
        assert [(one, other) for one, other in pairwise(below) if one["right"] > other["left"] + 1] == []


def test_the_scale_of_a_map_covers_every_value():
    v = np.array([[np.nan, 0.9], [0.9, np.nan]])
    heat = plots.dependence_map(v, ["a", "b"], LIGHT).data[0]
    assert heat.zmax == 0.9


CHANGE = """async (specs) => {
  const parentElement = document.querySelector(".rr-figure").parentElement;
  const first = document.querySelector(".js-plotly-plot"), heights = new Set();
  let blank = 0, run = true;
  const look = () => {
    const now = document.querySelector(".js-plotly-plot");
    if (now !== first || !now.querySelector(".trace path")) blank++;
    heights.add(now.getBoundingClientRect().height);
    if (run) requestAnimationFrame(look);
  };
  look();
  for (const spec of specs) {
    window.rrFigure({ data: { spec, config: {}, alt: "", height: 400 }, parentElement, setTriggerValue() {} });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  run = false;
  return [blank, heights.size];
}"""


def test_a_figure_changes_in_place_without_blank_frames(bare):
    def spec(share: float) -> str:
        return to_json_plotly(
            framed([bar(list(AWKWARD[0]), np.full(6, share), LIGHT.estimate)], LIGHT, height=300).to_plotly_json()
        )

    bare.evaluate(DRAW, [spec(0.1), 800])
    bare.wait_for_timeout(300)
    assert bare.evaluate(CHANGE, [spec(0.2), spec(0.3), spec(0.4)]) == [0, 1]


INKS = """() => [...document.querySelectorAll(".xtick text, .ytick text, .legendtext, .xtitle, .ytitle, .annotation-text")]
  .map((text) => [text.textContent, getComputedStyle(text).fill])"""


def test_labels_have_contrast_when_the_theme_changes(tab):
    go(tab, "Budget")
    for scheme, palette in (("light", LIGHT), ("dark", DARK)):
        tab.emulate_media(color_scheme=scheme)  # many computers change it in the evening
        red, green, blue = ImageColor.getrgb(palette.text)
        expect(tab.locator(".xtick text").last).to_have_css("fill", f"rgb({red}, {green}, {blue})", timeout=LOADED)
        settled(tab)
        found = tab.evaluate(INKS)
        assert found
        assert [text for text, ink in found if contrast(ink, palette.background) < ENOUGH] == []
    tab.emulate_media(color_scheme="light")


def test_a_figure_has_no_button_that_sends_it_anywhere(tab):
    go(tab, "Simulate")
    buttons = tab.locator(".js-plotly-plot").first.locator(".modebar-btn")
    expect(buttons.first).to_be_attached(timeout=LOADED)
    names = buttons.evaluate_all("buttons => buttons.map(button => button.dataset.title)")
    assert names == ["Download plot as a PNG", "Fullscreen"]
    assert tab.evaluate("document.querySelector('.js-plotly-plot')._context.plotlyServerURL") == ""
