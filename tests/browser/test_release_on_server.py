"""The real server is killed in the middle of a release and started anew: the release goes on, and nobody is missing."""

from __future__ import annotations

import time

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from rrcore.answers import count_answers
from rrcore.promise.releases import Releases
from rrcore.table.stream import open_stream
from rrcore.work.locking import is_locked
from tests.browser.steps import LOADED, go, keep_picture, opened, settled
from tests.serving.conftest import serving

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.long]

PEOPLE = 2_000_000
BUTTON = f"Release all {PEOPLE:,} people on the server"
LONG = 5 * LOADED


def at_release(browser, port: int) -> Page:
    """A fresh session with the table counted, at page Release."""
    page = opened(browser, f"http://localhost:{port}")
    go(page, "Data")
    page.get_by_text("Table on the server", exact=True).click()
    page.get_by_role("button", name="Count it").click()
    expect(page.get_by_text(f"{PEOPLE:,} people on the server")).to_be_visible(timeout=LONG)
    settled(page)
    page.get_by_role("button", name="They may be seen").first.click()
    settled(page)
    go(page, "Release")
    return page


def until(seen, what: str):
    for _ in range(3000):
        if found := seen():
            return found
        time.sleep(0.02)
    pytest.fail(what)


def test_a_killed_server_goes_on_with_a_release(browser, tmp_path):
    rng = np.random.default_rng(0)
    ages, wards = rng.integers(18, 90, PEOPLE), rng.integers(0, 3, PEOPLE)
    (tmp_path / "data").mkdir()
    (tmp_path / "releases").mkdir()
    lines = np.char.add(np.arange(90).astype(str)[:, None], np.array([",east\n", ",west\n", ",\n"])).astype(object)
    (tmp_path / "data" / "panel.csv").write_text("age,ward\n" + "".join(lines[ages, wards].tolist()))
    (tmp_path / "operator.toml").write_text('data = ["data"]\nreleases = "releases"\n')
    releases = Releases(tmp_path / "releases")
    with serving(tmp_path, "--operator", "operator.toml") as server:
        page = at_release(browser, server.port)
        page.get_by_text("This is what I want").click()  # the plan that every table begins with
        settled(page)
        keep_picture(page, "release-on-server")
        page.get_by_label("Name of the release").fill("spring")
        page.get_by_label("Name of the release").press("Enter")
        settled(page)
        page.get_by_role("button", name=BUTTON).click()
        drawn = until(lambda: list(releases.begun("spring").glob("released.csv.pieces/*-*.csv")), "nothing was drawn")
        server.process.kill()
        server.process.wait(30)
        page.close()
    until(lambda: not is_locked(releases.begun("spring") / ".lock"), "somebody goes on without a server")
    assert releases.of("panel.csv") == []
    kept = {each.name: each.read_bytes() for each in drawn if each.exists()}
    assert kept
    with serving(tmp_path, "--operator", "operator.toml") as server:
        page = at_release(browser, server.port)
        expect(page.get_by_text("was stopped. What is finished of it is kept.")).to_be_visible(timeout=LOADED)
        keep_picture(page, "release-on-server-stopped")
        page.get_by_role("button", name="Go on with 'spring'").click()
        expect(page.get_by_text(f"stands on the server: {PEOPLE:,} randomised records")).to_be_visible(timeout=LONG)
        settled(page)
        keep_picture(page, "release-on-server-finished")
        page.close()
    (made,) = releases.of("panel.csv")
    place = releases.place("spring") / "released.csv"
    whole = place.read_bytes()
    for content in kept.values():  # not drawn again, but for the column of the trailer, which the last record has
        assert content.partition(b"\n")[2][:100_000] in whole
    answers = count_answers([open_stream(place)], made.mechanism, [("age", "ward")])
    assert (made.trailer.rows, answers.n, answers.left_out) == (PEOPLE, PEOPLE, 0)
    bins = np.searchsorted([40, 60, 80], ages, side="right")
    truth = np.zeros((4, 3))
    np.add.at(truth, (bins, wards), 1 / PEOPLE)
    estimate = answers.estimate(["age", "ward"])
    assert made.mechanism.schema.attributes[1].categories == ("east", "west", "(missing)")
    assert np.abs(estimate.shares - truth).max() < 0.005  # several times the error that so many people leave
