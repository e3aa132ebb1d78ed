"""Simulated releases in batches: the same for any number of workers, and what a release in one go would be."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.mechanisms import build
from rrcore.schemes import perturb_stream
from rrcore.table import Dataset, load_demo
from rrcore.table.reading import read_text_table
from rrcore.table.stream import coder, open_stream

TITANIC = load_demo("titanic").select(["Class", "Sex", "Survived"])
MECHANISM = build("3-safe", TITANIC.schema.sizes, (1.0, 2.0, 3.0))
WANTED = [("Class",), ("Sex", "Survived")]


@pytest.fixture
def people(tmp_path):
    """Four files, each a piece."""
    (tmp_path / "people").mkdir()
    for number in range(4):
        own = Dataset(TITANIC.schema, TITANIC.codes[number::4])
        (tmp_path / "people" / f"{number}.csv").write_text(own.to_csv(), encoding="utf-8")
    return tmp_path / "people"


def simulated(people, out, executor=None, seed=3):
    return perturb_stream(
        open_stream(people), coder(TITANIC.schema), MECHANISM, WANTED, seed=seed, out=out, executor=executor
    )  # fmt: skip


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_same_for_any_number_of_workers(people, tmp_path, ending):
    whole = simulated(people, tmp_path / f"0.{ending}")
    for workers in (1, 2, 3):
        with ThreadPoolExecutor(workers) as executor:
            found = simulated(people, tmp_path / f"{workers}.{ending}", executor)
        assert (tmp_path / f"{workers}.{ending}").read_bytes() == (tmp_path / f"0.{ending}").read_bytes()
        for names in WANTED:
            np.testing.assert_array_equal(found.released.of(names), whole.released.of(names))
    other = simulated(people, tmp_path / f"other.{ending}", seed=4)
    assert (other.released.of(["Class"]) != whole.released.of(["Class"])).any()
    assert {path.name for path in tmp_path.iterdir()} == {"people", f"other.{ending}", *(f"{n}.{ending}" for n in range(4))}


def test_counts_are_those_of_the_file_and_of_the_table(people, tmp_path):
    found = simulated(people, tmp_path / "out.csv")
    table = read_text_table((tmp_path / "out.csv").read_bytes(), "out.csv")
    assert table.names == ("simulation, seed 3: not a release", *TITANIC.schema.names)
    for name, attribute in zip(TITANIC.schema.names, TITANIC.schema.attributes, strict=True):
        column = table.column(name)
        written = {value: int((column.codes == code).sum()) for code, value in enumerate(column.values)}
        if (name,) in found.released.tables:
            assert [written[category] for category in attribute.categories] == found.released.of([name]).tolist()
    np.testing.assert_array_equal(found.truth.of(["Sex", "Survived"]) / TITANIC.n, TITANIC.shares(["Sex", "Survived"]))


def test_released_counts_are_those_that_the_mechanism_leads_to(people):
    """Every count within five standard errors of what is expected: false alarms once in 100,000 runs, and the seed is fixed."""
    names = ["Sex", "Survived"]
    counts = simulated(people, None).released.of(names)
    shares = MECHANISM.marginal_channel(TITANIC.schema.axes(names)).push(TITANIC.shares(names))
    assert (np.abs(counts - TITANIC.n * shares) < 5 * np.sqrt(TITANIC.n * shares * (1 - shares))).all()


def test_a_file_that_exists_is_refused_and_nothing_is_left(people, tmp_path):
    (tmp_path / "out.csv").write_text("before", encoding="utf-8")
    with pytest.raises(InputError, match="There is already a file"):
        simulated(people, tmp_path / "out.csv")
    assert {path.name for path in tmp_path.iterdir()} == {"people", "out.csv"}


def test_a_mechanism_for_other_categories_is_refused_before_anything_is_read(people, tmp_path):
    other = build("kronecker", (4, 2, 3), (1.0, 2.0, 3.0))
    with pytest.raises(InputError, match="other numbers of categories"):
        perturb_stream(open_stream(people), coder(TITANIC.schema), other, WANTED, seed=3, out=tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["people"]


def test_a_table_in_which_nobody_answered_everything_is_refused_and_leaves_nothing(tmp_path):
    (tmp_path / "people.csv").write_text("Class,Sex,Survived\n,Male,Yes\n1st,,No\n", encoding="utf-8")
    with pytest.raises(InputError, match="No record has an answer to every question"):
        perturb_stream(
            open_stream(tmp_path / "people.csv"), coder(TITANIC.schema), MECHANISM, WANTED, seed=1, out=tmp_path / "o.csv"
        )
    assert {path.name for path in tmp_path.iterdir()} == {"people.csv"}


def test_progress_leaves_room_for_the_writing_and_ends_at_one(people, tmp_path):
    told = []
    perturb_stream(
        open_stream(people),
        coder(TITANIC.schema),
        MECHANISM,
        WANTED,
        seed=3,
        out=tmp_path / "o.csv",
        report=lambda *each: told.append(each),
    )
    fractions = [fraction for fraction, _ in told]
    assert fractions == sorted(fractions)
    assert max(fraction for fraction, text in told if text.endswith("perturbed")) == pytest.approx(0.95)
    assert fractions[-1] == pytest.approx(1)
    assert all(0.95 <= fraction <= 1 for fraction, text in told if text.endswith("written"))
