"""Figures stay where they are while their numbers change, and every label in them can be read."""

from __future__ import annotations

import pytest
from PIL import ImageColor
from playwright.sync_api import expect

from rrcore.plots import DARK, LIGHT
from tests.browser.steps import DESKTOP, LOADED, go, settled
from tests.contrast import ENOUGH, contrast

pytestmark = [pytest.mark.browser, pytest.mark.long]

WATCH = """() => {
  const drawing = () => document.querySelector(".js-plotly-plot");
  const first = drawing(), heights = new Set(), seen = window.rrSeen = { away: 0, others: 0, untold: 0, heights, run: true };
  const look = () => {
    const now = drawing();
    if (!now?.querySelector(".bars path")) seen.away++;
    else if (now !== first) seen.others++;
    else heights.add(Math.round(now.getBoundingClientRect().height));
    if (!document.querySelector(".st-key-answer p")) seen.untold++;
    if (seen.run) requestAnimationFrame(look);
  };
  look();
}"""

LABELS = """() => [...document.querySelectorAll(".xtick text, .ytick text, .legendtext, .xtitle, .ytitle, .annotation-text")]
  .map((text) => [text.textContent, getComputedStyle(text).fill])"""


def test_a_figure_is_redrawn_in_place_below_a_sentence_that_stays_until_there_is_another(tab):
    go(tab, "Perturb & estimate")
    bars = tab.locator(".js-plotly-plot .bars .point path")
    expect(bars).to_have_count(24, timeout=LOADED)  # truth, released and estimate of 8 combinations
    settled(tab)
    before = bars.last.get_attribute("d")
    tab.evaluate(WATCH)
    slider = tab.get_by_role("slider", name="Scale all levels")
    for _ in range(3):
        slider.press("ArrowRight")
        expect(bars.last).not_to_have_attribute("d", before, timeout=LOADED)
        before = bars.last.get_attribute("d")
        settled(tab)
    seen = tab.evaluate("({ ...window.rrSeen, run: window.rrSeen.run = false, heights: [...window.rrSeen.heights] })")
    assert (seen["away"], seen["others"], seen["untold"], len(seen["heights"])) == (0, 0, 0, 1)


BELOW = """() => {
  const bottom = document.querySelector(".modebar").getBoundingClientRect().bottom;
  return [...document.querySelectorAll(".legendtext")].map((text) => text.getBoundingClientRect().top - bottom);
}"""


def test_the_buttons_of_a_figure_cover_nothing_of_its_legend(tab):
    go(tab, "Perturb & estimate")
    expect(tab.locator(".js-plotly-plot .legendtext")).to_have_count(4, timeout=LOADED)
    tab.set_viewport_size({"width": 640, "height": 900})  # of which the legend's line takes the whole width
    expect(tab.locator(".js-plotly-plot .main-svg").first).not_to_have_attribute("width", "0", timeout=LOADED)
    settled(tab)
    tab.locator(".js-plotly-plot").hover()
    assert min(tab.evaluate(BELOW)) > 0
    tab.set_viewport_size(DESKTOP)


def test_labels_of_figures_have_contrast_also_where_the_theme_changes_under_an_open_page(tab):
    go(tab, "Budget")
    expect(tab.locator(".js-plotly-plot")).to_have_count(3, timeout=LOADED)
    for scheme, palette in (("light", LIGHT), ("dark", DARK)):
        tab.emulate_media(color_scheme=scheme)  # nothing is pressed: many computers change it in the evening
        red, green, blue = ImageColor.getrgb(palette.text)
        expect(tab.locator(".xtick text").last).to_have_css("fill", f"rgb({red}, {green}, {blue})", timeout=LOADED)
        settled(tab)
        labels = tab.evaluate(LABELS)
        assert {"Kronecker", "Class", "whole record: total (nats)", "one answer"} <= {text for text, _ in labels}
        weak = [(text, ink) for text, ink in labels if contrast(ink, palette.background) < ENOUGH]
        assert weak == []
    tab.emulate_media(color_scheme="light")


def test_a_legend_stays_above_its_figure_where_a_window_becomes_wider(tab):
    go(tab, "Collect")
    legend, plot = tab.locator(".js-plotly-plot .legend .bg"), tab.locator(".js-plotly-plot .nsewdrag")
    expect(plot).to_be_attached(timeout=LOADED)
    settled(tab)
    line = legend.bounding_box()["height"]
    height = "document.querySelector('.legend .bg').getBBox().height"
    tab.set_viewport_size({"width": 390, "height": 900})
    tab.wait_for_function(f"line => {height} > line", arg=line + 10, timeout=LOADED)
    settled(tab)
    lines = legend.bounding_box()["height"]
    tab.set_viewport_size(DESKTOP)
    tab.wait_for_function(f"lines => {height} < lines", arg=lines - 10, timeout=LOADED)
    settled(tab)
    above, below = legend.bounding_box(), plot.bounding_box()
    assert above["y"] + above["height"] <= below["y"]


def test_a_figure_has_no_button_that_sends_it_anywhere(tab):
    go(tab, "Perturb & estimate")
    buttons = tab.locator(".js-plotly-plot").first.locator(".modebar-btn")
    expect(buttons.first).to_be_attached(timeout=LOADED)
    assert buttons.evaluate_all("buttons => buttons.map(button => button.dataset.title)") == [
        "Download plot as a PNG",
        "Fullscreen",
    ]
    assert tab.evaluate("document.querySelector('.js-plotly-plot')._context.plotlyServerURL") == ""
