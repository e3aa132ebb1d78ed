"""The two parts of a split sample, taken apart: tables, lines of the form, counts of large tables, answers that lack some."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import rrcore as rr
from rrcore.answers import Arms, KnownTotals, SampleColumns, count_answers, read_answers, with_sample
from rrcore.errors import InputError
from rrcore.estimate import functional_error
from rrcore.promise import DIRECTLY, RANDOMISED, MechanismFile, MechanismGroups, asks_directly, direct_file, split_survey
from rrcore.promise.weights import LieWeights, MatrixWeights
from rrcore.table import Attribute, Dataset, Schema
from rrcore.table.stream import open_stream

COLOURS = Attribute("cheated", ("red", "black", "white"))
ASKED = Schema((Attribute("cheated", ("no", "yes")), Attribute("age", ("young", "middle", "old"))))
FILE = MechanismFile(
    ASKED,
    (((0,), MatrixWeights(((6, 3, 1), (1, 3, 6)))), ((1,), LieWeights((3,), 0, (("0", 3), ("1", 1))))),
    reports=Schema((COLOURS, ASKED.attributes[1])),
)
SURVEY = split_survey(FILE)
DIRECT = SURVEY.files[1][1]


def people(n: int, seed: int) -> Dataset:
    rng = np.random.default_rng(seed)
    return Dataset(ASKED, np.column_stack([rng.random(n) < 0.3, rng.integers(3, size=n)]).astype(np.int32))


def collected(randomised: int = 700, directly: int = 300) -> tuple[bytes, Dataset, Dataset]:
    """A table of both parts in any order with a town and a weight, what was reported by the one and said by the other."""
    reports, said = rr.randomise(FILE, people(randomised, 1)), people(directly, 2)
    rows = [f"{line},{RANDOMISED}" for line in reports.to_csv().splitlines()[1:]]
    rows += [f"{line},{DIRECTLY}" for line in said.to_csv().splitlines()[1:]]
    order = np.random.default_rng(3).permutation(len(rows))
    lines = [f"{rows[i]},{'north' if i % 3 else 'south'},{1 + i % 2}" for i in order]
    return "\n".join(["cheated,age,group,town,weight", *lines]).encode(), reports, said


def check(arms: Arms, reports: Dataset, said: Dataset) -> None:
    """Each part has its own mechanism file and the counts of its own people."""
    assert arms.directly is not None
    assert (arms.randomised.mechanism, arms.directly.mechanism) == (FILE, DIRECT)
    for part, own in ((arms.randomised, reports), (arms.directly, said)):
        for names in (["cheated"], ["age"], ["cheated", "age"]):
            assert part.counts(names).tolist() == own.counts(names).tolist()


def test_of_a_census_either_part_is_a_sample() -> None:
    """Chance dealt people out, so of those in the other part nothing was observed: (1 - p) S^2 / n of those who were asked directly."""
    content, _, said = collected()
    answers = read_answers([(content, "answers.csv")], SURVEY)
    whole = KnownTotals((), ((),), (1000.0,))
    arms = Arms.of(with_sample(answers, SampleColumns(populations=whole)))
    assert arms.directly is not None
    error = functional_error(np.array([0.0, 1.0]), arms.directly.estimate(["cheated"]), True)
    assert error**2 == pytest.approx(
        0.7 * said.codes[:, 0].var(ddof=1) / 300, rel=5e-3
    )  # n - 1 of all in place of those asked directly


def test_a_table_is_taken_apart_by_its_column() -> None:
    content, reports, said = collected()
    arms = Arms.of(read_answers([(content, "answers.csv")], SURVEY))
    check(arms, reports, said)
    assert arms.directly is not None
    assert arms.directly.estimate(["cheated"]).shares.tolist() == said.shares(["cheated"]).tolist()


def test_lines_of_the_form_name_their_part_themselves() -> None:
    _content, reports, said = collected(20, 10)
    lines = [
        json.dumps({"mechanism": file.sha256, "answers": dict(zip(ASKED.names, line.split(","), strict=True))})
        for file, table in ((FILE, reports), (DIRECT, said))
        for line in table.to_csv().splitlines()[1:]
    ]
    check(Arms.of(read_answers([("\n".join(lines).encode(), "answers.jsonl")], SURVEY)), reports, said)


def test_counts_of_a_large_table_are_taken_apart_too(tmp_path: Path) -> None:
    content, reports, said = collected()
    (tmp_path / "answers.csv").write_bytes(content)
    names = [("cheated",), ("age",), ("cheated", "age")]
    arms = Arms.of(count_answers([open_stream(tmp_path / "answers.csv")], SURVEY, names))
    assert arms.randomised.held is None
    check(arms, reports, said)
    assert arms.directly is not None
    assert (arms.randomised.n, arms.directly.n) == (700, 300)


def test_columns_beside_the_answers_and_weights_stay_with_their_people() -> None:
    content, _, _ = collected()
    arms = Arms.of(with_sample(read_answers([(content, "answers.csv")], SURVEY), SampleColumns(weights="weight")))
    assert arms.directly is not None
    assert arms.directly.sample is not None
    towns = arms.directly.split("town")
    assert sum(part.n for part in towns.values()) == arms.directly.n == 300
    codes, weights = arms.directly.dataset.codes[:, 0], arms.directly.sample.weights
    assert arms.directly.estimate(["cheated"]).shares[1] == pytest.approx(weights[codes == 1].sum() / weights.sum())


def test_who_left_out_a_question_is_still_in_their_part() -> None:
    rows = f"cheated,age,group\nred,young,{RANDOMISED}\nblack,,{RANDOMISED}\nyes,old,{DIRECTLY}\n,middle,{DIRECTLY}\nno,old,{DIRECTLY}\n"
    arms = Arms.of(read_answers([(rows.encode(), "answers.csv")], SURVEY))
    assert arms.directly is not None
    assert (arms.randomised.n, arms.directly.n, arms.directly.incomplete) == (2, 3, 1)
    assert arms.directly.counts(["age"]).tolist() == [0, 1, 2]
    assert arms.randomised.counts(["cheated"]).tolist() == [1, 1, 0]


def test_without_a_direct_part_nothing_is_taken_apart() -> None:
    rows = b"cheated,age\nred,young\n"
    answers = read_answers([(rows, "answers.csv")], FILE)
    assert Arms.of(answers).randomised is answers
    assert Arms.of(answers).directly is None


def test_one_part_alone_is_refused() -> None:
    rows = f"cheated,age,group\nred,young,{RANDOMISED}\n"
    with pytest.raises(InputError, match="Nobody who was asked directly answered all questions: both parts"):
        Arms.of(read_answers([(rows.encode(), "answers.csv")], SURVEY))


def test_three_groups_are_refused() -> None:
    other = MechanismFile(ASKED, FILE.groups, note="other", reports=FILE.reports)
    rows = b"cheated,age,group\nred,young,a\nred,young,b\nno,young,c\n"
    with pytest.raises(InputError, match="3 groups have mechanism files of their own, 1 of them for asking directly"):
        Arms.of(read_answers([(rows, "answers.csv")], MechanismGroups({"a": FILE, "b": other, "c": DIRECT})))


def test_asking_directly_has_no_bound_and_one_fingerprint() -> None:
    assert asks_directly(DIRECT)
    assert not asks_directly(FILE)
    assert DIRECT.certificate.total is None
    assert set(DIRECT.certificate.levels) == {None}
    assert DIRECT.sha256 == direct_file(ASKED).sha256 == MechanismFile.from_json(DIRECT.to_json()).sha256
    told = people(50, 4)
    assert rr.randomise(DIRECT, told).to_csv().splitlines() == told.to_csv().splitlines()


def test_nothing_is_split_off_what_is_asked_directly() -> None:
    with pytest.raises(InputError, match="randomises nothing"):
        split_survey(DIRECT)
