"""Reports in a real browser: page breaks, header and footer on paper; nothing hangs over on a phone; no finding of axe-core."""

from __future__ import annotations

import io
from unicodedata import normalize

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

from rrcore.answers import Answers, pair_summaries
from rrcore.budget import build
from rrcore.promise import MechanismFile, integer_groups, randomize
from rrcore.reports import Front, questions_after, report_after, report_before
from rrcore.table import load_demo

pytestmark = [pytest.mark.browser, pytest.mark.long]

TITANIC = load_demo("titanic")
FILE = MechanismFile(TITANIC.schema, integer_groups(build("preserving-2", TITANIC.schema.sizes, np.full(4, 2.0))))
FRONT = Front('Lives "at sea" \\ {2026}', "A. Purser", "Board", "2026-11-22", "Because.")


def reports():
    """name -> (report, its running header, headings that begin a page)."""
    answers = Answers.of(randomize(TITANIC, FILE), FILE)
    return {
        "before": (
            report_before(FILE, FRONT, people=2201),
            "Report before data collection",
            ("Protection", "Precision", "How to check this report"),
        ),
        "after": (
            report_after(answers, questions_after(answers), pair_summaries(answers), FRONT),
            "Report of findings",
            ("Questions", "Associations"),
        ),
    }


def test_reports_print_with_header_footer_and_page_breaks_and_fit_a_phone(browser, tmp_path):
    import pypdf

    for name, (report, header, headings) in reports().items():
        path = tmp_path / f"{name}.html"
        path.write_text(report, encoding="utf-8")
        asked: list[str] = []
        said: list[str] = []
        grounds: list[str] = []
        page = browser.new_page(viewport={"width": 390, "height": 800}, bypass_csp=True)  # for axe-core alone
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.on("console", lambda message, said=said: said.append(message.text))
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert Axe().run(page).response["violations"] == []
            grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        printed = pypdf.PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True)))
        page.close()
        assert asked == [path.as_uri()]
        assert said == []
        assert len(set(grounds)) == 2
        texts = [" ".join(normalize("NFKC", sheet.extract_text()).split()) for sheet in printed.pages]  # without ligatures
        assert len(texts) >= 4
        for number, text in enumerate(texts, 1):
            assert text.startswith(f"{header} For publication")
            assert f"Page {number} of {len(texts)}" in text
        foot = f"Mechanism file {FILE.sha256[:12]}"
        bodies = [text.partition(foot)[2].strip() for text in texts]
        for heading in headings:
            assert any(body.startswith(heading) for body in bodies), heading
        assert [round(float(side)) for side in printed.pages[0].mediabox[2:]] == [595, 842]  # A4 in points
