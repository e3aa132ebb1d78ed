"""Every link of the documents into the program opens the page and the state that it shows."""

import re
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from rrcore.table import DEMOS

SECTIONS = {"observer": "What an observer can learn", "choosing": "Choosing a level"}
ROOT = Path(__file__).parents[3]
LINK = re.compile(r"http://localhost:8501(/[^\s)>\"`]*)")
LINKS = sorted(
    {found for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")) for found in LINK.findall(path.read_text("utf-8"))}
)
LESSON = "/lesson#"  # states of the chapters of Learn: tests/browser/test_lesson_in_browser.py opens them


def test_the_documents_have_links():
    assert len(LINKS) >= 10


@pytest.mark.slow
@pytest.mark.parametrize("link", [link for link in LINKS if not link.startswith(LESSON)])
def test_a_link_opens_what_it_shows(open_session, link):
    check(open_session(link), link)


def check(session, link):
    """Page and state are those that the link says, and nothing in it is complained about."""
    own, page = session.at.session_state["work"], link[1:].partition("?")[0]
    assert [told for told in (*session.warnings, *session.errors) if "link" in told] == []
    assert session.title.casefold().startswith({"": "any answer"}.get(page, page))
    said = dict(parse_qsl(link.partition("?")[2]))
    plan = own.plan()
    shown = {
        "table": lambda: next(key for key, demo in DEMOS.items() if demo.title == own.title),
        "levels": lambda: ",".join(f"{name}:{eps:g}" for name, eps in zip(plan.schema.names, plan.levels, strict=True)),
        "mechanism": lambda: plan.mechanism,
        "marginal": lambda: ",".join(own.wishes.marginal),
        "seed": lambda: str(own.wishes.seed),
        "people": lambda: f"{own.wishes.people}" if own.wishes.people == plan.respondents else "",
        "planned": lambda: str(plan.respondents),
        "total": lambda: f"{own.wishes.total:g}",
        "questions": lambda: ",".join("*".join(plan.schema.names[i] for i in axes) for axes in plan.questions.marginals),
        "told": lambda: str(session.at.session_state["told"]),
        "asked": lambda: f"{session.at.session_state['asked']:,}",
        "budget_section": lambda: SECTIONS[session.at.session_state["budget_section"]],
    }
    assert {name: shown[name]() for name in said} == said
