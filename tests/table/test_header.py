"""Whether a first row holds names: certain only where it is, and never wrong about people's answers."""

import csv
import io
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from rrcore.table import DEMOS, load_demo
from rrcore.table.opening import open_file
from rrcore.table.reading.guesses import judge_first_row

ADULT = Path(__file__).parents[3] / "shared" / "data" / "adult.csv"
NAMES = ["town", "smokes", "children"]


def people(n, seed=1):
    rng = np.random.default_rng(seed)
    columns = (rng.choice(["north", "south", "east"], n), rng.choice(["no", "yes"], n), rng.integers(0, 6, n).astype(str))
    return [list(row) for row in zip(*columns, strict=True)]


@pytest.mark.parametrize("n", [2, 5, 20, 300])
def test_people_are_never_taken_for_names(n):
    for seed in range(60):
        rows = people(n + 1, seed)
        verdict = judge_first_row(rows[0], rows[1:])
        assert not (verdict.sure and verdict.value), rows


@pytest.mark.parametrize("n", [1, 2, 5, 20, 300])
def test_names_above_numbers_are_certain(n):
    verdict = judge_first_row(NAMES, people(n))
    assert (verdict.value, verdict.sure) == (True, True)


@pytest.mark.parametrize(
    ("first", "below", "names", "sure"),
    [
        (["a", "b"], [["x", "y"], ["z", "w"]], True, False),
        (["a"], [["yes"], ["no"]] * 60, True, True),
        (["kind"], [["yes"], ["no"]] * 10, True, False),
        (["yes"], [["yes"], ["no"]], False, True),
        (["sex", "a"], [["f", "x"], ["m", "y"]], True, True),
        (["town", "age"], [["x", "31"], ["?", "NA"]], True, True),
        (["no", "31"], [["no", "45"], ["yes", "31"]], False, True),
        (["?", "31"], [["no", "45"], ["yes", "60"]], True, False),
        (["?", "1.731"], [["x", "1.5"], ["y", "1.6"]], False, True),
        (["2019", "2020"], [["5", "7"], ["8", "5"]], True, False),
        (["1", "2", "3"], [["3", "2", "1"], ["1", "2", "3"]], False, False),
        (["wine", "refused"], [["wine", "31"], ["beer", "45"]], True, False),
        (["sex", "age"], [["f", "31"], ["sex", "age"]], True, False),  # two files, one below the other
        (["2024-01-31", "x"], [["2024-02-01", "y"], ["2023-01-01", "z"]], False, True),
        (["a", "b"], [], True, True),
    ],
)
def test_the_rule(first, below, names, sure):
    verdict = judge_first_row(first, below)
    assert (verdict.value, verdict.sure) == (names, sure), verdict


@pytest.mark.parametrize("key", DEMOS)
def test_demo_tables_are_known_with_and_without_their_names(key):
    rows = list(islice(csv.reader(io.StringIO(load_demo(key).to_csv())), 500))
    assert judge_first_row(rows[0], rows[1:]).value
    verdict = judge_first_row(rows[1], rows[2:])
    assert (verdict.value, verdict.sure) == (False, True)


def test_nobody_of_adult_is_taken_for_names():
    if not ADULT.exists():
        pytest.skip(f"needs UCI Adult at {ADULT}")
    head = [list(cells) for _, cells in open_file(ADULT.read_bytes(), "adult.csv").content.head()]
    assert judge_first_row(head[0], head[1:]).value
    wrong = [row for i, row in enumerate(head[1:200]) if judge_first_row(row, head[300 + i : 340 + i]).value]
    assert wrong == []
