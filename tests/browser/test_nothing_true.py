"""True answers that pass through the pages and the form leave no trace: not in files, not in the server's output, not in downloads."""

from __future__ import annotations

import json
import zipfile

import pytest
from playwright.sync_api import expect

from tests.browser.steps import LOADED, give, go, opened, saved, settled, to_questions

pytestmark = pytest.mark.browser

PLANTED = "quagmire-91bc"
"""Part of both answers to 'ward', which is asked and collected, and of every row of a column that is nobody's attribute."""

WARDS = (f"{PLANTED}-east", f"{PLANTED}-west")
PEOPLE = 6


@pytest.mark.long
def test_collected_answers_leave_no_trace(browser, watched, tmp_path):
    address, home, log = watched
    page = opened(browser, address)
    go(page, "Data")
    page.get_by_text("Upload a file", exact=True).click()
    expect(page.get_by_text("A table with one row per person")).to_be_visible(timeout=LOADED)
    settled(page)
    rows = "".join(f"{'yes' if i % 3 else 'no'},{WARDS[i % 2]},{PLANTED}-{i}\n" for i in range(300))
    table = {"name": "survey.csv", "mimeType": "text/csv", "buffer": f"smokes,ward,name\n{rows}".encode()}
    page.locator("input[type=file]").first.set_input_files(table)
    expect(page.get_by_text("2 attributes, 4 combinations, 300 people")).to_be_visible(timeout=LOADED)
    settled(page)
    page.get_by_role("button", name="They may be seen").click()  # the names of the wards leave, as the categories that they are
    settled(page)
    go(page, "Perturb & estimate")
    go(page, "Collect")
    page.get_by_text("This is what I want").click()  # the plan that every table begins with
    settled(page)
    page.get_by_text("Details", exact=True).click()
    buttons = ("Download mechanism file", "Certificate (text)", "Certificate (JSON)", "Download form")
    mechanism, *certificates, form = [saved(page, button, tmp_path) for button in buttons]
    assert [path.read_text("utf-8").count(PLANTED) for path in certificates] == [0, 0]
    assert mechanism.read_text("utf-8").count(PLANTED) == 2  # the two categories, and nobody's answer
    assert (
        form.read_text("utf-8").count(PLANTED) == 8
    )  # in its mechanism, as a choice, as it is shown, and in what is said of either report

    lines = [_answered(page.context.new_page(), form, i) for i in range(PEOPLE)]
    assert {line.count(PLANTED) for line in lines} == {1}  # the released answer, and no other

    go(page, "Release")
    page.get_by_role("button", name="Randomise the answers of 300 people").click()
    expect(page.get_by_text("The answers of 300 people were randomised")).to_be_visible(timeout=LOADED)
    settled(page)
    with zipfile.ZipFile(saved(page, "Download the release (ZIP)", tmp_path)) as archive:
        released = archive.read("released.csv").decode()
        assert "mechanism.json" in archive.namelist()
    assert released.count(PLANTED) == 300  # a ward for each, drawn anew
    rows = [line.rpartition(",")[0] for line in released.splitlines()[1:]]
    assert rows != [f"{'yes' if i % 3 else 'no'},{WARDS[i % 2]}" for i in range(300)]

    go(page, "Read")
    answers = {"name": "answers.jsonl", "mimeType": "application/json", "buffer": "\n".join(lines).encode()}
    page.locator("input[type=file]").nth(0).set_input_files(mechanism)
    expect(page.get_by_text("Mechanism of 2 attributes")).to_be_visible(timeout=LOADED)
    page.locator("input[type=file]").nth(1).set_input_files(answers)
    expect(page.get_by_text(f"{PEOPLE} answers used")).to_be_visible(timeout=LOADED)
    settled(page)
    everything = json.loads(saved(page, "Everything (JSON)", tmp_path).read_text("utf-8"))
    assert everything["answers"] == PEOPLE
    page.close()
    for path in (*(path for path in home.rglob("*") if path.is_file()), log):
        assert PLANTED.encode() not in path.read_bytes(), path.name


def _answered(page, form, person):
    """What one respondent hands in who lives in the first ward; true answers are gone from the page by then."""
    page.goto(form.as_uri())
    to_questions(page)
    give(page, person % 2, 0)
    page.locator("#randomise").click()
    line = page.locator("#record").input_value()
    assert page.locator('[name="q0"], [name="q1"]').count() == 0
    shown = "".join(page.locator("#released dt + dd").all_inner_texts()) + line
    told = json.loads(line)["answers"]["ward"]
    assert all((ward in shown) == (ward == told) for ward in WARDS)
    page.close()
    return line
