"""Figures and homework of the lesson plan: ``python -m tools.lesson`` writes docs/assets/lesson anew; a test compares what it makes."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import tostring

import numpy as np

from rrcore.designs.classroom import PollDesign
from rrcore.receiver.poll import simulated_poll
from rrcore.table import Dataset
from tools.lesson_figures import class_dots, curves, people_in_groups

FOLDER = Path(__file__).parents[1] / "docs" / "assets" / "lesson"
SHARE, TRUTH = 0.2, 75
"""Of the examples: how many of all mean yes, and how often the truth is told, in percent."""
HOMEWORK_SEED, HOMEWORK_PEOPLE, HOMEWORK_SHARE = 2027, 400, 0.3


def accused() -> str:
    """Of 100 people with the answers of the examples, who sends what."""
    design = PollDesign(100, TRUTH)
    true, others = round(100 * SHARE), round(100 * (1 - SHARE))
    honest, false = round(true * design.truth / 100), round(others * design.others / 100)
    groups = [
        (f"{honest + false} send “yes”", honest, false),
        (f"{100 - honest - false} send “no”", true - honest, others - false),
    ]
    title = f"Of 100 people {honest + false} send yes, and {honest} of these mean it"
    return _written(people_in_groups(groups, title=title, solid="true answer: yes", hollow="true answer: no"))


def bet() -> str:
    """Where 200 classes of 30 and of 120 land."""
    rng = np.random.default_rng(30)
    rows = {}
    for people in (30, 120):
        polls = [simulated_poll(PollDesign(people, TRUTH), SHARE, rng=rng)[0] for _ in range(200)]
        rows[f"200 classes of {people}"] = np.array([float(poll.unbiased[-1]) for poll in polls])
    return _written(class_dots(rows, SHARE, title="Four times the people halve the spread of the estimates", step=1 / 30))


def price() -> str:
    """How precise classes are at each rate of truth."""
    rates = np.arange(55, 96) / 100
    lines = {
        f"class of {people}": np.array([PollDesign(people, round(100 * rate)).error for rate in rates])
        for people in (15, 30, 60, 120)
    }
    title = "The more truth is told, the closer the estimate: by size of the class"
    return _written(curves(rates, lines, title=title, across="truth told", up="share within, points", top=1.0))


def homework() -> tuple[str, str]:
    """Randomised answers of people who do not exist, as CSV, and their mechanism file."""
    poll, _ = simulated_poll(PollDesign(HOMEWORK_PEOPLE, 80), HOMEWORK_SHARE, rng=np.random.default_rng(HOMEWORK_SEED))
    assert poll.answers is not None
    data: Dataset = poll.answers.dataset
    return data.to_csv(), poll.answers.mechanism.to_json()


def files() -> dict[str, str]:
    """Everything that stands in docs/assets/lesson, by its name."""
    answers, mechanism = homework()
    figures = {"accused.svg": accused(), "bet.svg": bet(), "price.svg": price()}
    return figures | {"homework.csv": answers, "homework-mechanism.json": mechanism}


def _written(figure: object) -> str:
    return tostring(figure, encoding="unicode") + "\n"  # type: ignore[arg-type]


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, content in files().items():
        (FOLDER / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
