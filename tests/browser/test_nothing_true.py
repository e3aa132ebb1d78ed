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
    rows = "".join(f"{'yes' if i % 3 else 'no'},{WARDS[i % 2]},{PLANTED}-{i}\n" for i in range(300))
    table = {"name": "survey.csv", "mimeType": "text/csv", "buffer": f"smokes,ward,name\n{rows}".encode()}
    page.locator("input[type=file]").first.set_input_files(table)
    expect(page.get_by_role("heading", name="Budget", exact=True)).to_be_visible()
    settled(page)
    go(page, "Survey")
    page.get_by_role("button", name="Allow these names").click()
    expect(page.get_by_role("button", name="Download form")).to_be_visible(timeout=LOADED)
    settled(page)
    mechanism, form = saved(page, "Download mechanism file", tmp_path), saved(page, "Download form", tmp_path)
    assert mechanism.read_text("utf-8").count(PLANTED) == 2  # the two categories, and nobody's answer
    assert (
        form.read_text("utf-8").count(PLANTED) == 8
    )  # in its mechanism, as a choice, as it is shown, and in what is said of either report

    lines = [_answered(page.context.new_page(), form, i) for i in range(PEOPLE)]
    assert {line.count(PLANTED) for line in lines} == {1}  # the released answer, and no other

    go(page, "Release")
    page.get_by_role("button", name="Randomize 300 rows").click()
    expect(page.get_by_role("button", name="Download the release (ZIP)")).to_be_visible(timeout=LOADED)
    settled(page)
    with zipfile.ZipFile(saved(page, "Download the release (ZIP)", tmp_path)) as archive:
        released = archive.read("released.csv").decode()
        assert "mechanism.json" in archive.namelist()
    assert released.count(PLANTED) == 300  # a newly drawn ward for each
    rows = [line.rpartition(",")[0] for line in released.splitlines()[1:]]
    assert rows != [f"{'yes' if i % 3 else 'no'},{WARDS[i % 2]}" for i in range(300)]

    go(page, "Analyze")
    answers = {"name": "answers.jsonl", "mimeType": "application/json", "buffer": "\n".join(lines).encode()}
    dropped = {"name": "mechanism.json", "mimeType": "application/json", "buffer": mechanism.read_bytes()}
    page.locator("input[type=file]").first.set_input_files([answers, dropped])
    expect(page.get_by_role("button", name="Replace")).to_be_visible(timeout=LOADED)
    settled(page)
    page.close()
    for path in (*(path for path in home.rglob("*") if path.is_file()), log):
        assert PLANTED.encode() not in path.read_bytes(), path.name


def _answered(page, form, person):
    """What one respondent hands in who lives in the first ward; true answers are gone from the page by then."""
    page.goto(form.as_uri())
    to_questions(page)
    give(page, person % 2, 0)
    page.locator("#randomize").click()
    line = page.locator("#record").input_value()
    assert page.locator('[name="q0"], [name="q1"]').count() == 0
    shown = "".join(page.locator("#released dt + dd").all_inner_texts()) + line
    submitted = json.loads(line)["answers"]["ward"]
    assert all((ward in shown) == (ward == submitted) for ward in WARDS)
    page.close()
    return line
