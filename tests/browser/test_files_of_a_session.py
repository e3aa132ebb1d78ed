"""Files of a page in Chromium, also below another address: what is pressed is saved, pictures are shown, and another browser has nothing."""

import pytest
from playwright.sync_api import expect

from tests.browser.steps import LOADED, settled
from tests.serving.conftest import serving
from tests.serving.test_downloads import table

pytestmark = [pytest.mark.browser, pytest.mark.long]


@pytest.mark.parametrize("prefix", ["", "/rr"])
def test_files_are_saved_and_shown_in_their_own_browser_alone(browser, tmp_path, prefix):
    with serving(tmp_path, sample=True, prefix=prefix) as server:
        page, stranger = browser.new_context(accept_downloads=True).new_page(), browser.new_context().new_page()
        page.goto(f"http://localhost:{server.port}{prefix}/?yes=23")
        for turn in range(2):
            for name in ("Made before", "Made when pressed", "Made when pressed"):
                expect(page.get_by_role("button", name=name)).to_be_visible(timeout=LOADED)
                settled(page)
                with page.expect_download(timeout=LOADED) as saved:
                    page.get_by_role("button", name=name).click()
                path = tmp_path / "saved.csv"
                saved.value.save_as(path)
                assert (saved.value.suggested_filename, path.read_bytes()) == ("table.csv", table(23))
                assert page.request.get(saved.value.url).status == 200
                assert stranger.request.get(saved.value.url).status == 404
            assert page.evaluate("document.querySelector('img[src*=\"/media/\"]').naturalWidth") == 1
            if turn == 0:
                page.reload()
