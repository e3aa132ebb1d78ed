"""From the start page to a downloaded plan, and to a plot of truth and estimate, in a real browser."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from urllib.parse import urlparse

import pytest
from playwright.sync_api import Browser, Page, expect

from rrcore.budget import Plan

pytestmark = pytest.mark.browser

SIZES = {"desktop": {"width": 1360, "height": 900}, "tablet": {"width": 820, "height": 1180}}
LOADED = 30_000


def settled(page: Page) -> None:
    """Wait until the script has run to its end, and no page shows an exception."""
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning", timeout=LOADED)
    expect(page.get_by_test_id("stException")).to_have_count(0)


def keep_picture(page: Page, name: str) -> None:
    """Save a screenshot for looking at, where RR_SCREENSHOTS says."""
    if folder := os.environ.get("RR_SCREENSHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(folder) / f"{name}.png")


def open_start(browser: Browser, address: str, size: str, scheme: str) -> tuple[Page, list[str]]:
    """The start page in a fresh session, and the list of hosts that are asked for anything from then on."""
    context = browser.new_context(viewport=SIZES[size], color_scheme=scheme, accept_downloads=True)
    page = context.new_page()
    hosts: list[str] = []
    page.on("request", lambda request: hosts.append(urlparse(request.url).hostname or ""))
    page.goto(address)
    expect(page.get_by_role("heading", name="RR Workbench")).to_be_visible(timeout=LOADED)
    settled(page)
    return page, hosts


def test_a_link_into_a_page_of_a_fresh_server_arrives(browser, address):
    page = browser.new_context(viewport=SIZES["desktop"]).new_page()
    page.goto(f"{address}/budget")
    page.get_by_role("link", name="Budget", exact=True).click()
    expect(page.get_by_text("The whole record costs")).to_be_visible(timeout=LOADED)
    settled(page)
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", list(SIZES))
def test_three_clicks_lead_from_start_to_truth_against_estimate_and_a_plan(browser, address, size, scheme):
    page, hosts = open_start(browser, address, size, scheme)
    keep_picture(page, f"start-{size}-{scheme}")

    page.get_by_role("link", name="Look at the data").click()
    expect(page.get_by_text("4 attributes, 32 combinations, 2,201 people")).to_be_visible(timeout=LOADED)
    settled(page)
    keep_picture(page, f"data-{size}-{scheme}")

    page.get_by_role("link", name="Next: set the budget").click()
    expect(page.get_by_text("The whole record costs")).to_be_visible(timeout=LOADED)
    expect(page.locator(".js-plotly-plot")).to_have_count(3, timeout=LOADED)
    expect(page.get_by_role("radio", name=re.compile("Pair-safe"))).to_be_checked()
    page.get_by_test_id("stRadio").get_by_text("Kronecker", exact=True).click()
    expect(page.get_by_text("keeps 100.0 % of the interaction")).to_be_visible(timeout=LOADED)
    page.get_by_test_id("stRadio").get_by_text("Optimum", exact=True).click()
    expect(page.get_by_text("keeps 100.0 % of the interaction")).to_have_count(0, timeout=LOADED)
    settled(page)
    keep_picture(page, f"budget-{size}-{scheme}")
    with page.expect_download() as downloaded:
        page.get_by_role("button", name="Download plan").click()
    text = Path(downloaded.value.path()).read_text(encoding="utf-8")
    plan = Plan.from_json(text)
    assert plan.mechanism == "optimal"
    assert plan.schema.names == ("Class", "Sex", "Age", "Survived")
    assert json.loads(text)["total_level"] == pytest.approx(plan.build().total_level)

    page.get_by_role("link", name="Next: perturb and estimate").click()
    expect(page.locator(".js-plotly-plot")).to_have_count(2, timeout=LOADED)
    settled(page)
    legend = page.locator(".js-plotly-plot").first.locator(".legendtext")
    assert [entry.strip() for entry in legend.all_text_contents()] == ["truth", "released", "estimate, with 95 % interval"]
    expect(page.get_by_role("radio", name=re.compile("Optimum"))).to_be_checked()
    keep_picture(page, f"perturb-{size}-{scheme}")

    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= SIZES[size]["width"], "the page is wider than its window"
    assert set(hosts) <= {"localhost", "127.0.0.1", ""}, "something was asked of another machine"
    page.context.close()


def test_a_point_of_a_trade_off_is_adopted_pinned_and_loaded_back(browser, address):
    page, _ = open_start(browser, address, "desktop", "light")
    page.get_by_role("link", name="Budget", exact=True).click()
    expect(page.get_by_text("The whole record costs")).to_be_visible(timeout=LOADED)
    settled(page)
    page.get_by_text("Trade-offs", exact=True).click()
    page.get_by_text("Total against leakage", exact=True).click()
    points = page.locator(".js-plotly-plot").last.locator(".points path.point")
    expect(page.get_by_text("leakage above the level of any attribute")).to_be_visible(timeout=LOADED)
    settled(page)
    points.nth(3).click(force=True)
    expect(page.get_by_role("radio", name=re.compile("Optimum with safeguards"))).to_be_checked(timeout=LOADED)
    settled(page)
    page.get_by_role("button", name="Pin plan").click()
    expect(page.get_by_text("Pinned as 'Optimum with safeguards'")).to_be_visible(timeout=LOADED)
    page.get_by_role("link", name="Plans", exact=True).click()
    expect(page.get_by_role("heading", name="Plans")).to_be_visible(timeout=LOADED)
    settled(page)
    page.get_by_role("button", name="Load", exact=True).click()
    expect(page.get_by_role("heading", name="Budget")).to_be_visible(timeout=LOADED)
    settled(page)
    expect(page.get_by_role("radio", name=re.compile("Optimum with safeguards"))).to_be_checked()
    page.context.close()


def test_slow_work_leaves_what_was_chosen_alone(browser, address):
    """While levels are sought the widgets below are gone for a moment; they must come back as they were."""
    page, _ = open_start(browser, address, "desktop", "light")
    page.get_by_role("button", name="Use this table").nth(3).click()
    expect(page.get_by_text("The whole record costs")).to_be_visible(timeout=LOADED)
    settled(page)
    page.get_by_text("I give one total, and what matters more", exact=True).click()
    expect(page.get_by_text("What other mechanisms afford for this total")).to_be_visible(timeout=LOADED)
    settled(page)
    expect(page.get_by_label("People", exact=True)).to_have_value("32561")
    page.get_by_test_id("stRadio").get_by_text("Optimum", exact=True).click()
    settled(page)
    expect(page.get_by_role("radio", name=re.compile("Optimum"))).to_be_checked(timeout=LOADED)
    expect(page.get_by_label("People", exact=True)).to_have_value("32561")
    page.context.close()


def test_moving_the_slider_redraws_the_estimate(browser, address):
    page, _ = open_start(browser, address, "desktop", "light")
    page.get_by_role("link", name="Perturb and estimate").click()
    expect(page.locator(".js-plotly-plot")).to_have_count(2, timeout=LOADED)
    settled(page)
    interval = page.locator(".js-plotly-plot").first.locator(".yerror")
    before = interval.first.get_attribute("d")
    page.get_by_role("slider").first.focus()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_text("total 7.60")).to_be_visible(timeout=LOADED)
    settled(page)
    expect(interval.first).not_to_have_attribute("d", before or "", timeout=LOADED)
    page.context.close()


def test_a_downloaded_figure_opens_without_a_network(browser, address, tmp_path):
    page, _ = open_start(browser, address, "desktop", "light")
    page.get_by_role("link", name="Perturb and estimate").click()
    expect(page.locator(".js-plotly-plot")).to_have_count(2, timeout=LOADED)
    settled(page)
    with page.expect_download() as downloaded:
        page.get_by_role("button", name="Figure (HTML)").first.click()
    file = tmp_path / "figure.html"
    downloaded.value.save_as(file)
    page.context.close()

    offline = browser.new_context(offline=True)
    reader = offline.new_page()
    reader.goto(file.as_uri())
    expect(reader.locator(".js-plotly-plot .legendtext")).to_have_count(3, timeout=LOADED)
    offline.close()


def test_an_upload_and_a_bad_upload(browser, address):
    page, _ = open_start(browser, address, "desktop", "light")
    page.get_by_role("link", name="Data", exact=True).first.click()
    page.get_by_text("Upload a file", exact=True).click()
    chooser = page.locator("input[type=file]")
    chooser.set_input_files({"name": "page.csv", "mimeType": "text/csv", "buffer": b"<!doctype html><html></html>"})
    expect(page.get_by_text("The file is a web page or XML, not a table.")).to_be_visible(timeout=LOADED)
    expect(page.get_by_text("4 attributes, 32 combinations, 2,201 people")).to_be_visible()
    rows = "".join(f"{'yes' if i % 3 else 'no'};{'a' if i % 2 else 'b'}\n" for i in range(60))
    chooser.set_input_files({"name": "survey.csv", "mimeType": "text/csv", "buffer": f"smokes;ward\n{rows}".encode()})
    expect(page.get_by_text("2 attributes, 4 combinations, 60 people")).to_be_visible(timeout=LOADED)
    settled(page)
    page.context.close()


def test_schemes_are_compared_live_and_a_click_shows_one(browser, address):
    page, _ = open_start(browser, address, "desktop", "light")
    page.get_by_role("link", name="Compare", exact=True).click()
    expect(page.get_by_text("What each scheme spends")).to_be_visible(timeout=LOADED)
    settled(page)
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.get_by_text("A closer look")).to_be_visible(timeout=LOADED)
    settled(page)
    keep_picture(page, "compare")
    points = page.locator(".js-plotly-plot").first.locator(".points path.point")
    points.last.click(force=True)
    expect(page.get_by_text("Pair-safe: largest cell error")).to_be_visible(timeout=LOADED)
    settled(page)
    page.context.close()
