"""From a plan to a mechanism file, a form, answers and their estimates, in a real browser, where nobody has true answers."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import expect

from rrcore.answers import read_answers
from rrcore.arrays import count_cells
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.demo import load_demo
from tests.browser.steps import LOADED, opened, saved

pytestmark = [pytest.mark.browser, pytest.mark.long]

PEOPLE = 600
FRESH = 20

ANSWER = """async ([form, people, fresh]) => {
  const lines = [];
  const answer = async (page, codes) => {
    const record = page.getElementById("record");
    record.value = "";
    page.getElementById("randomize").disabled = false; // a second press does nothing
    page.getElementById("start").click();
    while (page.getElementById("questions").hidden) {
      await new Promise((done) => setTimeout(done));
      page.querySelector("section:not([hidden]) [data-go='1']")?.click();
    }
    for (const [i, code] of codes.entries()) {
      page.querySelectorAll(`[name="q${i}"]`)[code].click();
      if (!page.getElementById("onward").hidden) page.getElementById("onward").click();
    }
    page.getElementById("randomize").click();
    while (!record.value) await new Promise((done) => setTimeout(done));
    lines.push(record.value);
  };
  let frame;
  for (const codes of people.slice(0, fresh)) {
    frame?.remove();
    frame = document.createElement("iframe");
    const loaded = new Promise((done) => frame.addEventListener("load", done, { once: true }));
    frame.hidden = true;
    frame.srcdoc = form;
    document.body.append(frame);
    await loaded;
    await answer(frame.contentDocument, codes);
  }
  const reopened = new Promise((done) => frame.addEventListener("load", done, { once: true }));
  frame.srcdoc = form;
  await reopened;
  const page = frame.contentDocument;
  frame.contentWindow.HTMLElement.prototype.focus = () => {}; // every screen would be laid out for it
  const questions = page.getElementById("questions");
  for (const codes of people.slice(fresh)) {
    page.getElementById("before").after(questions); // the form removes its questions after an answer
    await answer(page, codes);
  }
  return lines;
}"""
"""One respondent after another answers truthfully in the form and has the answers randomized; what would be handed in comes back. The first
ones open the form again, the others share one copy that gets its questions back.
"""


@pytest.fixture(scope="module")
def collected(browser, address, tmp_path_factory):
    """The steward's two files, and what 600 scripted respondents hand in."""
    folder = tmp_path_factory.mktemp("survey")
    page = opened(browser, f"{address}/survey", "Survey")
    expect(page.get_by_role("button", name="Download form")).to_be_visible(timeout=LOADED)
    mechanism, form = saved(page, "Download mechanism file", folder), saved(page, "Download form", folder)

    people = load_demo("titanic").codes[np.random.default_rng(0).permutation(2201)[:PEOPLE]]
    alone = browser.new_context(offline=True)
    lines = alone.new_page().evaluate(ANSWER, [form.read_text(encoding="utf-8"), people.tolist(), FRESH])
    alone.close()
    answers = folder / "answers.json"
    answers.write_text("\n".join(lines), encoding="utf-8")
    page.close()
    return mechanism, answers, people


def test_every_marginal_of_the_form_s_answers_is_near_the_scripted_truth(collected):
    """All 11 pairs, triples and the quadruple: no cell is further off than 6 standard errors. False alarm: 3e-7."""
    mechanism, answers, people = collected
    file = MechanismFile.from_json(mechanism.read_text(encoding="utf-8"))
    found = read_answers([(answers.read_bytes(), answers.name)], file)
    assert (found.n, found.left_out) == (PEOPLE, 0)
    for axes in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3), (0, 1, 2, 3)]:
        estimate = found.estimate([file.schema.names[i] for i in axes])
        truth = count_cells(people[:, list(axes)], [file.schema.sizes[i] for i in axes]) / PEOPLE
        assert (np.abs(estimate.shares - truth) < 6 * estimate.std_error()).all()
