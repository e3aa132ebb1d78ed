"""Every chapter's link opens its state on the dashboard, whatever its sliders say."""

import json
import subprocess

import pytest

from pages.shared import jobs
from rrcore.learn import CHAPTERS
from rrcore.learn.numbers import lesson_numbers
from tests.asking.test_form import node
from tests.pages.shared.test_documented_links import ROOT, check

STATES = {
    "accused": [{"told": 99, "share": 60}],
    "bet": [{"told": 65, "n": 480}],
    "detective": [{"told": 95}],
    "twenty": [{"told": 55, "k": 3, "way": "shared"}],
    "friend": [{"price": 0}],
    "berkeley": [{"kept": "pair"}, {"kept": "pairs"}, {"kept": "triple"}],
    "trust": [{"told": 60}],
}


@pytest.fixture
def _results_are_not_waited_for(monkeypatch):
    """What a link opens stands above the audit, or the simulation, that begins below it."""
    monkeypatch.setattr(jobs, "PATIENCE", 0)
    monkeypatch.setattr(jobs.CALCULATING, "_do", lambda *call: None)


@pytest.mark.browser  # needs Node.js
@pytest.mark.slow
@pytest.mark.usefixtures("_results_are_not_waited_for")
def test_a_chapters_link_opens_what_it_says(open_session):
    names = list(CHAPTERS)
    states = [[names.index(name), state] for name in names for state in ({}, *STATES.get(name, ()))]
    task = json.dumps({"data": lesson_numbers(), "states": states})
    script = str(ROOT / "tests" / "learn" / "links.mjs")
    run = subprocess.run([node(), script], input=task, capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    links = dict.fromkeys(f"/{link}" for link in json.loads(run.stdout))
    assert len(links) > len(names)
    for link in links:
        check(open_session(link), link)
