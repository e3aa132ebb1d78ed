"""A respondent follows the link of an invitation: the receiver's own form in Chromium, at the width of a phone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from rrcore.budget import build
from rrcore.promise import MechanismFile, integer_groups
from rrcore.receiver import create_store
from rrcore.receiver.blind_signatures import new_key
from rrcore.receiver.invitations import invite, used_codes
from rrcore.table.schema import Attribute, Schema
from tests.browser.steps import give, to_questions
from tests.receiver.phones import serving

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}
SCHEMA = Schema((Attribute("smokes", ("No", "Yes")), Attribute("health", ("Good", "Fair", "Poor"), "ordinal")))


def test_an_invitation_works_once(browser, tmp_path):
    mechanism = MechanismFile(SCHEMA, integer_groups(build("preserving-2", SCHEMA.sizes, (1.0, 1.5))))
    questions = {"smokes": "Have you smoked in the last 30 days?", "health": "How would you describe your health?"}
    store = create_store(str(tmp_path / "survey.db"), mechanism, title="Health in the city", questions=questions, key=new_key())
    (code,) = invite(store, 1)
    with serving(tmp_path, store.place, mechanism) as (_, address, _):
        context = browser.new_context(viewport=PHONE)
        page = context.new_page()
        logged, sent = [], []
        page.on("console", lambda message: logged.append(message.text))
        page.on("pageerror", lambda error: logged.append(str(error)))
        page.on("request", lambda request: sent.append(request.url))

        page.goto(f"{address}/#code={code.lower()}")
        expect(page.get_by_label("Your invitation code")).to_have_value(code.lower())
        assert page.url == f"{address}/"  # the code has left the address bar
        to_questions(page)
        give(page, 1, 2)
        page.get_by_role("button", name="Let chance decide").click()
        expect(page.get_by_role("heading", name="Your response")).to_be_focused()
        page.get_by_role("button", name="Send").click()
        expect(page.get_by_role("status")).to_contain_text("which has confirmed it")
        reported = page.locator("#released dt + dd").all_text_contents()
        assert logged == []
        assert not any(code.lower() in url for url in sent[1:])

        page.goto(f"{address}/?again#code={code}")
        page.get_by_role("button", name="Start").click()
        expect(page.get_by_role("alert").filter(has_text="used already")).to_be_visible()
        expect(page.get_by_label("Your invitation code")).to_be_focused()
        page.get_by_label("Your invitation code").fill(" ")
        page.get_by_role("button", name="Start").click()
        expect(page.get_by_text("from your invitation.")).to_be_visible()
        page.get_by_label("Your invitation code").fill("7k3qd 9xw2m 4htrc")
        page.get_by_role("button", name="Start").click()
        expect(page.get_by_text("This code does not belong to this survey")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        context.close()
    answers = store.answers()
    assert [
        [attribute.categories[code] for attribute, code in zip(SCHEMA.attributes, row, strict=True)]
        for row in answers.dataset.codes
    ] == [reported]
    assert used_codes(store) == (1, 1)
    log = (tmp_path / "server.log").read_text()
    assert re.search(r"sha256 (of the form )?[0-9a-f]{64}\n", log)
    assert code not in log
    assert not re.search("GET|POST", log)  # no request is logged
