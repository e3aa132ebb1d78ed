"""Main journeys in a real browser, with their actions counted."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from rrcore.budget import build
from rrcore.promise import MechanismFile, integer_groups, randomize
from rrcore.table import load_demo
from tests.browser.steps import LOADED, arrive, go, opened, settled

pytestmark = [pytest.mark.browser, pytest.mark.long]

TABLE = "smokes,drinks\n" + "yes,no\nno,no\nno,yes\nno,no\n" * 200


def test_a_verdict_after_an_upload(browser, address):
    """Choosing a file leads to Budget: one action. Its link leads there again, and nothing is asked of another machine."""
    hosts: list[str] = []
    page = opened(browser, address, hosts=hosts)
    file = {"name": "survey.csv", "mimeType": "text/csv", "buffer": TABLE.encode()}
    page.locator("input[type=file]").first.set_input_files(file)
    expect(page.get_by_text(re.compile("(Strong|Moderate|Weak) protection")).first).to_be_visible(timeout=LOADED)
    expect(page.locator(".st-key-header")).to_contain_text("survey")
    go(page, "Budget")
    expect(page.locator(".st-key-header")).to_contain_text("survey")
    assert set(hosts) <= {"localhost", "127.0.0.1", ""}
    page.close()


def test_another_epsilon_on_simulate_changes_only_the_figure(tab, address):
    arrive(tab, address)
    go(tab, "Simulate")
    interval = tab.locator(".js-plotly-plot .xerror").first
    expect(interval).to_be_attached(timeout=LOADED)
    settled(tab)
    before, plan = interval.get_attribute("d"), tab.locator(".st-key-header").inner_text()
    tab.get_by_role("slider").first.focus()
    tab.keyboard.press("ArrowLeft")
    expect(interval).not_to_have_attribute("d", before or "", timeout=LOADED)
    settled(tab)
    assert tab.locator(".st-key-header").inner_text() == plan
    tab.get_by_role("button", name="Use this ε").click()
    expect(tab.get_by_test_id("stToast")).to_be_visible(timeout=LOADED)
    expect(tab.locator(".st-key-header")).not_to_have_text(plan, timeout=LOADED)


def test_estimates_one_action_after_the_answers_are_dropped(tab, address):
    table = load_demo("titanic")
    file = MechanismFile(table.schema, integer_groups(build("preserving-2", table.schema.sizes, np.full(4, 1.0))))
    answers = randomize(table, file)
    rows = [[a.categories[code] for a, code in zip(table.schema.attributes, row, strict=True)] for row in answers.codes]
    text = "\n".join(",".join(row) for row in [list(table.schema.names), *rows])
    arrive(tab, address)
    go(tab, "Analyze")
    tab.locator("input[type=file]").first.set_input_files(
        [
            {"name": "answers.csv", "mimeType": "text/csv", "buffer": text.encode()},
            {"name": "mechanism.json", "mimeType": "application/json", "buffer": file.to_json().encode()},
        ]
    )
    expect(tab.locator(".js-plotly-plot .xerror").first).to_be_attached(timeout=LOADED)
    settled(tab)
