"""Demo tables: published totals and cross totals; the census has its sizes, shares, dependence and determinism."""

import json
from pathlib import Path

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.simulation import invented_answers
from rrcore.table import Attribute, Schema, as_table, demo
from rrcore.table.demo import DEMOS, load_demo
from rrcore.table.recoding import recode

ROOT = Path(__file__).parents[2]
CENSUS = json.loads((Path(demo.__file__).parent / "demos" / "census.json").read_text("utf-8"))
CORRELATIONS = np.array(CENSUS["correlations"])


def count(key, **answers):
    data = load_demo(key)
    rows = np.ones(data.n, dtype=bool)
    for name, answer in answers.items():
        axis = data.schema.axes([name])[0]
        rows &= data.codes[:, axis] == data.schema.attributes[axis].categories.index(answer)
    return int(rows.sum())


@pytest.mark.parametrize(
    ("key", "n", "sizes"),
    [
        ("titanic", 2201, (4, 2, 2, 2)),
        ("berkeley", 4526, (2, 2, 6)),
        ("haireye", 592, (4, 4, 2)),
        ("census", 32_561, (9, 16, 7, 15, 6, 5, 2, 2)),
    ],
)
def test_sizes(key, n, sizes):
    data = load_demo(key)
    assert (data.n, data.schema.sizes) == (n, sizes)
    assert data.title == DEMOS[key].title
    assert f"{n:,}" in DEMOS[key].description
    assert DEMOS[key].source


# Margins as printed in the sources named in DEMOS.
@pytest.mark.parametrize(
    ("key", "answers", "people"),
    [
        ("titanic", {"Survived": "Yes"}, 711),
        ("titanic", {"Age": "Child"}, 109),
        ("titanic", {"Class": "Crew"}, 885),
        ("titanic", {"Sex": "Female", "Survived": "Yes"}, 344),
        ("titanic", {"Class": "1st", "Sex": "Female", "Age": "Adult", "Survived": "Yes"}, 140),
        ("titanic", {"Class": "Crew", "Age": "Child"}, 0),
        ("berkeley", {"Gender": "Male"}, 2691),
        ("berkeley", {"Gender": "Male", "Admit": "Admitted"}, 1198),
        ("berkeley", {"Gender": "Female", "Admit": "Admitted"}, 557),
        ("berkeley", {"Dept": "A"}, 933),
        ("berkeley", {"Dept": "F"}, 714),
        ("haireye", {"Hair": "Blond"}, 127),
        ("haireye", {"Eye": "Blue"}, 215),
        ("haireye", {"Hair": "Blond", "Eye": "Blue"}, 94),
        ("haireye", {"Sex": "Male"}, 279),
    ],
)
def test_published_margins(key, answers, people):
    assert count(key, **answers) == people


def test_every_demo_table_has_a_drawing():
    assert {path.stem for path in (ROOT / "assets/demos").glob("*.svg")} == set(DEMOS)


def test_ordinal_attributes_are_marked():
    expected = {"titanic": {"Class", "Age"}, "berkeley": set(), "haireye": set(), "census": {"education", "income"}}
    for key, names in expected.items():
        assert {each.name for each in load_demo(key).schema.attributes if each.kind == "ordinal"} == names


def test_census_is_the_same_at_every_call():
    assert np.array_equal(load_demo.__wrapped__("census").codes, load_demo("census").codes)


def test_census_has_the_written_shares():
    data = load_demo("census")
    for i, (name, shares) in enumerate(CENSUS["shares"].items()):
        assert data.schema.attributes[i].categories == tuple(shares)
        assert sum(shares.values()) == 10_000, name
        people = np.bincount(data.codes[:, i], minlength=len(shares))
        expected = np.array(list(shares.values())) / 10_000
        assert people.min() > 0
        # Within five standard errors of a share.
        assert (np.abs(people / data.n - expected) < 5 * np.sqrt(expected * (1 - expected) / data.n)).all()


def test_census_has_the_written_dependence():
    assert np.array_equal(CORRELATIONS, CORRELATIONS.T)
    assert np.linalg.eigvalsh(CORRELATIONS).min() > 0.1
    codes = load_demo("census").codes
    # Ranks of the codes correlate a little less than the scores behind them, with the same sign and nearly the same order.
    ranks = np.stack([np.searchsorted(np.sort(c), c, "left") + np.searchsorted(np.sort(c), c, "right") for c in codes.T])
    found = np.corrcoef(ranks)
    pairs = np.triu_indices(8, 1)
    assert np.corrcoef(found[pairs], CORRELATIONS[pairs])[0, 1] > 0.95
    strong = np.abs(CORRELATIONS[pairs]) >= 0.1
    assert (np.sign(found[pairs]) == np.sign(CORRELATIONS[pairs]))[strong].all()
    # Sex and origin are independent: the correlation of n pairs is within 4 / sqrt(n) of 0.
    assert abs(found[5, 6]) < 4 / np.sqrt(codes.shape[0])


def test_unknown_demo():
    with pytest.raises(InputError, match="titanic, berkeley, haireye, census"):
        load_demo("iris")


def test_every_answer_is_possible_and_all_attributes_go_together():
    schema = Schema(tuple(Attribute(f"q{i}", tuple(f"a{j}" for j in range(2 + i % 4))) for i in range(6)))
    table = invented_answers(schema, 20_000, rng=np.random.default_rng(1))
    assert (table.schema, table.n, table.title) == (schema, 20_000, "Invented answers")
    for i, size in enumerate(schema.sizes):
        assert set(table.codes[:, i]) == set(range(size))
    # pairs share the hidden number with probability .16, so correlations are about that; 20,000 people tell it from 0 at 10 sd
    correlations = np.corrcoef(table.codes.T)[np.triu_indices(6, 1)]
    assert correlations.min() > 0.07


def test_the_same_seed_draws_the_same_people_and_the_schema_survives_as_a_table():
    schema = load_demo("titanic").schema
    one, other = (invented_answers(schema, 5, rng=np.random.default_rng(3)) for _ in range(2))
    assert (one.codes == other.codes).all()
    assert recode(*as_table(one)).schema == schema  # answers that nobody gave are kept


@pytest.mark.parametrize("people", [0, 10**10])
def test_too_few_and_too_many_are_one_sentence(people):
    with pytest.raises(InputError, match="number of people is"):
        invented_answers(load_demo("titanic").schema, people, rng=np.random.default_rng(0))
