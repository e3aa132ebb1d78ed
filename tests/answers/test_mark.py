"""The mark of a simulation is recognised wherever records are read, and what follows from them says so or is refused."""

import gzip
import io
import json
import shutil
import zipfile
from dataclasses import replace

import numpy as np
import openpyxl
import pandas as pd
import pyarrow.parquet as pq
import pytest

import rrcore as rr
from rrcore.answers import count_answers
from rrcore.auditing import check_answers
from rrcore.budget import build
from rrcore.errors import InputError
from rrcore.mark import marks_in, simulation_mark
from rrcore.promise import integer_groups, release_table
from rrcore.promise.randomizing import randomize_stream
from rrcore.table import Attribute, Dataset, Schema
from rrcore.table.opening import open_stream
from rrcore.table.scanning import Coded, coder, count
from rrcore.writing import simulated_table
from tests.cli.terminal import run

SCHEMA = Schema((Attribute("smokes", ("no", "yes")), Attribute("area", ("north", "south", "west"))))
FILE = rr.MechanismFile(SCHEMA, integer_groups(build("independent", SCHEMA.sizes, [1.0, 1.0])))
TRUE = Dataset(SCHEMA, np.random.default_rng(1).integers(0, (2, 3), (3_000, 2)), "people")
SIMULATED = rr.simulate(TRUE, build("independent", SCHEMA.sizes, [1.0, 1.0]), rng=np.random.default_rng(7)).dataset
MARK = simulation_mark(7)
CSV = simulated_table(SIMULATED, 7).decode()
HEAD, _, ROWS = CSV.partition("\n")


def workbook(text):
    """The CSV text as a spreadsheet keeps it."""
    made = openpyxl.Workbook()
    for row in pd.read_csv(io.StringIO(text), header=None, dtype=str).itertuples(index=False):
        made.active.append(list(row))
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def without_column(content):
    """A Parquet file from which the first column was taken; what it says of itself stays."""
    out = io.BytesIO()
    pq.write_table(pq.read_table(io.BytesIO(content)).drop_columns([MARK]), out)
    return out.getvalue()


def moved(text):
    """The first column last."""
    frame = pd.read_csv(io.StringIO(text), dtype=str)
    return frame[[*frame.columns[1:], frame.columns[0]]].to_csv(index=False)


KINDS = {
    "csv": ("a.csv", CSV.encode()),
    "with a byte order mark": ("a.csv", b"\xef\xbb\xbf" + CSV.encode()),
    "gzipped": ("a.csv.gz", gzip.compress(CSV.encode())),
    "windows lines": ("a.csv", CSV.replace("\n", "\r\n").encode()),
    "semicolons": ("a.csv", CSV.replace(MARK, "MARK").replace(",", ";").replace("MARK", MARK).encode()),
    "capitals": ("a.csv", f"{HEAD.upper().replace('SMOKES', 'smokes').replace('AREA', 'area')}\n{ROWS}".encode()),
    "quotation marks": ("a.csv", CSV.replace(f'"{MARK}"', f'"“{MARK}”"').encode()),
    "no comma and a space": ("a.csv", CSV.replace(f'"{MARK}"', " Simulation  seed 7: not a release ").encode()),
    "column moved": ("a.csv", moved(CSV).encode()),
    "utf-16": ("a.csv", CSV.encode("utf-16")),
    "true shares too": ("a.csv", simulated_table(SIMULATED, 7, truth=True)),
    "workbook": ("a.xlsx", workbook(CSV)),
    "parquet": ("a.parquet", simulated_table(SIMULATED, 7, "parquet")),
    "parquet without its column": ("a.parquet", without_column(simulated_table(SIMULATED, 7, "parquet"))),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.json").write_text(FILE.to_json())
    for name, content in KINDS.values():
        (tmp_path / name).write_bytes(content)
    return tmp_path


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_file_is_recognised(kind):
    name, content = KINDS[kind]
    answers = rr.read_answers([(content, name)], FILE)
    assert answers.mark == MARK
    assert np.array_equal(answers.dataset.codes, SIMULATED.codes)
    assert answers.groupings == ()  # the mark is no column of true values


@pytest.mark.parametrize("kind", KINDS)
def test_as_a_table_of_true_answers_it_keeps_the_mark_in_its_title(kind, tmp_path):
    name, content = KINDS[kind]
    (tmp_path / name).write_bytes(content)
    table = rr.read_table(tmp_path / name)
    assert marks_in([table.title]) == MARK
    assert table.schema.names == SCHEMA.names
    assert marks_in([table.select(["area"]).title]) == MARK


def released(ending):
    """A release as a file of each kind."""
    with zipfile.ZipFile(io.BytesIO(release_table(FILE, TRUE).to_zip())) as opened:
        text = opened.read("released.csv").decode()
    if ending == "parquet":
        out = io.BytesIO()
        pd.read_csv(io.StringIO(text), dtype=str).to_parquet(out)
        return out.getvalue()
    if ending == "xlsx":
        return workbook(text)
    return text.replace(",", ";").encode("utf-8-sig") if ending == "txt" else text.encode()


@pytest.mark.parametrize("ending", ["csv", "txt", "xlsx", "parquet"])
def test_randomized_answers_are_not_taken_for_true_ones(ending, tmp_path, capsys):
    place, mechanism = tmp_path / f"a.{ending}", tmp_path / "m.json"
    place.write_bytes(released(ending))
    FILE.save(mechanism)
    (tmp_path / "folder").mkdir()
    shutil.copy(place, tmp_path / "folder")
    with pytest.raises(InputError, match="already randomized"):
        rr.read_table(place)
    collect = ("release", "--mechanism", mechanism, "--out", tmp_path / "out.csv")
    for command in [
        (*collect, "--in", place),
        ("describe", "--in", place),
        *[(*collect, "--in", tmp_path / "folder")] * (ending in ("csv", "parquet")),
    ]:
        code, out, err = run(capsys, *command)
        assert (code, out, "already randomized" in err) == (2, "", True)
    assert rr.read_answers(place, FILE).n == TRUE.n


@pytest.mark.parametrize("kind", ["csv", "parquet", "parquet without its column", "gzipped", "capitals"])
def test_streams_in_batches_and_counts_files_are_recognised(kind, tmp_path):
    name, content = KINDS[kind]
    (tmp_path / name).write_bytes(content)
    stream = open_stream(tmp_path / name)
    counted = count_answers([stream], FILE, [("smokes",), ("area",)])
    assert counted.mark == MARK
    assert (count(Coded(stream, coder(SCHEMA)), [("smokes",)]) + count(TRUE, [("smokes",)])).mark == MARK
    with pytest.raises(InputError, match=r"Randomizing .* needs collected answers"):
        randomize_stream(FILE, stream, tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


def test_groups_of_counts_are_recognised(tmp_path):
    text = "\n".join([f"{HEAD},group", *(f"{line},{'ab'[i % 2]}" for i, line in enumerate(ROWS.splitlines()))])
    (tmp_path / "a.csv").write_text(text)
    found = count_answers([open_stream(tmp_path / "a.csv")], FILE, [("smokes",)], by="group").split("group")
    assert {value: part.mark for value, part in found.items()} == {"a": MARK, "b": MARK}
    assert {part.mark for part in rr.read_answers([(text.encode(), "a.csv")], FILE).split("group").values()} == {MARK}


def test_one_simulated_file_of_many_marks_them_all(folder):
    real = rr.randomize(TRUE, FILE).to_csv().encode()
    assert rr.read_answers([(real, "b.csv")], FILE).mark == ""
    both = rr.read_answers([(real, "b.csv"), (CSV.encode(), "a.csv"), (simulated_table(SIMULATED, 8), "c.csv")], FILE)
    assert both.mark == f"{MARK}; {simulation_mark(8)}"
    (folder / "many").mkdir()
    (folder / "many" / "1.csv").write_bytes(real)
    (folder / "many" / "2.csv").write_bytes(CSV.encode())
    with pytest.raises(InputError, match=r"2\.csv' has other columns .*, such as 'simulation, seed 7: not a release'"):
        open_stream(folder / "many")


@pytest.mark.parametrize("library", ["pandas", "pyarrow", "metadata"])
def test_frames_are_recognised(library):
    table = pq.read_table(io.BytesIO(simulated_table(SIMULATED, 7, "parquet")))
    frame = {"pandas": table.to_pandas, "pyarrow": lambda: table, "metadata": lambda: table.drop_columns([MARK])}[library]()
    assert marks_in([rr.read_table(frame).title]) == MARK
    assert marks_in([rr.read_table(frame, title="mine").title]) == MARK


def test_an_attribute_that_is_called_like_a_mark_is_an_answer(tmp_path):
    schema = Schema((Attribute(MARK, ("no", "yes")), Attribute("area", ("north", "south"))))
    file = rr.MechanismFile(schema, integer_groups(build("independent", (2, 2), [1.0, 1.0])))
    table = Dataset(schema, np.random.default_rng(1).integers(0, 2, (50, 2)))
    released = rr.randomize(table, file)
    answers = rr.read_answers([(released.to_csv().encode(), "a.csv")], file)
    assert answers.mark == ""
    assert np.array_equal(answers.dataset.codes, released.codes)
    (tmp_path / "b.csv").write_text(released.to_csv())
    assert count_answers([open_stream(tmp_path / "b.csv")], file, [(MARK,)]).mark == ""

    for name, content in [("s.csv", simulated_table(released, 7)), ("s.parquet", simulated_table(released, 7, "parquet"))]:
        (tmp_path / name).write_bytes(content)
        found = rr.read_answers([(content, name)], file)
        assert found.mark == MARK
        assert np.array_equal(found.dataset.codes, released.codes)
        assert count_answers([open_stream(tmp_path / name)], file, [(MARK,)]).mark == MARK


@pytest.mark.parametrize(
    "text", ["simulation", "not a release", "simulation, seed x: not a release", "a simulation of seeds, not released"]
)
def test_other_columns_are_no_marks(text):
    assert marks_in([text]) == ""


def test_a_row_of_names_that_is_taken_for_answers_is_recognised():
    table = rr.table.read_file(CSV.encode(), "a.csv", header=False)[0]
    assert marks_in([table.title]) == MARK


def test_lines_of_the_form_cannot_carry_a_mark():
    line = json.dumps({"mechanism": FILE.sha256, "answers": {MARK: "yes", "smokes": "no", "area": "west"}})
    with pytest.raises(InputError, match="answers to questions that the mechanism file does not have"):
        rr.read_answers([(line.encode(), "a.jsonl")], FILE)


@pytest.mark.parametrize("name", ["a.csv", "a.xlsx", "a.parquet"])
def test_read_says_so_on_top_in_json_and_in_reports(folder, capsys, name):
    code, out, _ = run(capsys, "analyze", "--mechanism", "m.json", "--in", name)
    assert code == 0
    assert out.startswith(f"These answers are marked '{MARK}'")
    _, out, _ = run(capsys, "analyze", "--mechanism", "m.json", "--in", name, "--json")
    assert json.loads(out)["simulation"] == MARK
    code, out, err = run(capsys, "analyze", "--mechanism", "m.json", "--in", name, "--report", "r.html")
    assert (code, out) == (2, "")
    assert MARK in err
    assert not (folder / "r.html").exists()


def test_analyzing_batches_says_so(folder, capsys):
    (folder / "many").mkdir()
    (folder / "many" / "a.csv").write_bytes(KINDS["csv"][1])
    code, out, _ = run(capsys, "analyze", "--mechanism", "m.json", "--in", "many", "--json")
    assert (code, json.loads(out)["simulation"]) == (0, MARK)


def test_audits_and_releases_of_a_simulation_are_refused(folder, capsys):
    for arguments in [
        ("audit", "--mechanism", "m.json", "--answers", "a.csv"),
        *(
            ("release", "--mechanism", "m.json", "--in", name, "--out", "new.csv")
            for name in {name for name, _ in KINDS.values()}
        ),
    ]:
        code, out, err = run(capsys, *arguments)
        assert (code, out) == (2, "")
        assert MARK in err
    assert not (folder / "new.csv").exists()
    with pytest.raises(InputError, match="An audit needs collected answers"):
        check_answers(rr.read_answers([(CSV.encode(), "a.csv")], FILE), rng=np.random.default_rng(0))


def test_a_table_with_the_mark_in_its_title_is_not_randomized_by_the_library(tmp_path):
    (tmp_path / "a.csv").write_text(CSV)
    table = rr.read_table(tmp_path / "a.csv")
    own = rr.MechanismFile(table.schema, integer_groups(build("independent", table.schema.sizes, [1.0, 1.0])))
    for refused in (lambda table: rr.randomize(table, own), lambda table: release_table(own, table)):
        with pytest.raises(InputError, match=r"Randomizing .* needs collected answers"):
            refused(table)
        refused(replace(table, title="a"))  # the mark is what is refused


def test_models_say_so(folder, capsys):
    model = ("fit", "smokes ~ area", "--mechanism", "m.json", "--in", "a.csv")
    code, out, _ = run(capsys, *model, "--out", "c.csv")
    assert code == 0
    assert out.startswith(f"These answers are marked '{MARK}'")
    assert pd.read_csv("c.csv")[MARK].tolist() == ["yes"] * 3
    assert json.loads(run(capsys, *model, "--json")[1])["simulation"] == MARK


def test_other_commands_say_that_their_table_is_a_simulation(folder, capsys):
    code, out, err = run(capsys, "describe", "--in", "a.csv")
    assert code == 0
    assert f"a ({MARK})" in out
    assert f"These answers are marked '{MARK}'" in err
    (folder / "many").mkdir()
    (folder / "many" / "1.csv").write_bytes(CSV.encode())
    code, out, err = run(capsys, "describe", "--in", "many")  # in batches
    assert code == 0
    assert f"many ({MARK})" in out
    assert f"These answers are marked '{MARK}'" in err
