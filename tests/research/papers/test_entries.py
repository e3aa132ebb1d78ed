"""Entries: well formed, measured by code that decides, without a typed measurement anywhere; the document holds what the registry holds."""

import ast
import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.research.papers import (
    ENTRIES,
    PAPERS,
    PaperEntry,
    Series,
    document,
    find,
    multidimensional_adult,
    multidimensional_schemes,
    optimized,
    recorded_verdicts,
    rows_of,
    run,
    run_all,
)
from rrcore.research.papers.entry import Curves
from rrcore.research.papers.markdown import published_part
from rrcore.research.papers.registry import RECORDED
from rrcore.research.papers.running import judge
from rrcore.table import Attribute, Dataset, Schema

ROOT = Path(__file__).resolve().parents[3]
DOCUMENT = ROOT / "docs" / "papers.md"
VERDICT = re.compile(r"^\*\*Verdict: (agree|differ|cannot be run)\.\*\*", re.MULTILINE)
QUICK = (
    "castell-table-3",
    "castell-theorem-4",
    "castell-theorem-5",
    "castell-lemma-2",
    "castell-theorem-6",
    "castell-appendix-b",
    "castell-figure-9",
    "castell-figure-10a",
    "castell-figure-10b",
    "castell-figure-10c",
    "castell-figure-10d",
    "lopub-level",
    "lopub-table-7-pairs",
    "multidimensional-figure-1",
    "multidimensional-equation-5",
    "multidimensional-section-3-3",
    "multidimensional-proposition-1",
    "multidimensional-corollary-1",
    "multidimensional-example-1",
    "optimized-section-iv-b1",
    "optimized-algorithm-3",
    "optimized-figure-5",
    "optimized-figure-5-code",
    "keyvalue-figure-4",
    "keyvalue-section-2c",
    "keyvalue-table-4",
    "keyvalue-section-6a-bias",
)


def test_names_begin_with_their_paper_and_papers_follow_one_another():
    assert [name for name, entry in ENTRIES.items() if name != entry.id] == []
    papers = [entry.paper.key for entry in ENTRIES.values()]
    assert set(papers) <= set(PAPERS)
    assert papers == sorted(papers, key=list(PAPERS).index)
    with pytest.raises(InputError, match=r"^There is no entry 'atlantis': 'rrcore papers list' names them all\.$"):
        find("atlantis")


def test_entries_have_sources_and_are_measured_or_say_why_not():
    for entry in ENTRIES.values():
        assert entry.id.startswith(f"{entry.paper.key}-")
        assert all(one.source for one in entry.published)
        assert (entry.measure is None) == bool(entry.cannot) != bool(entry.checks)


def test_an_entry_has_no_field_for_a_measurement():
    names = {field.name for field in dataclasses.fields(PaperEntry)}
    shown = "id paper place title claim axes published measure checks needs_adult cannot of_machine bars"
    assert names == set(shown.split())
    assert not re.search(r"\bmeasured\b|\bhere\b.*\d", " ".join(check.said for e in ENTRIES.values() for check in e.checks))


@pytest.mark.slow
def test_no_text_of_the_papers_room_or_page_says_a_measured_number():
    """A literal that says "measured", "found here" or "ours" and has a digit would be a typed measurement; docstrings count too."""
    for file in (*(ROOT / "rrcore" / "research" / "papers").rglob("*.py"), *(ROOT / "pages").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                for sentence in re.split(r"(?<=[.;:])\s", node.value):
                    typed = re.search(r"\b(measured|found here|ours|we find|gives here)\b", sentence, re.I) and re.search(
                        r"\d\.\d", sentence
                    )
                    assert not typed, f"{file}: {sentence}"


def test_the_document_has_every_entry_its_printed_numbers_and_a_verdict():
    text = DOCUMENT.read_text(encoding="utf-8")
    sections = re.split(r"^(?=### )", text, flags=re.MULTILINE)[1:]
    names = [re.search(r"\{ #([\w-]+) \}", section)[1] for section in sections]
    assert names == list(ENTRIES), "write it anew: rrcore papers run --fast --adult FILE --markdown docs/papers.md"
    for section, entry in zip(sections, ENTRIES.values(), strict=True):
        assert section.startswith(published_part(entry))
        assert VERDICT.findall(section) == [RECORDED[entry.id]]
    assert sum(count.total() for count in recorded_verdicts().values()) == len(RECORDED) == len(ENTRIES)


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_quick_entries_give_the_verdict_of_the_document_and_depend_on_what_is_measured(name):
    entry = ENTRIES[name]
    found = run(entry)
    text = DOCUMENT.read_text(encoding="utf-8")
    assert VERDICT.findall(text[text.index(f"#{name} }}") :])[0] == found.verdict
    lost = [dataclasses.replace(one, y=tuple(np.nan for _ in one.y), low=(), high=()) for one in found.measured]
    with np.errstate(invalid="ignore"):
        outcomes = judge(entry, lost)
    assert not all(outcome.holds for outcome in outcomes)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("name", ["optimized-figure-1", "optimized-figure-2", "optimized-figure-3", "optimized-figure-4"])
def test_figures_of_totals_on_few_small_data_sets(name, monkeypatch):
    monkeypatch.setattr(optimized, "SHOWN", {3: "a, k = 3", 4: "b, k = 4"})
    monkeypatch.setattr(optimized, "_FAST_SETS", 16)
    found = run(ENTRIES[name])
    curves = Curves(found.measured)
    assert curves.panels == ("a, k = 3", "b, k = 4")
    for panel in curves.panels:
        one = curves.get(optimized.HEURISTIC, panel)
        assert len(one.x) == 8
        assert list(one.x) == sorted(one.x)
        assert all(low <= y <= high for low, y, high in zip(one.low, one.y, one.high, strict=True))
        if curves.has(optimized.OPTIMUM, panel):
            assert max(curves.get(optimized.OPTIMUM, panel).y) < 1


def people(n=3000, dependent=0.7):
    """People whose answers depend on one hidden answer with that probability, and are mostly the first category otherwise."""
    rng = np.random.default_rng(5)
    sizes = (3, 4, 2, 5)
    hidden = rng.integers(0, 5, n)
    codes = np.stack(
        [np.where(rng.random(n) < dependent, hidden % a, rng.integers(0, a, n) * rng.integers(0, 2, n)) for a in sizes], axis=1
    )
    schema = Schema(tuple(Attribute(f"x{i}", tuple(map(str, range(a)))) for i, a in enumerate(sizes)))
    return Dataset(schema, codes, "made up")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [entry.id for part in (multidimensional_adult, multidimensional_schemes) for entry in part.ENTRIES]
)
def test_entries_that_need_adult_run_on_any_table(name):
    found = run(ENTRIES[name], adult=people())
    assert found.verdict in ("agree", "differ")
    assert all(np.isfinite(one.y).all() for one in found.measured)
    assert run(ENTRIES[name]).verdict == "cannot be run"


def test_inversion_lowers_the_errors_of_independent_answers():
    found = Curves(run(ENTRIES["multidimensional-figure-2"], adult=people(dependent=0)).measured)
    for panel in found.panels:
        inverted, released = found.get("RR-Independent", panel), found.get("Randomized", panel)
        assert inverted.at(0.1) < released.at(0.1)


def test_a_document_is_the_same_each_time_and_counts_verdicts():
    chosen = [ENTRIES["multidimensional-figure-1"], ENTRIES["multidimensional-corollary-1"], ENTRIES["multidimensional-figure-2"]]
    told = []
    first = document(run_all(chosen, report=lambda fraction, text: told.append((fraction, text))))
    assert first == document(run_all(chosen))
    assert "| Multi-Dimensional RR | 3 | 2 | 0 | 1 |" in first
    assert "| one p for all | 1 | 1 |" in first
    assert told[0] == (0.0, "multidimensional-figure-1")
    assert [fraction for fraction, _ in told] == sorted(fraction for fraction, _ in told)


def test_rows_put_printed_and_measured_numbers_side_by_side():
    entry = ENTRIES["multidimensional-corollary-1"]
    rows = rows_of(entry, [Series("order kept", ("one p for all", "other"), (0.9, 0.5))])
    assert [(row["Printed"], row["Measured"]) for row in rows] == [(1.0, 0.9), (None, 0.5)]


def test_a_result_as_json_has_no_nan():
    entry = ENTRIES["multidimensional-figure-1"]
    made = dataclasses.replace(run(entry), measured=(Series("a", (1, 2), (1.0, float("nan"))),)).to_dict()
    assert made["measured"] == [{"name": "a", "panel": "", "source": "", "x": [1, 2], "y": [1.0, None]}]
    assert made["verdict"] == "agree"
