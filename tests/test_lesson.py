"""The lesson plan: figures and homework are what code makes, and the answers to its exam are what formulas and the library say."""

import math
import re
from fractions import Fraction
from pathlib import Path

import pytest

import rrcore as rr
from rrcore.designs import DESIGNS
from rrcore.designs.classroom import PollDesign
from tools import lesson

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/howto/lesson.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_figures_and_homework_are_what_the_program_makes():
    made = lesson.files()
    assert {each.name for each in lesson.FOLDER.iterdir()} == set(made)
    for name, content in made.items():
        assert (lesson.FOLDER / name).read_text(encoding="utf-8") == content, name


def sent(share, truth):
    """Who sends yes."""
    return share * truth + (1 - share) * (1 - truth)


def without_replacement(people, noise):
    """The least number asked openly whose share, 1/2, varies no more than ``noise``."""
    return next(m for m in range(1, people + 1) if Fraction(1, 4) / m * Fraction(people - m, people - 1) <= noise)


def expected():
    """The ten answers, by formulas of their own."""
    truth, share = Fraction(3, 4), Fraction(1, 5)
    noise = truth * (1 - truth) / 30 / (2 * truth - 1) ** 2
    clicking = Fraction(9, 10) * sent(share, truth) + Fraction(1, 10) / 2
    return [
        round(100 * share * truth / sent(share, truth)),
        truth / (1 - truth),
        round(float(100 * (Fraction(14, 30) - (1 - truth)) / (2 * truth - 1)), 1),
        round(100 * 1.959964 * math.sqrt(noise), 1),
        4 * 30,
        Fraction(5, 6) / Fraction(1, 6),
        (truth / (1 - truth)) ** 5,
        without_replacement(30, noise),
        100,
        float(100 * (clicking - (1 - truth)) / (2 * truth - 1)),
    ]


def test_the_answers_of_the_exam_are_right():
    questions, answers = PAGE.split("## Ten exam questions")[1].split("## Answers")
    told = re.findall(r"^(\d+)\. \*\*([\d.]+)\*\*", answers, re.MULTILINE)
    assert [int(number) for number, _ in told] == list(range(1, 11))
    assert len(re.findall(r"^\d+\. ", questions, re.MULTILINE)) == 10
    assert [float(value) for _, value in told] == pytest.approx([float(value) for value in expected()])


def test_the_library_says_the_same():
    design = PollDesign(30, 75)
    found = expected()
    assert (design.odds, design.direct, round(100 * design.error, 1)) == (found[1], found[7], found[3])
    assert PollDesign(120, 75).error == pytest.approx(design.error / 2)
    assert DESIGNS["forced"].asked("2/3, 1/6, 1/6")[0].level == found[5]
    assert DESIGNS["forced"].asked("1/2, 1/2, 0")[0].level is None  # a no is certain


def test_the_homework_is_read_as_the_page_says():
    mechanism = rr.MechanismFile.open(lesson.FOLDER / "homework-mechanism.json")
    answers = rr.read_answers([((lesson.FOLDER / "homework.csv").read_bytes(), "homework.csv")], mechanism)
    estimate = answers.estimate(["answer"])
    low, high = estimate.interval(population=True)
    assert f"{100 * estimate.shares[1]:.0f} % ({100 * low[1]:.0f} to {100 * high[1]:.0f}) say yes" in PAGE
    counts = answers.counts(["answer"])
    notebook = (ROOT / "examples/homework.ipynb").read_text(encoding="utf-8")
    assert f'SENT = {{\\"no\\": {counts[0]}, \\"yes\\": {counts[1]}}}' in notebook
    assert abs(lesson.HOMEWORK_SHARE - estimate.shares[1]) < 0.08  # drawn with the share of the lesson


def test_links_open_the_chapter_that_they_name():
    rows = re.findall(r"\*([A-Z][^*]+)\.\*[^\n]*?/lesson#(\d+)", PAGE)
    chapters = re.findall(r"\[([^]]+)\]\(\S+/lesson#(\d+)\)", (ROOT / "docs/howto/teacher.md").read_text(encoding="utf-8"))
    assert rows == [("Accused", "2"), ("Bet", "3"), ("Twenty questions", "5"), ("They do not trust you", "10")]
    assert set(rows) <= set(chapters)
