"""Every statement with a factor in the README and the pages for users is computed by ``benchmarks/bench_readme.py``, to its last digit."""

import re

import pytest

from benchmarks import bench_readme
from benchmarks.bench_readme import ADULT, ROOT, STATEMENTS, stated

PAGES = ["README.md", *(f"docs/{name}" for name in ("index.md", "howto/steward.md", "howto/teacher.md", "howto/analyst.md"))]
FACTOR = re.compile(r"[\d.]+ times|[\d.]+ %|\bfactor of\b|\btwice\b|\bhalf as\b|-fold\b|\b[\d.]+ and [\d.]+ times")
SETTINGS = re.compile(r"95 %|0 to 100 %|10 to 50 %|10 % more than it claims")
"""Confidence asked for, ranges of shares, and the fault of the program that is broken on purpose: chosen, not measured."""


def prose(page):
    """A page without code, tables and pictures, white space made plain."""
    text = re.sub(r"^```.*?^```$", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    kept = [line for line in text.splitlines() if not line.startswith(("|", "    ", "!["))]
    return " ".join(" ".join(kept).split())


@pytest.mark.parametrize("page", PAGES)
def test_every_factor_of_a_page_has_a_line_in_the_benchmark(page):
    left = prose(page)
    for statement in STATEMENTS:
        if statement.page == page:
            left = statement.shape().sub("", left)
    left = SETTINGS.sub("", left)
    assert FACTOR.findall(left) == []


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda one: f"{one.page}: {one.text[:30]}")
def test_the_page_says_what_is_computed(statement):
    assert stated(statement), "the statement is not in its page"
    if not statement.adult:  # whose figures the long test below checks
        assert stated(statement) == statement.measured(ADULT)


@pytest.mark.long
@pytest.mark.skipif(not ADULT.exists(), reason=f"UCI Adult is not part of this repository: save its table as {ADULT}")
@pytest.mark.parametrize("statement", [one for one in STATEMENTS if one.adult], ids=lambda one: one.text[:30])
def test_the_page_says_what_is_computed_on_adult(statement):
    assert stated(statement) == statement.measured(ADULT)


def test_a_wrong_figure_is_found(monkeypatch, capsys):
    wrong = bench_readme.Statement("docs/index.md", "At eps = 1 that is {} times.", lambda file: ["2.8"])
    monkeypatch.setattr(bench_readme, "STATEMENTS", (wrong,))
    monkeypatch.setattr("sys.argv", ["bench_readme.py"])
    assert bench_readme.main() == 1
    assert "but the page says: At eps = 1 that is 2.7 times." in capsys.readouterr().out
