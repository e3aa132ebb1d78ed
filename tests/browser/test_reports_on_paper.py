"""Reports in a real browser: page breaks, header and footer on paper; nothing hangs over on a phone; axe-core is content."""

from __future__ import annotations

import io
from unicodedata import normalize

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

from rrcore.answers import Answers, pair_summaries
from rrcore.mechanisms import build
from rrcore.promise import MechanismFile, integer_groups, randomise
from rrcore.report import Front, questions_after, report_after, report_before
from rrcore.table import load_demo

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TITANIC = load_demo("titanic")
FRONT = Front('Lives "at sea" \\ {2026}', "A. Purser", "Board", "2026-11-22", "Because.")


def reports():
    """name -> (report, its running name, headings that begin a page)."""
    file = MechanismFile(TITANIC.schema, integer_groups(build("pair-safe", TITANIC.schema.sizes, np.full(4, 2.0))))
    answers = Answers(randomise(file, TITANIC), file)
    return {
        "before": (
            report_before(file, FRONT, people=2201),
            f"Report before collection · {file.sha256[:12]}",
            ("What it protects", "How precise it will be", "How to check it"),
        ),
        "after": (
            report_after(answers, questions_after(answers), pair_summaries(answers), FRONT, internal=True),
            f"Report of findings · {file.sha256[:12]}",
            ("Every question", "What goes together"),
        ),
    }


def test_reports_print_with_header_footer_and_page_breaks_and_fit_a_phone(browser, tmp_path):
    import pypdf

    for name, (report, foot, headings) in reports().items():
        path = tmp_path / f"{name}.html"
        path.write_text(report, encoding="utf-8")
        asked: list[str] = []
        said: list[str] = []
        page = browser.new_page(viewport={"width": 390, "height": 800}, bypass_csp=True)  # for axe-core alone
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.on("console", lambda message, said=said: said.append(message.text))
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        assert Axe().run(page).response["violations"] == []
        printed = pypdf.PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True)))
        page.close()
        assert asked == [path.as_uri()]
        assert said == []
        texts = [" ".join(normalize("NFKC", sheet.extract_text()).split()) for sheet in printed.pages]  # without ligatures
        assert len(texts) >= 4
        audience = "Internal" if name == "after" else "For handing out"
        for number, text in enumerate(texts, 1):
            assert text.startswith(f'Lives "at sea" \\ {{2026}} {audience}')
            assert f"Page {number} of {len(texts)}" in text
            assert foot in text
        bodies = [text.partition(foot)[2].strip() for text in texts]
        for heading in headings:
            assert any(body.startswith(heading) for body in bodies), heading
        assert [round(float(side)) for side in printed.pages[0].mediabox[2:]] == [595, 842]  # A4 in points
