"""Counting, perturbing and randomising that were stopped are taken up: what is finished is not done again, and the outcome is the same."""

import shutil

import numpy as np
import pytest

from rrcore.answers import count_answers
from rrcore.answers import counting as answers_counting
from rrcore.errors import InputError
from rrcore.mechanisms import build
from rrcore.promise import MechanismFile, integer_groups
from rrcore.schemes import perturb_stream, perturbation_stream
from rrcore.table import Counts, Dataset, load_demo
from rrcore.table.stream import coder, count, counting, open_stream

TITANIC = load_demo("titanic").select(["Class", "Sex", "Survived"])
MECHANISM = build("3-safe", TITANIC.schema.sizes, (1.0, 2.0, 3.0))
FILE = MechanismFile(TITANIC.schema, integer_groups(MECHANISM))
WANTED = [("Class",), ("Sex", "Survived")]


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    """For the disk to hold every byte of many small files."""
    monkeypatch.setattr("os.fsync", lambda descriptor: None)


@pytest.fixture
def people(tmp_path):
    """Six files, each a piece."""
    (tmp_path / "people").mkdir()
    for number in range(6):
        own = Dataset(TITANIC.schema, TITANIC.codes[number::6])
        (tmp_path / "people" / f"{number}.csv").write_text(own.to_csv(), encoding="utf-8")
    return tmp_path / "people"


def counted(people, out, **more):
    return [count(open_stream(people), TITANIC.schema, WANTED, out=out, **more)]


def answered(people, out, **more):
    """Of two tables, one after the other."""
    (people.parent / "more").mkdir(exist_ok=True)
    shutil.copy2(people / "0.csv", people.parent / "more" / "again.csv")
    given = [open_stream(people), open_stream(people.parent / "more")]
    return [count_answers(given, FILE, WANTED, out=out, **more).tables(WANTED)]


def perturbed(people, out, **more):
    found = perturb_stream(open_stream(people), coder(TITANIC.schema), MECHANISM, WANTED, seed=3, out=out, **more)
    return [found.truth, found.released]


JOBS = [(counted, counting, "count_piece", "out.arrow"), (answered, answers_counting, "tabulate_piece", "out.arrow")]
JOBS += [(perturbed, perturbation_stream, "_write_piece", f"out.{ending}") for ending in ("csv", "parquet")]


def stop(fraction, text):
    if fraction > 0.5:
        raise KeyboardInterrupt


@pytest.mark.parametrize(("job", "room", "step", "name"), JOBS)
def test_a_stopped_run_is_taken_up(people, tmp_path, monkeypatch, job, room, step, name):
    whole = job(people, tmp_path / f"whole-{name}")
    done, own = [], getattr(room, step)
    monkeypatch.setattr(room, step, lambda *given, **more: done.append(given) or own(*given, **more))
    with pytest.raises(KeyboardInterrupt):
        job(people, tmp_path / name, report=stop)
    before = len(done)
    assert 2 <= before < 6
    assert not (tmp_path / name).exists()
    for place in (tmp_path / f"{name}.pieces").glob("000001-*"):
        if place.name.endswith(("done", "truth.arrow")):
            place.unlink()  # as if stopped while the piece was put down
    finished = len(list((tmp_path / f"{name}.pieces").glob("*-done")))
    found = job(people, tmp_path / name)
    assert len(done) - before + finished == (7 if job is answered else 6)
    for one, other in zip(whole, found, strict=True):
        assert (one.n, one.left_out, one.incomplete) == (other.n, other.left_out, other.incomplete)
        for names in WANTED:
            np.testing.assert_array_equal(one.of(names), other.of(names))
    assert (tmp_path / name).read_bytes() == (tmp_path / f"whole-{name}").read_bytes()
    assert not (tmp_path / f"{name}.pieces").exists()


@pytest.mark.parametrize(("job", "room", "step", "name"), JOBS)
def test_a_table_that_changed_meanwhile_is_refused(people, tmp_path, job, room, step, name):
    with pytest.raises(KeyboardInterrupt):
        job(people, tmp_path / name, report=stop)
    (people / "5.csv").write_text((people / "4.csv").read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(InputError, match=r"holds a run that was stopped, of other answers, .* delete the folder"):
        job(people, tmp_path / name)
    shutil.rmtree(tmp_path / f"{name}.pieces")
    job(people, tmp_path / name)
    assert (tmp_path / name).exists()


def test_a_run_with_other_options_is_not_taken_up(people, tmp_path):
    """Other marginals, another job, another mechanism of the same levels, another seed."""
    with pytest.raises(KeyboardInterrupt):
        counted(people, tmp_path / "out.arrow", report=stop)
    with pytest.raises(InputError, match="holds a run that was stopped"):
        count(open_stream(people), TITANIC.schema, WANTED[:1], out=tmp_path / "out.arrow")
    with pytest.raises(InputError, match="holds a run that was stopped"):
        answered(people, tmp_path / "out.arrow")
    with pytest.raises(KeyboardInterrupt):
        perturbed(people, tmp_path / "out.csv", report=stop)
    for mechanism, seed in ((build("kronecker", MECHANISM.sizes, MECHANISM.levels), 3), (MECHANISM, 4)):
        with pytest.raises(InputError, match="holds a run that was stopped"):
            perturb_stream(open_stream(people), coder(TITANIC.schema), mechanism, WANTED, seed=seed, out=tmp_path / "out.csv")


def test_counts_that_are_of_no_use_are_not_kept(people, tmp_path):
    """A file that was cut short is to be given anew, so a run of it is never taken up."""
    text = (people / "0.csv").read_text(encoding="utf-8").splitlines()
    (people / "0.csv").write_text("\n".join([f"{text[0]},rr_release", *(f"{line}," for line in text[1:])]), encoding="utf-8")
    with pytest.raises(InputError, match="is cut short"):
        count_answers([open_stream(people / "0.csv")], FILE, WANTED, out=tmp_path / "out.arrow")
    assert {path.name for path in tmp_path.iterdir()} == {"people"}


def test_what_is_kept_of_counts_are_counts(people, tmp_path):
    """Arrow files of partial counts, which add up to those of the pieces."""
    with pytest.raises(KeyboardInterrupt):
        counted(people, tmp_path / "out.arrow", report=stop)
    parts = [Counts.load(path) for path in sorted((tmp_path / "out.arrow.pieces").glob("*.arrow"))]
    assert [part.n for part in parts] == [len(TITANIC.codes[number::6]) for number in range(len(parts))]
