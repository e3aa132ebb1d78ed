"""From the start page to a downloaded plan, and to a plot of truth and estimate, in a real browser."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect

from rrcore.budget import Plan
from tests.browser.steps import DESKTOP, LOADED, arrive, go, keep_picture, opened, saved, settled

pytestmark = [pytest.mark.browser, pytest.mark.long]

SIZES = {"desktop": DESKTOP, "tablet": {"width": 820, "height": 1180}}


def fits(page: Page, title: str) -> None:
    """In every size of window, the tablet's last."""
    for name, size in SIZES.items():
        page.set_viewport_size(size)
        settled(page)
        keep_picture(page, f"{title}-{name}")
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= size["width"], f"{title} is wider than a {name}'s window"


def slide_to_the_optimum(page):
    """Move the slider below the mechanisms to 1 attribute."""
    slider = page.get_by_role("slider", name=re.compile("Safe for joint distributions"))
    slider.focus()
    slider.press("Home")
    expect(page.get_by_role("radio", name=re.compile("^Optimum"))).to_be_checked(timeout=LOADED)


def test_three_clicks_lead_from_start_to_truth_against_estimate_and_a_plan(browser, address, tmp_path):
    hosts: list[str] = []
    page = opened(browser, address, hosts=hosts, scheme="dark")
    fits(page, "start")

    page.get_by_role("link", name="Data", exact=True).click()
    expect(page.get_by_text("4 attributes, 32 combinations, 2,201 people")).to_be_visible(timeout=LOADED)
    settled(page)
    fits(page, "data")

    page.get_by_role("link", name="Next: set the budget").click()
    expect(page.get_by_text("The whole record costs")).to_be_visible(timeout=LOADED)
    expect(page.locator(".js-plotly-plot")).to_have_count(3, timeout=LOADED)
    expect(page.get_by_role("radio", name=re.compile("Safe for joint distributions of up to 2 attributes"))).to_be_checked()
    page.get_by_test_id("stRadio").get_by_text("Kronecker", exact=True).click()
    expect(page.get_by_text("keep the least: 100.0 % of what they keep under Kronecker")).to_be_visible(timeout=LOADED)
    page.get_by_test_id("stRadio").get_by_text("Safe for joint distributions of up to 2 attributes").click()
    expect(page.get_by_text("keep the least: 100.0 % of what they keep under Kronecker")).to_have_count(0, timeout=LOADED)
    slide_to_the_optimum(page)
    settled(page)
    fits(page, "budget")
    text = saved(page, "Download plan", tmp_path).read_text(encoding="utf-8")
    plan = Plan.from_json(text)
    assert plan.mechanism == "optimal"
    assert plan.schema.names == ("Class", "Sex", "Age", "Survived")
    assert json.loads(text)["total_level"] == pytest.approx(plan.build().total_level)

    page.get_by_role("link", name="Next: perturb and estimate").click()
    expect(page.locator(".js-plotly-plot")).to_have_count(1, timeout=LOADED)
    settled(page)
    legend = page.locator(".js-plotly-plot").first.locator(".legendtext")
    assert [entry.strip() for entry in legend.all_text_contents()] == [
        "truth",
        "released",
        "shrinkage, with 95 % interval",
        "unbiased estimate",
    ]
    expect(page.get_by_text(re.compile("^Optimum: .* less for the record"))).to_be_visible()
    fits(page, "perturb")

    assert set(hosts) <= {"localhost", "127.0.0.1", ""}, "something was asked of another machine"
    page.close()


def test_moving_the_slider_redraws_the_estimate(tab):
    go(tab, "Perturb & estimate")
    expect(tab.locator(".js-plotly-plot")).to_have_count(1, timeout=LOADED)
    settled(tab)
    interval = tab.locator(".js-plotly-plot").first.locator(".yerror")
    before = interval.first.get_attribute("d")
    tab.get_by_role("slider").first.focus()
    tab.keyboard.press("ArrowLeft")
    expect(interval.first).not_to_have_attribute("d", before or "", timeout=LOADED)
    settled(tab)
    expect(tab.get_by_text(re.compile(r"whole\srecord\s×\s77\.9")).first).to_be_visible()  # e^4.355, at 0.95 times the levels


def test_a_figure_is_saved_as_png_and_svg(tab, tmp_path):
    go(tab, "Perturb & estimate")
    expect(tab.locator(".js-plotly-plot")).to_have_count(1, timeout=LOADED)
    legend = tab.locator(".js-plotly-plot").first.locator(".legendtext").all_text_contents()
    assert saved(tab, "as PNG", tmp_path).read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    drawing = saved(tab, "as SVG", tmp_path)
    assert drawing.name == "with-true-shares-simulated-truth-and-estimate.svg"
    text = drawing.read_text(encoding="utf-8")
    assert text.startswith("<svg")
    assert "rgb(255, 255, 255)" in text[:2000]  # a ground of its own
    assert [entry for entry in legend if entry not in text] == []


def test_a_point_of_a_trade_off_is_adopted_pinned_and_loaded_back(tab):
    go(tab, "Budget")
    expect(tab.get_by_text("The whole record costs")).to_be_visible(timeout=LOADED)
    settled(tab)
    tab.get_by_text("Trade-offs", exact=True).click()
    tab.get_by_text("Total against leakage", exact=True).click()
    points = tab.locator(".js-plotly-plot").last.locator(".points path.point")
    expect(tab.get_by_text("leakage above the level of any attribute")).to_be_visible(timeout=LOADED)
    settled(tab)
    points.nth(3).click(force=True)
    expect(tab.get_by_role("radio", name=re.compile("Optimum with safeguards"))).to_be_checked(timeout=LOADED)
    settled(tab)
    tab.get_by_role("button", name="Pin plan").click()
    expect(tab.get_by_text("Pinned as 'Optimum with safeguards'")).to_be_visible(timeout=LOADED)
    tab.get_by_role("link", name="Plans", exact=True).click()
    expect(tab.get_by_role("heading", name="Plans")).to_be_visible(timeout=LOADED)
    settled(tab)
    tab.get_by_role("button", name="Load", exact=True).click()
    expect(tab.get_by_role("heading", name="Budget")).to_be_visible(timeout=LOADED)
    settled(tab)
    expect(tab.get_by_role("radio", name=re.compile("Optimum with safeguards"))).to_be_checked()


def test_slow_work_leaves_what_was_chosen_alone(tab, address):
    """While levels are sought the widgets below are gone for a moment; they must come back as they were."""
    arrive(tab, address)
    tab.get_by_role("button", name="Use this table").nth(3).click()
    expect(tab.get_by_text("The whole record costs")).to_be_visible(timeout=LOADED)
    settled(tab)
    tab.get_by_text("One total, and what matters more", exact=True).click()
    expect(tab.get_by_text("What other mechanisms afford for this total")).to_be_visible(timeout=LOADED)
    settled(tab)
    expect(tab.get_by_label("People", exact=True)).to_have_value("32561")
    slide_to_the_optimum(tab)
    settled(tab)
    expect(tab.get_by_role("radio", name=re.compile("^Optimum"))).to_be_checked(timeout=LOADED)
    expect(tab.get_by_label("People", exact=True)).to_have_value("32561")


def test_schemes_are_compared_live_and_a_click_shows_one(browser, address):
    page = opened(browser, address)
    page.get_by_role("link", name="Compare", exact=True).click()
    expect(page.get_by_text("comes closest")).to_be_visible(timeout=LOADED)
    settled(page)
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.get_by_text("A first look")).to_have_count(0, timeout=LOADED)
    settled(page)
    expect(page.get_by_text("Click a point")).to_be_visible(timeout=LOADED)  # which is said when the figure no longer grows
    settled(page)
    points = page.locator(".js-plotly-plot").first.locator(".points path.point")
    points.last.evaluate("point => point.scrollIntoView({block: 'center'})")  # not below the header
    points.last.click(force=True)
    expect(page.get_by_text("Pair-safe, shrunk: largest cell error")).to_be_visible(timeout=LOADED)
    settled(page)
    keep_picture(page, "compare")
    points.first.evaluate("point => point.scrollIntoView({block: 'center'})")
    points.first.click(force=True)
    expect(page.get_by_text("RR-Independent: largest cell error")).to_be_visible(timeout=LOADED)
    settled(page)
    page.close()
