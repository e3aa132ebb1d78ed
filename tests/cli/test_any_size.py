"""Commands on tables that are read in batches: the same results as on tables that are read whole."""

import json
import math
import shutil

import numpy as np
import pyarrow.parquet as pq
import pytest

import rrcore as rr
from rrcore.limits import MAX_FILE_BYTES
from rrcore.table import opening as size
from rrcore.table.opening import read_in_batches
from tests.cli.terminal import refused, result, run

TITANIC = rr.load_demo("titanic")


@pytest.fixture
def place(survey):
    """The true answers as a file, and in a directory of two files of different kinds."""
    rows = TITANIC.to_csv().splitlines(keepends=True)
    (survey / "true").mkdir()
    (survey / "true" / "1.csv").write_text("".join(rows[:1001]))
    pq.write_table(TITANIC.to_arrow().slice(1000), survey / "true" / "2.parquet")
    return survey


@pytest.fixture
def released(place):
    """Randomized answers with a sample and a group, as a file and as a directory."""
    rng = np.random.default_rng(4)
    codes = rr.MechanismFile.load("m.json").sample(TITANIC.codes, rng=rng)
    head, *rows = rr.Dataset(TITANIC.schema, codes).to_csv().splitlines()
    more = zip(
        rng.uniform(0.5, 3, len(rows)).round(6), rng.integers(0, 40, len(rows)), rng.integers(0, 2, len(rows)), strict=True
    )
    lines = [f"{head},weight,village,mode", *(f"{row},{w},{v},{'ab'[m]}" for row, (w, v, m) in zip(rows, more, strict=True))]
    lines[5] = lines[5].replace("Male", "").replace("Female", "")
    (place / "folder").mkdir()
    for name, own in {"all.csv": lines, "folder/1.csv": lines[:900], "folder/2.csv": [lines[0], *lines[900:]]}.items():
        (place / name).write_text("\n".join(own) + "\n")
    return place


def close(one, other):
    """The same result, but for the rounding of sums and for what is sought."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one.keys() - {"sentences", "ordered", "pairs_shown"}:
            close(one[key], other[key])
    elif isinstance(one, list):
        for first, second in zip(one, other, strict=True):
            close(first, second)
    elif isinstance(one, float):
        assert one == pytest.approx(other, abs=2e-3)
    else:
        assert one == other


def test_describe_says_the_same(place, capsys):
    whole, batches = (result(capsys, "describe", "--in", name) for name in ("true.csv", "true"))
    assert whole["columns"] == batches["columns"]
    assert whole["n"] == batches["n"] == 2201


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_release_of_any_size_is_analyzed_either_way(place, capsys, ending):
    (place / "released").mkdir()
    out = place / "released" / f"out.{ending}"
    assert run(capsys, "release", "--mechanism", "m.json", "--in", "true", "--out", out)[0] == 0
    asked = ("analyze", "--mechanism", "m.json", "--estimate", "Sex,Survived", "--pairs", "--in")
    whole, batches = (result(capsys, *asked, name) for name in (out, "released"))
    assert whole["n"] == TITANIC.n
    close(whole, batches)


@pytest.mark.parametrize(
    "options",
    [
        ("--weights", "weight", "--clusters", "village", "--by", "mode"),
        ("--weights", "weight", "--estimate", "Sex,Survived"),
        ("--estimate", "Survived", "--within", "Sex=Female"),
    ],
)
def test_samples_and_groups_are_analyzed_either_way(released, capsys, options):
    close(*(result(capsys, "analyze", "--mechanism", "m.json", *options, "--in", name) for name in ("all.csv", "folder")))


def test_files_and_lines_of_the_form_go_together(released, capsys):
    sha, answer = rr.MechanismFile.load("m.json").sha256, {"Class": "Crew", "Sex": "Male", "Age": "Adult", "Survived": "No"}
    (released / "lines.jsonl").write_text((json.dumps({"mechanism": sha, "answers": answer}) + "\n") * 10)
    assert result(capsys, "analyze", "--mechanism", "m.json", "--in", "lines.jsonl", "folder")["n"] == TITANIC.n + 10
    assert "ward" in refused(capsys, "analyze", "--mechanism", "m.json", "--in", "folder", "--by", "ward")


def test_a_release_in_two_copies_counts_once_and_one_that_is_cut_is_refused(place, capsys):
    analyze = ("analyze", "--mechanism", "m.json", "--in", "released")
    (place / "released").mkdir()
    assert run(capsys, "release", "--mechanism", "m.json", "--in", "true.csv", "--out", "released/1.csv")[0] == 0
    shutil.copy("released/1.csv", "released/2.csv")
    assert result(capsys, *analyze)["n"] == 2201
    text = (place / "released" / "2.csv").read_text().splitlines(keepends=True)
    for rest in (text[:-3], text[:3] + text[4:]):
        (place / "released" / "2.csv").write_text("".join(rest))
        assert "2.csv" in refused(capsys, *analyze)


@pytest.mark.slow
def test_simulate_does_not_depend_on_workers(place, capsys):
    asked = ("simulate", "--epsilon", "2", "--columns", "Sex,Survived", "--estimate", "Sex,Survived", "--rng", "5", "--in")
    whole, batches = (result(capsys, *asked, name) for name in ("true.csv", "true"))
    assert batches == result(capsys, *asked, "true", "--workers", "1")
    truth, estimate, error = (np.array([row[name] for row in batches["rows"]]) for name in ("truth", "estimate", "std_error"))
    assert truth.tolist() == [row["truth"] for row in whole["rows"]]
    assert np.abs((estimate - truth) / error).max() < 5


@pytest.mark.slow
def test_methods_are_compared_on_a_sample_of_a_large_table(place, capsys, monkeypatch):
    asked = ("papers", "compare", "--columns", "Sex,Survived", "--epsilon", "2", "--repeats", "2", "--methods", "rr-independent")
    whole, batches = (result(capsys, *asked, "--in", name) for name in ("true.csv", "true"))
    assert whole == batches  # all people are taken, in their order
    monkeypatch.setattr("rrcore.cli.papers.MAX_COMPARED_PEOPLE", 500)
    assert "500 of 2,201" in run(capsys, *asked, "--in", "true")[2]


def test_options_for_whole_tables_are_refused(place, capsys):
    assert "'totals'" in refused(capsys, "describe", "--in", "true", "--read", "totals=1")
    (place / "doubt").mkdir()
    (place / "doubt" / "0.csv").write_text("a,b\nx,no\n")
    assert "--read header=" in refused(capsys, "describe", "--in", "doubt")


def test_what_is_read_in_batches(tmp_path, monkeypatch):
    import gzip

    rows = b"a,b\n" + b"1,2\n" * 30
    files = {
        "t.csv": rows,
        "t.csv.gz": gzip.compress(rows),
        "broken.gz": b"\x1f\x8bnothing",
        "w.xlsx": b"PK\x03\x04" + rows,
        "e.csv": b"",
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    pq.write_table(TITANIC.to_arrow(), tmp_path / "t.parquet")
    assert read_in_batches(tmp_path)
    assert not any(read_in_batches(tmp_path / name) for name in [*files, "t.parquet", "gone.csv"])
    monkeypatch.setattr(size, "MAX_ROWS", 20)
    assert [name for name in [*files, "t.parquet"] if read_in_batches(tmp_path / name)] == ["t.csv", "t.csv.gz", "t.parquet"]
    monkeypatch.setattr(size, "MAX_ROWS", 10**6)
    monkeypatch.setattr(size, "MAX_UNPACKED_BYTES", 100)
    assert [name for name in [*files, "t.parquet"] if read_in_batches(tmp_path / name)] == ["t.csv", "t.csv.gz", "t.parquet"]
    monkeypatch.setattr(size, "MAX_FILE_BYTES", 20)
    assert not read_in_batches(tmp_path / "w.xlsx")
    assert read_in_batches(tmp_path / "t.csv")
    assert math.isfinite(MAX_FILE_BYTES)
